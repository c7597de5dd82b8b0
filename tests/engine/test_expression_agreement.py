"""What the evaluator says of an expression is what an engine does with it.

Thousands of generated pairs of an expression and an item are put to MiniStack and to moto.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from tests.engine.agreed_expressions import (
    ITEMS,
    mixed_trees,
    start,
    typed_trees,
    typed_trees_with_members,
    typed_updates,
)
from tests.engine.talk import Item, Talk
from webapp.core.expressions.applying import apply
from webapp.core.expressions.comparison import equals
from webapp.core.expressions.evaluate import holds
from webapp.core.expressions.nodes import Condition, Junction, Not, Update
from webapp.core.problems import Problem
from webapp.endpoints import Endpoint


@pytest.fixture(scope="module")
def ministack(engine: Endpoint) -> Iterator[Talk]:
    yield from filled(engine)


@pytest.fixture(scope="module")
def moto(moto_engine: Endpoint) -> Iterator[Talk]:
    yield from filled(moto_engine)


def filled(endpoint: Endpoint) -> Iterator[Talk]:
    """A conversation about a table that holds the items."""
    talk = Talk(endpoint)
    talk.make_table()
    for name, item in ITEMS.items():
        talk.put(name, item)
    yield talk
    talk.close()


MANY = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def ask(talk: Talk, tree: Condition) -> None:
    """Compare the answers of engine and evaluator for every item."""
    expected = frozenset(name for name, item in ITEMS.items() if holds(tree, item))
    assert talk.matching(tree) == expected


@MANY
@given(tree=typed_trees_with_members)
def test_conditions_agree_with_ministack(ministack: Talk, tree: Condition) -> None:
    ask(ministack, tree)


@MANY
@given(tree=mixed_trees)
def test_conditions_on_values_of_any_type_agree_with_ministack(
    ministack: Talk, tree: Condition
) -> None:
    ask(ministack, tree)


@SOME
@given(tree=typed_trees)
def test_conditions_agree_with_moto(moto: Talk, tree: Condition) -> None:
    ask(moto, tree)


def change(talk: Talk, item: Item, tree: Update) -> None:
    """Compare the stored item, or that the update is refused, with what the evaluator says."""
    talk.put("changed", item)
    stored, expected = talk.updated("changed", tree), apply(tree, item, {})
    if isinstance(expected, Problem):
        assert isinstance(stored, str), (stored, expected)
    else:
        assert not isinstance(stored, str), stored
        assert equals({"M": stored}, {"M": expected})


@MANY
@given(item=start, tree=typed_updates())
def test_updates_agree_with_ministack(ministack: Talk, item: Item, tree: Update) -> None:
    change(ministack, {**item, "n": {"N": "5"}}, tree)


@SOME
@given(item=start, tree=typed_updates())
def test_updates_agree_with_moto(moto: Talk, item: Item, tree: Update) -> None:
    change(moto, {**item, "n": {"N": "5"}}, tree)


def test_generated_conditions_have_groups_of_both_kinds() -> None:
    """The tests above would be worth little if no tree ever held a group."""
    found: list[Condition] = []

    @settings(max_examples=200, database=None)
    @given(typed_trees)
    def collect(tree: Condition) -> None:
        found.append(tree)

    collect()
    assert {tree.op for tree in found if isinstance(tree, Junction)} == {"and", "or"}
    assert any(isinstance(tree, Not) for tree in found)
