"""Trying an update on a sample item, with the item DynamoDB would store.

Rule: an update reads the item as it was before, list indexes too, and writes afterwards; one fault
and nothing is written. A list index beyond the end appends, in order of the indexes; what a path
leads through must be there.
Sources: Amazon DynamoDB Developer Guide, "Update expressions"; what it leaves open as the service
itself answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Inexact

from webapp.core import numbers
from webapp.core.expressions import nodes
from webapp.core.expressions.comparison import TypedValue, members_of, number_of, order_of, tag_of
from webapp.core.expressions.evaluate import Item, read_at
from webapp.core.expressions.paths import Path, Step
from webapp.core.expressions.places import Place, problem_at
from webapp.core.limits import NUMBER_DIGITS
from webapp.core.problems import Problem, Text, register
from webapp.core.values import MEMBER_TAGS

register(
    {
        "attribute-absent": Text(
            "The item has no “{path}”, and the update reads it.",
            "Use if_not_exists with a value for that case.",
        ),
        "stored-type": Text(
            "{operator} cannot work with the type {tag} that “{path}” has in the item.",
            "The item's value must have a type that {operator} takes.",
        ),
        "result-type": Text(
            "{operator} cannot work with a value of type {tag}.", "Give it one of type {expected}."
        ),
        "place-absent": Text(
            "There is no place for “{path}” in the item: what it leads through is missing or of "
            "another type.",
            "Set the map or list around it first.",
        ),
        "result-unfit": Text(
            "The result needs more than 38 digits, or is too large for DynamoDB.",
            "Store it as a string, or use smaller numbers.",
        ),
    }
)


class _Failed(Exception):
    """The update cannot be applied; carries the problem."""

    def __init__(self, code: str, at: Place, **params: object) -> None:
        self.problem = problem_at(code, at, **params)
        super().__init__(code)


def apply(update: nodes.Update, item: Item | None, key: Item) -> Item | Problem:
    """The item after the update, or why DynamoDB would refuse it; ``item`` is left as it is.

    ``None`` is an item that does not exist: the update makes it, beginning with its ``key``.
    """
    before = key if item is None else item
    try:
        root = _Change()
        for action in update:
            if item is not None or not _is_remove_below(action):
                root.enter(action, _outcome(action, before))
        changed = _changed({"M": before}, root)
    except _Failed as failed:
        return failed.problem
    after: Item = changed["M"]
    return after


def _is_remove_below(action: nodes.Action) -> bool:
    """Removing below the top of an item that does not exist is no fault."""
    return isinstance(action, nodes.Remove) and len(action.path.steps) > 1


class _Change:
    """What happens at one place: its outcome (``None``: taken away), or changes below it."""

    __slots__ = ("action", "below", "outcome")

    def __init__(self) -> None:
        self.below: dict[Step, _Change] = {}
        self.action: nodes.Action | None = None
        self.outcome: TypedValue | None = None

    def enter(self, action: nodes.Action, outcome: TypedValue | None) -> None:
        """Note the outcome of an action at the end of its path; paths never overlap."""
        change = self
        for step in action.path.steps:
            change = change.below.setdefault(step, _Change())
        change.action, change.outcome = action, outcome

    def first(self) -> nodes.Action:
        """Any action at this place or below, to name it in a problem."""
        change = self
        while change.action is None:
            change = next(iter(change.below.values()))
        return change.action


def _changed(value: TypedValue, change: _Change) -> TypedValue:
    """The value with the changes below it; list indexes mean the places before the update."""
    if "M" in value and all(isinstance(step, str) for step in change.below):
        return {"M": _changed_members(value["M"], change)}
    if "L" in value and all(isinstance(step, int) for step in change.below):
        return {"L": _changed_elements(value["L"], change)}
    raise _absent(change)


def _absent(change: _Change) -> _Failed:
    path = change.first().path
    return _Failed("place-absent", path.at, path=path.text)


def _changed_members(members: Mapping[str, TypedValue], change: _Change) -> Item:
    after = dict(members)
    for step, below in change.below.items():
        outcome = _outcome_at(members.get(str(step)), below)
        if outcome is None:
            after.pop(str(step), None)
        else:
            after[str(step)] = outcome
    return after


def _changed_elements(elements: list[TypedValue], change: _Change) -> list[TypedValue]:
    """A list after its changes: elements removed, replaced, and appended in index order."""
    below = {int(step): inner for step, inner in change.below.items()}
    after = [
        _outcome_at(element, below[index]) if index in below else element
        for index, element in enumerate(elements)
    ]
    beyond = sorted(index for index in below if index >= len(elements))
    after.extend(_outcome_at(None, below[index]) for index in beyond)
    return [element for element in after if element is not None]


def _outcome_at(value: TypedValue | None, change: _Change) -> TypedValue | None:
    """What stands at a place afterwards; ``None`` when nothing does."""
    if change.action is not None:
        return change.outcome
    if value is None:
        raise _absent(change)
    return _changed(value, change)


def _outcome(action: nodes.Action, item: Item) -> TypedValue | None:
    """The value that an action leaves at its path; ``None`` when it leaves none."""
    match action:
        case nodes.Set():
            return _assigned(action.to, item)
        case nodes.Remove():
            return None
        case nodes.Add():
            return _added(action, read_at(item, action.path))
        case nodes.Delete():
            return _deleted(action, read_at(item, action.path))


def _assigned(node: nodes.Assigned, item: Item) -> TypedValue:
    match node:
        case nodes.Literal():
            return node.value.wire
        case Path():
            value = read_at(item, node)
            if value is None:
                raise _Failed("attribute-absent", node.at, path=node.text)
            return value
        case nodes.IfNotExists():
            value = read_at(item, node.path)
            return _assigned(node.otherwise, item) if value is None else value
        case nodes.ListAppend():
            first, second = (
                _of_type(part, "L", "list_append", item) for part in (node.first, node.second)
            )
            return {"L": [*first["L"], *second["L"]]}
        case nodes.Arithmetic():
            sign = "+" if node.op == "plus" else "-"
            left, right = (_of_type(part, "N", sign, item) for part in (node.left, node.right))
            return _sum(left, right, sign, node.at)


def _of_type(node: nodes.Assigned, tag: str, operator: str, item: Item) -> TypedValue:
    """The value of an operand, which must have one type."""
    value = _assigned(node, item)
    if tag in value:
        return value
    given = tag_of(value)
    if isinstance(node, Path):
        raise _Failed("stored-type", node.at, operator=operator, tag=given, path=node.text)
    raise _Failed("result-type", node.at, operator=operator, tag=given, expected=tag)


_EXACT = Context(prec=NUMBER_DIGITS, Emin=-999, Emax=999, traps=[Inexact])


def _sum(left: TypedValue, right: TypedValue, sign: str, at: Place) -> TypedValue:
    """An exact sum or difference; DynamoDB refuses one that needs more than 38 digits."""
    one, other = number_of(left["N"]), number_of(right["N"])
    try:
        result = _EXACT.add(one, other) if sign == "+" else _EXACT.subtract(one, other)
    except Inexact:
        raise _Failed("result-unfit", at) from None
    number = numbers.read(format(result, "f"))
    if not isinstance(number, numbers.Number):
        raise _Failed("result-unfit", at)
    return {"N": number.text}


def _added(action: nodes.Add, stored: TypedValue | None) -> TypedValue:
    given = action.value.value.wire
    tag = tag_of(given)
    if stored is None:
        return given
    if tag not in stored:
        raise _mismatch("ADD", action.path, stored)
    if tag == "N":
        return _sum(stored, given, "+", action.at)
    present = members_of(stored)
    new = [member for member in given[tag] if _member_key(tag, member) not in present]
    return {tag: [*stored[tag], *new]}


def _deleted(action: nodes.Delete, stored: TypedValue | None) -> TypedValue | None:
    given = action.value.value.wire
    tag = tag_of(given)
    if stored is None:
        return None
    if tag not in stored:
        raise _mismatch("DELETE", action.path, stored)
    gone = members_of(given)
    left = [member for member in stored[tag] if _member_key(tag, member) not in gone]
    return {tag: left} if left else None


def _member_key(tag: str, member: str) -> object:
    return order_of({MEMBER_TAGS[tag]: member})


def _mismatch(operator: str, path: Path, stored: TypedValue) -> _Failed:
    return _Failed("stored-type", path.at, operator=operator, tag=tag_of(stored), path=path.text)
