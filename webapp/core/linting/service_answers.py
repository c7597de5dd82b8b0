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

from webapp.core.linting import service_texts as texts
from webapp.core.linting.spots import Spot
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


_SERIALIZED = Row(Stage.SERIALIZATION)
_VALUE = Row(Stage.ACTION)
_SYNTAX = Row(Stage.ACTION, texts.syntax)

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
    "transaction-empty": Row(Stage.MEMBERS, texts.length),
    "actions-too-many": Row(Stage.MEMBERS, texts.length),
    "token-length": Row(Stage.MEMBERS, texts.token),
    "member-choice": Row(Stage.MEMBERS, texts.choice),
    "member-missing": Row(Stage.MEMBERS, texts.missing),
    "update-missing": Row(Stage.MEMBERS),
    "table-name": Row(Stage.MEMBERS),
    # Each action: what it holds.
    "action-missing": _VALUE,
    "action-several": _VALUE,
    "value-tags": Row(Stage.ACTION, texts.tags),
    "value-tag-unknown": Row(
        Stage.ACTION,
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    "number-malformed": Row(Stage.ACTION, texts.not_numeric),
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
    "null-expected": Row(Stage.ACTION, texts.null),
    "set-empty": Row(Stage.ACTION, lambda spot, _: texts.EMPTY_SETS.get(spot.tokens[-1], "")),
    "set-duplicate": Row(Stage.ACTION, texts.duplicate),
    "value-too-deep": Row(Stage.ACTION, texts.NESTED),
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
    "text-too-long": Row(Stage.ACTION, texts.too_long),
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
    "operand-type": Row(Stage.ACTION, texts.operand_type),
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
    "paths-overlap": Row(Stage.ACTION, texts.paths("overlap")),
    "paths-conflict": Row(Stage.ACTION, texts.paths("conflict")),
    # All actions together.
    "item-twice": Row(
        Stage.TOGETHER, "Transaction request cannot include multiple operations on one item"
    ),
    "item-size": Row(Stage.TOGETHER, "Item size has exceeded the maximum allowed size"),
    "transaction-size": Row(Stage.TOGETHER),
    # Keys.
    "key-operand-empty": Row(Stage.KEYS, texts.key_empty),
    "key-operand-kind": Row(Stage.REASONS, texts.key_kind),
    "key-operand-type": Row(Stage.REASONS, texts.key_type),
    "key-operand-long": Row(Stage.REASONS, texts.key_long),
    "key-count": Row(Stage.REASONS, texts.MISMATCH),
    "key-names": Row(Stage.REASONS, texts.MISMATCH),
    "keys-differ": Row(Stage.REASONS, texts.MISMATCH),
    "item-without-key": Row(Stage.REASONS, texts.INVALID + "Missing the key {name} in the item"),
    "index-key-type": Row(
        Stage.REASONS,
        texts.INVALID + "Type mismatch for Index Key {name} Expected: {expected} Actual: {tag}",
    ),
    "index-key-empty": Row(Stage.REASONS),
    "update-key": Row(
        Stage.REASONS,
        texts.INVALID + "Cannot update attribute {name}. This attribute is part of the key",
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
