"""An expression rendered and read back is the same tree; read and rendered, it means the same."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.expression_trees import conditions, items, paths, projections, updates, value_of
from webapp.core.aliases import Aliases
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.evaluate import holds
from webapp.core.expressions.nodes import Condition, Expression, Projection, Update
from webapp.core.expressions.operators import Kind
from webapp.core.expressions.parse import (
    CLEAR,
    parse_condition,
    parse_kind,
    parse_projection,
    parse_update,
)
from webapp.core.expressions.paths import Path, read_path
from webapp.core.expressions.places import Findings
from webapp.core.expressions.render import expression_text
from webapp.core.expressions.sentences import inline_text
from webapp.core.expressions.tree_reader import TreeReader
from webapp.core.expressions.tree_writer import (
    condition_document,
    projection_document,
    update_document,
)
from webapp.core.problems import Problems
from webapp.core.values import Where


def rendered(tree: Expression, mode: str = "needed") -> tuple[str, Dictionary, Aliases]:
    """The text of a tree, and its placeholder maps as a reader has them."""
    aliases = Aliases("always" if mode == "always" else "needed")
    text = expression_text(tree, aliases)
    values = {token: value_of(wire) for token, wire in aliases.values.items()}
    return text, Dictionary(aliases.names, values), aliases


def read_back(kind: Kind, tree: Expression, mode: str) -> Expression | None:
    """The tree that the tree's text spells; every placeholder defined is used."""
    text, dictionary, _ = rendered(tree, mode)
    findings = Findings([], [])
    found = parse_kind(kind, text, "/x", dictionary, findings)
    assert not findings.problems, (text, findings.problems)
    assert dictionary.used_names == set(dictionary.names)
    assert dictionary.used_values == set(dictionary.values)
    return found


MODES = st.sampled_from(["needed", "always"])


@given(conditions, MODES)
def test_condition_survives_its_text(tree: Condition, mode: str) -> None:
    assert read_back("condition", tree, mode) == tree


@given(updates(), MODES)
def test_update_survives_its_text(tree: Update, mode: str) -> None:
    assert read_back("update", tree, mode) == tree


@given(projections, MODES)
def test_projection_survives_its_text(tree: Projection, mode: str) -> None:
    assert read_back("projection", tree, mode) == tree


@given(conditions)
def test_condition_survives_its_document(tree: Condition) -> None:
    problems = Problems()
    assert TreeReader(problems).condition(condition_document(tree), Where(None, "c")) == tree
    assert problems == []


@given(updates())
def test_update_survives_its_document(tree: Update) -> None:
    problems = Problems()
    assert TreeReader(problems).update(update_document(tree), Where(None, "u")) == tree
    assert problems == []


@given(projections)
def test_projection_survives_its_document(tree: Projection) -> None:
    problems = Problems()
    assert TreeReader(problems).projection(projection_document(tree), Where(None, "p")) == tree
    assert problems == []


@given(paths)
def test_path_survives_its_text(path: Path) -> None:
    problems = Problems()
    assert read_path(path.text, Where(None, "p"), problems) == path
    assert problems == []


@given(conditions)
def test_rendering_is_deterministic(tree: Condition) -> None:
    first, second = rendered(tree), rendered(tree)
    assert first[0] == second[0]
    assert list(first[2].values.items()) == list(second[2].values.items())


@given(conditions, items)
def test_reading_a_text_and_rendering_it_again_means_the_same(
    tree: Condition, item: dict[str, Any]
) -> None:
    text, dictionary, _ = rendered(tree)
    spelled = _spelled_otherwise(text)
    found = parse_condition(spelled, "/x", dictionary, Findings([], []))
    assert found is not None
    assert holds(found, item) is holds(tree, item)


def _spelled_otherwise(text: str) -> str:
    """The text with other letter case of keywords, more blanks, and parentheses around it."""
    lower = re.sub(r"\b(AND|OR|NOT|BETWEEN|IN)\b", lambda found: found[0].lower(), text)
    return "(" + lower.replace(" ", "  \n") + " )"


@given(conditions)
def test_no_doubled_parentheses_in_any_rendering(tree: Condition) -> None:
    text = rendered(tree)[0]
    assert not _has_doubled(text), text


def _has_doubled(text: str) -> bool:
    """Whether a pair of parentheses holds nothing but a pair of parentheses."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    for index, sign in enumerate(text):
        if sign == "(":
            opened.append(index)
        elif sign == ")":
            closed[opened.pop()] = index
    return any(closed.get(start + 1) == end - 1 for start, end in closed.items())


@given(conditions)
def test_a_pair_of_parentheses_less_would_change_the_tree(tree: Condition) -> None:
    text, dictionary, _ = rendered(tree)
    for start in [found.start() for found in re.finditer(r"(?:^|(?<=[ (]))\(", text)]:
        if re.search(r"\bIN $", text[:start]):
            continue
        end = _end_of(text, start)
        shorter = text[:start] + text[start + 1 : end] + text[end + 1 :]
        assert parse_condition(shorter, "/x", dictionary, Findings([], [])) != tree, shorter


def _end_of(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    raise AssertionError(text)


PIECES = (
    *"ab:#()[].,=<>+-' 0_!é",
    "AND ",
    "OR ",
    "NOT ",
    " IN ",
    "SET ",
    ":v",
    "size(",
    " BETWEEN ",
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_condition, parse_update, parse_projection):
        findings = Findings([], [])
        tree = read(text, "/x", Dictionary({}, {":v": value_of({"N": "1"})}), findings)
        is_clear = CLEAR.issuperset(problem.code for problem in findings.problems)
        assert (tree is not None) is is_clear
        for problem in findings.problems:
            assert problem.message
            assert problem.hint


def test_B49_values_stand_in_the_place_of_their_own_placeholder() -> None:
    """Twelve comparisons: ``:v1`` is never taken for the beginning of ``:v10``."""
    values = {f":v{number}": value_of({"N": str(number * 11)}) for number in range(1, 13)}
    text = " OR ".join(f"a{number} = :v{number}" for number in range(1, 13))
    tree = parse_condition(text, "/x", Dictionary({}, values), Findings([], []))
    assert tree is not None
    assert inline_text(tree) == " OR ".join(f"a{n} = {n * 11}" for n in range(1, 13))


@pytest.mark.parametrize("depth", [10, 149])
def test_groups_may_be_nested_as_deep_as_operators_allow(depth: int) -> None:
    text = "a<b " + "or (a<b and (a<b " * (depth // 2) + "))" * (depth // 2)
    tree = parse_condition(text, "/x", Dictionary({}, {}), Findings([], []))
    assert tree is not None
    again = parse_condition(rendered(tree)[0], "/x", Dictionary({}, {}), Findings([], []))
    assert again == tree
