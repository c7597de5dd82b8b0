"""The gateway against real engines: values, tokens, reasons, reads."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from webapp.answers import Committed, Rejected, Unavailable
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway

KEY = {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}}
EVERY_TYPE: dict[str, Any] = {
    "s": {"S": "é\u0000\U0001f600"},
    "n": {"N": "70605040302010908071"},
    "b": {"B": "AAECgA=="},
    "bool": {"BOOL": False},
    "null": {"NULL": True},
    "l": {"L": [{"S": ""}, {"M": {"x": {"B": "/w=="}}}]},
    "m": {"M": {}},
    "ss": {"SS": ["a"]},
    "ns": {"NS": ["99999999999999999999999999999999999999"]},
    "bs": {"BS": ["AQ=="]},
}


@pytest.fixture(params=["engine", "moto_engine"])
def each_engine(request: pytest.FixtureRequest) -> Gateway:
    """Every engine in turn."""
    endpoint: Endpoint = request.getfixturevalue(request.param)
    return Gateway(endpoint)


@pytest.fixture
def each_table(each_engine: Gateway) -> str:
    """A table that is emptied by being made anew."""
    if "values" in each_engine.tables():
        each_engine.delete_table("values")
    each_engine.create_table("values", ("PK", "S"), ("SK", "S"))
    return "values"


def put(table: str, item: dict[str, Any], token: str | None = None, **members: Any) -> bytes:
    """The text of a transaction that puts one new item."""
    action = {
        "TableName": table,
        "Item": KEY | item,
        "ConditionExpression": "attribute_not_exists(PK)",
        **members,
    }
    request: dict[str, Any] = {"TransactItems": [{"Put": action}]}
    return json.dumps(request | ({"ClientRequestToken": token} if token else {})).encode()


def test_every_type_comes_back_as_it_was_sent(each_engine: Gateway, each_table: str) -> None:
    assert isinstance(each_engine.send(put(each_table, EVERY_TYPE)), Committed)
    assert each_engine.get(each_table, KEY) == KEY | EVERY_TYPE


def test_a_failed_condition_is_told_by_slot_with_the_item_that_stands(
    each_engine: Gateway, each_table: str
) -> None:
    each_engine.send(put(each_table, EVERY_TYPE))
    answer = each_engine.send(put(each_table, {}, ReturnValuesOnConditionCheckFailure="ALL_OLD"))
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.status) == ("TransactionCanceledException", 400)
    (reason,) = answer.reasons
    assert (reason["Code"], reason["Item"]) == ("ConditionalCheckFailed", KEY | EVERY_TYPE)


def test_a_table_is_made_once_and_described(each_engine: Gateway, each_table: str) -> None:
    assert each_engine.create_table(each_table, ("PK", "S"), ("SK", "S")) is False
    assert each_table in each_engine.tables()
    assert each_engine.describe(each_table)["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]


def test_a_table_that_is_not_there_is_told_with_the_place_and_the_remedy(
    each_engine: Gateway,
) -> None:
    with pytest.raises(Unavailable) as raised:
        each_engine.describe("nowhere")
    assert raised.value.trouble.code == "table-missing"
    assert each_engine.endpoint.place in raised.value.trouble.message


def test_B76_a_table_made_with_another_region_is_told_with_place_region_and_key(
    engine: Endpoint, gateway: Gateway
) -> None:
    elsewhere = Gateway(replace(engine, region="eu-west-1"))
    elsewhere.create_table("other-region", ("PK", "S"), ("SK", "S"))
    answer = gateway.send(put("other-region", {}))
    elsewhere.delete_table("other-region")
    assert isinstance(answer, Rejected)
    assert answer.trouble is not None
    assert answer.trouble.message == (
        f"There is no such table at local ({engine.url}, Region us-east-1, key id lockwright): "
        "other-region."
    )
    assert "DynamoDB Local: the option sharedDb" in answer.trouble.hint


def test_B74_a_token_makes_sending_again_a_no_op_and_another_body_an_error(
    gateway: Gateway, table: str
) -> None:
    first = put(table, {"name": {"S": "Ada"}}, token="token-1")
    edited = put(table, {"name": {"S": "Countess"}}, token="token-1")
    assert gateway.send(first) == Committed({})
    assert gateway.send(first) == Committed({})
    answer = gateway.send(edited)
    assert isinstance(answer, Rejected)
    assert answer.code == "IdempotentParameterMismatchException"
    assert gateway.get(table, KEY) == KEY | {"name": {"S": "Ada"}}


def test_pages_of_a_scan_hold_every_item_once(gateway: Gateway, table: str) -> None:
    for number in range(7):
        key = {"PK": {"S": f"ACCT#{number}"}}
        assert isinstance(gateway.send(put(table, key)), Committed)
    pages = list(gateway.pages("Scan", {"TableName": table, "Limit": 3}))
    items = [item["PK"]["S"] for page in pages for item in page["Items"]]
    assert len(pages) >= 3
    assert sorted(items) == [f"ACCT#{number}" for number in range(7)]
