"""The first page: true statuses, all problems at their fields, nothing typed is lost."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests import golden
from tests.web.conftest import FakeGateway, form, htmx
from tests.web.reading import Controls, board, notes, shown_request
from webapp.answers import Committed, Rejected, Trouble, Unknown, Unreachable
from webapp.core import documents
from webapp.web import create_app
from webapp.web.draft import BLANK, EXAMPLE, Attribute, Cell, Change, Draft, Rule, pairs_of
from webapp.web.loading import load
from webapp.web.settings import Settings
from webapp.web.writing import write

WHERE = {
    "endpoint": "local",
    "place": "http://127.0.0.1:4566",
    "region": "us-east-1",
    "key_id": "lockwright",
    "seconds": 3,
    "detail": "it broke off",
}


def test_a_first_visitor_sees_the_worked_example(client: FlaskClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    guard = {"ConditionExpression": "attribute_not_exists(PK)"}
    items = [
        {
            "PK": {"S": "ACCT#a1f9c3"},
            "SK": {"S": "PROFILE"},
            "email": {"S": "ada@lovelace.io"},
            "username": {"S": "ada"},
        },
        {"PK": {"S": "UNIQ#EMAIL#ada@lovelace.io"}, "SK": {"S": "LOCK"}},
        {"PK": {"S": "UNIQ#HANDLE#ada"}, "SK": {"S": "LOCK"}},
    ]
    puts = [{"Put": {"TableName": "accounts", "Item": item, **guard}} for item in items]
    assert shown_request(page.text) == {"TransactItems": puts}
    assert "3 actions, ready" in page.text


@pytest.mark.parametrize("start", ["example", "blank"])
def test_every_control_of_the_page_is_sent_back_as_it_was(client: FlaskClient, start: str) -> None:
    sent = Controls(client.get("/", query_string={"start": start}).text).pairs
    draft = replace({"example": EXAMPLE, "blank": BLANK}[start], seed=sent["seed"])
    assert {name: sent.get(name) for name in form(draft)} == form(draft)


def test_no_id_stands_twice(client: FlaskClient) -> None:
    for page in (client.get("/"), client.get("/?start=blank")):
        ids = Controls(page.text).ids
        assert sorted(ids) == sorted(set(ids))


HOSTILE = [
    "\"'><script>alert(1)</script>",
    "</textarea></script><img src=x onerror=alert(1)>",
    "$(touch /tmp/x) `id` ; --",
    "{{ 7*7 }} {% raw %} {id} {}",
    "%(name)s %s {0}",
    "a\nb\n",
    "\nfirst line empty",
    "  kept  \t",
    "\x01\x02\x7f\x9f",
    "\u200b\u202e\ufeff",
    "é 🙂 \U0001f468\u200d\U0001f469",
    "&amp;&lt;&#x0;",
]


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_hostile_text_comes_back_as_it_was_typed_and_does_nothing(
    client: FlaskClient, text: str
) -> None:
    row = Attribute(text, "S", Cell(text), Cell(text))
    draft = replace(
        EXAMPLE,
        rules=(Rule(text, (text,), when_values=text, when_json=text),),
        changes=(Change("create", {"id": text}, (row,)),),
        token=text,
    )
    page = client.post("/", data=form(draft, pasted=text))
    back = Controls(page.text)
    assert {name: back.pairs.get(name) for name in form(draft)} == form(draft)
    assert back.pairs["pasted"] == text
    for tag in ("<script>alert", "<img src=x"):
        assert tag not in page.text


def test_half_a_character_from_json_never_breaks_the_page(client: FlaskClient) -> None:
    row = Attribute("x", "JSON", Cell('{"S": "\\ud800"}'))
    draft = replace(EXAMPLE, changes=(Change("create", {"id": "1"}, (row,)),))
    page = client.post("/", data=form(draft))
    assert page.status_code == 422
    assert list(notes(page.text)) == ["changes-0-attributes-0-value"]


def test_all_problems_stand_at_their_fields(client: FlaskClient) -> None:
    draft = replace(
        EXAMPLE,
        table=replace(EXAMPLE.table, name="no table!"),
        rules=(Rule("A#B", ("email",)), Rule("HANDLE", ("username", "username"))),
    )
    page = client.post("/", data=form(draft))
    assert page.status_code == 422
    said = notes(page.text)
    assert {"design-table", "design-unique-1-attributes-1"} <= said.keys()
    assert "no table!" in said["design-table"]
    assert {"design/table", "design/unique/1/attributes/1"} <= set(Controls(page.text).invalid)


def test_problems_are_linked_to_controls_that_exist(client: FlaskClient) -> None:
    for draft in (BLANK, replace(EXAMPLE, changes=(Change("change", {"id": "1"}),))):
        page = client.post("/", data=form(draft)).text
        links = re.findall(r'<li>\s*<a href="#([^"]+)"', page)
        assert links
        assert set(links) <= set(Controls(page).ids)


def test_an_empty_field_is_still_to_fill_in_and_no_mistake(client: FlaskClient) -> None:
    page = client.get("/?start=blank")
    assert page.status_code == 422
    assert "7 things to fill in" in page.text
    links = re.findall(r'<li>\s*<a href="#([^"]+)"', page.text)
    assert links == [
        "design-table",
        "design-partition_key-name",
        "design-sort_key-name",
        "design-record-partition",
        "design-record-sort",
        "design-unique-0-namespace",
        "design-unique-0-attributes-0",
    ]
    assert notes(page.text) == {}
    assert Controls(page.text).invalid == []


PARTS = {"result": '<div id="result"', "work": '<form id="work"'}


@pytest.mark.parametrize(("target", "start"), PARTS.items())
def test_htmx_gets_the_part_that_it_asked_for(client: FlaskClient, target: str, start: str) -> None:
    part = client.post("/", data=form(), headers=htmx(target))
    assert part.status_code == 200
    assert part.text.lstrip().startswith(start)
    assert "<html" not in part.text


def test_a_result_that_htmx_gets_touches_no_field_that_can_be_typed_into(
    client: FlaskClient,
) -> None:
    sent = form() | {"keys": "id", "design/table": "?"}
    part = client.post("/", data=sent, headers=htmx("result"))
    assert part.status_code == 422
    assert not re.findall(r"<(input(?![^>]*hidden)|textarea|select)", part.text)
    assert notes(part.text).keys() == {"design-table"}


def test_a_note_that_is_settled_is_cleared(client: FlaskClient) -> None:
    sent = form() | {"noted": "design/table\r\ntoken"}
    part = client.post("/", data=sent, headers=htmx("result")).text
    assert '<p class="note" id="note-design-table" hx-swap-oob="true"></p>' in part
    assert '<p class="note" id="note-token" hx-swap-oob="true"></p>' in part


def test_the_bar_is_said_only_when_it_says_something_new(client: FlaskClient) -> None:
    again = client.post("/", data=form(said="3 actions, ready"), headers=htmx("result"))
    anew = client.post("/", data=form(said="1 problem"), headers=htmx("result"))
    assert ('id="bar"' in again.text, 'id="bar"' in anew.text) == (False, True)


def test_a_new_placeholder_asks_for_its_key_and_a_lost_one_is_kept(client: FlaskClient) -> None:
    sent = form() | {"keys": "id", "design/record/partition": "ACCT#{tenant}"}
    part = client.post("/", data=sent, headers=htmx("result")).text
    assert 'id="changes-0-key-tenant"' in part
    assert '<input type="hidden" name="changes/0/key/id" value="a1f9c3">' in part


@pytest.mark.parametrize("button", ["nonsense", "remove-rule/x"])
def test_an_unknown_button_is_a_bad_request(client: FlaskClient, button: str) -> None:
    assert client.post("/", data=form(do=button)).status_code == 400


def test_a_row_is_added_without_a_script(client: FlaskClient) -> None:
    page = client.post("/", data=form(do="add-attribute/0"))
    assert page.status_code == 200
    assert re.search(r'name="changes/0/attributes/2/name"[^>]*autofocus', page.text)


def test_b92_a_long_number_keeps_every_digit_everywhere(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    number = "70605040302010908071"
    row = Attribute("born", "N", Cell(number), Cell("-" + number))
    draft = replace(EXAMPLE, changes=(Change("create", {"id": "1"}, (row,)),))
    page = client.post("/", data=form(draft))
    assert Controls(page.text).pairs["changes/0/attributes/0/value"] == number
    put = shown_request(page.text)["TransactItems"][0]["Put"]  # type: ignore[index]
    assert put["Item"]["born"] == {"N": number}
    assert number.encode() in client.post("/download/request.json", data=form(draft)).data
    client.post("/run", data=form(draft, endpoint="local"))
    assert number.encode() in gateway.sent[0]


def test_a_million_characters_are_answered_with_a_short_page(client: FlaskClient) -> None:
    row = Attribute("x", "S", Cell("x" * 300_000))
    draft = replace(EXAMPLE, changes=(Change("create", {"id": "1"}, (row,)),))
    part = client.post("/", data=form(draft), headers=htmx("result"))
    assert part.status_code == 200
    assert len(part.data) < 150_000
    assert "the download has all of it" in part.text


def test_a_form_over_the_limit_is_too_large(app: Flask) -> None:
    small = create_app(Settings(max_body_bytes=10_000)).test_client()
    for headers in ({}, htmx("result")):
        answer = small.post("/", data={"token": "x" * 20_000}, headers=headers)
        assert answer.status_code == 413
        assert "too large" in answer.text


def test_the_download_is_the_plan_byte_for_byte(client: FlaskClient) -> None:
    answer = client.post("/download/request.json", data=form())
    assert answer.data == documents.plan(write(EXAMPLE).document).text
    assert answer.headers["Content-Disposition"] == "attachment; filename=accounts-transaction.json"


def test_a_download_of_a_plan_that_is_not_one_is_the_page_with_its_problems(
    client: FlaskClient,
) -> None:
    answer = client.post("/download/request.json", data=form(BLANK))
    assert (answer.status_code, answer.mimetype) == (422, "text/html")


@pytest.mark.parametrize("path", ["/run", "/download/request.json"])
def test_the_address_of_a_button_leads_back_to_the_form(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.location) == (303, "/")


# Running


def cancelled(*codes: str) -> Rejected:
    reasons = [{"Code": code} for code in codes]
    error = {"__type": "TransactionCanceledException", "CancellationReasons": reasons}
    return Rejected("TransactionCanceledException", error, 400)


def test_a_run_sends_the_plan_with_a_token_and_says_that_it_is_committed(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    page = client.post("/run", data=form(endpoint="local"))
    assert page.status_code == 200
    assert "All 3 actions were written" in page.text
    [sent] = [json.loads(text) for text in gateway.sent]
    token = sent.pop("ClientRequestToken")
    assert 1 <= len(token) <= 36
    assert sent == documents.plan(write(EXAMPLE).document).request


def test_a_token_that_was_typed_is_the_token_that_is_sent(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    client.post("/run", data=form(replace(EXAMPLE, token="mine"), endpoint="local"))
    assert json.loads(gateway.sent[0])["ClientRequestToken"] == "mine"


def test_a_taken_value_is_told_at_its_field_and_its_slot(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.answer = cancelled("None", "ConditionalCheckFailed", "ConditionalCheckFailed")
    page = client.post("/run", data=form(endpoint="local"))
    assert page.status_code == 409
    assert notes(page.text) == {
        "changes-0-attributes-0-value": "email is taken.",
        "changes-0-attributes-1-value": "username is taken.",
    }
    assert re.findall(r'<li class="item \w+ (\w+)', page.text) == ["blameless", "failed", "failed"]
    assert Controls(page.text).pairs["changes/0/attributes/0/value"] == "ada@lovelace.io"


def test_a_taken_value_of_a_change_stands_at_what_it_becomes(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.answer = cancelled("None", "ConditionalCheckFailed", "None")
    row = Attribute("email", "S", Cell("old"), Cell("new"))
    draft = replace(EXAMPLE, changes=(Change("change", {"id": "1"}, (row,)),))
    page = client.post("/run", data=form(draft, endpoint="local"))
    assert notes(page.text).keys() == {"changes-0-attributes-0-becomes"}


def test_a_record_that_exists_stands_at_its_key(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.answer = cancelled("ConditionalCheckFailed", "None", "None")
    page = client.post("/run", data=form(endpoint="local"))
    assert page.status_code == 409
    assert notes(page.text) == {
        "changes-0-key-id": "A record with the key ACCT#a1f9c3 / PROFILE exists already."
    }


def test_a_conflict_is_never_called_taken(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.answer = cancelled("None", "TransactionConflict", "None")
    page = client.post("/run", data=form(endpoint="local"), headers=htmx("result"))
    assert page.status_code == 409
    outcome = page.text[page.text.index('id="outcome"') :]
    assert "taken" not in outcome.split("</section>")[0].replace("known to be taken", "")


def trouble(code: str) -> Trouble:
    return Trouble(code, WHERE)


ANSWERS = [
    (Unreachable(trouble("connection-refused")), 502, "Nothing answers"),
    (Unknown(trouble("answer-lost")), 502, "Not done"),
    (
        Rejected("ResourceNotFoundException", {}, 400, 1, trouble("table-missing")),
        502,
        "no such table",
    ),
    (Committed({}), 200, "Committed."),
]


@pytest.mark.parametrize(("answer", "status", "words"), ANSWERS)
def test_every_answer_has_its_status_and_its_words(
    client: FlaskClient, gateway: FakeGateway, answer: object, status: int, words: str
) -> None:
    gateway.answer = answer  # type: ignore[assignment]
    for headers in ({}, htmx("result")):
        page = client.post("/run", data=form(endpoint="local"), headers=headers)
        assert page.status_code == status
        assert words in page.text


def test_a_plan_with_problems_is_not_sent(client: FlaskClient, gateway: FakeGateway) -> None:
    page = client.post("/run", data=form(BLANK, endpoint="local"))
    assert (page.status_code, gateway.sent) == (422, [])


def test_b78_nothing_is_sent_before_run_is_pressed(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    client.get("/")
    client.post("/", data=form())
    client.post("/", data=form(), headers=htmx("result"))
    client.post("/download/request.json", data=form())
    client.post("/api/v1/plan", json=write(EXAMPLE).document)
    assert gateway.sent == []


def test_an_endpoint_that_is_not_there_is_not_found(client: FlaskClient) -> None:
    assert client.post("/run", data=form(endpoint="http://evil.test")).status_code == 404


def test_writing_to_aws_needs_leave_at_the_start(client: FlaskClient, gateway: FakeGateway) -> None:
    assert client.post("/run", data=form(endpoint="prod")).status_code == 403
    assert gateway.sent == []
    said = "prod is read-only here: the server was started without --allow-write."
    assert said in client.get("/").text


def test_without_an_engine_the_page_says_how_to_get_one() -> None:
    page = create_app().test_client().get("/")
    assert page.status_code == 200
    assert "pip install" in page.text
    assert "make run" in page.text


def test_going_on_after_a_create_makes_it_a_change(client: FlaskClient) -> None:
    page = client.post("/", data=form(do="go-on"))
    assert Controls(page.text).pairs["changes/0/operation"] == "change"


def test_the_chosen_colours_are_remembered(client: FlaskClient) -> None:
    page = client.post("/", data=form(theme="dark"))
    assert 'data-theme="dark"' in page.text
    assert 'data-theme="dark"' in client.get("/").text
    client.post("/", data=form(theme="<script>"))
    assert "data-theme" not in client.get("/").text


# What the board says of each kind of row


def changed(operation: str, *rows: Attribute) -> Draft:
    return replace(EXAMPLE, changes=(Change(operation, {"id": "a1f9c3"}, rows),))


EMAIL = Attribute("email", "S", Cell("a@x.io"), Cell("b@x.io"))
SAME = Attribute("username", "S", Cell("ada"), Cell("ada"))


def test_the_board_tells_a_change_with_a_kept_lock(client: FlaskClient) -> None:
    record, claim, release, kept = board(
        client.post("/", data=form(changed("change", EMAIL, SAME))).text
    )
    assert record.startswith(
        "Slot 0 update ACCT#a1f9c3 / PROFILE email becomes b@x.io, username becomes ada, only if"
    )
    assert claim == (
        "Slot 1 claim UNIQ#EMAIL#b@x.io / LOCK locks email, only if nobody holds it . "
        "Fails as: email is taken."
    )
    assert release == (
        "Slot 2 release UNIQ#EMAIL#a@x.io / LOCK unlocks email, "
        "safe by the record’s guard on the old value ."
    )
    assert kept == (
        "– kept UNIQ#HANDLE#ada / LOCK username stays the same: the lock is not touched."
    )


def test_the_board_speaks_of_several_attributes_as_of_several(client: FlaskClient) -> None:
    same = [Attribute(name, "S", Cell("x"), Cell("x")) for name in ("tenant", "handle")]
    draft = replace(changed("change", *same), rules=(Rule("SEAT", ("tenant", "handle")),))
    *_, kept = board(client.post("/", data=form(draft)).text)
    assert kept.endswith("tenant and handle stay the same: the lock is not touched.")


def test_the_board_shows_what_cannot_be_seen(client: FlaskClient) -> None:
    row = Attribute("email", "S", Cell("a\u200bb"))
    page = client.post("/", data=form(changed("create", row))).text
    assert "UNIQ#EMAIL#a\\u{200b}b" in board(page)[1]


def test_two_records_that_swap_a_value_are_one_transaction(client: FlaskClient) -> None:
    swap = load(BLANK, golden.case("swap-of-two-names-owned").text)
    page = client.post("/", data=form(swap))
    assert page.status_code == 200
    assert [row.split()[2] for row in board(page.text)] == ["update", "update", "hand", "hand"]
    ids = Controls(page.text).ids
    assert sorted(ids) == sorted(set(ids))


def test_a_problem_of_the_second_record_says_so(client: FlaskClient) -> None:
    twice = replace(EXAMPLE, changes=(*EXAMPLE.changes, *EXAMPLE.changes))
    page = client.post("/", data=form(twice))
    assert page.status_code == 422
    assert "Record 2: Key part id" in page.text


def test_every_draft_of_the_form_can_be_shown(client: FlaskClient) -> None:
    pairs = dict(pairs_of(BLANK))
    for name in pairs:
        page = client.post("/", data={other: v for other, v in pairs.items() if other != name})
        assert page.status_code in {200, 422}
