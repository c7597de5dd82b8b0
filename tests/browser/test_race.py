"""The race in a browser: run with and without a script, watched, stopped, readable by everyone."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors, serving
from tests.browser.sight import SIGHTS, is_clean, violations
from webapp.attempts import Policy
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway, Limits
from webapp.web import create_app
from webapp.web.settings import Settings, Target


@pytest.fixture(scope="module")
def races(engine: Endpoint, gateway: Gateway) -> Iterator[str]:
    """The page of the race, on the test engine."""
    ground = Gateway(engine, Limits(connections=200), Policy(jitter=random.random))
    app = create_app(Settings(targets={"local": Target(engine, lambda: gateway, lambda: ground)}))
    with serving(app) as url:
        yield f"{url}/race"
    app.extensions["races"].close()


def start(page: Page, sign_ups: int, gap_ms: int) -> None:
    page.get_by_label("Sign-ups").fill(str(sign_ups))
    page.get_by_label("From look to write").fill(str(gap_ms))
    page.locator("#start").click()


def over(page: Page) -> None:
    expect(page.get_by_role("status")).to_contain_text("The race is over.", timeout=60_000)


@SIGHTS
def test_axe_finds_nothing_before_while_and_after(
    visitors: Visitors, races: str, scheme: str, width: int
) -> None:
    page = visitors.page(width, color_scheme=scheme)
    page.goto(races)
    assert violations(page) == []
    start(page, 6, 2000)
    expect(page.locator("#stop")).to_be_visible()
    assert violations(page) == []
    page.locator("#stop").click()
    expect(page.get_by_role("status")).to_contain_text("The race was stopped.", timeout=60_000)
    start(page, 6, 100)
    over(page)
    is_clean(page)


def test_a_race_is_watched_to_its_end(visitors: Visitors, races: str) -> None:
    page = visitors.page()
    page.goto(races)
    start(page, 8, 400)
    expect(page.get_by_role("status")).to_contain_text("Running: Check, then write")
    over(page)
    pictures = page.get_by_role("img")
    expect(pictures).to_have_count(3)
    expect(page.locator(".owners").last).to_contain_text("1 account owns the address")
    assert [panel.get_attribute("class") for panel in page.locator(".way").all()] == [
        "way bad",
        "way bad",
        "way good",
    ]
    assert page.locator("use.another").count() > 0
    assert page.locator(".way.good use.another").count() == 0
    address = page.url
    assert address != races
    page.reload()
    over(page)
    assert page.url == address


def test_every_sign_up_has_its_row_and_its_line_in_the_table(
    visitors: Visitors, races: str
) -> None:
    page = visitors.page()
    page.goto(races)
    start(page, 5, 0)
    over(page)
    assert page.locator(".timeline").first.locator("g.lane").count() == 5
    page.get_by_text("Every sign-up as a table").last.click()
    rows = page.locator(".lanes").last.locator("tbody tr")
    assert rows.count() == 5
    told = [row.locator("td").last.inner_text() for row in rows.all()]
    assert sorted(told) == ["the first account", *["told “taken”"] * 4]


def test_without_a_script_a_race_comes_to_its_end_by_itself(visitors: Visitors, races: str) -> None:
    page = visitors.page(java_script_enabled=False)
    page.goto(races)
    start(page, 4, 500)
    over(page)
    expect(page.get_by_role("img")).to_have_count(3)


def test_without_a_script_a_race_is_stopped(visitors: Visitors, races: str) -> None:
    page = visitors.page(java_script_enabled=False)
    page.goto(races)
    start(page, 4, 2000)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status")).to_contain_text("The race was stopped.", timeout=30_000)


def test_a_race_is_started_by_keyboard_and_the_focus_stays(visitors: Visitors, races: str) -> None:
    page = visitors.page()
    page.goto(races)
    page.get_by_label("Sign-ups").focus()
    page.keyboard.type("4")
    page.keyboard.press("Control+A")
    page.keyboard.type("4")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    over(page)
    assert page.evaluate("document.activeElement.id") == "gap_ms"


def test_wrong_numbers_are_told_at_their_field(visitors: Visitors, races: str) -> None:
    page = visitors.page()
    page.goto(races)
    start(page, 1, 0)
    field = page.get_by_label("Sign-ups")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#note-sign_ups")).to_contain_text("from 2 to 200")
    expect(field).to_have_value("1")


@pytest.mark.parametrize("script", [True, False], ids=["with a script", "without"])
def test_colours_are_chosen_here_too(visitors: Visitors, races: str, script: bool) -> None:
    page = visitors.page(java_script_enabled=script, color_scheme="light")
    page.goto(races)
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(races)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
