"""The record as it is: read into the form, its locks shown, and offered again when overtaken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import AWS, FakeGateway, form, htmx, trouble
from tests.web.reading import Controls, notes
from tests.web.test_transaction_page import cancelled
from webapp.answers import Unavailable
from webapp.attempts import Stop
from webapp.web import create_app
from webapp.web.draft import EXAMPLE, Attribute, Cell, Change, Draft, read_draft
from webapp.web.settings import Settings, Target
from webapp.web.stored import known_row
from webapp.web.writing import write

Json = dict[str, Any]
KEY = {"PK": {"S": "ACCT#a1f9c3"}, "SK": {"S": "PROFILE"}}
OTHER = {"PK": {"S": "ACCT#zoe"}, "SK": {"S": "PROFILE"}}
BIG = "12345678901234567890123456789012345678"


@dataclass
class Store(FakeGateway):
    """Items by the values of their keys; every read is kept, and fails where ``fails`` is set."""

    items: dict[tuple[str, str], Json] = field(default_factory=dict)
    reads: list[tuple[str, Json]] = field(default_factory=list)
    fails: str = ""

    def get(self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None) -> Json | None:
        self.reads.append((table, dict(key)))
        if self.fails:
            raise Unavailable(trouble(self.fails))
        return self.items.get((key["PK"]["S"], key["SK"]["S"]))

    def keep(self, key: Json, **attributes: Json) -> None:
        self.items[key["PK"]["S"], key["SK"]["S"]] = key | attributes


@pytest.fixture
def gateway() -> Store:
    return Store()


def lock(text: str) -> Json:
    return {"PK": {"S": f"UNIQ#{text}"}, "SK": {"S": "LOCK"}}


def asking(operation: str, *rows: Attribute, owned: bool = False) -> Draft:
    locks = replace(EXAMPLE.locks, stores_owner=owned)
    return replace(EXAMPLE, locks=locks, changes=(Change(operation, {"id": "a1f9c3"}, rows),))


def look(client: FlaskClient, draft: Draft, button: str = "0/local") -> Any:
    return client.post("/record", data=form(draft, look=button))


def loaded(page: Any) -> tuple[Attribute, ...]:
    return read_draft(Controls(page.text).pairs.items()).changes[0].attributes


def stands(page: Any) -> list[str]:
    """The locks that the page shows, as sentences."""
    import re  # noqa: PLC0415
    from html import unescape  # noqa: PLC0415

    rows = re.findall(r'<li class="(?:good|bad)">(.*?)</li>', page.text, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]


EVERY_TYPE: Json = {
    "email": {"S": "ada@lovelace.io"},
    "username": {"S": "ada"},
    "big": {"N": BIG},
    "photo": {"B": "AAECAw=="},
    "active": {"BOOL": False},
    "left": {"NULL": True},
    "tags": {"SS": ["b", "a"]},
    "scores": {"NS": ["1", "2.50"]},
    "blobs": {"BS": ["AA==", "AQ=="]},
    "list": {"L": [{"N": BIG}, {"S": "x"}]},
    "map": {"M": {"a": {"NULL": True}}},
    "empty": {"S": ""},
    "line ends": {"S": "a\r\nb"},
}


@pytest.mark.parametrize("operation", ["change", "delete"])
def test_b28_a_record_is_loaded_with_every_value_and_every_type(
    client: FlaskClient, gateway: Store, operation: str
) -> None:
    gateway.keep(KEY, **EVERY_TYPE)
    draft = asking(operation)
    page = look(client, draft)
    known = write(replace(draft, changes=(replace(draft.changes[0], attributes=loaded(page)),)))
    assert known.document["changes"][0]["before"] == EVERY_TYPE
    assert "Read from local: 13 attributes." in page.text
    assert gateway.reads[0] == ("accounts", KEY)


def test_b28_a_change_of_a_loaded_record_is_guarded_by_what_was_read(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, email={"S": "b@x.test"}, username={"S": "ada"})
    draft = asking("change", Attribute("email", "S", Cell("stale@x.test"), Cell("c@x.test")))
    page = look(client, draft)
    assert page.status_code == 200
    assert loaded(page)[0] == Attribute("email", "S", Cell("b@x.test"), Cell("c@x.test"))
    client.post("/run", data=Controls(page.text).pairs | {"endpoint": "local"})
    update, claim, release = json.loads(gateway.sent[0])["TransactItems"]
    assert {"S": "b@x.test"} in update["Update"]["ExpressionAttributeValues"].values()
    assert claim["Put"]["Item"] == lock("EMAIL#c@x.test")
    assert release["Delete"]["Key"] == lock("EMAIL#b@x.test")


def test_b33_a_delete_by_the_key_alone_loads_the_record_and_releases_its_real_locks(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, email={"S": "ada@x.test"}, username={"S": "ada"})
    before = client.post("/run", data=form(asking("delete"), endpoint="local"))
    assert (before.status_code, gateway.sent) == (422, [])
    page = look(client, asking("delete"))
    client.post("/run", data=Controls(page.text).pairs | {"endpoint": "local"})
    actions = json.loads(gateway.sent[0])["TransactItems"]
    keys = [action["Delete"]["Key"] for action in actions]
    assert keys == [KEY, lock("EMAIL#ada@x.test"), lock("HANDLE#ada")]


def test_b34_a_protected_attribute_that_the_record_does_not_have_is_known_to_be_absent(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, email={"S": "ada@x.test"})
    page = look(client, asking("delete"))
    assert loaded(page) == (
        Attribute("email", "S", Cell("ada@x.test")),
        Attribute("username", "S", Cell(given="absent")),
    )
    client.post("/run", data=Controls(page.text).pairs | {"endpoint": "local"})
    assert len(json.loads(gateway.sent[0])["TransactItems"]) == 2


ROWS = [
    ("same type", Attribute("x", "S", Cell("old"), Cell("new")), {"S": "now"},
     Attribute("x", "S", Cell("now"), Cell("new"))),
    ("nothing typed", Attribute("x", "S", Cell("old")), {"N": BIG},
     Attribute("x", "N", Cell(BIG))),
    ("removed", Attribute("x", "S", Cell(), Cell(given="absent")), {"N": "1"},
     Attribute("x", "N", Cell("1"), Cell(given="absent"))),
    ("another type", Attribute("x", "N", Cell(), Cell("5")), {"S": "five"},
     Attribute("x", "JSON", Cell('{"S": "five"}'), Cell('{"N": "5"}'))),
    ("broken JSON", Attribute("x", "JSON", Cell(), Cell('{"S": ')), {"S": "five"},
     Attribute("x", "JSON", Cell('{"S": "five"}'), Cell('{"S": '))),
    ("null now", Attribute("x", "N", Cell("4"), Cell("5")), {"NULL": True},
     Attribute("x", "N", Cell(given="null"), Cell("5"))),
    ("gone", Attribute("x", "N", Cell("4"), Cell("5")), None,
     Attribute("x", "N", Cell("4", "absent"), Cell("5"))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "stored", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_what_a_row_becomes_stays_as_it_was_typed(
    row: Attribute, stored: Json | None, expected: Attribute
) -> None:
    from webapp.core.documents import read_quietly  # noqa: PLC0415

    value = None if stored is None else read_quietly(stored)
    assert known_row(row, value) == expected


MISSING = "missing: nothing keeps this value unique, and a change that keeps it makes no lock"


def test_the_state_of_each_lock_is_shown_with_its_owner(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, email={"S": "ada@x.test"}, username={"S": "ada"})
    gateway.keep(lock("EMAIL#ada@x.test"), owner={"M": KEY})
    page = look(client, asking("change", owned=True))
    assert stands(page) == [
        "UNIQ#EMAIL#ada@x.test / LOCK held by this record",
        f"UNIQ#HANDLE#ada / LOCK {MISSING}",
    ]
    gateway.keep(lock("HANDLE#ada"), owner={"M": OTHER})
    page = look(client, asking("change", owned=True))
    assert stands(page)[1] == ("UNIQ#HANDLE#ada / LOCK held by another record: ACCT#zoe / PROFILE")


def test_a_lock_without_an_owner_is_there_and_nothing_more_is_said(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, email={"S": "ada@x.test"})
    gateway.keep(lock("EMAIL#ada@x.test"))
    assert stands(look(client, asking("change"))) == [
        "UNIQ#EMAIL#ada@x.test / LOCK there; it does not say whose it is"
    ]


def test_each_item_is_read_once_by_its_key(client: FlaskClient, gateway: Store) -> None:
    gateway.keep(KEY, email={"S": "a@x.test"}, username={"S": "ada"}, other={"S": "x"})
    look(client, asking("change"))
    assert gateway.reads == [
        ("accounts", KEY),
        ("accounts", lock("EMAIL#a@x.test")),
        ("accounts", lock("HANDLE#ada")),
    ]
    assert (gateway.sent, gateway.asked) == ([], [])


def test_a_record_that_is_not_there_is_told_and_the_form_stays(
    client: FlaskClient, gateway: Store
) -> None:
    draft = asking("change", Attribute("email", "S", Cell("a"), Cell("b")))
    page = look(client, draft)
    assert page.status_code == 404
    assert "There is no such record at local." in page.text
    assert Controls(page.text).pairs.items() >= form(draft).items()


def test_an_endpoint_that_cannot_be_read_is_told_and_the_form_stays(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.fails = "connection-refused"
    draft = asking("change", Attribute("email", "S", Cell("a"), Cell("b")))
    page = look(client, draft)
    assert page.status_code == 502
    assert "Nothing answers at local" in page.text
    assert Controls(page.text).pairs.items() >= form(draft).items()


def test_without_a_key_nothing_is_read(client: FlaskClient, gateway: Store) -> None:
    draft = replace(EXAMPLE, changes=(Change("change", {"id": ""}),))
    page = look(client, draft)
    assert (page.status_code, gateway.reads) == (422, [])


def test_a_name_that_no_form_can_carry_is_refused_and_changes_nothing(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, **{"a\rb": {"S": "x"}})
    draft = asking("change", Attribute("email", "S", Cell("a"), Cell("b")))
    page = look(client, draft)
    assert page.status_code == 422
    assert Controls(page.text).pairs.items() >= form(draft).items()


@pytest.mark.parametrize(
    ("button", "status"),
    [
        ("0/nowhere", 404),
        ("0/http://evil.test", 404),
        ("7/local", 400),
        ("x/local", 400),
        ("²/local", 400),
        pytest.param(f"{'1' * 5_000}/local", 400, id="thousands of digits"),
    ],
)
def test_only_the_buttons_of_the_page_are_known(
    client: FlaskClient, gateway: Store, button: str, status: int
) -> None:
    assert look(client, asking("change"), button).status_code == status
    assert gateway.reads == []


@pytest.mark.parametrize("read_only", [False, True], ids=["as started", "read-only"])
def test_reading_needs_no_leave_and_no_confirmation_on_aws(gateway: Store, read_only: bool) -> None:
    targets = {"prod": Target(AWS, lambda: gateway)}
    client = create_app(Settings(targets=targets, read_only=read_only)).test_client()
    gateway.keep(KEY, email={"S": "a@x.test"})
    assert look(client, asking("change"), "0/prod").status_code == 422  # nothing is changed yet
    assert gateway.reads[0] == ("accounts", KEY)


def test_a_record_of_several_is_loaded_alone(client: FlaskClient, gateway: Store) -> None:
    gateway.keep(OTHER, email={"S": "zoe@x.test"})
    second = Change("change", {"id": "zoe"}, (Attribute("email", "S", Cell(), Cell("n@x.test")),))
    draft = replace(EXAMPLE, changes=(*EXAMPLE.changes, second))
    changes = read_draft(Controls(look(client, draft, "1/local").text).pairs.items()).changes
    assert changes[0] == EXAMPLE.changes[0]
    assert changes[1].attributes[0] == Attribute("email", "S", Cell("zoe@x.test"), Cell("n@x.test"))


# A run that was overtaken


@pytest.mark.parametrize("headers", [{}, htmx("result")], ids=["no script", "htmx"])
def test_b28_a_stale_change_is_told_what_the_record_is_now_and_loses_nothing(
    client: FlaskClient, gateway: Store, headers: dict[str, str]
) -> None:
    gateway.keep(KEY, email={"S": "b@x.test"}, username={"S": "ada"})
    gateway.answer = cancelled("ConditionalCheckFailed", "None", "None")
    draft = asking("change", Attribute("email", "S", Cell("a@x.test"), Cell("c@x.test")))
    page = client.post("/run", data=form(draft, endpoint="local"), headers=headers)
    assert page.status_code == 409
    assert notes(page.text)["changes-0-attributes-0-value"] == "Now it is: b@x.test."
    assert 'name="look" value="0/local"' in page.text
    taken = look(client, draft)
    assert loaded(taken)[0] == Attribute("email", "S", Cell("b@x.test"), Cell("c@x.test"))


def test_b28_a_stale_delete_is_told_what_the_record_is_now(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, email={"S": "b@x.test"}, username={"S": "ada"})
    gateway.answer = cancelled("ConditionalCheckFailed", "None", "None")
    rows = (Attribute("email", "S", Cell("a@x.test")), Attribute("username", "S", Cell("ada")))
    draft = asking("delete", *rows)
    page = client.post("/run", data=form(draft, endpoint="local"))
    assert page.status_code == 409
    assert notes(page.text)["changes-0-attributes-0-value"] == "Now it is: b@x.test."
    assert Controls(page.text).pairs.items() >= form(draft).items()
    taken = look(client, draft)
    assert loaded(taken) == (Attribute("email", "S", Cell("b@x.test")), rows[1])


def test_b28_of_several_records_the_one_that_was_overtaken_is_shown(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(OTHER, email={"S": "now@x.test"}, username={"S": "zoe"})
    gateway.answer = cancelled("None", "ConditionalCheckFailed", *["None"] * 4)
    second = Change("change", {"id": "zoe"}, (
        Attribute("email", "S", Cell("was@x.test"), Cell("new@x.test")),
    ))  # fmt: skip
    draft = replace(EXAMPLE, changes=(*EXAMPLE.changes, second))
    page = client.post("/run", data=form(draft, endpoint="local"))
    assert page.status_code == 409
    assert notes(page.text)["changes-1-attributes-0-value"] == "Now it is: now@x.test."
    assert {name.partition("-attributes")[0] for name in notes(page.text)} == {"changes-1"}
    assert 'name="look" value="1/local"' in page.text
    assert gateway.reads[0] == ("accounts", OTHER)
    assert Controls(page.text).pairs.items() >= form(draft).items()


def test_a_record_that_is_gone_is_told_after_the_run(client: FlaskClient, gateway: Store) -> None:
    gateway.answer = cancelled("ConditionalCheckFailed", "None", "None")
    draft = asking("change", Attribute("email", "S", Cell("a@x.test"), Cell("c@x.test")))
    page = client.post("/run", data=form(draft, endpoint="local"))
    assert page.status_code == 409
    assert "There is no such record at local." in page.text


def test_a_taken_value_reads_no_record(client: FlaskClient, gateway: Store) -> None:
    gateway.answer = cancelled("None", "ConditionalCheckFailed", "None")
    client.post("/run", data=form(endpoint="local"))
    assert gateway.reads == []


def test_a_lock_that_another_record_holds_is_shown_after_the_run(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.keep(KEY, email={"S": "a@x.test"})
    gateway.keep(lock("EMAIL#a@x.test"), owner={"M": OTHER})
    gateway.answer = cancelled("None", "None", "ConditionalCheckFailed")
    draft = asking(
        "change", Attribute("email", "S", Cell("a@x.test"), Cell("b@x.test")), owned=True
    )
    page = client.post("/run", data=form(draft, endpoint="local"))
    assert stands(page) == ["UNIQ#EMAIL#a@x.test / LOCK held by another record: ACCT#zoe / PROFILE"]


def test_a_very_wide_record_shows_its_protected_attributes_and_says_how_many_it_leaves_out(
    client: FlaskClient, gateway: Store
) -> None:
    many = {f"a{number}": {"N": str(number)} for number in range(450)}
    gateway.keep(KEY, **many, email={"S": "a@x.test"}, username={"S": "ada"})
    page = look(client, asking("change"))
    assert [row.name for row in loaded(page)[:2]] == ["email", "username"]
    assert len(loaded(page)) == 400
    assert "52 more attributes have no row here." in page.text
