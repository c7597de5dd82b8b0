"""What an update holds beside the result: the summaries that say something new, and no others."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import form, htmx
from webapp.web.draft import EXAMPLE, Attribute, Cell, Draft, KeyColumn

SUMMARIES = (
    'id="locks-summary"',
    'id="options-summary"',
    'id="rule-summary-0"',
    'id="ruled-names"',
    'id="without-row-0"',
    'id="design-link"',
)


def update(client: FlaskClient, draft: Draft, told: str = "") -> str:
    answer = client.post("/", data=form(draft, told=told), headers=htmx("result"))
    assert answer.status_code in {200, 422}
    return answer.text


def told_in(text: str) -> str:
    found = re.search(r'name="told" value="([^"]+)"', text)
    assert found
    return found[1]


def with_rule(draft: Draft, **members: object) -> Draft:
    return replace(draft, rules=(replace(draft.rules[0], **members), *draft.rules[1:]))  # type: ignore[arg-type]


def with_row(row: Attribute) -> Draft:
    change = EXAMPLE.changes[0]
    return replace(EXAMPLE, changes=(replace(change, attributes=(row, *change.attributes[1:])),))


NEW = {
    "a table": replace(EXAMPLE, table=replace(EXAMPLE.table, name="people")),
    "no sort key": replace(EXAMPLE, table=replace(EXAMPLE.table, sort=KeyColumn(""))),
    "an owner": replace(EXAMPLE, locks=replace(EXAMPLE.locks, stores_owner=True)),
    "a required rule": with_rule(EXAMPLE, required=True),
    "a condition": with_rule(EXAMPLE, condition="texts", when_attribute="state"),
    "a normalisation": with_rule(EXAMPLE, normalize=("trim",)),
    "a placeholder for each name": replace(EXAMPLE, alias="always"),
    "a token": replace(EXAMPLE, token="mine"),
    "the blocking item": replace(EXAMPLE, return_existing=True),
    "the name of a row": with_row(Attribute("mail", value=Cell("ada@lovelace.io"))),
    "a record": replace(EXAMPLE, changes=EXAMPLE.changes * 2),
}


@pytest.mark.parametrize("draft", NEW.values(), ids=NEW)
def test_summaries_come_with_what_makes_them_new(client: FlaskClient, draft: Draft) -> None:
    text = update(client, draft, told_in(update(client, EXAMPLE)))
    assert [part for part in SUMMARIES if part not in text] == []


def test_a_value_makes_no_summary_new(client: FlaskClient) -> None:
    draft = with_row(Attribute("email", value=Cell("grace@hopper.io")))
    text = update(client, draft, told_in(update(client, EXAMPLE)))
    assert [part for part in SUMMARIES if part in text] == []
    assert "UNIQ#EMAIL#grace@hopper.io" in text[text.index('id="preview-0"') :]


def test_a_lock_is_previewed_anew_where_it_is_another(client: FlaskClient) -> None:
    draft = with_row(Attribute("email", value=Cell("grace@hopper.io")))
    assert 'id="preview-0"' not in update(client, draft, told_in(update(client, draft)))
    assert 'id="preview-0"' in update(client, draft, told_in(update(client, EXAMPLE)))


def test_the_page_says_of_itself_what_an_update_of_it_would(client: FlaskClient) -> None:
    page = client.get("/").text
    assert [part for part in SUMMARIES if part not in page] == []
    assert told_in(page) == told_in(update(client, EXAMPLE))
