"""A saved plan is sent as it was saved, or refused with everything that is not as a plan has it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.samples import ADA, OWNED, change, create, delete, plan
from webapp.core import jsontext
from webapp.core.linting.saved import PLAN_MEMBERS, read_saved
from webapp.core.problems import Refused

Json = dict[str, Any]
KEY = {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}}


def saved(*changes: Json, **members: Any) -> Json:
    """A plan as it comes back from a file."""
    made = plan(*(changes or (create(ADA),)), token="t", **members)
    document = jsontext.read_json(made.document_text())
    assert isinstance(document, dict)
    return document


def faults(document: Json) -> list[tuple[str, str]]:
    """Code and path of every problem for which a saved plan is refused."""
    with pytest.raises(Refused) as raised:
        read_saved(document)
    return [(problem.code, problem.path) for problem in raised.value.problems]


WHOLE = {
    "create": saved(),
    "change": saved(change(ADA, {"email": {"S": "new@x"}})),
    "change, with owners": saved(change(ADA, {"email": {"S": "new@x"}}), design=OWNED),
    "delete": saved(delete(ADA)),
    "several": saved(create(ADA), delete({"email": {"S": "b@x"}, "username": None}, "2")),
}


@pytest.mark.parametrize("document", WHOLE.values(), ids=WHOLE)
def test_a_plan_comes_back_as_the_bytes_that_were_planned(document: Json) -> None:
    assert read_saved(document) == jsontext.write_plain(document["request"])
    needed = {name: document[name] for name in ("request", "slots")}
    assert read_saved(needed) == read_saved(document)


def test_the_members_of_a_saved_plan_are_those_of_a_plan() -> None:
    assert tuple(saved()) == PLAN_MEMBERS


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"token": "t"}, ["/token"]),
        ({"x": 1}, ["/x"]),
        ({"design": {}, "changes": []}, ["/design", "/changes"]),
        ({"a/b": 1, "sent_befor": True}, ["/a~1b", "/sent_befor"]),
        ({"\ud800": 1}, ["/\\ud800"]),
    ],
)
def test_a_member_that_no_plan_has_is_refused_at_its_place(more: Json, expected: list[str]) -> None:
    assert faults(saved() | more) == [("member-unknown", path) for path in expected]


def test_unknown_members_are_told_beside_what_is_wrong_with_the_request() -> None:
    document = saved() | {"token": "t"}
    document["request"]["TransactItems"][1]["Put"]["TableName"] = "a b"
    assert faults(document) == [
        ("member-unknown", "/token"),
        ("table-name", "/request/TransactItems/1/Put/TableName"),
    ]


def _set(name: str, value: object) -> Callable[[Json], None]:
    return lambda document: document["slots"][1].__setitem__(name, value)


def _without(name: str) -> Callable[[Json], None]:
    return lambda document: document["slots"][1].__delitem__(name)


WRONG: dict[str, tuple[Callable[[Json], None], list[tuple[str, str]]]] = {
    "none": (lambda d: d["slots"].clear(), [("slots-count", "/slots")]),
    "one less": (lambda d: d["slots"].pop(), [("slots-count", "/slots")]),
    "five thousand more": (
        lambda d: d["slots"].extend([{"table": "secrets", "key": KEY}] * 5_000),
        [("slots-count", "/slots")],
    ),
    "no object": (lambda d: d["slots"].__setitem__(0, 3), [("member-type", "/slots/0")]),
    "another table": (_set("table", "secrets"), [("slot-differs", "/slots/1/table")]),
    "a table that is no text": (_set("table", ["accounts"]), [("slot-differs", "/slots/1/table")]),
    "no table": (_without("table"), [("slot-differs", "/slots/1/table")]),
    "another item": (_set("key", KEY), [("slot-differs", "/slots/1/key")]),
    "half a pair in the key": (
        _set("key", {"PK": {"S": "\ud800"}, "SK": {"S": "LOCK"}}),
        [("slot-differs", "/slots/1/key")],
    ),
    "no key": (_without("key"), [("slot-differs", "/slots/1/key")]),
    "an empty key": (_set("key", {}), [("slot-differs", "/slots/1/key")]),
    "a key that is none": (_set("key", [1]), [("slot-differs", "/slots/1/key")]),
    "half a key": (
        _set("key", {"SK": {"S": "LOCK"}}),
        [("keys-differ", "/slots/1/key")],
    ),
    "another position": (_set("slot", 0), [("slot-differs", "/slots/1/slot")]),
    "another action": (_set("action", "Delete"), [("slot-differs", "/slots/1/action")]),
    "turned round": (
        lambda d: d["slots"].reverse(),
        [
            ("slot-differs", "/slots/0/slot"),
            ("slot-differs", "/slots/0/key"),
            ("slot-differs", "/slots/2/slot"),
            ("slot-differs", "/slots/2/key"),
        ],
    ),
}


@pytest.mark.parametrize(("edit", "expected"), WRONG.values(), ids=WRONG)
def test_a_slot_is_about_the_action_at_its_position(
    edit: Callable[[Json], None], expected: list[tuple[str, str]]
) -> None:
    document = copy.deepcopy(WHOLE["create"])
    edit(document)
    assert faults(document) == expected


@pytest.mark.parametrize("name", ["change", "delete"])
def test_the_key_of_a_slot_is_the_key_of_its_action(name: str) -> None:
    document = copy.deepcopy(WHOLE[name])
    document["slots"][0]["key"] = {"PK": KEY["PK"]}
    assert ("slot-differs", "/slots/0/key") in faults(document)


def test_a_table_named_by_its_arn_is_the_same_table_in_the_slots() -> None:
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts"
    document = copy.deepcopy(WHOLE["create"])
    for slot, item in zip(document["slots"], document["request"]["TransactItems"], strict=True):
        slot["table"] = item["Put"]["TableName"] = arn
    assert read_saved(document) == jsontext.write_plain(document["request"])
    document["slots"][0]["table"] = "accounts"
    assert faults(document) == [("slot-differs", "/slots/0/table")]
