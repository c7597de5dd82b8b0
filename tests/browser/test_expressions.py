"""The expression builder in a real browser: built by hand, run, tried and read back."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, Visitors
from tests.browser.sight import SIGHTS, is_clean
from tests.browser.test_whole_way import SCRIPTS, control
from webapp.core.expressions.operators import operators_of
from webapp.web.expressions.form import leaves_of

OPERAND = "actions/0/filter/0/operands"


def update(page: Page) -> None:
    """Without a script the result is asked for by a button; with one it comes by itself."""
    button = page.locator("button", has_text="Update the result").last
    if button.is_visible():
        button.click()
    expect(page.locator(".side")).not_to_have_attribute("aria-busy", "true")


def choose(page: Page, name: str, value: str, then: str) -> None:
    """Choose what decides which controls there are, and wait for the control ``then``."""
    control(page, name).select_option(value)
    update(page)
    expect(control(page, then)).to_have_count(1)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator(".side")).not_to_have_attribute("aria-busy", "true")


def shown(page: Page) -> Any:
    return json.loads(page.locator("#request").inner_text())


def start(page: Page, site: Served, operation: str, then: str) -> None:
    page.goto(f"{site.url}/expressions?start=blank")
    control(page, "actions/0/table").fill(site.table)
    choose(page, "operation", operation, then)


@SCRIPTS
def test_B93_every_operator_is_chosen_and_gives_a_valid_request(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    start(page, site, "Scan", "actions/0/total_segments")
    press(page, "Add a condition to: Filter")
    control(page, f"{OPERAND}/0/path").fill("tags")
    control(page, f"{OPERAND}/1/value").fill("S")
    for op in leaves_of("filter"):
        count = len(operators_of("filter")[op].slots)
        control(page, "actions/0/filter/0/op").select_option(op)
        update(page)
        expect(
            control(page, f"{OPERAND}/{count}/value").and_(page.locator("textarea"))
        ).to_have_count(1 if op == "in" else 0)
        for number in range(1, count):
            control(page, f"{OPERAND}/{number}/value").fill("S")
        update(page)
        expect(page.locator("#request")).to_contain_text(operators_of("filter")[op].token)
        expect(page.locator(".problems")).to_have_count(0)


@SCRIPTS
def test_B93_not_groups_and_sizes_are_built_with_buttons(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    start(page, site, "Scan", "actions/0/total_segments")
    press(page, "Add a group to: Filter")
    for number, (kind, path) in enumerate((("size", "tags"), ("path", "age"))):
        operands = f"actions/0/filter/0/{number}/operands"
        control(page, f"{operands}/0/path").fill(path)
        control(page, f"{operands}/1/type").select_option("N")
        control(page, f"{operands}/1/value").fill("3")
        choose(page, f"{operands}/0/kind", kind, f"{operands}/0/path")
    control(page, "actions/0/filter/0/not").check()
    update(page)
    expect(page.locator("#text-0-filter")).to_have_text(
        "NOT (size(tags) = :tags_size OR age = :age)"
    )
    press(page, "Move down: Filter 1.1")
    expect(page.locator("#text-0-filter")).to_have_text(
        "NOT (age = :age OR size(tags) = :tags_size)"
    )
    press(page, "Remove: Filter 1.2")
    expect(page.locator("#text-0-filter")).to_have_text("NOT age = :age")


def test_B93_by_keyboard_alone(visitors: Visitors, site: Served) -> None:
    page = visitors.page()
    page.goto(f"{site.url}/expressions?start=blank")
    expect(control(page, "actions/0/table")).to_be_focused()
    page.keyboard.type("accounts")
    control(page, "operation").focus()
    page.keyboard.press("ArrowDown")
    expect(control(page, "actions/0/segment")).to_have_count(1)
    expect(control(page, "operation")).to_be_focused()
    page.get_by_role("button", name="Add a condition to: Filter").focus()
    page.keyboard.press("Enter")
    expect(control(page, f"{OPERAND}/0/path")).to_be_focused()
    page.keyboard.type("age")
    control(page, "actions/0/filter/0/op").focus()
    while control(page, "actions/0/filter/0/op").input_value() != "between":
        page.keyboard.press("ArrowDown")
    expect(control(page, f"{OPERAND}/2/value")).to_have_count(1)
    expect(control(page, "actions/0/filter/0/op")).to_be_focused()
    for number, text in ((1, "1"), (2, "9")):
        control(page, f"{OPERAND}/{number}/type").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    expect(page.locator("#text-0-filter")).to_have_text("age BETWEEN :age_low AND :age_high")


@SCRIPTS
def test_B94_a_renamed_attribute_leaves_no_placeholder(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    start(page, site, "Query", "actions/0/limit")
    control(page, "actions/0/key_condition/0/operands/0/path").fill("IX-2-KEY")
    control(page, "actions/0/key_condition/0/operands/1/value").fill("1")
    press(page, "Add a condition to: Filter")
    control(page, f"{OPERAND}/0/path").fill("_type")
    control(page, f"{OPERAND}/1/value").fill("x")
    update(page)
    expect(page.locator("#text-0-filter")).to_have_text("#_type = :_type")
    assert shown(page)["ExpressionAttributeNames"] == {"#IX_2_KEY": "IX-2-KEY", "#_type": "_type"}
    control(page, f"{OPERAND}/0/path").fill("kind")
    update(page)
    expect(page.locator("#text-0-filter")).to_have_text("kind = :kind")
    assert shown(page)["ExpressionAttributeNames"] == {"#IX_2_KEY": "IX-2-KEY"}
    assert shown(page)["ExpressionAttributeValues"] == {
        ":IX_2_KEY": {"S": "1"},
        ":kind": {"S": "x"},
    }


@SCRIPTS
def test_a_query_is_run_page_by_page(visitors: Visitors, site: Served, scripts: bool) -> None:
    for number in range(5):
        site.gateway.put(site.table, {"PK": {"S": "L"}, "SK": {"S": f"{number}"}})
    page = visitors.page(java_script_enabled=scripts)
    start(page, site, "Query", "actions/0/limit")
    control(page, "actions/0/key_condition/0/operands/0/path").fill("PK")
    control(page, "actions/0/key_condition/0/operands/1/value").fill("L")
    page.locator("#actions-0-more > summary").click()
    control(page, "actions/0/limit").fill("2")
    press(page, "Add a condition to: Filter")
    control(page, f"{OPERAND}/0/path").fill("missing")
    choose(page, "actions/0/filter/0/op", "attribute_exists", "actions/0/filter/0/op")
    press(page, "Run on local")
    outcome = page.locator("#outcome")
    expect(outcome).to_contain_text("0 items of 2 that were read Page 1 is empty, and it is not")
    press(page, "More")
    expect(outcome).to_contain_text("Page 2 is empty, and it is not the end: there is more.")
    press(page, "More")
    expect(outcome).to_contain_text("0 items of 1 that were read Page 3, the last.")
    expect(page.get_by_role("button", name="More", exact=True)).to_have_count(0)
    press(page, "Remove: Filter 1")
    press(page, "Run on local")
    expect(page.locator(".grid tbody tr")).to_have_count(2)


@SCRIPTS
def test_an_update_is_tried_confirmed_and_written(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    start(page, site, "UpdateItem", "actions/0/return_values")
    for number, name in enumerate(("PK", "SK")):
        control(page, f"actions/0/key/{number}/name").fill(name)
        control(page, f"actions/0/key/{number}/value").fill("1")
    press(page, "+ Change")
    to = "actions/0/update/0/to"
    control(page, "actions/0/update/0/path").fill("logins")
    choose(page, f"{to}/kind", "plus", f"{to}/second/value")
    choose(page, f"{to}/first/kind", "if_not_exists", f"{to}/first/second/value")
    control(page, f"{to}/first/path").fill("logins")
    for part, text in (("first/second", "0"), ("second", "1")):
        control(page, f"{to}/{part}/type").select_option("N")
        control(page, f"{to}/{part}/value").fill(text)
    control(page, "sample").fill("null")
    update(page)
    expect(page.locator(".trial")).to_contain_text('"logins": {"N": "1"}')
    press(page, "Run on local")
    expect(page.locator("#outcome")).to_contain_text("Nothing was sent yet.")
    assert site.gateway.get(site.table, {"PK": {"S": "1"}, "SK": {"S": "1"}}) is None
    press(page, "Yes, write to local")
    expect(page.locator("#outcome")).to_contain_text("The item is updated.")
    assert site.gateway.get(site.table, {"PK": {"S": "1"}, "SK": {"S": "1"}}) == {
        "PK": {"S": "1"},
        "SK": {"S": "1"},
        "logins": {"N": "1"},
    }


@SCRIPTS
def test_an_expression_is_read_back_and_a_slip_is_pointed_at(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    start(page, site, "Scan", "actions/0/total_segments")
    page.locator("#read-back > summary").click()
    control(page, "pasted").fill("size(tags) > > :n")
    press(page, "Read it")
    expect(page.locator(".marks code")).to_have_text("size(tags) > > :n\n             ^")
    expect(control(page, "pasted")).to_have_attribute("aria-invalid", "true")
    control(page, "pasted").fill("size(tags) > :n AND NOT #s IN (:a, :b)")
    control(page, "pasted/names").fill('{"#s": "status"}')
    control(page, "pasted/values").fill('{":n": {"N": "2"}, ":a": {"S": "x"}, ":b": {"S": "y"}}')
    press(page, "Read it")
    expect(control(page, "actions/0/filter/0/operands/0/path")).to_have_value("tags")
    expect(control(page, "actions/0/filter/1/not")).to_be_checked()
    expect(control(page, "actions/0/filter/1/operands/2/value")).to_have_value("y")
    expect(page.locator("#text-0-filter")).to_have_text("size(tags) > :n AND NOT #s IN (:a, :b)")


@SCRIPTS
def test_the_plan_of_the_first_page_becomes_a_transaction_to_edit(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(site.url)
    page.get_by_role("button", name="Edit by hand").click()
    expect(page).to_have_url(f"{site.url}/expressions")
    expect(control(page, "operation")).to_have_value("TransactWriteItems")
    expect(page.locator(".action-part")).to_have_count(3)
    press(page, "Remove: Action 3")
    press(page, "Move up: Action 2")
    update(page)
    expect(page.locator(".action-part")).to_have_count(2)
    puts = [action["Put"]["Item"]["PK"]["S"] for action in shown(page)["TransactItems"]]
    assert puts == ["UNIQ#EMAIL#ada@lovelace.io", "ACCT#a1f9c3"]


@SIGHTS
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    visitors: Visitors, site: Served, scheme: str, width: int
) -> None:
    page = visitors.page(width, color_scheme=scheme)
    for path in ("/expressions", "/expressions?start=blank", "/reference", "/reference?q=size"):
        page.goto(site.url + path)
        is_clean(page)
    page.goto(f"{site.url}/expressions?start=example")
    control(page, "actions/0/table").fill("?" * 300)
    expect(page.locator("#problems")).to_have_text("1 problem")
    is_clean(page)
    control(page, "actions/0/table").fill(site.table)
    site.gateway.put(
        site.table, {"PK": {"S": "ACCT#a1f9c3"}, "SK": {"S": "1"}, "email": {"S": "a"}}
    )
    expect(page.locator(".problems")).to_have_count(0)
    press(page, "Run on local")
    expect(page.locator(".grid")).to_be_visible()
    is_clean(page)
    control(page, "pasted").fill("a = = :b")
    press(page, "Read it")
    expect(page.locator(".marks")).to_be_visible()
    is_clean(page)
    for operation in ("UpdateItem", "TransactWriteItems"):
        control(page, "operation").select_option(operation)
        page.get_by_role("button", name="+ Change").or_(
            page.get_by_role("button", name="+ Action")
        ).last.click()
        expect(page.locator(".problems.open")).to_be_visible()
        is_clean(page)


@SCRIPTS
def test_the_reference_is_searched(visitors: Visitors, site: Served, scripts: bool) -> None:
    page = visitors.page(java_script_enabled=scripts)
    page.goto(f"{site.url}/reference")
    page.get_by_label("Search").fill("begins_with")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".entries dt")).to_have_text(["begins_with(path, value)"])
    page.get_by_label("Search").fill("Status")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".counted")).to_contain_text("“Status” is reserved")


def test_what_is_typed_while_the_form_is_made_anew_is_not_lost(
    visitors: Visitors, site: Served
) -> None:
    page = visitors.page()
    start(page, site, "Scan", "actions/0/total_segments")
    press(page, "Add a condition to: Filter")
    page.route("**/expressions", lambda route: (page.wait_for_timeout(400), route.continue_()))
    control(page, "actions/0/filter/0/op").select_option("between")
    control(page, f"{OPERAND}/0/path").press_sequentially("age", delay=20)
    expect(control(page, f"{OPERAND}/2/value")).to_have_count(1)
    expect(control(page, f"{OPERAND}/0/path")).to_have_value("age")
