"""The slots of a plan as they come back: from a saved plan, from a program, or worked out.

Rule: slots are read leniently into frozen values, and their numbers must be their positions. The
reason: the service answers by position, so a list that was sorted or filtered on its way names
wrong fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.core.failures.causes import MEANINGS
from webapp.core.failures.jsonsafe import json_safe
from webapp.core.planning.slots import Slot, words_for
from webapp.core.problems import excerpt, writable
from webapp.core.sayings import Saying

FAILED: Final = frozenset(
    {"exists", "missing", "missing-or-changed", "taken", "held-by-another", "condition-failed"}
)
"""What a failed condition can mean: the codes of a slot's ``if_condition_fails``."""


@dataclass(frozen=True, slots=True)
class PlannedSlot:
    """What a plan says of one action; ``failure`` is what its failed condition means, if any."""

    slot: int
    action: str
    purpose: str
    change: int | None
    table: str
    key: Mapping[str, object]
    constraint: str | None
    fields: tuple[str, ...]
    failure: str | None

    @property
    def what(self) -> str:
        """What the slot is about, for a text: its fields, else its constraint, else its key."""
        return words_for(self._subjects)["fields"]

    @property
    def _subjects(self) -> tuple[str, ...]:
        fields = tuple(map(excerpt, self.fields))
        return fields or (excerpt(self.constraint) if self.constraint else self.place,)

    @property
    def place(self) -> str:
        """The key of the slot's item for reading; where it is not known, the slot's number."""
        return key_text(self.key) or f"slot {self.slot}"

    @property
    def named_fields(self) -> tuple[str, ...]:
        """The fields a failure is shown at; a record without fields is shown at its key."""
        if self.fields or self.purpose != "record":
            return self.fields
        return tuple(self.key)

    def meaning(self, row: str, **params: str) -> str:
        """Say a row of ``MEANINGS`` of this slot, in English."""
        return Saying(MEANINGS[row], **{**words_for(self._subjects), "key": self.place, **params})

    def as_document(self) -> dict[str, object]:
        """The slot as an entry of the contract's ``slots``."""
        failure = self.failure
        fails = {"code": failure, "message": self.meaning(failure)} if failure in FAILED else None
        return {
            "slot": self.slot,
            "action": self.action,
            "purpose": self.purpose,
            "change": self.change,
            "table": self.table,
            "key": self.key,
            "constraint": self.constraint,
            "fields": list(self.fields),
            "if_condition_fails": fails,
        }


def planned_slots(slots: object) -> tuple[PlannedSlot, ...]:
    """Read the ``slots`` of a plan, as a document or as values; () if they are not readable.

    Their numbers must be their positions: they are what the reasons are matched by.
    """
    if not isinstance(slots, list | tuple):
        return ()
    planned = [_planned_at(position, slot) for position, slot in enumerate(slots)]
    return tuple(slot for slot in planned if slot) if all(planned) else ()


def _planned_at(position: int, slot: object) -> PlannedSlot | None:
    """The slot at a position, or ``None`` where something else stands there."""
    match slot:
        case PlannedSlot():
            return slot if slot.slot == position else None
        case Slot():
            return _planned(slot.as_document(position), position)
        case Mapping() if slot.get("slot", position) == position:
            return _planned(slot, position)
        case _:
            return None


def _planned(document: Mapping[Any, Any], position: int) -> PlannedSlot:
    fields, change = document.get("fields"), document.get("change")
    key = json_safe(document.get("key"))
    return PlannedSlot(
        position,
        _text(document.get("action")),
        _text(document.get("purpose")),
        change if type(change) is int else None,
        _text(document.get("table")),
        key if isinstance(key, dict) else {},
        _text(document.get("constraint")) or None,
        tuple(map(_text, fields)) if isinstance(fields, list | tuple) else (),
        _failure(document),
    )


def _failure(document: Mapping[Any, Any]) -> str | None:
    """What a failed condition means; ``None`` where the plan has no condition that could fail."""
    guard, fails = _code(document.get("guard")), _code(document.get("if_condition_fails"))
    if guard == "none":
        return None
    return "missing" if (guard, fails) == ("exists", "missing-or-changed") else fails or None


def _code(document: object) -> str:
    return _text(document.get("code")) if isinstance(document, Mapping) else ""


def _text(value: object) -> str:
    return writable(value) if isinstance(value, str) else ""


def unplanned_slots(count: int) -> tuple[PlannedSlot, ...]:
    """Slots of which nothing is known: a failed condition there says no more than that."""
    return tuple(
        PlannedSlot(slot, "", "", None, "", {}, None, (), "condition-failed")
        for slot in range(count)
    )


# --- keys and owners ---------------------------------------------------------------------------


def key_text(key: Mapping[str, object]) -> str:
    """A key for reading, ``ACCT#a1f9c3 / PROFILE``: its values without their types."""
    contents = [next(iter(v.values()), "") for v in key.values() if isinstance(v, dict)]
    return " / ".join(excerpt(content) for content in contents if isinstance(content, str))


def owner_of(
    lock: Mapping[str, object], attribute: str | None = None
) -> Mapping[str, object] | None:
    """The key of the record that holds a lock, if the lock item stores it as a map.

    ``attribute`` names the map; without it the lock must have exactly one map that is a key.
    """
    named = {attribute: lock.get(attribute)} if attribute else lock
    keys = [key for value in named.values() if (key := key_in(value))]
    return keys[0] if len(keys) == 1 else None


def key_in(value: object) -> Mapping[str, object] | None:
    """The content of a map value that has the form of a key: one or two values of S, N or B."""
    content = value.get("M") if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(content, dict) or not 1 <= len(content) <= 2:
        return None
    return content if all(map(_is_key_value, content.values())) else None


def _is_key_value(value: object) -> bool:
    match value:
        case {"S": str(), **rest} | {"N": str(), **rest} | {"B": str(), **rest}:
            return not rest
        case _:
            return False
