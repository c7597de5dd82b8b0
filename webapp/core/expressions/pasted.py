"""What a person pasted: a request, an action, a transaction, or one expression.

Rule: the operation is taken from the members that only one operation has; where they leave a doubt
it is asked for, never guessed. Source: API reference of the operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import filterfalse
from typing import Any

from webapp.core import shapes
from webapp.core.expressions import operations
from webapp.core.expressions.dictionaries import read_dictionary
from webapp.core.expressions.operations import GETS, OPERATIONS, TRANSACTIONS, WRITES, Request
from webapp.core.expressions.operators import Kind
from webapp.core.expressions.parse import parse_kind
from webapp.core.expressions.places import Findings
from webapp.core.expressions.request_checks import check_tree
from webapp.core.expressions.request_reader import Reading, RequestReader, placed, read_settings
from webapp.core.expressions.transactions import check_together
from webapp.core.expressions.tree_writer import tree_document
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import Where

register(
    {
        "request-expected": Text("{given} is no request.", "Paste the JSON of a request."),
        "operation-unclear": Text(
            "It is not clear which operation this request is for.",
            'Give it as {{"operation": name, "request": …}}; the names are {expected}.',
        ),
    }
)

_ACTIONS = {row.action: name for name, row in OPERATIONS.items() if row.action}
_TELLING = {
    "KeyConditionExpression": "Query",
    "UpdateExpression": "UpdateItem",
    "Item": "PutItem",
    "ReturnValues": "DeleteItem",
}


def read_pasted(document: object, reading: Reading) -> dict[str, Any] | None:
    """The document of what was pasted; ``None`` when it cannot be read, the faults noted."""
    if isinstance(document, dict) and document.keys() == {"operation", "request"}:
        at = Where(None, "request")
        return _read(document["operation"], document["request"], at, reading)
    name = _operation_of(document) if isinstance(document, dict) else None
    return _read(name, document, None, reading)


def _operation_of(request: Mapping[str, Any]) -> str | None:
    """The operation that a bare request is for, when its members leave no doubt."""
    if "TransactItems" in request:
        return GETS if _reads_only(request["TransactItems"]) else WRITES
    if len(request) == 1 and (only := next(iter(request))) in _ACTIONS:
        return only
    for parameter, operation in _TELLING.items():
        if parameter in request:
            return operation
    if "Key" in request:
        return None if "ConditionExpression" in request else "GetItem"
    return "Scan" if "TableName" in request else None


def _reads_only(actions: object) -> bool:
    entries = actions if isinstance(actions, list) else []
    return any(isinstance(entry, dict) and "Get" in entry for entry in entries)


def _read(
    name: object, request: object, where: Where | None, reading: Reading
) -> dict[str, Any] | None:
    if not isinstance(request, dict):
        return reading.fatal.refuse("request-expected", where, given=excerpt(request))
    if isinstance(name, str) and name in _ACTIONS and request.keys() == {name}:
        reader = _entry_reader(request, where, reading, OPERATIONS[_ACTIONS[name]].transaction)
        return None if reader is None else reader.document()
    if isinstance(name, str) and name in TRANSACTIONS:
        return _read_transaction(name, request, where, reading)
    if not isinstance(name, str) or name not in OPERATIONS:
        expected = operations.operation_names()
        return reading.fatal.refuse("operation-unclear", where, expected=expected)
    return RequestReader(name, request, where, reading).document()


def _read_transaction(
    name: str, request: Mapping[str, Any], where: Where | None, reading: Reading
) -> dict[str, Any] | None:
    """A transaction: its actions, and its own members under the names of the document."""
    items, at = request.get("TransactItems"), Where(where, "TransactItems")
    if not isinstance(items, list):
        return reading.fatal.refuse("request-expected", at, given=excerpt(items))
    actions, checked = [], []
    for number, item in enumerate(items):
        reader = _entry_reader(item, Where(at, number), reading, name)
        actions.append(None if reader is None else reader.document())
        if reader is not None and reader.checked is not None:
            where_built = Where(Where(None, "actions"), number)
            checked.append(replace(reader.checked, where=where_built))
    own = {parameter: value for parameter, value in request.items() if parameter != "TransactItems"}
    settings = read_settings(TRANSACTIONS[name], name, own, where, reading.fatal)
    document = {"operation": name, "actions": actions, **settings}
    _check_transaction(document, tuple(checked), where, reading)
    return None if None in actions else document


def _check_transaction(
    document: dict[str, Any], checked: tuple[Request, ...], where: Where | None, reading: Reading
) -> None:
    """Check what belongs to the transaction as a whole, as its document would be."""
    name = document["operation"]
    problems = Problems()
    shapes.check(TRANSACTIONS[name], document, "", problems)
    reading.fatal.problems.extend(placed(problem, where) for problem in problems)
    findings = Findings([], [])
    check_together(name, len(document["actions"]), checked, findings)
    reading.note(findings, where)


def _entry_reader(
    item: object, where: Where | None, reading: Reading, transaction: str | None
) -> RequestReader | None:
    """The reader of one entry of TransactItems: an object with the action's name and request."""
    if not isinstance(item, dict) or len(item) != 1:
        return reading.fatal.refuse("request-expected", where, given=excerpt(item))
    ((action, request),) = item.items()
    at = Where(where, action)
    if action not in _ACTIONS or not isinstance(request, dict):
        return reading.fatal.refuse("request-expected", at, given=excerpt(request))
    return RequestReader(_ACTIONS[action], request, at, reading, transaction)


def read_bare(
    kind: Kind, text: str, maps: tuple[object, object], reading: Reading
) -> dict[str, Any] | None:
    """The document of one expression with its placeholder maps: its kind and its tree.

    What its expression means by itself is checked; what it means in a request is not known.
    """
    names, values = maps
    problems = Problems()
    dictionary = read_dictionary(
        names, values, Where(None, "names"), Where(None, "values"), problems
    )
    reading.fatal.problems.extend(problems)
    findings = Findings([], [])
    tree = parse_kind(kind, text, "/expression", dictionary, findings)
    faults = filterfalse(dictionary.is_consequence, findings.problems)
    reading.note_faults(faults, is_read=tree is not None)
    if tree is None:
        return None
    dictionary.note_useless(reading.other)
    check_tree(kind, tree, reading.other)
    document: dict[str, Any] = {kind: tree_document(tree)}
    kept = dictionary.kept_names()
    return document | ({"expression_attribute_names": kept} if kept else {})
