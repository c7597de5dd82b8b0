"""Checking a transaction in a real browser: from a paste to a corrected action."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser.conftest import Served, Visitors
from tests.browser.sight import SIGHTS, is_clean
from tests.browser.test_whole_way import SCRIPTS, control
from webapp.web.check import EXAMPLE


@SCRIPTS
def test_a_transaction_is_pasted_checked_and_corrected(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(f"{site.url}/check")
    check = page.get_by_role("button", name="Check it")
    for text, words in (
        (EXAMPLE, "DynamoDB would refuse this: 2 problems."),
        (EXAMPLE.replace('"N": 0', '"N": "0"'), "DynamoDB would refuse this: 1 problem."),
    ):
        page.get_by_label("The transaction", exact=True).fill(text)
        if check.is_visible():
            check.click()
        expect(page.locator("#found")).to_have_text(words)
        expect(control(page, "request")).to_have_value(text)
    page.get_by_text("Put this in place of slot 1").click()
    corrected = json.loads(page.locator(".unwise pre code").last.text_content() or "")
    assert corrected["Put"]["ConditionExpression"] == "attribute_not_exists(PK)"


def test_a_fault_leads_to_its_line(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/check?start=example")
    control(page, "request").fill("\n" + EXAMPLE)
    page.get_by_role("link", name="Line 12").click()
    expect(control(page, "request")).to_be_focused()
    selected = page.evaluate("getSelection().toString()")
    assert selected.strip() == '"logins": {"N": 0}'


@SCRIPTS
def test_one_long_line_is_laid_out(visitors: Visitors, site: Served, scripts: bool) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(f"{site.url}/check")
    control(page, "request").fill(json.dumps(json.loads(EXAMPLE)))
    check = page.get_by_role("button", name="Check it")
    if check.is_visible():
        check.click()
    page.get_by_role("button", name="Lay it out in lines").click()
    expect(page.get_by_role("link", name="Line 13")).to_be_visible()
    expect(page.get_by_role("button", name="Lay it out in lines")).to_have_count(0)


@SIGHTS
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    visitors: Visitors, site: Served, scheme: str, width: int
) -> None:
    page = visitors.page(width, color_scheme=scheme)
    for path in ("/check", "/check?start=example"):
        page.goto(site.url + path)
        is_clean(page)
    control(page, "request").fill("{")
    expect(page.locator(".problems h2")).to_be_visible()
    is_clean(page)
    control(page, "request").fill("[]")
    expect(page.locator("#found")).to_be_visible()
    is_clean(page)


def test_it_can_be_done_by_keyboard_alone(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/check")
    expect(control(page, "request")).to_be_focused()
    page.keyboard.insert_text(EXAMPLE)
    expect(page.locator("#found")).to_be_visible()
    expect(control(page, "request")).to_be_focused()
