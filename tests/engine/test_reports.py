"""Field reports that only an engine can judge: what plans do to a table, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests import models
from tests.models import EMAIL, PHONE, Json, change, create, delete, texts, users
from webapp.answers import Committed, Rejected
from webapp.core import documents, jsontext
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway

FAILED, FINE = "ConditionalCheckFailed", "None"
ANN = {"email": "ann@x.test", "username": "ann"}


class Table:
    """A table of the engine with a design for it."""

    def __init__(self, gateway: Gateway, design: Json) -> None:
        self.gateway = gateway
        self.design = design
        keys = [design["partition_key"], design.get("sort_key")]
        described = [(key["name"], key["type"]) for key in keys if key]
        gateway.create_table(design["table"], *described)

    def run(self, *changes: Json, **members: Any) -> list[str]:
        """Send the plan of changes; gives the reasons' codes, none when it was committed."""
        document = {"design": self.design, "changes": list(changes), **members}
        answer = self.gateway.send(documents.plan(document).text)
        if isinstance(answer, Committed):
            return []
        assert isinstance(answer, Rejected), answer
        return [reason["Code"] for reason in answer.reasons]

    def items(self) -> dict[str, Json]:
        """Every item by the text of its partition key, without its key attributes."""
        pages = self.gateway.pages("Scan", {"TableName": self.design["table"]})
        names = {self.design["partition_key"]["name"], self.design["sort_key"]["name"]}
        return {
            item[self.design["partition_key"]["name"]]["S"]: {
                name: value for name, value in item.items() if name not in names
            }
            for page in pages
            for item in page["Items"]
        }


@pytest.fixture
def open_table(gateway: Gateway, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Makes tables for designs; they are gone after the test."""
    yield from tables_of(gateway, request)


@pytest.fixture
def open_table_of_moto(moto_engine: Endpoint, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The same in moto, which compares maps by what is in them; MiniStack takes all for equal."""
    yield from tables_of(Gateway(moto_engine), request)


def tables_of(gateway: Gateway, request: pytest.FixtureRequest) -> Iterator[Any]:
    made: list[str] = []

    def open_for(design: Json) -> Table:
        name = f"{request.node.originalname[:40]}-{len(made)}".replace("_", "-")
        made.append(name)
        return Table(gateway, {**design, "table": name})

    yield open_for
    for name in made:
        gateway.delete_table(name)


def owner(record: str) -> Json:
    return {"owner": {"M": {"pk": {"S": f"USER#{record}"}, "sk": {"S": "PROFILE"}}}}


def test_B01_one_value_is_taken_once_whatever_the_record(open_table: Any) -> None:
    table = open_table(users())
    assert table.run(create("u1", **ANN)) == []
    assert table.run(create("u2", email=ANN["email"], username="other")) == [FINE, FAILED, FINE]
    assert table.items() == {
        "USER#u1": texts(**ANN),
        "UNIQ#EMAIL#ann@x.test": owner("u1"),
        "UNIQ#USERNAME#ann": owner("u1"),
    }


def test_B04_two_records_without_the_optional_value_live_beside_each_other(open_table: Any) -> None:
    table = open_table(users(EMAIL, PHONE))
    assert table.run(create("u1", email="a")) == []
    assert table.run(create("u2", email="b")) == []
    assert table.items().keys() == {"USER#u1", "USER#u2", "UNIQ#EMAIL#a", "UNIQ#EMAIL#b"}


SPELLINGS = [
    ("B07", "j\u00fcrgen@x.test", "ju\u0308rgen@x.test"),
    ("B09", "Ann@Example.TEST", "ann@example.test"),
    ("B11-blank", "ann@x.test", " ann@x.test\t"),
    ("B11-no-break-space", "ann@x.test", "ann@x.test\u00a0"),
]


@pytest.mark.parametrize(
    ("one", "other"), [row[1:] for row in SPELLINGS], ids=[row[0] for row in SPELLINGS]
)
def test_another_spelling_of_a_taken_value_is_refused(
    open_table: Any, one: str, other: str
) -> None:
    table = open_table(users(EMAIL))
    assert table.run(create("u1", email=one)) == []
    assert table.run(create("u2", email=other)) == [FINE, FAILED]
    assert table.items()["USER#u1"] == texts(email=one)


def test_B12_one_handle_in_each_tenant(open_table: Any) -> None:
    table = open_table(models.members())
    assert table.run(create("m1", tenant="t1", handle="ann")) == []
    assert table.run(create("m2", tenant="t2", handle="ann")) == []
    assert table.run(create("m3", tenant="t1", handle="ANN")) == [FINE, FAILED]


def test_B13_tables_with_other_key_names_take_the_plans(open_table: Any) -> None:
    keys: Json = {
        "partition_key": {"name": "ref", "type": "S"},
        "sort_key": {"name": "part", "type": "S"},
    }
    table = open_table(users(EMAIL, **keys))
    assert table.run(create("u1", email="a")) == []
    assert table.run(change("u1", texts(email="a"), email="b")) == []
    assert table.items().keys() == {"USER#u1", "UNIQ#EMAIL#b"}
    assert table.run(delete("u1", email="b")) == []
    assert table.items() == {}


def test_B17_digests_agree_over_create_change_and_delete(open_table: Any) -> None:
    table = open_table(users({**EMAIL, "digest": "hmac-sha256"}))
    secret = {"secret": "swordfish"}
    before = texts(email=" Ann@X.test")
    assert table.run(create("u1", email=" Ann@X.test"), **secret) == []
    assert table.run(create("u2", email="ann@x.test"), **secret) == [FINE, FAILED]
    assert table.run(change("u1", before, email="ann@x.test"), **secret) == []
    assert table.run(delete("u1", email="ann@x.test"), **secret) == []
    assert table.items() == {}


def test_B19_a_hundred_actions_are_taken_by_the_engine(open_table: Any) -> None:
    rules = [{"namespace": f"N{n}", "attributes": [f"a{n}"]} for n in range(99)]
    table = open_table(users(*rules))
    assert table.run(create("u1", **{f"a{n}": "v" for n in range(99)})) == []
    assert len(table.items()) == 100


def test_B21_an_unchanged_value_may_be_sent_again(open_table: Any) -> None:
    table = open_table(users())
    table.run(create("u1", **ANN))
    assert table.run(change("u1", texts(**ANN), username="anna", email=ANN["email"])) == []
    assert table.items().keys() == {"USER#u1", "UNIQ#EMAIL#ann@x.test", "UNIQ#USERNAME#anna"}


def test_B25_a_changed_value_is_changed_everywhere(open_table: Any) -> None:
    table = open_table(users(EMAIL))
    table.run(create("u1", email="a"))
    assert table.run(change("u1", texts(email="a"), email="b")) == []
    assert table.items() == {"USER#u1": texts(email="b"), "UNIQ#EMAIL#b": owner("u1")}


def test_B26_a_cleared_value_can_be_taken_again(open_table: Any) -> None:
    table = open_table(users(PHONE))
    table.run(create("u1", phone="+15550100"))
    assert table.run(change("u1", texts(phone="+15550100"), phone=None)) == []
    assert table.items() == {"USER#u1": {}}
    assert table.run(create("u2", phone="+15550100")) == []


def test_B28_a_stale_form_changes_nothing(open_table: Any) -> None:
    table = open_table(users(EMAIL))
    table.run(create("u1", email="b"))
    before = table.items()
    assert table.run(change("u1", texts(email="a"), email="c")) == [FAILED, FINE, FINE]
    assert table.items() == before


def test_B28_a_stale_delete_leaves_the_new_owner_its_lock(open_table_of_moto: Any) -> None:
    table = open_table_of_moto(users(EMAIL))
    table.run(create("u1", email="a"))
    table.run(change("u1", texts(email="a"), email="b"))
    table.run(create("u2", email="a"))
    before = table.items()
    assert table.run(delete("u1", email="a")) == [FAILED, FAILED]
    assert table.items() == before


def test_a_lock_that_somebody_else_holds_is_neither_released_nor_handed_over(
    open_table_of_moto: Any,
) -> None:
    """A table gone wrong: the record has the value, but its lock belongs to another record."""
    table = open_table_of_moto(users(EMAIL))
    table.run(create("u1", email="a"), create("u2", email="b"))
    key = {"pk": {"S": "UNIQ#EMAIL#a"}, "sk": {"S": "LOCK"}}
    table.gateway.put(table.design["table"], {**key, **owner("u2")})
    before = table.items()
    assert table.run(delete("u1", email="a")) == [FINE, FAILED]
    hand_over = [delete("u1", email="a"), create("u3", email="a")]
    assert table.run(*hand_over) == [FINE, FINE, FAILED]
    assert table.items() == before


def test_a_lock_that_is_already_gone_may_stay_gone(open_table: Any) -> None:
    table = open_table(users(EMAIL))
    made = documents.plan({"design": table.design, "changes": [create("u1", email="a")]}).request
    record = {"TransactItems": made["TransactItems"][:1]}
    assert isinstance(table.gateway.send(jsontext.write(record)), Committed)
    assert table.run(delete("u1", email="a")) == []
    assert table.items() == {}


def test_B29_a_change_of_nobody_makes_nobody(open_table: Any) -> None:
    table = open_table(users(EMAIL))
    assert table.run(change("u9", texts(email="a"), email="b")) == [FAILED, FINE, FINE]
    assert table.run(change("u9", {}, displayName="x")) == [FAILED]
    assert table.items() == {}


def test_B33_after_a_delete_every_value_can_be_taken_again(open_table: Any) -> None:
    table = open_table(users())
    table.run(create("u1", **ANN, phone="1"))
    assert table.run(delete("u1", **ANN, phone="1")) == []
    assert table.items() == {}
    assert table.run(create("u2", **ANN, phone="1")) == []


def test_B34_a_record_without_its_optional_value_can_be_deleted(open_table: Any) -> None:
    table = open_table(users())
    table.run(create("u1", **ANN))
    assert table.run(delete("u1", **ANN, phone=None)) == []
    assert table.items() == {}


def test_B35_deleting_what_is_not_there_fails_in_the_record_slot(open_table: Any) -> None:
    table = open_table(users(EMAIL))
    assert table.run(delete("u9", email="a")) == [FAILED, FINE]
    table.run(create("u1", email="a"))
    assert table.run(delete("u1", email="a")) == []
    assert table.run(delete("u1", email="a")) == [FAILED, FINE]


def test_a_swap_of_two_names_is_one_transaction_with_and_without_owners(open_table: Any) -> None:
    for lock in (models.LOCK, {**models.LOCK, "owner": None}):
        table = open_table(users({"namespace": "N", "attributes": ["name"]}, lock=lock))
        table.run(create("1", name="ada"), create("2", name="grace"))
        swap = [
            change("1", texts(name="ada"), name="grace"),
            change("2", texts(name="grace"), name="ada"),
        ]
        assert table.run(*swap) == []
        found = table.items()
        assert (found["USER#1"], found["USER#2"]) == (texts(name="grace"), texts(name="ada"))
        assert found["UNIQ#N#ada"] == (owner("2") if lock["owner"] else {})
        assert FAILED in table.run(*swap)
        assert table.items() == found


def test_soft_delete_frees_the_value_and_undelete_takes_it_if_it_is_free(open_table: Any) -> None:
    rule = {"namespace": "E", "attributes": ["email"], "only_when": {"status": ["active"]}}
    table = open_table(users(rule))
    active, gone = texts(email="a", status="active"), texts(email="a", status="deleted")
    table.run(create("1", email="a", status="active"))
    assert table.run(change("1", active, status="deleted")) == []
    assert table.run(create("2", email="a", status="active")) == []
    assert table.run(change("1", gone, status="active")) == [FINE, FAILED]
    assert table.run(change("2", active, status="deleted")) == []
    assert table.run(change("1", gone, status="active")) == []


EVERY_TYPE: Json = {
    "s": {"S": "é\u0000\U0001f600"},
    "empty": {"S": ""},
    "n": {"N": "70605040302010908071"},
    "b": {"B": "AAECgA=="},
    "bool": {"BOOL": False},
    "null": {"NULL": True},
    "ss": {"SS": [""]},
    "ns": {"NS": ["-0.5"]},
    "bs": {"BS": ["AQ=="]},
    "l": {"L": [{"M": {"x": {"L": []}}}]},
    "m": {"M": {}},
}


def test_B68_B92_every_type_is_stored_as_it_was_given(open_table: Any) -> None:
    table = open_table(users(EMAIL))
    item = {"email": {"S": "a"}, **EVERY_TYPE}
    assert table.run({"operation": "create", "key": {"id": "1"}, "item": item}) == []
    assert table.items()["USER#1"] == item
    renamed = {f"new {name}": value for name, value in EVERY_TYPE.items()}
    changed = {"operation": "change", "key": {"id": "1"}, "after": renamed}
    assert table.run(changed) == []
    assert table.items()["USER#1"] == {**item, **renamed}


def test_B62_B63_what_the_core_takes_the_engine_takes(open_table: Any) -> None:
    table = open_table({**users(), "unique": []})
    for number, (name, value) in enumerate(EVERY_TYPE.items()):
        made = {"operation": "create", "key": {"id": str(number)}, "item": {name: value}}
        assert table.run(made) == []
