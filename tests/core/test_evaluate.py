"""Trying conditions and updates on an item: DynamoDB's answers, row by row."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given

from tests.core.expression_trees import conditions, items, updates, value_of
from webapp.core.expressions.applying import apply
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.evaluate import holds
from webapp.core.expressions.nodes import Condition, Not, Update
from webapp.core.expressions.parse import parse_condition, parse_update
from webapp.core.expressions.paths import find_clashes
from webapp.core.expressions.places import Findings
from webapp.core.problems import Problem

Item = dict[str, Any]

ITEM: Item = {
    "n": {"N": "1.0"},
    "s": {"S": "abc"},
    "astral": {"S": "a\U0001f600"},
    "b": {"B": "AAE="},
    "high": {"B": "/w=="},
    "flag": {"BOOL": True},
    "nothing": {"NULL": True},
    "blank": {"S": ""},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": ["AA=="]},
    "l": {"L": [{"N": "1"}, {"S": "x"}, {"L": [{"N": "1"}]}, {"SS": ["b", "a"]}]},
    "m": {"M": {"x": {"N": "5"}, "e.mail": {"S": "a"}}},
}
VALUES: dict[str, Item] = {
    ":one": {"N": "1"},
    ":two": {"N": "2"},
    ":three": {"N": "3"},
    ":big": {"N": "99999999999999999999999999999999999999"},
    ":S": {"S": "S"},
    ":a": {"S": "a"},
    ":ab": {"S": "ab"},
    ":bc": {"S": "bc"},
    ":none": {"S": ""},
    ":low": {"B": "AA=="},
    ":flag": {"BOOL": True},
    ":off": {"BOOL": False},
    ":null": {"NULL": True},
    ":ss": {"SS": ["b", "a"]},
    ":ns": {"NS": ["2.50", "1e0"]},
    ":list": {"L": [{"N": "1.0"}]},
    ":map": {"M": {"e.mail": {"S": "a"}, "x": {"N": "5.0"}}},
}


def dictionary() -> Dictionary:
    values = {token: value_of(wire) for token, wire in VALUES.items()}
    return Dictionary({"#mail": "e.mail"}, values)


CONDITIONS = [
    # equality, by value and type
    ("n = :one", True),
    ("n = :a", False),
    ("n <> :a", True),
    ("nothing = :null", True),
    ("flag = :flag AND flag <> :off", True),
    ("blank = :none", True),
    ("ss = :ss", True),
    ("ns = :ns", True),
    ("m = :map", True),
    ("l[2] = :list", True),
    ("m.#mail = :a", True),
    # what is missing
    ("absent = :one", False),
    ("absent <> :one", True),
    ("absent < :one", False),
    ("absent >= :one", False),
    ("absent = gone", False),
    ("absent <> gone", True),
    ("NOT absent = :one", True),
    ("absent BETWEEN :one AND :two", False),
    ("absent IN (:one)", False),
    ("attribute_exists(absent)", False),
    ("attribute_not_exists(absent)", True),
    ("begins_with(absent, :a)", False),
    ("contains(absent, :a)", False),
    ("attribute_type(absent, :S)", False),
    ("size(absent) > :one", False),
    ("size(absent) <> :one", True),
    ("m.x.y = :one", False),
    ("attribute_exists(l[9])", False),
    ("attribute_exists(nothing)", True),
    ("attribute_exists(blank)", True),
    # order
    ("n < :two AND n <= :one AND n >= :one AND NOT n > :one", True),
    ("n < :big", True),
    ("s > :ab AND s < :bc", True),
    ("high > b", True),
    ("s < :two", False),
    ("flag < :one", False),
    ("ss >= ss2", False),
    ("n BETWEEN :one AND :two", True),
    ("n BETWEEN :two AND :three", False),
    ("n BETWEEN s AND :two", False),
    # in
    ("n IN (:a, :two, :one)", True),
    ("l[2] IN (:map, :list)", True),
    ("n IN (:a)", False),
    # functions
    ("begins_with(s, :ab)", True),
    ("begins_with(s, :none)", True),
    ("begins_with(b, :low)", True),
    ("begins_with(n, :a)", False),
    ("begins_with(:ab, l[1])", False),
    ("contains(s, :bc)", True),
    ("contains(b, :low)", True),
    ("contains(ss, :a)", True),
    ("contains(ss, :ab)", False),
    ("contains(ns, :one)", True),
    ("contains(l, :one)", True),
    ("contains(l, :list)", True),
    ("contains(l, :ss)", True),
    ("contains(ss, :ss)", False),
    ("contains(m, :a)", False),
    ("contains(flag, :flag)", False),
    ("attribute_type(s, :S)", True),
    ("attribute_type(n, :S)", False),
    ("attribute_type(:a, :S)", True),
    ("size(s) = :three", True),
    ("size(astral) = :three", True),
    ("size(b) = :two", True),
    ("size(ss) = :two AND size(m) = :two", True),
    ("size(n) = :one OR size(flag) < :two OR size(nothing) >= :one", False),
    ("size(:ab) = :two", True),
    # connectives
    ("n = :two OR n = :one AND s = :a", False),
    ("NOT n = :two AND s = :a", False),
    ("NOT (n = :two AND s = :a)", True),
    ("n = :one OR n = :two AND s = :a", True),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS, ids=[text for text, _ in CONDITIONS])
def test_condition_holds_or_not(text: str, expected: bool) -> None:
    findings = Findings([], [])
    tree = parse_condition(text, "/x", dictionary(), findings)
    assert tree is not None, findings.problems
    assert holds(tree, ITEM) is expected


@given(conditions, items)
def test_not_turns_the_answer(tree: Condition, item: Item) -> None:
    assert holds(Not(tree), item) is not holds(tree, item)


LIST: Item = {"l": {"L": [{"N": str(n)} for n in range(4)]}}


def numbers(*found: str) -> Item:
    return {"L": [{"N": number} for number in found]}


UPDATES: list[tuple[str, Item | None, Any]] = [
    ("SET a = :one", {}, {"a": {"N": "1"}}),
    ("SET a = :one", None, {"a": {"N": "1"}}),
    ("SET a = b, b = a", {"a": {"N": "1"}, "b": {"N": "2"}}, {"a": {"N": "2"}, "b": {"N": "1"}}),
    ("REMOVE a SET b = a", {"a": {"N": "1"}}, {"b": {"N": "1"}}),
    ("SET a = a + :one", {"a": {"N": "1.5"}}, {"a": {"N": "2.5"}}),
    ("SET a = :two - a", {"a": {"N": "1"}}, {"a": {"N": "1"}}),
    ("SET a = if_not_exists(a, :one) + :one", {}, {"a": {"N": "2"}}),
    ("SET a = if_not_exists(b, a)", {"a": {"N": "1"}}, {"a": {"N": "1"}}),
    ("SET a = :big + :one", {}, {"a": {"N": "1" + "0" * 38}}),
    ("SET a = :big - :one", {}, {"a": {"N": "9" * 37 + "8"}}),
    (
        "SET a = list_append(:list, a)",
        {"a": numbers("2")},
        {"a": {"L": [{"N": "1.0"}, {"N": "2"}]}},
    ),
    ("SET l[1] = :a", LIST, {"l": {"L": [{"N": "0"}, {"S": "a"}, {"N": "2"}, {"N": "3"}]}}),
    ("SET l[9] = :one", LIST, {"l": numbers("0", "1", "2", "3", "1")}),
    ("SET l[9] = :one, l[7] = :two", LIST, {"l": numbers("0", "1", "2", "3", "2", "1")}),
    ("REMOVE l[0], l[2]", LIST, {"l": numbers("1", "3")}),
    ("REMOVE l[1] SET l[3] = :one", LIST, {"l": numbers("0", "2", "1")}),
    ("SET l[3] = :one REMOVE l[1]", LIST, {"l": numbers("0", "2", "1")}),
    ("REMOVE l[17]", LIST, LIST),
    ("SET l[8] = :one REMOVE l[4]", LIST, {"l": numbers("0", "1", "2", "3", "1")}),
    ("SET m.y = :one", {"m": {"M": {}}}, {"m": {"M": {"y": {"N": "1"}}}}),
    (
        "SET m.l[0].x = :one",
        {"m": {"M": {"l": {"L": [{"M": {}}]}}}},
        {"m": {"M": {"l": {"L": [{"M": {"x": {"N": "1"}}}]}}}},
    ),
    ("REMOVE m.x", {"m": {"M": {"x": {"N": "1"}}}}, {"m": {"M": {}}}),
    ("REMOVE m.y", {"m": {"M": {}}}, {"m": {"M": {}}}),
    ("REMOVE absent", {}, {}),
    ("REMOVE x.y, z[0]", None, {}),
    ("ADD a :one", {}, {"a": {"N": "1"}}),
    ("ADD a :one", {"a": {"N": "-1"}}, {"a": {"N": "0"}}),
    ("ADD a :ss", {}, {"a": {"SS": ["b", "a"]}}),
    ("ADD a :ss", {"a": {"SS": ["a", "c"]}}, {"a": {"SS": ["a", "c", "b"]}}),
    ("ADD a :ns", {"a": {"NS": ["1"]}}, {"a": {"NS": ["1", "2.50"]}}),
    ("DELETE a :ss", {"a": {"SS": ["a", "c"]}}, {"a": {"SS": ["c"]}}),
    ("DELETE a :ns", {"a": {"NS": ["1", "2.5"]}}, {}),
    ("DELETE absent :ss", {}, {}),
    # refused
    ("SET a = absent", {}, "attribute-absent"),
    ("SET a = :one, b = a", {}, "attribute-absent"),
    ("SET a = absent + :one", {}, "attribute-absent"),
    ("SET a = s + :one", {"s": {"S": "x"}}, "stored-type"),
    ("SET a = if_not_exists(s, :one) + :one", {"s": {"S": "x"}}, "result-type"),
    ("SET a = list_append(:list, s)", {"s": {"S": "x"}}, "stored-type"),
    ("ADD s :one", {"s": {"S": "x"}}, "stored-type"),
    ("DELETE s :ss", {"s": {"NS": ["1"]}}, "stored-type"),
    ("SET a.b = :one", {}, "place-absent"),
    ("SET a.b = :one", {"a": {"S": "x"}}, "place-absent"),
    ("SET a.b = :one", {"a": {"L": []}}, "place-absent"),
    ("SET a[0] = :one", {"a": {"M": {}}}, "place-absent"),
    ("SET a.b.c = :one", {"a": {"M": {}}}, "place-absent"),
    ("SET a[5].b = :one", {"a": {"L": []}}, "place-absent"),
    ("REMOVE a.b", {}, "place-absent"),
    ("SET a = :big + x", {"x": {"N": "0.1"}}, "result-unfit"),
    ("SET a = x + x", {"x": {"N": "9E+125"}}, "result-unfit"),
]


@pytest.mark.parametrize(
    ("text", "item", "expected"),
    UPDATES,
    ids=[f"{text} {index}" for index, (text, _, _) in enumerate(UPDATES)],
)
def test_update_gives_the_item_or_the_reason(text: str, item: Item | None, expected: Any) -> None:
    findings = Findings([], [])
    tree = parse_update(text, "/x", dictionary(), findings)
    assert tree is not None, findings.problems
    found = apply(tree, item, {})
    assert (found.code if isinstance(found, Problem) else found) == expected


@given(updates(), items)
def test_update_leaves_the_given_item_as_it_is(tree: Update, item: Item) -> None:
    assume(not find_clashes(action.path for action in tree))
    before = deepcopy(item)
    apply(tree, item, {})
    assert item == before


def test_made_item_begins_with_its_key() -> None:
    tree = parse_update("SET a = PK", "/x", dictionary(), Findings([], []))
    assert tree is not None
    key = {"PK": {"S": "p"}}
    assert apply(tree, None, key) == {"PK": {"S": "p"}, "a": {"S": "p"}}
