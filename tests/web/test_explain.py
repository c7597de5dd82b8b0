"""Explaining an error: the JSON route, and the outcome of a run."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.core.test_explain_question import DESIGN, PLAN, REQUEST
from tests.web.conftest import FakeGateway, form
from tests.web.test_transaction_page import cancelled, trouble
from webapp.answers import Answer, Rejected, Unknown, Unreachable
from webapp.core.question import read_question
from webapp.web.draft import EXAMPLE
from webapp.web.writing import write

CANCELLED = "TransactionCanceledException"
TEXT = (
    f"An error occurred ({CANCELLED}) when calling the TransactWriteItems operation: Transaction "
    "cancelled, please refer cancellation reasons for specific reasons "
    "[None, ConditionalCheckFailed]"
)


# The JSON route


def test_the_route_explains_as_the_core_does(client: FlaskClient) -> None:
    for asked in ({"plan": PLAN, "error": TEXT}, {"request": REQUEST, "error": {"Code": "X"}}):
        answer = client.post("/api/v1/explain", json=asked)
        assert answer.status_code == 200
        assert answer.get_json() == read_question(asked).explanation().as_document()


def test_the_route_refuses_with_all_problems(client: FlaskClient) -> None:
    asked = {"request": 7, "design": DESIGN | {"colour": "red"}, "error": TEXT}
    answer = client.post("/api/v1/explain", json=asked)
    assert answer.status_code == 422
    assert [(p["code"], p["path"]) for p in answer.get_json()["problems"]] == [
        ("member-unknown", "/design/colour"),
        ("explain-no-actions", "/request"),
    ]


# The outcome of a run


ANSWERS: dict[str, tuple[Answer, int, str]] = {
    "taken": (cancelled("None", "ConditionalCheckFailed", "None"), 409, "taken"),
    "cancelled, cause not known": (cancelled(), 409, "no-reasons"),
    "reasons that do not fit": (cancelled("ConditionalCheckFailed"), 409, "reasons-do-not-fit"),
    "refused by the service": (Rejected("ValidationException", {}, 400), 502, "not-understood"),
    "not reached": (Unreachable(trouble("connection-refused")), 502, "not-sent"),
    "lost": (Unknown(trouble("answer-lost")), 502, "outcome-unknown"),
    "still worked on": (Unknown(trouble("in-progress")), 502, "in-progress"),
}


@pytest.mark.parametrize(("answer", "status", "cause"), ANSWERS.values(), ids=ANSWERS.keys())
def test_every_outcome_is_explained_whole_and_has_its_status(
    client: FlaskClient, gateway: FakeGateway, answer: Answer, status: int, cause: str
) -> None:
    gateway.answer = answer
    ran = client.post("/api/v1/run", json={**write(EXAMPLE).document, "endpoint": "local"})
    assert ran.status_code == status
    explanation = ran.get_json()["explanation"]
    whole: dict[str, Any] = read_question({"error": "x"}).explanation().as_document()
    assert (explanation["cause"], whole.keys() - explanation.keys()) == (cause, set())
    assert client.post("/run", data=form(endpoint="local")).status_code == status
