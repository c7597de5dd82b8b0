"""How DynamoDB compares attribute values: what is equal, and what comes first.

Rule: numbers compare by exact value, strings by their UTF-8 bytes, binary by unsigned bytes; sets
are equal whatever their order, lists and maps member by member; values of different types are never
equal and have no order. The reason: an answer that differs from the service's is worse than none.
Source: Amazon DynamoDB Developer Guide, "Comparison operator and function reference".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from webapp.core.values import MEMBER_TAGS, decode_binary

TypedValue = Mapping[str, Any]
"""A valid value as typed JSON, like ``{"N": "5"}``."""


def tag_of(value: TypedValue) -> str:
    """Give the value's type tag."""
    return next(iter(value))


def number_of(text: str) -> Decimal:
    """Give the exact value of a valid number's text."""
    try:
        return Decimal(text)
    except InvalidOperation:  # a zero with an exponent that no number has
        return Decimal(0)


_ORDERS: Mapping[str, Callable[[str], Any]] = {"S": str, "N": number_of, "B": decode_binary}


def order_of(value: TypedValue) -> Any:
    """What orders a string, number or binary among its type; ``None`` for other types."""
    tag = tag_of(value)
    read = _ORDERS.get(tag)
    return None if read is None else read(value[tag])


def is_before(one: TypedValue, other: TypedValue) -> bool:
    """Whether one value comes before the other; false for types without an order."""
    if tag_of(one) != tag_of(other) or tag_of(one) not in _ORDERS:
        return False
    return bool(order_of(one) < order_of(other))


def equals(one: TypedValue, other: TypedValue) -> bool:
    """Whether DynamoDB's ``=`` holds between two values that exist."""
    tag = tag_of(one)
    if tag != tag_of(other):
        return False
    left, right = one[tag], other[tag]
    if tag in MEMBER_TAGS:
        return members_of(one) == members_of(other)
    if tag == "L":
        return len(left) == len(right) and all(map(equals, left, right))
    if tag == "M":
        return left.keys() == right.keys() and all(equals(left[key], right[key]) for key in left)
    order = order_of(one)
    return bool(left == right if order is None else order == order_of(other))


def members_of(value: TypedValue) -> frozenset[object]:
    """Give the members of a set as what makes them equal: text, exact number, bytes."""
    tag = tag_of(value)
    return frozenset(order_of({MEMBER_TAGS[tag]: member}) for member in value[tag])


def length_of(value: TypedValue) -> int | None:
    """Give what ``size`` yields: UTF-16 units, bytes or members; ``None`` for N, BOOL and NULL."""
    match value:
        case {"S": text}:
            return len(text.encode("utf-16-le")) // 2
        case {"B": text}:
            return len(decode_binary(text) or b"")
        case {"N": _} | {"BOOL": _} | {"NULL": _}:
            return None
        case _:
            return len(value[tag_of(value)])
