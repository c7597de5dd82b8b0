"""Documents that DynamoDB would refuse: every fault, with its code, at its own place."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from webapp.core.expressions.builder import expression
from webapp.core.problems import Refused

Document = dict[str, Any]
A, ONE, TWO = {"S": "a"}, {"N": "1"}, {"N": "2"}
KEY = {"PK": {"S": "p"}, "SK": {"S": "s"}}
KEYS = {"partition_key": {"name": "PK", "type": "S"}, "sort_key": {"name": "SK", "type": "S"}}


def query(condition: Any, **members: Any) -> Document:
    return {"operation": "Query", "table": "accounts", "key_condition": condition, **members}


def scan(condition: Any, **members: Any) -> Document:
    return {"operation": "Scan", "table": "accounts", "filter": condition, **members}


def update(*actions: Any, **members: Any) -> Document:
    document = {"operation": "UpdateItem", "table": "accounts", "key": KEY}
    return document | {"update": list(actions)} | members


def get(*projection: Any, **members: Any) -> Document:
    document = {"operation": "GetItem", "table": "accounts", "key": KEY}
    return document | {"projection": list(projection)} | members


def equal(path: Any, value: Any) -> Document:
    return {"op": "=", "path": path, "value": value}


def both(*conditions: Any) -> Document:
    return {"op": "and", "args": list(conditions)}


PK = equal("PK", A)

DOCUMENTS: list[tuple[str, Document, list[tuple[str, str]]]] = [
    # the form of a document
    ("no operation", {"table": "accounts"}, [("operation-missing", "")]),
    ("unknown operation", {"operation": "Drop"}, [("operation-unknown", "/operation")]),
    (
        "unknown and missing members",
        {"operation": "GetItem", "table": "accounts", "filter": {}},
        [("member-missing", "/key"), ("member-unknown", "/filter")],
    ),
    (
        "wrong member and wrong tree together",
        scan({"op": "or", "args": []}, limit=0),
        [("member-invalid", "/limit"), ("group-empty", "/filter")],
    ),
    ("table name", scan(None, table="a b"), [("table-name", "/table")]),
    ("index name", scan(None, index="?"), [("index-name", "/index")]),
    # trees
    ("no condition", scan([]), [("condition-expected", "/filter")]),
    ("no operator", scan({"path": "a"}), [("op-missing", "/filter")]),
    ("unknown operator", scan({"op": "like"}), [("op-unknown", "/filter/op")]),
    ("missing operand", scan({"op": "=", "path": "a"}), [("node-member-missing", "/filter")]),
    (
        "operand too many",
        scan({"op": "attribute_exists", "path": "a", "value": A}),
        [("node-member-unknown", "/filter/value")],
    ),
    (
        "operand twice",
        scan({"op": "=", "path": "a", "left": {"path": "b"}, "value": A}),
        [("node-member-missing", "/filter")],
    ),
    ("text as a value", scan(equal("a", "b")), [("operand-expected", "/filter/value")]),
    ("plain JSON as a value", scan(equal("a", 5)), [("operand-expected", "/filter/value")]),
    (
        "number in quotes missing",
        scan(equal("a", {"N": 5})),
        [("number-not-text", "/filter/value/N")],
    ),
    ("empty set", scan(equal("a", {"SS": []})), [("set-empty", "/filter/value/SS")]),
    (
        "two operands in one",
        scan(equal("a", {"path": "b", "value": A})),
        [("operand-members", "/filter/value")],
    ),
    (
        "value where a path must be",
        scan({"op": "attribute_exists", "path": {"value": A}}),
        [("operand-path-only", "/filter/path")],
    ),
    (
        "path where a value must be",
        scan({"op": "attribute_type", "path": "a", "value": {"path": "b"}}),
        [("operand-value-only", "/filter/value")],
    ),
    (
        "group that is no list",
        scan({"op": "and", "args": {}}),
        [("list-of-conditions", "/filter/args")],
    ),
    (
        "all faults of a group",
        scan({"op": "or", "args": [equal("a", 1), {"op": "?"}, equal("", A)]}),
        [
            ("operand-expected", "/filter/args/0/value"),
            ("op-unknown", "/filter/args/1/op"),
            ("path-empty", "/filter/args/2/path"),
        ],
    ),
    (
        "size of a size",
        scan({"op": "=", "left": {"size": {"size": "a"}}, "right": {"value": ONE}}),
        [("size-of-size", "/filter/left/size")],
    ),
    # paths
    ("path of a wrong type", scan(equal(5, A)), [("operand-expected", "/filter/path")]),
    (
        "path that begins with an index",
        scan(equal([0], A)),
        [("path-starts-with-index", "/filter/path")],
    ),
    (
        "step of a wrong type",
        scan(equal(["a", -1, True], A)),
        [("path-step", "/filter/path/1"), ("path-step", "/filter/path/2")],
    ),
    ("empty step", scan(equal(["a", ""], A)), [("attribute-name-empty", "/filter/path/1")]),
    ("open quote", scan(equal('a."b', A)), [("path-text", "/filter/path")]),
    ("two dots", scan(equal("a..b", A)), [("path-text", "/filter/path")]),
    ("path too deep", scan(equal(["a"] * 33, A)), [("path-too-deep", "/filter/path")]),
    # placeholders
    (
        "malformed placeholder of a value",
        scan(equal("a", {"value": A, "as": "a"})),
        [("placeholder-malformed", "/filter/value/as")],
    ),
    (
        "one placeholder for two values",
        scan(both(equal("a", {"value": A, "as": ":x"}), equal("b", {"value": ONE, "as": ":x"}))),
        [("placeholder-twice", "/filter/args/1/value/as")],
    ),
    (
        "malformed placeholder of a name",
        scan(equal("a", A), expression_attribute_names={"#a-b": "a"}),
        [("placeholder-malformed", "/expression_attribute_names/#a-b")],
    ),
    # operand types
    (
        "order of Booleans",
        scan({"op": "<", "path": "a", "value": {"BOOL": True}}),
        [("operand-type", "/filter/value")],
    ),
    (
        "beginning of a number",
        scan({"op": "begins_with", "path": "a", "value": ONE}),
        [("operand-type", "/filter/value")],
    ),
    (
        "size of a number",
        scan({"op": "=", "left": {"size": {"value": ONE}}, "right": {"value": ONE}}),
        [("operand-type", "/filter/left/size")],
    ),
    (
        "unknown type name",
        scan({"op": "attribute_type", "path": "a", "value": {"S": "STRING"}}),
        [("type-name", "/filter/value")],
    ),
    (
        "one path on both sides",
        scan({"op": "=", "left": {"path": "a"}, "right": {"path": ["a"]}}),
        [("operands-same", "/filter")],
    ),
    (
        "bounds of two types",
        scan({"op": "between", "path": "a", "low": A, "high": ONE}),
        [("between-types", "/filter")],
    ),
    (
        "bounds in the wrong order",
        scan({"op": "between", "path": "a", "low": TWO, "high": ONE}),
        [("between-order", "/filter")],
    ),
    (
        "bounds in the wrong order, by bytes",
        scan({"op": "between", "path": "a", "low": {"B": "/w=="}, "high": {"B": "AA=="}}),
        [("between-order", "/filter")],
    ),
    ("over 300 operators", scan(both(*[equal("a", A)] * 151)), [("operators-too-many", "/filter")]),
    (
        "nested too deeply",
        scan(functools.reduce(lambda tree, _: {"op": "not", "arg": tree}, range(200), PK)),
        [("expression-too-deep", "/filter" + "/arg" * 150)],
    ),
    # key conditions
    (
        "OR in a key condition",
        query({"op": "or", "args": [PK, PK]}),
        [("key-condition-operator", "/key_condition")],
    ),
    (
        "NOT in a key condition",
        query({"op": "not", "arg": PK}),
        [("key-condition-operator", "/key_condition")],
    ),
    (
        "three conditions",
        query(both(PK, equal("SK", A), equal("x", A))),
        [("key-condition-many", "/key_condition")],
    ),
    (
        "nested key",
        query(both(PK, equal("SK.a", A))),
        [("key-condition-nested", "/key_condition/args/1/path")],
    ),
    (
        "two attributes compared",
        query(both(PK, {"op": "=", "left": {"path": "SK"}, "right": {"path": "x"}})),
        [("key-condition-operands", "/key_condition/args/1")],
    ),
    (
        "no equality",
        query({"op": ">", "path": "PK", "value": A}),
        [("key-condition-no-equality", "/key_condition")],
    ),
    ("one key twice", query(both(PK, PK)), [("key-condition-twice", "/key_condition")]),
    (
        "no partition key",
        query(equal("SK", A), **KEYS),
        [("key-condition-partition", "/key_condition")],
    ),
    (
        "range of the partition key",
        query({"op": ">=", "path": "PK", "value": A}, **KEYS),
        [("key-condition-partition-operator", "/key_condition")],
    ),
    (
        "no key attribute",
        query(both(PK, equal("x", A)), **KEYS),
        [("key-condition-attribute", "/key_condition/args/1/path")],
    ),
    (
        "key of another type",
        query(equal("PK", ONE), **KEYS),
        [("key-operand-type", "/key_condition/value")],
    ),
    (
        "key of an impossible type",
        query(equal("PK", {"BOOL": True})),
        [("key-operand-kind", "/key_condition/value")],
    ),
    (
        "empty key value",
        query(equal("PK", {"S": ""})),
        [("key-operand-empty", "/key_condition/value")],
    ),
    (
        "long key value",
        query(equal("PK", {"S": "é" * 1025})),
        [("key-operand-long", "/key_condition/value")],
    ),
    # filters on keys
    (
        "filter on a key of the key condition",
        query(PK, filter=equal("PK", A)),
        [("filter-key", "/filter/path")],
    ),
    (
        "filter on a key, on the right side",
        query(PK, filter={"op": "=", "left": {"path": "a"}, "right": {"path": "SK"}}, **KEYS),
        [("filter-key", "/filter/right/path")],
    ),
    # updates
    ("empty update", update(), [("update-empty", "")]),
    ("no list", {**update(), "update": {}}, [("update-list", "/update")]),
    ("no action", update({"put": "a"}), [("update-expected", "/update/0")]),
    ("two verbs in one", update({"set": "a", "remove": "b"}), [("update-expected", "/update/0")]),
    (
        "part of the key",
        update({"set": "SK", "to": A}, {"remove": "PK"}),
        [("update-key", "/update/0/set"), ("update-key", "/update/1/remove")],
    ),
    (
        "one path twice",
        update({"set": "a", "to": A}, {"remove": "a"}),
        [("paths-overlap", "/update/1/remove")],
    ),
    (
        "path inside a path",
        update({"set": "a.b", "to": A}, {"set": "a", "to": A}),
        [("paths-overlap", "/update/1/set")],
    ),
    (
        "map and list at one place",
        update({"set": "a.b", "to": A}, {"set": "a[0]", "to": A}),
        [("paths-conflict", "/update/1/set")],
    ),
    ("text added", update({"add": "a", "value": A}), [("operand-type", "/update/0/value")]),
    (
        "number deleted",
        update({"delete": "a", "value": ONE}),
        [("operand-type", "/update/0/value")],
    ),
    (
        "sum with a text",
        update({"set": "a", "to": {"plus": [{"path": "a"}, A]}}),
        [("operand-type", "/update/0/to/plus/1")],
    ),
    (
        "sum with a text as the default",
        update({"set": "a", "to": {"plus": [{"if_not_exists": ["a", A]}, ONE]}}),
        [("operand-type", "/update/0/to/plus/0/if_not_exists/1")],
    ),
    (
        "sum in a sum",
        update({"set": "a", "to": {"plus": [{"plus": [ONE, ONE]}, ONE]}}),
        [("arithmetic-nested", "/update/0/to/plus/0/plus")],
    ),
    (
        "sum in a function",
        update({"set": "a", "to": {"if_not_exists": ["a", {"minus": [ONE, ONE]}]}}),
        [("arithmetic-nested", "/update/0/to/if_not_exists/1/minus")],
    ),
    (
        "append to a text",
        update({"set": "a", "to": {"list_append": [{"path": "a"}, A]}}),
        [("operand-type", "/update/0/to/list_append/1")],
    ),
    (
        "append in append",
        update(
            {
                "set": "a",
                "to": {"list_append": [{"list_append": [{"L": []}, {"L": []}]}, {"path": "a"}]},
            }
        ),
        [("append-nested", "/update/0/to/list_append/0/list_append")],
    ),
    (
        "size in an update",
        update({"set": "a", "to": {"size": "b"}}),
        [("size-misplaced", "/update/0/to")],
    ),
    (
        "three operands",
        update({"set": "a", "to": {"plus": [ONE, ONE, ONE]}}),
        [("operand-pair", "/update/0/to/plus")],
    ),
    (
        "value as the attribute of if_not_exists",
        update({"set": "a", "to": {"if_not_exists": [{"value": A}, A]}}),
        [("operand-path-only", "/update/0/to/if_not_exists/0")],
    ),
    # projections
    ("no paths", get(), [("projection-empty", "/projection")]),
    ("no list of paths", {**get(), "projection": "a"}, [("projection-list", "/projection")]),
    ("parent and child", get("profile", "profile.name"), [("paths-overlap", "/projection/1")]),
    ("map and list", get("a.b", "a[1]"), [("paths-conflict", "/projection/1")]),
    # keys and items
    ("three keys", {**get("a"), "key": KEY | {"x": A}}, [("key-count", "/key")]),
    ("other keys", {**get("a"), "key": {"id": A}, **KEYS}, [("key-names", "/key")]),
    ("list as a key", {**get("a"), "key": {"PK": {"L": []}}}, [("key-operand-kind", "/key/PK")]),
    ("key that is no map", {**get("a"), "key": "x"}, [("attributes-expected", "/key")]),
    (
        "item without its key",
        {"operation": "PutItem", "table": "accounts", "item": {"PK": A}, **KEYS},
        [("item-without-key", "/item")],
    ),
    (
        "item over 400 KB",
        {"operation": "PutItem", "table": "accounts", "item": {"PK": A, "x": {"S": "x" * 409_600}}},
        [("item-size", "/item")],
    ),
    # settings
    (
        "projection and ALL_ATTRIBUTES",
        scan(None, projection=["a"], select="ALL_ATTRIBUTES"),
        [("select-projection", "/select")],
    ),
    (
        "SPECIFIC_ATTRIBUTES of nothing",
        scan(None, select="SPECIFIC_ATTRIBUTES"),
        [("select-without-projection", "/select")],
    ),
    (
        "projected attributes of a table",
        scan(None, select="ALL_PROJECTED_ATTRIBUTES"),
        [("select-without-index", "/select")],
    ),
    ("segment without a number", scan(None, segment=0), [("segments-together", "")]),
    (
        "segment beyond the last",
        scan(None, segment=4, total_segments=4),
        [("segment-range", "/segment")],
    ),
    (
        "unknown choice",
        {**update({"remove": "a"}), "return_values": "SOME"},
        [("member-choice", "/return_values")],
    ),
    (
        "update values of a put",
        {
            "operation": "PutItem",
            "table": "accounts",
            "item": {"PK": A},
            "return_values": "ALL_NEW",
        },
        [("member-choice", "/return_values")],
    ),
    # transactions
    (
        "no actions",
        {"operation": "TransactWriteItems", "actions": []},
        [("member-empty", "/actions")],
    ),
    (
        "read among writes",
        {"operation": "TransactWriteItems", "actions": [get("a")]},
        [("action-unknown", "/actions/0/operation")],
    ),
    (
        "what only a request of its own has",
        {
            "operation": "TransactWriteItems",
            "actions": [update({"remove": "a"}, return_values="ALL_NEW")],
        },
        [("action-member", "/actions/0/return_values")],
    ),
    (
        "update that says nothing",
        {
            "operation": "TransactWriteItems",
            "actions": [{"operation": "UpdateItem", "table": "accounts", "key": KEY}],
        },
        [("update-missing", "/actions/0")],
    ),
    (
        "one item twice, its number spelled in two ways",
        {
            "operation": "TransactWriteItems",
            "actions": [
                {"operation": "DeleteItem", "table": "accounts", "key": {"PK": {"N": "5"}}},
                {"operation": "DeleteItem", "table": "accounts", "key": {"PK": {"N": "5.0"}}},
            ],
        },
        [("item-twice", "/actions/1")],
    ),
    (
        "101 actions",
        {
            "operation": "TransactGetItems",
            "actions": [
                {"operation": "GetItem", "table": "accounts", "key": {"PK": {"N": str(n)}}}
                for n in range(101)
            ],
        },
        [("actions-too-many", "/actions")],
    ),
]


@pytest.mark.parametrize(
    ("document", "expected"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_refused_with_every_fault_at_its_place(
    document: Document, expected: list[tuple[str, str]]
) -> None:
    with pytest.raises(Refused) as refused:
        expression(document)
    found = [(problem.code, problem.path) for problem in refused.value.problems]
    assert found == expected
    for problem in refused.value.problems:
        assert problem.message
        assert problem.hint


@pytest.mark.parametrize(
    "document",
    [None, [], "x", 5, {}, {"operation": []}, {"operation": "TransactWriteItems", "actions": 5}],
    ids=repr,
)
def test_anything_else_is_refused_too(document: Any) -> None:
    with pytest.raises(Refused):
        expression(document)


WARNINGS: list[tuple[str, Document, list[tuple[str, str]]]] = [
    ("path twice", get("a", "b", "a"), [("projection-twice", "/projection/2")]),
    ("nested ADD", update({"add": "a.b", "value": ONE}), [("update-nested", "/update/0")]),
    (
        "size that is never equal",
        scan({"op": "=", "left": {"size": "a"}, "right": {"value": A}}),
        [("never-equal", "/filter/right")],
    ),
    (
        "consistent read of an index",
        scan(None, index="by-x", consistent_read=True),
        [("index-consistent", "/consistent_read")],
    ),
]


@pytest.mark.parametrize(
    ("document", "expected"), [row[1:] for row in WARNINGS], ids=[row[0] for row in WARNINGS]
)
def test_warned_and_built(document: Document, expected: list[tuple[str, str]]) -> None:
    built = expression(document)
    assert [(warning.code, warning.path) for warning in built.warnings] == expected


def test_path_twice_is_projected_once() -> None:
    assert expression(get("a", "b", ["a"])).request["ProjectionExpression"] == "a, b"


class TestLength:
    """The limit of 4,096 bytes, and the short placeholders that are used only beyond it."""

    @staticmethod
    def long_scan(count: int, name: str) -> Document:
        return scan({"op": "or", "args": [equal(f"{name}-{n}", ONE) for n in range(count)]})

    def test_readable_while_it_fits(self) -> None:
        built = expression(self.long_scan(20, "a_rather_long_attribute_name"))
        assert "#a_rather_long_attribute_name_0" in built.expressions["FilterExpression"]
        assert built.warnings == ()

    def test_short_where_it_would_not_fit(self) -> None:
        built = expression(self.long_scan(100, "a_rather_long_attribute_name"))
        text = built.expressions["FilterExpression"]
        assert text.startswith("#a = :b OR #c = :d OR ")
        assert len(text) < 4096
        assert [warning.code for warning in built.warnings] == ["placeholders-short"]
        assert len(built.request["ExpressionAttributeNames"]) == 100

    def test_refused_where_nothing_helps(self) -> None:
        names = [[f"{n}{step}" * 9 for step in range(30)] for n in range(40)]
        document = scan({"op": "or", "args": [equal(path, ONE) for path in names]})
        with pytest.raises(Refused) as refused:
            expression(document)
        assert [problem.code for problem in refused.value.problems] == ["expression-size"]

    def test_two_megabytes_of_values(self) -> None:
        big = [equal(f"a{n}", {"S": "x" * 700_000}) for n in range(3)]
        with pytest.raises(Refused) as refused:
            expression(scan(both(*big)))
        assert [problem.code for problem in refused.value.problems] == ["substitutions-size"]
