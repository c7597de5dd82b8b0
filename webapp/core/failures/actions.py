"""The actions of a TransactWriteItems request as anybody may have written them.

Rule: reading is lenient and says only what it is sure of: what is malformed is left out, never
guessed. The reason: these readings decide how an error is explained and whether a write was done
already, and both must stay silent rather than be wrong. Whether a request is *valid* is another
question. (API reference, TransactWriteItems, TransactWriteItem.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from webapp.core.tablenames import table_name

KINDS: Final = ("Put", "Update", "Delete", "ConditionCheck")
Item = Mapping[str, Any]


class Assignments(NamedTuple):
    """What a plain update leaves behind: attributes that are set, and attributes that are gone."""

    sets: Item
    removes: frozenset[str]


class Action(NamedTuple):
    """One action: its kind, its table, and its members with a fitting type (empty otherwise)."""

    kind: str
    table: str
    key: Item
    item: Item
    condition: str
    update: str
    names: Mapping[str, Any]
    values: Mapping[str, Any]

    @property
    def table_name(self) -> str:
        """The name of the table, also where it is named by its ARN."""
        return table_name(self.table)

    def attribute(self, token: str) -> str:
        """The attribute a token of an expression names: itself, or what its alias stands for."""
        named = self.names.get(token, token)
        return named if isinstance(named, str) else token

    @property
    def equalities(self) -> Item:
        """The attributes that the condition compares for equality, with the values it wants."""
        return self._pairs(self.condition)

    @property
    def images(self) -> tuple[Item, Item]:
        """What is known of the item after and before the action: what locks could be made from."""
        before = self.equalities
        return {**before, **self._pairs(self.update), **self.item}, before

    def _pairs(self, expression: str) -> Item:
        return {
            self.attribute(name): self.values[value]
            for name, value in _EQUALITY.findall(expression)
            if value in self.values
        }

    @property
    def assignments(self) -> Assignments | None:
        """What the update leaves behind; ``None`` where that depends on what was stored."""
        sets: dict[str, Any] = {}
        removes: set[str] = set()
        for clause, text in _clauses(self.update):
            for part in text.split(","):
                found = _PARTS[clause].fullmatch(part) if clause in _PARTS else None
                if found is None or (clause == "SET" and found[2] not in self.values):
                    return None
                if clause == "SET":
                    sets[self.attribute(found[1])] = self.values[found[2]]
                else:
                    removes.add(self.attribute(found[1]))
        return Assignments(sets, frozenset(removes))


_WORD = r"#?[A-Za-z0-9_]+"
_EQUALITY = re.compile(rf"(?<![\w.#\]])({_WORD})\s*=\s*(:\w+)", re.ASCII)
_CLAUSE = re.compile(r"\b(SET|REMOVE|ADD|DELETE)\s", re.IGNORECASE | re.ASCII)
_PARTS: Final = {
    "SET": re.compile(rf"\s*({_WORD})\s*=\s*(:\w+)\s*", re.ASCII),
    "REMOVE": re.compile(rf"\s*({_WORD})\s*", re.ASCII),
}


def _clauses(update: str) -> list[tuple[str, str]]:
    """Take an update expression apart into its clauses: keyword in capitals, and the rest."""
    before, *pieces = _CLAUSE.split(update)
    found = [(word.upper(), rest) for word, rest in zip(pieces[::2], pieces[1::2], strict=True)]
    return [("", before), *found] if before.strip() else found


def read_actions(request: object) -> tuple[Action, ...] | None:
    """Read the actions of a request, or ``None`` if it has no readable list of them.

    ``request`` is the call's parameters with ``TransactItems``, a plan with its ``request``, or
    the bare list. Every entry must hold exactly one of the four actions.
    """
    if isinstance(request, Mapping):
        inner = request.get("TransactItems", request.get("request"))
        return read_actions(inner) if isinstance(inner, list | tuple | Mapping) else None
    if not isinstance(request, list | tuple):
        return None
    actions = [_action(entry) for entry in request]
    whole = [action for action in actions if action is not None]
    return tuple(whole) if whole and len(whole) == len(actions) else None


def _action(entry: object) -> Action | None:
    if not isinstance(entry, Mapping) or len(entry) != 1:
        return None
    ((kind, body),) = entry.items()
    if kind not in KINDS or not isinstance(body, Mapping):
        return None
    return Action(
        kind,
        _text(body.get("TableName")),
        _map(body.get("Key")),
        _map(body.get("Item")),
        _text(body.get("ConditionExpression")),
        _text(body.get("UpdateExpression")),
        _map(body.get("ExpressionAttributeNames")),
        _map(body.get("ExpressionAttributeValues")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
