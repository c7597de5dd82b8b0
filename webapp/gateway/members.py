"""The members of an answer as DynamoDB gives them, checked where they come in.

Rule: a member that is there has the shape that DynamoDB's API gives it, or it is told by its name;
what lies behind the gateway need not ask again. The reason: what answers under an address may be
another engine, a newer one or none at all, and whoever reads a text as a list of items breaks far
from where it went wrong.
Source: API reference, the responses of GetItem, Query, Scan, TransactGetItems, BatchGetItem
and ListTables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]


def strange_member(answer: Mapping[str, Any]) -> str:
    """The name of a member that is not as DynamoDB gives it; "" where all are."""
    return next((name for name in answer.keys() & MEMBERS.keys() if not _fits(name, answer)), "")


def _fits(name: str, answer: Mapping[str, Any]) -> bool:
    return answer[name] is None or MEMBERS[name](answer[name])


def _is_item(given: Any) -> bool:
    return isinstance(given, dict) and all(map(_is_value, given.values()))


def _is_value(given: Any) -> bool:
    if not isinstance(given, dict) or len(given) != 1:
        return False
    ((tag, content),) = given.items()
    return tag in _CONTENTS and _CONTENTS[tag](content)


def _is(kind: type) -> Check:
    return lambda given: isinstance(given, kind)


def _is_list_of(check: Check) -> Check:
    return lambda given: isinstance(given, list) and all(map(check, given))


def _holds_item(given: Any) -> bool:
    """Whether it is an object whose item, if it has one, is an item."""
    return isinstance(given, dict) and (given.get("Item") is None or _is_item(given["Item"]))


def _are_responses(given: Any) -> bool:
    """A list of TransactGetItems, or the items of BatchGetItem by table."""
    if isinstance(given, dict):
        return all(map(MEMBERS["Items"], given.values()))
    return _is_list_of(_holds_item)(given)


_texts = _is_list_of(_is(str))
_CONTENTS: Mapping[str, Check] = {
    "S": _is(str),
    "N": _is(str),
    "B": _is(str),
    "BOOL": _is(bool),
    "NULL": _is(bool),
    "SS": _texts,
    "NS": _texts,
    "BS": _texts,
    "L": _is_list_of(_is_value),
    "M": _is_item,
}
MEMBERS: Mapping[str, Check] = {
    "Attributes": _is_item,
    "CancellationReasons": _is_list_of(_holds_item),
    "Count": _is(int),
    "Item": _is_item,
    "Items": _is_list_of(_is_item),
    "LastEvaluatedKey": _is_item,
    "LastEvaluatedTableName": _is(str),
    "Responses": _are_responses,
    "ScannedCount": _is(int),
}
"""How the members look that are read behind the gateway, in whatever answer they stand."""
