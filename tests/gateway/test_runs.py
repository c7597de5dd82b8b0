"""What can be run, and what is said of a run whose outcome is not known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.gateway.conftest import soon
from webapp import runs
from webapp.answers import (
    Answer,
    Committed,
    Rejected,
    Trouble,
    Unavailable,
    Unknown,
    Unreachable,
)
from webapp.attempts import Stop
from webapp.core.failures.replay import Standing
from webapp.core.linting.lint import lint
from webapp.core.problems import Refused

KEY = {"PK": {"S": "a"}}
PUT = {"Put": {"TableName": "accounts", "Item": KEY}}
SAVED = {"request": {"TransactItems": [PUT]}, "slots": [{"table": "accounts", "key": KEY}]}
WHERE = {"endpoint": "local", "place": "http://127.0.0.1:1", "region": "r", "key_id": "abcd"}
LOST = Trouble("answer-lost", WHERE | {"detail": "time-out"})
CANCELLED = Rejected(
    "TransactionCanceledException",
    {
        "Error": {"Code": "TransactionCanceledException", "Message": "m"},
        "CancellationReasons": [{"Code": "ConditionalCheckFailed"}],
    },
    400,
)
MISMATCH = Rejected("x", {"Error": {"Code": "ValidationException", "Message": "m"}}, 400)


class Stored:
    """Answers every read with one item, or not at all."""

    def __init__(self, item: dict[str, Any] | Trouble | None) -> None:
        self.item = item
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    def get(
        self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None
    ) -> dict[str, Any] | None:
        self.asked.append((table, key))
        if isinstance(self.item, Trouble):
            raise Unavailable(self.item)
        return self.item


@pytest.mark.parametrize(
    "document", [None, 3, [], {}, {"request": {}}, {"slots": []}, {"request": [], "slots": []}]
)
def test_what_is_neither_request_nor_plan_is_refused(document: object) -> None:
    with pytest.raises(Refused) as raised:
        runs.read_run(document)
    assert [(p.code, p.path) for p in raised.value.problems] == [("run-document", "")]


def test_a_request_alone_is_told_where_its_saved_plan_is_printed() -> None:
    with pytest.raises(Refused) as raised:
        runs.read_run(SAVED["request"])
    [problem] = raised.value.problems
    assert (problem.code, problem.path) == ("run-request-alone", "")
    assert "lockwright plan --full" in problem.hint


def faults(request: dict[str, Any]) -> list[tuple[str, str]]:
    """Code and path of every problem for which a saved request is refused."""
    with pytest.raises(Refused) as raised:
        runs.read_run({"request": request, "slots": []})
    return [(problem.code, problem.path) for problem in raised.value.problems]


AT = "/request/TransactItems"
UNSENDABLE = {
    "no actions": ({}, [("member-missing", "/request")]),
    "a wrapped request": (
        {"request": {"TransactItems": [PUT]}},
        [("parameter-unknown", "/request/request"), ("member-missing", "/request")],
    ),
    "a big number": ({"TransactItems": 10**30}, [("member-type", AT)]),
    "a token of half a pair": (
        {"TransactItems": [PUT], "ClientRequestToken": "\ud800"},
        [("saved-request", "/request")],
    ),
    "a misspelt guard": (
        {"TransactItems": [{"Put": PUT["Put"] | {"ConditionExpresion": "attribute_exists(PK)"}}]},
        [("parameter-unknown", f"{AT}/0/Put/ConditionExpresion")],
    ),
    "one item twice": ({"TransactItems": [PUT, PUT]}, [("item-twice", f"{AT}/1/Put")]),
    "two faults in two actions": (
        {
            "TransactItems": [
                {"Put": {"TableName": "accounts", "Item": {"PK": {"S": "b"}, "n": {"N": 5}}}},
                {"Delete": {"TableName": "a b", "Key": KEY}},
            ]
        },
        [("number-not-text", f"{AT}/0/Put/Item/n/N"), ("table-name", f"{AT}/1/Delete/TableName")],
    ),
}


@pytest.mark.parametrize(("request_", "expected"), UNSENDABLE.values(), ids=UNSENDABLE)
def test_a_saved_request_that_would_be_refused_is_told_all_its_problems(
    request_: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert faults(request_) == expected


def test_a_saved_request_that_is_only_unwise_is_sent_as_it_is() -> None:
    unwise = (
        b'{"TransactItems":['
        b'{"Put":{"TableName":"accounts","Item":{"PK":{"S":"ACCT#1"},"email":{"S":"a@x"}},'
        b'"ConditionExpression":"attribute_not_exists(PK)"}},'
        b'{"Put":{"TableName":"accounts","Item":{"PK":{"S":"UNIQ#EMAIL#a@x"}}}}],'
        b'"ClientRequestToken":"t"}'
    )
    request = json.loads(unwise)
    assert [advice.problem.code for advice in lint(request).warnings] == ["lock-unguarded"]
    slots = [{"table": "accounts", "key": {"PK": {"S": f}}} for f in ("ACCT#1", "UNIQ#EMAIL#a@x")]
    assert runs.read_run({"request": request, "slots": slots}).text == unwise


@pytest.mark.parametrize(
    ("answer", "doubtful"),
    [
        (Committed({}), False),
        (MISMATCH, False),
        (Rejected("x", {}, 400, after_unknown=True), True),
        (Unreachable(LOST), False),
        (Unknown(LOST), True),
    ],
)
def test_doubt_is_left_only_by_answers_that_were_lost(answer: Answer, doubtful: bool) -> None:
    assert runs.in_doubt(answer) is doubtful


@pytest.mark.parametrize(
    ("stored", "verdict"),
    [(KEY, "already-done"), (None, "not-done"), (LOST, "cannot-tell")],
    ids=["stands", "does not stand", "cannot be read"],
)
def test_the_items_that_stand_say_what_is_true(
    stored: dict[str, Any] | Trouble | None, verdict: str
) -> None:
    reader = Stored(stored)
    assert runs.look(reader, runs.read_run(SAVED), soon()).verdict == verdict
    assert reader.asked == [("accounts", KEY)]


def test_an_outcome_that_is_not_known_says_so_with_what_stands() -> None:
    run = runs.read_run(SAVED)
    outcome = runs.outcome_document(run, Unknown(LOST, 3), Standing("not-done"))
    explanation = outcome.pop("explanation")
    assert outcome == {
        "committed": False,
        "consumed": [],
        "attempts": 3,
        "standing": Standing("not-done").as_document(),
    }
    assert explanation["verdict"] == "unknown"
    assert LOST.as_document().items() <= explanation.items()


@pytest.mark.parametrize("answer", [Unknown(LOST, 3), MISMATCH, CANCELLED], ids=type)
def test_what_is_done_already_is_committed_and_says_nothing_else(answer: Answer) -> None:
    standing = Standing("already-done", ("as-wanted",))
    assert runs.outcome_document(runs.read_run(SAVED), answer, standing) == {
        "committed": True,
        "explanation": None,
        "consumed": [],
        "attempts": answer.attempts,
        "standing": standing.as_document(),
    }


def test_a_refusal_is_explained() -> None:
    outcome = runs.outcome_document(runs.read_run(SAVED), MISMATCH)
    assert (outcome["committed"], outcome["explanation"]["verdict"]) == (False, "invalid")


def test_every_run_carries_a_token() -> None:
    texts = [runs.read_run(SAVED).text for _ in range(2)]
    first, second = (json.loads(text) for text in texts)
    assert len(first["ClientRequestToken"]) == 36
    assert first["ClientRequestToken"] != second.pop("ClientRequestToken")
    assert second == SAVED["request"]
    kept = {"TransactItems": [PUT], "ClientRequestToken": "mine"}
    assert json.loads(runs.read_run({**SAVED, "request": kept}).text) == kept
