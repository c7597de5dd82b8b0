"""Field reports about create, change, delete and typed values: each kind made impossible.

The plans themselves; what an engine makes of them stands among the engine tests.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import models
from tests.models import EMAIL, PHONE, Json, change, create, delete, texts, users
from webapp.core import documents
from webapp.core.planning.plan import Plan
from webapp.core.problems import Refused

ANN = {"email": "ann@x.test", "username": "ann"}


def plan(design: Json, *changes: Json, **members: Any) -> Plan:
    return documents.plan({"design": design, "changes": list(changes), **members})


def codes(design: Json, *changes: Json, **members: Any) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as raised:
        plan(design, *changes, **members)
    return [(problem.code, problem.path) for problem in raised.value.problems]


def actions(made: Plan) -> list[Json]:
    return [next(iter(action.values())) for action in made.request["TransactItems"]]


def lock_keys(made: Plan) -> list[str]:
    """The partition keys of the locks that a plan touches."""
    return [slot.key["pk"]["S"] for slot in made.slots if slot.purpose != "record"]


def steps(made: Plan) -> list[tuple[str, str]]:
    return [(slot.purpose, next(iter(slot.key.values()))["S"]) for slot in made.slots]


# --- create ---------------------------------------------------------------------------------------


def test_B01_a_lock_has_nothing_of_its_record_in_its_key() -> None:
    first = plan(users(), create("u1", **ANN))
    second = plan(users(), create("u2", **ANN))
    assert [slot.key for slot in first.slots[1:]] == [slot.key for slot in second.slots[1:]]
    assert first.slots[0].key != second.slots[0].key


def test_B02_the_record_is_guarded_on_its_key_and_each_value_by_a_lock_of_its_own() -> None:
    made = plan(users(), create("u1", **ANN))
    assert steps(made) == [
        ("record", "USER#u1"),
        ("claim", "UNIQ#EMAIL#ann@x.test"),
        ("claim", "UNIQ#USERNAME#ann"),
    ]
    assert [action["ConditionExpression"] for action in actions(made)] == [
        "attribute_not_exists(pk)"
    ] * 3


def test_B03_no_lock_is_put_without_a_guard() -> None:
    made = plan(users(), create("u1", **ANN), change("u2", texts(phone="1"), phone="2"))
    for action, slot in zip(actions(made), made.slots, strict=True):
        if slot.action == "Put":
            assert action["ConditionExpression"] == "attribute_not_exists(pk)"


@pytest.mark.parametrize("missing", ["undefined", "null", "None", "nil"])
def test_B04_an_optional_value_that_is_not_there_has_no_lock(missing: str) -> None:
    made = plan(users(), create("u1", **ANN))
    assert not any("PHONE" in key or missing in key for key in lock_keys(made))
    assert "phone" not in actions(made)[0]["Item"]


ONE_LOCK = [
    ("B07-composed-and-decomposed", "j\u00fcrgen@x.test", "ju\u0308rgen@x.test"),
    ("B09-letter-case", "Ann@Example.TEST", "ann@example.test"),
    ("B11-leading-blank-and-tab", "ann@x.test", " ann@x.test\t"),
    ("B11-no-break-space", "ann@x.test", "ann@x.test\u00a0"),
]


@pytest.mark.parametrize(
    ("one", "other"), [row[1:] for row in ONE_LOCK], ids=[row[0] for row in ONE_LOCK]
)
def test_spellings_of_one_value_are_one_lock_and_stay_as_typed(one: str, other: str) -> None:
    made = [plan(users(EMAIL), create("u", email=email)) for email in (one, other)]
    assert lock_keys(made[0]) == lock_keys(made[1])
    assert [actions(each)[0]["Item"]["email"] for each in made] == [{"S": one}, {"S": other}]


def test_B09_the_exact_rule_keeps_spellings_apart() -> None:
    exact = users({"namespace": "EMAIL", "attributes": ["email"]})
    made = [plan(exact, create("u", email=email)) for email in ("Ann@x.test", "ann@x.test")]
    assert lock_keys(made[0]) != lock_keys(made[1])


def test_B12_a_handle_is_unique_inside_its_tenant() -> None:
    keys = [
        lock_keys(plan(models.members(), create("m", tenant=tenant, handle=handle)))[0]
        for tenant, handle in (("t1", "ann"), ("t2", "ann"), ("t1", "ANN"), ("t1#ann", "x"))
    ]
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3


def test_B13_every_item_has_both_keys_of_the_table_by_their_names() -> None:
    design = users(
        partition_key={"name": "ref", "type": "S"}, sort_key={"name": "part", "type": "S"}
    )
    made = plan(design, create("u1", **ANN), delete("u2", email="b", username="b", phone=None))
    text = made.text.decode()
    assert '"pk"' not in text
    for action in actions(made):
        key = action.get("Key") or action["Item"]
        assert {"ref", "part"} <= key.keys()
        names = action.get("ExpressionAttributeNames", {})
        guard = action["ConditionExpression"]
        assert "(ref)" in guard or names.get("#ref") == "ref"


def test_B17_digests_are_keyed_agree_and_hide_the_value() -> None:
    design = users({**EMAIL, "digest": "hmac-sha256"})
    typed, respelled = " Ann@X.test", "ANN@x.test"
    created = plan(design, create("u1", email=typed), secret="swordfish")
    changed = plan(design, change("u1", texts(email=typed), email=respelled), secret="swordfish")
    deleted = plan(design, delete("u1", email=respelled), secret="swordfish")
    (digest,) = lock_keys(created)
    assert [lock.key["pk"]["S"] for lock in changed.resting] == [digest]
    assert lock_keys(changed) == []
    assert lock_keys(deleted) == [digest]
    locks = [action for made in (created, deleted) for action in actions(made)[1:]]
    assert "ann" not in json.dumps(locks).lower()
    for made in (created, changed, deleted):
        assert "swordfish" not in json.dumps(made.as_document())
    assert not created.warnings


def test_B17_a_digest_without_key_is_warned_about() -> None:
    made = plan(users({**EMAIL, "digest": "sha256"}), create("u1", email="a"))
    assert [warning.code for warning in made.warnings] == ["digest-guessable"]


def test_B20_scripts_are_not_merged_and_the_mixture_is_named() -> None:
    latin = plan(users(EMAIL), create("u1", email="marco@x.test"))
    mixed = plan(users(EMAIL), create("u2", email="marc\u043e@x.test"))
    assert lock_keys(latin) != lock_keys(mixed)
    assert [(warning.code, warning.path) for warning in mixed.warnings] == [
        ("mixed-scripts", "/changes/0/item/email")
    ]
    hidden = plan(users(EMAIL), create("u3", email="marco\u200b@x.test"))
    assert "U+200B ZERO WIDTH SPACE" in hidden.warnings[0].message


# --- change ---------------------------------------------------------------------------------------


def test_B21_a_value_that_is_sent_again_unchanged_has_no_lock_action() -> None:
    made = plan(users(), change("u1", texts(**ANN), username="anna", email="ann@x.test"))
    assert steps(made) == [
        ("record", "USER#u1"),
        ("claim", "UNIQ#USERNAME#anna"),
        ("release", "UNIQ#USERNAME#ann"),
    ]


def test_B23_an_ordinary_attribute_needs_nothing_to_be_known() -> None:
    made = plan(users(), change("u1", {}, displayName="Ann"))
    assert steps(made) == [("record", "USER#u1")]


def test_B25_the_record_and_its_locks_change_in_one_transaction() -> None:
    made = plan(users(), change("u1", texts(email="a@x.test"), email="b@x.test"))
    record, claim, release = actions(made)
    assert record["ExpressionAttributeValues"][":email"] == {"S": "b@x.test"}
    assert claim["Item"]["pk"] == {"S": "UNIQ#EMAIL#b@x.test"}
    assert claim["Item"]["owner"] == {"M": {"pk": {"S": "USER#u1"}, "sk": {"S": "PROFILE"}}}
    assert release["Key"]["pk"] == {"S": "UNIQ#EMAIL#a@x.test"}


def test_B26_a_cleared_value_is_removed_and_its_lock_released() -> None:
    made = plan(users(PHONE), change("u1", texts(phone="+15550100"), phone=None))
    record, release = actions(made)
    assert record["UpdateExpression"] == "REMOVE phone"
    assert record["ConditionExpression"] == "attribute_exists(pk) AND phone = :phone_before"
    assert made.slots[1].purpose == "release"
    assert release["ConditionExpression"] == "attribute_not_exists(pk) OR #owner = :owner"


def test_B26_the_empty_string_is_refused_by_name_as_a_way_to_say_nothing() -> None:
    before = texts(phone="+15550100")
    assert codes(users(PHONE), change("u1", before, phone="")) == [
        ("protected-empty", "/changes/0/after/phone")
    ]


def test_B28_the_stale_and_the_unknown_are_guarded_or_refused() -> None:
    made = plan(users(), change("u1", texts(email="a@x.test"), email="c@x.test"))
    record = actions(made)[0]
    assert record["ConditionExpression"] == "attribute_exists(pk) AND email = :email_before"
    assert record["ExpressionAttributeValues"][":email_before"] == {"S": "a@x.test"}
    assert codes(users(), change("u1", {}, email="c@x.test")) == [
        ("before-unknown", "/changes/0/before/email")
    ]


def test_B29_no_change_makes_a_record() -> None:
    for before, after in (({}, {"displayName": "x"}), (texts(phone="1"), {"phone": "2"})):
        record = actions(plan(users(), change("u9", before, **after)))[0]
        assert record["ConditionExpression"].startswith("attribute_exists(pk)")


def test_B31_old_and_new_value_have_two_placeholders() -> None:
    record = actions(plan(users(), change("u1", texts(email="a@x.test"), email="b@x.test")))[0]
    assert record["UpdateExpression"] == "SET email = :email"
    assert record["ExpressionAttributeValues"] == {
        ":email": {"S": "b@x.test"},
        ":email_before": {"S": "a@x.test"},
    }


# --- delete ---------------------------------------------------------------------------------------


def test_B33_a_delete_by_id_alone_is_refused() -> None:
    assert codes(users(), delete("u1")) == [
        ("before-unknown", "/changes/0/before/email"),
        ("before-unknown", "/changes/0/before/username"),
        ("before-unknown", "/changes/0/before/phone"),
    ]


def test_B34_a_record_without_its_optional_value_is_deleted_with_the_locks_it_has() -> None:
    made = plan(users(), delete("u1", **ANN, phone=None))
    assert steps(made) == [
        ("record", "USER#u1"),
        ("release", "UNIQ#EMAIL#ann@x.test"),
        ("release", "UNIQ#USERNAME#ann"),
    ]


def test_B35_a_delete_is_guarded_by_existence_even_where_nothing_is_protected() -> None:
    unprotected = {**users(), "unique": []}
    (record,) = actions(plan(unprotected, delete("u9")))
    assert record["ConditionExpression"] == "attribute_exists(pk)"
    fails = plan(unprotected, delete("u9")).as_document()["slots"][0]["if_condition_fails"]
    assert fails == {"code": "missing-or-changed", "message": "The record does not exist."}


# --- typed values ---------------------------------------------------------------------------------


def typed(design: Json, item: Json, **members: Any) -> Json:
    document = {
        "design": design,
        "changes": [{"operation": "create", "key": {"id": "1"}, "item": item}],
        **members,
    }
    made = documents.plan(documents.read_json(json.dumps(document)))
    stored: Json = actions(made)[0]["Item"]
    return {name: value for name, value in stored.items() if name not in {"pk", "sk"}}


UNPROTECTED: Json = {**users(), "unique": []}


@pytest.mark.parametrize("values", ["typed", "plain"])
def test_B57_a_price_keeps_its_decimal_digits(values: str) -> None:
    text = '{"design": %s, "values": "%s", "changes": [{"operation": "create", "key": {"id": "1"}, '
    text += '"item": {"price": %s}}]}'
    given = {"typed": '{"N": "30.40"}', "plain": "30.40"}[values]
    document = documents.read_json(text % (json.dumps(UNPROTECTED), values, given))
    assert b'"price":{"N":"30.40"}' in documents.plan(document).text


def test_B59_a_bare_number_is_refused_with_the_fix() -> None:
    item = {"badge": {"N": 5}, "ids": {"NS": [1, 2]}}
    with pytest.raises(Refused) as raised:
        typed(UNPROTECTED, item)
    assert [(each.path, each.hint) for each in raised.value.problems] == [
        ("/changes/0/item/badge/N", 'Write {"N": "5"}.'),
        ("/changes/0/item/ids/NS/0", 'Write {"N": "1"}.'),
        ("/changes/0/item/ids/NS/1", 'Write {"N": "2"}.'),
    ]


def test_B62_empty_containers_and_texts_are_kept_and_empty_sets_refused() -> None:
    item = {"l": {"L": []}, "m": {"M": {}}, "s": {"S": ""}, "b": {"B": ""}}
    assert typed(UNPROTECTED, item) == item
    for tag in ("SS", "NS", "BS"):
        with pytest.raises(Refused) as raised:
            typed(UNPROTECTED, {"tags": {tag: []}})
        assert raised.value.problems[0].hint == "Leave the attribute out instead."


def test_B65_null_stays_null_and_is_never_true() -> None:
    assert typed(UNPROTECTED, {"x": {"NULL": True}}) == {"x": {"NULL": True}}
    assert typed(UNPROTECTED, {"x": None}, values="plain") == {"x": {"NULL": True}}


def test_B66_every_untyped_value_is_named_at_its_place() -> None:
    item = {"a": {}, "b": {"S": "a", "N": "1"}, "c": {"s": "a"}, "d": "a"}
    with pytest.raises(Refused) as raised:
        typed(UNPROTECTED, item)
    assert [(each.code, each.path) for each in raised.value.problems] == [
        ("value-tags", "/changes/0/item/a"),
        ("value-tags", "/changes/0/item/b"),
        ("value-tag-unknown", "/changes/0/item/c"),
        ("value-untyped", "/changes/0/item/d"),
    ]


def test_B67_what_is_left_out_appears_nowhere_in_the_request() -> None:
    assert b"phone" not in plan(users(), create("u1", **ANN)).text


TEN_TYPES: Json = {
    "s": {"S": "é\u0000\U0001f600"},
    "n": {"N": "70605040302010908071"},
    "b": {"B": "AAECgA=="},
    "bool": {"BOOL": False},
    "null": {"NULL": True},
    "ss": {"SS": ["b", "a"]},
    "ns": {"NS": ["1e2", "-0.50"]},
    "bs": {"BS": ["AQ==", ""]},
    "l": {"L": [{"B": "/w=="}, {"M": {"x": {"NS": ["99999999999999999999999999999999999999"]}}}]},
    "m": {"M": {"k": {"L": [{"NULL": True}]}}},
}


def test_B68_an_item_of_all_ten_types_goes_through_value_for_value_and_type_for_type() -> None:
    assert typed(UNPROTECTED, TEN_TYPES) == TEN_TYPES
    changed = {
        "operation": "change",
        "key": {"id": "1"},
        "after": {f"new-{name}": value for name, value in TEN_TYPES.items()},
    }
    update = actions(plan(UNPROTECTED, changed))[0]
    assert list(update["ExpressionAttributeValues"].values()) == list(TEN_TYPES.values())


def test_B92_long_whole_numbers_reach_the_request_digit_for_digit() -> None:
    digits = "70605040302010908071"
    assert typed(UNPROTECTED, {"n": {"N": digits}}) == {"n": {"N": digits}}
    assert typed(UNPROTECTED, {"n": int(digits)}, values="plain") == {"n": {"N": digits}}
    (lock,) = lock_keys(plan(models.credentials(), create("1", credId=digits)))
    assert lock == f"UNIQ#CRED#{digits}"


def test_a_numeric_badge_is_one_lock_in_every_spelling() -> None:
    keys = {
        json.dumps(plan(models.assets(), {**create("1"), "item": {"badge": {"N": n}}}).slots[1].key)
        for n in ("100", "100.0", "1e2", "00100")
    }
    assert keys == {'{"pk": {"S": "UNIQ#BADGE#100"}, "sk": {"N": "0"}}'}
