"""What DynamoDB itself would say of each problem, and in which order it would say it.

Rule: one table from a problem's code to the service's answer: the stage at which it comes, its
error type, and its text where that is known. The order: what an SDK refuses before sending; what is
no JSON of the right types; the members of the request; then each action in turn, its values and
expressions; then all actions together (one item twice, sizes); empty keys; and what only appears as
the reason of a cancelled transaction. The reason: people search for the text they were given, and
correct first what they would be told first.
Sources: API reference, TransactWriteItems, "Errors"; texts and order as answered by the service to
the conformance tests of paritysuite/dynamodb-conformance and of mhart/dynalite. A text differs in
parts between Regions; types and slots do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, NamedTuple

from webapp.core.expressions.places import Findings, TextProblem
from webapp.core.expressions.tokens import read_tokens
from webapp.core.problems import Problem


class Stage(IntEnum):
    """When an answer comes; the earlier stage hides the later ones."""

    CLIENT = 0
    SERIALIZATION = 1
    MEMBERS = 2
    ACTION = 3
    TOGETHER = 4
    KEYS = 5
    REASONS = 6


_TYPES: Final[Mapping[Stage, str]] = {
    Stage.SERIALIZATION: "SerializationException",
    Stage.REASONS: "TransactionCanceledException",
}
VALIDATION: Final = "ValidationException"


class Spot(NamedTuple):
    """Where a problem stands in the request: slot, kind and member of the action, and its value."""

    slot: int | None
    member: str
    tokens: tuple[str, ...]
    value: object
    around: object


class Row(NamedTuple):
    """One row: the stage, and the text, as a template or a function of the problem's spot."""

    stage: Stage
    text: str | Callable[[Spot, Problem], str] = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The service's own answer: error type, text ("" where it is not known), slot of a reason."""

    type: str
    text: str
    slot: int | None

    def as_document(self) -> dict[str, Any]:
        """The answer as JSON; a reason names its code and the slot it stands at."""
        document = {"type": self.type, "text": self.text or None, "slot": self.slot}
        return document if self.slot is None else document | {"reason": "ValidationError"}


_INVALID = "One or more parameter values were invalid: "
_NESTED = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
_EMPTY_SETS: Final = {
    "SS": _INVALID + "An string set  may not be empty",
    "NS": _INVALID + "An number set  may not be empty",
    "BS": _INVALID + "Binary sets should not be empty",
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


def _duplicate(spot: Spot, problem: Problem) -> str:
    members = ", ".join(map(str, spot.around)) if isinstance(spot.around, list) else ""
    match spot.tokens[-2:]:
        case ("SS", _):
            return f"{_INVALID}Input collection [{members}] contains duplicates."
        case ("BS", _):
            return f"{_INVALID}Input collection [{members}]of type BS contains duplicates."
        case _:
            return "Input collection contains duplicates"


def _not_numeric(spot: Spot, problem: Problem) -> str:
    said = "The parameter cannot be converted to a numeric value"
    return f"{said}: {spot.value}" if spot.value else said


def _null(spot: Spot, problem: Problem) -> str:
    return f"{_INVALID}Null attribute value types must have the value of true"


def _tags(spot: Spot, problem: Problem) -> str:
    several = bool(spot.value)
    state = "has more than one datatypes set" if several else "is empty"
    return f"Supplied AttributeValue {state}, must contain exactly one of the supported datatypes"


def _syntax(spot: Spot, problem: Problem) -> str:
    """The text around the fault: the token before it, the token itself and the one after it."""
    if not isinstance(problem, TextProblem):
        return ""
    span = problem.span
    tokens = read_tokens(span.text, "", Findings([], [])) or []
    number = next((n for n, token in enumerate(tokens) if token.start >= span.start), -1)
    token = tokens[number].text or "<EOF>"
    near = tokens[max(0, number - 1)].start, tokens[min(len(tokens) - 1, number + 1)].end
    return f'Syntax error; token: "{token}", near: "{span.text[slice(*near)].strip()}"'


def _operand_type(spot: Spot, problem: Problem) -> str:
    operator, tag = problem.params["operator"], str(problem.params["tag"])
    begins = "Incorrect operand type for operator or function; operator"
    if operator in {"ADD", "DELETE"}:
        named = _TAG_NAMES[tag]
        return f"{begins}: {operator}, operand type: {named}, typeSet: ALLOWED_FOR_ADD_OPERAND"
    return f"{begins} or function: {operator}, operand type: {tag}"


def _steps(path: object) -> str:
    return str(path).replace("[", ".[")


def _paths(what: str) -> Callable[[Spot, Problem], str]:
    def text(spot: Spot, problem: Problem) -> str:
        one, other = (
            ", ".join(_steps(problem.params[name]).split(".")) for name in ("one", "other")
        )
        return (
            f"Two document paths {what} with each other; must remove or rewrite one of these "
            f"paths; path one: [{one}], path two: [{other}]"
        )

    return text


def _key_type(spot: Spot, problem: Problem) -> str:
    if spot.member == "Key":
        return MISMATCH
    expected, tag = problem.params.get("expected", "S"), problem.params["tag"]
    return f"{_INVALID}Type mismatch for key {spot.tokens[-1]} expected: {expected} actual: {tag}"


def _key_kind(spot: Spot, problem: Problem) -> str:
    return MISMATCH if spot.member == "Key" else ""


def _key_empty(spot: Spot, problem: Problem) -> str:
    kind = "binary" if isinstance(spot.value, dict) and "B" in spot.value else "string"
    return (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        f"contain an empty {kind} value. Key: {spot.tokens[-1]}"
    )


def _key_long(spot: Spot, problem: Problem) -> str:
    limit = problem.params["limit"]
    key = "hashkey" if limit == 2048 else "rangekey"
    return f"{_INVALID}Size of {key} has exceeded the maximum size limit of{limit} bytes"


def _too_long(spot: Spot, problem: Problem) -> str:
    begins = "Expression size has exceeded the maximum allowed size;"
    return (
        begins
        if spot.member == "UpdateExpression"
        else f"{begins} expression size: {problem.params['count']}"
    )


def _choice(spot: Spot, problem: Problem) -> str:
    member = spot.tokens[-1][:1].lower() + spot.tokens[-1][1:]
    if spot.slot is not None:
        return ""
    return (
        f"1 validation error detected: Value '{spot.value}' at '{member}' failed to satisfy "
        f"constraint: Member must satisfy enum value set: [{problem.params['expected']}]"
    )


def _missing(spot: Spot, problem: Problem) -> str:
    if spot.slot is not None:
        return ""
    return (
        "1 validation error detected: Value null at 'transactItems' failed to satisfy constraint: "
        "Member must not be null"
    )


def _length(spot: Spot, problem: Problem) -> str:
    given, member, bound = ("Value '[]'", "transactItems", "greater than or equal to 1")
    if spot.value:
        given, member, bound = ("Value", "TransactItems", "less than or equal to 100")
    return (
        f"1 validation error detected: {given} at '{member}' failed to satisfy constraint: "
        f"Member must have length {bound}"
    )


def _token(spot: Spot, problem: Problem) -> str:
    bound = "less than or equal to 36" if spot.value else "greater than or equal to 1"
    return (
        "1 validation error detected: Value at 'ClientRequestToken' failed to satisfy constraint: "
        f"Member must have length {bound}"
    )


MISMATCH: Final = "The provided key element does not match the schema"
_SERIALIZED = Row(Stage.SERIALIZATION)
_VALUE = Row(Stage.ACTION)
_SYNTAX = Row(Stage.ACTION, _syntax)

ROWS: Final[Mapping[str, Row]] = {
    # What the service itself skips, and SDKs refuse.
    "parameter-unknown": Row(Stage.CLIENT),
    "parameter-legacy": Row(Stage.CLIENT),
    "index-target": Row(Stage.CLIENT),
    "return-values": Row(Stage.CLIENT),
    "member-null": Row(Stage.CLIENT),
    "not-utf8": Row(Stage.CLIENT),
    "too-many-problems": Row(Stage.REASONS),
    # JSON of a wrong type.
    "member-type": _SERIALIZED,
    "value-untyped": _SERIALIZED,
    "string-expected": _SERIALIZED,
    "number-not-text": Row(Stage.SERIALIZATION, "NUMBER_VALUE cannot be converted to String"),
    "binary-malformed": _SERIALIZED,
    "bool-expected": _SERIALIZED,
    "list-expected": _SERIALIZED,
    "map-expected": _SERIALIZED,
    "names-expected": _SERIALIZED,
    "values-expected": _SERIALIZED,
    "expression-text": _SERIALIZED,
    # The members of the request.
    "transaction-empty": Row(Stage.MEMBERS, _length),
    "actions-too-many": Row(Stage.MEMBERS, _length),
    "token-length": Row(Stage.MEMBERS, _token),
    "member-choice": Row(Stage.MEMBERS, _choice),
    "member-missing": Row(Stage.MEMBERS, _missing),
    "update-missing": Row(Stage.MEMBERS),
    "table-name": Row(Stage.MEMBERS),
    # Each action: what it holds.
    "action-missing": _VALUE,
    "action-several": _VALUE,
    "value-tags": Row(Stage.ACTION, _tags),
    "value-tag-unknown": Row(
        Stage.ACTION,
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    "number-malformed": Row(Stage.ACTION, _not_numeric),
    "number-too-precise": Row(
        Stage.ACTION, "Attempting to store more than 38 significant digits in a Number"
    ),
    "number-too-large": Row(
        Stage.ACTION,
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    ),
    "number-too-small": Row(
        Stage.ACTION,
        "Number underflow. Attempting to store a number with magnitude smaller than supported "
        "range",
    ),
    "null-expected": Row(Stage.ACTION, _null),
    "set-empty": Row(Stage.ACTION, lambda spot, _: _EMPTY_SETS.get(spot.tokens[-1], "")),
    "set-duplicate": Row(Stage.ACTION, _duplicate),
    "value-too-deep": Row(Stage.ACTION, _NESTED),
    "attribute-name-empty": Row(Stage.ACTION, "Empty attribute name"),
    "attribute-name-long": _VALUE,
    # Each action: its placeholders.
    "map-empty": Row(Stage.ACTION, "{name} must not be empty"),
    "placeholder-malformed": Row(
        Stage.ACTION,
        lambda spot, _: (
            f'{spot.member} contains invalid key: Syntax error; key: "{spot.tokens[-1]}"'
        ),
    ),
    "name-unused": Row(
        Stage.ACTION,
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {{{name}}}",
    ),
    "value-unused": Row(
        Stage.ACTION,
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {{{name}}}",
    ),
    "names-without-expression": Row(
        Stage.ACTION, "ExpressionAttributeNames can only be specified when using expressions"
    ),
    "values-without-expression": Row(
        Stage.ACTION,
        "ExpressionAttributeValues can only be specified when using expressions: "
        "ConditionExpression is null",
    ),
    # Each action: its expressions.
    "expression-empty": Row(Stage.ACTION, "The expression can not be empty;"),
    "text-too-long": Row(Stage.ACTION, _too_long),
    "expression-too-deep": _VALUE,
    "syntax": _SYNTAX,
    "syntax-end": _SYNTAX,
    "syntax-not-equal": _SYNTAX,
    "syntax-equal": _SYNTAX,
    "syntax-quote": _SYNTAX,
    "syntax-number": _SYNTAX,
    "syntax-underscore": _SYNTAX,
    "syntax-logic": _SYNTAX,
    "syntax-placeholder": _SYNTAX,
    "name-undefined": Row(
        Stage.ACTION,
        "An expression attribute name used in the document path is not defined; "
        "attribute name: {name}",
    ),
    "value-undefined": Row(
        Stage.ACTION,
        "An expression attribute value used in expression is not defined; attribute value: {name}",
    ),
    "name-reserved": Row(
        Stage.ACTION, "Attribute name is a reserved keyword; reserved keyword: {name}"
    ),
    "parentheses-redundant": Row(Stage.ACTION, "The expression has redundant parentheses;"),
    "function-unknown": Row(Stage.ACTION, "Invalid function name; function: {name}"),
    "function-spelling": Row(Stage.ACTION, "Invalid function name; function: {name}"),
    "function-misplaced": _VALUE,
    "function-arity": Row(
        Stage.ACTION,
        "Incorrect number of operands for operator or function; operator or function: {name}, "
        "number of operands: {count}",
    ),
    "function-needs-path": Row(
        Stage.ACTION,
        "Operator or function requires a document path; operator or function: {name}",
    ),
    "type-not-literal": _VALUE,
    "type-name": _VALUE,
    "operand-type": Row(Stage.ACTION, _operand_type),
    "operands-same": Row(
        Stage.ACTION,
        "The first operand must be distinct from the remaining operands for this operator or "
        "function; operator: {operator}, first operand: [{path}]",
    ),
    "between-types": _VALUE,
    "between-order": Row(
        Stage.ACTION,
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {{{tag}:{low}}}, "
        "upper bound operand: AttributeValue: {{{tag}:{high}}}",
    ),
    "in-too-many": _VALUE,
    "operators-too-many": _VALUE,
    "path-too-deep": _VALUE,
    "verb-twice": Row(
        Stage.ACTION, 'The "{verb}" section can only be used once in an update expression;'
    ),
    "update-empty": Row(Stage.ACTION, "The expression can not be empty;"),
    "arithmetic-nested": _VALUE,
    "append-nested": _VALUE,
    "paths-overlap": Row(Stage.ACTION, _paths("overlap")),
    "paths-conflict": Row(Stage.ACTION, _paths("conflict")),
    # All actions together.
    "item-twice": Row(
        Stage.TOGETHER, "Transaction request cannot include multiple operations on one item"
    ),
    "item-size": Row(Stage.TOGETHER, "Item size has exceeded the maximum allowed size"),
    "transaction-size": Row(Stage.TOGETHER),
    # Keys.
    "key-operand-empty": Row(Stage.KEYS, _key_empty),
    "key-operand-kind": Row(Stage.REASONS, _key_kind),
    "key-operand-type": Row(Stage.REASONS, _key_type),
    "key-operand-long": Row(Stage.REASONS, _key_long),
    "key-count": Row(Stage.REASONS, MISMATCH),
    "key-names": Row(Stage.REASONS, MISMATCH),
    "keys-differ": Row(Stage.REASONS, MISMATCH),
    "item-without-key": Row(Stage.REASONS, _INVALID + "Missing the key {name} in the item"),
    "index-key-type": Row(
        Stage.REASONS,
        _INVALID + "Type mismatch for Index Key {name} Expected: {expected} Actual: {tag}",
    ),
    "index-key-empty": Row(Stage.REASONS),
    "update-key": Row(
        Stage.REASONS,
        _INVALID + "Cannot update attribute {name}. This attribute is part of the key",
    ),
}

_EXPRESSIONS: Final = ("ConditionExpression", "UpdateExpression")
_VALUES: Final = "ExpressionAttributeValues"
_UNWRAPPED: Final = frozenset(
    {"map-empty", "placeholder-malformed", "value-unused", "values-without-expression"}
)
_MEMBER_RANKS: Final[Sequence[str]] = (
    "Item",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ConditionExpression",
    "UpdateExpression",
    "Key",
)
_TOGETHER_RANKS: Final[Sequence[str]] = ("item-twice", "item-size", "transaction-size")
_REQUEST_RANKS: Final[Sequence[str]] = (
    "ClientRequestToken",
    "ReturnConsumedCapacity",
    "ReturnItemCollectionMetrics",
)


def answer_to(problem: Problem, spot: Spot) -> Answer | None:
    """What the service would answer; ``None`` where an SDK refuses and the service would not."""
    row = ROWS[problem.code]
    if row.stage is Stage.CLIENT:
        return None
    slot = spot.slot if row.stage is Stage.REASONS else None
    return Answer(_TYPES.get(row.stage, VALIDATION), _text(row, problem, spot), slot)


def _text(row: Row, problem: Problem, spot: Spot) -> str:
    if callable(row.text):
        text = row.text(spot, problem)
    else:
        tag = next(iter(spot.value), "") if isinstance(spot.value, dict) else ""
        text = row.text.format_map({"tag": tag, **problem.params})
    if text and row.stage is Stage.ACTION and spot.member in _EXPRESSIONS:
        return f"Invalid {spot.member}: {text}"
    if text and spot.member == _VALUES and problem.code not in _UNWRAPPED:
        return f"{_VALUES} contains invalid value: {text} for key {spot.tokens[3]}"
    return text


def order_of_answer(problem: Problem, spot: Spot) -> tuple[int, int, int]:
    """Where a problem stands in the order of the service's answers: stage, slot, rank."""
    stage = ROWS[problem.code].stage
    slot = -1 if spot.slot is None else spot.slot
    match stage:
        case Stage.MEMBERS:
            return stage, slot, _rank(spot.tokens[-1] if spot.tokens else "", _REQUEST_RANKS)
        case Stage.ACTION:
            is_named = problem.code == "attribute-name-empty"
            return stage, slot, -1 if is_named else _rank(spot.member, _MEMBER_RANKS)
        case Stage.TOGETHER:
            return stage, _rank(problem.code, _TOGETHER_RANKS), slot
        case _:
            return stage, slot, 0


def _rank(name: str, ranked: Sequence[str]) -> int:
    return ranked.index(name) if name in ranked else len(ranked)


def spot_of(problem: Problem, items: str, document: object) -> Spot:
    """Find where a problem's path leads: ``items`` is the pointer to the list of actions."""
    tokens = _tokens(problem.path)
    outer = len(_tokens(items))
    inside = problem.path.startswith(items + "/") and tokens[outer].isdigit()
    own = tuple(tokens[outer:]) if inside else tuple(tokens)
    slot = int(own[0]) if inside else None
    member = own[2] if inside and len(own) > 2 else ""
    value, around = _resolved(document, tokens)
    return Spot(slot, member, own, value, around)


def _tokens(path: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in path.split("/")[1:]]


def _resolved(document: object, tokens: Sequence[str]) -> tuple[object, object]:
    """The value at a pointer, and what holds it; ``None`` where there is none."""
    value, around = document, None
    for token in tokens:
        around = value
        if isinstance(value, dict):
            value = value.get(token)
        elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            value = None
    return value, around
