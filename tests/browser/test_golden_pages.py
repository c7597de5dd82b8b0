"""The golden cases in a real browser: pasted, loaded, and shown as their plans."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from tests import golden
from tests.browser.conftest import Served, Visitors
from tests.golden import Case

# A form carries no secret and no binary part of a key.
CARRIED = [c for c in golden.PLANNED if c.name != "binary-keys" and "secret" not in c.request]


def show(page: Page, site: Served, case: Case) -> None:
    """Paste the case into a blank page and load it into the form."""
    page.goto(f"{site.url}/?start=blank")
    page.locator("#load > summary").click()
    page.locator("#pasted").fill(case.text)
    page.get_by_role("button", name="Load it into the form").click()
    expect(page.locator("#bar [role=status]")).to_contain_text("ready")


def test_every_case_that_a_form_can_carry_is_shown_as_its_plan(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    for case in CARRIED:
        assert case.plan is not None
        show(page, site, case)
        shown = page.locator("#request")
        if shown.get_attribute("data-cut") == "no":
            assert json.loads(shown.text_content() or "") == case.plan["request"], case.name
        slots = page.locator(".board .slot", has_text="Slot")
        assert slots.count() == len(case.plan["slots"]), case.name
