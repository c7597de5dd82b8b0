"""Where a person goes on after a button: never nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webapp.web.draft import EXAMPLE, Attribute, Draft, Rule
from webapp.web.edits import edit, focus_of
from webapp.web.expressions.edits import edit as edit_expression
from webapp.web.expressions.outline import read_outline

THREE = replace(EXAMPLE, rules=(Rule("A", ("a",)), Rule("B", ("b", "c")), Rule("C", ("d",))))
ONE = replace(EXAMPLE, rules=(Rule("A", ("a",)),))
ROW = replace(EXAMPLE, changes=(replace(EXAMPLE.changes[0], attributes=(Attribute("email"),)),))


@pytest.mark.parametrize(
    ("draft", "button", "focus"),
    [
        (THREE, "rule-up/2", "do/rule-up/1"),
        (THREE, "rule-up/1", "do/rule-down/0"),
        (THREE, "rule-down/0", "do/rule-down/1"),
        (THREE, "rule-down/1", "do/rule-up/2"),
        (THREE, "remove-rule/0", "do/remove-rule/0"),
        (THREE, "remove-rule/2", "do/remove-rule/1"),
        (ONE, "remove-rule/0", "do/add-rule"),
        (THREE, "remove-part/1/0", "do/add-part/1"),
        (EXAMPLE, "remove-attribute/0/1", "do/remove-attribute/0/0"),
        (ROW, "remove-attribute/0/0", "do/add-attribute/0"),
        (EXAMPLE, "remove-change/0", "do/add-change"),
        (EXAMPLE, "go-on", "changes/0/operation"),
        (EXAMPLE, "add-rule", "design/unique/2/namespace"),
    ],
)
def test_after_a_button_of_the_form_the_focus_is_at_what_it_did(
    draft: Draft, button: str, focus: str
) -> None:
    assert focus_of(edit(draft, button), button) == focus


@pytest.mark.parametrize(
    ("button", "focus"),
    [
        ("up a/filter/2", "do/up a/filter/1"),
        ("up a/filter/1", "do/down a/filter/0"),
        ("down a/filter/0", "do/down a/filter/1"),
        ("down a/filter/1", "do/up a/filter/2"),
        ("remove a/filter/2", "do/remove a/filter/1"),
        ("remove a/filter/0", "do/remove a/filter/0"),
        ("remove a/projection/0", "do/add-path a/projection"),
        ("remove a/filter/0/operands/1", "do/add-value a/filter/0/operands"),
    ],
)
def test_after_a_button_of_an_expression_the_focus_is_at_what_it_did(
    button: str, focus: str
) -> None:
    rows = [(f"a/filter/{number}/op", "=") for number in range(3)]
    operands = [(f"a/filter/0/operands/{number}/type", "S") for number in range(3)]
    outline = read_outline([*rows, *operands, ("a/projection/0", "email")])
    assert edit_expression(outline, button).focus == focus
