"""The slots of a plan: what each action is for, its guard in words, what a failed guard means.

Rule: the position of an action in ``TransactItems`` is the position of its reason in
``CancellationReasons``, so a plan keeps purpose, fields and meaning beside each position. The
texts are tables by code. Source: API reference, TransactWriteItems, CancellationReasons.
"""

from __future__ import annotations

from typing import Any, NamedTuple

GUARDS: dict[str, str] = {
    "not-exists": "only if no item has this key",
    "exists": "only if the record still exists",
    "exists-and-unchanged": "only if the record still exists and {fields} {has} not changed",
    "ours-or-gone": "only if it is ours, or already gone",
    "owner-is": "only if the record that gives it up still holds it",
    "none": "needs no guard of its own: the record's guard on the old value makes it safe",
}

FAILURES: dict[str, str] = {
    "exists": "A record with this key exists already.",
    "missing-or-changed": "The record does not exist, or {fields} {has} changed since it was read.",
    "missing": "The record does not exist.",
    "taken": "{fields} {is_} taken.",
    "held-by-another": "The lock on {fields} is held by another record.",
}


SlotFields = tuple[str, str, int, str, dict[str, Any], str | None, tuple[str, ...], str, str]


class Slot(NamedTuple):
    """One action of a plan. ``key`` is shared with the plan: read it, never change it.

    ``guard`` and ``failure`` are codes of the tables above.
    """

    action: str
    purpose: str
    change: int
    table: str
    key: dict[str, Any]
    constraint: str | None
    fields: tuple[str, ...]
    guard: str
    failure: str

    def as_document(self, number: int) -> dict[str, Any]:
        """The slot as the contract's JSON object; ``number`` is its position."""
        code = "missing-or-changed" if self.failure == "missing" else self.failure
        return {
            "slot": number,
            "action": self.action,
            "purpose": self.purpose,
            "change": self.change,
            "table": self.table,
            "key": self.key,
            "constraint": self.constraint,
            "fields": list(self.fields),
            "guard": {"code": self.guard, "message": told(GUARDS[self.guard], self.fields)},
            "if_condition_fails": {
                "code": code,
                "message": told(FAILURES[self.failure], self.fields),
            },
        }


class Resting(NamedTuple):
    """A lock that a plan does not touch: kept by its record, or handed over by the guards alone."""

    purpose: str
    change: int
    table: str
    key: dict[str, Any]
    constraint: str
    fields: tuple[str, ...]

    def as_document(self) -> dict[str, Any]:
        """The lock as a JSON object like a slot's."""
        return {
            "change": self.change,
            "table": self.table,
            "key": self.key,
            "constraint": self.constraint,
            "fields": list(self.fields),
            "purpose": self.purpose,
        }


def told(text: str, fields: tuple[str, ...]) -> str:
    """A text of the tables above, said of ``fields``."""
    return text.format_map(words_for(fields)) if "{" in text else text


def words_for(fields: tuple[str, ...]) -> dict[str, str]:
    """The parameters of the texts: the fields as a phrase, and the verbs that agree with it."""
    several = len(fields) > 1
    phrase = ", ".join(fields[:-1]) + " and " + fields[-1] if several else "".join(fields)
    return {
        "fields": phrase,
        "is_": "are" if several else "is",
        "has": "have" if several else "has",
    }
