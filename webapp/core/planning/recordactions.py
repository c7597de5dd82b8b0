"""The action of each record: Put, Update or Delete under its guard.

Rule: a new record is written only if none has its key; a record that changes or goes is guarded by
its existence and by the before value of every attribute that a lock depends on, also where the lock
stays. The reason: without the before value a stale form releases a lock that by now is somebody
else's; without ``attribute_exists`` an Update of a vanished record leaves a half-made ghost.
Source: Amazon DynamoDB Developer Guide, "Condition expressions" and "Update expressions".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from webapp.core.limits import EXPRESSION_BYTES, ITEM_BYTES, OPERATORS, VARIABLES_BYTES
from webapp.core.planning.changes import Change, Image
from webapp.core.planning.design import Design
from webapp.core.planning.draft import Draft
from webapp.core.planning.keys import Key
from webapp.core.planning.locks import Rule
from webapp.core.planning.statements import Statement, statement
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import Value, Where, Wire

register(
    {
        "before-unknown": Text(
            "The value “{name}” has now is not given, and its lock cannot follow without it.",
            "Give its before value, or null if the record does not have it.",
        ),
        "key-attribute": Text(
            "“{name}” is part of the table's key and cannot stand among the attributes.",
            "Leave it out: templates make the key. To move a record, delete and create.",
        ),
        "expression-too-long": Text(
            "The expressions of this action need {count:,} bytes; DynamoDB allows {limit:,}.",
            "Change fewer attributes at once.",
        ),
        "guard-too-large": Text(
            "The guard on the before values has {count:,} operators and functions; "
            "DynamoDB allows {limit:,}.",
            "Protect fewer attributes with one design.",
        ),
        "variables-too-large": Text(
            "The names and values in the expressions of this action have {count:,} bytes; "
            "DynamoDB allows {limit:,} (2 MB).",
            "Change fewer attributes at once, or attributes with shorter names.",
        ),
    }
)

REMEMBERED_CHANGES = 512


class Touched(NamedTuple):
    """What a change of certain attributes touches: rules, and the attributes that guard it."""

    rules: Sequence[Rule]
    guarded: tuple[str, ...]


class RecordActions:
    """The record actions of a design's plans."""

    __slots__ = (
        "_create",
        "_find",
        "_key_name",
        "_key_names",
        "_mode",
        "_table",
        "_touching",
        "everything",
    )

    def __init__(self, design: Design, rules: Sequence[Rule]) -> None:
        schema = design.record.schema
        self._table = design.table
        self._key_name = schema.partition.name
        self._key_names = frozenset(schema.names)
        self._mode = design.alias
        self._create = statement(self._key_name, self._mode, False)
        self._touching = _touching(rules)
        self.everything = Touched(rules, _guarded(rules))
        self._find = lru_cache(maxsize=REMEMBERED_CHANGES)(self._find_touched)

    def touched(self, after: Mapping[str, Value | None]) -> Touched:
        """What naming the attributes ``after`` touches, in the design's order."""
        return self._find(frozenset(self._touching.keys() & after.keys()))

    def _find_touched(self, protected: frozenset[str]) -> Touched:
        namespaces = {space for name in protected for space in self._touching[name]}
        rules = tuple(rule for rule in self.everything.rules if rule.namespace in namespaces)
        return Touched(rules, _guarded(rules))

    def add(self, number: int, change: Change, touched: Touched, key: Key, draft: Draft) -> None:
        """Add the action of change ``number`` of the record with ``key`` to the draft."""
        match change.operation:
            case "create":
                self._put(number, change, key, draft)
            case "change":
                self._update(number, change, touched.guarded, key, draft)
            case "delete":
                self._delete(number, change, touched.guarded, key, draft)

    def check(self, change: Change, touched: Touched, problems: Problems) -> None:
        """Note key attributes among the others, and before values that are needed but not given."""
        before, after = change.before.values, change.after.values
        if not (self._key_names.isdisjoint(after) and self._key_names.isdisjoint(before)):
            _note_keys(self._key_names, change, problems)
        if change.operation != "create":
            for name in touched.guarded:
                if name not in before:
                    at = Where(Where(change.where, "before"), name).pointer()
                    problems.add("before-unknown", at, name=excerpt(name))

    def _put(self, number: int, change: Change, key: Key, draft: Draft) -> None:
        size = key.size + change.after.size
        item = {**key.wire, **change.after.wires}
        put = {"TableName": self._table, "Item": item, **self._create.members}
        _check_item(size, change, "item", draft.problems)
        slot = ("Put", "record", number, self._table, key.wire, None, (), "not-exists", "exists")
        draft.add("Put", put, slot, size)

    def _update(
        self, number: int, change: Change, guarded: tuple[str, ...], key: Key, draft: Draft
    ) -> None:
        after = change.after
        sets = tuple(after.wires)
        removes = () if len(sets) == len(after.values) else _absent(after.values)
        written = self._statement(sets, removes, guarded, change.before)
        values = dict(zip(written.sets, after.wires.values(), strict=True))
        _expect(written, change.before.wires, values)
        update: dict[str, Any] = {"TableName": self._table, "Key": key.wire, **written.members}
        if values:
            update["ExpressionAttributeValues"] = values
        size = key.size + after.size + _surviving(change.before, after.values)
        _check_item(size, change, "after", draft.problems)
        _check_item(key.size + change.before.size, change, "before", draft.problems)
        _check_statement(written, change, draft.problems)
        draft.add("Update", update, self._slot("Update", number, key, guarded), size)
        draft.lower_bound = True

    def _delete(
        self, number: int, change: Change, guarded: tuple[str, ...], key: Key, draft: Draft
    ) -> None:
        written = self._statement((), (), guarded, change.before)
        delete: dict[str, Any] = {"TableName": self._table, "Key": key.wire, **written.members}
        values: Wire = {}
        _expect(written, change.before.wires, values)
        if values:
            delete["ExpressionAttributeValues"] = values
        size = key.size + change.before.size
        _check_item(size, change, "before", draft.problems)
        _check_statement(written, change, draft.problems)
        draft.add("Delete", delete, self._slot("Delete", number, key, guarded), size)
        draft.lower_bound = True

    def _statement(
        self,
        sets: tuple[str, ...],
        removes: tuple[str, ...],
        guarded: tuple[str, ...],
        before: Image,
    ) -> Statement:
        present = before.wires
        gone = tuple([name for name in guarded if name not in present])
        return statement(self._key_name, self._mode, True, sets, removes, guarded, gone)

    def _slot(self, action: str, number: int, key: Key, guarded: tuple[str, ...]) -> Any:
        guard, failure = (
            ("exists-and-unchanged", "missing-or-changed") if guarded else ("exists", "missing")
        )
        return (action, "record", number, self._table, key.wire, None, guarded, guard, failure)


def _touching(rules: Sequence[Rule]) -> Mapping[str, set[str]]:
    """For each attribute the namespaces whose rules naming it touches, all of them together."""
    found: dict[str, set[str]] = {}
    for rule in rules:
        for name in rule.constraint.guarded:
            found.setdefault(name, set()).add(rule.namespace)
    return found


def _guarded(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for rule in rules for name in rule.constraint.guarded))


def _expect(written: Statement, before: Wire, values: Wire) -> None:
    """Add the before values that the guard names (one that is not known is refused elsewhere)."""
    for token, name in written.expected:
        if name in before:
            values[token] = before[name]


def _absent(values: Mapping[str, Value | None]) -> tuple[str, ...]:
    return tuple(name for name, value in values.items() if value is None)


def _note_keys(names: Iterable[str], change: Change, problems: Problems) -> None:
    for member, image in (("before", change.before), (change.image_member, change.after)):
        for name in image.values:
            if name in names:
                at = Where(Where(change.where, member), name).pointer()
                problems.add("key-attribute", at, name=excerpt(name))


def _surviving(before: Image, after: Mapping[str, Value | None]) -> int:
    """Bytes of the known attributes that a change leaves as they are."""
    return sum(
        [
            len(name.encode()) + value.size
            for name, value in before.values.items()
            if value is not None and name not in after
        ]
    )


def _check_item(size: int, change: Change, member: str, problems: Problems) -> None:
    if size > ITEM_BYTES:
        at = Where(change.where, member).pointer()
        problems.add("item-too-large", at, count=size, limit=ITEM_BYTES)


def _check_statement(written: Statement, change: Change, problems: Problems) -> None:
    at = Where(change.where, "after" if change.operation == "change" else "before")
    if written.longest > EXPRESSION_BYTES:
        count = written.longest
        problems.add("expression-too-long", at.pointer(), count=count, limit=EXPRESSION_BYTES)
    if written.operators > OPERATORS:
        params = {"count": written.operators, "limit": OPERATORS}
        problems.add("guard-too-large", at.pointer(), **params)
    variables = written.names_bytes + change.after.size + change.before.size
    if variables > VARIABLES_BYTES:
        params = {"count": variables, "limit": VARIABLES_BYTES}
        problems.add("variables-too-large", at.pointer(), **params)
