"""From changes that the core read back to the rows of the form.

Rule: a value stands in the plainest control that can hold it exactly; what no text area can carry
(a carriage return, a NUL, an empty member of a set) stands as typed JSON. The reason: what is
loaded and run again must be the same to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.core.jsontext import pretty
from webapp.core.planning.changes import Change as CoreChange
from webapp.core.values import Value
from webapp.web.draft import Attribute, Cell, Change

UNSENDABLE = frozenset("\r\0")
LINE_TAGS = frozenset({"SS", "NS", "BS"})
Known = Mapping[str, Value | None]


def change_of(change: CoreChange) -> Change:
    """The rows of one change: what becomes of attributes first, then what is only known."""
    now = change.after.values if change.operation == "create" else change.before.values
    becomes = {} if change.operation == "create" else change.after.values
    names = dict.fromkeys((*becomes, *now))
    return Change(
        operation=change.operation,
        key={name: part.text for name, part in change.key.items()},
        attributes=tuple(_row(name, now, becomes) for name in names),
    )


def cell_of(value: Value) -> tuple[str, Cell]:
    """A value in the plainest control that holds it: the type of its row, and its cell."""
    tag = value.tag if _is_plain(value) else "JSON"
    if value.wire == {"S": ""}:
        return "S", Cell(given="empty")
    return (tag, Cell()) if tag == "NULL" else (tag, _typed_cell(tag, value))


def _row(name: str, now: Known, becomes: Known) -> Attribute:
    sides = [known.get(name) for known in (now, becomes)]
    tags = {tag for value in sides if (tag := tag_of(value))}
    row_tag = tags.pop() if len(tags) == 1 else "JSON" if tags else "S"
    value, after = (
        cell_in(row_tag, known[name]) if name in known else Cell() for known in (now, becomes)
    )
    return Attribute(name, row_tag, value, after)


def tag_of(value: Value | None) -> str:
    """The row type that a value needs; "" for one that is a choice of its own in any row."""
    if value is None or value.tag == "NULL" or value.wire == {"S": ""}:
        return ""
    return value.tag if _is_plain(value) else "JSON"


def _is_plain(value: Value) -> bool:
    """Whether the control of its type can hold a value exactly."""
    match value.tag:
        case "S" | "N" | "B":
            return value.content != "" and is_sendable(value.content)
        case tag if tag in LINE_TAGS:
            return all(member and is_sendable(member, "\n") for member in value.content)
        case _:
            return True


def is_sendable(text: str, unwanted: str = "") -> bool:
    """Whether a form carries ``text`` unchanged, and it has none of the ``unwanted`` letters."""
    return UNSENDABLE.isdisjoint(text) and not any(letter in text for letter in unwanted)


def cell_in(tag: str, value: Value | None) -> Cell:
    """The cell that says a value in a row of type ``tag``; ``None`` is absent."""
    if value is None:
        return Cell(given="absent")
    if value.tag == "NULL":
        return Cell(given="null")
    if value.wire == {"S": ""} and tag != "B":
        return Cell(given="empty")
    return _typed_cell(tag, value)


def _typed_cell(tag: str, value: Value) -> Cell:
    content: Any = value.content
    match tag:
        case "BOOL":
            return Cell(truth="true" if content else "false")
        case "L" | "M":
            return Cell(pretty(content))
        case "JSON":
            return Cell(pretty(value.wire))
        case _ if tag in LINE_TAGS:
            return Cell("\n".join(content))
        case _:
            return Cell(content)
