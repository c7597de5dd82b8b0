"""What a person must not lose, and what a page must not do to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Served, Visitors
from tests.browser.sight import SIGHTS, unfold, violations
from tests.browser.test_whole_way import SCRIPTS, control, fill_attribute, ready, run
from webapp.web import create_app
from webapp.web.draft import EXAMPLE
from webapp.web.loading import design_link
from webapp.web.writing import write_design


@SIGHTS
def test_axe_finds_nothing_in_any_state(
    visitors: Visitors, site: Served, scheme: str, width: int
) -> None:
    page = visitors.page(width, color_scheme=scheme)
    for path in ("/", "/?start=blank", "/nothing-here"):
        page.goto(site.url + path)
        if path != "/nothing-here":
            unfold(page)
        assert violations(page) == []
        visitors.said.clear()  # the browser says that /nothing-here is a 404
    page.goto(f"{site.url}/?start=example")
    control(page, "design/table").fill(site.table)
    page.get_by_label("Change", exact=True).check(force=True)
    control(page, "changes/0/attributes/0/becomes").fill("new@x.io")
    ready(page, "3 actions, ready")
    run(page).wait_for()
    assert violations(page) == []
    control(page, "design/table").fill("?")
    ready(page, "1 problem")
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chosen_colour_scheme_wins_and_stays(
    visitors: Visitors, site: Served, scheme: str
) -> None:
    other = {"light": "Dark", "dark": "Light"}[scheme]
    page = visitors.page(color_scheme=scheme)
    page.goto(site.url)
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    page.get_by_role("button", name=other, exact=True).click()
    chosen = page.evaluate(paper)
    assert chosen != before
    page.reload()
    assert page.evaluate(paper) == chosen
    assert violations(page) == []


@SCRIPTS
def test_colours_can_be_chosen_without_losing_what_was_typed(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    control(page, "design/table").fill("mine")
    page.get_by_role("button", name="Dark", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(control(page, "design/table")).to_have_value("mine")


def test_no_sideways_scroll_on_a_phone_and_the_bar_is_always_in_view(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page(390, 844, has_touch=True, is_mobile=True)
    page.goto(site.url)
    unfold(page)
    control(page, "design/lock/own_table").check()
    page.get_by_label("Change", exact=True).check(force=True)
    control(page, "changes/0/attributes/0/becomes").fill("x" * 300)
    expect(page.locator("#bar [role=status]")).to_have_text("1 thing to fill in")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for place in (0, 600, 100_000):
        page.evaluate(f"window.scrollTo(0, {place})")
        expect(page.locator("#bar")).to_be_in_viewport(ratio=1)
    page.locator("#bar a").click()
    expect(page.locator("#result")).to_be_in_viewport()


def test_the_caret_stays_where_it_is_while_the_result_changes(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    field = control(page, "changes/0/attributes/0/value")
    field.evaluate("field => field.setSelectionRange(3, 3)")
    field.focus()
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.keyboard.type("XYZ")
    expect(page.locator("#request")).to_contain_text("adaXYZ@lovelace.io")
    assert field.evaluate("f => [f === document.activeElement, f.selectionStart]") == [True, 6]


def test_the_key_beside_a_rule_follows_what_is_typed(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "changes/0/attributes/0/value").fill(" Ada@X.io ")
    page.locator("#rule-0 > summary").click()
    control(page, "design/unique/0/normalize/trim").check()
    control(page, "design/unique/0/normalize/casefold").check()
    expect(page.locator("#preview-0")).to_contain_text("UNIQ#EMAIL#ada@x.io / LOCK")
    expect(page.locator("#rule-summary-0")).to_contain_text("ignore case")


def test_rows_added_while_typing_lose_nothing(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "changes/0/attributes/0/value").fill("typed just now")
    page.get_by_role("button", name="+ Add a rule").click()
    expect(control(page, "design/unique/2/namespace")).to_be_focused()
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("typed just now")


def test_folded_parts_that_were_opened_stay_open(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    page.locator("#locks > summary").click()
    page.get_by_role("button", name="+ Add an attribute").click()
    expect(control(page, "changes/0/attributes/2/name")).to_be_focused()
    expect(page.locator("#locks")).to_have_attribute("open", "")


def test_reload_and_back_lose_nothing(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    fill_attribute(page, 2, "nick", "line 1\nline 2")
    ready(page, "3 actions, ready")
    for leave in (page.reload, lambda: (page.goto("about:blank"), page.go_back())):
        leave()
        expect(control(page, "changes/0/attributes/2/value")).to_have_value("line 1\nline 2")
        expect(control(page, "design/table")).to_have_value(site.table)
        ready(page, "3 actions, ready")
    page.goto(f"{site.url}/?start=blank")
    expect(control(page, "design/table")).to_have_value("")
    control(page, "design/table").fill("second")
    ready(page, "6 things to fill in")
    page.reload()
    expect(control(page, "design/table")).to_have_value("second")


def test_without_a_script_the_browser_brings_back_what_was_typed(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page(java_script_enabled=False)
    page.goto(site.url)
    control(page, "design/table").fill("typed")
    control(page, "changes/0/attributes/0/value").fill("a\nb")
    page.locator("footer a").first.click()
    page.go_back()
    expect(control(page, "design/table")).to_have_value("typed")
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("a\nb")


def test_a_server_that_is_gone_is_told_and_nothing_is_lost(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    page.route("**/*", lambda route: route.abort())
    control(page, "design/table").fill("still-here")
    expect(page.locator("#bar [role=status]")).to_contain_text("No answer from the server")
    expect(control(page, "design/table")).to_have_value("still-here")
    visitors.said.clear()  # the browser tells of the failed request itself


def test_copy_gives_the_request_as_it_is_shown(visitors: Visitors, site: Served) -> None:
    page = visitors.page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(site.url)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied == json.loads(page.locator("#request").text_content() or "")


@SCRIPTS
def test_request_and_design_can_be_downloaded(
    visitors: Visitors, site: Served, tmp_path: Path, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    shown = json.loads(page.locator("#request").text_content() or "")
    files = []
    for name in ("Download", "Download the design"):
        with page.expect_download() as started:
            page.get_by_role("button", name=name, exact=True).click()
        started.value.save_as(tmp_path / name)
        files.append(json.loads((tmp_path / name).read_text()))
    assert files == [shown, write_design(EXAMPLE)]


@SCRIPTS
def test_a_design_is_loaded_from_a_file_and_a_link(
    visitors: Visitors, site: Served, tmp_path: Path, scripts: bool
) -> None:
    design = write_design(EXAMPLE) | {"table": "loaded-table"}
    file = tmp_path / "design.json"
    file.write_text(json.dumps(design))
    page = visitors.page(java_script_enabled=scripts)
    page.goto(f"{site.url}/?start=blank")
    page.locator("#load > summary").click()
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name="Load it into the form").click()
    expect(control(page, "design/table")).to_have_value("loaded-table")
    expect(page.locator("#design-link")).to_have_attribute(
        "href", f"/?design={_link('loaded-table')}"
    )
    with page.expect_popup() as opened:
        page.locator("#design-link").click()
    expect(control(opened.value, "design/unique/1/attributes/0")).to_have_value("username")
    expect(control(opened.value, "design/table")).to_have_value("loaded-table")


def _link(table: str) -> str:
    from dataclasses import replace  # noqa: PLC0415

    return design_link(replace(EXAMPLE, table=replace(EXAMPLE.table, name=table)))


@SCRIPTS
def test_a_hostile_file_is_told_and_changes_nothing(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    page.locator("#load > summary").click()
    text = '{"table": "<img src=x onerror=alert(1)>", "evil": "</script><script>alert(2)</script>"}'
    page.locator("#pasted").fill(text)
    page.get_by_role("button", name="Load it into the form").click()
    expect(page.locator(".problems").first).to_be_visible()
    expect(control(page, "design/table")).to_have_value("accounts")
    expect(page.locator("#pasted")).to_have_value(text)


def test_everything_can_be_done_by_keyboard(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    control(page, "design/table").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(site.table)
    page.keyboard.press("Enter")
    expect(page.locator("#request")).to_contain_text(site.table)
    expect(control(page, "design/table")).to_be_focused()
    page.get_by_label("Create", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Change", exact=True)).to_be_checked()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Run on local").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#outcome")).to_contain_text("Committed.")


def test_without_an_engine_the_page_works_and_says_how_to_get_one(visitors: Visitors) -> None:
    from tests.browser.conftest import serving  # noqa: PLC0415

    with serving(create_app()) as url:
        page = visitors.page()
        page.goto(url)
        expect(page.locator(".run")).to_contain_text("pip install 'lockwright[local]'")
        control(page, "design/table").fill("any-table")
        expect(page.locator("#request")).to_contain_text("any-table")
