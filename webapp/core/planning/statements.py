"""The expressions of a record's action: what it sets and removes, and the guard it stands under.

Rule: an expression depends only on the *names* of the attributes and on which are present, so it is
written once for each such shape and used for every value. Old and new value of one attribute have
two placeholders. The reason: a placeholder shared by both would compare the new value with itself.
Sources: Amazon DynamoDB Developer Guide, "Using update expressions in DynamoDB", "Condition
expressions" and "Quotas" (4,096 bytes for one expression).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from webapp.core.aliases import Aliases, Mode
from webapp.core.limits import EXPRESSION_BYTES

REMEMBERED = 2048
LARGEST_REMEMBERED = 16 * 1024


class Statement(NamedTuple):
    """The written expressions of one shape.

    ``update`` is empty where nothing is set or removed. ``members`` are what an action holds of the
    statement, the values excepted: its expressions, and the map of names unless that is empty.
    ``sets`` are the value placeholders of the attributes that are set, in their order;
    ``expected`` those of the attributes that must be unchanged, each with its attribute;
    ``longest`` are the bytes of the longest expression, ``names_bytes`` those of the map of names,
    ``operators`` the operators and functions of the condition.
    """

    update: str
    condition: str
    members: Mapping[str, Any]
    sets: tuple[str, ...]
    expected: tuple[tuple[str, str], ...]
    longest: int
    names_bytes: int
    operators: int


def written(
    update: str,
    condition: str,
    names: Mapping[str, str],
    sets: tuple[str, ...] = (),
    expected: tuple[tuple[str, str], ...] = (),
    operators: int = 3,
) -> Statement:
    """The statement of finished expressions and their placeholders; empty ones are left out."""
    members: dict[str, Any] = {}
    if update:
        members["UpdateExpression"] = update
    members["ConditionExpression"] = condition
    if names:
        members["ExpressionAttributeNames"] = dict(names)
    longest = max(len(condition.encode()), len(update.encode()))
    names_bytes = sum(len(token) + len(name.encode()) for token, name in names.items())
    return Statement(update, condition, members, sets, expected, longest, names_bytes, operators)


Shape = tuple[str, Mode, bool, tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]
_remembered: dict[Shape, Statement] = {}


def statement(
    key_name: str,
    mode: Mode,
    exists: bool,
    sets: tuple[str, ...] = (),
    removes: tuple[str, ...] = (),
    guarded: tuple[str, ...] = (),
    gone: tuple[str, ...] = (),
) -> Statement:
    """The statement that sets and removes attributes of an item that ``exists`` (or must not).

    ``key_name`` is the table's partition key. The attributes ``guarded`` must be unchanged, those
    of them that are ``gone`` absent. Where the readable placeholders would make an expression
    longer than DynamoDB allows, short ones are used.
    """
    shape = (key_name, mode, exists, sets, removes, guarded, gone)
    found = _remembered.get(shape)
    return _remember(shape) if found is None else found


def _remember(shape: Shape) -> Statement:
    """Write a statement, and remember it unless it is so large that many would fill the memory."""
    found = _compose(_Readable(shape[1]), shape)
    if found.longest > EXPRESSION_BYTES:
        found = _compose(_Short(), shape)
    if found.longest + found.names_bytes <= LARGEST_REMEMBERED:
        if len(_remembered) >= REMEMBERED:
            _remembered.clear()
        _remembered[shape] = found
    return found


class _Readable:
    """Names raw where they may be, readable placeholders otherwise."""

    def __init__(self, mode: Mode) -> None:
        self._aliases = Aliases(mode)

    def name(self, attribute: str) -> str:
        return self._aliases.name(attribute)

    def value(self, attribute: str, suffix: str = "") -> str:
        return self._aliases.value(attribute, {}, suffix)

    @property
    def names(self) -> Mapping[str, str]:
        return self._aliases.names


class _Short:
    """The shortest placeholders: ``#n1``, ``:v1``."""

    def __init__(self) -> None:
        self._tokens: dict[str, str] = {}
        self._values = 0

    def name(self, attribute: str) -> str:
        return self._tokens.setdefault(attribute, f"#n{len(self._tokens) + 1}")

    def value(self, attribute: str, suffix: str = "") -> str:
        self._values += 1
        return f":v{self._values}"

    @property
    def names(self) -> Mapping[str, str]:
        return {token: attribute for attribute, token in self._tokens.items()}


def _compose(tokens: _Readable | _Short, shape: Shape) -> Statement:
    key_name, _, exists, sets, removes, guarded, gone = shape
    assigned = [(tokens.name(name), tokens.value(name)) for name in sets]
    removed = [tokens.name(name) for name in removes]
    function = "attribute_exists" if exists else "attribute_not_exists"
    conditions = [f"{function}({tokens.name(key_name)})"]
    expected: list[tuple[str, str]] = []
    absent = set(gone)
    for name in guarded:
        if name in absent:
            conditions.append(f"attribute_not_exists({tokens.name(name)})")
        else:
            expected.append((tokens.value(name, "_before"), name))
            conditions.append(f"{tokens.name(name)} = {expected[-1][0]}")
    values = tuple(value for _, value in assigned)
    update, condition = _update(assigned, removed), " AND ".join(conditions)
    operators = 2 * len(conditions) - 1
    return written(update, condition, tokens.names, values, tuple(expected), operators)


def _update(assigned: list[tuple[str, str]], removed: list[str]) -> str:
    clauses = []
    if assigned:
        clauses.append("SET " + ", ".join(f"{name} = {value}" for name, value in assigned))
    if removed:
        clauses.append("REMOVE " + ", ".join(removed))
    return " ".join(clauses)
