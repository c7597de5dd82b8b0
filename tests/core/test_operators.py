"""The table of operators against the trees and readers that it drives."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given

from tests.core.expression_trees import conditions, updates
from webapp.core.expressions import nodes
from webapp.core.expressions.operations import OPERATIONS
from webapp.core.expressions.operators import (
    FUNCTIONS,
    KEYWORDS,
    KINDS,
    OPERATORS,
    VERBS,
    Kind,
    operators_of,
)
from webapp.core.reserved import needs_alias


def test_dynamodb_has_these_and_no_others() -> None:
    assert [row.token for row in OPERATORS.values()] == [
        *("=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN"),
        *("attribute_exists", "attribute_not_exists", "attribute_type", "begins_with"),
        *("contains", "size", "AND", "OR", "NOT", "SET", "REMOVE", "ADD", "DELETE"),
        *("+", "-", "if_not_exists", "list_append"),
    ]


def test_key_condition_allows_what_the_guide_lists() -> None:
    allowed = {row.token for row in OPERATORS.values() if row.sort_key}
    assert allowed == {"=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"}
    assert {row.token for row in operators_of("key_condition").values()} == allowed | {"AND"}


def test_only_unequal_and_not_exists_are_true_for_what_is_missing() -> None:
    true = {op for op, row in OPERATORS.items() if row.missing}
    assert true == {"<>", "attribute_not_exists"}


def test_kinds_of_the_table_are_the_kinds_of_the_requests() -> None:
    assert set(KINDS) == set(get_args(Kind))
    used = {kind for row in OPERATIONS.values() for kind in row.kinds}
    assert used == set(KINDS)


def test_keywords_are_reserved_and_functions_are_spelled_in_lower_case() -> None:
    assert all(needs_alias(word) for word in KEYWORDS)
    assert all(name == name.lower() for name in FUNCTIONS)


@given(conditions)
def test_every_condition_has_a_row_with_its_operands(tree: nodes.Condition) -> None:
    for part in nodes.conditions_in(tree):
        row = OPERATORS[nodes.operator_of(part)]
        assert "condition" in row.kinds
        if row.form not in {"junction", "negation", "in"}:
            assert len(nodes.operands_of(part)) == len(row.slots)
        for operand in nodes.operands_of(part):
            assert isinstance(operand, nodes.Size) is (type(operand) is nodes.Size)


@given(updates())
def test_every_action_has_a_row(tree: nodes.Update) -> None:
    for action in tree:
        assert nodes.VERB_OF[type(action)] in VERBS
        if isinstance(action, nodes.Set):
            assert _op_of(action.to) in {None, *operators_of("update")}


def _op_of(node: Any) -> str | None:
    match node:
        case nodes.Arithmetic():
            return node.op
        case nodes.IfNotExists():
            return "if_not_exists"
        case nodes.ListAppend():
            return "list_append"
        case _:
            return None


@pytest.mark.parametrize("op", OPERATORS)
def test_templates_have_as_many_holes_as_operands(op: str) -> None:
    row = OPERATORS[op]
    holes = sum(f"{{{number}}}" in row.sentence for number in range(4))
    expected = 0 if row.form in {"junction", "negation"} else len(row.slots)
    assert holes == expected
