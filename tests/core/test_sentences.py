"""Expressions in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.expression_trees import value_of
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.operators import Kind
from webapp.core.expressions.parse import parse_kind
from webapp.core.expressions.places import Findings
from webapp.core.expressions.sentences import explain, inline_text

VALUES: dict[str, Any] = {
    ":a": {"S": 'a "quoted" text'},
    ":n": {"N": "30.40"},
    ":m": {"N": "100"},
    ":t": {"BOOL": True},
    ":null": {"NULL": True},
    ":ss": {"SS": ["x"]},
    ":l": {"L": [{"N": "1"}]},
    ":type": {"S": "SS"},
}

SENTENCES: list[tuple[Kind, str, list[tuple[str, str | None]]]] = [
    (
        "filter",
        "a = :a",
        [('“a” equals "a \\"quoted\\" text"', "If “a” is missing, this is false.")],
    ),
    ("filter", "a <> :n", [("“a” does not equal 30.40", "If “a” is missing, this is true.")]),
    (
        "filter",
        ":n < a.b[0]",
        [("30.40 is less than “a.b[0]”", "If “a.b[0]” is missing, this is false.")],
    ),
    (
        "filter",
        "a BETWEEN :n AND :m",
        [("“a” is between 30.40 and 100, both included", "If “a” is missing, this is false.")],
    ),
    (
        "filter",
        "a IN (:n, :null)",
        [("“a” is one of 30.40, NULL", "If “a” is missing, this is false.")],
    ),
    (
        "filter",
        "attribute_not_exists(a)",
        [("“a” does not exist", "If “a” is missing, this is true.")],
    ),
    (
        "filter",
        "attribute_type(a, :type)",
        [('“a” has the type "SS"', "If “a” is missing, this is false.")],
    ),
    (
        "filter",
        "size(#x) >= :n",
        [('the size of “"e.mail"” is at least 30.40', 'If “"e.mail"” is missing, this is false.')],
    ),
    ("filter", ":n = :m", [("30.40 equals 100", None)]),
    ("update", "SET a = :t", [("set “a” to true", None)]),
    (
        "update",
        "SET a = if_not_exists(a, :n) + b",
        [
            (
                "set “a” to (“a”, or 30.40 if that does not exist) plus “b”",
                "If “b” is missing, the update is refused.",
            )
        ],
    ),
    (
        "update",
        "SET l = list_append(l, :l) REMOVE a ADD n :n DELETE s :ss",
        [
            (
                'set “l” to the list “l” followed by the list L [{"N": "1"}]',
                "If “l” is missing, the update is refused.",
            ),
            ("remove “a”", "If “a” is missing, nothing happens."),
            ("add 30.40 to “n”", "If “n” is missing, it is made."),
            ('delete SS ["x"] from “s”', "If “s” is missing, nothing happens."),
        ],
    ),
    ("projection", "a, b.c", [("return “a”, “b.c”", "What is missing is left out.")]),
]


def tree_of(kind: Kind, text: str) -> Any:
    values = {token: value_of(wire) for token, wire in VALUES.items()}
    findings = Findings([], [])
    tree = parse_kind(kind, text, "/x", Dictionary({"#x": "e.mail"}, values), findings)
    assert tree is not None, findings.problems
    return tree


@pytest.mark.parametrize(("kind", "text", "expected"), SENTENCES, ids=[row[1] for row in SENTENCES])
def test_one_sentence_for_each_condition(
    kind: Kind, text: str, expected: list[tuple[str, str | None]]
) -> None:
    found = explain(tree_of(kind, text))
    assert [(explained.text, explained.missing) for explained in found] == expected


def test_groups_hold_their_members_and_answers() -> None:
    tree = tree_of("filter", "a = :n AND NOT (b = :n OR c = :n)")
    (found,) = explain(tree, {"a": {"N": "30.4"}})
    assert found.as_document() == {
        "op": "and",
        "text": "all of these hold:",
        "holds": True,
        "members": [
            {
                "op": "=",
                "text": "“a” equals 30.40",
                "missing": "If “a” is missing, this is false.",
                "holds": True,
            },
            {
                "op": "not",
                "text": "this does not hold:",
                "holds": True,
                "members": [
                    {
                        "op": "or",
                        "text": "at least one of these holds:",
                        "holds": False,
                        "members": [
                            {
                                "op": "=",
                                "text": f"“{name}” equals 30.40",
                                "missing": f"If “{name}” is missing, this is false.",
                                "holds": False,
                            }
                            for name in ("b", "c")
                        ],
                    }
                ],
            },
        ],
    }


INLINE = [
    (
        "filter",
        "(a = :a OR b = :n) AND size(#x) > :m",
        '(a = "a \\"quoted\\" text" OR b = 30.40) AND size("e.mail") > 100',
    ),
    ("update", "SET a = :t, b = if_not_exists(b, :n)", "SET a = true, b = if_not_exists(b, 30.40)"),
    ("projection", "#x.a[0], b", '"e.mail".a[0], b'),
]


@pytest.mark.parametrize(("kind", "text", "expected"), INLINE, ids=[row[1] for row in INLINE])
def test_values_stand_in_the_text(kind: Kind, text: str, expected: str) -> None:
    assert inline_text(tree_of(kind, text)) == expected
