"""What a page says is said where it is looked for, on a phone and without a script too."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Served, Visitors
from tests.browser.test_whole_way import control, run


def test_now_and_becomes_are_named_on_a_phone(visitors: Visitors, site: Served) -> None:
    page = visitors.page(390, 844, has_touch=True, is_mobile=True)
    page.goto(site.url)
    shown = page.locator(".change .row.head > span:visible, .change .column > span:visible")
    expect(shown).to_have_text(["Attribute", "Type", "Value", "Value"])
    page.get_by_label("Change", exact=True).check(force=True)
    expect(page.locator(".change .value .column").first).to_be_visible()
    assert page.locator(".change .column:visible").evaluate_all(
        "columns => columns.map(column => column.innerText.trim())"
    ) == ["Now", "Becomes", "Now", "Becomes"]


def test_without_a_script_the_form_comes_back_from_the_tables(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page(java_script_enabled=False)
    page.goto(site.url)
    control(page, "changes/0/attributes/0/value").fill("typed@x.io")
    page.get_by_role("button", name="Compare with a real table").click()
    page.get_by_role("button", name="To the form, with what you typed").click()
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("typed@x.io")


def test_a_failed_slot_reads_as_failed(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    expect(run(page)).to_contain_text("Committed.")
    control(page, "changes/0/key/id").fill("another")
    expect(page.locator("#outcome")).to_have_count(0)
    run(page).wait_for()
    colour = "e => getComputedStyle(e).color"
    failed = page.locator(".item.failed")
    expect(failed).to_have_count(2)
    assert failed.locator(".verb").first.evaluate(colour) == failed.locator(
        ".finding"
    ).first.evaluate(colour)


def test_enter_sends_a_value_of_one_line_and_shift_enter_adds_one(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    value = control(page, "changes/0/attributes/0/value")
    value.fill("a@x.io")
    value.press("Enter")
    expect(page.locator("#request")).to_contain_text("a@x.io")
    expect(value).to_have_value("a@x.io")
    expect(value).to_be_focused()
    value.press("Shift+Enter")
    value.press("Enter")
    expect(value).to_have_value("a@x.io\n\n")


def test_only_pages_with_run_speak_of_it_in_their_foot(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    speaking = []
    for path in ("/", "/expressions", "/table", "/check", "/explain", "/race", "/reference"):
        page.goto(site.url + path)
        if "press Run" in (page.locator(".foot").text_content() or ""):
            speaking.append(path)
    assert speaking == ["/", "/expressions"]
