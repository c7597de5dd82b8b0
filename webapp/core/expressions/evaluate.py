"""Trying a condition on a sample item, with the answer DynamoDB would give.

Rule: what is missing is unequal to everything and in no order with anything; a value of the wrong
type in the *item* makes a condition false, while one in the request was refused by the checks
before. The reason: whoever tries an expression here will believe the answer.
Sources: Amazon DynamoDB Developer Guide, "Comparison operator and function reference"; what it
leaves open as the service itself answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from webapp.core.expressions import nodes
from webapp.core.expressions.comparison import (
    TypedValue,
    equals,
    is_before,
    length_of,
    members_of,
    order_of,
    tag_of,
)
from webapp.core.expressions.paths import Path, Step
from webapp.core.values import MEMBER_TAGS

Item = Mapping[str, TypedValue]
"""An item as typed JSON, valid: ``{"email": {"S": "ada@lovelace.io"}}``."""


def read_at(item: Item, path: Path) -> TypedValue | None:
    """The value at a path, or ``None`` when there is none."""
    here: Any = {"M": item}
    for step in path.steps:
        here = _member(here, step)
        if here is None:
            return None
    value: TypedValue = here
    return value


def _member(value: TypedValue, step: Step) -> TypedValue | None:
    if isinstance(step, str):
        members = value.get("M")
        return None if members is None else members.get(step)
    elements = value.get("L")
    return elements[step] if elements is not None and step < len(elements) else None


def holds(condition: nodes.Condition, item: Item) -> bool:
    """Whether the condition holds for the item; an item that does not exist is an empty one."""
    match condition:
        case nodes.Junction():
            each = (holds(arg, item) for arg in condition.args)
            return all(each) if condition.op == "and" else any(each)
        case nodes.Not():
            return not holds(condition.arg, item)
        case _:
            return _leaf_holds(condition, item)


def _leaf_holds(
    condition: nodes.Comparison | nodes.Between | nodes.In | nodes.Test, item: Item
) -> bool:
    value, *others = [_value(operand, item) for operand in nodes.operands_of(condition)]
    match condition:
        case nodes.Comparison():
            return _compare(condition.op, value, others[0])
        case nodes.Between():
            return _compare("<=", others[0], value) and _compare("<=", value, others[1])
        case nodes.In():
            return any(_compare("=", value, other) for other in others)
        case nodes.Test():
            return _test(condition.op, value, *others)


def _value(operand: nodes.Operand, item: Item) -> TypedValue | None:
    """What an operand stands for; ``None`` when it is missing or has no size."""
    match operand:
        case Path():
            return read_at(item, operand)
        case nodes.Literal():
            return operand.value.wire
        case nodes.Size():
            measured = _value(operand.of, item)
            length = None if measured is None else length_of(measured)
            return None if length is None else {"N": str(length)}


def _compare(op: str, left: TypedValue | None, right: TypedValue | None) -> bool:
    if left is None or right is None:
        return op == "<>"
    return _COMPARATORS[op](left, right)


def _same_order(one: TypedValue, other: TypedValue) -> bool:
    return order_of(one) is not None and equals(one, other)


_COMPARATORS: Mapping[str, Callable[[TypedValue, TypedValue], bool]] = {
    "=": equals,
    "<>": lambda left, right: not equals(left, right),
    "<": is_before,
    "<=": lambda left, right: is_before(left, right) or _same_order(left, right),
    ">": lambda left, right: is_before(right, left),
    ">=": lambda left, right: is_before(right, left) or _same_order(left, right),
}


def _test(op: str, value: TypedValue | None, *others: TypedValue | None) -> bool:
    if op == "attribute_exists":
        return value is not None
    if op == "attribute_not_exists":
        return value is None
    (other,) = others
    return value is not None and other is not None and _TESTS[op](value, other)


def _begins(value: TypedValue, prefix: TypedValue) -> bool:
    match order_of(value), order_of(prefix):
        case (str() as text, str() as start):
            return text.startswith(start)
        case (bytes() as data, bytes() as start):
            return data.startswith(start)
        case _:
            return False


def _contains(value: TypedValue, member: TypedValue) -> bool:
    tag = tag_of(value)
    if tag == "L":
        return any(equals(element, member) for element in value["L"])
    if tag in MEMBER_TAGS:
        return tag_of(member) == MEMBER_TAGS[tag] and order_of(member) in members_of(value)
    match order_of(value), order_of(member):
        case (str() as text, str() as part):
            return part in text
        case (bytes() as data, bytes() as part):
            return part in data
        case _:
            return False


def _has_type(value: TypedValue, named: TypedValue) -> bool:
    return tag_of(value) == named.get("S")


_TESTS: Mapping[str, Callable[[TypedValue, TypedValue], bool]] = {
    "attribute_type": _has_type,
    "begins_with": _begins,
    "contains": _contains,
}
