"""Keys: of records from their parts, of locks from namespace and value, read back exactly."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import DESIGN, LOCK, Json, create, plan, purposes, refused, unique
from webapp.core import documents
from webapp.core.planning import keys
from webapp.core.planning.keys import Key, KeyAttribute, KeyFault, Template
from webapp.core.planning.lockkeys import LockKeys
from webapp.core.planning.locks import join_parts, split_parts
from webapp.core.problems import Problems, Refused
from webapp.core.values import ROOT


def template(text: str) -> Template:
    problems = Problems()
    found = keys.read_template(text, ROOT, problems)
    assert found is not None, problems
    return found


TEMPLATES = ["LOCK", "{id}", "ACCT#{id}", "{a}#{b}", "{a}{b}", "x{a}y{a}z", "é{naïve name}"]


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_template_is_read_and_written_back(text: str) -> None:
    assert template(text).text == text


def test_a_filled_placeholder_becomes_literal_text() -> None:
    filled = template("{namespace}#{value}#{namespace}").with_filled("namespace", "{value}")
    assert filled == Template(("{value}#", "#{value}"), ("value",))


RECORD_KEYS: list[tuple[str, Json, Any, Json]] = [
    ("text", {}, {"id": "7"}, {"PK": {"S": "ACCT#7"}, "SK": {"S": "PROFILE"}}),
    ("typed-text", {}, {"id": {"S": "7"}}, {"PK": {"S": "ACCT#7"}, "SK": {"S": "PROFILE"}}),
    ("number", {}, {"id": {"N": "007.0"}}, {"PK": {"S": "ACCT#7"}, "SK": {"S": "PROFILE"}}),
    ("plain-number", {}, {"id": 7}, {"PK": {"S": "ACCT#7"}, "SK": {"S": "PROFILE"}}),
    (
        "two-parts-in-two-keys",
        {"record": {"partition": "T#{tenant}", "sort": "U#{id}#{tenant}"}},
        {"tenant": "t", "id": "7"},
        {"PK": {"S": "T#t"}, "SK": {"S": "U#7#t"}},
    ),
    (
        "constant",
        {"record": {"partition": "SETTINGS", "sort": "{id}"}},
        {"id": "7"},
        {"PK": {"S": "SETTINGS"}, "SK": {"S": "7"}},
    ),
    (
        "binary",
        {
            "partition_key": {"name": "PK", "type": "B"},
            "record": {"partition": "{id}", "sort": "PROFILE"},
        },
        {"id": {"B": "AR=="}},
        {"PK": {"B": "AQ=="}, "SK": {"S": "PROFILE"}},
    ),
    (
        "number-keys",
        {
            "partition_key": {"name": "PK", "type": "N"},
            "sort_key": {"name": "SK", "type": "N"},
            "record": {"partition": "{id}", "sort": "1e2"},
            "lock": {
                "partition": "{namespace}#{value}",
                "table": {"name": "locks", "partition_key": {"name": "PK", "type": "S"}},
            },
        },
        {"id": "1e1"},
        {"PK": {"N": "10"}, "SK": {"N": "100"}},
    ),
]


@pytest.mark.parametrize(
    ("members", "parts", "key"), [row[1:] for row in RECORD_KEYS], ids=[r[0] for r in RECORD_KEYS]
)
def test_a_record_key_is_made_of_its_parts(members: Json, parts: Json, key: Json) -> None:
    made = plan(create({}, key=parts), design={**DESIGN, **members})
    assert made.slots[0].key == key


def test_B33_a_missing_part_is_never_a_word_in_a_key() -> None:
    assert refused(create({}, key={})) == [("key-part-missing", "/changes/0/key/id")]
    assert refused(create({}, key={"id": None})) == [("key-part-type", "/changes/0/key/id")]
    assert refused(create({}, key={"id": ""})) == [("key-part-empty", "/changes/0/key/id")]


LIMITS = [("partition", 2048), ("sort", 1024)]


@pytest.mark.parametrize(("role", "limit"), LIMITS)
def test_a_key_is_as_long_as_its_utf8_bytes_allow(role: str, limit: int) -> None:
    design = {**DESIGN, "record": {"partition": "A", "sort": "P"} | {role: "#{id}"}}
    fits = "é" * ((limit - 1) // 2) + "x" * ((limit - 1) % 2)
    assert plan(create({}, fits), design=design).slots[0].purpose == "record"
    assert refused(create({}, fits + "x"), design=design) == [("key-too-long", "/changes/0/key/id")]


@pytest.mark.parametrize(("role", "limit"), LIMITS)
def test_a_lock_key_is_as_long_as_its_utf8_bytes_allow(role: str, limit: int) -> None:
    lock = {**LOCK, "partition": "U", "sort": "L"} | {role: "{namespace}#{value}"}
    design = unique({"namespace": "E", "attributes": ["email"]}, lock=lock)
    fits = "x" * (limit - 2)
    assert purposes(plan(create({"email": {"S": fits}}), design=design))[1][0] == "claim"
    assert refused(create({"email": {"S": fits + "x"}}), design=design) == [
        ("key-too-long", "/changes/0/item/email")
    ]


def test_B33_escapes_count_and_the_arithmetic_is_told() -> None:
    rule = {"namespace": "M", "attributes": ["tenant", "handle"]}
    item = {"tenant": {"S": "#" * 700}, "handle": {"S": "x"}}
    with pytest.raises(Refused) as raised:
        plan(create(item), design=unique(rule))
    (problem,) = raised.value.problems
    assert problem.message == "The partition key has 2,109 bytes; DynamoDB allows 2,048."
    assert "digest" in problem.hint


# --- lock keys: injective and decodable -----------------------------------------------------------

LAYOUTS: list[Json] = [
    {},
    {"lock": {**LOCK, "partition": "{namespace}#{value}"}},
    {"lock": {**LOCK, "partition": "{value}#{namespace}"}},
    {"lock": {**LOCK, "partition": "L%{namespace}##{value}#x"}},
    {"lock": {**LOCK, "partition": "UNIQ#{namespace}", "sort": "{value}"}},
    {"lock": {**LOCK, "partition": "{value}", "sort": "LOCK#{namespace}"}},
    {"lock": {**LOCK, "partition": "UNIQ", "sort": "{namespace}={value}"}},
    {"sort_key": {"name": "SK", "type": "N"}, "lock": {**LOCK, "sort": "0"}},
    {"partition_key": {"name": "PK", "type": "B"}},
]
NAMESPACES = ["E", "EMAIL", "MAIL", "é", "{value}"]
SHORT = st.text(st.sampled_from("a#%2351=E é\U0001f600"), min_size=1, max_size=6)


def lock_keys(members: Json) -> dict[str, LockKeys]:
    record = {"partition": "ACCT~{id}", "sort": "1"}
    rules = [{"namespace": name, "attributes": [f"a{i}"]} for i, name in enumerate(NAMESPACES)]
    design = documents.read_design(unique(*rules, record=record, **members))
    return {name: LockKeys(design.lock, name) for name in NAMESPACES}


@pytest.mark.parametrize("members", LAYOUTS, ids=[repr(each) for each in LAYOUTS])
@given(data=st.data())
def test_lock_keys_are_injective_and_decodable(members: Json, data: st.DataObject) -> None:
    made = lock_keys(members)
    pairs = st.tuples(st.sampled_from(NAMESPACES), SHORT)
    drawn = data.draw(st.lists(pairs, min_size=2, max_size=6, unique=True))
    found = [made[namespace].key(text) for namespace, text in drawn]
    wires = [key.wire for key in found if isinstance(key, Key)]
    assert len(wires) == len(drawn)
    assert len({repr(wire) for wire in wires}) == len(drawn)
    for (namespace, text), wire in zip(drawn, wires, strict=True):
        assert made[namespace].text_of(wire) == text
        assert all(other.text_of(wire) is None for name, other in made.items() if name != namespace)


PARTS = st.lists(SHORT, min_size=2, max_size=4)


@given(PARTS, PARTS)
def test_combined_parts_are_joined_so_that_they_come_apart(
    one: list[str], other: list[str]
) -> None:
    assert split_parts(join_parts(one), len(one)) == tuple(one)
    assert (join_parts(one) == join_parts(other)) == (one == other)


FOREIGN: list[tuple[str, Json]] = [
    ("record", {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}}),
    ("other-sort", {"PK": {"S": "UNIQ#E#a"}, "SK": {"S": "LOCK2"}}),
    ("no-sort", {"PK": {"S": "UNIQ#E#a"}}),
    ("more", {"PK": {"S": "UNIQ#E#a"}, "SK": {"S": "LOCK"}, "x": {"S": ""}}),
    ("empty-value", {"PK": {"S": "UNIQ#E#"}, "SK": {"S": "LOCK"}}),
    ("prefix-only", {"PK": {"S": "UNIQ#"}, "SK": {"S": "LOCK"}}),
    ("other-type", {"PK": {"B": "VU5JUSNFI2E="}, "SK": {"S": "LOCK"}}),
    ("untyped", {"PK": "UNIQ#E#a", "SK": {"S": "LOCK"}}),
]


@pytest.mark.parametrize("key", [row[1] for row in FOREIGN], ids=[row[0] for row in FOREIGN])
def test_a_key_that_is_no_lock_of_the_namespace_has_no_text(key: Json) -> None:
    assert lock_keys({})["E"].text_of(key) is None


def test_binary_keys_that_hold_no_utf8_are_no_locks() -> None:
    made = lock_keys({"partition_key": {"name": "PK", "type": "B"}})
    for data in ("/w==", "?", "VU5JUSNF/w=="):
        assert made["E"].text_of({"PK": {"B": data}, "SK": {"S": "LOCK"}}) is None


FOREIGN_TEXTS = [("a", 2), ("a#", 2), ("#a", 2), ("a#b#c", 2), ("a%b#c", 2), ("a%24#b", 2)]


@pytest.mark.parametrize(("text", "count"), FOREIGN_TEXTS)
def test_a_text_that_was_not_joined_here_does_not_come_apart(text: str, count: int) -> None:
    assert split_parts(text, count) is None


def test_the_longest_value_of_a_namespace_is_a_key_and_one_more_is_a_fault() -> None:
    made = lock_keys({})["EMAIL"]
    assert isinstance(made.key("x" * (2048 - len("UNIQ#EMAIL#"))), Key)
    assert made.key("x" * (2049 - len("UNIQ#EMAIL#"))) == KeyFault("partition", 2049, 2048)


MEETINGS = [
    ("LOCK", "LOCK", False, True),
    ("LOCK", "PROFILE", False, False),
    ("0", "00.0", True, True),
    ("0", "1", True, False),
    ("{id}", "1", True, True),
    ("{id}", "LOCK", False, True),
    ("ACCT#{id}", "UNIQ#E#{value}", False, False),
    ("{id}", "UNIQ#E#{value}", False, True),
    ("UN{id}", "UNIQ#E#{value}", False, True),
    ("{id}#A", "UNIQ#{value}#B", False, False),
    ("{id}A", "UNIQ#{value}#A", False, True),
    ("LOCK{id}", "LOCK", False, False),
    ("L{a}K{b}", "LOCKS", False, True),
    ("L{a}X{b}", "LOCKS", False, False),
    ("{a}{b}", "L", False, False),
]


@pytest.mark.parametrize(("one", "other", "numeric", "meet"), MEETINGS)
def test_templates_meet_when_one_key_fits_both(
    one: str, other: str, numeric: bool, meet: bool
) -> None:
    assert keys.may_meet(template(one), template(other), numeric) is meet
    assert keys.may_meet(template(other), template(one), numeric) is meet


@given(st.lists(st.sampled_from("a#{b}{c}x"), max_size=8).map("".join), SHORT, SHORT)
def test_a_key_that_a_template_made_is_never_thought_impossible(
    text: str, first: str, second: str
) -> None:
    problems = Problems()
    made = keys.read_template(text, ROOT, problems)
    if made is not None and len(set(made.names)) == len(made.names):
        filled = made.with_filled("b", first).with_filled("c", second)
        assert keys.may_meet(made, filled, numeric=False)


def test_a_key_attribute_knows_its_limit() -> None:
    assert [KeyAttribute("k", "S", role).limit for role in ("partition", "sort")] == [2048, 1024]
