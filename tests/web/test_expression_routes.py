"""The JSON routes of the expression builder: trees in, requests out, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web.test_api import codes
from webapp.core.expressions import builder
from webapp.web.openapi import OPERATION_SHAPES, openapi

QUERY: dict[str, Any] = {
    "operation": "Query",
    "table": "accounts",
    "key_condition": {"op": "=", "path": "PK", "value": {"S": "ACCT#a1f9c3"}},
    "filter": {"op": "<>", "path": "status", "value": {"S": "closed"}},
    "projection": ["profile.email"],
    "limit": 25,
}
REQUEST = {
    "TableName": "accounts",
    "KeyConditionExpression": "PK = :PK",
    "FilterExpression": "#status <> :status",
    "ProjectionExpression": "profile.email",
    "ExpressionAttributeNames": {"#status": "status"},
    "ExpressionAttributeValues": {":PK": {"S": "ACCT#a1f9c3"}, ":status": {"S": "closed"}},
    "Limit": 25,
}


def test_an_operation_gives_its_request(client: FlaskClient) -> None:
    answer = client.post("/api/v1/expression", json=QUERY)
    assert answer.status_code == 200
    assert answer.get_json() == {"request": REQUEST, "problems": [], "warnings": []}


def test_a_request_is_read_back_and_gives_the_same_request_again(client: FlaskClient) -> None:
    parsed = client.post("/api/v1/expression/parse", json=REQUEST)
    assert parsed.status_code == 200
    assert parsed.get_json() == json.loads(json.dumps(builder.parse(REQUEST).as_document()))
    again = client.post("/api/v1/expression", json=parsed.get_json()["document"])
    assert again.get_json()["request"] == REQUEST


def test_a_transaction_is_composed(client: FlaskClient) -> None:
    delete = {"operation": "DeleteItem", "table": "accounts", "key": {"PK": {"S": "1"}}}
    composed = {"operation": "TransactWriteItems", "actions": [delete]}
    answer = client.post("/api/v1/expression", json=composed)
    assert answer.get_json()["request"] == {
        "TransactItems": [{"Delete": {"TableName": "accounts", "Key": {"PK": {"S": "1"}}}}]
    }


def test_all_problems_are_told_at_their_places(client: FlaskClient) -> None:
    filter_ = {"op": "between", "path": "age", "low": {"N": "9"}, "high": {"N": "1"}}
    wrong = QUERY | {"filter": filter_, "projection": ["a", "a.b"]}
    answer = client.post("/api/v1/expression", json=wrong)
    assert (answer.status_code, codes(answer)) == (
        422,
        [("between-order", "/filter"), ("paths-overlap", "/projection/1")],
    )


def test_a_syntax_error_points_at_its_character(client: FlaskClient) -> None:
    bare = {"kind": "filter", "expression": "a = :a AND OR b", "values": {":a": {"S": "x"}}}
    answer = client.post("/api/v1/expression/parse", json=bare)
    [problem] = answer.get_json()["problems"]
    assert answer.status_code == 422
    assert (problem["code"], problem["path"], problem["position"], problem["caret"]) == (
        "syntax",
        "/expression",
        11,
        "a = :a AND OR b\n           ^^",
    )


@pytest.mark.parametrize("route", ["/api/v1/expression", "/api/v1/expression/parse"])
@pytest.mark.parametrize("document", [7, [], {}, {"operation": 7}, {"operation": []}])
def test_what_is_no_document_is_refused(client: FlaskClient, route: str, document: object) -> None:
    answer = client.post(route, json=document)
    assert answer.status_code == 422
    assert answer.get_json()["problems"]


def test_the_description_has_a_document_for_each_operation() -> None:
    schemas = openapi()["components"]["schemas"]
    named = [schemas[f"{name}Document"]["properties"]["operation"] for name in OPERATION_SHAPES]
    assert named == [{"const": name} for name in OPERATION_SHAPES]
    assert set(schemas["QueryDocument"]["properties"]) > {"key_condition", "filter", "index"}
