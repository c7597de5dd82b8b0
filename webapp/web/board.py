"""The picture: every item the transaction touches, in the order of the slots.

Rule: the board says only what the plan says, in a person's words, one row per action and one per
lock that is deliberately left alone. The reason: an expert must be able to see why each guard is
there, and a newcomer what will happen, before anything is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from webapp.core.planning.plan import Plan
from webapp.core.planning.slots import FAILURES, GUARDS, Resting, Slot, words_for
from webapp.web.finding import Finding
from webapp.web.texts import gettext, lazy_gettext
from webapp.web.visible import visible

VERBS = {
    ("record", "Put"): lazy_gettext("create"),
    ("record", "Update"): lazy_gettext("update"),
    ("record", "Delete"): lazy_gettext("delete"),
    ("claim", "Put"): lazy_gettext("claim"),
    ("release", "Delete"): lazy_gettext("release"),
    ("transfer", "Update"): lazy_gettext("hand over"),
    ("kept", ""): lazy_gettext("kept"),
    ("handed-over", ""): lazy_gettext("moves along"),
}

WORDED = {
    ("claim", "not-exists"): lazy_gettext("only if nobody holds it"),
    ("release", "none"): lazy_gettext("safe by the record’s guard on the old value"),
}
"""Where a guard has plainer words on the board than the plan's own."""

RESTS = {
    "handed-over": (
        lazy_gettext("%(fields)s moves to the other record, and the lock with it"),
        lazy_gettext("%(fields)s move to the other record, and the lock with them"),
    ),
    "kept": (
        lazy_gettext("%(fields)s stays the same: the lock is not touched"),
        lazy_gettext("%(fields)s stay the same: the lock is not touched"),
    ),
}
"""What is said of a lock that is left alone, on one field and on several."""

MOST_SAID = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One item of the transaction: what is done to it, under which guard, what a failure means.

    ``slot`` is ``None`` for a lock that is not touched. ``state`` is "" before a run, then
    ``failed``, ``blameless`` or ``done``; ``finding`` is what a failure turned out to mean.
    """

    slot: int | None
    tone: str
    verb: str
    key: tuple[str, ...]
    happens: str
    guard: str
    failure: str
    state: str = ""
    finding: Finding | None = None


def board(plan: Plan, document: Mapping[str, Any]) -> tuple[Row, ...]:
    """The rows of a plan that was made from the plan request ``document``."""
    slots = (_slot_row(number, slot, document) for number, slot in enumerate(plan.slots))
    return (*slots, *map(_resting_row, plan.resting))


def _slot_row(number: int, slot: Slot, document: Mapping[str, Any]) -> Row:
    words = words_for(tuple(map(visible, slot.fields)))
    return Row(
        slot=number,
        tone=slot.action.lower(),
        verb=gettext(VERBS[slot.purpose, slot.action]),
        key=key_texts(slot.key),
        happens=", ".join(_happens(slot, document["changes"][slot.change])),
        guard=gettext(WORDED.get((slot.purpose, slot.guard), GUARDS[slot.guard])).format_map(words),
        failure="" if slot.guard == "none" else gettext(FAILURES[slot.failure]).format_map(words),
    )


def _resting_row(lock: Resting) -> Row:
    fields = _listed(lock.fields)
    one, many = RESTS[lock.purpose]
    said = gettext(one if len(lock.fields) == 1 else many, fields=fields)
    verb = gettext(VERBS[lock.purpose, ""])
    return Row(None, "kept", verb, key_texts(lock.key), said, "", "")


def key_texts(key: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """The values of a key, without their types, as a person can see them."""
    return tuple(visible(text) for value in key.values() for text in value.values())


def _happens(slot: Slot, change: Mapping[str, Any]) -> Iterable[str]:
    fields = _listed(slot.fields)
    match slot.purpose, slot.action:
        case "record", "Put":
            yield _written(change["item"])
        case "record", "Update":
            yield from _becomes(change["after"])
        case "record", _:
            yield gettext("the record is deleted")
        case "claim", _:
            yield gettext("locks %(fields)s", fields=fields)
        case "release", _:
            yield gettext("unlocks %(fields)s", fields=fields)
        case _:
            yield gettext("hands the lock on %(fields)s to this record", fields=fields)


def _written(item: Mapping[str, Any]) -> str:
    if not item:
        return gettext("writes the record, with its key alone")
    return gettext("writes the record, with %(names)s", names=_listed(tuple(item)))


def _becomes(after: Mapping[str, Any]) -> Iterable[str]:
    for name, value in list(after.items())[:MOST_SAID]:
        if value is None:
            yield gettext("%(name)s is removed", name=visible(name))
        else:
            yield gettext("%(name)s becomes %(value)s", name=visible(name), value=value_text(value))
    if len(after) > MOST_SAID:
        yield gettext("and %(count)s more", count=len(after) - MOST_SAID)


def _listed(names: Iterable[str]) -> str:
    """Names in a row, the first few of them."""
    shown = [visible(name) for name in names]
    if len(shown) > MOST_SAID:
        rest = len(shown) - MOST_SAID + 1
        shown[MOST_SAID - 1 :] = [gettext("%(count)s more", count=rest)]
    if len(shown) < 2:
        return "".join(shown)
    return gettext("%(first)s and %(last)s", first=", ".join(shown[:-1]), last=shown[-1])


def value_text(value: Mapping[str, Any]) -> str:
    """A typed value in a few words."""
    [(tag, content)] = value.items()
    match tag:
        case "SS" | "NS" | "BS":
            return "{" + visible(", ".join(content)) + "}"
        case "L" | "M":
            kind = gettext("a list") if tag == "L" else gettext("a map")
            return gettext("%(kind)s of %(count)s", kind=kind, count=len(content))
        case "BOOL" | "NULL":
            return "NULL" if tag == "NULL" else str(content).lower()
        case _:
            return visible(content) or gettext("an empty string")
