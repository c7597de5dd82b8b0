"""The page of the tables: what was seen, whether the design fits, and nothing lost on the way."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import (
    AWS,
    LOCAL,
    WHERE,
    FakeGateway,
    description,
    form,
    htmx,
)
from tests.web.reading import Controls
from webapp.answers import TROUBLES
from webapp.core.planning.tables import RealTable, read_table
from webapp.web import create_app
from webapp.web.draft import BLANK, EXAMPLE, Draft, KeyColumn, Keys, Locks, Templates
from webapp.web.settings import Settings, Target
from webapp.web.taking import with_keys, with_lock_keys

PK, SK = ("PK", "S"), ("SK", "S")
ACCOUNTS = description("accounts", PK, SK)
USERS = description("users", ("userId", "N"))
OWN_LOCKS = replace(
    EXAMPLE,
    locks=replace(
        EXAMPLE.locks,
        own_table=True,
        table=Keys("locks", KeyColumn("pk"), KeyColumn("sk")),
    ),
)


def words(page: str) -> str:
    """The text of a page, on one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def picked(page: str) -> list[str]:
    """The names of the buttons that are pressed: the endpoint, the table, the colours."""
    return re.findall(r'value="([^"]*)"[^>]*aria-pressed="true"', page)


def told(page: str) -> list[str]:
    """The field and the text of each notice about the design."""
    found = re.findall(r"<li>\s*<button type=\"submit\" class=\"link\".*?</li>", page, re.DOTALL)
    return [words(notice) for notice in found]


def carried(page: str, form_id: str) -> dict[str, str]:
    """What a form of the page would send, without its buttons."""
    found = re.search(rf'<form id="{form_id}".*?</form>', page, re.DOTALL)
    assert found, f"there is no form {form_id}"
    return Controls(found.group()).pairs


def test_a_first_visitor_sees_that_the_worked_example_fits(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.there = {"accounts": ACCOUNTS, "users": USERS}
    page = client.get("/table")
    assert page.status_code == 200
    text = words(page.text)
    assert "The design fits accounts : PK (String), SK (String)" in text
    assert "Address http://127.0.0.1:4566 Region us-east-1 Access key id lockwright" in text
    assert "accounts in the design users" in text
    assert picked(page.text) == ["local", "accounts", ""]
    assert "Status ACTIVE Partition key PK (String) Sort key SK (String)" in text
    assert "Make" not in text.partition("Back to the design")[0].partition("Which table")[2]


def test_aws_is_not_asked_before_it_was_chosen() -> None:
    gateway = FakeGateway(account="111122223333")
    client = create_app(Settings(targets={"prod": Target(AWS, lambda: gateway)})).test_client()
    assert "Nothing is asked of AWS before you choose it." in words(client.get("/table").text)
    assert gateway.asked == []
    page = words(client.post("/table", data=form(to="prod")).text)
    assert gateway.asked != []
    assert "Region eu-west-1 Account 111122223333 Access key id lockwright" in page


def test_an_account_and_a_key_that_cannot_be_had_are_no_fault(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.key_id = ""
    page = client.post("/table", data=form(to="prod"))
    assert page.status_code == 200
    assert "Account not known Access key id none" in words(page.text)


def test_without_an_endpoint_the_page_says_how_to_get_one() -> None:
    page = create_app(Settings()).test_client().get("/table")
    assert page.status_code == 200
    assert "lockwright --endpoint NAME=URL" in words(page.text)
    assert re.findall(r"<summary>([^<]+)", page.text) == ["AWS CLI", "CloudFormation", "Terraform"]


@pytest.mark.parametrize("place", ["http://127.0.0.1:1", "nowhere", "local "])
@pytest.mark.parametrize("path", ["/table", "/table/make", "/table/download/tables.tf"])
def test_an_endpoint_that_the_operator_did_not_name_is_not_there(
    client: FlaskClient, gateway: FakeGateway, path: str, place: str
) -> None:
    assert client.post(path, data=form(to=place)).status_code == 404
    assert client.post(path, data=form(endpoint=place)).status_code == 404
    assert gateway.asked == []


DIFFERENCES = [
    pytest.param(
        description("accounts", ("userId", "N"), SK),
        [
            (
                "Partition key The partition key of the table “accounts” is “userId”, not “PK”. "
                "Write “userId”: the keys of a table that exists cannot be changed."
            ),
            (
                "Partition key “userId” has type N in the table “accounts”, not S. "
                "Choose N: the keys of a table that exists cannot be changed."
            ),
        ],
        id="another-partition-key",
    ),
    pytest.param(
        description("accounts", PK),
        [
            (
                "Sort key The table “accounts” has no sort key, so “SK” is none. "
                "Choose “none” for the sort key."
            )
        ],
        id="no-sort-key",
    ),
    pytest.param(
        description("accounts", PK, SK, TableStatus="CREATING"),
        ["Table name The table “accounts” is still being made. Wait some seconds and look again."],
        id="B76-still-being-made",
    ),
]


@pytest.mark.parametrize(("table", "notices"), DIFFERENCES)
def test_a_difference_is_told_at_its_field(
    client: FlaskClient, gateway: FakeGateway, table: dict[str, object], notices: list[str]
) -> None:
    gateway.there = {"accounts": table}
    page = client.post("/table", data=form())
    assert page.status_code == 200
    assert told(page.text) == notices


def test_a_notice_leads_to_its_field_on_the_first_page(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.there = {"accounts": description("accounts", ("pk", "S"))}
    page = client.post("/table", data=form()).text
    places = re.findall(r'formaction="/#([^"]+)"', page)
    assert places == ["design-partition_key-name", "design-sort_key-type"]
    assert set(places) <= set(Controls(client.get("/").text).ids)


def test_B76_a_table_that_is_not_there_is_told_with_place_region_and_key(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    local = client.post("/table", data=form(to="local"))
    assert local.status_code == 200
    assert "The table is not there" in local.text
    assert (
        "Looked for at http://127.0.0.1:4566 with Region us-east-1 and key id lockwright. A local "
        "engine keeps separate tables for each Region and key id: use these in your other tools "
        "too, or "
        "start the engine with its shared store (DynamoDB Local: the option sharedDb)."
    ) in words(local.text)
    prod = words(client.post("/table", data=form(to="prod")).text)
    assert (
        "Looked for at AWS eu-west-1 with key id lockwright: a table of another Region or account "
        "is not seen from there."
    ) in prod


@pytest.mark.parametrize("code", sorted(TROUBLES))
def test_every_trouble_of_a_place_is_shown_with_its_remedy(
    client: FlaskClient, gateway: FakeGateway, code: str
) -> None:
    gateway.troubles = {"ListTables": code, "DescribeTable": code}
    page = client.post("/table", data=form(table="accounts"))
    text = words(page.text)
    said = TROUBLES[code]
    assert " ".join(said.message.format_map(WHERE).split()) in text
    assert " ".join(said.hint.format_map(WHERE).split()) in text
    assert page.status_code == (404 if code == "table-missing" else 502)


def test_an_endpoint_that_does_not_answer_is_asked_once(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.troubles = {"ListTables": "connection-refused"}
    assert client.get("/table").status_code == 502
    assert gateway.asked == ["ListTables"]


def test_who_may_describe_but_not_list_sees_the_table_all_the_same(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.there = {"accounts": ACCOUNTS}
    gateway.troubles = {"ListTables": "access-denied", "DescribeTimeToLive": "access-denied"}
    page = client.post("/table", data=form())
    assert page.status_code == 200
    text = words(page.text)
    assert "The tables cannot be listed. These credentials may not do that" in text
    assert "The design fits" in text


def test_a_table_is_described_by_its_name(client: FlaskClient, gateway: FakeGateway) -> None:
    index = {
        "IndexName": "by-email",
        "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}],
    }
    gateway.there = {
        "other": description(
            "other",
            PK,
            GlobalSecondaryIndexes=[index],
            BillingModeSummary={},
            ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
            ItemCount=2,
            TableSizeBytes=2048,
            Replicas=[{"RegionName": "eu-west-1"}],
        )
    }
    gateway.expiring = {"other": "ttl"}
    page = client.post("/table", data=form(do="describe", other=" other "))
    text = words(page.text.partition('class="found"')[2])
    assert (
        "Status ACTIVE Partition key PK (String) Sort key none Global index by-email: email (?) "
        "Capacity provisioned: 5 read units, 7 write units Holds 2 items, 2.0 KB Time to "
        "live ttl"
    ) in text
    assert "Worth knowing: “other” deletes items by the time in “ttl”." in text
    assert "Worth knowing: “other” is a global table, with replicas in eu-west-1." in text


@pytest.mark.parametrize("name", ["no table!", "ab", "x" * 256, "../etc", "a\x00bc"])
def test_what_is_no_table_name_is_told_and_not_asked(
    client: FlaskClient, gateway: FakeGateway, name: str
) -> None:
    page = client.post("/table", data=form(do="describe", other=name))
    assert page.status_code == 422
    assert "is no table name." in words(page.text)
    assert Controls(page.text).pairs["other"] == name
    assert gateway.asked == ["ListTables", "DescribeTable"]  # the design's own


def test_a_table_without_readable_keys_is_told(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.there = {"odd-one": {"TableName": "odd-one"}}
    page = client.post("/table", data=form(table="odd-one"))
    assert page.status_code == 200
    assert "is no description of a table" in words(page.text)


HOSTILE = [
    "\"'><script>alert(1)</script>",
    "</textarea><img src=x onerror=alert(1)>",
    "{{ 7*7 }} {% raw %}",
    "%(name)s {0}",
    "\u202eevil\x7f",
]


@pytest.mark.parametrize("name", HOSTILE, ids=repr)
def test_hostile_names_from_a_service_are_only_text(
    client: FlaskClient, gateway: FakeGateway, name: str
) -> None:
    gateway.there = {name: description(name, (name, name), (name + "2", "S"))}
    gateway.expiring = {name: name}
    page = client.post("/table", data=form(table=name))
    assert page.status_code == 200
    for tag in ("<script>alert", "<img src=x"):
        assert tag not in page.text
    assert not re.search(r"<style|\sstyle=|\son\w+=[\"']", page.text)


def test_many_tables_are_listed_up_to_a_limit(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.there = {f"t-{number}": ACCOUNTS for number in range(1_003)}
    page = client.get("/table").text
    assert page.count('name="table"') == 1_000
    assert "3 more tables are not listed." in words(page)


TRAVELLING = replace(
    OWN_LOCKS,
    changes=(replace(EXAMPLE.changes[0], key={"id": "\nfirst line empty\n\"'<b>"}),),
    token="line\nline",
)


@pytest.mark.parametrize("draft", [EXAMPLE, BLANK, TRAVELLING], ids=["example", "blank", "odd"])
def test_the_form_of_the_first_page_travels_along_whole(client: FlaskClient, draft: Draft) -> None:
    page = client.post("/table", data=form(draft, to="prod")).text
    pairs = carried(page, "tables-form")
    assert {name: pairs.get(name) for name in form(draft)} == form(draft)
    assert pairs["endpoint"] == "prod"


def test_the_keys_of_a_table_are_taken_into_the_form_and_the_rest_stays(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.there = {"accounts": ACCOUNTS, "users": USERS}
    page = client.post("/table", data=form(TRAVELLING, table="users")).text
    taken = replace(TRAVELLING, table=Keys("users", KeyColumn("userId", "N"), KeyColumn("", "")))
    assert carried(page, "take") == form(taken)
    assert 'form="take"' in page
    back = Controls(client.post("/", data=carried(page, "take")).text).pairs
    assert {name: back.get(name) for name in form(taken)} == form(taken)


def test_a_table_is_taken_for_the_locks_alone(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.there = {"guards": description("guards", ("id", "S"), ("n", "N"))}
    page = client.post("/table", data=form(OWN_LOCKS, table="guards")).text
    locks = replace(
        OWN_LOCKS.locks,
        table=Keys("guards", KeyColumn("id"), KeyColumn("n", "N")),
        templates=Templates("UNIQ#{namespace}#{value}", "0"),
    )
    assert carried(page, "take-for-locks") == form(replace(OWN_LOCKS, locks=locks))


def test_what_the_design_has_already_need_not_be_taken(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.there = {"accounts": ACCOUNTS}
    page = client.post("/table", data=form()).text
    assert 'id="take"' not in page
    assert "These are the keys of the design." in page


def real(name: str, *keys: tuple[str, str]) -> RealTable:
    """A table with these keys."""
    return read_table(description(name, *keys))


@pytest.mark.parametrize(
    ("locks", "table", "sort"),
    [
        (Locks(), real("t", PK, ("n", "N")), "0"),
        (Locks(Templates("L#{value}", "0")), real("t", PK, SK), "LOCK"),
        (Locks(Templates("L#{value}", "")), real("t", PK, SK), "LOCK"),
        (Locks(Templates("L#{value}", "MINE")), real("t", PK, ("n", "N")), "MINE"),
        (Locks(), real("t", PK), "LOCK"),
    ],
)
def test_the_usual_sort_template_of_locks_follows_the_key_and_another_stays(
    locks: Locks, table: RealTable, sort: str
) -> None:
    draft = replace(EXAMPLE, locks=locks)
    assert with_keys(draft, table).locks.templates.sort == sort
    assert with_lock_keys(draft, table).locks.templates.sort == sort
    own = replace(draft, locks=replace(locks, own_table=True))
    assert with_keys(own, table).locks == own.locks


def test_the_tables_of_the_design_are_made_with_one_click(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    before = client.post("/table", data=form(OWN_LOCKS)).text
    assert "2 tables are not there" in before
    assert "Make the tables on local" in before
    page = client.post("/table/make", data=form(OWN_LOCKS, do="make", endpoint="local"))
    assert page.status_code == 200
    assert gateway.there == {
        "accounts": ACCOUNTS,
        "locks": description("locks", ("pk", "S"), ("sk", "S")),
    }
    text = words(page.text)
    assert "Made: accounts, locks. The design fits" in text
    again = client.post("/table/make", data=form(OWN_LOCKS, endpoint="local"))
    assert "Nothing was made: the tables were there already." in again.text


def test_a_table_that_is_there_with_other_keys_is_a_conflict(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.there = {"accounts": description("accounts", ("id", "S"))}
    page = client.post("/table/make", data=form(endpoint="local"))
    assert page.status_code == 409
    assert "The design differs in 2 places" in page.text


def test_making_that_fails_is_told(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.troubles = {"CreateTable": "answer-lost"}
    page = client.post("/table/make", data=form(endpoint="local"))
    assert page.status_code == 502
    assert "no whole answer came back" in words(page.text)


@pytest.mark.parametrize(
    ("draft", "first"),
    [(BLANK, "Table name "), (replace(EXAMPLE, table=Keys("?")), "Partition key ")],
    ids=["blank", "bad"],
)
def test_an_unfinished_design_makes_nothing_and_says_what_is_missing(
    client: FlaskClient, gateway: FakeGateway, draft: Draft, first: str
) -> None:
    gateway.there = {"users": USERS}
    looked = client.post("/table", data=form(draft))
    assert looked.status_code == 200
    assert "The design is not in order yet" in looked.text
    assert told(looked.text)[0].startswith(first)
    for path in ("/table/make", "/table/download/tables.tf"):
        page = client.post(path, data=form(draft, endpoint="local"))
        assert page.status_code == 422
        assert told(page.text) == told(looked.text)
        assert "Nothing was made" not in page.text
    assert "CreateTable" not in gateway.asked


@pytest.mark.parametrize(
    ("settings", "endpoint"),
    [({}, "prod"), ({"allow_write": True}, "prod"), ({"read_only": True}, "local")],
    ids=["aws", "aws-with-leave-to-write", "read-only"],
)
def test_tables_are_made_on_local_endpoints_only_and_never_read_only(
    gateway: FakeGateway, settings: dict[str, Any], endpoint: str
) -> None:
    targets = {"local": Target(LOCAL, lambda: gateway), "prod": Target(AWS, lambda: gateway)}
    client = create_app(Settings(targets=targets, **settings)).test_client()
    page = client.post("/table", data=form(to=endpoint))
    assert "/table/make" not in page.text
    assert "How to make what is missing" in page.text
    assert '<details class="more" id="recipe-0" open>' in page.text
    assert client.post("/table/make", data=form(endpoint=endpoint)).status_code == 403
    assert "CreateTable" not in gateway.asked


def test_making_needs_our_own_page(client: FlaskClient, gateway: FakeGateway) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.test"}
    for path in ("/table", "/table/make", "/table/download/tables.tf"):
        assert client.post(path, data=form(), headers=headers).status_code == 403
    assert gateway.asked == []


FILES = [
    ("create-records.json", "application/json", '"TableName": "accounts"'),
    ("create-locks.json", "application/json", '"TableName": "locks"'),
    ("tables.yaml", "application/yaml", "AWS::DynamoDB::Table"),
    ("tables.tf", "text/plain; charset=utf-8", 'resource "aws_dynamodb_table"'),
]


@pytest.mark.parametrize(("name", "kind", "part"), FILES)
def test_each_recipe_is_downloaded_as_it_is_shown(
    client: FlaskClient, name: str, kind: str, part: str
) -> None:
    answer = client.post(f"/table/download/{name}", data=form(OWN_LOCKS))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Disposition"] == f"attachment; filename={name}"
    assert part in answer.text
    assert answer.text in unescape(client.post("/table", data=form(OWN_LOCKS)).text)


def test_what_is_no_file_of_it_is_not_there(client: FlaskClient) -> None:
    assert client.post("/table/download/create-locks.json", data=form()).status_code == 404
    assert client.post("/table/download/passwd", data=form()).status_code == 404


@pytest.mark.parametrize("path", ["/table/make", "/table/download/tables.tf"])
def test_the_address_of_a_button_leads_to_the_page(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/table")


def test_B77_commands_for_a_local_engine_carry_the_keys_that_see_its_tables(
    gateway: FakeGateway,
) -> None:
    targets = {"local": Target(LOCAL, lambda: gateway), "prod": Target(AWS, lambda: gateway)}
    client = create_app(Settings(targets=targets, read_only=True)).test_client()
    local = words(client.post("/table", data=form(to="local")).text)
    assert (
        "AWS_ACCESS_KEY_ID=lockwright AWS_SECRET_ACCESS_KEY=lockwright aws dynamodb create-table "
        "--cli-input-json file://create-records.json --endpoint-url http://127.0.0.1:4566 "
        "--region us-east-1"
    ) in local
    prod = words(client.post("/table", data=form(to="prod")).text)
    assert "file://create-records.json --region eu-west-1" in prod
    assert "AWS_ACCESS_KEY_ID" not in prod


def test_where_a_button_makes_the_tables_the_commands_are_for_other_places(
    client: FlaskClient,
) -> None:
    page = client.post("/table", data=form(to="local")).text
    assert "Make the table on local" in page
    assert "How the design’s tables are made elsewhere" in page
    assert "aws dynamodb create-table --cli-input-json file://create-records.json<" in page
    assert "--endpoint-url" not in page
    assert "terraform init\nterraform apply<" in page


def test_aws_counts_items_late_and_says_so(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.there = {"accounts": description("accounts", PK, SK, ItemCount=2)}
    prod = words(client.post("/table", data=form(to="prod")).text)
    local = words(client.post("/table", data=form(to="local")).text)
    assert "Holds 2 items, 0 B, counted every few hours" in prod
    assert "Holds 2 items, 0 B" in local
    assert "counted every few hours" not in local


def test_a_part_for_htmx_is_the_page_without_its_frame(client: FlaskClient) -> None:
    whole = client.post("/table", data=form()).text
    part = client.post("/table", data=form(), headers=htmx("tables")).text
    assert part.strip().startswith('<div id="tables" data-brought="yes">')
    assert part.strip() in whole


def test_no_id_stands_twice(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.there = {"guards": description("guards", PK), "locks": description("locks", SK)}
    for draft in (EXAMPLE, OWN_LOCKS, BLANK):
        ids = Controls(client.post("/table", data=form(draft, table="guards")).text).ids
        assert sorted(ids) == sorted(set(ids))


def test_the_page_is_in_the_navigation(app: Flask) -> None:
    page = app.test_client().get("/table").text
    assert '<a href="/table" aria-current="page">Tables</a>' in page
