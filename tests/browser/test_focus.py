"""What a button did is in view and has the focus, with a mouse, a keyboard or a finger."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, Visitors
from tests.browser.test_whole_way import control


def press(page: Page, button: str) -> None:
    page.locator(f'button[value="{button}"]').press("Enter")


def focused(page: Page, button: str) -> None:
    expect(page.locator(f'button[value="{button}"]')).to_be_focused()


def test_the_outcome_of_a_run_is_in_view_on_a_phone_and_the_bar_tells_it(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page(390, 844, has_touch=True, is_mobile=True)
    page.goto(site.url)
    bar = page.locator("#bar")
    control(page, "design/table").fill(site.table)
    expect(page.locator("#request")).to_contain_text(site.table)
    page.get_by_role("button", name="Run on local").tap()
    expect(bar).to_contain_text("Committed.")
    expect(bar).to_have_class("bar ready")
    expect(page.locator("#outcome")).to_be_in_viewport(ratio=1)
    control(page, "changes/0/key/id").fill("another")
    expect(bar).to_contain_text("3 actions, ready")
    page.get_by_role("button", name="Run on local").tap()
    expect(bar).to_have_class("bar troubled")
    headline = page.locator("#outcome b").first
    expect(headline).to_be_in_viewport(ratio=1)
    expect(bar.get_by_role("status")).to_have_text(headline.text_content() or "")


def test_after_a_run_by_keyboard_the_outcome_has_the_focus(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    expect(page.locator("#request")).to_contain_text(site.table)
    page.get_by_role("button", name="Run on local").press("Enter")
    expect(page.locator("#outcome")).to_be_focused()
    expect(page.locator("#outcome")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Change", exact=True)).to_be_focused()
    page.get_by_role("button", name="Load the record as it is").press("Enter")
    expect(page.locator(".stored")).to_be_visible()
    expect(page.get_by_role("button", name="Load the record as it is")).to_be_focused()


def test_a_row_that_is_moved_or_removed_keeps_the_focus(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    press(page, "rule-up/1")
    focused(page, "rule-down/0")
    expect(control(page, "design/unique/0/namespace")).to_have_value("HANDLE")
    press(page, "rule-down/0")
    focused(page, "rule-up/1")
    press(page, "remove-rule/1")
    focused(page, "remove-rule/0")
    press(page, "remove-rule/0")
    focused(page, "add-rule")
    press(page, "remove-attribute/0/0")
    expect(control(page, "changes/0/attributes/1/name")).to_have_count(0)
    focused(page, "remove-attribute/0/0")


def test_rows_of_expressions_keep_the_focus_and_a_run_gives_it_to_its_outcome(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/expressions")
    press(page, "up actions/0/filter/1")
    focused(page, "down actions/0/filter/0")
    press(page, "remove actions/0/filter/1")
    focused(page, "remove actions/0/filter/0")
    press(page, "remove actions/0/filter/0")
    focused(page, "add-condition actions/0/filter")
    control(page, "actions/0/table").fill(site.table)
    expect(page.locator("#request")).to_contain_text(site.table)
    page.get_by_role("button", name="Run on local").press("Enter")
    expect(page.locator("#outcome")).to_be_focused()
    headline = page.locator("#outcome b").first.text_content() or ""
    expect(page.locator("#bar [role=status]")).to_have_text(headline)
