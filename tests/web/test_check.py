"""Checking a transaction: the JSON route and the page."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.core.test_explain_question import ASKED, DESIGN, PLAN, REQUEST
from tests.web.conftest import htmx
from tests.web.reading import Controls, notes
from webapp.core.linting.lint import lint_document
from webapp.web.check import EXAMPLE

TOKEN = {"ClientRequestToken": "one"}
SOUND = REQUEST | TOKEN
BROKEN = json.loads(EXAMPLE) | TOKEN
FIELDS = ("request", "design", "table")


def checked(client: FlaskClient, request: object, **texts: str) -> Any:
    text = request if isinstance(request, str) else json.dumps(request, indent=1)
    return client.post("/check", data=dict.fromkeys(FIELDS, "") | {"request": text} | texts)


def rows(page: str, label: str) -> list[str]:
    """The rows of one list of the report as sentences."""
    [found] = re.findall(rf'<ol [^>]*aria-label="{label}">(.*?)</ol>', page, re.DOTALL) or [""]
    items = re.findall(r"<li .*?</li>", found, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in items]


# The JSON route


@pytest.mark.parametrize("request_", [SOUND, BROKEN, REQUEST["TransactItems"], PLAN])
def test_the_route_reports_as_the_core_does(client: FlaskClient, request_: object) -> None:
    for asked in ({"request": request_}, {"request": request_, "design": DESIGN}):
        answer = client.post("/api/v1/lint", json=asked)
        assert answer.status_code == 200
        assert answer.get_json() == json.loads(json.dumps(lint_document(asked).as_document()))


REFUSED = {
    "no object": (7, [("member-type", "")]),
    "a bare transaction": (
        {"TransactItems": []},
        [("member-missing", "/request"), ("member-unknown", "/TransactItems")],
    ),
    "a plan request": ({"request": ASKED}, [("transaction-expected", "/request")]),
    "a broken table": ({"request": SOUND, "table": {}}, [("table-description", "/table")]),
}


@pytest.mark.parametrize(("asked", "problems"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_transaction_is_refused(
    client: FlaskClient, asked: object, problems: list[tuple[str, str]]
) -> None:
    answer = client.post("/api/v1/lint", json=asked)
    assert answer.status_code == 422
    assert [(p["code"], p["path"]) for p in answer.get_json()["problems"]] == problems


# The page


def test_the_worked_example_has_faults_and_warnings_at_their_lines(client: FlaskClient) -> None:
    page = client.get("/check?start=example")
    assert page.status_code == 200
    assert rows(page.text, "Problems") == [
        (
            'Line 11 /TransactItems/0/Put/Item/logins/N "logins": {"N": 0} 0 is a JSON number; '
            'DynamoDB takes numbers as text. Write {"N": "0"}. '
            "DynamoDB: SerializationException NUMBER_VALUE cannot be converted to String"
        ),
        (
            "Line 13 /TransactItems/0/Put/ConditionExpression "
            "attribute_not_exists(PK) AND status <> :gone ^^^^^^ "
            "“status” is a reserved word and cannot stand as it is. "
            "Write a placeholder like #status, and put the name into ExpressionAttributeNames. "
            "DynamoDB: ValidationException Invalid ConditionExpression: "
            "Attribute name is a reserved keyword; reserved keyword: status"
        ),
    ]
    token, lock = rows(page.text, "Warnings")
    assert token.startswith("The transaction The transaction has no ClientRequestToken.")
    assert lock.startswith(
        'Line 18 /TransactItems/1/Put "Put": { '
        "The lock UNIQ#EMAIL#ada@lovelace.io / LOCK is put without a guard."
    )
    assert "Put this in place of slot 1 {" in lock


def test_B03_a_corrected_action_settles_its_warning(client: FlaskClient) -> None:
    page = client.get("/check?start=example").text
    code = re.findall(r"slot 1</summary><pre[^>]*><code>(.*?)</code>", page, re.DOTALL)
    corrected = json.loads(unescape(re.sub(r"<[^>]+>", "", code[0])))
    record = REQUEST["TransactItems"][0]
    again = checked(client, {"TransactItems": [record, corrected], **TOKEN})
    assert "put without a guard" not in again.text


def test_a_sound_transaction_is_told_so(client: FlaskClient) -> None:
    for design in ("", json.dumps(DESIGN | {"lock": DESIGN["lock"] | {"owner": None}})):
        page = checked(client, SOUND, design=design)
        found = rows(page.text, "Problems") + rows(page.text, "Warnings")
        assert (page.status_code, found) == (200, [])
        assert "Nothing is wrong with this." in page.text


FORMS = {
    "a request": SOUND,
    "a command": {"input": SOUND},
    "a plan": PLAN,
    "a list": REQUEST["TransactItems"],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_is_read(client: FlaskClient, form: object) -> None:
    page = checked(client, form)
    assert (page.status_code, rows(page.text, "Problems")) == (200, [])


def test_an_empty_page_asks_for_nothing_yet(client: FlaskClient) -> None:
    page = client.get("/check")
    assert page.status_code == 200
    assert (notes(page.text), Controls(page.text).invalid) == ({}, [])
    assert "Still to fill in" not in page.text


WRONG = {
    "nothing": ("", {}, "Still to fill in", set()),
    "no JSON": ("{", {}, "The transaction, line 1", {"request"}),
    "no transaction": ("7", {}, "is no transaction", {"request"}),
    "another operation": ('{"Statements": []}', {}, "BatchExecuteStatement", {"request"}),
    "no design, no table": ("[]", {"design": "[", "table": "{"}, "2 problems", {"design", "table"}),
    "a broken table": ("[]", {"table": "{}"}, "is no description of a table", {"table"}),
}


@pytest.mark.parametrize(("text", "more", "words", "at"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_read_is_told_at_its_text(
    client: FlaskClient, text: str, more: dict[str, str], words: str, at: set[str]
) -> None:
    page = checked(client, text, **more)
    assert page.status_code == 422
    assert words in unescape(page.text)
    assert (set(notes(page.text)), set(Controls(page.text).invalid)) == (at, at)


def test_one_long_line_can_be_laid_out(client: FlaskClient) -> None:
    line = json.dumps(BROKEN)
    page = checked(client, line)
    assert rows(page.text, "Problems")[0].startswith("The transaction /TransactItems/0/Put/Item")
    laid_out = checked(client, line, do="lay-out")
    text = Controls(laid_out.text).pairs["request"]
    assert (json.loads(text), text.count("\n") > 5) == (BROKEN, True)
    assert rows(laid_out.text, "Problems")[0].startswith("Line ")
    assert Controls(checked(client, "{" * 99, do="lay-out").text).pairs["request"] == "{" * 99


HOSTILE = "\n</textarea><script>alert(1)</script>\u202e\x00"


def test_nothing_that_was_pasted_is_lost_or_run(client: FlaskClient) -> None:
    for request in (HOSTILE, json.dumps([{"Put": {"TableName": HOSTILE, HOSTILE: HOSTILE}}])):
        page = checked(client, request, design=HOSTILE, table=HOSTILE)
        sent = {"request": request, "design": HOSTILE, "table": HOSTILE}
        assert {name: Controls(page.text).pairs[name] for name in FIELDS} == sent
        assert "<script>alert" not in page.text
        assert "<script>alert" not in checked(client, request).text


def test_a_thousand_faults_make_a_short_page(client: FlaskClient) -> None:
    items = [{"Put": {"TableName": "t", "Item": {f"a{n}": {"N": n} for n in range(2000)}}}]
    page = client.post(
        "/check",
        data={"request": json.dumps(items, indent=1), "design": "", "table": ""},
        headers=htmx("result"),
    )
    assert page.status_code == 200
    assert len(rows(page.text, "Problems")) == 100
    assert "more are not listed" in page.text
    assert len(page.data) < 200_000


def test_a_million_characters_are_answered(client: FlaskClient) -> None:
    for text in ("x" * 1_000_000, "[" * 1_000_000, '[{"Put": "' + "y" * 1_000_000 + '"}]'):
        assert checked(client, text).status_code in {200, 422}


def test_htmx_gets_the_report_and_no_field(client: FlaskClient) -> None:
    sent = {"request": EXAMPLE, "design": "", "table": "", "noted": "table", "said": ""}
    part = client.post("/check", data=sent, headers=htmx("result"))
    assert part.status_code == 200
    assert part.text.lstrip().startswith('<div id="result"')
    assert not re.findall(r"<(input(?![^>]*hidden)|textarea|select)", part.text)
    assert '<p class="note" id="note-table" hx-swap-oob="true"></p>' in part.text
    assert 'id="bar"' in part.text


def test_no_id_stands_twice(client: FlaskClient) -> None:
    for page in (client.get("/check?start=example"), checked(client, "{"), client.get("/check")):
        ids = Controls(page.text).ids
        assert sorted(set(ids)) == sorted(ids)
