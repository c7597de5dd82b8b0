"""Expression texts that cannot be read or that DynamoDB would refuse: code and position."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.expression_trees import value_of
from webapp.core.expressions.builder import parse
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.parse import parse_condition
from webapp.core.expressions.places import Findings, TextProblem
from webapp.core.expressions.tokens import read_tokens
from webapp.core.problems import Refused

NAMES = {"#n": "name", "#s": "status"}
VALUES: dict[str, Any] = {
    ":a": {"S": "a"},
    ":b": {"S": "b"},
    ":n": {"N": "1"},
    ":zero": {"N": "0"},
    ":l": {"L": []},
    ":flag": {"BOOL": True},
}


def maps_for(text: str) -> dict[str, Any]:
    """The maps of what the text may use; what it does not use is left out."""
    names = {token: name for token, name in NAMES.items() if token in text}
    values = {token: value for token, value in VALUES.items() if token in text}
    return ({"names": names} if names else {}) | ({"values": values} if values else {})


def faults(kind: str, text: str) -> list[tuple[str, int]]:
    """The codes and positions of everything wrong with a text."""
    document = {"kind": kind, "expression": text, **maps_for(text)}
    try:
        problems = parse(document).problems
    except Refused as refused:
        problems = refused.problems
    return [(p.code, p.span.start) for p in problems if isinstance(p, TextProblem)]


TEXTS = [
    # ends and beginnings
    ("filter", "", [("expression-empty", 0)]),
    ("filter", " \n ", [("expression-empty", 0)]),
    ("filter", "a", [("syntax-end", 1)]),
    ("filter", "a =", [("syntax-end", 3)]),
    ("filter", "a = :a AND", [("syntax-end", 10)]),
    ("filter", "a = :a OR OR b = :b", [("syntax", 10)]),
    ("filter", "(a = :a", [("syntax-end", 7)]),
    ("filter", "a = :a)", [("syntax", 6)]),
    ("filter", "a = :a b = :b", [("syntax", 7)]),
    ("filter", "NOT", [("syntax-end", 3)]),
    # what people write instead
    ("filter", "a == :a", [("syntax-equal", 3)]),
    ("filter", "a != :a", [("syntax-not-equal", 2)]),
    ("filter", "a = 'x'", [("syntax-quote", 4)]),
    ("filter", 'a = "x"', [("syntax-quote", 4)]),
    ("filter", "a = 5", [("syntax-number", 4)]),
    ("filter", "a = :a && b = :b", [("syntax-logic", 7)]),
    ("filter", "_a = :a", [("syntax-underscore", 0)]),
    ("filter", "given-name = :a", [("syntax", 5)]),
    ("filter", "# = :a", [("syntax-placeholder", 0)]),
    ("filter", "a = :", [("syntax-placeholder", 4)]),
    ("filter", "a IN ()", [("syntax", 6)]),
    ("filter", "a IN :a", [("syntax", 5)]),
    ("filter", "a BETWEEN :a, :b", [("syntax", 12)]),
    ("filter", "a[:n] = :a", [("syntax", 2)]),
    ("filter", "a[0 = :a", [("syntax", 4)]),
    ("filter", "a. = :a", [("syntax", 3)]),
    # functions
    ("filter", "BEGINS_WITH(a, :a)", [("function-spelling", 0)]),
    ("filter", "a = :a AND beginsWith(a, :a)", [("function-spelling", 11)]),
    ("filter", "dog(a)", [("function-unknown", 0)]),
    ("filter", "size(a)", [("function-misplaced", 0)]),
    ("filter", "size(size(a)) = :n", [("function-misplaced", 5)]),
    ("filter", "attribute_exists(a) = :a", [("syntax", 20)]),
    ("filter", "a = attribute_exists(b)", [("function-misplaced", 4)]),
    ("filter", "if_not_exists(a, :a) = :b", [("function-misplaced", 0)]),
    ("filter", "begins_with(a)", [("function-arity", 0)]),
    ("filter", "size(a, b) = :n", [("function-arity", 0)]),
    ("filter", "attribute_exists(:a)", [("function-needs-path", 0)]),
    ("filter", "attribute_type(a, b)", [("type-not-literal", 0)]),
    # parentheses
    ("filter", "((a = :a))", [("parentheses-redundant", 0)]),
    ("filter", "b = :b AND ((a = :a) )", [("parentheses-redundant", 11)]),
    ("filter", "((a)) = :a", [("parentheses-redundant", 0)]),
    ("filter", "a = ((:a))", [("parentheses-redundant", 4)]),
    # names and values
    ("filter", "status = :a", [("name-reserved", 0)]),
    ("filter", "a.Name = :a", [("name-reserved", 2)]),
    ("filter", "set = :a", [("name-reserved", 0)]),
    ("update", "SET between = :a", [("name-reserved", 4)]),
    ("update", "SET remove = :a", [("syntax", 4)]),
    ("filter", "#q = :q", [("name-undefined", 0), ("value-undefined", 5)]),
    ("filter", "#s = :q AND size = :a", [("value-undefined", 5), ("name-reserved", 12)]),
    # meaning
    ("filter", "a < :flag", [("operand-type", 4)]),
    ("filter", "b = :b AND a BETWEEN :n AND :zero", [("between-order", 11)]),
    ("filter", "a = a", [("operands-same", 0)]),
    ("key_condition", "a = :a OR b = :b", [("key-condition-operator", 0)]),
    ("key_condition", "a = :a AND b <> :b", [("key-condition-operator", 11)]),
    ("key_condition", "a = :a AND contains(b, :b)", [("key-condition-operator", 11)]),
    # updates
    ("update", "", [("expression-empty", 0)]),
    ("update", "a = :a", [("syntax", 0)]),
    ("update", "SET", [("syntax-end", 3)]),
    ("update", "SET a", [("syntax-end", 5)]),
    ("update", "SET a = :a,", [("syntax-end", 11)]),
    ("update", "SET a = :a SET b = :b", [("verb-twice", 11)]),
    ("update", "SET :a = :b", [("syntax", 4)]),
    ("update", "SET a = :n + :zero + :n", [("arithmetic-nested", 8)]),
    ("update", "SET a = if_not_exists(b, :n + :zero)", [("arithmetic-nested", 25)]),
    ("update", "SET a = list_append(list_append(a, :l), :l)", [("append-nested", 20)]),
    ("update", "SET a = if_not_exists(:a, :b)", [("function-needs-path", 8)]),
    ("update", "SET a = LIST_APPEND(a, :l)", [("function-spelling", 8)]),
    ("update", "SET a = size(a)", [("function-misplaced", 8)]),
    ("update", "SET a = :a REMOVE a", [("paths-overlap", 18)]),
    ("update", "REMOVE a = :a", [("syntax", 9)]),
    ("update", "ADD a b", [("syntax", 6)]),
    ("update", "ADD a :a", [("operand-type", 6)]),
    ("update", "DELETE a :n", [("operand-type", 9)]),
    # projections
    ("projection", "a,", [("syntax-end", 2)]),
    ("projection", ",a", [("syntax", 0)]),
    ("projection", "a b", [("syntax", 2)]),
    ("projection", "a, a.b", [("paths-overlap", 3)]),
    ("projection", "date", [("name-reserved", 0)]),
]


@pytest.mark.parametrize(("kind", "text", "expected"), TEXTS, ids=[f"{k}:{t}" for k, t, _ in TEXTS])
def test_refused_at_the_character(kind: str, text: str, expected: list[tuple[str, int]]) -> None:
    assert faults(kind, text) == expected


GOOD = [
    ("filter", "a=:a"),
    ("filter", "a = :a aNd noT b = :b or a in (:a,:b) OR a between :a and :b"),
    ("filter", "(((a=:a) AND b=:b) OR a=:b) or NoT a<:b"),
    ("filter", "((a = :a) AND (b = :b))"),
    ("filter", "(a) = (:a) AND (size(a)) > :n"),
    ("filter", "NOT NOT NOT a = :a"),
    ("filter", "attribute_exists ( #n . #s [ 0 ] )"),
    ("filter", "begins_with(:a, a) AND contains(:b, a) AND attribute_type(:n, :a)"),
    ("filter", "contains = :a AND begins_with = :b"),
    ("filter", "remove = :a"),
    ("key_condition", "((b = :b) AND (a = :a))"),
    ("key_condition", ":a = a AND :b <= b"),
    ("update", "ReMoVe a, b[0].c sEt d = (d - :n), e = (:l)"),
    ("update", "SET a = if_not_exists(a, :n) + if_not_exists(b, :zero)"),
    ("projection", "a,b . c [ 1 ],#n"),
]


@pytest.mark.parametrize(("kind", "text"), GOOD, ids=[text for _, text in GOOD])
def test_read_as_dynamodb_reads_it(kind: str, text: str) -> None:
    good_values = VALUES | ({":a": {"S": "S"}} if "attribute_type" in text else {})
    values = {token: value for token, value in good_values.items() if token in text}
    parsed = parse({"kind": kind, "expression": text, **maps_for(text), **_given(values)})
    assert parsed.problems == ()


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {"values": values} if values else {}


def test_fault_says_what_was_found_and_what_could_stand_there() -> None:
    with pytest.raises(Refused) as refused:
        parse({"kind": "filter", "expression": "a = :a AND b ! :b", **maps_for(":a :b")})
    (problem,) = refused.value.problems
    assert problem.as_document() == {
        "code": "syntax-not-equal",
        "path": "/expression",
        "message": "“!” at character 13 is no operator.",
        "hint": "“Not equal” is written <>.",
        "position": 13,
        "length": 1,
        "caret": "a = :a AND b ! :b\n             ^",
    }
    with pytest.raises(Refused) as refused:
        parse({"kind": "filter", "expression": "a = :a b", **maps_for(":a")})
    assert refused.value.problems[0].message == (
        "“b” cannot stand at character 7; there could be AND or OR or the end."
    )


def test_caret_of_a_long_text_stands_under_the_place() -> None:
    text = " AND ".join(f"attribute_{number} = :a" for number in range(40)) + " AND ?"
    findings = Findings([], [])
    parse_condition(text, "/x", Dictionary({}, {":a": value_of({"S": "a"})}), findings)
    (problem,) = findings.problems
    assert isinstance(problem, TextProblem)
    shown, mark = problem.caret.split("\n")
    assert shown[mark.index("^")] == "?"
    assert len(shown) <= 72


@pytest.mark.parametrize(
    "text",
    [
        "(" * 4096,
        "NOT " * 1023 + "a<b",
        "(NOT " * 700,
        "a < " + "size(" * 680,
        "size((" * 600,
        "a" * 4096,
    ],
    ids=["parentheses", "negations", "both", "functions", "functions in parentheses", "one name"],
)
def test_deep_and_long_texts_are_refused_in_order(text: str) -> None:
    findings = Findings([], [])
    assert parse_condition(text, "/x", Dictionary({}, {}), findings) is None
    assert len(findings.problems) == 1


def test_nested_functions_of_an_update_are_bounded() -> None:
    text = "SET a = " + "if_not_exists(a, " * 200 + ":n" + ")" * 200
    assert [code for code, _ in faults("update", text)] == ["expression-too-deep"]


@pytest.mark.parametrize(("size", "is_read"), [(4096, True), (4097, False)])
def test_four_kilobytes_and_not_one_more(size: int, is_read: bool) -> None:
    text = "é" + "x" * (size - 2)
    findings = Findings([], [])
    assert (read_tokens(text, "/x", findings) is not None) is is_read
    assert [problem.code for problem in findings.problems] == ([] if is_read else ["text-too-long"])


REQUESTS: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("nothing", None, [("request-expected", "")]),
    ("no operation", {"Limit": 5}, [("operation-unclear", "")]),
    (
        "write or check",
        {"TableName": "t", "Key": {}, "ConditionExpression": "a = b"},
        [("operation-unclear", "")],
    ),
    ("unknown parameter", {"TableName": "accounts", "Top": 5}, [("parameter-unknown", "/Top")]),
    (
        "before expressions",
        {"TableName": "accounts", "ScanFilter": {}},
        [("parameter-legacy", "/ScanFilter")],
    ),
    (
        "names that are no placeholders",
        {
            "TableName": "accounts",
            "FilterExpression": "a = b",
            "ExpressionAttributeNames": {"x": "y"},
        },
        [
            ("placeholder-malformed", "/ExpressionAttributeNames/x"),
            ("name-unused", "/ExpressionAttributeNames/x"),
        ],
    ),
    (
        "values that are none",
        {
            "TableName": "accounts",
            "FilterExpression": "a = :v",
            "ExpressionAttributeValues": {":v": 5},
        },
        [("value-untyped", "/ExpressionAttributeValues/:v")],
    ),
    (
        "text that is none",
        {"operation": "Scan", "request": {"TableName": "accounts", "FilterExpression": 5}},
        [("expression-text", "/request/FilterExpression")],
    ),
    (
        "setting that is wrong, under its own name",
        {"TableName": "accounts", "Limit": 0, "ConsistentRead": "yes"},
        [("member-type", "/ConsistentRead"), ("member-invalid", "/Limit")],
    ),
    (
        "in a transaction, at its slot",
        {
            "TransactItems": [
                {
                    "Put": {
                        "TableName": "accounts",
                        "Item": {"PK": {"S": ""}},
                        "ConditionExpression": "x",
                    }
                }
            ]
        },
        [("syntax-end", "/TransactItems/0/Put/ConditionExpression")],
    ),
    (
        "no action",
        {"TransactItems": [{"Post": {}}]},
        [("request-expected", "/TransactItems/0/Post")],
    ),
]


@pytest.mark.parametrize(
    ("document", "expected"), [row[1:] for row in REQUESTS], ids=[row[0] for row in REQUESTS]
)
def test_request_that_cannot_be_read(document: Any, expected: list[tuple[str, str]]) -> None:
    with pytest.raises(Refused) as refused:
        parse(document)
    assert [(problem.code, problem.path) for problem in refused.value.problems] == expected


def test_what_dynamodb_would_refuse_is_told_and_the_form_filled_all_the_same() -> None:
    parsed = parse(
        {
            "TableName": "accounts",
            "KeyConditionExpression": "PK = :p",
            "FilterExpression": "PK = :p AND contains(tags, :set)",
            "ExpressionAttributeNames": {},
            "ExpressionAttributeValues": {
                ":p": {"S": "a"},
                ":set": {"SS": ["x"]},
                ":unused": {"S": "y"},
            },
        }
    )
    assert [(problem.code, problem.path) for problem in parsed.problems] == [
        ("map-empty", "/ExpressionAttributeNames"),
        ("value-unused", "/ExpressionAttributeValues/:unused"),
        ("filter-key", "/FilterExpression"),
    ]
    assert [(w.code, w.path) for w in parsed.warnings] == [("contains-set", "/FilterExpression")]
    assert parsed.document["operation"] == "Query"
    assert parsed.document["key_condition"] == {
        "op": "=",
        "path": ["PK"],
        "value": {"value": {"S": "a"}, "as": ":p"},
    }


OPERATIONS = [
    ({"TableName": "accounts", "KeyConditionExpression": "a = b"}, "Query"),
    ({"TableName": "accounts"}, "Scan"),
    ({"TableName": "accounts", "Key": {"PK": {"S": "a"}}}, "GetItem"),
    ({"TableName": "accounts", "Item": {"PK": {"S": "a"}}}, "PutItem"),
    (
        {"TableName": "accounts", "Key": {"PK": {"S": "a"}}, "UpdateExpression": "REMOVE a"},
        "UpdateItem",
    ),
    ({"TableName": "accounts", "Key": {"PK": {"S": "a"}}, "ReturnValues": "NONE"}, "DeleteItem"),
    (
        {
            "ConditionCheck": {
                "TableName": "accounts",
                "Key": {"PK": {"S": "a"}},
                "ConditionExpression": "attribute_exists(PK)",
            }
        },
        "ConditionCheck",
    ),
    ({"Delete": {"TableName": "accounts", "Key": {"PK": {"S": "a"}}}}, "DeleteItem"),
    (
        {"TransactItems": [{"Get": {"TableName": "accounts", "Key": {"PK": {"S": "a"}}}}]},
        "TransactGetItems",
    ),
]


@pytest.mark.parametrize(
    ("request_document", "operation"), OPERATIONS, ids=[o for _, o in OPERATIONS]
)
def test_operation_is_taken_from_the_request(request_document: Any, operation: str) -> None:
    assert parse(request_document).document["operation"] == operation
