"""The page of the tables in a browser: from a typed design to its table and back, nothing lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Served, Visitors, serving
from tests.browser.sight import SIGHTS, is_clean, violations
from tests.browser.test_whole_way import SCRIPTS, control, ready, run
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway, gateway_to
from webapp.web import create_app
from webapp.web.settings import Settings, Target

NEW_TABLE = "made-by-a-click"


@pytest.fixture
def new_table(gateway: Gateway) -> Iterator[str]:
    """The name of a table that is not there; it is removed at the end."""
    yield NEW_TABLE
    if NEW_TABLE in gateway.tables():
        gateway.delete_table(NEW_TABLE)


@SCRIPTS
def test_the_table_of_a_design_is_made_and_what_was_typed_comes_back(
    visitors: Visitors, served: Served, new_table: str, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(served.url)
    control(page, "design/table").fill(new_table)
    control(page, "changes/0/attributes/0/value").fill("typed@x.io")
    page.get_by_role("button", name="Compare with a real table").click()
    expect(page.get_by_role("heading", name="The table is not there")).to_be_visible()
    page.get_by_role("button", name="Make the table on local").click()
    expect(page.get_by_role("heading", name="The design fits")).to_be_visible()
    assert served.gateway.describe(new_table)["TableStatus"] == "ACTIVE"
    page.get_by_role("button", name="Back to the design").click()
    expect(control(page, "design/table")).to_have_value(new_table)
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("typed@x.io")


@SCRIPTS
def test_a_table_that_a_run_missed_is_made_there_and_then_the_run_succeeds(
    visitors: Visitors, served: Served, new_table: str, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(served.url)
    control(page, "design/table").fill(new_table)
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("There is no such table at local")
    page.get_by_role("button", name=f"Make the table {new_table} on local").click()
    expect(page.get_by_text(f"Made: {new_table}.")).to_be_visible()
    page.get_by_role("button", name="Back to the design").click()
    expect(run(page)).to_contain_text("Committed.")


@SCRIPTS
def test_what_the_rules_speak_of_is_added_to_the_change_with_one_button(
    visitors: Visitors, served: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(served.url)
    control(page, "design/unique/0/attributes/0").fill("phone")
    ready(page, "2 actions, ready")
    page.get_by_role("button", name="+ Add phone").click()
    expect(control(page, "changes/0/attributes/2/name")).to_have_value("phone")
    expect(page.get_by_role("button", name="+ Add phone")).to_have_count(0)
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("ada@lovelace.io")


@SCRIPTS
def test_the_keys_of_a_table_are_taken_into_the_design(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    site.gateway.delete_table(site.table)
    site.gateway.create_table(site.table, ("userId", "S"))
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    control(page, "changes/0/attributes/0/value").fill("typed@x.io")
    page.get_by_role("button", name="Compare with a real table").click()
    page.get_by_role("button", name=site.table).click()
    page.get_by_role("button", name="Take its keys into the design").click()
    expect(control(page, "design/table")).to_have_value(site.table)
    expect(control(page, "design/partition_key/name")).to_have_value("userId")
    expect(control(page, "design/sort_key/type")).to_have_value("")
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("typed@x.io")
    expect(page.locator("#bar")).to_contain_text("3 actions, ready")


def test_the_navigation_brings_the_design_along_where_scripts_run(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    page.get_by_role("link", name="Tables").click()
    expect(page.get_by_role("heading", name="The design fits")).to_be_visible()
    expect(page.locator(".fit")).to_contain_text(site.table)
    page.get_by_role("link", name="Transaction").click()
    expect(control(page, "design/table")).to_have_value(site.table)


@SCRIPTS
def test_a_difference_leads_to_its_field(visitors: Visitors, site: Served, scripts: bool) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    control(page, "design/table").fill(site.table)
    control(page, "design/partition_key/name").fill("Pk")
    page.get_by_role("button", name="Compare with a real table").click()
    expect(page.locator(".fit")).to_contain_text("The partition key of the table")
    page.get_by_role("button", name="Partition key").click()
    page.wait_for_url("**/#design-partition_key-name")
    expect(control(page, "design/partition_key/name")).to_have_value("Pk")


def test_the_keyboard_alone_describes_a_table(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/table")
    page.get_by_label("A table by its name").fill(site.table)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=site.table)).to_be_visible()
    page.get_by_label("A table by its name").fill("no such thing")
    page.keyboard.press("Enter")
    expect(page.get_by_label("A table by its name")).to_be_focused()
    expect(page.locator("#note-other")).to_contain_text("is no table name")


def test_a_recipe_is_copied_and_downloaded(visitors: Visitors, site: Served) -> None:
    page = visitors.page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{site.url}/table")
    page.locator("summary", has_text="Terraform").click()
    open_recipe = page.locator("details[open]")
    open_recipe.get_by_role("button", name="Copy").first.click()
    expect(open_recipe.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as download:
        open_recipe.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "tables.tf"
    assert download.value.path().read_text() == copied


@SIGHTS
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    visitors: Visitors, site: Served, scheme: str, width: int
) -> None:
    page = visitors.page(width, color_scheme=scheme)
    page.goto(f"{site.url}/?start=blank")
    for name in ("blank", site.table, "x" * 255):
        if name != "blank":
            page.goto(f"{site.url}/?start=example")
            control(page, "design/table").fill(name)
        page.get_by_role("button", name="Compare with a real table").click()
        page.wait_for_url("**/table")
        is_clean(page)


@SCRIPTS
def test_an_engine_that_is_not_running_is_told_and_another_can_be_chosen(
    visitors: Visitors, served: Served, gateway: Gateway, scripts: bool
) -> None:
    dead = local_endpoint("dead", "http://127.0.0.1:9")
    app = create_app(
        Settings(
            targets={
                "dead": Target(dead, lambda: gateway_to(dead)),
                "local": Target(gateway.endpoint, lambda: gateway),
            }
        )
    )
    with serving(app) as url:
        page = visitors.page(java_script_enabled=scripts)
        page.goto(f"{url}/table")
        expect(page.get_by_role("alert")).to_contain_text(
            "Nothing answers at dead (http://127.0.0.1:9, Region us-east-1, key id lockwright). "
            "Start the engine, or check the address that was given for dead at start."
        )
        assert not scripts or violations(page) == []
        chosen = page.get_by_role("button", name="local http")
        chosen.click()
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(chosen).to_have_attribute("aria-pressed", "true")
