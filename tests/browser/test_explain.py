"""Explaining an error in a real browser: from a paste to what to tell the user."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, Visitors
from tests.browser.sight import SIGHTS, is_clean
from tests.browser.test_whole_way import SCRIPTS, control, ready, run
from tests.core.test_explain_question import PLAN
from tests.web.test_explain import TEXT

PLAN_TEXT = json.dumps(PLAN, indent=2)


def ask(page: Page) -> None:
    """Without a script the explanation is asked for by a button."""
    button = page.get_by_role("button", name="Explain it")
    if button.is_visible():
        button.click()


@SCRIPTS
def test_B69_an_error_is_pasted_and_explained(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(f"{site.url}/explain")
    page.get_by_label("The error", exact=True).fill(TEXT)
    page.get_by_label("What was sent", exact=True).fill(PLAN_TEXT)
    ask(page)
    expect(page.locator("#happened")).to_have_text("Nothing was written. Taken: email.")
    expect(page.locator(".told dd")).to_have_text("email is taken.")
    expect(page.locator(".next")).to_contain_text("Already in use: email.")
    expect(control(page, "sent")).to_have_value(PLAN_TEXT)


@SCRIPTS
def test_B81_the_plan_of_the_first_page_meets_an_error_of_another_program(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    page.get_by_role("button", name="Explain an error of it").click()
    expect(page).to_have_url(f"{site.url}/explain")
    expect(control(page, "error")).to_be_focused()
    item = {"PK": {"S": "UNIQ#HANDLE#ada"}, "owner": {"M": {"PK": {"S": "ACCT#2"}}}}
    failed = {"Code": "ConditionalCheckFailed", "Item": item}
    reasons = [{"Code": "None"}, {"Code": "None"}, failed]
    control(page, "error").fill(json.dumps({"CancellationReasons": reasons}))
    ask(page)
    expect(page.locator(".told dd")).to_have_text("username is taken by the record ACCT#2.")
    page.get_by_text("The item that was met").click()
    expect(page.locator(".failed pre")).to_contain_text('"S": "ACCT#2"')


def test_problems_stand_at_their_text_and_go_when_settled(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/explain?start=example")
    whole = control(page, "sent").input_value()
    control(page, "sent").fill('{\n  "slots": [\n}')
    expect(page.locator("#note-sent")).to_contain_text("This is not JSON")
    expect(page.locator(".problems a")).to_have_text("What was sent, line 3")
    expect(control(page, "sent")).to_have_attribute("aria-invalid", "true")
    page.locator(".problems a").click()
    expect(control(page, "sent")).to_be_focused()
    control(page, "sent").fill(whole)
    expect(page.locator("#note-sent")).to_be_empty()
    expect(page.locator("#happened")).to_be_visible()


@SIGHTS
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    visitors: Visitors, site: Served, scheme: str, width: int
) -> None:
    page = visitors.page(width, color_scheme=scheme)
    for path in ("/explain", "/explain?start=example"):
        page.goto(site.url + path)
        is_clean(page)
    control(page, "sent").fill("{")
    expect(page.locator(".problems h2")).to_be_visible()
    is_clean(page)
    control(page, "sent").fill("")
    control(page, "error").fill("TransactionInProgressException")
    expect(page.locator(".outcome.unsure")).to_be_visible()
    is_clean(page)


def test_it_can_be_done_by_keyboard_alone(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/explain")
    expect(control(page, "error")).to_be_focused()
    page.keyboard.insert_text(TEXT)
    page.keyboard.press("Tab")
    expect(control(page, "sent")).to_be_focused()
    page.keyboard.insert_text(PLAN_TEXT)
    expect(page.locator(".told dd")).to_have_text("email is taken.")
    expect(control(page, "sent")).to_be_focused()


def test_a_failed_run_is_explained_in_the_same_words(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    ready(page, "3 actions, ready")
    run(page).wait_for()
    control(page, "changes/0/key/id").fill("second")
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("Taken: email, username")
    expect(page.locator(".next")).to_contain_text("Already in use: email, username.")
    is_clean(page)
