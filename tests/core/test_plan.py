"""Plans: guards, slots, budget, and the limits of one transaction."""

from __future__ import annotations

from typing import Any

import pytest

from tests.samples import (
    ADA,
    DESIGN,
    EMAIL,
    LOCK,
    OWNED,
    Json,
    actions,
    change,
    create,
    delete,
    plan,
    purposes,
    refused,
    unique,
)
from webapp.core.problems import Refused
from webapp.core.values import Where, read_typed

RETURN = "ReturnValuesOnConditionCheckFailure"


def conditions(*changes: Json, design: Json = DESIGN, **members: Any) -> list[str | None]:
    made = plan(*changes, design=design, **members)
    return [action.get("ConditionExpression") for action in actions(made)]


EXISTS, FREE, OURS = (
    "attribute_exists(PK)",
    "attribute_not_exists(PK)",
    "attribute_not_exists(PK) OR #owner = :owner",
)
KNOWN = "attribute_exists(PK) AND email = :email_before AND username = :username_before"

GUARDS: list[tuple[str, Json, Json, list[str | None]]] = [
    ("create", create(ADA), DESIGN, [FREE, FREE, FREE]),
    ("B28-delete", delete(ADA), DESIGN, [KNOWN, None, None]),
    ("delete-owned", delete(ADA), OWNED, [KNOWN, OURS, OURS]),
    ("B23-plain-attributes", change({}, {"displayName": {"S": "x"}}), DESIGN, [EXISTS]),
    (
        "before-values-of-untouched-attributes-are-no-guard",
        change(ADA, {"displayName": {"S": "x"}}),
        DESIGN,
        [EXISTS],
    ),
    (
        "B21-resent",
        change(ADA, {"email": ADA["email"]}),
        DESIGN,
        ["attribute_exists(PK) AND email = :email_before"],
    ),
    (
        "absent-before",
        change({"email": None}, {"email": {"S": "a"}}),
        DESIGN,
        ["attribute_exists(PK) AND attribute_not_exists(email)", FREE],
    ),
    (
        "removed",
        change({"email": {"S": "a"}}, {"email": None}),
        OWNED,
        ["attribute_exists(PK) AND email = :email_before", OURS],
    ),
]


@pytest.mark.parametrize(
    ("changed", "design", "expected"), [row[1:] for row in GUARDS], ids=[row[0] for row in GUARDS]
)
def test_every_action_stands_under_its_guard(
    changed: Json, design: Json, expected: list[str | None]
) -> None:
    assert conditions(changed, design=design) == expected


def test_what_a_failed_guard_means_is_told_for_each_slot() -> None:
    made = plan(
        change({"username": {"S": "ada"}, "email": {"S": "a"}}, {"username": {"S": "g"}}, "1"),
        change({"username": {"S": "g"}}, {"username": {"S": "h"}}, "2"),
        create({"email": {"S": "b"}}, "3"),
        delete({"email": {"S": "x"}, "username": None}, "4"),
        design=OWNED,
    )
    assert [
        (slot["purpose"], slot["action"], slot["if_condition_fails"]["code"])
        for slot in made.as_document()["slots"]
    ] == [
        ("record", "Update", "missing-or-changed"),
        ("record", "Update", "missing-or-changed"),
        ("record", "Put", "exists"),
        ("record", "Delete", "missing-or-changed"),
        ("transfer", "Update", "held-by-another"),
        ("release", "Delete", "held-by-another"),
        ("claim", "Put", "taken"),
        ("claim", "Put", "taken"),
        ("release", "Delete", "held-by-another"),
    ]


def test_B81_the_blocking_item_is_asked_for_by_choice_only() -> None:
    asked = actions(plan(change(ADA, {"email": {"S": "b"}}), return_existing=True))
    assert [(RETURN in action) for action in asked] == [True, True, False]
    assert {action[RETURN] for action in asked if RETURN in action} == {"ALL_OLD"}
    assert not any(RETURN in action for action in actions(plan(create(ADA))))


def test_a_token_is_part_of_the_request_only_when_given() -> None:
    assert plan(create(ADA), token="t" * 36).request["ClientRequestToken"] == "t" * 36
    assert "ClientRequestToken" not in plan(create(ADA)).request
    assert "ClientRequestToken" not in plan(create(ADA), token=None).request


def test_the_request_of_a_plan_is_fresh_at_each_call() -> None:
    made = plan(create(ADA))
    made.request["TransactItems"].clear()
    assert len(made.request["TransactItems"]) == 3


def item_size(item: Json) -> int:
    """Bytes of an item by the rules of AWS, from the typed JSON alone."""
    sizes = (read_typed(value, Where(None, name), []) for name, value in item.items())  # type: ignore[arg-type]
    names = sum(len(name.encode()) for name in item)
    return names + sum(value.size for value in sizes if value is not None)


EVERY: Json = {
    "displayName": {"S": "Ada é"},
    "age": {"N": "36.50"},
    "tags": {"SS": ["a", "bc"]},
    "address": {"M": {"city": {"S": "London"}, "list": {"L": [{"NULL": True}]}}},
}


@pytest.mark.parametrize("design", [DESIGN, OWNED], ids=["without-owner", "owned"])
def test_the_budget_of_a_create_is_exact(design: Json) -> None:
    made = plan(create({**ADA, **EVERY}), create({}, "2"), design=design)
    sizes = [item_size(action["Item"]) for action in actions(made)]
    assert made.budget.as_document() == {
        "actions": 4,
        "bytes": sum(sizes),
        "largest_item_bytes": max(sizes),
        "write_units": 8,
        "lower_bound": False,
        "limits": {"actions": 100, "bytes": 4_194_304, "item_bytes": 409_600},
    }


UNITS = [(1024, 2), (1025, 4), (2048, 4), (2049, 6), (409_600, 800)]


@pytest.mark.parametrize(("size", "units"), UNITS)
def test_a_started_kilobyte_costs_two_units(size: int, units: int) -> None:
    empty = plan(create({"x": {"S": ""}})).budget.bytes
    budget = plan(create({"x": {"S": "x" * (size - empty)}})).budget
    assert (budget.bytes, budget.write_units) == (size, units)


def test_where_the_stored_size_is_not_known_the_budget_is_a_lower_bound() -> None:
    assert plan(create(ADA)).budget.lower_bound is False
    assert plan(change({}, {"x": None})).budget.lower_bound is True
    assert plan(delete(ADA)).budget.lower_bound is True


def test_a_change_counts_what_is_known_to_stay() -> None:
    alone = plan(change({}, {"x": {"S": "12345"}})).budget.bytes
    beside = plan(change({"y": {"S": "12345"}, "x": {"S": "1"}}, {"x": {"S": "12345"}})).budget
    assert beside.bytes == alone + 6


def many(count: int) -> Json:
    return unique(*({"namespace": f"N{n}", "attributes": [f"a{n}"]} for n in range(count)))


def test_B19_a_hundred_actions_are_taken_and_one_more_is_refused_with_the_arithmetic() -> None:
    values = {f"a{number}": {"S": "v"} for number in range(100)}
    made = plan(create({name: values[name] for name in list(values)[:99]}), design=many(100))
    assert made.budget.actions == 100
    with pytest.raises(Refused) as raised:
        plan(create(values), design=many(100))
    (problem,) = raised.value.problems
    assert (problem.code, problem.path, problem.message) == (
        "too-many-actions",
        "/changes",
        "The transaction has 101 actions (1 for records + 100 for locks); DynamoDB allows 100.",
    )
    assert refused() == [("member-empty", "/changes")]


def test_B49_more_than_ten_values_have_whole_placeholders() -> None:
    before = {f"a{number}": {"S": f"old {number}"} for number in range(12)}
    after = {f"a{number}": {"S": f"new {number}"} for number in range(12)}
    update = actions(plan(change(before, after), design=many(12)))[0]
    assignments = update["UpdateExpression"].removeprefix("SET ").split(", ")
    guards = update["ConditionExpression"].split(" AND ")[1:]
    values = update["ExpressionAttributeValues"]
    for pairs, expected in ((assignments, after), (guards, before)):
        assert {
            name: values[token] for name, token in (pair.split(" = ") for pair in pairs)
        } == expected


def test_long_names_get_short_placeholders_before_an_expression_is_refused() -> None:
    names = [f"{'attribute' * 8}{number}" for number in range(60)]
    update = actions(plan(change({}, {name: {"S": ""} for name in names})))[0]
    assert update["UpdateExpression"].startswith("SET #n1 = :v1, #n2 = :v2, ")
    assert list(update["ExpressionAttributeNames"].values()) == [*names, "PK"]
    assert len(update["UpdateExpression"]) <= 4096


def test_a_very_long_owner_attribute_is_aliased() -> None:
    owner = "o" * 5_000
    release = actions(plan(delete(ADA), design={**DESIGN, "lock": {**LOCK, "owner": owner}}))[1]
    assert len(release["ConditionExpression"]) < 200
    assert owner in release["ExpressionAttributeNames"].values()


def test_two_spellings_of_one_binary_or_numeric_key_are_one_record() -> None:
    binary = {
        **DESIGN,
        "partition_key": {"name": "PK", "type": "B"},
        "record": {"partition": "{id}", "sort": "P"},
    }
    twice = [create({}, key={"id": {"B": data}}) for data in ("AQ==", "AR==")]
    assert refused(*twice, design=binary) == [("record-twice", "/changes/1/key")]
    numeric = {
        **DESIGN,
        "sort_key": {"name": "SK", "type": "N"},
        "record": {"partition": "A#{id}", "sort": "{v}"},
        "lock": {**LOCK, "sort": "0"},
    }
    twice = [create({}, key={"id": "1", "v": number}) for number in ("5", "5.0")]
    assert refused(*twice, design=numeric) == [("record-twice", "/changes/1/key")]


def test_records_and_locks_of_different_tables_may_have_one_key() -> None:
    own = {"name": "locks", "partition_key": {"name": "PK", "type": "S"}}
    design = {
        **unique(EMAIL, sort_key=None, record={"partition": "{id}"}),
        "lock": {"partition": "{namespace}#{value}", "table": own},
    }
    made = plan(create({"email": {"S": "a"}}, "EMAIL#a"), design=design)
    assert [(slot.table, slot.key) for slot in made.slots] == [
        ("accounts", {"PK": {"S": "EMAIL#a"}}),
        ("locks", {"PK": {"S": "EMAIL#a"}}),
    ]


def test_locks_that_need_no_action_are_told_beside_the_slots() -> None:
    made = plan(
        change(ADA, {"username": {"S": "grace"}, "email": ADA["email"]}, "1"),
        change({"username": {"S": "grace"}}, {"username": {"S": "ada"}}, "2"),
    )
    assert purposes(made) == [
        ("record", None, ("email", "username")),
        ("record", None, ("username",)),
    ]
    assert [(lock.purpose, lock.change, lock.constraint, lock.fields) for lock in made.resting] == [
        ("kept", 0, "EMAIL", ("email",)),
        ("handed-over", 0, "HANDLE", ("username",)),
        ("handed-over", 1, "HANDLE", ("username",)),
    ]


def test_a_changed_condition_of_a_shared_namespace_keeps_the_lock_of_the_other_rule() -> None:
    rules = [
        {**EMAIL, "only_when": {"status": ["active"]}},
        {"namespace": "EMAIL", "attributes": ["backup"]},
    ]
    before = {"email": {"S": "a"}, "backup": {"S": "a"}, "status": {"S": "active"}}
    made = plan(change(before, {"status": {"S": "gone"}}), design=unique(*rules))
    assert purposes(made) == [("record", None, ("email", "status", "backup"))]
    assert [(lock.purpose, lock.fields) for lock in made.resting] == [("kept", ("backup",))]


def test_plain_and_typed_values_give_one_plan() -> None:
    typed = plan(create({"email": {"S": "a"}, "age": {"N": "36"}, "x": {"NULL": True}}))
    plain = plan(create({"email": "a", "age": 36, "x": None}), values="plain")
    assert plain.text == typed.text


def test_the_pretty_text_of_a_plan_is_its_request() -> None:
    made = plan(create(ADA))
    assert made.pretty().startswith('{\n  "TransactItems": [\n    {\n      "Put": {\n')


TOO_LONG = {"S": "x" * 3000}


def test_a_value_that_never_had_a_lock_can_be_changed_and_deleted() -> None:
    shortened = change({"email": TOO_LONG}, {"email": {"S": "ada@lovelace.io"}})
    assert [slot.purpose for slot in plan(shortened).slots] == ["record", "claim"]
    deleted = plan(delete({**ADA, "email": TOO_LONG}))
    assert [(slot.purpose, slot.fields) for slot in deleted.slots[1:]] == [
        ("release", ("username",))
    ]


def test_a_value_that_cannot_have_a_lock_is_not_written_again() -> None:
    resent = change({"email": TOO_LONG}, {"email": TOO_LONG})
    assert refused(resent) == [("key-too-long", "/changes/0/after/email")]


def test_a_value_that_cannot_have_a_lock_is_not_brought_back() -> None:
    design = DESIGN | {"unique": [EMAIL | {"only_when": {"status": ["active"]}}]}
    before = {"email": TOO_LONG, "status": {"S": "deleted"}}
    undeleted = change(before, {"status": {"S": "active"}})
    assert refused(undeleted, design=design) == [("key-too-long", "/changes/0/before/email")]


def test_a_value_too_long_for_a_lock_was_held_by_nobody() -> None:
    stored = {"email": {"S": "x" * 2048}}
    made = plan(delete(stored), delete(stored, "2"), design=unique(EMAIL))
    assert [purpose for purpose, _, _ in purposes(made)] == ["record", "record"]


def test_the_locks_that_two_records_cannot_both_have_held_are_those_that_can_exist() -> None:
    stored = {"email": {"SS": ["x" * 2048, "ada"]}}
    found = refused(delete(stored), delete(stored, "2"), design=unique(EMAIL))
    assert found == [("held-twice", "/changes/1/before/email")]
