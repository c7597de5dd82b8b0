"""Running from the page: tokens, attempts that can be watched, leave to write to AWS."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import AWS, LOCAL, FakeGateway, description, form, htmx, trouble
from tests.web.reading import Controls, notes
from tests.web.test_transaction_page import cancelled
from webapp.answers import Answer, Committed, Rejected, Unknown
from webapp.attempts import Attempt, Stop
from webapp.core import documents
from webapp.core.failures.replay import REPEATED
from webapp.web import create_app
from webapp.web.draft import EXAMPLE, Attribute, Cell, Change, Draft
from webapp.web.settings import Settings, Target
from webapp.web.tokens import seeded, token_of
from webapp.web.writing import write

LOST = Unknown(trouble("answer-lost"))
MISMATCH = Rejected(
    "IdempotentParameterMismatchException",
    {"Error": {"Code": "IdempotentParameterMismatchException", "Message": "mismatch"}},
    400,
)


def token(page: Any) -> str:
    found = re.search(r'[Tt]he token <code title="([^"]+)">', page.text)
    assert found, "the page shows no token"
    return found[1]


def sent_token(gateway: FakeGateway, number: int = -1) -> str:
    found: str = json.loads(gateway.sent[number])["ClientRequestToken"]
    return found


def renamed(draft: Draft, name: str) -> Draft:
    rows = (draft.changes[0].attributes[0], Attribute("username", "S", Cell(name)))
    return replace(draft, changes=(replace(draft.changes[0], attributes=rows),))


# The token


def token_line(page: Any) -> str:
    """What the page says of the plan's token."""
    [line] = re.findall(r'<p class="help token">(.*?)</p>', page.text)
    return re.sub("<[^>]*>", "", line)


def test_b73_the_token_has_at_most_36_characters_and_is_shown(client: FlaskClient) -> None:
    page = client.get("/")
    assert re.fullmatch(r"[0-9a-f-]{36}", token(page))
    line = token_line(page)
    assert line.startswith(
        f"Run adds the token {token(page)[:4]}…; it stays with this plan for ten"
    )
    typed = client.post("/", data=form(replace(EXAMPLE, token="mine")))
    assert token_line(typed).startswith("The token mine… stays with this plan for ten minutes")


def test_b74_the_token_changes_when_the_plan_changes_and_only_then(client: FlaskClient) -> None:
    first = token(client.post("/", data=form()))
    again = token(client.post("/", data=form(), headers=htmx("result")))
    changed = token(client.post("/", data=form(renamed(EXAMPLE, "countess"))))
    back = token(client.post("/", data=form()))
    assert (again, back) == (first, first)
    assert changed != first


def test_a_token_stays_when_the_page_is_left_for_another_and_come_back_to(
    client: FlaskClient,
) -> None:
    page = client.get("/")
    tables = client.post("/table", data=Controls(page.text).pairs)
    back = client.post("/", data=Controls(tables.text).pairs | {"do": "update"})
    assert token(back) == token(page)


def test_two_pages_have_two_tokens_for_one_plan(client: FlaskClient) -> None:
    assert token(client.get("/")) != token(client.get("/"))


def test_a_seed_of_any_length_and_characters_makes_a_token() -> None:
    plan = documents.plan(write(EXAMPLE).document)
    for seed in ("", "x" * 10_000, "\ud800", "é"):
        assert len(token_of(plan, seeded(replace(EXAMPLE, seed=seed)))) == 36


def test_b74_pressing_run_again_after_an_unknown_outcome_sends_the_same_bytes(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.answer = LOST
    first = client.post("/run", data=form(endpoint="local"))
    assert (first.status_code, sent_token(gateway)) == (502, token(first))
    client.post("/run", data=Controls(first.text).pairs | {"endpoint": "local"})
    assert gateway.sent[0] == gateway.sent[1]


def test_a_second_press_with_one_token_does_not_say_that_it_wrote(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    first = client.post("/run", data=form(endpoint="local"))
    again = client.post("/run", data=Controls(first.text).pairs | {"endpoint": "local"})
    assert gateway.sent[0] == gateway.sent[1]
    assert [headline_of(page) for page in (first, again)] == [
        "Committed. All 3 actions were written, at once.",
        f"Committed. {REPEATED}",
    ]
    new = client.post("/", data=Controls(again.text).pairs | {"do": "go-on"})
    changed = form(renamed(EXAMPLE, "countess"), seed=Controls(new.text).pairs["seed"])
    third = client.post("/run", data=Controls(new.text).pairs | changed | {"endpoint": "local"})
    assert headline_of(third) == "Committed. All 3 actions were written, at once."


def headline_of(page: Any) -> str:
    """What the page says first of a run."""
    [line] = re.findall(r'id="outcome"[^>]*>\s*<p>(.*?)</p>', page.text, re.DOTALL)
    return " ".join(re.sub("<[^>]*>", "", line).split())


def test_going_on_after_a_success_takes_a_new_token(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    page = client.post("/run", data=form(endpoint="local"))
    again = client.post("/", data=Controls(page.text).pairs | {"do": "go-on"})
    seed = Controls(again.text).pairs["seed"]
    assert seed != Controls(page.text).pairs["seed"]


def test_b74_a_typed_token_with_another_plan_is_told_as_a_changed_plan(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    draft = replace(EXAMPLE, token="mine")
    page = client.post("/run", data=form(draft, endpoint="local"))
    gateway.answer = MISMATCH
    later = {**Controls(page.text).pairs, **form(renamed(draft, "countess")), "endpoint": "local"}
    page = client.post("/run", data=later)
    assert page.status_code == 502
    assert "The plan changed after it was sent" in page.text
    assert "Look at the stored state, then make a new token" in page.text
    assert "Not done" not in page.text


CREATED = {
    "PK": {"S": "ACCT#a1f9c3"},
    "SK": {"S": "PROFILE"},
    "email": {"S": "ada@lovelace.io"},
    "username": {"S": "ada"},
}


@dataclass
class Stored(FakeGateway):
    """What the worked example leaves behind."""

    def get(
        self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None
    ) -> dict[str, Any] | None:
        return CREATED if key["SK"] == {"S": "PROFILE"} else dict(key)


@pytest.mark.parametrize("late", [cancelled("ConditionalCheckFailed", *("None",) * 2), MISMATCH])
def test_b75_a_late_press_that_meets_its_own_success_is_told_that_it_is_done(late: Answer) -> None:
    gateway = Stored(answer=LOST)
    client = create_app(Settings(targets={"local": Target(LOCAL, lambda: gateway)})).test_client()
    gateway.stored = None
    page = client.post("/run", data=form(endpoint="local"))
    gateway.answer = late
    page = client.post("/run", data=Controls(page.text).pairs | {"endpoint": "local"})
    assert page.status_code == 200
    assert "Already done: everything stands as this transaction leaves it." in page.text
    assert "taken" not in notes(page.text)


def test_a_refusal_of_a_plan_that_was_never_sent_reads_nothing(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.stored = CREATED
    gateway.answer = cancelled("ConditionalCheckFailed", "None", "None")
    page = client.post("/run", data=form(endpoint="local"))
    assert page.status_code == 409
    assert "Already done" not in page.text


# Attempts


@dataclass
class Slow(FakeGateway):
    """Makes one attempt that fails, then waits to be let go or stopped."""

    go: threading.Event = field(default_factory=threading.Event)
    waits: threading.Event = field(default_factory=threading.Event)

    def send(
        self,
        text: bytes,
        *,
        watch: Callable[[Attempt], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Answer:
        self.sent.append(text)
        watch(Attempt(1, LOST, 1.5))
        self.waits.set()
        while not (self.go.is_set() or (stop and stop.is_set())):
            self.go.wait(0.01)
        if not self.go.is_set():
            return LOST
        watch(Attempt(2, self.answer, None))
        return replace(self.answer, attempts=2)


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def slow_app(slow: Slow) -> Iterator[Flask]:
    app = create_app(Settings(targets={"local": Target(LOCAL, lambda: slow)}))
    yield app
    slow.go.set()
    app.extensions["sendings"].close()


@pytest.fixture
def visitor(slow_app: Flask) -> FlaskClient:
    return slow_app.test_client()


def begun(visitor: FlaskClient, draft: Draft = EXAMPLE) -> tuple[str, dict[str, str]]:
    """The address of a sending that was begun by the page, and the form as it is then."""
    page = visitor.post("/run", data=form(draft, endpoint="local"), headers=htmx("result"))
    assert page.status_code == 200
    found = re.search(r'hx-get="(/run/[^"]+)"', page.text)
    assert found, "the page does not watch the sending"
    return found[1], form(draft) | Controls(page.text).pairs


def test_b75_attempts_are_shown_while_they_happen_and_then_the_outcome(
    visitor: FlaskClient, slow: Slow
) -> None:
    address, pairs = begun(visitor)
    part = visitor.get(address, headers=htmx("sending"))
    assert "Attempt 1:" in part.text
    assert "again in 1.5 s" in part.text
    assert "no whole answer came back" in part.text
    slow.go.set()
    assert _over(visitor, address)
    page = visitor.post(address, data=pairs, headers=htmx("result"))
    assert page.status_code == 200
    assert "Committed." in page.text
    assert "It took 2 attempts." in page.text
    assert len(slow.sent) == 1


def _over(visitor: FlaskClient, address: str) -> bool:
    """Ask as the page does until the sending is over."""
    for _ in range(500):
        if f'hx-post="{address}"' in visitor.get(address, headers=htmx("sending")).text:
            return True
        threading.Event().wait(0.01)
    return False


def test_a_sending_that_is_stopped_is_told_by_what_is_stored(
    visitor: FlaskClient, slow: Slow
) -> None:
    address, pairs = begun(visitor)
    assert "Stopping" in visitor.post(f"{address}/stop", headers=htmx("sending")).text
    assert _over(visitor, address)
    page = visitor.post(address, data=pairs, headers=htmx("result"))
    assert page.status_code == 502
    assert "Not done" in page.text


def said_in_bar(page: Any) -> str:
    [said] = re.findall(r'<div class="bar (\w+)" .*?</span>([^<]*)</p>', page.text, re.DOTALL)
    return " ".join(said)


def test_while_a_plan_is_sent_the_bar_says_so(visitor: FlaskClient, slow: Slow) -> None:
    address, pairs = begun(visitor)
    assert pairs["said"] == "Sending to local …"
    page = visitor.post("/", data=pairs)
    assert said_in_bar(page) == "waiting Sending to local …"
    wrong = replace(EXAMPLE, table=replace(EXAMPLE.table, name="?"))
    assert said_in_bar(visitor.post("/", data=pairs | form(wrong))) == "troubled 1 problem"
    slow.go.set()
    assert _over(visitor, address)
    page = visitor.post(address, data=pairs)
    assert said_in_bar(page) == "ready Committed."


@pytest.mark.parametrize("headers", [{}, htmx("result")], ids=["no script", "htmx"])
def test_a_form_that_has_problems_meanwhile_still_learns_what_came_of_its_plan(
    visitor: FlaskClient, slow: Slow, headers: dict[str, str]
) -> None:
    address, pairs = begun(visitor)
    wrong = pairs | form(replace(EXAMPLE, table=replace(EXAMPLE.table, name="?")))
    typed = visitor.post("/", data=wrong, headers=headers)
    assert typed.status_code == 422
    assert f'hx-get="{address}"' in typed.text
    slow.go.set()
    assert _over(visitor, address)
    page = visitor.post(address, data=Controls(typed.text).pairs | wrong, headers=headers)
    assert page.status_code == 200
    assert "Committed." in page.text


def test_the_form_may_be_changed_while_its_plan_is_sent(visitor: FlaskClient, slow: Slow) -> None:
    slow.answer = cancelled("None", "ConditionalCheckFailed", "None")
    address, pairs = begun(visitor)
    other = pairs | form(renamed(EXAMPLE, "countess"))
    typed = visitor.post("/", data=other, headers=htmx("result"))
    assert f'hx-get="{address}"' in typed.text
    slow.go.set()
    assert _over(visitor, address)
    page = visitor.post(address, data=other, headers=htmx("result"))
    assert page.status_code == 409
    assert "This is about the plan as it was when it was sent" in page.text
    assert notes(page.text) == {}


def test_the_same_plan_keeps_its_notes(visitor: FlaskClient, slow: Slow) -> None:
    slow.answer = cancelled("None", "ConditionalCheckFailed", "None")
    address, pairs = begun(visitor)
    slow.go.set()
    assert _over(visitor, address)
    page = visitor.post(address, data=pairs, headers=htmx("result"))
    assert notes(page.text) == {"changes-0-attributes-0-value": "email is taken."}


def test_b28_a_watched_run_that_was_overtaken_shows_the_record_as_it_is(
    visitor: FlaskClient, slow: Slow
) -> None:
    slow.answer = cancelled("ConditionalCheckFailed", "None", "None")
    slow.stored = {"PK": {"S": "ACCT#a1f9c3"}, "SK": {"S": "PROFILE"}, "email": {"S": "now@x.io"}}
    row = Attribute("email", "S", Cell("was@x.io"), Cell("new@x.io"))
    draft = replace(EXAMPLE, changes=(Change("change", {"id": "a1f9c3"}, (row,)),))
    address, pairs = begun(visitor, draft)
    slow.go.set()
    assert _over(visitor, address)
    page = visitor.post(address, data=pairs, headers=htmx("result"))
    assert page.status_code == 409
    assert notes(page.text)["changes-0-attributes-0-value"] == "Now it is: now@x.io."
    assert 'name="look" value="0/local"' in page.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("get", "", 303), ("get", "/stop", 405), ("post", "", 404), ("post", "/stop", 404)],
)
def test_a_sending_that_is_not_there(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    assert client.open(f"/run/nobody{path}", method=method).status_code == status


def test_without_a_script_the_answer_is_the_outcome(client: FlaskClient) -> None:
    page = client.post("/run", data=form(endpoint="local"))
    assert (page.status_code, "Committed." in page.text) == (200, True)


def test_another_site_can_neither_stop_nor_follow(visitor: FlaskClient) -> None:
    address, _ = begun(visitor)
    evil = {"Sec-Fetch-Site": "cross-site"}
    assert visitor.post(f"{address}/stop", headers=evil).status_code == 403
    assert visitor.post(address, headers=evil).status_code == 403


# Leave to write to AWS


@pytest.fixture
def aws(gateway: FakeGateway) -> FlaskClient:
    """A page that may write to AWS, behind which nothing is."""
    targets = {"prod": Target(AWS, lambda: gateway)}
    return create_app(Settings(targets=targets, allow_write=True)).test_client()


CONFIRMED = [("", 422), ("account", 422), ("accounts ", 422), ("accounts", 200)]


@pytest.mark.parametrize(("typed", "status"), CONFIRMED)
@pytest.mark.parametrize("headers", [{}, htmx("result")], ids=["no script", "htmx"])
def test_aws_is_written_to_only_with_the_table_name_typed(
    aws: FlaskClient, gateway: FakeGateway, typed: str, status: int, headers: dict[str, str]
) -> None:
    page = aws.post("/run", data=form(endpoint="prod", confirm=typed), headers=headers)
    assert (page.status_code, len(gateway.sent)) == (status, int(status == 200))
    assert ("confirm" in notes(page.text)) == (status == 422)


def test_what_was_typed_to_confirm_stays_until_one_goes_on(aws: FlaskClient) -> None:
    page = aws.post("/run", data=form(endpoint="prod", confirm="acc"))
    assert Controls(page.text).pairs["confirm"] == "acc"
    page = aws.post("/", data=form(do="go-on", confirm="accounts"))
    assert Controls(page.text).pairs["confirm"] == ""


def test_a_local_endpoint_needs_no_confirmation(client: FlaskClient) -> None:
    assert "confirm" not in Controls(client.get("/").text).pairs
    assert client.post("/run", data=form(endpoint="local")).status_code == 200


@pytest.mark.parametrize(
    ("read_only", "allow_write"), [(False, False), (True, False), (True, True)]
)
def test_a_typed_name_is_no_leave(gateway: FakeGateway, read_only: bool, allow_write: bool) -> None:
    targets = {"prod": Target(AWS, lambda: gateway)}
    settings = Settings(targets=targets, read_only=read_only, allow_write=allow_write)
    client = create_app(settings).test_client()
    page = client.post("/run", data=form(endpoint="prod", confirm="accounts"))
    assert (page.status_code, gateway.sent) == (403, [])
    option = "with --read-only" if read_only else "without --allow-write"
    said = f"prod is read-only here: the server was started {option}."
    assert said in client.get("/").text
    assert said in client.post("/expressions", data=form(do="expressions")).text


ASKED = write(EXAMPLE).document
SAVED = documents.plan({**ASKED, "token": "saved"}).as_document()


@pytest.mark.parametrize("document", [ASKED, SAVED], ids=["plan request", "saved plan"])
@pytest.mark.parametrize(
    ("confirm", "code"),
    [
        ({}, "confirmation-missing"),
        ({"confirm": "other"}, "confirmation-differs"),
        ({"confirm": ["accounts"]}, "confirmation-differs"),
        ({"confirm": "accounts"}, None),
    ],
)
def test_a_program_confirms_with_the_table_name_too(
    aws: FlaskClient,
    gateway: FakeGateway,
    document: dict[str, Any],
    confirm: dict[str, Any],
    code: str | None,
) -> None:
    answer = aws.post("/api/v1/run", json={**document, "endpoint": "prod", **confirm})
    found = [(p["code"], p["path"]) for p in answer.get_json().get("problems", [])]
    assert found == ([(code, "/confirm")] if code else [])
    assert (answer.status_code, len(gateway.sent)) == ((422, 0) if code else (200, 1))


def test_a_saved_request_that_nobody_can_read_is_not_sent_to_aws(
    aws: FlaskClient, gateway: FakeGateway
) -> None:
    document = {"request": {"TransactItems": "?"}, "slots": [], "endpoint": "prod", "confirm": ""}
    assert aws.post("/api/v1/run", json=document).status_code == 422
    assert gateway.sent == []


# What goes back and forth with the form

MUCH = "x" * 6_000_000
HELD = {"Code": "ConditionalCheckFailed", "Item": {"PK": {"S": "a"}, "much": {"S": MUCH}}}
NONE = {"Code": "None"}
LONG = [
    Rejected(
        "TransactionCanceledException",
        {"Error": {}, "CancellationReasons": [NONE, HELD, NONE]},
        400,
    ),
    Rejected("x", {"Error": {"Code": "x", "Message": MUCH}}, 400),
    Committed({"ConsumedCapacity": [MUCH]}),
]


@pytest.mark.parametrize("answer", LONG, ids=["items", "a message", "a success"])
def test_an_answer_of_any_length_leaves_a_form_that_can_be_sent_again(
    client: FlaskClient, gateway: FakeGateway, answer: Answer
) -> None:
    gateway.answer = answer
    page = client.post("/run", data=form(endpoint="local"))
    assert len(page.data) < 500_000
    again = client.post("/", data=Controls(page.text).pairs)
    assert again.status_code == 200


# The real table


def test_a_run_that_fails_for_its_table_is_told_at_the_field(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.there = {"accounts": description("accounts", ("id", "S"))}
    error = {"Error": {"Code": "ValidationException", "Message": "The provided key element …"}}
    gateway.answer = Rejected("ValidationException", error, 400)
    page = client.post("/run", data=form(endpoint="local"))
    assert page.status_code == 502
    assert {"design-partition_key-name", "design-sort_key-type"} <= notes(page.text).keys()


def test_a_table_that_is_not_there_is_told_at_its_name(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    error = {"Error": {"Code": "ResourceNotFoundException", "Message": "no such table"}}
    found = trouble("table-missing")
    gateway.answer = Rejected("ResourceNotFoundException", error, 400, 1, found)
    page = client.post("/run", data=form(endpoint="local"), headers=htmx("result"))
    assert page.status_code == 502
    assert notes(page.text).keys() == {"design-table"}


def test_a_table_that_is_not_there_is_made_right_there_with_the_draft_kept(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    error = {"Error": {"Code": "ResourceNotFoundException", "Message": "no such table"}}
    found = trouble("table-missing", detail="accounts")
    gateway.answer = Rejected("ResourceNotFoundException", error, 400, 1, found)
    page = client.post("/run", data=form(endpoint="local"))
    [button] = re.findall(r'<button[^>]*formaction="/table/make"[^>]*>[^<]*</button>', page.text)
    assert 'name="to" value="local"' in button
    assert button.endswith(">Make the table accounts on local</button>")
    assert "Tell the user" not in page.text
    made = client.post("/table/make", data=Controls(page.text).pairs | {"to": "local"})
    assert made.status_code == 200
    assert "Made: accounts." in made.text
    assert Controls(made.text).pairs.items() >= form().items()


def test_elsewhere_the_page_of_the_tables_says_how_a_missing_one_is_made(
    gateway: FakeGateway,
) -> None:
    error = {"Error": {"Code": "ResourceNotFoundException", "Message": "no such table"}}
    gateway.answer = Rejected("ResourceNotFoundException", error, 400, 1, trouble("table-missing"))
    targets = {"prod": Target(AWS, lambda: gateway)}
    client = create_app(Settings(targets=targets, allow_write=True)).test_client()
    page = client.post("/run", data=form(endpoint="prod", confirm="accounts"))
    assert page.status_code == 502
    assert "/table/make" not in page.text
    assert 'formaction="/table" name="to" value="prod">How the table is made</button>' in page.text


def test_a_success_asks_nothing_of_the_table(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.answer = Committed({})
    client.post("/run", data=form(endpoint="local"))
    assert gateway.asked == []


def test_a_change_set_is_one_transaction_with_one_token(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    second = Change("delete", {"id": "zoe"}, (Attribute("email", "S", Cell("z@x.io")),
                    Attribute("username", "S", Cell("zoe"))))  # fmt: skip
    draft = replace(EXAMPLE, changes=(*EXAMPLE.changes, second))
    client.post("/run", data=form(draft, endpoint="local"))
    [request] = map(json.loads, gateway.sent)
    assert [next(iter(action)) for action in request["TransactItems"]] == [
        "Put", "Delete", "Put", "Put", "Delete", "Delete",
    ]  # fmt: skip
