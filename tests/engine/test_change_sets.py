"""Several records in one transaction, from the page and from a program: all of it, or nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient

from tests.web.reading import Controls, notes
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway
from webapp.runs import read_run
from webapp.web import create_app
from webapp.web.draft import EXAMPLE, Attribute, Cell, Change, Draft, KeyColumn, Keys, pairs_of
from webapp.web.settings import Settings, Target
from webapp.web.writing import write

Json = dict[str, Any]


def rows(email: tuple[str, str], username: tuple[str, str]) -> tuple[Attribute, ...]:
    """The rows of a record: what each attribute is, and what it becomes ("" for unchanged)."""
    pairs = (("email", *email), ("username", *username))
    return tuple(Attribute(name, "S", Cell(now), Cell(new)) for name, now, new in pairs)


BEA = rows(("bea@x.io", ""), ("bea", ""))
DAN = rows(("dan@x.io", ""), ("dan", ""))


@pytest.fixture(params=[False, True], ids=["no owner", "owner"])
def design(request: pytest.FixtureRequest, table: str, gateway: Gateway) -> Draft:
    """The worked example in a table where Bea and Dan are."""
    keys = Keys(table, KeyColumn("PK"), KeyColumn("SK"))
    locks = replace(EXAMPLE.locks, stores_owner=request.param)
    draft = replace(EXAMPLE, table=keys, locks=locks, seed="seed")
    there = (Change("create", {"id": "bea"}, BEA), Change("create", {"id": "dan"}, DAN))
    gateway.send(read_run(write(replace(draft, changes=there)).document).text)
    return draft


@pytest.fixture
def client(engine: Endpoint, gateway: Gateway) -> FlaskClient:
    return create_app(Settings(targets={"local": Target(engine, lambda: gateway)})).test_client()


def pressed(client: FlaskClient, draft: Draft) -> Any:
    """The page after *Run*."""
    sent = urlencode([*pairs_of(draft), ("seed", "seed"), ("endpoint", "local")])
    return client.post("/run", data=sent, content_type="application/x-www-form-urlencoded")


def names(gateway: Gateway, table: str) -> list[str]:
    """The partition keys of everything that stands, in order, each with its user name."""
    items = [item for page in gateway.pages("Scan", {"TableName": table}) for item in page["Items"]]
    return sorted(
        " ".join(filter(None, (item["PK"]["S"], item.get("username", {}).get("S"))))
        for item in items
    )


ALL = (
    Change("create", {"id": "ada"}, rows(("ada@x.io", ""), ("dan", ""))),
    Change("change", {"id": "bea"}, rows(("bea@x.io", "new@x.io"), ("bea", "ada"))),
    Change("delete", {"id": "dan"}, DAN),
)
AFTER = [
    "ACCT#ada dan",
    "ACCT#bea ada",
    "UNIQ#EMAIL#ada@x.io",
    "UNIQ#EMAIL#new@x.io",
    "UNIQ#HANDLE#ada",
    "UNIQ#HANDLE#dan",
]
BEFORE = [
    "ACCT#bea bea",
    "ACCT#dan dan",
    "UNIQ#EMAIL#bea@x.io",
    "UNIQ#EMAIL#dan@x.io",
    "UNIQ#HANDLE#bea",
    "UNIQ#HANDLE#dan",
]


def test_a_create_a_change_and_a_delete_are_one_transaction(
    client: FlaskClient, design: Draft, gateway: Gateway
) -> None:
    page = pressed(client, replace(design, changes=ALL))
    assert (page.status_code, "Committed." in page.text) == (200, True)
    assert names(gateway, design.table.name) == AFTER


def test_a_program_sends_the_same_change_set(
    client: FlaskClient, design: Draft, gateway: Gateway
) -> None:
    document = write(replace(design, changes=ALL)).document | {"endpoint": "local"}
    answer = client.post("/api/v1/run", data=json.dumps(document), content_type="application/json")
    assert (answer.status_code, answer.get_json()["committed"]) == (200, True)
    assert names(gateway, design.table.name) == AFTER


def test_what_fails_in_one_record_is_told_there_and_nothing_is_written(
    client: FlaskClient, design: Draft, gateway: Gateway
) -> None:
    stale = replace(ALL[2], attributes=rows(("old@x.io", ""), ("dan", "")))
    draft = replace(design, changes=(*ALL[:2], stale))
    page = pressed(client, draft)
    assert page.status_code == 409
    assert notes(page.text)["changes-2-attributes-0-value"] == "Now it is: dan@x.io."
    assert {name.split("-")[1] for name in notes(page.text)} == {"2"}
    assert Controls(page.text).pairs.items() >= dict(pairs_of(draft)).items()
    assert names(gateway, design.table.name) == BEFORE
