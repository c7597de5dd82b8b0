"""Requests pasted with something wrong in them: every fault at its place in the request."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.core.expressions.builder import expression, parse
from webapp.core.problems import Refused

PUT = {"Put": {"TableName": "accounts", "Item": {"PK": {"S": "a"}}}}
ONE, TWO = (
    {"Delete": {"TableName": "accounts", "Key": {"PK": {"S": key}, "SK": {"S": "s"}}}}
    for key in "ab"
)
GET = {"TableName": "accounts", "Key": {"PK": {"S": "a"}}}
TWICE = {"TransactItems": [ONE, TWO, ONE]}
MANY = {"TransactItems": [ONE] + [PUT] * 100}


def update(**members: Any) -> dict[str, Any]:
    return {"Update": {**GET, **members}}


UNREADABLE: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("no key", {**GET, "Key": None}, [("member-missing", "/Key")]),
    (
        "a name that is no text",
        {
            **GET,
            "ProjectionExpression": "#a, b",
            "ExpressionAttributeNames": {"#a": ["a"], "#b": None},
        },
        [
            ("string-expected", "/ExpressionAttributeNames/#a"),
            ("string-expected", "/ExpressionAttributeNames/#b"),
        ],
    ),
    (
        "a value that cannot be read",
        {
            "TableName": "accounts",
            "FilterExpression": "a < :a AND b = :b",
            "ExpressionAttributeValues": {":a": {"N": "x"}},
        },
        [
            ("number-malformed", "/ExpressionAttributeValues/:a/N"),
            ("value-undefined", "/FilterExpression"),
        ],
    ),
    (
        "no map of values",
        {
            "TableName": "accounts",
            "FilterExpression": "a < :a AND b = :b",
            "ExpressionAttributeValues": [":a"],
        },
        [("values-expected", "/ExpressionAttributeValues")],
    ),
    (
        "members of a document, not of a request",
        {**GET, "alias": "always", "Alias": "always", "PartitionKey": {}},
        [
            ("parameter-unknown", "/alias"),
            ("parameter-unknown", "/Alias"),
            ("parameter-unknown", "/PartitionKey"),
        ],
    ),
    (
        "a transaction's own members",
        {"TransactItems": [PUT], "ClientRequestToken": 7, "Other": 1, "client_request_token": "a"},
        [
            ("parameter-unknown", "/Other"),
            ("parameter-unknown", "/client_request_token"),
            ("member-type", "/ClientRequestToken"),
        ],
    ),
    ("no action", {"TransactItems": []}, [("member-empty", "/TransactItems")]),
]

READABLE: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("one item twice", TWICE, [("item-twice", "/TransactItems/2")]),
    (
        "inside an answer's document",
        {"operation": "TransactWriteItems", "request": TWICE},
        [("item-twice", "/request/TransactItems/2")],
    ),
    ("too many actions", MANY, [("actions-too-many", "/TransactItems")]),
    (
        "actions of two kinds of transactions",
        {"TransactItems": [{"Get": GET}, PUT]},
        [("action-unknown", "/TransactItems/1/Put")],
    ),
    (
        "nothing to update",
        {"TransactItems": [update()]},
        [("update-missing", "/TransactItems/0/Update")],
    ),
    ("an action alone", update(), [("update-missing", "/Update")]),
    (
        "what only a request of its own has",
        {"TransactItems": [update(UpdateExpression="REMOVE a", ReturnValues="ALL_OLD")]},
        [("action-member", "/TransactItems/0/Update/ReturnValues")],
    ),
]


@pytest.mark.parametrize(
    ("request_", "expected"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE]
)
def test_refused_at_the_parameter(request_: Any, expected: list[tuple[str, str]]) -> None:
    with pytest.raises(Refused) as refused:
        parse(request_)
    assert [(problem.code, problem.path) for problem in refused.value.problems] == expected


@pytest.mark.parametrize(
    ("request_", "expected"), [row[1:] for row in READABLE], ids=[row[0] for row in READABLE]
)
def test_read_and_told_at_the_parameter(request_: Any, expected: list[tuple[str, str]]) -> None:
    parsed = parse(request_)
    assert [(problem.code, problem.path) for problem in parsed.problems] == expected


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"operation": "GetItem", "table": "accounts", "key": None}, "/key"),
        ({"operation": "PutItem", "table": "accounts", "item": None}, "/item"),
        ({"operation": "Query", "table": "accounts", "key_condition": None}, "/key_condition"),
    ],
)
def test_null_is_no_member(document: Any, path: str) -> None:
    with pytest.raises(Refused) as refused:
        expression(document)
    assert [(problem.code, problem.path) for problem in refused.value.problems] == [
        ("member-missing", path)
    ]
