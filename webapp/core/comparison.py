"""How DynamoDB compares attribute values: what is equal, and what comes first.

Rule: numbers compare by exact value, strings by their UTF-8 bytes, binary by unsigned bytes; sets
are equal whatever their order, lists and maps member by member; values of different types are never
equal and have no order. The reason: an answer that differs from the service's is worse than none.
Source: Amazon DynamoDB Developer Guide, "Comparison operator and function reference".
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from webapp.core import numbers
from webapp.core.values import MEMBER_TAGS, decode_binary

TypedValue = Mapping[str, Any]
"""A valid value as typed JSON, like ``{"N": "5"}``."""


def tag_of(value: TypedValue) -> str:
    """Give the value's type tag."""
    return next(iter(value))


def number_of(text: str) -> Decimal:
    """Give the exact value of a valid number's text."""
    number = numbers.read(text)
    assert isinstance(number, numbers.Number)
    return Decimal(number.text)


def order_of(value: TypedValue) -> str | bytes | Decimal | None:
    """Give what orders a string, number or binary among its type; ``None`` for other types."""
    match value:
        case {"S": text}:
            return str(text)
        case {"N": text}:
            return number_of(text)
        case {"B": text}:
            return decode_binary(text)
        case _:
            return None


def is_before(one: TypedValue, other: TypedValue) -> bool:
    """Whether one value comes before the other; false for types without an order."""
    match order_of(one), order_of(other):
        case (str() as first, str() as second):
            return first < second
        case (bytes() as lower, bytes() as upper):
            return lower < upper
        case (Decimal() as less, Decimal() as more):
            return less < more
        case _:
            return False


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
    return left == right if order is None else order == order_of(other)


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
