"""A transaction as the pattern sees it: which of its actions are records, which are locks.

Rule: what an action is for is worked out once, from a design or from the actions themselves, and
its guard is read from the tree of its condition: only what must hold counts, so a comparison below
OR or NOT guards nothing. The reason: a warning about the wrong action is worse than none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from webapp.core.expressions import nodes
from webapp.core.expressions.paths import Path
from webapp.core.failures.actions import Action, read_actions
from webapp.core.failures.purposes import slots_of_request
from webapp.core.failures.savedslots import PlannedSlot, key_in
from webapp.core.linting.known_tables import Tables
from webapp.core.linting.rules_expressions import Expressions
from webapp.core.linting.rules_request import Entry
from webapp.core.planning.design import Design
from webapp.core.tablenames import table_name
from webapp.core.values import Value, Where

Json = Mapping[str, Any]


class Guard(NamedTuple):
    """What a condition demands of the stored item: equal values, absent and present attributes."""

    equal: Mapping[str, Value]
    absent: frozenset[str]
    present: frozenset[str]

    def pins(self, name: str) -> bool:
        """Whether the guard says what the attribute was, or that it was not there."""
        return name in self.equal or name in self.absent


class Part(NamedTuple):
    """One action with what it is for, its readable members and its expressions."""

    slot: PlannedSlot
    action: Action
    entry: Entry
    trees: Expressions
    raw: Json

    @property
    def guard(self) -> Guard:
        """What its condition demands."""
        return guard_of(self.trees.condition)

    @property
    def at(self) -> Where:
        """The place of the action."""
        return self.entry.at

    @property
    def identity(self) -> tuple[str, str]:
        """The table and key as one value that can be compared."""
        return identity_of_key(self.slot.table, self.slot.key)


def identity_of_key(table: str, key: Mapping[str, object]) -> tuple[str, str]:
    """A table and a key as one value that can be compared."""
    return table, json.dumps(key, sort_keys=True, default=str)


def guard_of(condition: nodes.Condition | None) -> Guard:
    """What must hold for a condition to hold, as far as it is told of top-level attributes."""
    equal: dict[str, Value] = {}
    absent, present = set[str](), set[str]()
    for part in _demanded(condition):
        match part:
            case nodes.Comparison("=", Path((str(name),)), nodes.Literal(value)):
                equal[name] = value
            case nodes.Comparison("=", nodes.Literal(value), Path((str(name),))):
                equal[name] = value
            case nodes.Test("attribute_not_exists", (Path((str(name),)),)):
                absent.add(name)
            case nodes.Test("attribute_exists", (Path((str(name),)),)):
                present.add(name)
    return Guard(equal, frozenset(absent), frozenset(present))


def _demanded(condition: nodes.Condition | None) -> Iterator[nodes.Condition]:
    if isinstance(condition, nodes.Junction) and condition.op == "and":
        for arg in condition.args:
            yield from _demanded(arg)
    elif condition is not None:
        yield condition


@dataclass(frozen=True, slots=True)
class Scene:
    """All parts of a transaction, with what is known of its tables and its design."""

    parts: Sequence[Part]
    design: Design | None
    tables: Tables

    def of(self, *purposes: str) -> list[Part]:
        """The parts that are for one of the purposes."""
        return [part for part in self.parts if part.slot.purpose in purposes]

    @property
    def claims(self) -> list[Part]:
        """The locks that are put."""
        return self.of("claim")

    @property
    def releases(self) -> list[Part]:
        """The locks that are deleted: told by their purpose, or by a key like that of a claim."""
        shapes = {shape_of(part.slot.key) for part in self.of("claim", "transfer")} - {None}
        return [
            part
            for part in self.parts
            if part.slot.purpose == "release"
            or (part.slot.action == "Delete" and shape_of(part.slot.key) in shapes)
        ]

    @property
    def records(self) -> list[Part]:
        """The records: what is neither a lock nor only checked."""
        locks = {part.slot.slot for part in self.releases}
        return [part for part in self.of("record", "other") if part.slot.slot not in locks]

    def record_of(self, lock: Part) -> Part | None:
        """The record whose value a lock protects, where it is known or the only one."""
        owners = [part for part in self.records if part.slot.change == lock.slot.change]
        if lock.slot.change is None or not owners:
            owners = self.records
        return owners[0] if len(owners) == 1 else None

    @property
    def owner(self) -> str | None:
        """The attribute in which locks store their owner, as the design or a claim shows it."""
        if self.design is not None:
            return self.design.owner
        named = [name for part in self.claims for name, v in part.action.item.items() if key_in(v)]
        return named[0] if named else None

    def key_names(self, part: Part) -> tuple[str, ...]:
        """The key attributes of the part's table, partition key first."""
        known = self.tables.get(part.slot.table)
        return known.schema.names if known is not None else tuple(part.slot.key)


WORDS: Final = re.compile(r"(.*[#|:/])([^#|:/]*)", re.DOTALL)
"""The text of a key: all before its last word, and that word."""


def shape_of(key: Mapping[str, object]) -> tuple[tuple[str, str], ...] | None:
    """What the keys of locks on one attribute have in common: all but the last word of a text."""
    texts = [(name, content(value)) for name, value in key.items()]
    found = [(name, text, WORDS.fullmatch(text)) for name, text in texts]
    if not any(match and match[1].count(match[1][-1]) > 1 for _, _, match in found):
        return None
    return tuple((name, match[1] if match else text) for name, text, match in found)


def content(value: object) -> str:
    """The text of a typed key value, "" for anything else."""
    match value:
        case {"S": str(text)} | {"N": str(text)} | {"B": str(text)}:
            return text
        case _:
            return ""


def read_scene(
    request: Json,
    read: Sequence[tuple[Entry, Expressions]],
    design: Design | None,
    tables: Tables,
) -> Scene | None:
    """Look at a transaction as the pattern does; ``None`` where its actions cannot be read."""
    actions = read_actions(request)
    if actions is None or len(actions) != len(read):
        return None
    slots = [
        replace(slot, table=table_name(slot.table)) for slot in slots_of_request(request, design)
    ]
    raws = [next(iter(item.values())) for item in request["TransactItems"]]
    parts = [
        Part(slot, action, entry, trees, raw)
        for slot, action, (entry, trees), raw in zip(slots, actions, read, raws, strict=True)
    ]
    return Scene(parts, design, tables)
