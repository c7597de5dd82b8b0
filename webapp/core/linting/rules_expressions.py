"""What DynamoDB demands of the expressions of an action, and of their placeholders.

Rule: each expression is read by the one parser and checked by the one set of checks that the
builder uses; placeholders are counted as whole tokens over all expressions of the action, also
where the grammar ends the reading. The reason: one fault must not hide the others, and a builder
and a checker that differ would both be wrong.
Source: API reference, Put, Update, Delete and ConditionCheck of a transaction; Amazon DynamoDB
Developer Guide, "Expression attribute names (aliases)" and "Using expression attribute values".
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import filterfalse
from typing import NamedTuple

from webapp.core.expressions.checks import check_condition
from webapp.core.expressions.dictionaries import Dictionary, read_dictionary
from webapp.core.expressions.nodes import Condition, Literal, Set, Update
from webapp.core.expressions.parse import parse_condition, parse_update
from webapp.core.expressions.places import Findings
from webapp.core.expressions.tokens import read_tokens
from webapp.core.expressions.updates import check_update
from webapp.core.linting.known_tables import KnownTable, check_index_value
from webapp.core.linting.rules_request import Entry
from webapp.core.problems import Problems, Text, register

register(
    {
        "names-without-expression": Text(
            "There are placeholders for names, and no expression that uses them.",
            "Remove ExpressionAttributeNames, or add the expression.",
        ),
        "values-without-expression": Text(
            "There are placeholders for values, and no expression that uses them.",
            "Remove ExpressionAttributeValues, or add the expression.",
        ),
    }
)

NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"
CONDITION = "ConditionExpression"
UPDATE = "UpdateExpression"


class Expressions(NamedTuple):
    """The expressions of an action as trees; ``None`` where one is not there or cannot be read."""

    condition: Condition | None
    update: Update | None


def read_expressions(
    entry: Entry, key_names: Iterable[str], table: KnownTable | None, findings: Findings
) -> Expressions:
    """Read and check the expressions of an action with their placeholders."""
    problems = Problems()
    dictionary = read_dictionary(
        entry.members.get(NAMES),
        entry.members.get(VALUES),
        entry.where(NAMES),
        entry.where(VALUES),
        problems,
    )
    findings.problems.extend(problems)
    found = Findings([], findings.warnings)
    trees = Expressions(
        _condition(entry, dictionary, found), _update(entry, dictionary, key_names, found)
    )
    findings.problems.extend(filterfalse(dictionary.is_consequence, found.problems))
    _check_placeholders(entry, dictionary, findings)
    if trees.update is not None and table is not None:
        _check_assigned(trees.update, table, findings)
    return trees


def _condition(entry: Entry, dictionary: Dictionary, findings: Findings) -> Condition | None:
    if CONDITION not in entry.members:
        return None
    path = entry.where(CONDITION).pointer()
    tree = parse_condition(entry.members[CONDITION], path, dictionary, findings)
    if tree is not None:
        check_condition(tree, findings)
    return tree


def _update(
    entry: Entry, dictionary: Dictionary, key_names: Iterable[str], findings: Findings
) -> Update | None:
    if UPDATE not in entry.members:
        return None
    path = entry.where(UPDATE).pointer()
    tree = parse_update(entry.members[UPDATE], path, dictionary, findings)
    if tree is not None:
        check_update(tree, key_names, findings)
    return tree


def _check_placeholders(entry: Entry, dictionary: Dictionary, findings: Findings) -> None:
    """Refuse placeholders that no expression uses, or that stand without any expression."""
    texts = [entry.members[name] for name in (CONDITION, UPDATE) if name in entry.members]
    for code, member in (
        ("names-without-expression", NAMES),
        ("values-without-expression", VALUES),
    ):
        if not texts and member in entry.members:
            findings.refuse(code, entry.where(member))
    if texts:
        tokens = {token for text in texts for token in _tokens_of(text)}
        dictionary.used_names |= tokens
        dictionary.used_values |= tokens
        dictionary.note_useless(findings)


def _tokens_of(text: str) -> list[str]:
    """The placeholders in a text, also where it is no expression."""
    tokens = read_tokens(text, "", Findings([], [])) or []
    return [token.text for token in tokens if token.kind in {"name", "value"}]


def _check_assigned(update: Update, table: KnownTable, findings: Findings) -> None:
    """Refuse a value that SET gives to the key of an index and that the index cannot take."""
    for action in update:
        name = action.path.attribute
        if len(action.path.steps) == 1 and name in table.index_types:
            match action:
                case Set(to=Literal(value=value, at=at)):
                    check_index_value(name, value, table, at, findings)
