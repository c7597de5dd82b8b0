"""The whole way in a real browser: from a blank page to a transaction that was run."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, Visitors

SCRIPTS = pytest.mark.parametrize("scripts", [True, False], ids=["htmx", "no script"])


def control(page: Page, name: str) -> Any:
    return page.locator(f'[name="{name}"]')


def ready(page: Page, words: str) -> None:
    """Wait until the bar says so; without a script, ask for it first."""
    update = page.get_by_role("button", name="Update the result")
    if update.is_visible():
        update.click()
    expect(page.locator(".side")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("#bar [role=status]")).to_have_text(words)


def run(page: Page) -> Any:
    page.get_by_role("button", name="Run on local").click()
    return page.locator("#outcome")


def fill_design(page: Page, table: str) -> None:
    """Steps 1 and 2 of a blank page."""
    for name, text in {
        "design/table": table,
        "design/partition_key/name": "PK",
        "design/sort_key/name": "SK",
        "design/record/partition": "ACCT#{id}",
        "design/record/sort": "PROFILE",
        "design/unique/0/namespace": "EMAIL",
        "design/unique/0/attributes/0": "email",
    }.items():
        control(page, name).fill(text)
    page.get_by_role("button", name="+ Add a rule").click()
    control(page, "design/unique/1/namespace").fill("HANDLE")
    control(page, "design/unique/1/attributes/0").fill("username")
    page.locator("#rule-1 > summary").click()
    control(page, "design/unique/1/normalize/casefold").check()
    update = page.get_by_role("button", name="Update the result")
    if update.is_visible():
        update.click()
    expect(control(page, "changes/0/key/id")).to_be_visible()


def fill_attribute(page: Page, number: int, name: str, value: str, type_: str = "S") -> None:
    row = f"changes/0/attributes/{number}"
    if control(page, f"{row}/name").count() == 0:
        page.get_by_role("button", name="+ Add an attribute").click()
    control(page, f"{row}/name").fill(name)
    control(page, f"{row}/type").select_option(type_)
    control(page, f"{row}/value").fill(value)


def stored(site: Served, partition: str, sort: str) -> dict[str, Any] | None:
    return site.gateway.get(site.table, {"PK": {"S": partition}, "SK": {"S": sort}})


@SCRIPTS
def test_create_change_and_delete_from_a_blank_page(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(f"{site.url}/?start=blank")
    fill_design(page, site.table)

    control(page, "changes/0/key/id").fill("1")
    fill_attribute(page, 0, "email", "Ada@Lovelace.io")
    fill_attribute(page, 1, "username", "Ada")
    fill_attribute(page, 2, "born", "70605040302010908071", "N")
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    assert stored(site, "ACCT#1", "PROFILE") == {
        "PK": {"S": "ACCT#1"},
        "SK": {"S": "PROFILE"},
        "email": {"S": "Ada@Lovelace.io"},
        "username": {"S": "Ada"},
        "born": {"N": "70605040302010908071"},
    }
    assert stored(site, "UNIQ#HANDLE#ada", "LOCK") is not None

    page.get_by_role("button", name="Go on from here").click()
    expect(page.get_by_label("Change", exact=True)).to_be_checked()
    control(page, "changes/0/attributes/0/becomes").fill("countess@lovelace.io")
    control(page, "changes/0/attributes/1/becomes").fill("ADA")
    ready(page, "3 actions, ready")
    expect(page.locator(".item.kept")).to_contain_text("username stays the same")
    for row in page.locator(".board .item").all():
        expect(row).to_be_visible()
    expect(run(page)).to_contain_text("Committed.")
    assert stored(site, "UNIQ#EMAIL#Ada@Lovelace.io", "LOCK") is None
    assert stored(site, "UNIQ#EMAIL#countess@lovelace.io", "LOCK") is not None
    assert (stored(site, "ACCT#1", "PROFILE") or {})["username"] == {"S": "ADA"}

    page.get_by_role("button", name="Go on from here").click()
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("countess@lovelace.io")
    page.get_by_label("Delete", exact=True).check(force=True)
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    assert [
        stored(site, *key)
        for key in (
            ("ACCT#1", "PROFILE"),
            ("UNIQ#EMAIL#countess@lovelace.io", "LOCK"),
            ("UNIQ#HANDLE#ada", "LOCK"),
        )
    ] == [None, None, None]


@SCRIPTS
def test_a_taken_value_is_marked_at_its_field_and_can_be_put_right(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("Committed.")

    control(page, "changes/0/key/id").fill("other")
    control(page, "changes/0/attributes/1/value").fill("somebody")
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("email")
    email = control(page, "changes/0/attributes/0/value")
    expect(page.locator("#note-changes-0-attributes-0-value")).to_contain_text("taken")
    expect(email).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".item.failed")).to_have_count(1)
    expect(page.locator(".item.failed .slot")).to_contain_text("1")
    assert stored(site, "ACCT#other", "PROFILE") is None

    email.fill("somebody@else.io")
    ready(page, "3 actions, ready")
    expect(page.locator("#note-changes-0-attributes-0-value")).to_have_text("")
    expect(run(page)).to_contain_text("Committed.")


def test_a_record_that_exists_is_told_at_its_key(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    page.goto(f"{site.url}/?start=example")
    control(page, "design/table").fill(site.table)
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("exists")
    expect(page.locator("#note-changes-0-key-id")).not_to_have_text("")


def test_a_table_that_does_not_exist_is_told_with_the_endpoint(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "design/table").fill("no-such-table")
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("no such table")


@SCRIPTS
def test_problems_stand_at_their_fields_and_go_when_settled(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    control(page, "design/table").fill("no table!")
    control(page, "design/record/partition").fill("ACCT#{id")
    ready(page, "2 problems")
    expect(page.locator("#note-design-table")).to_contain_text("no table!")
    expect(control(page, "design/record/partition")).to_have_attribute("aria-invalid", "true")
    page.locator(".problems a", has_text="Table name").click()
    expect(page).to_have_url(re.compile("#design-table$"))
    control(page, "design/table").fill("fine-table")
    control(page, "design/record/partition").fill("ACCT#{id}")
    ready(page, "3 actions, ready")
    expect(page.locator("#note-design-table")).to_have_text("")


@SCRIPTS
def test_b92_a_long_number_stays_as_it_was_typed(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    fill_attribute(page, 2, "born", "70605040302010908071", "N")
    ready(page, "3 actions, ready")
    expect(control(page, "changes/0/attributes/2/value")).to_have_value("70605040302010908071")
    expect(page.locator("#request")).to_contain_text('{"N": "70605040302010908071"}')


TYPES: dict[str, tuple[str, Any]] = {
    "S": ("two\nlines  ", {"S": "two\nlines  "}),
    "N": ("1.50", {"N": "1.50"}),
    "B": ("AAE=", {"B": "AAE="}),
    "BOOL": ("", {"BOOL": False}),
    "NULL": ("", {"NULL": True}),
    "SS": ("b\na", {"SS": ["b", "a"]}),
    "NS": ("2\n1", {"NS": ["2", "1"]}),
    "BS": ("AA==\nAQ==", {"BS": ["AA==", "AQ=="]}),
    "L": ('[{"N": "1"}, {"L": []}]', {"L": [{"N": "1"}, {"L": []}]}),
    "M": ('{"a b": {"NULL": true}}', {"M": {"a b": {"NULL": True}}}),
    "JSON": ('{"SS": ["", "x\\ny"]}', {"SS": ["", "x\ny"]}),
}


def shown_request(page: Page) -> Any:
    return json.loads(page.locator("#request").text_content() or "")


@SCRIPTS
def test_all_ten_types_can_be_given(visitors: Visitors, site: Served, scripts: bool) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    for number, (tag, (text, _)) in enumerate(TYPES.items(), 2):
        page.get_by_role("button", name="+ Add an attribute").click()
        row = f"changes/0/attributes/{number}"
        control(page, f"{row}/name").fill(f"x{tag}")
        control(page, f"{row}/type").select_option(tag)
        if text:
            control(page, f"{row}/value").fill(text)
        elif tag == "BOOL":
            control(page, f"{row}/value/truth").select_option("false")
    ready(page, "3 actions, ready")
    item = shown_request(page)["TransactItems"][0]["Put"]["Item"]
    assert {tag: item[f"x{tag}"] for tag in TYPES} == {t: value for t, (_, value) in TYPES.items()}


def test_what_a_value_is_can_be_chosen_and_its_text_stays(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    value = control(page, "changes/0/attributes/1/value")
    given = control(page, "changes/0/attributes/1/value/given")
    for choice, bar in {"absent": "2 actions, ready", "null": "2 actions, ready"}.items():
        given.select_option(choice)
        ready(page, bar)
        expect(value).to_be_hidden()
    given.select_option("typed")
    ready(page, "3 actions, ready")
    expect(value).to_have_value("ada")
