"""What a form still wants: said in its own words, never as a mistake, and added with one button."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import form, htmx
from tests.web.test_table import words
from webapp.core.problems import TEXTS, Problem
from webapp.web.draft import EXAMPLE, Attribute, Cell, Change, Draft, Rule
from webapp.web.edits import edit
from webapp.web.formwords import IN_FORM, say_in_form

CREATE = EXAMPLE.changes[0]


def doing(operation: str, *rows: Attribute) -> Draft:
    return replace(EXAMPLE, changes=(Change(operation, {"id": "1"}, rows),))


REQUIRED = replace(EXAMPLE, rules=(*EXAMPLE.rules, Rule("PHONE", ("phone",), required=True)))
CHANGED = Attribute("email", "S", Cell("old@x.io"), Cell("new@x.io"))
UNFILLED = {
    "required": (REQUIRED, ["“phone” is required by the rule PHONE. Give it a value."]),
    "delete": (
        doing("delete", Attribute("email", "S", Cell("ada@x.io"))),
        [
            (
                "What “username” is now is not said, and its lock cannot follow without it. Give "
                "its value under “Now”, or choose “absent” there if the record does not have it."
            )
        ],
    ),
    "change": (
        doing("change", Attribute("email", "S", Cell("ada@x.io"))),
        [
            (
                "Nothing changes yet. Give at least one attribute a value under “Becomes”, or "
                "choose “removed” there."
            )
        ],
    ),
    "key": (
        replace(EXAMPLE, changes=(CREATE, Change("create", {}, (Attribute("name"),)))),
        ["The key needs a value for “id”. Give it under “id”."],
    ),
}


def listed(page: str, kind: str) -> list[str]:
    """The notices of a list: ``problems`` or ``problems open``."""
    found = re.search(rf'<section class="{kind}".*?</section>', page, re.DOTALL)
    items = re.findall(r"<li>.*?</li>", found.group(), re.DOTALL) if found else []
    return [words(re.sub(r"<a .*?</a>", "", item, flags=re.DOTALL)) for item in items]


@pytest.mark.parametrize(("draft", "wanted"), UNFILLED.values(), ids=UNFILLED.keys())
def test_what_no_control_asks_for_yet_is_still_to_fill_in(
    client: FlaskClient, draft: Draft, wanted: list[str]
) -> None:
    page = client.post("/", data=form(draft), headers=htmx("result"))
    assert page.status_code == 422
    assert listed(page.text, "problems open") == wanted
    assert listed(page.text, "problems") == []
    assert "1 thing to fill in" in page.text


def test_a_required_value_that_is_said_to_be_null_is_a_problem_at_its_field(
    client: FlaskClient,
) -> None:
    row = Attribute("phone", "S", Cell("555", "null"))
    draft = replace(REQUIRED, changes=(replace(CREATE, attributes=(*CREATE.attributes, row)),))
    page = client.post("/", data=form(draft), headers=htmx("result"))
    assert listed(page.text, "problems") == [
        "“phone” is required by the rule PHONE. Give it a value."
    ]


def test_one_button_adds_the_rows_that_the_rules_want(client: FlaskClient) -> None:
    draft = doing("delete")
    page = client.post("/", data=form(draft), headers=htmx("result"))
    [button] = re.findall(r'<button[^>]*value="add-ruled/0"[^>]*>([^<]*)<', page.text)
    assert button == "+ Add email, username"
    added = client.post("/", data=form(draft, do="add-ruled/0"), headers=htmx("work"))
    assert 'name="changes/0/attributes/1/name"' in added.text
    assert 'value="add-ruled/0"' not in added.text
    assert listed(added.text, "problems") == []
    assert len(listed(added.text, "problems open")) == 2


def test_the_names_of_the_rules_are_suggested(client: FlaskClient) -> None:
    page = client.get("/").text
    assert '<datalist id="ruled-names">' in page
    assert '<option value="username">' in page
    assert re.search(r'name="changes/0/attributes/0/name"[^>]* list="ruled-names"', page)


def test_after_a_run_going_on_is_greeted_without_a_problem(client: FlaskClient) -> None:
    page = client.post("/", data=form(do="go-on"), headers=htmx("work"))
    assert listed(page.text, "problems") == []
    assert listed(page.text, "problems open")[0].startswith("Nothing changes yet.")


def test_a_record_is_counted_as_the_page_counts_it(client: FlaskClient) -> None:
    twice = replace(EXAMPLE, changes=(CREATE, CREATE))
    page = client.post("/", data=form(twice), headers=htmx("result"))
    assert "Record 1 and record 2 are the same record." in page.text


def test_the_words_of_the_form_are_those_of_problems_that_exist() -> None:
    assert IN_FORM.keys() <= TEXTS.keys()


def test_a_problem_without_words_of_the_form_keeps_those_of_the_core() -> None:
    problem = Problem("token-length", "/token", {"count": 40, "limit": 36})
    said = say_in_form(problem)
    assert (said.message, said.hint) == (problem.message, problem.hint)


def test_a_second_record_without_its_rows_is_asked_for_them() -> None:
    edited = edit(replace(EXAMPLE, changes=(CREATE, Change("delete", {"id": "2"}))), "add-ruled/1")
    assert [row.name for row in edited.changes[1].attributes] == ["email", "username"]


def test_what_is_to_be_filled_in_is_told_record_by_record(client: FlaskClient) -> None:
    first = Change("delete", {"id": "1"})
    second = Change("delete", {"id": ""}, (Attribute("email", "S", Cell("ada@x.io")),))
    page = client.post(
        "/", data=form(replace(EXAMPLE, changes=(first, second))), headers=htmx("result")
    )
    told = listed(page.text, "problems open")
    about = [re.findall(r"“(\w+)”", said)[0] for said in told]
    assert about == ["email", "username", "id", "username"]
