"""The actions of locks: claim, release and transfer, each under its guard.

Rule: a lock is put only where none stands; it is deleted only if it is ours or already gone, where
locks store their owner (where they do not, the record's guard on the old value makes it safe); it
is handed over only by its present owner, in one Update, never as Delete and Put of one key.
Source: API reference, TransactWriteItems (no two actions on one item).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.core.aliases import Aliases
from webapp.core.planning.design import Design
from webapp.core.planning.draft import Draft
from webapp.core.planning.keys import Key
from webapp.core.planning.locks import Move
from webapp.core.planning.slots import Resting
from webapp.core.planning.statements import Statement, statement, written
from webapp.core.values import CONTAINER_BYTES, MEMBER_BYTES, Wire

LONGEST_RAW_OWNER = 255


class LockActions:
    """The lock actions of a design's plans."""

    __slots__ = ("_claim", "_owner", "_owner_bytes", "_release", "_table", "_transfer")

    def __init__(self, design: Design) -> None:
        key_name = design.lock.schema.partition.name
        self._table = design.lock.table
        self._owner = design.owner
        self._claim = statement(key_name, design.alias, False)
        self._release: Statement | None = None
        self._transfer: Statement | None = None
        self._owner_bytes = 0
        if design.owner is not None:
            self._release = _release_statement(design, design.owner)
            self._transfer = _transfer_statement(design, design.owner)
            members = len(design.record.schema.names)
            self._owner_bytes = (
                len(design.owner.encode()) + CONTAINER_BYTES + members * MEMBER_BYTES
            )

    def add(self, move: Move, key: Key, record_keys: Sequence[Key], draft: Draft) -> None:
        """Add the action of one move of the lock with ``key``; ``record_keys`` are by change."""
        owner = record_keys[move.change]
        size = key.size if self._owner is None else key.size + self._owner_bytes + owner.size
        match move.purpose:
            case "claim":
                verb, guard, failure = "Put", "not-exists", "taken"
                action = self._put(key, owner)
            case "release":
                verb, failure = "Delete", "held-by-another"
                guard = "none" if self._release is None else "ours-or-gone"
                action = self._delete(key, owner)
            case _:
                verb, guard, failure = "Update", "owner-is", "held-by-another"
                action = self._update(key, owner, record_keys[move.previous])
        fields = (
            verb,
            move.purpose,
            move.change,
            self._table,
            key.wire,
            move.lock[0],
            move.fields,
            guard,
            failure,
        )
        draft.add(verb, action, fields, size)

    def rest(self, move: Move, key: Key, draft: Draft) -> None:
        """Note a lock that stays as it is."""
        resting = Resting(
            move.purpose, move.change, self._table, key.wire, move.lock[0], move.fields
        )
        draft.resting.append(resting)

    def _put(self, key: Key, owner: Key) -> dict[str, Any]:
        item = key.wire if self._owner is None else {**key.wire, self._owner: {"M": owner.wire}}
        return {"TableName": self._table, "Item": item, **self._claim.members}

    def _delete(self, key: Key, owner: Key) -> dict[str, Any]:
        if self._release is None:
            return {"TableName": self._table, "Key": key.wire}
        ((token, _),) = self._release.expected
        return self._keyed(key, self._release, {token: {"M": owner.wire}})

    def _update(self, key: Key, owner: Key, previous: Key) -> dict[str, Any]:
        assert self._transfer is not None, "transfers exist only where locks store their owner"
        (new,), ((old, _),) = self._transfer.sets, self._transfer.expected
        return self._keyed(key, self._transfer, {new: {"M": owner.wire}, old: {"M": previous.wire}})

    def _keyed(self, key: Key, statement: Statement, values: Wire) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "Key": key.wire,
            **statement.members,
            "ExpressionAttributeValues": values,
        }


def _aliases(design: Design, owner: str) -> Aliases:
    """The placeholders of a lock's action; a very long owner attribute always gets one."""
    return Aliases("always" if len(owner) > LONGEST_RAW_OWNER else design.alias)


def _release_statement(design: Design, owner: str) -> Statement:
    """``attribute_not_exists(PK) OR owner = :owner``."""
    aliases = _aliases(design, owner)
    gone = f"attribute_not_exists({aliases.name(design.lock.schema.partition.name)})"
    name, token = aliases.name(owner), aliases.value(owner, {})
    return written("", f"{gone} OR {name} = {token}", aliases.names, (), ((token, owner),))


def _transfer_statement(design: Design, owner: str) -> Statement:
    """``SET owner = :owner`` under ``owner = :owner_before``."""
    aliases = _aliases(design, owner)
    name = aliases.name(owner)
    new, old = aliases.value(owner, {}), aliases.value(owner, {}, "_before")
    update, condition = f"SET {name} = {new}", f"{name} = {old}"
    return written(update, condition, aliases.names, (new,), ((old, owner),))
