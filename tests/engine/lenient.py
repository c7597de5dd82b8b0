"""What the local engine takes and DynamoDB refuses: every known case, one by one, with evidence.

A row is one fault as lint names it: its code, the member of the action it stands in, and what it is
about: the whole text of an expression, or an operator and the type of its operand. Each row has a
smallest request, and the test sends it: a row that is no difference any more fails.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]

CONDITION = "ConditionExpression"
UPDATE = "UpdateExpression"
NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"
BY_VALUE = "equal by value"
HALF = "\ud800"
"""A lone surrogate: half a character, which no UTF-8 text can hold."""

MODEL = "service model dynamodb/2012-08-10: the member's constraint"
API = "API reference, TransactWriteItem: exactly one of the four actions"
STRINGS = "Developer Guide, Data types: strings are Unicode in UTF-8"
QUOTAS = "Developer Guide, Quotas"
CONDITIONS = "Developer Guide, grammar of condition expressions"
UPDATES = "Developer Guide, grammar of update expressions"
FUNCTIONS = "Developer Guide, functions: operands and where they may stand"
CAPTURED = "paritysuite/dynamodb-conformance, captured from the service"
DYNALITE = "mhart/dynalite, its validation tests run against the service"


class Fault(NamedTuple):
    """A fault as lint names it: code, member of the action ("" outside), and what it is about."""

    code: str
    member: str
    about: str = ""


class Row(NamedTuple):
    """A fault that the engine takes: its evidence, and what makes a small request have it."""

    evidence: str
    change: Json


OVER_A_HUNDRED = f"a IN ({', '.join(f':v{number}' for number in range(101))})"
KEY: Json = {"PK": {"S": "lenient"}, "SK": {"S": "x"}}


def _value(value: Json) -> Json:
    """A value that is only compared: one that is stored is checked by the engine as well."""
    return {"Delete": {CONDITION: "a <> :v", VALUES: {":v": value}}}


def _item(value: Json) -> Json:
    return {"Put": {"Item": KEY | {"a": value}}}


def _of_version(number: str) -> Json:
    key = {"pk": {"S": "lenient"}, "version": {"N": number}}
    return {"Delete": {"TableName": "lint-numbers", "Key": key}}


OTHERS: Mapping[Fault, Row] = {
    Fault("action-missing", ""): Row(API, {"request": {"TransactItems": [{}]}}),
    Fault("action-several", ""): Row(API, {"Put": {"Item": KEY}, "Delete": {"Key": KEY}}),
    Fault("token-length", ""): Row(MODEL, {"token": "lenient" * 6}),
    Fault("member-choice", ""): Row(CAPTURED, {"request": {"ReturnConsumedCapacity": "ALL"}}),
    Fault("member-choice", "ReturnValuesOnConditionCheckFailure"): Row(
        MODEL, {"Delete": {"Key": KEY, "ReturnValuesOnConditionCheckFailure": "ALL"}}
    ),
    Fault("attribute-name-empty", "Item"): Row(CAPTURED, {"Put": {"Item": KEY | {"": {"S": "a"}}}}),
    Fault("attribute-name-empty", NAMES): Row(
        DYNALITE, {"Delete": {CONDITION: "attribute_not_exists(#n)", NAMES: {"#n": ""}}}
    ),
    Fault("attribute-name-empty", VALUES): Row(CAPTURED, _value({"M": {"": {"S": "a"}}})),
    Fault("names-without-expression", NAMES): Row(DYNALITE, {"Delete": {NAMES: {}}}),
    Fault("values-without-expression", VALUES): Row(DYNALITE, {"Delete": {VALUES: {}}}),
    Fault("item-twice", "", BY_VALUE): Row(
        "Developer Guide, Number: numbers are stored by their value",
        {"items": [_of_version("1"), _of_version("1.0")]},
    ),
    Fault("number-malformed", "Key"): Row(CAPTURED, {"items": [_of_version("x")]}),
    Fault("number-too-precise", "Key"): Row(QUOTAS, {"items": [_of_version("1" * 39)]}),
    Fault("number-too-large", "Key"): Row(CAPTURED, {"items": [_of_version("1e126")]}),
    Fault("number-too-small", "Key"): Row(CAPTURED, {"items": [_of_version("1e-131")]}),
    Fault("not-utf8", VALUES): Row(STRINGS, _value({"S": HALF})),
    Fault("not-utf8", NAMES): Row(
        STRINGS, {"Delete": {CONDITION: "attribute_not_exists(#n)", NAMES: {"#n": HALF}}}
    ),
    Fault("not-utf8", "Key"): Row(STRINGS, {"Delete": {"Key": KEY | {"SK": {"S": HALF}}}}),
    Fault("binary-malformed", "Key"): Row(
        MODEL, {"items": [{"Delete": {"TableName": "lint-binary", "Key": {"id": {"B": "***"}}}}]}
    ),
    Fault("binary-malformed", "Item"): Row(MODEL, _item({"B": "***"})),
    Fault("binary-malformed", VALUES): Row(MODEL, _value({"B": "***"})),
    Fault("number-malformed", VALUES): Row(CAPTURED, _value({"N": "x"})),
    Fault("number-too-precise", VALUES): Row(QUOTAS, _value({"N": "1" * 39})),
    Fault("number-too-large", VALUES): Row(CAPTURED, _value({"N": "1e126"})),
    Fault("number-too-small", VALUES): Row(CAPTURED, _value({"N": "1e-131"})),
    Fault("set-duplicate", VALUES): Row(CAPTURED, _value({"SS": ["a", "a"]})),
    Fault("set-empty", VALUES): Row(CAPTURED, _value({"SS": []})),
    Fault("null-expected", VALUES): Row(MODEL, _value({"NULL": False})),
    Fault("value-tags", VALUES): Row(CAPTURED, _value({})),
    Fault("key-operand-long", "Key"): Row(
        QUOTAS, {"Delete": {"Key": {"PK": {"S": "x" * 2049}, "SK": {"S": "x"}}}}
    ),
    Fault("map-empty", NAMES): Row(
        DYNALITE,
        {"Delete": {CONDITION: "attribute_not_exists(PK)", NAMES: {}}},
    ),
    Fault("map-empty", VALUES): Row(
        DYNALITE, {"Delete": {CONDITION: "attribute_not_exists(PK)", VALUES: {}}}
    ),
}

_TAKEN_CONDITIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    DYNALITE: (
        ("expression-empty", ""),
        ("expression-empty", " "),
        ("operands-same", "a = a"),
        ("function-spelling", "Begins_With(a, :v0)"),
        ("function-misplaced", "size(a)"),
        ("function-misplaced", "if_not_exists(a, :v0) = :v0"),
        ("type-not-literal", "attribute_type(a, b)"),
    ),
    CONDITIONS: (
        ("syntax-end", "a"),
        ("syntax-end", "a ="),
        ("syntax-end", "NOT"),
        ("syntax-end", "a BETWEEN :v0"),
        ("syntax-end", "a = :v0 OR"),
        ("syntax-equal", "= :v0"),
        ("syntax-equal", "a = = b"),
        ("syntax-equal", "a == :v0"),
        ("syntax-not-equal", "a != :v0"),
        ("syntax-quote", "a = 'x'"),
        ("syntax-quote", 'a = "x"'),
        ("syntax-number", "a = 5"),
        ("syntax-underscore", "_a = :v0"),
        ("syntax-logic", "a = :v0 AND a = :v0 &&"),
        ("syntax", "a AND b"),
        ("syntax", "a = :v0)"),
        ("syntax", "attribute_exists()"),
        ("syntax", "a IN ()"),
        ("syntax", "a..b = :v0"),
        ("syntax", "attribute_not_exists(PK) attribute_exists(a)"),
        ("syntax", "a,b = :v0"),
        ("syntax", "a = :v0;"),
        ("syntax", "a-b = :v0"),
    ),
}
_TAKEN_UPDATES: Mapping[str, tuple[tuple[str, str], ...]] = {
    UPDATES: (
        ("syntax-end", "SET"),
        ("syntax-end", "SET a"),
        ("syntax-end", "SET a = "),
        ("syntax-end", "SET a = :v0,"),
        ("syntax-end", "SET a = b +"),
        ("syntax-end", "SET a = (:v0"),
        ("syntax-end", "REMOVE"),
        ("syntax-end", "ADD a"),
        ("syntax-end", "DELETE a"),
        ("syntax-equal", "SET a == :v0"),
        ("syntax-equal", "ADD a = :v0"),
        ("syntax-number", "SET a = 5"),
        ("syntax", "REMOVE :v0"),
        ("syntax", "REMOVE a b"),
        ("syntax", "ADD a b"),
        ("syntax", "SET :v0 = a"),
        ("arithmetic-nested", "SET a = :v0 + :v0 + :v0"),
        ("arithmetic-nested", "SET a = if_not_exists(a, b + :v0)"),
    ),
    DYNALITE: (
        ("verb-twice", "SET a = :v0 SET b = :v0"),
        ("function-arity", "SET a = list_append(:v0)"),
        ("function-arity", "SET a = list_append(a, b, :v0)"),
        ("function-misplaced", "SET a = size(b)"),
        ("function-needs-path", "SET a = if_not_exists(:v0, :v0)"),
        ("paths-overlap", "SET a = :v0, a = :v0"),
        ("paths-overlap", "SET a.b = :v0, a = :v0"),
        ("paths-overlap", "REMOVE a, a"),
        ("paths-conflict", "SET a.b = :v0, a[0] = :v0"),
        ("append-nested", "SET a = list_append(list_append(a, :v0), :v0)"),
    ),
}
_EVERY_TYPE: Mapping[str, Json] = {
    "S": {"S": "a"},
    "N": {"N": "1"},
    "B": {"B": "AQ=="},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "L": {"L": []},
    "M": {"M": {}},
    "SS": {"SS": ["a"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["AQ=="]},
}
_UNORDERED = ("BOOL", "NULL", "L", "M", "SS", "NS", "BS")
_OPERANDS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "<": (CONDITION, "a < :x", _UNORDERED),
    "<=": (CONDITION, "a <= :x", _UNORDERED),
    ">": (CONDITION, "a > :x", _UNORDERED),
    ">=": (CONDITION, "a >= :x", _UNORDERED),
    "BETWEEN": (CONDITION, "a BETWEEN :x AND :x", _UNORDERED),
    "begins_with": (CONDITION, "begins_with(a, :x)", ("N", *_UNORDERED)),
    "attribute_type": (CONDITION, "attribute_type(a, :x)", ("N", "B", *_UNORDERED)),
    "+": (UPDATE, "SET a = b + :x", ("S", "B", *_UNORDERED)),
    "-": (UPDATE, "SET a = b - :x", ("S", "B", *_UNORDERED)),
    "list_append": (
        UPDATE,
        "SET a = list_append(:x, b)",
        ("S", "N", "B", *[tag for tag in _UNORDERED if tag != "L"]),
    ),
}
"""Operators with the types of operands that the engine takes and DynamoDB refuses."""

_COMPARED: tuple[tuple[str, str, Json], ...] = (
    ("type-name", "attribute_type(a, :x)", {":x": {"S": "TEXT"}}),
    ("in-too-many", OVER_A_HUNDRED, {f":v{n}": {"N": str(n)} for n in range(101)}),
    ("between-types", "a BETWEEN :l AND :h", {":l": {"S": "a"}, ":h": {"N": "1"}}),
)


def _of_expression(member: str, text: str, values: Json) -> Json:
    tokens = set(re.findall(r":\w+", text))
    used = {token: value for token, value in values.items() if token in tokens}
    body = {UPDATE: "REMOVE zz"} | {member: text} | ({VALUES: used} if used else {})
    return {"Update": body}


EXPRESSIONS: Mapping[Fault, Row] = (
    {
        Fault(code, CONDITION, text): Row(
            evidence, _of_expression(CONDITION, text, {":v0": {"S": "a"}})
        )
        for evidence, listed in _TAKEN_CONDITIONS.items()
        for code, text in listed
    }
    | {
        Fault(code, UPDATE, text): Row(evidence, _of_expression(UPDATE, text, {":v0": {"N": "1"}}))
        for evidence, listed in _TAKEN_UPDATES.items()
        for code, text in listed
    }
    | {
        Fault(code, CONDITION): Row(FUNCTIONS, _of_expression(CONDITION, text, values))
        for code, text, values in _COMPARED
    }
    | {
        Fault("operand-type", member, f"{operator} {tag}"): Row(
            FUNCTIONS, _of_expression(member, text, {":x": _EVERY_TYPE[tag]})
        )
        for operator, (member, text, tags) in _OPERANDS.items()
        for tag in tags
    }
)

LENIENT: Mapping[Fault, Row] = {**OTHERS, **EXPRESSIONS}


def request_of(row: Row) -> dict[str, Any]:
    """The smallest request that has the row's fault."""
    change = row.change
    if "token" in change:
        return {"TransactItems": [_whole({"Delete": {}})], "ClientRequestToken": change["token"]}
    if "items" in change:
        return {"TransactItems": change["items"]}
    if "request" in change:
        given: Json = change["request"]
        return {"TransactItems": [_whole({"Delete": {}})]} | given
    return {"TransactItems": [_whole(change)]}


def _key(change: Json) -> Json:
    """A key that no other row has: what one stores must not meet another."""
    text = json.dumps(change, sort_keys=True)
    return {"PK": {"S": f"lenient-{zlib.crc32(text.encode())}"}, "SK": {"S": "x"}}


def _whole(entry: Json) -> Json:
    """An entry with its table and key filled in."""
    return {
        kind: {"TableName": "lint-pairs"} | ({} if kind == "Put" else {"Key": _key(entry)}) | body
        for kind, body in entry.items()
    }
