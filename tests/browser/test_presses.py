"""No press is lost: one that comes while another answer is under way is made again after it.

The presses of a test are made in one go by a script, so that each but the first comes while the
answer to the one before is under way, however quick the machine is.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, Visitors, serving
from tests.browser.test_running import Hesitant, design, opened
from tests.browser.test_whole_way import control, stored
from webapp.gateway import Gateway
from webapp.web import create_app
from webapp.web.settings import Settings, Target

PRESS = """buttons => buttons.forEach(
  ([name, value]) => document.querySelector(`button[name="${name}"][value="${value}"]`).click())"""
RULES = ["A", "B", "C", "D"]


def press(page: Page, *buttons: str, name: str = "do") -> None:
    """Press buttons by their values, one after the other and quicker than any answer."""
    page.evaluate(PRESS, [[name, button] for button in buttons])


def namespaces(page: Page) -> list[str]:
    """The namespaces of all rules, in order."""
    fields = page.locator('[name^="design/unique/"][name$="/namespace"]')
    return [field.input_value() for field in fields.all()]


def with_rules(page: Page) -> None:
    """Give the page four rules."""
    for number, name in enumerate(RULES):
        if number > 1:
            page.locator('button[value="add-rule"]').click()
        control(page, f"design/unique/{number}/namespace").fill(name)


def test_every_press_adds_its_row(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(site.url)
    press(page, "add-rule", "add-attribute/0", "add-rule", "add-attribute/0")
    expect(control(page, "design/unique/3/namespace")).to_be_visible()
    expect(control(page, "changes/0/attributes/3/name")).to_be_visible()
    expect(page.locator('[name$="/namespace"]')).to_have_count(4)
    expect(page.locator('[name^="changes/0/attributes/"][name$="/name"]')).to_have_count(4)


@pytest.mark.parametrize(
    ("buttons", "left"),
    [
        (["remove-rule/0", "remove-rule/2"], ["B", "D"]),
        (["remove-rule/2", "remove-rule/0"], ["B", "D"]),
        (["remove-rule/1", "remove-rule/1"], ["A", "C", "D"]),
        (["rule-up/3", "rule-up/3", "rule-up/3"], ["D", "A", "B", "C"]),
        (["rule-down/0", "remove-rule/0"], ["B", "C", "D"]),
        (["rule-down/0", "remove-rule/1"], ["A", "C", "D"]),
        (["remove-rule/0", "add-part/3", "remove-rule/1"], ["C", "D"]),
    ],
    ids=" ".join,
)
def test_a_press_finds_its_row_where_an_earlier_one_left_it(
    visitors: Visitors, site: Served, buttons: list[str], left: list[str]
) -> None:
    page = visitors.page()
    page.goto(site.url)
    with_rules(page)
    with page.expect_response(lambda answer: "add-change" in (answer.request.post_data or "")):
        press(page, *buttons, "add-change")
    expect(control(page, "changes/1/key/id")).to_be_visible()
    assert namespaces(page) == left
    assert control(page, "design/unique/1/attributes/1").count() == ("add-part/3" in buttons)


def test_a_row_within_a_record_is_found_when_the_record_has_moved(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    page.locator('button[value="add-change"]').click()
    control(page, "changes/1/attributes/0/value").fill("zoe@x.io")
    control(page, "changes/1/attributes/1/value").fill("zoe")
    press(page, "remove-change/0", "remove-attribute/1/0", "add-rule")
    expect(control(page, "design/unique/2/namespace")).to_be_visible()
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("zoe")
    expect(page.locator('[name$="/key/id"]')).to_have_count(1)


def test_run_is_pressed_while_what_was_typed_is_under_way(visitors: Visitors, site: Served) -> None:
    page = opened(visitors, site, design(site.table), scripts=True)
    control(page, "changes/0/attributes/1/value").fill("countess")
    page.evaluate(
        """() => { document.querySelector('button.default').click();
                   document.querySelector('button[name=endpoint]').click(); }"""
    )
    expect(page.locator("#outcome")).to_contain_text("Committed.")
    assert (stored(site, "ACCT#a1f9c3", "PROFILE") or {})["username"] == {"S": "countess"}


def test_what_is_typed_between_two_presses_is_in_both_answers(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    page.evaluate(
        """() => {
          const press = (value) => document.querySelector(`button[value="${value}"]`).click();
          press('add-rule');
          const field = document.querySelector('[name="design/table"]');
          field.value = 'typed-meanwhile';
          field.dispatchEvent(new Event('input', { bubbles: true }));
          press('add-rule');
        }"""
    )
    expect(control(page, "design/unique/3/namespace")).to_be_visible()
    expect(control(page, "design/table")).to_have_value("typed-meanwhile")
    expect(page.locator('[name$="/namespace"]')).to_have_count(4)


def test_run_pressed_twice_runs_once(visitors: Visitors, site: Served) -> None:
    page = opened(visitors, site, design(site.table), scripts=True)
    runs: list[str] = []
    page.on("request", lambda asked: runs.append(asked.url) if "/run" in asked.url else None)
    press(page, "local", "local", name="endpoint")
    expect(page.locator("#outcome")).to_contain_text("Committed.")
    press(page, "update")
    expect(page.locator("#outcome")).to_have_count(0)
    assert len(runs) == 1


def test_a_button_that_leads_elsewhere_takes_what_was_added_along(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    with page.expect_request("**/expressions") as asked:
        press(page, "add-attribute/0", "expressions")
    pairs = parse_qs(asked.value.post_data or "", keep_blank_values=True)
    assert "changes/0/attributes/2/name" in pairs


@pytest.mark.parametrize(
    ("buttons", "left"),
    [
        (["remove actions/0/update/0", "remove actions/0/update/2"], ["b", "d"]),
        (["up actions/0/update/3", "up actions/0/update/3"], ["a", "d", "b", "c"]),
    ],
    ids=["remove", "up"],
)
def test_rows_of_expressions_are_found_as_well(
    visitors: Visitors, site: Served, buttons: list[str], left: list[str]
) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/expressions")
    page.locator('select[name="operation"]').select_option("UpdateItem")
    paths = page.locator('[name^="actions/0/update/"][name$="/path"]')
    expect(page.locator('button[value="add-action actions/0/update"]')).to_be_visible()
    missing = 4 - paths.count()
    press(page, *["add-action actions/0/update"] * missing)
    expect(paths).to_have_count(4)
    for number, name in enumerate("abcd"):
        control(page, f"actions/0/update/{number}/path").fill(name)
    with page.expect_response(lambda answer: "add-action" in (answer.request.post_data or "")):
        press(page, *buttons, "add-action actions/0/update")
    expect(paths).to_have_count(len(left) + 1)
    assert [field.input_value() for field in paths.all()] == [*left, ""]


@pytest.fixture
def hesitating(gateway: Gateway, table: str) -> Iterator[Served]:
    """The page before a service that makes its second attempt only when it is let go."""
    hesitant = Hesitant(gateway)
    app = create_app(Settings(targets={"local": Target(gateway.endpoint, lambda: hesitant)}))
    with serving(app) as url:
        yield Served(url, gateway, table)
    app.extensions["sendings"].close()


def test_a_run_is_stopped_also_while_the_page_asks_after_it(
    visitors: Visitors, hesitating: Served
) -> None:
    page = opened(visitors, hesitating, design(hesitating.table), scripts=True)
    page.evaluate(
        """() => document.addEventListener('htmx:beforeSend', ({ detail }) => {
          if (detail.target.id === 'sending') document.getElementById('stop')?.click();
        })"""
    )
    page.get_by_role("button", name="Run on local").click()
    expect(page.locator("#outcome")).to_contain_text("Already done")
