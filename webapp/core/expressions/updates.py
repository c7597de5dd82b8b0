"""What DynamoDB would refuse in an update or a projection.

Rule: no two paths of an update or projection may touch one place, no key attribute changes, and
every operand has a type the operator takes, as far as the request itself tells.
Source: Amazon DynamoDB Developer Guide, "Update expressions" and "Projection expressions".
"""

from __future__ import annotations

from collections.abc import Iterable

from webapp.core.expressions import nodes
from webapp.core.expressions.checks import check_count, check_type, refuse_type
from webapp.core.expressions.operators import OPERATORS, Slot
from webapp.core.expressions.paths import Path, find_clashes
from webapp.core.expressions.places import Findings
from webapp.core.problems import Text, register

register(
    {
        "update-empty": Text("The update does nothing.", "Add a SET, REMOVE, ADD or DELETE."),
        "update-key": Text(
            "“{name}” is part of the item's key and cannot be changed.",
            "To move an item, delete it and put a new one, in one transaction.",
        ),
        "arithmetic-nested": Text(
            "A + or − stands inside another operator or function.",
            "DynamoDB allows one + or − for each SET, outside of functions: f(x) + f(y), "
            "not f(x + y) and not x + y + z.",
        ),
        "append-nested": Text(
            "list_append cannot stand inside list_append.",
            "Append in two updates, or put the members into one list.",
        ),
        "update-nested": Text(
            "{verb} is documented for top-level attributes only; “{path}” is nested.",
            "Use SET, with + for numbers; or try it on your table first.",
        ),
        "projection-twice": Text(
            "“{path}” stands twice and was taken once.", "Remove one of them."
        ),
    }
)


def check_update(update: nodes.Update, key_names: Iterable[str], findings: Findings) -> None:
    """Check an update: key attributes, overlapping paths, operand types, nesting, counts."""
    if not update:
        findings.refuse("update-empty", None)
    keys = frozenset(key_names)
    for action in update:
        if action.path.attribute in keys:
            findings.refuse("update-key", action.path.at, name=action.path.attribute)
        _check_action(action, findings)
    check_paths((action.path for action in update), findings)
    count = sum(_operators_in(action.to) for action in update if isinstance(action, nodes.Set))
    check_count(count, update[0].at if update else None, findings)


def check_paths(paths: Iterable[Path], findings: Findings) -> None:
    """Refuse paths that overlap or conflict."""
    for code, path, earlier in find_clashes(paths):
        findings.refuse(code, path.at, one=earlier.text, other=path.text)


def _check_action(action: nodes.Action, findings: Findings) -> None:
    match action:
        case nodes.Set():
            _check_assigned(action.to, (), findings)
        case nodes.Add() | nodes.Delete():
            verb = nodes.VERB_OF[type(action)]
            check_type(action.value, verb, OPERATORS[verb].slots[1].types, findings)
            if len(action.path.steps) > 1:
                token = OPERATORS[verb].token
                findings.warn("update-nested", action.at, verb=token, path=action.path.text)


def _check_assigned(node: nodes.Assigned, around: tuple[str, ...], findings: Findings) -> None:
    """Check what SET assigns; ``around`` are the operators it stands in, innermost last."""
    match node:
        case nodes.Arithmetic(op=op, left=left, right=right):
            if around:
                findings.refuse("arithmetic-nested", node.at)
            _check_parts(op, (left, right), around, findings)
        case nodes.ListAppend(first=first, second=second):
            if "list_append" in around:
                findings.refuse("append-nested", node.at)
            _check_parts("list_append", (first, second), around, findings)
        case nodes.IfNotExists(otherwise=otherwise):
            _check_assigned(otherwise, (*around, "if_not_exists"), findings)
        case _:
            pass


def _check_parts(
    op: str,
    parts: tuple[nodes.Assigned, nodes.Assigned],
    around: tuple[str, ...],
    findings: Findings,
) -> None:
    for slot, part in zip(OPERATORS[op].slots, parts, strict=True):
        _check_yield(part, op, slot, findings)
        _check_assigned(part, (*around, op), findings)


def _check_yield(node: nodes.Assigned, op: str, slot: Slot, findings: Findings) -> None:
    """Refuse an operand that cannot yield the types of the slot, as far as the request tells."""
    match node:
        case nodes.Literal():
            check_type(node, op, slot.types, findings)
        case nodes.ListAppend() if "L" not in slot.types:
            refuse_type("L", op, slot.types, node.at, findings)
        case nodes.Arithmetic() if "N" not in slot.types:
            refuse_type("N", op, slot.types, node.at, findings)
        case nodes.IfNotExists(otherwise=otherwise):
            _check_yield(otherwise, op, slot, findings)
        case _:
            pass


def _operators_in(node: nodes.Assigned) -> int:
    match node:
        case nodes.Arithmetic(left=one, right=other) | nodes.ListAppend(first=one, second=other):
            return 1 + _operators_in(one) + _operators_in(other)
        case nodes.IfNotExists(otherwise=otherwise):
            return 1 + _operators_in(otherwise)
        case _:
            return 0


def distinct_paths(projection: nodes.Projection, findings: Findings) -> nodes.Projection:
    """Take every path of a projection once, with a warning for each that stood twice."""
    seen: dict[Path, Path] = {}
    for path in projection:
        if path in seen:
            findings.warn("projection-twice", path.at, path=path.text)
        seen.setdefault(path, path)
    return tuple(seen.values())
