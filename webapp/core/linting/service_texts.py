"""Texts of DynamoDB that depend on what stands at the fault.

Rule: a text is the service's own, to the letter, its slips of grammar and spacing too; "" where it
is not known. The reason: people search for the text they were given.
Source: the conformance tests of paritysuite/dynamodb-conformance and of mhart/dynalite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from webapp.core.expressions.places import Findings, TextProblem
from webapp.core.expressions.tokens import read_tokens
from webapp.core.linting.spots import Spot
from webapp.core.problems import Problem

MISMATCH: Final = "The provided key element does not match the schema"
INVALID: Final = "One or more parameter values were invalid: "
NESTED: Final = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
EMPTY_SETS: Final = {
    "SS": INVALID + "An string set  may not be empty",
    "NS": INVALID + "An number set  may not be empty",
    "BS": INVALID + "Binary sets should not be empty",
}
_TAG_NAMES: Final = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "SS": "STRING SET",
    "NS": "NUMBER SET",
    "BS": "BINARY SET",
    "M": "MAP",
    "L": "LIST",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
}


def duplicate(spot: Spot, problem: Problem) -> str:
    """A set that names a member twice."""
    members = ", ".join(map(str, spot.around)) if isinstance(spot.around, list) else ""
    match spot.tokens[-2:]:
        case ("SS", _):
            return f"{INVALID}Input collection [{members}] contains duplicates."
        case ("BS", _):
            return f"{INVALID}Input collection [{members}]of type BS contains duplicates."
        case _:
            return "Input collection contains duplicates"


def not_numeric(spot: Spot, problem: Problem) -> str:
    """A text that is no number."""
    said = "The parameter cannot be converted to a numeric value"
    return f"{said}: {spot.value}" if spot.value else said


def null(spot: Spot, problem: Problem) -> str:
    """A NULL that is not true."""
    return f"{INVALID}Null attribute value types must have the value of true"


def tags(spot: Spot, problem: Problem) -> str:
    """A value with no type, or with several."""
    several = bool(spot.value)
    state = "has more than one datatypes set" if several else "is empty"
    return f"Supplied AttributeValue {state}, must contain exactly one of the supported datatypes"


def syntax(spot: Spot, problem: Problem) -> str:
    """The text around the fault: the token before it, the token itself and the one after it."""
    if not isinstance(problem, TextProblem):
        return ""
    span = problem.span
    tokens = read_tokens(span.text, "", Findings([], [])) or []
    number = next((n for n, token in enumerate(tokens) if token.start >= span.start), -1)
    token = tokens[number].text or "<EOF>"
    near = tokens[max(0, number - 1)].start, tokens[min(len(tokens) - 1, number + 1)].end
    return f'Syntax error; token: "{token}", near: "{span.text[slice(*near)].strip()}"'


def operand_type(spot: Spot, problem: Problem) -> str:
    """An operand of a type that the operator does not take."""
    operator, tag = problem.params["operator"], str(problem.params["tag"])
    begins = "Incorrect operand type for operator or function; operator"
    if operator in {"ADD", "DELETE"}:
        named = _TAG_NAMES[tag]
        return f"{begins}: {operator}, operand type: {named}, typeSet: ALLOWED_FOR_ADD_OPERAND"
    return f"{begins} or function: {operator}, operand type: {tag}"


def _steps(path: object) -> str:
    return str(path).replace("[", ".[")


def paths(what: str) -> Callable[[Spot, Problem], str]:
    """Two paths of one update that ``what`` with each other."""

    def text(spot: Spot, problem: Problem) -> str:
        one, other = (
            ", ".join(_steps(problem.params[name]).split(".")) for name in ("one", "other")
        )
        return (
            f"Two document paths {what} with each other; must remove or rewrite one of these "
            f"paths; path one: [{one}], path two: [{other}]"
        )

    return text


def key_type(spot: Spot, problem: Problem) -> str:
    """A key value of another type than the table's key."""
    if spot.member == "Key":
        return MISMATCH
    expected, tag = problem.params.get("expected", "S"), problem.params["tag"]
    return f"{INVALID}Type mismatch for key {spot.tokens[-1]} expected: {expected} actual: {tag}"


def key_kind(spot: Spot, problem: Problem) -> str:
    """A key value of a type that no key has."""
    return MISMATCH if spot.member == "Key" else ""


def key_empty(spot: Spot, problem: Problem) -> str:
    """A key value that is empty."""
    kind = "binary" if isinstance(spot.value, dict) and "B" in spot.value else "string"
    return (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        f"contain an empty {kind} value. Key: {spot.tokens[-1]}"
    )


def key_long(spot: Spot, problem: Problem) -> str:
    """A key value over its limit."""
    limit = problem.params["limit"]
    key = "hashkey" if limit == 2048 else "rangekey"
    return f"{INVALID}Size of {key} has exceeded the maximum size limit of{limit} bytes"


def too_long(spot: Spot, problem: Problem) -> str:
    """An expression over its limit."""
    begins = "Expression size has exceeded the maximum allowed size;"
    return (
        begins
        if spot.member == "UpdateExpression"
        else f"{begins} expression size: {problem.params['count']}"
    )


def choice(spot: Spot, problem: Problem) -> str:
    """A member that is none of its choices."""
    member = spot.tokens[-1][:1].lower() + spot.tokens[-1][1:]
    if spot.slot is not None:
        return ""
    return (
        f"1 validation error detected: Value '{spot.value}' at '{member}' failed to satisfy "
        f"constraint: Member must satisfy enum value set: [{problem.params['expected']}]"
    )


def missing(spot: Spot, problem: Problem) -> str:
    """A member that is not there."""
    if spot.slot is not None:
        return ""
    return (
        "1 validation error detected: Value null at 'transactItems' failed to satisfy constraint: "
        "Member must not be null"
    )


def length(spot: Spot, problem: Problem) -> str:
    """A list of actions that is empty or too long."""
    given, member, bound = ("Value '[]'", "transactItems", "greater than or equal to 1")
    if spot.value:
        given, member, bound = ("Value", "TransactItems", "less than or equal to 100")
    return (
        f"1 validation error detected: {given} at '{member}' failed to satisfy constraint: "
        f"Member must have length {bound}"
    )


def token(spot: Spot, problem: Problem) -> str:
    """A token that is empty or too long."""
    bound = "less than or equal to 36" if spot.value else "greater than or equal to 1"
    return (
        "1 validation error detected: Value at 'ClientRequestToken' failed to satisfy constraint: "
        f"Member must have length {bound}"
    )
