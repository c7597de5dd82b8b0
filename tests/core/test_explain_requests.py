"""Explaining with a request alone: what each action is for, worked out from the actions."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.documents import plan, read_design
from webapp.core.failures.explain import explain
from webapp.core.failures.purposes import slots_of_request
from webapp.core.failures.savedslots import PlannedSlot, planned_slots

Document = dict[str, Any]


def design(**lock: object) -> Document:
    return {
        "version": 1,
        "table": "accounts",
        "partition_key": {"name": "PK", "type": "S"},
        "sort_key": {"name": "SK", "type": "S"},
        "record": {"partition": "ACCT#{id}", "sort": "PROFILE"},
        "lock": {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK", "owner": None, **lock},
        "unique": [
            {"namespace": "EMAIL", "attributes": ["email"], "normalize": ["trim", "casefold"]},
            {"namespace": "HANDLE", "attributes": ["username"]},
        ],
    }


OWNED = design(owner="owner")
SEVERAL = {
    **design(),
    "unique": [
        {"namespace": "MAIL", "attributes": ["email"]},
        {"namespace": "MAIL", "attributes": ["second_email"]},
        {"namespace": "TENANT", "attributes": ["tenant", "username"]},
        {"namespace": "TAG", "attributes": ["tags"]},
    ],
}
PARTITION_ONLY = {
    **design(partition="UNIQ#{namespace}#{value}", sort=None),
    "sort_key": None,
    "record": {"partition": "ACCT#{id}"},
}


def s(text: str) -> Document:
    return {"S": text}


ADA = {"email": s("Ada@Lovelace.io"), "username": s("ada"), "age": {"N": "36"}}
CREATE: list[Document] = [{"operation": "create", "key": {"id": "u1"}, "item": ADA}]
CHANGE: list[Document] = [
    {
        "operation": "change",
        "key": {"id": "u1"},
        "before": {"email": s("ada@old.io"), "username": None},
        "after": {"email": s("ada@new.io"), "username": s("ada")},
    }
]
PLAIN: list[Document] = [
    {"operation": "change", "key": {"id": "u1"}, "before": {}, "after": {"age": {"N": "37"}}}
]
DELETE: list[Document] = [
    {"operation": "delete", "key": {"id": "u1"}, "before": {"email": s("a@x.io"), "username": None}}
]
SWAP: list[Document] = [
    {
        "operation": "change",
        "key": {"id": one},
        "before": {"username": s(mine)},
        "after": {"username": s(theirs)},
    }
    for one, mine, theirs in (("u1", "ada", "grace"), ("u2", "grace", "ada"))
]
MANY: list[Document] = [
    {
        "operation": "create",
        "key": {"id": "u1"},
        "item": {
            "email": s("a@x.io"),
            "second_email": s("b@x.io"),
            "tenant": s("t1"),
            "username": s("ada"),
            "tags": {"SS": ["x", "y"]},
        },
    }
]
PLANS = [
    ("create", design(), CREATE),
    ("create, owned", OWNED, CREATE),
    ("create, partition key only", PARTITION_ONLY, CREATE),
    ("create, several kinds of constraint", SEVERAL, MANY),
    ("change", design(), CHANGE),
    ("change, owned", OWNED, CHANGE),
    ("change of a plain attribute", design(), PLAIN),
    ("delete", design(), DELETE),
    ("delete, owned", OWNED, DELETE),
    ("swap, handed over", design(), SWAP),
    ("swap, transferred", OWNED, SWAP),
]
WITHOUT_DESIGN = [row for row in PLANS if row[1] is not SEVERAL]


def planned(
    document: Document, changes: list[Document]
) -> tuple[Document, tuple[PlannedSlot, ...]]:
    made = plan({"design": document, "changes": changes})
    return made.request, planned_slots(made.slots)


@pytest.mark.parametrize(
    ("document", "changes"), [row[1:] for row in PLANS], ids=[row[0] for row in PLANS]
)
def test_with_a_design_the_slots_are_those_of_the_plan(
    document: Document, changes: list[Document]
) -> None:
    request, slots = planned(document, changes)
    assert slots_of_request(request, read_design(document)) == slots


@pytest.mark.parametrize(
    ("document", "changes"),
    [row[1:] for row in WITHOUT_DESIGN],
    ids=[row[0] for row in WITHOUT_DESIGN],
)
def test_without_a_design_a_plan_that_follows_the_pattern_is_read_as_it_was_meant(
    document: Document, changes: list[Document]
) -> None:
    request, slots = planned(document, changes)
    assert slots_of_request(request) == slots


def put(item: Document, condition: str | None = "attribute_not_exists(pk)") -> Document:
    action = {"TableName": "t", "Item": item}
    return {"Put": {**action, "ConditionExpression": condition} if condition else action}


USER = {"pk": s("USER#1"), "name": s("ada"), "email": s("ada@x.io"), "kind": s("LOCK")}
HAND_WRITTEN: list[tuple[str, list[Document], list[tuple[str, tuple[str, ...], str | None]]]] = [
    (
        "locks that store a plain owner",
        [put(USER), put({"pk": s("email|ada@x.io"), "userId": s("1")})],
        [("record", (), "exists"), ("claim", ("email",), "taken")],
    ),
    (
        "the lock first",
        [put({"pk": s("EMAIL#ADA@x.io"), "user": s("1")}), put(USER)],
        [("claim", ("email",), "taken"), ("record", (), "exists")],
    ),
    (
        "two attributes with one value: no field is named",
        [put({"pk": s("U#1"), "a": s("x"), "b": s("x")}), put({"pk": s("LOCK#x")})],
        [("record", (), "exists"), ("claim", (), "taken")],
    ),
    (
        "two attributes with one value, told by the name in the key",
        [put({"pk": s("U#1"), "mail": s("x"), "nick": s("x")}), put({"pk": s("MAIL#x")})],
        [("record", (), "exists"), ("claim", ("mail",), "taken")],
    ),
    (
        "a digest tells no field",
        [put(USER), put({"pk": s("EMAIL#9f86d081884c7d65")})],
        [("record", (), "exists"), ("claim", (), "taken")],
    ),
    (
        "a lock without a guard has no condition that could fail",
        [put(USER), put({"pk": s("EMAIL#ada@x.io")}, None)],
        [("record", (), "exists"), ("claim", ("email",), None)],
    ),
    (
        "other conditions mean no more than themselves",
        [
            {
                "ConditionCheck": {
                    "TableName": "t",
                    "Key": {"pk": s("CFG")},
                    "ConditionExpression": "attribute_exists(pk)",
                }
            },
            {
                "Update": {
                    "TableName": "t",
                    "Key": {"pk": s("STOCK")},
                    "UpdateExpression": "SET n = n - :one",
                    "ConditionExpression": "n >= :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            },
        ],
        [("check", (), "condition-failed"), ("other", (), "condition-failed")],
    ),
    (
        "a version guard names the version",
        [
            {
                "Update": {
                    "TableName": "t",
                    "Key": {"pk": s("U#1")},
                    "UpdateExpression": "SET #v = :new",
                    "ConditionExpression": "#v = :old",
                    "ExpressionAttributeNames": {"#v": "version"},
                    "ExpressionAttributeValues": {":old": {"N": "1"}, ":new": {"N": "2"}},
                }
            }
        ],
        [("record", ("version",), "missing-or-changed")],
    ),
    ("no list of actions", [], []),
]


@pytest.mark.parametrize(
    ("items", "found"), [row[1:] for row in HAND_WRITTEN], ids=[row[0] for row in HAND_WRITTEN]
)
def test_hand_written_requests(items: list[Document], found: list[object]) -> None:
    slots = slots_of_request({"TransactItems": items})
    assert [(slot.purpose, slot.fields, slot.failure) for slot in slots] == found
    assert slots_of_request(items) == slots


def test_b69_an_error_and_a_request_are_enough_to_name_the_field() -> None:
    request, _ = planned(design(), CREATE)
    explanation = explain(slots_of_request(request), "[None, ConditionalCheckFailed, None]")
    assert (explanation.verdict, list(explanation.fields)) == ("taken", ["email"])


def test_slots_go_through_a_document_unchanged() -> None:
    slots = slots_of_request(planned(OWNED, CHANGE)[0])
    assert planned_slots([slot.as_document() for slot in slots]) == slots
    assert planned_slots([replace(slots[0], slot=1)]) == ()


UNREADABLE: list[object] = [
    None,
    "text",
    {},
    {"TransactItems": {}},
    {"TransactItems": [{}]},
    [{"Put": {}, "Delete": {}}],
    [{"put": {}}],
    [1],
]


@pytest.mark.parametrize("request_", UNREADABLE, ids=repr)
def test_what_is_no_list_of_actions_has_no_slots(request_: object) -> None:
    assert slots_of_request(request_) == ()


scraps = st.recursive(
    st.none()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["a", "LOCK#a", "a = :v", ":v"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["S", "N", "M", "SS", "pk", ":v", "#a"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
members = st.sampled_from(
    [
        "TableName",
        "Key",
        "Item",
        "ConditionExpression",
        "UpdateExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
    ]
)
kinds = st.sampled_from(["Put", "Update", "Delete", "ConditionCheck"])
entries = st.dictionaries(kinds, st.dictionaries(members, scraps), min_size=1, max_size=1)


@given(st.lists(entries, max_size=4))
def test_working_out_never_raises(items: list[Document]) -> None:
    assert len(slots_of_request(items)) == len(items)
    assert len(slots_of_request(items, read_design(OWNED))) == len(items)
