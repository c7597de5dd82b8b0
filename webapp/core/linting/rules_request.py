"""What DynamoDB demands of a transaction's form: its members, how many actions, what each holds.

Rule: the tables below are the only list of members; each entry holds one action, each action its
required members, each member its JSON type, and nothing else. What is well-formed goes on to the
rules of values and expressions; what is not is said, and the rest is still read.
Source: API reference, TransactWriteItems, TransactWriteItem, Put, Update, Delete, ConditionCheck.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from webapp.core.expressions.request_reader import LEGACY
from webapp.core.failures.actions import KINDS
from webapp.core.limits import ACTIONS, TOKEN_CHARACTERS
from webapp.core.linting.intake import ACTIONS_MEMBER, Transaction
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.tablenames import is_table_reference
from webapp.core.values import Where

register(
    {
        "transaction-empty": Text("The transaction has no actions.", "Give it 1 to 100."),
        "action-missing": Text(
            "The entry holds no action.", "Give it one of Put, Update, Delete and ConditionCheck."
        ),
        "action-several": Text(
            "The entry holds {count} actions: {names}.", "Give each action an entry of its own."
        ),
        "member-null": Text(
            "“{name}” is null.",
            "Leave it out: the service skips a null, but boto3 and the CLI refuse it.",
        ),
        "index-target": Text(
            "A transaction works on tables, never on an index.",
            "Remove IndexName; DynamoDB keeps the indexes up to date by itself.",
        ),
        "return-values": Text(
            "An action of a transaction returns no values.",
            "Remove ReturnValues. For the item that stands in the way there is "
            "ReturnValuesOnConditionCheckFailure.",
        ),
    }
)


class Member(NamedTuple):
    """One member of a request or action: its JSON type in words, its choices, if it is needed."""

    kind: type
    choices: tuple[str, ...] = ()
    required: bool = False


TEXT: Final = Member(str)
MAP: Final = Member(dict)
_ALWAYS: Final[Mapping[str, Member]] = {
    "TableName": Member(str, required=True),
    "ConditionExpression": TEXT,
    "ExpressionAttributeNames": MAP,
    "ExpressionAttributeValues": MAP,
    "ReturnValuesOnConditionCheckFailure": Member(str, ("ALL_OLD", "NONE")),
}
_KEY: Final = {"Key": Member(dict, required=True)}
REQUEST_MEMBERS: Final[Mapping[str, Member]] = {
    ACTIONS_MEMBER: Member(list, required=True),
    "ClientRequestToken": TEXT,
    "ReturnConsumedCapacity": Member(str, ("INDEXES", "TOTAL", "NONE")),
    "ReturnItemCollectionMetrics": Member(str, ("SIZE", "NONE")),
}
ACTION_MEMBERS: Final[Mapping[str, Mapping[str, Member]]] = {
    "Put": {"Item": Member(dict, required=True), **_ALWAYS},
    "Update": {**_KEY, "UpdateExpression": Member(str, required=True), **_ALWAYS},
    "Delete": {**_KEY, **_ALWAYS},
    "ConditionCheck": {**_KEY, **_ALWAYS, "ConditionExpression": Member(str, required=True)},
}
_EXPECTED: Final[Mapping[type, str]] = {
    str: "a text in quotes",
    dict: "an object in { }",
    list: "a list in [ ]",
}
_FOREIGN: Final[Mapping[str, str]] = {"IndexName": "index-target", "ReturnValues": "return-values"}


class Entry(NamedTuple):
    """One well-placed action: its slot, its kind, its members of a fitting type, its place."""

    slot: int
    kind: str
    members: Mapping[str, Any]
    at: Where

    def where(self, *tokens: str) -> Where:
        """The place of a member, or of what is in it."""
        where = self.at
        for token in tokens:
            where = Where(where, token)
        return where


def read_entries(transaction: Transaction, problems: Problems) -> list[Entry]:
    """Check the form of a transaction, and give its actions as far as they can be read.

    Actions beyond the hundredth are counted and not read: DynamoDB refuses them unseen.
    """
    if transaction.items_at is not transaction.at:
        _fitting(
            transaction.members, REQUEST_MEMBERS, "TransactWriteItems", transaction.at, problems
        )
        _check_token(transaction, problems)
    items = transaction.items
    if not isinstance(items, list):
        return []
    at = transaction.items_at.pointer()
    if not items:
        problems.add("transaction-empty", at)
    if len(items) > ACTIONS:
        problems.add("actions-too-many", at, count=len(items), limit=ACTIONS)
    entries = (
        _entry(slot, item, Where(transaction.items_at, slot), problems)
        for slot, item in enumerate(items[:ACTIONS])
    )
    return [entry for entry in entries if entry is not None]


def _check_token(transaction: Transaction, problems: Problems) -> None:
    token = transaction.members.get("ClientRequestToken")
    if isinstance(token, str) and not 1 <= len(token) <= TOKEN_CHARACTERS:
        at = Where(transaction.at, "ClientRequestToken").pointer()
        problems.add("token-length", at, count=len(token), limit=TOKEN_CHARACTERS)


def _entry(slot: int, item: object, at: Where, problems: Problems) -> Entry | None:
    if not isinstance(item, dict):
        return problems.add(
            "member-type", at.pointer(), given=excerpt(item), expected=_EXPECTED[dict]
        )
    kinds = [kind for kind in KINDS if item.get(kind) is not None]
    for name in item.keys() - set(KINDS):
        params = {"operation": "An entry of TransactItems", "name": excerpt(str(name))}
        problems.add("parameter-unknown", Where(at, name).pointer(), **params)
    for kind in KINDS:
        if kinds and kind in item and item[kind] is None:
            problems.add("member-null", Where(at, kind).pointer(), name=kind)
    if not kinds:
        return problems.add("action-missing", at.pointer())
    if len(kinds) > 1:
        names = ", ".join(kinds)
        return problems.add("action-several", at.pointer(), count=len(kinds), names=names)
    return _action(slot, kinds[0], item[kinds[0]], Where(at, kinds[0]), problems)


def _action(slot: int, kind: str, body: object, at: Where, problems: Problems) -> Entry | None:
    if not isinstance(body, dict):
        return problems.add(
            "member-type", at.pointer(), given=excerpt(body), expected=_EXPECTED[dict]
        )
    fitting = _fitting(body, ACTION_MEMBERS[kind], kind, at, problems)
    table = fitting.get("TableName")
    if table is not None and not is_table_reference(table):
        problems.add("table-name", Where(at, "TableName").pointer(), given=excerpt(table))
    return Entry(slot, kind, fitting, at)


def _fitting(
    given: Mapping[Any, Any],
    rows: Mapping[str, Member],
    operation: str,
    at: Where,
    problems: Problems,
) -> dict[str, Any]:
    """The members that are known and of a fitting type; everything else is noted."""
    for name, row in rows.items():
        if row.required and name not in given:
            code = "update-missing" if name == "UpdateExpression" else "member-missing"
            problems.add(code, at.pointer(), **({} if code == "update-missing" else {"name": name}))
    return {
        name: value
        for name, value in given.items()
        if _fits(name, value, rows, operation, Where(at, name), problems)
    }


def _fits(
    name: object,
    value: object,
    rows: Mapping[str, Member],
    operation: str,
    at: Where,
    problems: Problems,
) -> bool:
    row = rows.get(name) if isinstance(name, str) else None
    if row is None:
        _note_unknown(str(name), operation, at, problems)
    elif value is None:
        problems.add("member-null", at.pointer(), name=name)
    elif not isinstance(value, row.kind):
        params = {"given": excerpt(value), "expected": _EXPECTED[row.kind]}
        problems.add("member-type", at.pointer(), **params)
    elif row.choices and value not in row.choices:
        params = {"given": f"“{excerpt(value)}”", "expected": ", ".join(row.choices)}
        problems.add("member-choice", at.pointer(), **params)
    else:
        return True
    return False


def _note_unknown(name: str, operation: str, at: Where, problems: Problems) -> None:
    if name in LEGACY:
        problems.add("parameter-legacy", at.pointer(), name=name, instead=LEGACY[name])
    elif name in _FOREIGN:
        problems.add(_FOREIGN[name], at.pointer())
    else:
        problems.add("parameter-unknown", at.pointer(), operation=operation, name=excerpt(name))
