"""Answers that are JSON but not DynamoDB's: told as such, and never taken for anything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.gateway.fake_service import FakeService, Reply, error
from webapp.answers import Rejected, Unavailable, Unknown
from webapp.attempts import Policy
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway, Limits
from webapp.gateway.members import MEMBERS, strange_member

QUICK = Policy(jitter=lambda: 0.0, attempts=2, first_pause=0.001)
TEXT = b'{"TransactItems":[{"Put":{"TableName":"accounts","Item":{}}}],"ClientRequestToken":"t"}'
ITEM: Mapping[str, Any] = {
    "s": {"S": ""},
    "n": {"N": "1E+2"},
    "b": {"B": "AA=="},
    "t": {"BOOL": False},
    "z": {"NULL": True},
    "l": {"L": [{"S": "a"}, {"L": []}]},
    "m": {"M": {"": {"M": {}}}},
    **{tag: {tag: ["1"]} for tag in ("SS", "NS", "BS")},
}
NO_VALUES: tuple[Any, ...] = (5, "x", None, [], {}, {"Q": "x"}, {"S": "x", "N": "1"})
STRANGE_ITEMS: tuple[Any, ...] = (
    *(5, "x", [], [ITEM], True),
    *({"a": value} for value in NO_VALUES),
    *({"a": {tag: 5}} for tag in ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")),
    *({"a": {"SS": [5]}}, {"a": {"L": [5]}}, {"a": {"M": {"b": 5}}}, {"a": {"L": [{"M": 5}]}}),
)
LIKE_DYNAMODB: Mapping[str, tuple[Any, ...]] = {
    "Attributes": (ITEM, {}),
    "CancellationReasons": ([], [{"Code": "None"}, {"Item": ITEM}, {"Item": None}]),
    "Count": (0, 5),
    "Item": (ITEM, {}),
    "Items": ([], [ITEM, {}]),
    "LastEvaluatedKey": ({"PK": {"S": "a"}},),
    "Responses": ([], [{}, {"Item": ITEM}], {"accounts": [ITEM]}),
    "LastEvaluatedTableName": ("accounts",),
    "ScannedCount": (0,),
}
STRANGE: Mapping[str, tuple[Any, ...]] = {
    "Attributes": STRANGE_ITEMS,
    "CancellationReasons": (5, "x", {}, ["x"], [None], [[]], [{"Item": 5}]),
    "Count": ("5", 1.5, [], {}),
    "Item": STRANGE_ITEMS,
    "Items": (5, "x", {}, *([item] for item in STRANGE_ITEMS)),
    "LastEvaluatedKey": STRANGE_ITEMS,
    "Responses": (5, "x", ["x"], [None], {"a": 5}, {"a": [5]}, [{"Item": {"a": 5}}]),
    "LastEvaluatedTableName": (5, {}, []),
    "ScannedCount": ("5",),
}


@pytest.fixture
def asker(service: FakeService) -> Gateway:
    return Gateway(local_endpoint("fake", service.url), Limits(), QUICK)


def test_every_member_that_is_checked_is_tried_both_ways() -> None:
    assert MEMBERS.keys() == LIKE_DYNAMODB.keys() == STRANGE.keys()


def cases(given: Mapping[str, tuple[Any, ...]]) -> list[tuple[str, Any]]:
    """One case for every value of every member."""
    return [(member, value) for member, values in given.items() for value in values]


@pytest.mark.parametrize(("member", "value"), cases(LIKE_DYNAMODB))
def test_what_is_like_dynamodb_is_not_strange(member: str, value: Any) -> None:
    assert strange_member({"ConsumedCapacity": 5, member: value}) == ""


@pytest.mark.parametrize(("member", "value"), cases(STRANGE))
def test_what_is_not_like_dynamodb_is_told_by_its_name(member: str, value: Any) -> None:
    assert strange_member({"ConsumedCapacity": 5, member: value}) == member


def test_an_answer_with_a_strange_member_is_none(service: FakeService, asker: Gateway) -> None:
    service.script = [Reply(body=b'{"Items":[{"a":5}]}')]
    answer = asker.ask("Query", b"{}")
    assert isinstance(answer, Unknown)
    said = "does not speak as DynamoDB does: its answer has strange Items"
    assert answer.trouble.message.endswith(said)


def test_a_refusal_is_told_without_its_strange_members(
    service: FakeService, asker: Gateway
) -> None:
    strange: dict[str, Any] = {"CancellationReasons": ["x"], "Item": 5, "Other": 5}
    service.script = [error("TransactionCanceledException", "no", **strange)]
    said = {"Error": {"Code": "TransactionCanceledException", "Message": "no"}, "Other": 5}
    assert asker.send(TEXT) == Rejected("TransactionCanceledException", said, 400)


@pytest.mark.parametrize("table", [{}, {"TableStatus": 5}, [], None], ids=str)
def test_a_table_of_which_nothing_is_told_is_missing_as_was_said(
    table: Any, service: FakeService, asker: Gateway
) -> None:
    described = Reply(body=json.dumps({"Table": table}).encode())
    service.script = [error("ResourceNotFoundException", "no such table"), described]
    answer = asker.send(TEXT)
    assert isinstance(answer, Rejected)
    assert answer.trouble is not None
    assert answer.trouble.code == "table-missing"


@pytest.mark.parametrize(
    ("look", "most"),
    [
        (lambda gateway: gateway.get("accounts", {}), "4,194,304"),
        (lambda gateway: gateway.describe("accounts"), "1,048,576"),
        (lambda gateway: gateway.tables(), "1,048,576"),
    ],
    ids=["item", "table", "names"],
)
def test_no_more_is_read_than_such_an_answer_can_have(
    look: Any, most: str, service: FakeService, asker: Gateway
) -> None:
    service.script = [Reply(body=b'{"Item":{"a":{"S":"' + b"x" * 4_200_000 + b'"}}}')]
    with pytest.raises(Unavailable) as raised:
        look(asker)
    assert f"was longer than {most} bytes and was not read" in raised.value.trouble.message
