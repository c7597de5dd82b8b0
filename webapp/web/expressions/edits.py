"""What the buttons of the form do: add, remove, move.

Rule: a button is named ``verb place``; what it does is a row of ``ADDS`` or one of the moves, and
nothing but the rows at that place changes. The reason: every control works without a script, and
whatever stands below a row goes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from webapp.web.expressions.outline import Outline, is_number, read_outline

MOST_PARTS = 40
"""Parts of a name up to which rows are added: conditions within conditions some thirty deep."""


class UnknownEdit(LookupError):
    """A button that the form does not have."""


class Addition(NamedTuple):
    """What a new row begins with, and which of its controls a person wants next."""

    controls: Mapping[str, str]
    focus: str


ADDS: Mapping[str, Addition] = {
    "add-condition": Addition({"op": "="}, "operands/0/path"),
    "add-group": Addition({"op": "or", "0/op": "=", "1/op": "="}, "0/operands/0/path"),
    "add-value": Addition({"type": "S"}, "value"),
    "add-action": Addition({"verb": "set"}, "path"),
    "add-path": Addition({}, ""),
    "add-attribute": Addition({"type": "S"}, "name"),
    "add-name": Addition({"token": "#"}, "token"),
    "add-part": Addition({"table": ""}, "table"),
}


ADDERS: Mapping[str, str] = {
    "operands": "add-value",
    "update": "add-action",
    "projection": "add-path",
    "key": "add-attribute",
    "item": "add-attribute",
    "exclusive_start_key": "add-attribute",
    "names": "add-name",
    "actions": "add-part",
}
"""What adds a row at a place, by the last part of its name; conditions stand anywhere else."""

STEPS = {"up": -1, "down": 1}


class Edited(NamedTuple):
    """The form after a button, and the control to go on with."""

    outline: Outline
    focus: str | None


def edit(outline: Outline, button: str) -> Edited:
    """The form after the button was pressed. Raises ``UnknownEdit``."""
    verb, _, place = button.partition(" ")
    if not place:
        raise UnknownEdit(button)
    if verb in ADDS:
        return _added(outline, ADDS[verb], place)
    outer, _, number = place.rpartition("/")
    if verb not in MOVES or not is_number(number) or number not in outline.at(outer).inner:
        raise UnknownEdit(button)
    moved = MOVES[verb](outline, outer, number).numbered()
    return Edited(moved, _focus(moved, verb, outer, outline.at(outer).rows().index(number)))


def _focus(moved: Outline, verb: str, outer: str, was: int) -> str:
    """A button (``do/`` and its name) of the row that was moved, or beside the one removed."""
    last = len(moved.at(outer).rows()) - 1
    kind = outer.rpartition("/")[2]
    if verb == "remove" and (last < 0 or kind == "operands"):
        return f"do/{ADDERS.get(kind, 'add-condition')} {outer}"
    place = min(was, last) if verb == "remove" else was + STEPS[verb]
    if verb == "remove" or 0 < place < last:
        return f"do/{verb} {outer}/{place}"
    return f"do/up {outer}/{last}" if place > 0 else f"do/down {outer}/0"


def _added(outline: Outline, addition: Addition, place: str) -> Edited:
    if place.count("/") >= MOST_PARTS:
        return Edited(outline, None)
    rows = outline.at(place).rows()
    number = str(int(rows[-1]) + 1 if rows else 0)
    new = read_outline(addition.controls.items())
    if not addition.controls:
        new = Outline("")
    name = f"{place}/{number}"
    focus = f"{name}/{addition.focus}" if addition.focus else name
    return Edited(outline.with_at(name, new).numbered(), focus)


def _remove(outline: Outline, outer: str, number: str) -> Outline:
    return outline.with_at(f"{outer}/{number}", None)


def _up(outline: Outline, outer: str, number: str) -> Outline:
    rows = outline.at(outer).rows()
    place = rows.index(number)
    return _swapped(outline, outer, number, rows[place - 1]) if place else outline


def _down(outline: Outline, outer: str, number: str) -> Outline:
    rows = outline.at(outer).rows()
    place = rows.index(number) + 1
    return _swapped(outline, outer, number, rows[place]) if place < len(rows) else outline


def _swapped(outline: Outline, outer: str, one: str, other: str) -> Outline:
    rows = outline.at(outer).inner
    first = outline.with_at(f"{outer}/{one}", rows[other])
    return first.with_at(f"{outer}/{other}", rows[one])


MOVES = {"remove": _remove, "up": _up, "down": _down}
