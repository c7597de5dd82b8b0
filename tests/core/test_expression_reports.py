"""What people ran into with other builders, each made impossible here; ids are the reports'."""

from __future__ import annotations

import re
from typing import Any

import pytest

from webapp.core.expressions.builder import Built, expression, parse
from webapp.core.expressions.evaluate import holds
from webapp.core.expressions.nodes import as_condition
from webapp.core.expressions.operators import OPERATORS, operators_of
from webapp.core.problems import Refused

Document = dict[str, Any]
A, ONE = {"S": "a"}, {"N": "1"}


def scan(condition: Document, **members: Any) -> Document:
    return {"operation": "Scan", "table": "users", "filter": condition, **members}


def query(condition: Document, **members: Any) -> Document:
    return {"operation": "Query", "table": "users", "key_condition": condition, **members}


def put(condition: Document, **members: Any) -> Document:
    item = {"pk": {"S": "USER#1"}, "sk": {"S": "PROFILE"}}
    return {
        "operation": "PutItem",
        "table": "users",
        "item": item,
        "condition": condition,
        **members,
    }


def equal(path: Any, value: Document) -> Document:
    return {"op": "=", "path": path, "value": value}


def any_of(*conditions: Document) -> Document:
    return {"op": "or", "args": list(conditions)}


def all_of(*conditions: Document) -> Document:
    return {"op": "and", "args": list(conditions)}


def codes(document: Document) -> list[str]:
    """The codes with which a document is refused."""
    with pytest.raises(Refused) as refused:
        expression(document)
    return [problem.code for problem in refused.value.problems]


def filter_of(document: Document) -> str:
    return expression(document).expressions["FilterExpression"]


def used(built: Built) -> set[str]:
    """The placeholders that the expressions use, as whole tokens."""
    return set(re.findall(r"[#:]\w+", " ".join(built.expressions.values())))


def defined(built: Built) -> set[str]:
    names = built.request.get("ExpressionAttributeNames", {})
    return {*names, *built.request.get("ExpressionAttributeValues", {})}


def test_B38_no_empty_maps() -> None:
    request = expression(put({"op": "attribute_not_exists", "path": "pk"})).request
    assert request["ConditionExpression"] == "attribute_not_exists(pk)"
    assert "ExpressionAttributeValues" not in request
    assert "ExpressionAttributeNames" not in request


def test_B39_unset_expressions_are_left_out() -> None:
    request = expression(query(equal("pk", A))).request
    assert set(request) == {"TableName", "KeyConditionExpression", "ExpressionAttributeValues"}


@pytest.mark.parametrize("alias", ["needed", "always"])
def test_B40_one_name_placeholder_per_attribute_and_none_unused(alias: str) -> None:
    begins = {"op": "begins_with", "path": "sk", "value": {"S": "S"}}
    built = expression(query(all_of(equal("pk", A), begins), projection=["pk", "sk"], alias=alias))
    assert used(built) == defined(built)
    names = built.request.get("ExpressionAttributeNames", {})
    assert len(set(names.values())) == len(names)


B41 = [
    (
        all_of(any_of({"op": "in", "path": "status", "values": [A, ONE]})),
        "#status IN (:status, :status_2)",
    ),
    (any_of(equal("x", ONE), equal("y", ONE)), "x = :x OR y = :y"),
    (all_of(all_of(all_of(equal("x", ONE)))), "x = :x"),
    (
        all_of(any_of(all_of(equal("x", ONE), equal("y", ONE)))),
        "x = :x AND y = :y",
    ),
]


@pytest.mark.parametrize(("condition", "text"), B41, ids=[text for _, text in B41])
def test_B41_no_doubled_parentheses(condition: Document, text: str) -> None:
    assert filter_of(scan(condition)) == text
    assert expression(put(condition)).expressions["ConditionExpression"] == text


def test_B41_in_a_key_condition_too() -> None:
    condition = all_of(all_of(equal("pk", A)), all_of(all_of(equal("sk", A))))
    assert expression(query(condition)).expressions == {
        "KeyConditionExpression": "pk = :pk AND sk = :sk"
    }


def test_B43_groups_keep_their_meaning() -> None:
    now = {"N": "1700000000"}
    either = any_of({"op": ">=", "path": "until", "value": now}, equal("until", {"N": "0"}))
    built = expression(scan(all_of(either, equal("archived", {"BOOL": True}))))
    text = built.expressions["FilterExpression"]
    assert text == "(#until >= :until OR #until = :until_2) AND archived = :archived"
    tree = as_condition(built.read[0].trees["filter"])
    assert not holds(tree, {"until": {"N": "0"}, "archived": {"BOOL": False}})
    assert holds(tree, {"until": {"N": "9000000000"}, "archived": {"BOOL": True}})


def test_B44_reserved_words_in_any_case_and_in_nested_paths() -> None:
    names = ["name", "Status", "hash", ["data", "count"]]
    built = expression(scan(all_of(*(equal(name, A) for name in names))))
    assert built.expressions["FilterExpression"] == (
        "#name = :name AND #Status = :Status AND #hash = :hash AND #data.#count = :count"
    )
    assert set(built.request["ExpressionAttributeNames"].values()) == {
        "name",
        "Status",
        "hash",
        "data",
        "count",
    }


ODD = ["_type", "first-name", "@id", "a b", "2fa", "na\u00efve"]


@pytest.mark.parametrize("name", ODD)
def test_B46_odd_names_get_plain_placeholders(name: str) -> None:
    built = expression(scan(equal([name], A)))
    ((token, attribute),) = built.request["ExpressionAttributeNames"].items()
    assert attribute == name
    assert re.fullmatch(r"#[A-Za-z0-9_]+", token)
    assert built.expressions["FilterExpression"].startswith(f"{token} = :")


def test_B49_twelve_comparisons_keep_twelve_values() -> None:
    built = expression(scan(any_of(*(equal("v", {"N": str(n)}) for n in range(12)))))
    values = built.request["ExpressionAttributeValues"]
    tokens = re.findall(r":\w+", built.expressions["FilterExpression"])
    assert [values[token] for token in tokens] == [{"N": str(n)} for n in range(12)]


@pytest.mark.parametrize(("count", "expected"), [(0, ["in-empty"]), (101, ["in-too-many"])])
def test_B50_in_takes_1_to_100_values(count: int, expected: list[str]) -> None:
    values = [{"N": str(n)} for n in range(count)]
    assert codes(scan({"op": "in", "path": "status", "values": values})) == expected


@pytest.mark.parametrize("count", [1, 100])
def test_B50_every_value_of_in_has_its_placeholder(count: int) -> None:
    values = [{"N": str(n)} for n in range(count)]
    built = expression(scan({"op": "in", "path": "status", "values": values}))
    tokens = re.findall(r":\w+", built.expressions["FilterExpression"])
    assert len(set(tokens)) == count
    assert [built.request["ExpressionAttributeValues"][token] for token in tokens] == values


INDEX = {
    "index": "by-g",
    "partition_key": {"name": "gpk", "type": "S"},
    "sort_key": {"name": "gsk", "type": "S"},
}


def test_B52_keys_are_no_part_of_the_filter_of_a_query() -> None:
    later = {"op": ">", "path": "gsk", "value": A}
    with pytest.raises(Refused) as refused:
        expression(query(equal("gpk", A), filter=later, **INDEX))
    (problem,) = refused.value.problems
    assert (problem.code, problem.path) == ("filter-key", "/filter/path")
    assert "key condition" in problem.hint
    assert filter_of(scan(later, **INDEX)) == "gsk > :gsk"


B53 = [
    ({"op": "begins_with", "path": "pk", "value": A}, ["key-condition-partition-operator"]),
    (any_of(equal("pk", A), equal("pk", {"S": "b"})), ["key-condition-operator"]),
    (all_of(equal("pk", A), {"op": "in", "path": "sk", "values": [A]}), ["key-condition-operator"]),
    (all_of(equal("pk", A), {"op": "<>", "path": "sk", "value": A}), ["key-condition-operator"]),
    (
        all_of(equal("pk", A), {"op": "contains", "path": "sk", "value": A}),
        ["key-condition-operator"],
    ),
    (all_of(equal("pk", A), {"op": "beginsWith", "path": "sk", "value": A}), ["op-unknown"]),
]


@pytest.mark.parametrize(
    ("condition", "expected"), B53, ids=[str(row[1][0]) + str(n) for n, row in enumerate(B53)]
)
def test_B53_key_conditions_hold_what_dynamodb_allows(
    condition: Document, expected: list[str]
) -> None:
    keys = {"partition_key": {"name": "pk", "type": "S"}, "sort_key": {"name": "sk", "type": "S"}}
    assert codes(query(condition, **keys)) == expected


def test_B53_the_allowed_forms_are_named() -> None:
    with pytest.raises(Refused) as refused:
        expression(query(all_of(equal("pk", A), {"op": "<>", "path": "sk", "value": A})))
    assert "= < <= > >= BETWEEN or begins_with" in refused.value.problems[0].hint


def test_B53_misspelt_function_in_a_text() -> None:
    text = "pk = :p AND beginsWith(sk, :p)"
    with pytest.raises(Refused) as refused:
        parse({"kind": "key_condition", "expression": text, "values": {":p": A}})
    assert refused.value.problems[0].code == "function-spelling"


B54: list[tuple[list[Any], str | None]] = [
    (["pk", "email", "pk"], "pk, email"),
    (["profile", "profile.name"], None),
    (["a[0]", "a[0].b"], None),
    (["a.b", "a.c"], "a.b, a.c"),
]


@pytest.mark.parametrize(("paths", "text"), B54, ids=[str(paths) for paths, _ in B54])
def test_B54_projections_hold_no_path_twice(paths: list[Any], text: str | None) -> None:
    document = {"operation": "Scan", "table": "users", "projection": paths}
    if text is None:
        assert codes(document) == ["paths-overlap"]
    else:
        assert expression(document).expressions["ProjectionExpression"] == text


def test_B54_two_placeholders_of_one_attribute() -> None:
    parsed = parse(
        {
            "TableName": "users",
            "ProjectionExpression": "#a, #b",
            "ExpressionAttributeNames": {"#a": "pk", "#b": "pk"},
        }
    )
    built = expression(parsed.document)
    assert built.expressions["ProjectionExpression"] == "#a"
    assert built.request["ExpressionAttributeNames"] == {"#a": "pk"}


@pytest.mark.parametrize(
    ("path", "member", "whole"),
    [("tags", {"S": "a"}, {"SS": ["a"]}), ("ids", {"N": "5"}, {"NS": ["5"]})],
)
def test_B56_contains_takes_the_member(path: str, member: Document, whole: Document) -> None:
    built = expression(scan({"op": "contains", "path": path, "value": member}))
    assert built.request["ExpressionAttributeValues"] == {f":{path}": member}
    assert built.warnings == ()
    warned = expression(scan({"op": "contains", "path": path, "value": whole}))
    (warning,) = warned.warnings
    assert (warning.code, warning.path) == ("contains-set", "/filter/value")
    assert f"type {next(iter(member))}" in warning.hint


SAMPLES: dict[str, tuple[Document, str]] = {
    "=": (equal("a", ONE), "a = :a"),
    "<>": ({"op": "<>", "path": "a", "value": ONE}, "a <> :a"),
    "<": ({"op": "<", "path": "a", "value": ONE}, "a < :a"),
    "<=": ({"op": "<=", "path": "a", "value": ONE}, "a <= :a"),
    ">": ({"op": ">", "path": "a", "value": ONE}, "a > :a"),
    ">=": ({"op": ">=", "path": "a", "value": ONE}, "a >= :a"),
    "between": (
        {"op": "between", "path": "a", "low": ONE, "high": ONE},
        "a BETWEEN :a_low AND :a_high",
    ),
    "in": ({"op": "in", "path": "a", "values": [ONE, A]}, "a IN (:a, :a_2)"),
    "attribute_exists": ({"op": "attribute_exists", "path": "a"}, "attribute_exists(a)"),
    "attribute_not_exists": (
        {"op": "attribute_not_exists", "path": "a"},
        "attribute_not_exists(a)",
    ),
    "attribute_type": (
        {"op": "attribute_type", "path": "a", "value": {"S": "S"}},
        "attribute_type(a, :a)",
    ),
    "begins_with": ({"op": "begins_with", "path": "a", "value": A}, "begins_with(a, :a)"),
    "contains": ({"op": "contains", "path": "a", "value": A}, "contains(a, :a)"),
    "size": (
        {"op": ">", "left": {"size": "a"}, "right": {"value": ONE}},
        "size(a) > :a_size",
    ),
    "and": (all_of(equal("a", ONE), equal("b", ONE)), "a = :a AND b = :b"),
    "or": (any_of(equal("a", ONE), equal("b", ONE)), "a = :a OR b = :b"),
    "not": (
        {"op": "not", "arg": any_of(equal("a", ONE), equal("b", ONE))},
        "NOT (a = :a OR b = :b)",
    ),
}


@pytest.mark.parametrize("op", operators_of("filter"))
def test_B93_every_operator_of_the_table_can_be_built_and_read_back(op: str) -> None:
    document, text = SAMPLES[op]
    built = expression(scan(document))
    assert built.expressions["FilterExpression"] == text
    parsed = parse(built.request)
    assert parsed.problems == ()
    assert expression(parsed.document).request == built.request


def test_B94_names_as_typed_are_valid_at_once() -> None:
    condition = all_of(equal("IX-2-KEY", A))
    built = expression(query(condition, filter=equal("_type", A)))
    assert built.request["ExpressionAttributeNames"] == {"#IX_2_KEY": "IX-2-KEY", "#_type": "_type"}
    assert built.expressions == {
        "KeyConditionExpression": "#IX_2_KEY = :IX_2_KEY",
        "FilterExpression": "#_type = :_type",
    }


def test_B94_a_renamed_attribute_leaves_no_placeholder_behind() -> None:
    own = {"#t": "_type"}
    before = expression(scan(equal("_type", A), expression_attribute_names=own))
    assert before.request["ExpressionAttributeNames"] == {"#t": "_type"}
    after = expression(scan(equal("_kind", A), expression_attribute_names=own))
    assert after.request["ExpressionAttributeNames"] == {"#_kind": "_kind"}
    assert used(after) == defined(after)


def test_every_row_of_the_table_says_what_a_reference_needs() -> None:
    for op, row in OPERATORS.items():
        assert row.label, op
        assert row.sentence, op
        assert row.rule.endswith("."), op
        assert row.kinds, op
