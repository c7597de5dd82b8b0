"""What DynamoDB would refuse in a condition or filter, found before it is sent.

Rule: a check reads the tree and the table of operators, and notes every fault at the node's own
place; nothing is repaired silently. What DynamoDB accepts but hardly anybody means is a warning.
The reason: DynamoDB names the first fault only, and only after the request has been made.
Sources: Amazon DynamoDB Developer Guide, "Condition and filter expressions, operators, and
functions" and "Quotas"; the service's own error texts for what the guide leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping

from webapp.core.expressions import nodes
from webapp.core.expressions.comparison import is_before
from webapp.core.expressions.operators import OPERATORS, SETS
from webapp.core.expressions.paths import Path
from webapp.core.expressions.places import Findings, Place
from webapp.core.limits import IN_OPERANDS
from webapp.core.limits import OPERATORS as OPERATOR_LIMIT
from webapp.core.problems import Text, excerpt, register
from webapp.core.values import TAGS, Value

register(
    {
        "operand-type": Text(
            "{operator} takes {expected}, not the type {tag}.",
            "Change the type of the value, or choose another operator.",
        ),
        "operands-same": Text(
            "Both operands of {operator} are “{path}”; DynamoDB refuses that.",
            "Compare it with something else.",
        ),
        "between-types": Text(
            "The bounds of BETWEEN have different types: {low} and {high}.",
            "Give both bounds one type: all S, all N or all B.",
        ),
        "between-order": Text(
            "The lower bound of BETWEEN, {low}, is greater than the upper one, {high}.",
            "Exchange the bounds.",
        ),
        "in-empty": Text("IN needs at least one value.", "Give one, or remove the condition."),
        "in-too-many": Text(
            "IN has {count} values; DynamoDB allows {limit}.",
            "Split them over several conditions joined by OR; all operators together may be 300.",
        ),
        "type-name": Text(
            "“{given}” is no type name.", "Write S, N, B, BOOL, NULL, L, M, SS, NS or BS."
        ),
        "operators-too-many": Text(
            "The expression has {count} operators and functions; DynamoDB allows {limit}.",
            "Shorten it: use IN instead of many comparisons, or split the request.",
        ),
        "contains-set": Text(
            "contains looks for one member, and the operand is a whole set ({tag}).",
            "To look into a set, give one member, of type {member}. As it is, this finds only "
            "lists that hold this very set.",
        ),
        "never-equal": Text(
            "A size is a number and is never equal to a value of type {tag}.",
            "Compare it with a number (N).",
        ),
    }
)


def check_condition(condition: nodes.Condition, findings: Findings) -> None:
    """Check a condition or filter: operand types, bounds, counts."""
    count = 0
    for part in nodes.conditions_in(condition):
        if isinstance(part, nodes.Junction):
            count += len(part.args) - 1
        else:
            count += 1 + check_operands(part, findings)
    check_count(count, condition.at, findings)


def check_count(count: int, at: Place, findings: Findings) -> None:
    """Refuse more operators and functions than DynamoDB allows in one expression."""
    if count > OPERATOR_LIMIT:
        findings.refuse("operators-too-many", at, count=count, limit=OPERATOR_LIMIT)


def check_operands(part: nodes.Condition, findings: Findings) -> int:
    """Check one condition's operands; give the number of functions among them."""
    match part:
        case nodes.Comparison():
            return _check_comparison(part, findings)
        case nodes.Test():
            return _check_test(part, findings)
        case nodes.Between():
            _check_bounds(part, findings)
            return _check_types("between", nodes.operands_of(part), findings)
        case nodes.In():
            return _check_in(part, findings)
        case nodes.Junction() | nodes.Not():
            return 0


def _check_comparison(part: nodes.Comparison, findings: Findings) -> int:
    left, right, types = part.left, part.right, _TYPES[part.op][0]
    functions = 0 if isinstance(left, Path) else check_type(left, part.op, types, findings)
    if not isinstance(right, Path):
        functions += check_type(right, part.op, types, findings)
    elif left == right:
        findings.refuse("operands-same", part.at, operator=part.op, path=right.text)
    if functions:
        _check_measured(part, findings)
    return functions


_TYPES: Mapping[str, tuple[frozenset[str], ...]] = {
    op: tuple(slot.types for slot in row.slots) for op, row in OPERATORS.items()
}


def _check_types(op: str, operands: tuple[nodes.Operand, ...], findings: Findings) -> int:
    """Check operands against the slots of the operator's row; give the number of functions."""
    functions = 0
    for types, operand in zip(_TYPES[op], operands, strict=False):
        if not isinstance(operand, Path):
            functions += check_type(operand, op, types, findings)
    return functions


def check_type(operand: nodes.Operand, op: str, types: frozenset[str], findings: Findings) -> int:
    """Refuse a literal (or size) of a type the operator does not take; give 1 for a function."""
    if isinstance(operand, nodes.Literal):
        if operand.value.tag not in types:
            refuse_type(operand.value.tag, op, types, operand.at, findings)
    elif isinstance(operand, nodes.Size):
        if "N" not in types:
            refuse_type("N", op, types, operand.at, findings)
        check_type(operand.of, "size", _TYPES["size"][0], findings)
        return 1
    return 0


def refuse_type(tag: str, op: str, types: frozenset[str], at: Place, findings: Findings) -> None:
    """Note that an operand's type ``tag`` is none of those the operator takes."""
    expected = ", ".join(known for known in TAGS if known in types)
    findings.refuse("operand-type", at, operator=OPERATORS[op].token, expected=expected, tag=tag)


def _check_measured(part: nodes.Comparison, findings: Findings) -> None:
    for operand in (part.left, part.right):
        if isinstance(operand, nodes.Literal) and operand.value.tag != "N":
            findings.warn("never-equal", operand.at, tag=operand.value.tag)


def _check_bounds(part: nodes.Between, findings: Findings) -> None:
    """Check two literal bounds as DynamoDB does before it reads: one type, in order."""
    low, high = part.low, part.high
    if not isinstance(low, nodes.Literal) or not isinstance(high, nodes.Literal):
        return
    if low.value.tag != high.value.tag:
        findings.refuse("between-types", part.at, low=low.value.tag, high=high.value.tag)
        return
    if is_before(high.value.wire, low.value.wire):
        shown = {"low": _shown(low.value), "high": _shown(high.value)}
        findings.refuse("between-order", part.at, **shown)


def _shown(value: Value) -> str:
    return excerpt(str(value.content))


def _check_in(part: nodes.In, findings: Findings) -> int:
    if not part.values:
        findings.refuse("in-empty", part.at)
    elif len(part.values) > IN_OPERANDS:
        findings.refuse("in-too-many", part.at, count=len(part.values), limit=IN_OPERANDS)
    types = _TYPES["in"][1]
    return sum(check_type(operand, "in", types, findings) for operand in nodes.operands_of(part))


def _check_test(part: nodes.Test, findings: Findings) -> int:
    functions = _check_types(part.op, part.operands, findings)
    if len(part.operands) > 1:
        _check_second(part, part.operands[0], part.operands[1], findings)
    return functions


def _check_second(
    part: nodes.Test, first: nodes.Operand, second: nodes.Operand, findings: Findings
) -> None:
    """Check the second operand of a function against the first, and as a type or member."""
    if isinstance(second, Path):
        if first == second:
            findings.refuse("operands-same", part.at, operator=part.op, path=second.text)
        return
    if not isinstance(second, nodes.Literal):
        return
    tag, content = second.value.tag, second.value.content
    if part.op == "attribute_type" and tag == "S" and content not in TAGS:
        findings.refuse("type-name", second.at, given=excerpt(content))
    if part.op == "contains" and tag in SETS:
        findings.warn("contains-set", second.at, tag=tag, member=tag[0])
