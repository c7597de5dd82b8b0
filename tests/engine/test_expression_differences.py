"""Where an engine differs from DynamoDB: what the evaluator says, MiniStack does and moto does.

The evaluator does as DynamoDB itself does. A row that no longer holds means that an engine has
learned something: move the case to the generated expressions then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.core.expression_trees import value_of
from tests.engine.talk import Item, Talk
from webapp.core.expressions.applying import apply
from webapp.core.expressions.checks import check_condition
from webapp.core.expressions.comparison import equals
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.evaluate import holds
from webapp.core.expressions.nodes import Condition, Update
from webapp.core.expressions.parse import parse_condition, parse_update
from webapp.core.expressions.places import Findings
from webapp.core.problems import Problem
from webapp.endpoints import Endpoint


@pytest.fixture(scope="module")
def ministack(engine: Endpoint) -> Iterator[Talk]:
    yield from prepared(engine)


@pytest.fixture(scope="module")
def moto(moto_engine: Endpoint) -> Iterator[Talk]:
    yield from prepared(moto_engine)


def prepared(endpoint: Endpoint) -> Iterator[Talk]:
    talk = Talk(endpoint)
    talk.make_table()
    yield talk
    talk.close()


SAMPLE: Item = {
    "n": {"N": "1"},
    "s": {"S": "abc"},
    "b": {"B": "AAE="},
    "l": {"L": [{"N": "1"}, {"M": {"x": {"S": "q"}}}]},
    "m": {"M": {"x": {"N": "5"}}},
    "ns": {"NS": ["1", "2"]},
    "ss": {"SS": ["a", "b"]},
    "flag": {"BOOL": True},
}
VALUES: dict[str, Item] = {
    ":one": {"N": "1"},
    ":zero": {"N": "0"},
    ":big": {"N": "1e50"},
    ":nines": {"N": "9" * 38},
    ":null": {"NULL": True},
    ":a": {"S": "a"},
    ":type": {"S": "N"},
    ":byte": {"B": "AA=="},
    ":flag": {"BOOL": True},
    ":empty": {"M": {}},
    ":list": {"L": [{"N": "2"}]},
    ":same": {"NS": ["1.0", "2"]},
}
REFUSED = "refused"


class Difference(NamedTuple):
    """One expression, and what DynamoDB (as the evaluator), MiniStack and moto make of it."""

    text: str
    dynamodb: Any
    ministack: Any
    moto: Any
    why: str


CONDITIONS = [
    Difference("p = q", False, True, True, "two missing attributes are not equal"),
    Difference("p <> q", True, False, False, "two missing attributes are unequal"),
    Difference("p = :null", False, False, True, "a missing attribute is not NULL"),
    Difference("l = :list", False, True, False, "MiniStack does not look into lists"),
    Difference("m <> :empty", True, False, True, "MiniStack does not look into maps"),
    Difference("ns = :same", True, False, True, "MiniStack compares numbers of a set as text"),
    Difference("contains(b, :byte)", True, False, False, "binary can contain bytes"),
    Difference("contains(l, :flag)", False, False, True, "moto takes 1 for true"),
    Difference("size(n) < :one", False, True, REFUSED, "a number has no size"),
    Difference("size(p) > :zero", False, False, REFUSED, "moto fails for a missing attribute"),
    Difference("begins_with(n, :a)", False, REFUSED, False, "a wrong type in the item is no fault"),
    Difference("begins_with(:a, s)", False, REFUSED, False, "a value may be the first operand"),
    Difference("attribute_type(:one, :type)", True, REFUSED, True, "a value may be asked for"),
    Difference("n BETWEEN p AND :one", False, False, REFUSED, "moto fails for a missing bound"),
    Difference("s < :one", False, False, REFUSED, "moto fails for different types"),
    Difference("NOT NOT n = :one", True, True, REFUSED, "moto cannot read it"),
]


@pytest.mark.parametrize("case", CONDITIONS, ids=[case.text for case in CONDITIONS])
def test_known_difference_in_a_condition(ministack: Talk, moto: Talk, case: Difference) -> None:
    findings = Findings([], [])
    tree = parse_condition(case.text, "/text", dictionary(), findings)
    assert tree is not None, findings.problems
    answers = {"ministack": answer(ministack, tree), "moto": answer(moto, tree)}
    assert holds(tree, SAMPLE) is case.dynamodb
    assert answers == {"ministack": case.ministack, "moto": case.moto}


def dictionary() -> Dictionary:
    return Dictionary({}, {token: value_of(wire) for token, wire in VALUES.items()})


def answer(talk: Talk, tree: Condition) -> Any:
    """Whether the sample matches, or that the condition was refused."""
    talk.put("sample", SAMPLE)
    found = talk.matching(tree)
    talk.remove("sample")
    return REFUSED if isinstance(found, str) else "sample" in found


L0, L1 = SAMPLE["l"]["L"]
A, NULL = {"S": "a"}, {"NULL": True}
UPDATES = [
    Difference("SET n = s + :one", REFUSED, {"n": SAMPLE["s"]}, REFUSED, "only numbers add up"),
    Difference(
        "SET l = list_append(:list, s)",
        REFUSED,
        {"l": {"L": [{"N": "2"}]}},
        REFUSED,
        "only lists are appended",
    ),
    Difference(
        "SET l[4] = :a",
        {"l": {"L": [L0, L1, A]}},
        {"l": {"L": [L0, L1, NULL, NULL, A]}},
        {"l": {"L": [L0, L1, A]}},
        "an index beyond the end appends",
    ),
    Difference(
        "SET l[9] = :a, l[5] = :one",
        {"l": {"L": [L0, L1, {"N": "1"}, A]}},
        {"l": {"L": [L0, L1, NULL, NULL, NULL, {"N": "1"}, NULL, NULL, NULL, A]}},
        {"l": {"L": [L0, L1, A, {"N": "1"}]}},
        "several are appended in the order of their indexes",
    ),
    Difference(
        "REMOVE l[0], l[1]",
        {"l": {"L": []}},
        {"l": {"L": [L1]}},
        {"l": {"L": []}},
        "indexes mean the places before the update",
    ),
    Difference(
        "REMOVE l[0] SET l[1] = :a",
        {"l": {"L": [A]}},
        {"l": {"L": [A]}},
        {"l": {"L": [L1, A]}},
        "indexes mean the places before the update",
    ),
    Difference("SET l.y = :one", REFUSED, REFUSED, {}, "a list has no names"),
    Difference("SET m[0] = :one", REFUSED, {}, REFUSED, "a map has no indexes"),
    Difference("REMOVE p.y", REFUSED, {}, REFUSED, "what a path leads through must be there"),
    Difference(
        "ADD p.y :one", REFUSED, {"p": {"M": {"y": {"N": "1"}}}}, REFUSED, "no map to add to"
    ),
    Difference(
        "DELETE ns :same", {"ns": None}, {"ns": {"NS": ["1"]}}, {"ns": {"NS": ["1"]}}, "1.0 is 1"
    ),
    Difference(
        "SET n = :big + :one",
        REFUSED,
        {"n": {"N": "1" + "0" * 50}},
        REFUSED,
        "a sum has at most 38 digits",
    ),
    Difference(
        "SET n = :nines + :nines",
        REFUSED,
        {"n": {"N": "2" + "0" * 38}},
        {"n": {"N": "1" + "9" * 37 + "8"}},
        "a sum is not rounded",
    ),
    Difference(
        "SET n = :nines - n",
        {"n": {"N": "9" * 37 + "8"}},
        {"n": {"N": "1" + "0" * 38}},
        {"n": {"N": "9" * 37 + "8"}},
        "MiniStack counts with 28 digits",
    ),
]


@pytest.mark.parametrize("case", UPDATES, ids=[case.text for case in UPDATES])
def test_known_difference_in_an_update(ministack: Talk, moto: Talk, case: Difference) -> None:
    findings = Findings([], [])
    tree = parse_update(case.text, "/text", dictionary(), findings)
    assert tree is not None, findings.problems
    expected = apply(tree, SAMPLE, {})
    assert changes(REFUSED if isinstance(expected, Problem) else dict(expected)) == case.dynamodb
    answers = {"ministack": outcome(ministack, tree), "moto": outcome(moto, tree)}
    assert answers == {"ministack": case.ministack, "moto": case.moto}


def outcome(talk: Talk, tree: Update) -> Any:
    """What an update changes of the sample, or that it was refused."""
    talk.put("changed", SAMPLE)
    stored = talk.updated("changed", tree)
    return changes(REFUSED if isinstance(stored, str) else stored)


def changes(after: Any) -> Any:
    """The attributes that differ from the sample's; ``None`` for one that is gone."""
    if after == REFUSED:
        return REFUSED
    changed = {n: v for n, v in after.items() if n not in SAMPLE or not equals(v, SAMPLE[n])}
    return changed | {name: None for name in SAMPLE if name not in after}


SPELLINGS = [
    Difference("ATTRIBUTE_EXISTS(n)", REFUSED, True, REFUSED, "function names are lower case"),
    Difference("Begins_With(s, :a)", REFUSED, True, REFUSED, "function names are lower case"),
    Difference("n = :one aNd s BetWeen :a and s", True, True, True, "keywords are in any case"),
    Difference("noT n In (:zero)", True, True, True, "keywords are in any case"),
    Difference("((n = :one))", REFUSED, REFUSED, REFUSED, "doubled parentheses"),
    Difference("(n = :one) AND (s = s)", REFUSED, True, True, "one path on both sides"),
]


@pytest.mark.parametrize("case", SPELLINGS, ids=[case.text for case in SPELLINGS])
def test_spelling_as_dynamodb_and_the_engines_read_it(
    ministack: Talk, moto: Talk, case: Difference
) -> None:
    assert spelled_here(case.text) == case.dynamodb
    answers = {"ministack": as_sent(ministack, case.text), "moto": as_sent(moto, case.text)}
    assert answers == {"ministack": case.ministack, "moto": case.moto}


def spelled_here(text: str) -> Any:
    findings = Findings([], [])
    tree = parse_condition(text, "/text", dictionary(), findings)
    if tree is not None:
        check_condition(tree, findings)
    return REFUSED if findings.problems or tree is None else holds(tree, SAMPLE)


def as_sent(talk: Talk, text: str) -> Any:
    """The engine's answer to the very text."""
    talk.put("sample", SAMPLE)
    values = {token: wire for token, wire in VALUES.items() if token in text}
    found = talk.filtered(text, {}, values)
    talk.remove("sample")
    return REFUSED if isinstance(found, str) else "sample" in found
