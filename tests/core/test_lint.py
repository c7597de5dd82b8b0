"""Lint: what DynamoDB would refuse, in its order and its words, in every form of a request."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.transaction_faults import make
from webapp.core.linting.intake import MOST_PARTS
from webapp.core.linting.lint import Report, lint, lint_document
from webapp.core.linting.service_answers import ROWS
from webapp.core.linting.spots import spot_of
from webapp.core.problems import TEXTS, Problem, Refused

Json = dict[str, Any]
CASES = Path(__file__).parent.parent / "cases"

TABLE: Json = {
    "Table": {
        "TableName": "accounts",
        "KeySchema": [
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "N"},
            {"AttributeName": "email", "AttributeType": "S"},
        ],
        "GlobalSecondaryIndexes": [
            {"KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}]},
        ],
    }
}
KEY: Json = {"PK": {"S": "ACCT#1"}, "SK": {"N": "0"}}
VALIDATION = "ValidationException"
CANCELLED = "TransactionCanceledException"
INVALID = "One or more parameter values were invalid: "


def put(key: Json = KEY, **members: Any) -> Json:
    item = key | members.pop("item", {})
    return {"Put": {"TableName": "accounts", "Item": item, **members}}


def update(expression: str, key: Json = KEY, **members: Any) -> Json:
    return {
        "Update": {
            "TableName": "accounts",
            "Key": key,
            "UpdateExpression": expression,
            **members,
        }
    }


def delete(key: Json = KEY, **members: Any) -> Json:
    return {"Delete": {"TableName": "accounts", "Key": key, **members}}


def check(condition: str, key: Json = KEY, **members: Any) -> Json:
    body = {"TableName": "accounts", "Key": key, "ConditionExpression": condition, **members}
    return {"ConditionCheck": body}


def values(**given: Json) -> Json:
    return {"ExpressionAttributeValues": {f":{name}": value for name, value in given.items()}}


def key(partition: str = "ACCT#1", sort: str = "0") -> Json:
    return {"PK": {"S": partition}, "SK": {"N": sort}}


def deep(levels: int) -> Json:
    value: Json = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


def codes(report: Report) -> list[str]:
    return [fault.problem.code for fault in report.problems]


def places(report: Report) -> list[tuple[str, str]]:
    return [(fault.problem.code, fault.problem.path) for fault in report.problems]


def said(report: Report) -> list[tuple[str, str, int | None] | None]:
    answers = [fault.answer for fault in report.problems]
    return [None if a is None else (a.type, a.text, a.slot) for a in answers]


# --- the forms of a request --------------------------------------------------------------------

ACTION = put()
FORMS: list[tuple[str, object, str]] = [
    ("request", {"TransactItems": [ACTION]}, "/TransactItems/0/Put"),
    ("list", [ACTION], "/0/Put"),
    ("plan", {"request": {"TransactItems": [ACTION]}, "slots": []}, "/request/TransactItems/0/Put"),
    ("command", {"input": {"TransactItems": [ACTION]}}, "/input/TransactItems/0/Put"),
    ("list-in-a-plan", {"request": [ACTION]}, "/request/0/Put"),
]


@pytest.mark.parametrize(
    ("document", "at"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS]
)
@pytest.mark.parametrize("form", ["parsed", "text", "bytes"])
def test_every_form_is_read_and_pointed_into(document: Any, at: str, form: str) -> None:
    broken = json.loads(json.dumps(document).replace('"N": "0"', '"N": "x"'))
    given = {
        "parsed": broken,
        "text": json.dumps(broken),
        "bytes": json.dumps(broken).encode(),
    }[form]
    assert places(lint(given)) == [("number-malformed", at + "/Item/SK/N")]


FOREIGN: list[tuple[str, object, str, str]] = [
    ("partiql", {"TransactStatements": []}, "operation-not-linted", ""),
    ("partiql-list", [{"Statement": "x", "Parameters": []}], "operation-not-linted", ""),
    ("batch", {"RequestItems": {}}, "operation-not-linted", ""),
    ("reads", {"TransactItems": [{"Get": {}}]}, "operation-not-linted", "/TransactItems"),
    ("text", '"hello"', "transaction-expected", ""),
    ("number", 5, "transaction-expected", ""),
    ("nothing", {}, "transaction-expected", ""),
    (
        "wrappers",
        {"input": {"input": {"input": {"input": {}}}}},
        "transaction-expected",
        "/input/input",
    ),
    ("half", "{", "json-malformed", ""),
]


@pytest.mark.parametrize(
    ("document", "code", "path"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN]
)
def test_what_is_no_transaction_is_named(document: object, code: str, path: str) -> None:
    with pytest.raises(Refused) as refused:
        lint(document)
    assert [(p.code, p.path) for p in refused.value.problems] == [(code, path)]


def test_execute_transaction_is_named_as_unsupported() -> None:
    with pytest.raises(Refused) as refused:
        lint({"TransactStatements": [{"Statement": "INSERT INTO t VALUE {'pk': '1'}"}]})
    assert "ExecuteTransaction" in refused.value.problems[0].message


BINARY = base64.b64encode(b"\x01\x02").decode()


@pytest.mark.parametrize(
    "given",
    [{"type": "Buffer", "data": [1, 2]}, {"0": 1, "1": 2}, b"\x01\x02", bytearray(b"\x01\x02")],
    ids=["Buffer", "Uint8Array", "bytes", "bytearray"],
)
def test_binary_of_an_sdk_is_read_as_base64(given: object) -> None:
    assert lint([put(item={"b": {"B": given}, "bs": {"BS": [given]}})]).valid
    twice = lint([put(item={"bs": {"BS": [given, BINARY]}})])
    assert places(twice) == [("set-duplicate", "/0/Put/Item/bs/BS/1")]


# --- the lint request of the API ---------------------------------------------------------------


def test_the_request_of_the_api_is_pointed_into() -> None:
    report = lint_document({"request": [delete({"PK": {"S": "a"}})], "table": TABLE})
    assert places(report) == [("key-names", "/request/0/Delete/Key")]


def test_members_that_the_api_does_not_know_are_refused() -> None:
    with pytest.raises(Refused) as refused:
        lint_document({"request": [], "tables": TABLE})
    assert [(p.code, p.path) for p in refused.value.problems] == [("member-unknown", "/tables")]


@pytest.mark.parametrize(
    ("member", "code", "path"),
    [
        ("design", "member-missing", "/design/table"),
        ("table", "table-description", "/table"),
    ],
)
def test_a_design_or_table_that_cannot_be_read_is_refused_at_its_place(
    member: str, code: str, path: str
) -> None:
    with pytest.raises(Refused) as refused:
        lint_document({"request": [ACTION], member: {}})
    assert (code, path) in [(p.code, p.path) for p in refused.value.problems]


def test_of_more_than_a_hundred_actions_it_is_said_which_were_checked() -> None:
    report = lint([put(key(f"ACCT#{number}"), Wrong=1) for number in range(250)])
    paths = [fault.problem.path for fault in report.problems]
    assert paths == [*(f"/{number}/Put/Wrong" for number in range(100)), ""]
    (warning, _) = report.warnings
    assert (warning.problem.code, warning.problem.message) == (
        "actions-unread",
        "Only the first 100 actions were checked, each for itself; 150 were not.",
    )


# --- A: the request ----------------------------------------------------------------------------

HUNDRED_AND_ONE = [put(key(f"ACCT#{number}")) for number in range(101)]
REQUESTS: list[tuple[str, Json, list[tuple[str, str]]]] = [
    ("empty", {"TransactItems": []}, [("transaction-empty", "/TransactItems")]),
    ("null", {"TransactItems": None}, [("member-null", "/TransactItems")]),
    (
        "another action that is null",
        {"TransactItems": [{"Put": {"TableName": "accounts", "Item": KEY}, "Update": None}]},
        [("member-null", "/TransactItems/0/Update")],
    ),
    ("no-list", {"TransactItems": {}}, [("member-type", "/TransactItems")]),
    ("101", {"TransactItems": HUNDRED_AND_ONE}, [("actions-too-many", "/TransactItems")]),
    ("100", {"TransactItems": HUNDRED_AND_ONE[:100]}, []),
    ("no-action", {"TransactItems": [{}]}, [("action-missing", "/TransactItems/0")]),
    (
        "two-actions",
        {"TransactItems": [put() | delete()]},
        [("action-several", "/TransactItems/0")],
    ),
    (
        "unknown-action",
        {"TransactItems": [{"Insert": {}}]},
        [("parameter-unknown", "/TransactItems/0/Insert"), ("action-missing", "/TransactItems/0")],
    ),
    ("no-object", {"TransactItems": ["x"]}, [("member-type", "/TransactItems/0")]),
    ("no-body", {"TransactItems": [{"Put": []}]}, [("member-type", "/TransactItems/0/Put")]),
    (
        "long-token",
        {"TransactItems": [ACTION], "ClientRequestToken": "x" * 37},
        [("token-length", "/ClientRequestToken")],
    ),
    (
        "empty-token",
        {"TransactItems": [ACTION], "ClientRequestToken": ""},
        [("token-length", "/ClientRequestToken")],
    ),
    ("longest-token", {"TransactItems": [ACTION], "ClientRequestToken": "x" * 36}, []),
    (
        "choices",
        {
            "TransactItems": [ACTION],
            "ReturnConsumedCapacity": "ALL",
            "ReturnItemCollectionMetrics": "ALL",
        },
        [
            ("member-choice", "/ReturnConsumedCapacity"),
            ("member-choice", "/ReturnItemCollectionMetrics"),
        ],
    ),
    (
        "choice-of-an-action",
        {"TransactItems": [put(ReturnValuesOnConditionCheckFailure="ALL_NEW")]},
        [("member-choice", "/TransactItems/0/Put/ReturnValuesOnConditionCheckFailure")],
    ),
    (
        "index",
        {"TransactItems": [put(IndexName="by-email")]},
        [("index-target", "/TransactItems/0/Put/IndexName")],
    ),
    (
        "return-values",
        {"TransactItems": [put(ReturnValues="ALL_OLD")]},
        [("return-values", "/TransactItems/0/Put/ReturnValues")],
    ),
    (
        "legacy",
        {"TransactItems": [put(Expected={})]},
        [("parameter-legacy", "/TransactItems/0/Put/Expected")],
    ),
    (
        "unknown-member",
        {"TransactItems": [ACTION], "TableName": "x"},
        [("parameter-unknown", "/TableName")],
    ),
    (
        "update-without-update",
        {"TransactItems": [{"Update": {"TableName": "accounts", "Key": KEY}}]},
        [("update-missing", "/TransactItems/0/Update")],
    ),
    (
        "check-without-condition",
        {"TransactItems": [{"ConditionCheck": {"TableName": "accounts", "Key": KEY}}]},
        [("member-missing", "/TransactItems/0/ConditionCheck")],
    ),
    (
        "nothing-given",
        {"TransactItems": [{"Put": {}}]},
        [("member-missing", "/TransactItems/0/Put"), ("member-missing", "/TransactItems/0/Put")],
    ),
    (
        "table-name",
        {"TransactItems": [{"Delete": {"TableName": "a b", "Key": KEY}}]},
        [("table-name", "/TransactItems/0/Delete/TableName")],
    ),
    (
        "no-table-arn",
        {"TransactItems": [{"Delete": {"TableName": "arn:aws:dynamodb:x", "Key": KEY}}]},
        [("table-name", "/TransactItems/0/Delete/TableName")],
    ),
    (
        "table-arn",
        {
            "TransactItems": [
                {
                    "Delete": {
                        "TableName": "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts",
                        "Key": KEY,
                    }
                }
            ]
        },
        [],
    ),
]


@pytest.mark.parametrize(
    ("request_", "expected"), [row[1:] for row in REQUESTS], ids=[row[0] for row in REQUESTS]
)
def test_the_form_of_a_request_is_checked(request_: Json, expected: list[tuple[str, str]]) -> None:
    assert places(lint(request_)) == expected


TWICE: list[tuple[str, list[Json], object, list[str]]] = [
    ("put-and-delete", [put(), delete()], None, ["item-twice"]),
    ("check-counts", [check("attribute_exists(PK)"), put()], None, ["item-twice"]),
    (
        "numbers-by-value",
        [delete(key(sort="5")), update("REMOVE a", key(sort="5.0"))],
        None,
        ["item-twice"],
    ),
    ("exponent", [put(key(sort="100")), delete(key(sort="1e2"))], None, ["item-twice"]),
    (
        "binary-by-bytes",
        [
            {"Delete": {"TableName": "bin", "Key": {"id": {"B": "AR=="}}}},
            {"Delete": {"TableName": "bin", "Key": {"id": {"B": "AQ=="}}}},
        ],
        None,
        ["item-twice"],
    ),
    (
        "by-arn",
        [
            delete(),
            {
                "Delete": {
                    "TableName": "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts",
                    "Key": KEY,
                }
            },
        ],
        None,
        ["item-twice"],
    ),
    (
        "same-puts-without-schema",
        [put(item={"a": {"S": "x"}}), put(item={"a": {"S": "x"}})],
        None,
        ["item-twice"],
    ),
    ("puts-that-may-differ", [put(), put(item={"a": {"S": "x"}})], None, ["item-twice"]),
    (
        "puts-that-differ-in-an-attribute",
        [put(item={"a": {"S": "x"}}), put(item={"a": {"S": "y"}})],
        None,
        [],
    ),
    (
        "the-same-with-the-schema",
        [put(item={"a": {"S": "x"}}), put(item={"a": {"S": "y"}})],
        TABLE,
        ["item-twice"],
    ),
    ("other-table", [delete(), {"Delete": {"TableName": "others", "Key": KEY}}], None, []),
]


@pytest.mark.parametrize(
    ("items", "table", "expected"), [row[1:] for row in TWICE], ids=[row[0] for row in TWICE]
)
def test_no_item_has_two_actions(items: list[Json], table: object, expected: list[str]) -> None:
    assert codes(lint(items, table=table)) == expected


# --- B: tables and keys ------------------------------------------------------------------------

KEYS: list[tuple[str, list[Json], object, list[tuple[str, str]]]] = [
    ("missing", [delete({"PK": {"S": "a"}})], TABLE, [("key-names", "/0/Delete/Key")]),
    ("extra", [delete(KEY | {"x": {"S": "a"}})], TABLE, [("key-names", "/0/Delete/Key")]),
    (
        "three-without-schema",
        [delete(KEY | {"x": {"S": "a"}})],
        None,
        [("key-count", "/0/Delete/Key")],
    ),
    ("none-without-schema", [delete({})], None, [("key-count", "/0/Delete/Key")]),
    ("one-of-two-may-be-right", [delete({"PK": {"S": "a"}})], None, []),
    (
        "type",
        [delete({"PK": {"N": "1"}, "SK": {"N": "1"}})],
        TABLE,
        [("key-operand-type", "/0/Delete/Key/PK")],
    ),
    ("kind", [delete({"PK": {"BOOL": True}})], None, [("key-operand-kind", "/0/Delete/Key/PK")]),
    ("empty", [delete(key(""))], None, [("key-operand-empty", "/0/Delete/Key/PK")]),
    ("long", [delete(key("é" * 1025))], None, [("key-operand-long", "/0/Delete/Key/PK")]),
    ("longest", [delete(key("é" * 1024))], TABLE, []),
    ("item-without-key", [put({"PK": {"S": "a"}})], TABLE, [("item-without-key", "/0/Put/Item")]),
    (
        "item-without-shown-key",
        [delete(), put({"PK": {"S": "a"}})],
        None,
        [("item-without-key", "/1/Put/Item")],
    ),
    (
        "item-key-type",
        [put({"PK": {"S": "a"}, "SK": {"S": "a"}})],
        TABLE,
        [("key-operand-type", "/0/Put/Item/SK")],
    ),
    (
        "keys-that-differ",
        [delete(), delete({"PK": {"S": "b"}})],
        None,
        [("keys-differ", "/1/Delete/Key")],
    ),
    (
        "types-that-differ",
        [delete(), delete({"PK": {"S": "b"}, "SK": {"S": "b"}})],
        None,
        [("keys-differ", "/1/Delete/Key")],
    ),
    (
        "index-key-type",
        [put(item={"email": {"N": "1"}})],
        TABLE,
        [("index-key-type", "/0/Put/Item/email")],
    ),
    (
        "index-key-empty",
        [put(item={"email": {"S": ""}})],
        TABLE,
        [("index-key-empty", "/0/Put/Item/email")],
    ),
    ("index-key-absent", [put()], TABLE, []),
    (
        "index-key-set",
        [update("SET email = :e", **values(e={"N": "1"}))],
        TABLE,
        [("index-key-type", "/0/Update/UpdateExpression")],
    ),
    (
        "key-touched",
        [update("SET PK = :p", **values(p={"S": "a"}))],
        None,
        [("update-key", "/0/Update/UpdateExpression")],
    ),
    ("item-size", [put(item={"x": {"S": "x" * 409_600}})], None, [("item-size", "/0/Put/Item")]),
    (
        "all-sizes",
        [put(key(f"{n}"), item={"x": {"S": "x" * 400_000}}) for n in range(11)],
        None,
        [("transaction-size", "")],
    ),
]


@pytest.mark.parametrize(
    ("items", "table", "expected"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS]
)
def test_keys_and_items_fit_their_table(
    items: list[Json], table: object, expected: list[tuple[str, str]]
) -> None:
    assert places(lint(items, table=table)) == expected


def test_a_design_is_known_for_its_tables_too() -> None:
    design = {
        "table": "accounts",
        "partition_key": {"name": "PK", "type": "S"},
        "record": {"partition": "ACCT#{id}"},
        "lock": {"table": {"name": "locks", "partition_key": {"name": "lock", "type": "S"}}},
        "unique": [{"namespace": "EMAIL", "attributes": ["email"]}],
    }
    items = [delete(), {"Delete": {"TableName": "locks", "Key": {"PK": {"S": "a"}}}}]
    assert places(lint(items, design=design)) == [
        ("key-names", "/0/Delete/Key"),
        ("key-names", "/1/Delete/Key"),
    ]


# --- C: values (reports B59, B62, B63, B65, B66) -----------------------------------------------

ITEM = "/0/Put/Item/x"
VALUES: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("B59-number", {"N": 5}, [("number-not-text", ITEM + "/N")]),
    (
        "B59-numbers-in-a-set",
        {"NS": [1, 2]},
        [("number-not-text", ITEM + "/NS/0"), ("number-not-text", ITEM + "/NS/1")],
    ),
    ("B62-SS", {"SS": []}, [("set-empty", ITEM + "/SS")]),
    ("B62-NS", {"NS": []}, [("set-empty", ITEM + "/NS")]),
    ("B62-BS", {"BS": []}, [("set-empty", ITEM + "/BS")]),
    ("B62-L", {"L": []}, []),
    ("B62-M", {"M": {}}, []),
    ("B62-S", {"S": ""}, []),
    ("B62-B", {"B": ""}, []),
    ("B63-one-empty-string", {"SS": [""]}, []),
    ("B63-duplicate", {"SS": ["a", "a"]}, [("set-duplicate", ITEM + "/SS/1")]),
    ("B63-typed-member", {"SS": ["a", {"S": "b"}]}, [("string-expected", ITEM + "/SS/1")]),
    ("B65-null-false", {"NULL": False}, [("null-expected", ITEM + "/NULL")]),
    ("B65-null-text", {"NULL": "true"}, [("null-expected", ITEM + "/NULL")]),
    ("B65-bool-text", {"BOOL": "true"}, [("bool-expected", ITEM + "/BOOL")]),
    ("B65-null", {"NULL": True}, []),
    ("B66-no-tag", {}, [("value-tags", ITEM)]),
    ("B66-two-tags", {"S": "a", "N": "1"}, [("value-tags", ITEM)]),
    ("B66-lower-case", {"s": "a"}, [("value-tag-unknown", ITEM)]),
    ("B66-no-object", "a", [("value-untyped", ITEM)]),
    ("equal-numbers", {"NS": ["1", "1.0"]}, [("set-duplicate", ITEM + "/NS/1")]),
    ("39-digits", {"N": "1" * 39}, [("number-too-precise", ITEM + "/N")]),
    ("overflow", {"N": "1e126"}, [("number-too-large", ITEM + "/N")]),
    ("31-levels", deep(31), []),
    ("32-levels", deep(32), [("value-too-deep", ITEM + "/M/n" * 31 + "/M")]),
]


@pytest.mark.parametrize(
    ("value", "expected"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES]
)
def test_values_are_what_the_service_takes(value: Any, expected: list[tuple[str, str]]) -> None:
    assert places(lint([put(item={"x": value})])) == expected


def test_B64_values_are_checked_in_keys_and_placeholders_as_well() -> None:
    items = [delete(key(sort="x")), check("a = :a", key("2"), **values(a={"NS": ["1", "1.0"]}))]
    assert places(lint(items)) == [
        ("number-malformed", "/0/Delete/Key/SK/N"),
        ("set-duplicate", "/1/ConditionCheck/ExpressionAttributeValues/:a/NS/1"),
    ]


def test_B66_a_member_that_stands_twice_is_refused_with_its_path() -> None:
    key = '{"pk": {"S": "a"}, "pk": {"S": "b"}}'
    text = f'{{"TransactItems": [{{"Delete": {{"TableName": "t", "Key": {key}}}}}]}}'
    with pytest.raises(Refused) as refused:
        lint(text)
    assert [(p.code, p.path) for p in refused.value.problems] == [
        ("json-duplicate", "/TransactItems/0/Delete/Key/pk")
    ]


def test_B59_the_hint_says_how_to_write_the_number() -> None:
    (fault,) = lint('[{"Put": {"TableName": "t1x", "Item": {"badge": {"N": 30.40}}}}]').problems
    assert fault.problem.path == "/0/Put/Item/badge/N"
    assert fault.problem.hint == 'Write {"N": "30.40"}.'


# --- D: expressions ----------------------------------------------------------------------------

EXPRESSIONS: list[tuple[str, Json, list[tuple[str, str]]]] = [
    ("empty", check(""), [("expression-empty", "ConditionExpression")]),
    ("long", check("a" * 4097), [("text-too-long", "ConditionExpression")]),
    ("no-text", check(5), [("member-type", "ConditionExpression")]),  # type: ignore[arg-type]
    (
        "unused-value",
        check("attribute_exists(a)", **values(v={"S": "x"})),
        [("value-unused", "ExpressionAttributeValues/:v")],
    ),
    (
        "unused-name",
        check("attribute_exists(a)", ExpressionAttributeNames={"#n": "a"}),
        [("name-unused", "ExpressionAttributeNames/#n")],
    ),
    (
        "unused-longer-name",
        check("attribute_exists(#n1)", ExpressionAttributeNames={"#n": "a", "#n1": "b"}),
        [("name-unused", "ExpressionAttributeNames/#n")],
    ),
    (
        "undefined",
        check("#n = :v"),
        [("name-undefined", "ConditionExpression"), ("value-undefined", "ConditionExpression")],
    ),
    (
        "defined-but-unreadable",
        check("a = :v", **values(v={"N": "x"})),
        [("number-malformed", "ExpressionAttributeValues/:v/N")],
    ),
    (
        "unused-beside-a-syntax-fault",
        check("a = = :v", **values(v={"S": "a"}, w={"S": "b"})),
        [("value-unused", "ExpressionAttributeValues/:w"), ("syntax-equal", "ConditionExpression")],
    ),
    (
        "empty-maps",
        check("attribute_exists(a)", ExpressionAttributeNames={}, ExpressionAttributeValues={}),
        [("map-empty", "ExpressionAttributeNames"), ("map-empty", "ExpressionAttributeValues")],
    ),
    (
        "bad-token",
        check("a = :v", **values(v={"S": "a"}) | {"ExpressionAttributeNames": {"n": "a"}}),
        [
            ("placeholder-malformed", "ExpressionAttributeNames/n"),
            ("name-unused", "ExpressionAttributeNames/n"),
        ],
    ),
    (
        "name-no-text",
        check("attribute_exists(#n)", ExpressionAttributeNames={"#n": 5}),
        [("string-expected", "ExpressionAttributeNames/#n")],
    ),
    (
        "reserved",
        check("Status = :v", **values(v={"S": "a"})),
        [("name-reserved", "ConditionExpression")],
    ),
    (
        "parentheses",
        check("((attribute_exists(a)))"),
        [("parentheses-redundant", "ConditionExpression")],
    ),
    (
        "bounds",
        check("a BETWEEN :l AND :h", **values(l={"N": "10"}, h={"N": "9"})),
        [("between-order", "ConditionExpression")],
    ),
    (
        "in-101",
        check(
            f"a IN ({', '.join(f':v{n}' for n in range(101))})",
            ExpressionAttributeValues={f":v{n}": {"N": f"{n}"} for n in range(101)},
        ),
        [("in-too-many", "ConditionExpression")],
    ),
]


@pytest.mark.parametrize(
    ("action", "expected"), [row[1:] for row in EXPRESSIONS], ids=[row[0] for row in EXPRESSIONS]
)
def test_expressions_and_placeholders_are_checked(
    action: Json, expected: list[tuple[str, str]]
) -> None:
    at = "/0/ConditionCheck/"
    assert places(lint([action])) == [(code, at + place) for code, place in expected]


def test_placeholders_without_an_expression() -> None:
    action = delete(**values(v={"S": "a"}), ExpressionAttributeNames={"#n": "a"})
    assert codes(lint([action])) == ["names-without-expression", "values-without-expression"]


def test_placeholders_are_shared_by_both_expressions() -> None:
    action = update(
        "SET #a = :v",
        ConditionExpression="#a <> :v",
        ExpressionAttributeNames={"#a": "a"},
        **values(v={"S": "x"}),
    )
    assert lint([action]).valid


def test_what_is_accepted_and_hardly_meant_is_a_warning() -> None:
    report = lint([update("ADD a.b :v", **values(v={"N": "1"}))])
    assert report.valid
    assert [a.problem.code for a in report.warnings] == ["update-nested", "token-missing"]


# --- the service's answers ---------------------------------------------------------------------

SAID: list[tuple[str, Json, list[tuple[str, str, int | None]]]] = [
    (
        "empty",
        {"TransactItems": []},
        [
            (
                VALIDATION,
                (
                    "1 validation error detected: Value '[]' at 'transactItems' failed to "
                    "satisfy constraint: Member must have length greater than or equal to 1"
                ),
                None,
            )
        ],
    ),
    (
        "twice",
        {"TransactItems": [put(), delete()]},
        [(VALIDATION, "Transaction request cannot include multiple operations on one item", None)],
    ),
    (
        "choice",
        {"TransactItems": [ACTION], "ReturnConsumedCapacity": "BOGUS"},
        [
            (
                VALIDATION,
                (
                    "1 validation error detected: Value 'BOGUS' at 'returnConsumedCapacity' "
                    "failed to satisfy constraint: Member must satisfy enum value set: "
                    "[INDEXES, TOTAL, NONE]"
                ),
                None,
            )
        ],
    ),
    (
        "unused",
        {"TransactItems": [check("attribute_not_exists(PK)", **values(v={"S": "x"}))]},
        [
            (
                VALIDATION,
                "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
                None,
            )
        ],
    ),
    (
        "syntax",
        {"TransactItems": [put(ConditionExpression="attribute_not_exists(")]},
        [
            (
                VALIDATION,
                'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("',
                None,
            )
        ],
    ),
    (
        "syntax-inside",
        {"TransactItems": [put(ConditionExpression="a = = b")]},
        [
            (
                VALIDATION,
                'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"',
                None,
            )
        ],
    ),
    (
        "syntax-first",
        {"TransactItems": [update("INVALID SYNTAX HERE")]},
        [
            (
                VALIDATION,
                'Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
                None,
            )
        ],
    ),
    (
        "nested",
        {"TransactItems": [put(item={"d": deep(40)})]},
        [
            (
                VALIDATION,
                (
                    "Nesting Levels have exceeded supported limits: Attributes in the item "
                    "have nested levels beyond supported limit"
                ),
                None,
            )
        ],
    ),
    (
        "number",
        {"TransactItems": [put(item={"n": {"N": "abc"}})]},
        [(VALIDATION, "The parameter cannot be converted to a numeric value: abc", None)],
    ),
    (
        "no-number",
        {"TransactItems": [put(item={"n": {"N": ""}})]},
        [(VALIDATION, "The parameter cannot be converted to a numeric value", None)],
    ),
    (
        "number-of-a-placeholder",
        {"TransactItems": [update("SET n = :v", **values(v={"N": "1e126"}))]},
        [
            (
                VALIDATION,
                (
                    "ExpressionAttributeValues contains invalid value: Number overflow. "
                    "Attempting to store a number with magnitude larger than supported range "
                    "for key :v"
                ),
                None,
            )
        ],
    ),
    (
        "duplicates",
        {"TransactItems": [put(item={"s": {"SS": ["b", "a", "b"]}})]},
        [(VALIDATION, INVALID + "Input collection [b, a, b] contains duplicates.", None)],
    ),
    (
        "binary-duplicates",
        {"TransactItems": [put(item={"s": {"BS": ["/w==", "AA==", "AA=="]}})]},
        [
            (
                VALIDATION,
                INVALID + "Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
                None,
            )
        ],
    ),
    (
        "empty-name",
        {"TransactItems": [put(item={"": {"S": "a"}})]},
        [(VALIDATION, "Empty attribute name", None)],
    ),
    (
        "empty-key",
        {"TransactItems": [delete(key(""))]},
        [
            (
                VALIDATION,
                (
                    "One or more parameter values are not valid. The AttributeValue for a key "
                    "attribute cannot contain an empty string value. Key: PK"
                ),
                None,
            )
        ],
    ),
    (
        "key-type",
        {"TransactItems": [delete({"PK": {"N": "5"}, "SK": {"N": "5"}})]},
        [(CANCELLED, "The provided key element does not match the schema", 0)],
    ),
    (
        "item-key-type",
        {"TransactItems": [put({"PK": {"N": "5"}, "SK": {"N": "5"}})]},
        [(CANCELLED, INVALID + "Type mismatch for key PK expected: S actual: N", 0)],
    ),
    (
        "item-key-missing",
        {"TransactItems": [put({"PK": {"S": "5"}})]},
        [(CANCELLED, INVALID + "Missing the key SK in the item", 0)],
    ),
    (
        "item-size",
        {"TransactItems": [put(item={"x": {"S": "x" * 409_600}})]},
        [(VALIDATION, "Item size has exceeded the maximum allowed size", None)],
    ),
    (
        "key-touched",
        {"TransactItems": [update("REMOVE PK")]},
        [(CANCELLED, INVALID + "Cannot update attribute PK. This attribute is part of the key", 0)],
    ),
    (
        "operand",
        {"TransactItems": [update("ADD a :v", **values(v={"S": "a"}))]},
        [
            (
                VALIDATION,
                (
                    "Invalid UpdateExpression: Incorrect operand type for operator or "
                    "function; operator: ADD, operand type: STRING, typeSet: "
                    "ALLOWED_FOR_ADD_OPERAND"
                ),
                None,
            )
        ],
    ),
    (
        "overlap",
        {"TransactItems": [update("SET a.b[0] = :v, a = :v", **values(v={"S": "a"}))]},
        [
            (
                VALIDATION,
                (
                    "Invalid UpdateExpression: Two document paths overlap with each other; "
                    "must remove or rewrite one of these paths; path one: [a, b, [0]], path "
                    "two: [a]"
                ),
                None,
            )
        ],
    ),
    (
        "distinct",
        {"TransactItems": [check("contains(a, a)")]},
        [
            (
                VALIDATION,
                (
                    "Invalid ConditionExpression: The first operand must be distinct from the "
                    "remaining operands for this operator or function; operator: contains, "
                    "first operand: [a]"
                ),
                None,
            )
        ],
    ),
    (
        "number-in-json",
        {"TransactItems": [put(item={"n": {"N": 5}})]},
        [("SerializationException", "NUMBER_VALUE cannot be converted to String", None)],
    ),
]


@pytest.mark.parametrize(
    ("request_", "expected"), [row[1:] for row in SAID], ids=[row[0] for row in SAID]
)
def test_the_service_says_the_same_in_its_own_words(
    request_: Json, expected: list[tuple[str, str, int | None]]
) -> None:
    assert said(lint(request_, table=TABLE)) == expected


def test_what_only_an_sdk_refuses_has_no_answer_of_the_service() -> None:
    report = lint([put(IndexName="by-email")])
    assert said(report) == [None]
    assert report.as_document()["problems"][0]["service"] is None


def test_a_reason_of_a_cancelled_transaction_names_its_slot_and_code() -> None:
    report = lint([put(), delete({"PK": {"N": "5"}, "SK": {"N": "5"}})], table=TABLE)
    assert report.as_document()["problems"][0]["service"] == {
        "type": CANCELLED,
        "reason": "ValidationError",
        "text": "The provided key element does not match the schema",
        "slot": 1,
    }


ORDERS: list[tuple[str, Json, list[str]]] = [
    (
        "token-before-choices",
        {"TransactItems": [ACTION], "ReturnConsumedCapacity": "X", "ClientRequestToken": "x" * 37},
        ["token-length", "member-choice"],
    ),
    (
        "choices-before-actions",
        {"TransactItems": [put(), delete()], "ReturnConsumedCapacity": "X"},
        ["member-choice", "item-twice"],
    ),
    (
        "syntax-of-the-second-before-the-key-of-the-first",
        {"TransactItems": [delete({"PK": {"S": "a"}}), check("attribute_not_exists(")]},
        ["syntax-end", "key-names"],
    ),
    (
        "action-by-action",
        {"TransactItems": [put(item={"d": deep(40)}), put(key("2"), item={"": {"S": "x"}})]},
        ["value-too-deep", "attribute-name-empty"],
    ),
    (
        "name-before-depth",
        {"TransactItems": [put(item={"d": deep(40), "": {"S": "x"}})]},
        ["attribute-name-empty", "value-too-deep"],
    ),
    (
        "syntax-before-the-key-of-the-same",
        {
            "TransactItems": [
                delete({"PK": deep(40), "SK": {"N": "0"}}, ConditionExpression="a = = b")
            ]
        },
        ["syntax-equal", "value-too-deep"],
    ),
    (
        "unused-before-twice",
        {"TransactItems": [put(), check("attribute_exists(PK)", **values(v={"S": "x"}))]},
        ["value-unused", "item-twice"],
    ),
    (
        "twice-before-size",
        {"TransactItems": [put(item={"x": {"S": "x" * 409_600}}), delete()]},
        ["item-twice", "item-size"],
    ),
    (
        "empty-key-before-reasons",
        {"TransactItems": [delete({"PK": {"N": "1"}, "SK": {"N": "1"}}), delete(key(""))]},
        ["key-operand-empty", "key-operand-type"],
    ),
]


@pytest.mark.parametrize(
    ("request_", "expected"), [row[1:] for row in ORDERS], ids=[row[0] for row in ORDERS]
)
def test_problems_come_in_the_order_in_which_the_service_answers(
    request_: Json, expected: list[str]
) -> None:
    assert codes(lint(request_, table=TABLE)) == expected


def test_every_answer_is_for_a_code_that_has_texts() -> None:
    assert ROWS.keys() - TEXTS.keys() == set()


# --- hostile input -----------------------------------------------------------------------------


def endless() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


HOSTILE: list[tuple[str, Any]] = [
    ("cyclic", endless()),
    ("many-parts", [[0] * (MOST_PARTS + 1)]),
    ("deep-json", "[" * 100_000),
    ("not-utf8", b"\xff"),
]


@pytest.mark.parametrize("document", [row[1] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_what_cannot_be_looked_at_is_refused(document: Any) -> None:
    with pytest.raises(Refused):
        lint(document)


SURVIVED: list[tuple[str, Any]] = [
    (
        "names-that-are-no-texts",
        [{"Put": {"TableName": "abc", "Item": {1: {"S": "a"}}, 2: 3}, None: 1}],
    ),
    ("surrogates", [{"Delete": {"TableName": "\ud800", "Key": {"\ud800": {"S": "\ud800"}}}}]),
    ("huge-number", [{"Delete": {"TableName": "abc", "Key": {"a": {"N": 10**5000}}}}]),
    ("other-types", [{"Put": {"TableName": object(), "Item": {"a": {"S": {1, 2}}}}}]),
    (
        "deep-value",
        json.loads(
            '[{"Put": {"TableName": "abc", "Item": {"a": ' + '{"L": [' * 300 + "]}" * 300 + "}}}]"
        ),
    ),
    (
        "many-faults",
        [{"Put": {"TableName": "abc", "Item": {f"a{n}": {"N": "x"} for n in range(5000)}}}],
    ),
    ("slashes", [{"Put": {"TableName": "abc", "Item": {"a/b~c": {"N": "x"}}, "a/b~c": 1}}]),
    ("long-member", [{"Put": {"x" * 1_000_000: 1}}]),
]


@pytest.mark.parametrize("document", [row[1] for row in SURVIVED], ids=[row[0] for row in SURVIVED])
def test_anything_else_gives_a_report_that_can_be_sent(document: Any) -> None:
    report = lint(document)
    assert not report.valid
    json.dumps(report.as_document()).encode()


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_whatever_is_given_there_is_a_report_or_a_refusal(start: int) -> None:
    design = json.loads((CASES / "lint-worked-example-is-valid.json").read_text("utf-8"))["design"]
    for number in range(start, start + 100):
        assert json.dumps(answer(make(number), design)).encode()


def answer(document: object, design: Json) -> Json:
    try:
        return lint(document, design).as_document()
    except Refused as refused:
        return refused.as_document()


@pytest.mark.parametrize("token", ["1" * 5_000, "²", "2"], ids=["digits", "no digit", "beyond"])
def test_a_path_that_leads_to_no_element_has_no_value(token: str) -> None:
    document = {"TransactItems": ["a", "b"]}
    spot = spot_of(
        Problem("member-null", f"/TransactItems/{token}", {}), "/TransactItems", document
    )
    assert (spot.value, spot.around) == (None, ["a", "b"])
