"""Free-form transactions: actions of any kind, put together by hand.

Rule: an action is one of the operations, without what only a request of its own can have; all
actions are read and checked, then the transaction as a whole: how many, and that no two of them are
about one item. The order is the user's. Source: API reference, TransactWriteItems and
TransactGetItems.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.core import shapes
from webapp.core.expressions.operations import (
    OPERATIONS,
    TRANSACTIONS,
    WRITES,
    Request,
    parameter_of,
)
from webapp.core.expressions.places import Findings
from webapp.core.expressions.request_checks import item_size, key_names, read_checked
from webapp.core.expressions.requests import build
from webapp.core.limits import ACTIONS, TRANSACTION_BYTES
from webapp.core.problems import Problems, Text, register
from webapp.core.values import Where, identity_of

register(
    {
        "update-missing": Text(
            "An Update inside a transaction needs an update expression.", "Say what changes."
        ),
        "action-unknown": Text("{given} cannot be part of {transaction}.", "It takes {expected}."),
        "action-member": Text(
            "“{name}” cannot stand in an action of a transaction.", "Leave it out."
        ),
        "actions-too-many": Text(
            "The transaction has {count} actions; DynamoDB allows {limit}.",
            "Split it: each part then happens on its own.",
        ),
        "transaction-size": Text(
            "The items have {count:,} bytes together; DynamoDB allows {limit:,} (4 MB).",
            "Write fewer or smaller items in one transaction.",
        ),
        "item-twice": Text(
            "The action is about the same item as action {other}.",
            "DynamoDB takes one action for each item; put both into one Update, or its condition.",
        ),
    }
)


def compose(
    document: Mapping[str, Any], findings: Findings
) -> tuple[dict[str, Any], tuple[Request, ...]]:
    """The request of a transaction, and its actions as they were read.

    Neither is to be used when ``findings`` hold problems.
    """
    name = document["operation"]
    problems = Problems()
    shape = shapes.check(TRANSACTIONS[name], document, "", problems)
    findings.problems.extend(problems)
    if shape is None:
        return {}, ()
    at = Where(None, "actions")
    read = [_read_action(a, name, Where(at, i), findings) for i, a in enumerate(shape.actions)]
    whole = tuple(request for request in read if request is not None)
    built = [_built_action(request, findings) for request in whole]
    check_together(name, len(shape.actions), whole, findings)
    request = {"TransactItems": built} | {
        parameter_of(member): value
        for member, value in shape
        if member not in {"operation", "actions"} and value is not None
    }
    return request, whole


def _read_action(
    document: object, transaction: str, where: Where, findings: Findings
) -> Request | None:
    """One action of a transaction: an operation that may be part of it."""
    request = read_checked(document, where, findings)
    if request is not None:
        check_action(request, transaction, findings)
    return request


def check_action(request: Request, transaction: str, findings: Findings) -> None:
    """Note what hinders a request from being an action of the transaction."""
    if OPERATIONS[request.operation].transaction != transaction:
        known = [name for name, row in OPERATIONS.items() if row.transaction == transaction]
        given = {"given": request.operation, "transaction": transaction}
        findings.refuse(
            "action-unknown", request.at("operation"), **given, expected=", ".join(known)
        )
    for member in request.settings.keys() - {"table", "return_values_on_condition_check_failure"}:
        findings.refuse("action-member", request.at(member), name=member)
    if request.operation == "UpdateItem" and "update" not in request.trees:
        findings.refuse("update-missing", request.where)


def _built_action(request: Request, findings: Findings) -> dict[str, Any]:
    action = OPERATIONS[request.operation].action or request.operation
    return {action: build(request, findings)}


def check_together(name: str, count: int, actions: tuple[Request, ...], findings: Findings) -> None:
    """Refuse too many actions, two of them on one item, and too large a transaction."""
    at = Where(None, "actions")
    if count > ACTIONS:
        findings.refuse("actions-too-many", at, count=count, limit=ACTIONS)
    seen: dict[object, int] = {}
    for number, request in enumerate(actions):
        item = _identity(request)
        other = None if item is None else seen.setdefault(item, number)
        if other not in {None, number}:
            findings.refuse("item-twice", request.where, other=other)
    size = sum(item_size(request.maps.get("item", {})) for request in actions)
    if name == WRITES and size > TRANSACTION_BYTES:
        findings.refuse("transaction-size", at, count=size, limit=TRANSACTION_BYTES)


def _identity(request: Request) -> object:
    """What makes two actions be about one item: table and key; ``None`` when the key is unknown."""
    values = request.maps.get("key") or request.maps.get("item") or {}
    names = values.keys() if "key" in request.maps else key_names(request)
    if not names or not set(names) <= values.keys():
        return None
    key = frozenset((name, values[name].tag, identity_of(values[name])) for name in names)
    return request.settings["table"], key
