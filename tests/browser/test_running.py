"""Real runs in a real browser: records loaded and overtaken, attempts watched, several at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, Visitors, serving
from tests.browser.sight import violations
from tests.browser.test_whole_way import SCRIPTS, control, ready, run, stored
from webapp.answers import Answer, Trouble, Unknown
from webapp.attempts import Attempt, Stop
from webapp.endpoints import parse_endpoint
from webapp.gateway import Gateway
from webapp.runs import read_run
from webapp.web import create_app
from webapp.web.draft import EXAMPLE, Draft, KeyColumn, Keys
from webapp.web.loading import design_link
from webapp.web.settings import Settings, Target
from webapp.web.turns import Turns
from webapp.web.writing import write

Json = dict[str, Any]
BIG = "12345678901234567890123456789012345678"


def design(table: str, owned: bool = False) -> Draft:
    """The worked example in a table of the test."""
    keys = Keys(table, KeyColumn("PK"), KeyColumn("SK"))
    return replace(EXAMPLE, table=keys, locks=replace(EXAMPLE.locks, stores_owner=owned))


def write_now(site: Served, draft: Draft, *changes: Json) -> None:
    """Write changes without the page, as somebody else does."""
    document = write(draft).document | {"changes": list(changes)}
    answer = site.gateway.send(read_run(document).text)
    assert type(answer).__name__ == "Committed", answer


def created(record: str, **item: Json) -> Json:
    return {"operation": "create", "key": {"id": record}, "item": item}


def opened(
    visitors: Visitors, site: Served, draft: Draft, scripts: bool, width: int = 1360
) -> Page:
    page = visitors.page(width, java_script_enabled=scripts)
    page.goto(f"{site.url}/?design={design_link(draft)}")
    return page


def choose(page: Page, operation: str, number: int = 0) -> None:
    page.locator(".switch").nth(number).locator("label", has_text=operation).click()
    chosen = page.get_by_label(operation, exact=True).nth(number)
    expect(chosen).to_be_checked()


def load(page: Page, number: int = 0) -> Any:
    page.get_by_role("button", name="Load the record as it is").nth(number).click()
    said = page.locator(".change").nth(number).locator(".stored")
    said.wait_for()
    return said


ADA: Json = {
    "email": {"S": "ada@lovelace.io"},
    "username": {"S": "ada"},
    "big": {"N": BIG},
    "photo": {"B": "AAEC"},
    "tags": {"SS": ["a", "b"]},
}


@SCRIPTS
@pytest.mark.parametrize("owned", [False, True], ids=["no owner", "owner"])
def test_b28_a_record_is_loaded_changed_and_keeps_every_value(
    visitors: Visitors, site: Served, scripts: bool, owned: bool
) -> None:
    draft = design(site.table, owned)
    write_now(site, draft, created("a1f9c3", **ADA))
    page = opened(visitors, site, draft, scripts)
    choose(page, "Change")
    control(page, "changes/0/attributes/0/value").fill("stale@x.test")
    control(page, "changes/0/attributes/0/becomes").fill("countess@x.test")
    said = load(page)
    expect(said).to_contain_text("Read from local: 5 attributes.")
    expect(said.locator("li")).to_have_count(2)
    expect(said.locator("li").first).to_contain_text("held by this record" if owned else "there")
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("ada@lovelace.io")
    expect(control(page, "changes/0/attributes/0/becomes")).to_have_value("countess@x.test")
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    assert stored(site, "ACCT#a1f9c3", "PROFILE") == {
        "PK": {"S": "ACCT#a1f9c3"},
        "SK": {"S": "PROFILE"},
        **ADA,
        "email": {"S": "countess@x.test"},
    }
    assert stored(site, "UNIQ#EMAIL#ada@lovelace.io", "LOCK") is None


@SCRIPTS
def test_b28_a_stale_form_is_told_what_the_record_is_now_and_takes_it_over(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    draft = design(site.table)
    write_now(site, draft, created("a1f9c3", **ADA))
    page = opened(visitors, site, draft, scripts)
    choose(page, "Change")
    load(page)
    control(page, "changes/0/attributes/0/becomes").fill("mine@x.test")
    ready(page, "3 actions, ready")
    overtaking = {
        "operation": "change",
        "key": {"id": "a1f9c3"},
        "before": {"email": {"S": "ada@lovelace.io"}},
        "after": {"email": {"S": "theirs@x.test"}},
    }
    write_now(site, draft, overtaking)
    expect(run(page)).to_contain_text("missing, or was changed")
    expect(page.locator("#note-changes-0-attributes-0-value")).to_have_text(
        "Now it is: theirs@x.test."
    )
    assert stored(site, "UNIQ#EMAIL#theirs@x.test", "LOCK") is not None
    page.get_by_role("button", name="Take over what is stored").click()
    expect(control(page, "changes/0/attributes/0/value")).to_have_value("theirs@x.test")
    expect(control(page, "changes/0/attributes/0/becomes")).to_have_value("mine@x.test")
    ready(page, "3 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    assert stored(site, "UNIQ#EMAIL#theirs@x.test", "LOCK") is None
    assert stored(site, "UNIQ#EMAIL#mine@x.test", "LOCK") is not None


@SCRIPTS
def test_b33_a_delete_that_knows_only_the_key_leaves_nothing_behind(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    draft = design(site.table)
    write_now(site, draft, created("a1f9c3", email={"S": "only@x.test"}))
    page = opened(visitors, site, replace(draft, changes=()), scripts)
    choose(page, "Delete")
    load(page)
    expect(control(page, "changes/0/attributes/1/value/given")).to_have_value("absent")
    ready(page, "2 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    assert stored(site, "ACCT#a1f9c3", "PROFILE") is None
    assert stored(site, "UNIQ#EMAIL#only@x.test", "LOCK") is None


def test_a_record_that_is_not_there_is_told(visitors: Visitors, site: Served) -> None:
    page = opened(visitors, site, design(site.table), scripts=True)
    choose(page, "Delete")
    expect(load(page)).to_contain_text("There is no such record at local.")
    visitors.said.clear()  # the browser says that this is a 404


@SCRIPTS
@pytest.mark.parametrize("owned", [False, True], ids=["no owner", "owner"])
def test_two_records_swap_a_name_in_one_transaction(
    visitors: Visitors, site: Served, scripts: bool, owned: bool
) -> None:
    draft = design(site.table, owned)
    for record, name in (("a1f9c3", "ada"), ("b2", "bea")):
        write_now(site, draft, created(record, username={"S": name}, email={"S": f"{name}@x.io"}))
    page = opened(visitors, site, draft, scripts)
    choose(page, "Change")
    page.get_by_role("button", name="+ Another record in the same transaction").click()
    choose(page, "Change", 1)
    control(page, "changes/1/key/id").fill("b2")
    for number in (0, 1):
        load(page, number)
        expect(control(page, f"changes/{number}/attributes/1/value")).to_have_value(
            ["ada", "bea"][number]
        )
    control(page, "changes/0/attributes/1/becomes").fill("bea")
    control(page, "changes/1/attributes/1/becomes").fill("ada")
    ready(page, "4 actions, ready" if owned else "2 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    for record, name in (("a1f9c3", "bea"), ("b2", "ada")):
        key = {"PK": {"S": f"ACCT#{record}"}, "SK": {"S": "PROFILE"}}
        assert (stored(site, f"ACCT#{record}", "PROFILE") or {})["username"] == {"S": name}
        lock = {"PK": {"S": f"UNIQ#HANDLE#{name}"}, "SK": {"S": "LOCK"}}
        expected = lock | ({"owner": {"M": key}} if owned else {})
        assert stored(site, f"UNIQ#HANDLE#{name}", "LOCK") == expected


@SCRIPTS
@pytest.mark.parametrize("owned", [False, True], ids=["no owner", "owner"])
def test_a_name_goes_from_a_deleted_record_to_a_new_one_in_one_transaction(
    visitors: Visitors, site: Served, scripts: bool, owned: bool
) -> None:
    draft = design(site.table, owned)
    write_now(site, draft, created("a1f9c3", username={"S": "ada"}, email={"S": "old@x.io"}))
    page = opened(visitors, site, draft, scripts)
    choose(page, "Delete")
    load(page)
    page.get_by_role("button", name="+ Another record in the same transaction").click()
    control(page, "changes/1/key/id").fill("new")
    control(page, "changes/1/attributes/0/value").fill("new@x.io")
    control(page, "changes/1/attributes/1/value").fill("ada")
    ready(page, "5 actions, ready" if owned else "4 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    assert stored(site, "ACCT#a1f9c3", "PROFILE") is None
    assert stored(site, "UNIQ#EMAIL#old@x.io", "LOCK") is None
    assert stored(site, "UNIQ#HANDLE#ada", "LOCK") is not None


@SCRIPTS
def test_b74_running_twice_writes_once_and_going_on_takes_a_new_token(
    visitors: Visitors, site: Served, scripts: bool
) -> None:
    page = opened(visitors, site, design(site.table), scripts)
    token = page.locator(".token code")
    first = token.get_attribute("title")
    expect(run(page)).to_contain_text("Committed.")
    expect(run(page)).to_contain_text("Committed.")
    expect(token).to_have_attribute("title", first or "")
    page.get_by_role("button", name="Go on from here").click()
    choose(page, "Create")
    ready(page, "3 actions, ready")
    expect(token).not_to_have_attribute("title", first or "")
    expect(run(page)).to_contain_text("exists")


class Hesitant:
    """A gateway that loses its first answer and sends again only when it is let go."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self.go = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def get(self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None) -> Json | None:
        return self._gateway.get(table, key)

    def send(
        self,
        text: bytes,
        *,
        watch: Callable[[Attempt], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Answer:
        where = {
            "endpoint": "local",
            "place": "here",
            "region": "r",
            "key_id": "k",
            "detail": "cut",
        }
        lost = Unknown(Trouble("answer-lost", where))
        self._gateway.send(text)
        watch(Attempt(1, lost, 3.0))
        while not (self.go.is_set() or (stop and stop.is_set())):
            self.go.wait(0.02)
        return self._gateway.send(text, watch=watch) if self.go.is_set() else lost


@pytest.fixture
def hesitant(gateway: Gateway) -> Hesitant:
    return Hesitant(gateway)


@pytest.fixture
def hesitating(hesitant: Hesitant, gateway: Gateway, table: str) -> Iterator[Served]:
    target = Target(gateway.endpoint, lambda: hesitant)
    app = create_app(Settings(targets={"local": target}))
    with serving(app) as url:
        yield Served(url, gateway, table)
    app.extensions["sendings"].close()


@pytest.mark.parametrize("width", [1360, 390])
def test_b75_attempts_are_seen_while_they_happen_and_end_in_success(
    visitors: Visitors, hesitating: Served, hesitant: Hesitant, width: int
) -> None:
    page = opened(visitors, hesitating, design(hesitating.table), scripts=True, width=width)
    page.get_by_role("button", name="Run on local").click()
    attempts = page.locator("#sending")
    expect(attempts).to_contain_text("Attempt 1: The request went to local")
    expect(attempts).to_contain_text("again in 3.0 s")
    expect(page.locator("#bar [role=status]")).to_have_text("Sending to local …")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    control(page, "changes/0/attributes/1/value").fill("typed meanwhile")
    expect(page.locator("#request")).to_contain_text("typed meanwhile")
    expect(attempts).to_contain_text("Attempt 1")
    control(page, "changes/0/attributes/1/value").fill("ada")
    ready(page, "Sending to local …")
    hesitant.go.set()
    expect(page.locator("#outcome")).to_contain_text("Committed.")
    expect(control(page, "changes/0/attributes/1/value")).to_have_value("ada")


def test_a_run_that_is_stopped_is_told_by_what_is_stored(
    visitors: Visitors, hesitating: Served
) -> None:
    page = opened(visitors, hesitating, design(hesitating.table), scripts=True)
    page.get_by_role("button", name="Run on local").click()
    page.get_by_role("button", name="Stop trying").click()
    expect(page.locator("#outcome")).to_contain_text(
        "Already done: everything stands as this transaction leaves it."
    )


@SCRIPTS
@pytest.mark.parametrize("width", [1360, 390])
def test_aws_is_written_to_only_with_the_table_name_typed(
    visitors: Visitors, site: Served, scripts: bool, width: int
) -> None:
    endpoint = parse_endpoint("prod=aws:eu-west-1")  # its gateway is the test engine's
    target = Target(endpoint, lambda: site.gateway)
    with serving(create_app(Settings(targets={"prod": target}, allow_write=True))) as url:
        served = Served(url, site.gateway, site.table)
        page = opened(visitors, served, design(site.table), scripts, width)
        page.get_by_role("button", name="Run on prod").click()
        expect(page.locator("#note-confirm")).to_contain_text("Type the")
        expect(page.locator("#note-confirm")).to_contain_text(site.table)
        assert stored(site, "ACCT#a1f9c3", "PROFILE") is None
        if scripts:
            assert violations(page) == []
        control(page, "confirm").fill(site.table)
        expect(page.locator(".side")).not_to_have_attribute("aria-busy", "true")
        page.get_by_role("button", name="Run on prod").click()
        expect(page.locator("#outcome")).to_contain_text("Committed.")
        assert stored(site, "ACCT#a1f9c3", "PROFILE") is not None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 390])
def test_axe_finds_nothing_beside_a_loaded_and_an_overtaken_record(
    visitors: Visitors, site: Served, scheme: str, width: int
) -> None:
    draft = design(site.table, owned=True)
    write_now(site, draft, created("a1f9c3", **ADA))
    page = visitors.page(width, color_scheme=scheme)
    page.goto(f"{site.url}/?design={design_link(draft)}")
    choose(page, "Change")
    expect(load(page)).to_contain_text("held by this record")
    assert violations(page) == []
    control(page, "changes/0/attributes/0/value").fill("stale@x.test")
    control(page, "changes/0/attributes/0/becomes").fill("mine@x.test")
    ready(page, "3 actions, ready")
    run(page).wait_for()
    expect(page.get_by_role("button", name="Take over what is stored")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_loaded_attribute_can_be_removed(visitors: Visitors, site: Served) -> None:
    draft = design(site.table)
    write_now(site, draft, created("a1f9c3", **ADA))
    page = opened(visitors, site, draft, scripts=True)
    choose(page, "Change")
    load(page)
    control(page, "changes/0/attributes/1/becomes/given").select_option("absent")
    ready(page, "2 actions, ready")
    expect(run(page)).to_contain_text("Committed.")
    assert "username" not in (stored(site, "ACCT#a1f9c3", "PROFILE") or {})


@SCRIPTS
def test_who_cannot_be_served_just_now_keeps_what_was_typed_and_comes_again(
    visitors: Visitors, gateway: Gateway, table: str, scripts: bool
) -> None:
    app = create_app(Settings(targets={"local": Target(gateway.endpoint, lambda: gateway)}))
    app.extensions["turns"] = Turns(at_once=0, in_line=0)
    with serving(app) as url:
        site = Served(url, gateway, table)
        page = opened(visitors, site, design(table), scripts)
        control(page, "changes/0/attributes/1/value").fill("typed before")
        page.get_by_role("button", name="Run on local").click()
        expect(page.locator(".fault")).to_contain_text("Nothing was sent by this.")
        if scripts:
            assert violations(page) == []
        app.extensions["turns"] = Turns()
        again = "Back to the result" if scripts else "Try again"
        page.get_by_role("button", name=again).click()
        expect(control(page, "changes/0/attributes/1/value")).to_have_value("typed before")
        expect(run(page) if scripts else page.locator("#outcome")).to_contain_text("Committed.")
    assert (stored(site, "ACCT#a1f9c3", "PROFILE") or {})["username"] == {"S": "typed before"}
