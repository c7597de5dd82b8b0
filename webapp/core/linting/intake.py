"""A transaction in whatever form people have it: which list holds its actions, and where it stands.

Rule: the form is told by the members alone, and everything stays where it stood, so that the path
of a problem leads into what was sent. What is no TransactWriteItems request is named for what it
is, never read as one. The reason: people paste what their tool shows, and look for the answer
there.

Forms: a request or the keyword arguments of a call (boto3, a CLI input file, the JavaScript SDK's
input), a command or plan that holds one, and the bare list of actions.
Source: API reference, TransactWriteItems; JSON.stringify of Buffer and Uint8Array for binary.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from webapp.core.jsontext import read_json
from webapp.core.limits import ACTIONS
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import ROOT, Where, encode_binary

register(
    {
        "transaction-expected": Text(
            "{given} is no transaction.",
            'Paste a TransactWriteItems request like {{"TransactItems": […]}}, or the list of its '
            "actions.",
        ),
        "operation-not-linted": Text(
            "This is a request for {operation}, which is not checked here.",
            "Only TransactWriteItems is. {instead}",
        ),
        "document-too-large": Text(
            "The document has more than {limit:,} parts.",
            "A transaction holds at most 100 actions and 4 MB; send one transaction at a time.",
        ),
    }
)

MOST_PARTS = 2_000_000
DEEPEST = 100
ACTIONS_MEMBER: Final = "TransactItems"
WRAPPERS: Final = ("request", "input")
"""Members that hold the request: of a plan, and of a command of the JavaScript SDK."""

OTHER_OPERATIONS: Final[Mapping[str, tuple[str, str]]] = {
    "TransactStatements": (
        "ExecuteTransaction",
        "PartiQL is not read: write the statements as Put, Update, Delete and ConditionCheck.",
    ),
    "Statements": ("BatchExecuteStatement", "A batch is not atomic."),
    "Statement": ("ExecuteStatement", "A single statement cannot guard a lock and a record."),
    "RequestItems": (
        "BatchWriteItem or BatchGetItem",
        "A batch is not atomic and takes no conditions, so it cannot keep a value unique.",
    ),
}


class Transaction(NamedTuple):
    """A request as it was sent: its members, its actions as they are, and the places of both.

    ``document`` is the whole of what was sent, which the places lead into.
    """

    members: Mapping[str, Any]
    items: object
    at: Where
    items_at: Where
    document: object = None

    @property
    def request(self) -> dict[str, Any]:
        """The request as the service takes it."""
        return {**self.members, ACTIONS_MEMBER: self.items}

    @property
    def unread(self) -> int:
        """How many actions stand beyond the last one that DynamoDB would take."""
        return max(len(self.items) - ACTIONS, 0) if isinstance(self.items, list) else 0


def read_transaction(document: object) -> Transaction:
    """Read JSON text or a parsed document. Raises ``Refused`` for what is no TransactWriteItems."""
    if isinstance(document, str | bytes):
        document = read_json(document)
    problems = Problems()
    if _is_foreign(document, problems):
        document = _as_json(document)
    found = _found(document, ROOT, len(WRAPPERS), problems)
    if found is None:
        problems.refuse()
    assert found is not None
    return found._replace(document=document)


def _found(document: object, at: Where, wrappers: int, problems: Problems) -> Transaction | None:
    if isinstance(document, list) and not _is_foreign_list(document, at, problems):
        return Transaction({}, document, at, at)
    if not isinstance(document, dict):
        return _refuse_document(document, at, problems)
    if ACTIONS_MEMBER in document:
        items, items_at = document[ACTIONS_MEMBER], Where(at, ACTIONS_MEMBER)
        foreign = isinstance(items, list) and _is_foreign_list(items, items_at, problems)
        return None if foreign else Transaction(document, items, at, items_at)
    for member, (operation, instead) in OTHER_OPERATIONS.items():
        if member in document:
            params = {"operation": operation, "instead": instead}
            return problems.add("operation-not-linted", at.pointer(), **params)
    for member in WRAPPERS if wrappers else ():
        if isinstance(document.get(member), dict | list):
            return _found(document[member], Where(at, member), wrappers - 1, problems)
    return _refuse_document(document, at, problems)


def _refuse_document(document: object, at: Where, problems: Problems) -> None:
    if not problems:
        problems.add("transaction-expected", at.pointer(), given=excerpt(document))


def _is_foreign_list(items: list[Any], at: Where, problems: Problems) -> bool:
    """Whether a list holds reads or statements and no write; noted for what it is."""
    entries = [entry for entry in items if isinstance(entry, dict)]
    for member, operation in (("Get", "TransactGetItems"), ("Statement", "ExecuteTransaction")):
        if entries and all(entry.keys() & {member, "Parameters"} for entry in entries):
            instead = "Reading needs no guard." if member == "Get" else "PartiQL is not read."
            params = {"operation": operation, "instead": instead}
            problems.add("operation-not-linted", at.pointer(), **params)
            return True
    return False


def _is_foreign(document: object, problems: Problems) -> bool:
    """Whether anything stands in a form of Python or JavaScript; refuses too many parts."""
    waiting, parts, found = [document], 0, False
    while waiting:
        value = waiting.pop()
        parts += 1
        if parts > MOST_PARTS:
            problems.add("document-too-large", "", limit=MOST_PARTS)
            problems.refuse()
        if isinstance(value, dict):
            found = found or _bytes_in(value) is not None or not all(map(_is_text, value))
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        else:
            found = found or isinstance(value, bytes | bytearray)
    return found


def _is_text(name: object) -> bool:
    return isinstance(name, str)


def _as_json(value: Any, depth: int = 0) -> Any:
    """Copy a document as typed JSON has it: binary as base64, names as texts."""
    if isinstance(value, bytes | bytearray):
        return encode_binary(bytes(value))
    if depth > DEEPEST:
        return value
    if isinstance(value, dict):
        data = _bytes_in(value)
        if data is not None:
            return encode_binary(data)
        return {str(name): _as_json(inner, depth + 1) for name, inner in value.items()}
    return [_as_json(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def _bytes_in(value: dict[Any, Any]) -> bytes | None:
    """The bytes of a Buffer or Uint8Array of JavaScript, as JSON.stringify writes them."""
    if value.get("type") == "Buffer" and value.keys() == {"type", "data"}:
        numbers = value["data"]
    elif value and all(value.get(str(index)) is not None for index in range(len(value))):
        numbers = list(value.values())
    else:
        return None
    if not isinstance(numbers, list) or not all(type(n) is int and 0 <= n < 256 for n in numbers):
        return None
    return bytes(numbers)
