"""A saved plan as it comes back to be sent: as it was saved, or refused with all its problems.

Rule: it holds what a plan holds and nothing else, its request is one that a service would take, and
its slots are about its own actions, one each. The reason: slots say which items are read after a
failure and which field is to blame; those of another transaction would read other people's items,
and a member that is passed over in silence was meant to say something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webapp.core import jsontext
from webapp.core.failures.actions import Action, Item, read_actions
from webapp.core.linting.lint import lint_saved
from webapp.core.problems import Problems, Text, excerpt, pointer, register
from webapp.core.values import ROOT, Where

register(
    {
        "saved-request": Text(
            "This holds what no TransactWriteItems request has: {detail}.",
            "Send the request as the plan gave it; DynamoDB's numbers stand in strings.",
        ),
        "slots-count": Text(
            "The plan has {count:,} slots and {actions} actions.",
            "Send the plan as it was given: one slot for each action, in the same order.",
        ),
        "slot-differs": Text(
            "The member “{name}” of slot {slot} is {given}; its action has {expected}.",
            "Send the plan as it was given: a slot is about the action at its position.",
        ),
    }
)

PLAN_MEMBERS: Final = ("request", "slots", "kept", "budget", "warnings")
"""The members of a plan; only the first two are needed to send it."""


def read_saved(document: Mapping[str, Any]) -> bytes:
    """The text of a saved plan's request. Raises ``Refused`` with everything that is wrong.

    ``document`` has an object as its ``request`` and a list as its ``slots``.
    """
    problems = Problems()
    for name in document:
        if name not in PLAN_MEMBERS:
            problems.add("member-unknown", pointer(name), name=excerpt(name))
    request = document["request"]
    faults = lint_saved(request)
    problems.extend(faults)
    text = b"" if faults else _text(request, problems)
    if text:
        _check_slots(document["slots"], read_actions(request) or (), problems)
    problems.refuse()
    return text


def _text(request: Mapping[str, Any], problems: Problems) -> bytes:
    """The request as JSON; nothing, with the problem noted, where no JSON can hold it."""
    try:
        return jsontext.write_plain(request)
    except TypeError as error:
        problems.add("saved-request", "/request", detail=str(error))
        return b""


def _check_slots(slots: Sequence[object], actions: Sequence[Action], problems: Problems) -> None:
    if len(slots) != len(actions):
        problems.add("slots-count", "/slots", count=len(slots), actions=len(actions))
    first: dict[str, tuple[int, Item]] = {}
    for number, (slot, action) in enumerate(zip(slots, actions, strict=False)):
        at = Where(Where(ROOT, "slots"), number)
        if not isinstance(slot, dict):
            params = {"given": excerpt(slot), "expected": "an object in { }"}
            problems.add("member-type", at.pointer(), **params)
        elif _fits(number, slot, action, at, problems):
            _check_names(
                slot["key"],
                first.setdefault(action.table_name, (number, slot["key"])),
                at,
                problems,
            )


def _fits(
    number: int, slot: Mapping[str, Any], action: Action, at: Where, problems: Problems
) -> bool:
    """Whether a slot is about its action; every member that says otherwise is noted."""
    given = {"slot": number, "action": action.kind, "table": None, "key": None, **slot}
    wanted = {"slot": number, "action": action.kind, "table": action.table}
    differing = {name: value for name, value in wanted.items() if given[name] != value}
    if not _is_key_of(action, given["key"]):
        differing["key"] = action.item if action.kind == "Put" else action.key
    for name, value in differing.items():
        params = {"given": excerpt(given[name]), "expected": excerpt(value)}
        problems.add("slot-differs", Where(at, name).pointer(), slot=number, name=name, **params)
    return not differing


def _is_key_of(action: Action, key: object) -> bool:
    """Whether a key is that of the action's item, as far as the action alone can tell."""
    if action.kind != "Put":
        return key == action.key
    return isinstance(key, dict) and 1 <= len(key) <= 2 and key.items() <= action.item.items()


def _check_names(key: Item, first: tuple[int, Item], at: Where, problems: Problems) -> None:
    """Note a key of other attributes than the first one of the same table."""
    other, known = first
    if key.keys() != known.keys():
        names, others = " and ".join(key), " and ".join(known)
        problems.add(
            "keys-differ", Where(at, "key").pointer(), names=names, others=others, other=other
        )
