"""What was typed comes back exactly: after a reload, after another page, after a new start."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served, Visitors
from tests.browser.test_whole_way import SCRIPTS, control, ready
from tests.core.test_explain_question import PLAN
from tests.web.test_explain import TEXT as ERROR

KEPT_BY_THE_PAGE = {"noted", "said", "sent", "sending", "seed", "keys"}


def typed(page: Page) -> list[list[str]]:
    """The controls of the form as a browser sends them, without what the page keeps there."""
    page.wait_for_selector("#work")
    page.wait_for_load_state()
    page.wait_for_selector("#work:not([inert])")
    pairs: list[list[str]] = page.locator("#work").evaluate("form => [...new FormData(form)]")
    return [pair for pair in pairs if pair[0] not in {*KEPT_BY_THE_PAGE, "file"}]


def remove(page: Page, button: str, removed: str) -> None:
    page.locator(f'button[value="{button}"]').click()
    expect(control(page, removed)).to_have_count(0)


def less_unique(page: Page) -> None:
    remove(page, "remove-rule/1", "design/unique/1/namespace")
    remove(page, "remove-attribute/0/1", "changes/0/attributes/1/name")


def less_asked(page: Page) -> None:
    remove(page, "remove actions/0/projection/1", "actions/0/projection/2")
    remove(page, "remove actions/0/filter/1", "actions/0/filter/1/op")


def paste_both(page: Page) -> None:
    control(page, "error").fill(f"{ERROR}\n")
    control(page, "sent").fill(json.dumps(PLAN, indent=2))


def settled(page: Page) -> str:
    """What the bar says of the draft, when nothing is under way."""
    expect(page.locator(".side")).not_to_have_attribute("aria-busy", "true")
    return str(bar(page).inner_text())


def bar(page: Page) -> Locator:
    return page.locator("#bar [role=status]")


class Kept(NamedTuple):
    """A page that keeps a draft: its address, its name in the navigation, and an edit."""

    path: str
    name: str
    edit: Callable[[Page], None]


PAGES = (
    Kept("/", "Transaction", less_unique),
    Kept("/expressions", "Expressions", less_asked),
    Kept("/check", "Check", lambda page: control(page, "request").fill('{"TransactItems": []}')),
    Kept("/explain", "Explain", paste_both),
)
KEPT = pytest.mark.parametrize("kept", PAGES, ids=[kept.name for kept in PAGES])


def ways_back(page: Page, kept: Kept) -> tuple[Callable[[], object], ...]:
    """A reload, the links of the navigation, and the browser's way back."""
    named = page.get_by_role("navigation").get_by_role
    leave, enter = named("link", name="Race"), named("link", name=kept.name)
    return (
        page.reload,
        lambda: (leave.click(), enter.click()),
        lambda: (leave.click(), page.go_back()),
    )


@KEPT
def test_a_draft_comes_back_with_what_it_came_to_and_nothing_that_was_removed(
    visitors: Visitors, site: Served, kept: Kept
) -> None:
    page = visitors.page()
    page.goto(site.url + kept.path)
    kept.edit(page)
    said, wanted = settled(page), typed(page)
    for leave_and_return in ways_back(page, kept):
        leave_and_return()
        assert typed(page) == wanted
        expect(bar(page)).to_have_text(said)


def test_a_blank_start_with_one_rule_comes_back_as_that(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/?start=blank")
    control(page, "design/unique/0/namespace").fill("ONLY")
    ready(page, "6 things to fill in")
    wanted = typed(page)
    page.get_by_role("link", name="Race").click()
    page.get_by_role("link", name="Transaction").click()
    expect(control(page, "design/unique/0/namespace")).to_have_value("ONLY")
    assert typed(page) == wanted


@KEPT
def test_a_new_start_takes_nothing_away(visitors: Visitors, site: Served, kept: Kept) -> None:
    page = visitors.page()
    page.goto(site.url + kept.path)
    again = page.get_by_role("button", name="Bring back what I had")
    kept.edit(page)
    expect(page.locator(".side")).not_to_have_attribute("aria-busy", "true")
    wanted = typed(page)
    page.get_by_role("link", name="Start blank").click()
    page.wait_for_url("**start=blank")
    blank = typed(page)
    assert blank != wanted
    page.get_by_role("link", name="Worked example").click()
    page.wait_for_url("**start=example")
    again.click()
    expect(again).to_be_hidden()
    assert typed(page) == wanted
    page.go_back()
    assert typed(page) == blank
    page.go_back()
    assert typed(page) == wanted


def test_what_was_not_typed_is_not_offered(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    page.get_by_role("link", name="Start blank").click()
    expect(control(page, "design/table")).to_have_value("")
    expect(page.locator("#again")).to_be_hidden()


def test_without_a_script_back_brings_the_page_before_a_new_start(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page(java_script_enabled=False)
    page.goto(site.url)
    control(page, "design/table").fill("typed")
    page.get_by_role("button", name="Update the result").click()
    control(page, "changes/0/attributes/0/value").fill("typed too")
    page.get_by_role("link", name="Start blank").click()
    expect(control(page, "design/table")).to_have_value("")
    page.go_back()
    expect(control(page, "design/table")).to_have_value("typed")
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("typed too")


@SCRIPTS
def test_the_link_to_a_design_leaves_the_form_alone(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    control(page, "changes/0/attributes/0/value").fill("typed@x.io")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Link to this design").click()
    expect(control(opened.value, "design/table")).to_have_value("accounts")
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("typed@x.io")


def test_the_link_to_a_design_can_be_copied(visitors: Visitors, site: Served) -> None:
    page = visitors.page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(site.url)
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#design-link").evaluate("link => link.href")
