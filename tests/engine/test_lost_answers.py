"""A person whose own success was lost on the way is never told that the value is taken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.engine.lossy_proxy import losing
from tests.gateway.conftest import soon
from tests.samples import EMAIL, unique
from tests.web.reading import Controls, notes
from webapp import runs
from webapp.answers import Answer, Committed, Rejected, Unknown
from webapp.attempts import Policy
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway
from webapp.web import create_app
from webapp.web.draft import EXAMPLE, KeyColumn, Keys, pairs_of
from webapp.web.settings import Settings, Target
from webapp.web.writing import write

DESIGN = unique(EMAIL, table="lost-answers")
QUICK = Policy(jitter=lambda: 0.0, attempts=3, first_pause=0.01)


def creating(record: str, number: str = "1.5") -> runs.Run:
    """The run that creates a record with Ada's address, with a token of its own."""
    item = {"email": {"S": "ada@lovelace.io"}, "n": {"N": number}, "tags": {"SS": ["b", "a"]}}
    change = {"operation": "create", "key": {"id": record}, "item": item}
    return runs.read_run({"design": DESIGN, "changes": [change]})


def emptied(engine: Endpoint) -> Gateway:
    """The way to the engine, with the table made anew."""
    gateway = Gateway(engine)
    if "lost-answers" in gateway.tables():
        gateway.delete_table("lost-answers")
    gateway.create_table("lost-answers", ("PK", "S"), ("SK", "S"))
    return gateway


def sent(engine: Endpoint, run: runs.Run, lost: int) -> Answer:
    """The answer to a run of which the first answers are lost."""
    with losing(engine, lost) as endpoint:
        return Gateway(endpoint, policy=QUICK).send(run.text)


def test_B75_with_its_token_a_retry_after_a_lost_answer_is_the_same_success(
    engine: Endpoint,
) -> None:
    emptied(engine)
    assert sent(engine, creating("1"), lost=2) == Committed({}, attempts=3)


@pytest.mark.parametrize(
    ("engine_name", "code"),
    [
        # takes no notice of tokens
        ("moto_engine", "TransactionCanceledException"),
        # compares a repeated request with numbers that it has rewritten meanwhile
        ("engine", "IdempotentParameterMismatchException"),
    ],
)
def test_an_engine_that_refuses_the_retry_is_asked_what_stands_instead_of_saying_taken(
    engine_name: str, code: str, request: pytest.FixtureRequest
) -> None:
    endpoint: Endpoint = request.getfixturevalue(engine_name)
    reader = emptied(endpoint)
    run = creating("1", number="1.50")
    answer = sent(endpoint, run, lost=1)
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.after_unknown) == (code, True)
    outcome = runs.outcome_document(run, answer, runs.look(reader, run, soon()))
    assert (outcome["committed"], outcome["standing"]["verdict"]) == (True, "already-done")


def test_what_another_record_holds_is_still_taken_after_a_lost_answer(
    moto_engine: Endpoint,
) -> None:
    reader = emptied(moto_engine)
    reader.send(creating("1").text)
    run = creating("2")
    answer = sent(moto_engine, run, lost=1)
    outcome = runs.outcome_document(run, answer, runs.look(reader, run, soon()))
    assert (outcome["committed"], outcome["standing"]["verdict"]) == (False, "not-done")
    assert list(outcome["explanation"]["fields"]) == ["email"]


@pytest.mark.parametrize("engine_name", ["engine", "moto_engine"])
def test_when_every_answer_is_lost_the_items_that_stand_tell_it(
    engine_name: str, request: pytest.FixtureRequest
) -> None:
    endpoint: Endpoint = request.getfixturevalue(engine_name)
    reader = emptied(endpoint)
    run = creating("1")
    answer = sent(endpoint, run, lost=3)
    assert isinstance(answer, Unknown)
    assert runs.in_doubt(answer)
    assert runs.look(reader, run, soon()).verdict == "already-done"


# Through the doors, where the engine takes no notice of tokens: each sending after the first meets
# its own success as a refusal.


def visitor(endpoint: Endpoint) -> FlaskClient:
    """The page and the JSON API before that endpoint."""
    gateway = Gateway(endpoint, policy=QUICK)
    return create_app(Settings(targets={"lossy": Target(endpoint, lambda: gateway)})).test_client()


DRAFT = replace(EXAMPLE, table=Keys("lost-answers", KeyColumn("PK"), KeyColumn("SK")), seed="seed")
FORM = {**dict(pairs_of(DRAFT)), "seed": DRAFT.seed, "endpoint": "lossy"}
ASKED = {**write(DRAFT).document, "endpoint": "lossy"}


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_B75_the_page_tells_no_one_that_their_own_value_is_taken(
    moto_engine: Endpoint, lost: int
) -> None:
    emptied(moto_engine)
    with losing(moto_engine, lost) as endpoint:
        page = visitor(endpoint).post("/run", data=FORM)
        again = visitor(endpoint).post("/run", data=Controls(page.text).pairs | FORM)
    for told in (page, again):
        assert (told.status_code, notes(told.text)) == (200, {})
        assert "Already done: everything stands as this transaction leaves it." in told.text


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_B75_the_api_tells_no_program_that_its_own_value_is_taken(
    moto_engine: Endpoint, lost: int
) -> None:
    emptied(moto_engine)
    with losing(moto_engine, lost) as endpoint:
        answer = visitor(endpoint).post("/api/v1/run", json=ASKED)
    assert answer.status_code == 200
    assert answer.get_json()["standing"]["verdict"] == "already-done"


def test_B75_a_program_that_comes_back_with_its_token_is_told_of_its_success(
    moto_engine: Endpoint,
) -> None:
    emptied(moto_engine)
    program = visitor(moto_engine)
    document = ASKED | {"token": "kept by the program"}
    again = document | {"sent_before": True}
    answers = [program.post("/api/v1/run", json=asked) for asked in (document, again)]
    assert [answer.get_json()["committed"] for answer in answers] == [True, True]
    stranger = program.post("/api/v1/run", json=ASKED)
    assert (stranger.status_code, stranger.get_json()["committed"]) == (409, False)


def test_of_six_visitors_with_six_tokens_one_creates_the_record(moto_engine: Endpoint) -> None:
    emptied(moto_engine)
    program = visitor(moto_engine)
    told = [program.post("/api/v1/run", json=ASKED | {"token": f"visitor {n}"}) for n in range(6)]
    assert [answer.status_code for answer in told] == [200] + [409] * 5
    assert [answer.get_json()["committed"] for answer in told] == [True] + [False] * 5


def deleting(email: str) -> dict[str, Any]:
    """The deletion of a record, with a token that nobody has sent."""
    change = {"operation": "delete", "key": {"id": "1"}, "before": {"email": {"S": email}}}
    return {"design": DESIGN, "changes": [change], "endpoint": "lossy", "token": "new"}


def test_the_deletion_of_what_never_was_is_told_by_its_slots(moto_engine: Endpoint) -> None:
    emptied(moto_engine)
    program = visitor(moto_engine)
    first = program.post("/api/v1/run", json=deleting("a@x"))
    explanation = first.get_json()["explanation"]
    assert (first.status_code, explanation["verdict"]) == (409, "missing-or-changed")
    again = program.post("/api/v1/run", json=deleting("a@x") | {"sent_before": True})
    assert (again.status_code, again.get_json()["explanation"]) == (200, None)
