"""Explaining an error: the JSON route, the outcome of a run, and the page."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.core.test_explain_question import ASKED, DESIGN, PLAN, REQUEST
from tests.web.conftest import FakeGateway, form, htmx
from tests.web.reading import Controls, board, notes
from tests.web.test_transaction_page import cancelled, trouble
from webapp.answers import Answer, Rejected, Unknown, Unreachable
from webapp.core.failures.question import read_question
from webapp.web.draft import BLANK, EXAMPLE
from webapp.web.writing import write

CANCELLED = "TransactionCanceledException"
TEXT = (
    f"An error occurred ({CANCELLED}) when calling the TransactWriteItems operation: Transaction "
    "cancelled, please refer cancellation reasons for specific reasons "
    "[None, ConditionalCheckFailed]"
)
REASONS = [{"Code": "None"}, {"Code": "ConditionalCheckFailed"}]


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


# The page


PLAN_TEXT = json.dumps(PLAN, indent=2)
FIELDS = ("error", "sent", "design")


def explained(page: str) -> dict[str, str]:
    """What the page says of each field."""
    told = re.findall(r'<dt class="mono">(.*?)</dt><dd>(.*?)</dd>', page)
    return {unescape(name): unescape(message) for name, message in told}


def asked(client: FlaskClient, **texts: str) -> Any:
    return client.post("/explain", data=dict.fromkeys(FIELDS, "") | texts)


def test_the_worked_example_names_field_slot_item_and_owner(client: FlaskClient) -> None:
    page = client.get("/explain?start=example")
    assert page.status_code == 200
    told = "email is taken by the record ACCT#07be21 / PROFILE."
    assert explained(page.text) == {"email": told}
    create, email, username = board(page.text)
    assert create == "Slot 0 create ACCT#a1f9c3 / PROFILE did not fail"
    assert username == "Slot 2 claim UNIQ#HANDLE#ada / LOCK did not fail"
    assert email.startswith(
        f"Slot 1 claim UNIQ#EMAIL#ada@lovelace.io / LOCK {told} "
        "ConditionalCheckFailed , held by ACCT#07be21 / PROFILE The item that was met {"
    )
    assert "“Already in use: email. Please choose something else.”" in unescape(page.text)


def test_an_empty_page_asks_for_nothing_yet(client: FlaskClient) -> None:
    page = client.get("/explain")
    assert page.status_code == 200
    assert (notes(page.text), Controls(page.text).invalid) == ({}, [])
    assert "Still to fill in" not in page.text


FORMS = {
    "the command line": TEXT,
    "e.response": repr({"Error": {"Code": CANCELLED}, "CancellationReasons": REASONS}),
    "the JavaScript SDK v3": json.dumps({"name": CANCELLED, "CancellationReasons": REASONS}),
    "Java": f"software.amazon.awssdk.services.dynamodb.model.{CANCELLED}: Transaction cancelled, "
    "please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed] "
    "(Service: DynamoDb, Status Code: 400)",
    "only the list": "[None, ConditionalCheckFailed]",
}


@pytest.mark.parametrize("error", FORMS.values(), ids=FORMS.keys())
def test_B69_B95_the_error_is_read_in_every_form(client: FlaskClient, error: str) -> None:
    page = asked(client, error=error, sent=PLAN_TEXT)
    assert (page.status_code, explained(page.text)) == (200, {"email": "email is taken."})


SENT = {
    "a plan": PLAN,
    "a plan request": ASKED,
    "a request": REQUEST,
    "a list of actions": REQUEST["TransactItems"],
}


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT.keys())
def test_the_answered_transaction_is_read_in_every_form(client: FlaskClient, sent: object) -> None:
    page = asked(client, error=TEXT, sent=json.dumps(sent), design=json.dumps(DESIGN))
    assert (page.status_code, explained(page.text)) == (200, {"email": "email is taken."})


ADVICE = {
    "B74 a token that belongs to another plan": (
        "IdempotentParameterMismatchException",
        "Look at the stored state, then make a new token for the plan as it is now.",
    ),
    "B75 still in progress": (
        "TransactionInProgressException",
        "Yes: exactly the same, with the same token.",
    ),
    "a conflict": ("[TransactionConflict, None]", "Yes: exactly the same, with the same token."),
    "an error alone": (TEXT, "What the condition is for cannot be told from the request"),
    "nothing that anybody knows": ("what?", "The cause is not known: what?"),
}


@pytest.mark.parametrize(("error", "words"), ADVICE.values(), ids=ADVICE.keys())
def test_an_error_without_a_plan_is_explained_as_far_as_it_goes(
    client: FlaskClient, error: str, words: str
) -> None:
    page = asked(client, error=error)
    assert page.status_code == 200
    assert words in unescape(page.text)


def test_a_conflict_is_never_told_as_taken(client: FlaskClient) -> None:
    page = asked(client, error="[None, TransactionConflict]", sent=PLAN_TEXT)
    told = "Another write touched email at the same moment: nothing is known to be taken."
    assert explained(page.text) == {"email": told}


def test_a_list_that_does_not_fit_names_no_field(client: FlaskClient) -> None:
    page = asked(client, error="[None, None, ConditionalCheckFailed]", sent=PLAN_TEXT)
    assert (explained(page.text), board(page.text)) == ({}, [])
    assert "3 reasons do not fit" in unescape(page.text)


COLOURED = json.dumps(DESIGN | {"colour": "red"}, indent=1)
NO_TOKEN = json.dumps(ASKED | {"token": ""}, indent=1)


def last_line_but_one(text: str) -> int:
    return text.count("\n")


WRONG = {
    "no JSON": ({"sent": '{"slots": [\n1,\n}'}, "sent", "This is not JSON", "sent, line 3"),
    "no transaction": ({"sent": "\n7"}, "sent", "No list of actions can be read", "sent"),
    "slots that are none": ({"sent": '{"slots": 1}'}, "sent", "has neither “slots”", "sent"),
    "an unknown member": (
        {"sent": PLAN_TEXT, "design": COLOURED},
        "design",
        "“colour” is not known here",
        f"design, line {last_line_but_one(COLOURED)}",
    ),
    "a broken plan request": (
        {"sent": NO_TOKEN},
        "sent",
        "token",
        f"sent, line {last_line_but_one(NO_TOKEN)}",
    ),
}


@pytest.mark.parametrize(("texts", "control", "words", "label"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_read_is_told_at_its_text_and_line(
    client: FlaskClient, texts: dict[str, str], control: str, words: str, label: str
) -> None:
    page = asked(client, error=TEXT, **texts)
    assert page.status_code == 422
    [said] = notes(page.text).values()
    assert (Controls(page.text).invalid, words in said) == ([control], True)
    assert f"{label}</a>" in page.text


def test_every_text_area_tells_its_own_problems_at_once(client: FlaskClient) -> None:
    page = asked(client, error=TEXT, sent="{", design="[")
    assert page.status_code == 422
    assert notes(page.text).keys() == {"sent", "design"}
    assert "2 problems" in page.text


HOSTILE = "\n<script>alert('x')</script></textarea>\x00\u202e\ud800\n  "


def test_nothing_that_was_pasted_is_lost_or_run(client: FlaskClient) -> None:
    texts = {"error": f"{HOSTILE} {TEXT}", "sent": HOSTILE, "design": HOSTILE}
    sent = {name: text.encode("utf-8", "replace").decode() for name, text in texts.items()}
    page = asked(client, **sent)
    assert page.status_code == 422
    assert {name: Controls(page.text).pairs[name] for name in FIELDS} == sent
    assert "<script>alert" not in page.text


def test_hostile_reasons_are_shown_as_text(client: FlaskClient) -> None:
    item = {"PK": {"S": "<img src=x>\u200b"}, "owner": {"M": {"PK": {"S": "<b>\x07"}}}}
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": item}]
    page = asked(client, error=json.dumps(reasons), sent=PLAN_TEXT)
    assert page.status_code == 200
    assert not {"<img", "<b>"} & set(re.findall(r"<\w+", page.text.partition('id="result"')[2]))
    assert explained(page.text) == {"email": "email is taken by the record <b>\\u{7}."}


def test_a_million_characters_are_answered(client: FlaskClient) -> None:
    for text in ("x" * 1_000_000, "[" * 1_000_000, "None, " * 150_000):
        assert asked(client, error=text).status_code == 200
        assert asked(client, error=TEXT, sent=text).status_code == 422


def test_htmx_gets_the_explanation_and_no_field(client: FlaskClient) -> None:
    sent = {"error": TEXT, "sent": "{", "design": "", "noted": "design", "said": "1 problem"}
    part = client.post("/explain", data=sent, headers=htmx("result"))
    assert part.status_code == 422
    assert part.text.lstrip().startswith('<div id="result"')
    assert not re.findall(r"<(input(?![^>]*hidden)|textarea|select)", part.text)
    assert notes(part.text).keys() == {"sent"}
    assert '<p class="note" id="note-design" hx-swap-oob="true"></p>' in part.text
    assert 'id="bar"' not in part.text


def test_the_plan_of_the_first_page_is_brought_with_its_design(client: FlaskClient) -> None:
    page = client.post("/explain", data=form(do="explain"))
    assert page.status_code == 200
    brought = Controls(page.text).pairs
    assert json.loads(brought["design"]) == write(EXAMPLE).document["design"]
    again = asked(client, error="[None, ConditionalCheckFailed, None]", sent=brought["sent"])
    assert explained(again.text) == {"email": "email is taken."}


def test_an_error_of_a_run_is_brought_with_its_plan_and_explained(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.answer = cancelled("None", "ConditionalCheckFailed", "None")
    ran = client.post("/run", data=form(endpoint="local"))
    page = client.post("/explain", data=Controls(ran.text).pairs | {"do": "explain"})
    assert page.status_code == 200
    assert json.loads(Controls(page.text).pairs["error"]) == gateway.answer.error
    assert explained(page.text) == {"email": "email is taken."}


def test_the_first_page_brings_nothing_where_it_has_no_plan(client: FlaskClient) -> None:
    page = client.post("/explain", data=form(BLANK, do="explain"))
    assert page.status_code == 200
    assert {name: Controls(page.text).pairs[name] for name in FIELDS} == dict.fromkeys(FIELDS, "")


def test_no_id_stands_twice(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.answer = cancelled("None", "ConditionalCheckFailed", "None")
    ran = client.post("/run", data=form(endpoint="local"))
    for page in (client.get("/explain?start=example"), asked(client, sent="{"), ran):
        ids = Controls(page.text).ids
        assert sorted(set(ids)) == sorted(ids)


def test_a_run_tells_what_to_do_next_and_what_to_tell_the_user(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.answer = cancelled("None", "ThrottlingError", "None")
    page = client.post("/run", data=form(endpoint="local")).text
    assert "Yes: exactly the same, with the same token." in page
    assert "This could not be saved just now. Please try again in a moment." in page
    assert board(page)[1].endswith("nothing is known to be taken. ThrottlingError")
