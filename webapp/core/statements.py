"""The expressions of a record's action: what it sets and removes, and the guard it stands under.

Rule: an expression depends only on the *names* of the attributes and on which are present, so it is
written once for each such shape and used for every value. Old and new value of one attribute have
two placeholders. The reason: a placeholder shared by both would compare the new value with itself.
Sources: Amazon DynamoDB Developer Guide, "Using update expressions in DynamoDB", "Condition
expressions" and "Quotas" (4,096 bytes for one expression).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from webapp.core.aliases import Aliases, Mode
from webapp.core.limits import EXPRESSION_BYTES

REMEMBERED = 2048


class Presence(NamedTuple):
    """An attribute of a guard, and whether it is known to be absent."""

    name: str
    absent: bool


class Statement(NamedTuple):
    """The written expressions of one shape, with the value placeholders in order.

    ``sets`` belong to the attributes that are set, ``guards`` to those that must be unchanged.
    """

    update: str | None
    condition: str
    names: Mapping[str, str] | None
    sets: tuple[str, ...]
    guards: tuple[str, ...]

    @property
    def longest(self) -> int:
        """Bytes of the longest expression."""
        return max(len(self.condition.encode()), len((self.update or "").encode()))


@lru_cache(maxsize=REMEMBERED)
def statement(
    key_name: str,
    mode: Mode,
    exists: bool,
    sets: tuple[str, ...] = (),
    removes: tuple[str, ...] = (),
    guards: tuple[Presence, ...] = (),
) -> Statement:
    """The statement that sets and removes attributes of an item that ``exists`` (or must not).

    ``key_name`` is the table's partition key. Where the readable placeholders would make an
    expression longer than DynamoDB allows, short ones are used.
    """
    readable = _written(_Readable(mode), key_name, exists, sets, removes, guards)
    if readable.longest <= EXPRESSION_BYTES:
        return readable
    return _written(_Short(), key_name, exists, sets, removes, guards)


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


def _written(
    tokens: _Readable | _Short,
    key_name: str,
    exists: bool,
    sets: tuple[str, ...],
    removes: tuple[str, ...],
    guards: tuple[Presence, ...],
) -> Statement:
    assigned = [(tokens.name(name), tokens.value(name)) for name in sets]
    removed = [tokens.name(name) for name in removes]
    function = "attribute_exists" if exists else "attribute_not_exists"
    conditions = [f"{function}({tokens.name(key_name)})"]
    expected: list[str] = []
    for name, absent in guards:
        if absent:
            conditions.append(f"attribute_not_exists({tokens.name(name)})")
        else:
            expected.append(tokens.value(name, "_before"))
            conditions.append(f"{tokens.name(name)} = {expected[-1]}")
    update = _update(assigned, removed)
    names = dict(tokens.names) or None
    values = tuple(value for _, value in assigned)
    return Statement(update, " AND ".join(conditions), names, values, tuple(expected))


def _update(assigned: list[tuple[str, str]], removed: list[str]) -> str | None:
    clauses = []
    if assigned:
        clauses.append("SET " + ", ".join(f"{name} = {value}" for name, value in assigned))
    if removed:
        clauses.append("REMOVE " + ", ".join(removed))
    return " ".join(clauses) or None
