"""What the buttons of the form do to its rows: add, remove, move.

Rule: each button is one row of a table, named ``action/number/number``; an edit gives a new draft
and touches nothing but the rows it names. The reason: every control works without a script, and an
edit of one row must never change the value or the type of another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from webapp.web.draft import Attribute, Cell, Change, Draft, Rule
from webapp.web.rulednames import named_by, rows_for, without_row

T = TypeVar("T")


class UnknownEdit(LookupError):
    """A button that the form does not have."""


def _without(rows: tuple[T, ...], at: int) -> tuple[T, ...]:
    return rows[:at] + rows[at + 1 :]


def _swapped(rows: tuple[T, ...], at: int, other: int) -> tuple[T, ...]:
    if not (0 <= at < len(rows) and 0 <= other < len(rows)):
        return rows
    swapped = list(rows)
    swapped[at], swapped[other] = swapped[other], swapped[at]
    return tuple(swapped)


def _with(rows: tuple[T, ...], at: int, edit: Callable[[T], T]) -> tuple[T, ...]:
    return tuple(edit(row) if number == at else row for number, row in enumerate(rows))


def add_rule(draft: Draft) -> Draft:
    """A new, empty rule at the end."""
    return replace(draft, rules=(*draft.rules, Rule()))


def remove_rule(draft: Draft, at: int) -> Draft:
    """The rules without number ``at``."""
    return replace(draft, rules=_without(draft.rules, at))


def move_rule_up(draft: Draft, at: int) -> Draft:
    """Rule ``at`` before the one above it."""
    return replace(draft, rules=_swapped(draft.rules, at, at - 1))


def move_rule_down(draft: Draft, at: int) -> Draft:
    """Rule ``at`` after the one below it."""
    return replace(draft, rules=_swapped(draft.rules, at, at + 1))


def add_part(draft: Draft, at: int) -> Draft:
    """One more attribute in rule ``at``: unique as a combination."""
    return replace(
        draft,
        rules=_with(draft.rules, at, lambda rule: replace(rule, attributes=(*rule.attributes, ""))),
    )


def remove_part(draft: Draft, at: int, part: int) -> Draft:
    """Rule ``at`` without its attribute ``part``."""
    return replace(
        draft,
        rules=_with(
            draft.rules, at, lambda rule: replace(rule, attributes=_without(rule.attributes, part))
        ),
    )


def add_change(draft: Draft) -> Draft:
    """One more record in the same transaction, with rows for what the rules speak of.

    Their types are those of the records before it; their values are its own.
    """
    rows = rows_for(named_by(draft.rules), draft.changes) or (Attribute(),)
    return replace(draft, changes=(*draft.changes, Change(attributes=rows)))


def remove_change(draft: Draft, at: int) -> Draft:
    """The records without number ``at``; the last one stays."""
    return replace(draft, changes=_without(draft.changes, at) or draft.changes)


def _in_change(draft: Draft, at: int, edit: Callable[[Change], Change]) -> Draft:
    return replace(draft, changes=_with(draft.changes, at, edit))


def add_attribute(draft: Draft, change: int) -> Draft:
    """A new, empty attribute row."""
    return _in_change(
        draft, change, lambda was: replace(was, attributes=(*was.attributes, Attribute()))
    )


def add_ruled(draft: Draft, change: int) -> Draft:
    """A row for each attribute that the rules speak of and that has none; empty rows go."""
    return _in_change(draft, change, lambda was: _with_ruled(was, draft))


def _with_ruled(change: Change, draft: Draft) -> Change:
    rows = tuple(row for row in change.attributes if row != Attribute())
    return replace(
        change,
        attributes=rows + rows_for(without_row(draft.rules, change), draft.changes),
    )


def remove_attribute(draft: Draft, change: int, at: int) -> Draft:
    """The attribute rows without number ``at``."""
    return _in_change(
        draft, change, lambda was: replace(was, attributes=_without(was.attributes, at))
    )


def go_on(draft: Draft) -> Draft:
    """After a run: what was written is what is known now, ready for the next change."""
    return replace(draft, changes=tuple(map(_gone_on, draft.changes)))


def _gone_on(change: Change) -> Change:
    match change.operation:
        case "create":
            return replace(change, operation="change")
        case "change":
            return replace(change, attributes=tuple(_become(row) for row in change.attributes))
        case _:
            return replace(change, operation="create")


def _become(row: Attribute) -> Attribute:
    """The row whose value is what it became; one that stays as it is has nothing to become."""
    if row.becomes == Cell() or (row.becomes.given == "typed" and not _is_said(row)):
        return row
    return replace(row, value=row.becomes, becomes=Cell())


def _is_said(row: Attribute) -> bool:
    match row.type:
        case "BOOL":
            return row.becomes.truth != ""
        case "NULL":
            return False
        case _:
            return row.becomes.text != ""


EDITS: dict[str, Callable[..., Draft]] = {
    "add-rule": add_rule,
    "remove-rule": remove_rule,
    "rule-up": move_rule_up,
    "rule-down": move_rule_down,
    "add-part": add_part,
    "remove-part": remove_part,
    "add-change": add_change,
    "remove-change": remove_change,
    "add-attribute": add_attribute,
    "add-ruled": add_ruled,
    "remove-attribute": remove_attribute,
    "go-on": go_on,
}


def edit(draft: Draft, button: str) -> Draft:
    """The draft after the button ``action/number/…`` was pressed; raises ``UnknownEdit``."""
    action, *numbers = button.split("/")
    if action not in EDITS or not all(
        n.isascii() and n.isdecimal() and len(n) < 7 for n in numbers
    ):
        raise UnknownEdit(button)
    try:
        return EDITS[action](draft, *map(int, numbers))
    except TypeError:
        raise UnknownEdit(button) from None


def focus_of(draft: Draft, button: str) -> str | None:
    """The control that a person will want next after that button; ``do/`` begins a button's name.

    It is the one that was made, a button of the row that was moved, or after a removal the one
    that removes the neighbour, else the one that adds a row.
    """
    if button == "go-on":
        return "changes/0/operation"
    parts = button.split("/")
    return _made(draft, parts) or _beside(draft, parts)


def _made(draft: Draft, button: list[str]) -> str | None:
    match button:
        case ["add-rule"]:
            return f"design/unique/{len(draft.rules) - 1}/namespace"
        case ["add-change"]:
            return f"changes/{len(draft.changes) - 1}/operation"
        case ["add-part", number] if int(number) < len(draft.rules):
            last = len(draft.rules[int(number)].attributes) - 1
            return f"design/unique/{number}/attributes/{last}"
        case ["add-ruled", number] if int(number) < len(draft.changes):
            return _first_empty(draft, int(number))
        case ["add-attribute", number] if int(number) < len(draft.changes):
            last = len(draft.changes[int(number)].attributes) - 1
            return f"changes/{number}/attributes/{last}/name"
        case _:
            return None


def _first_empty(draft: Draft, change: int) -> str | None:
    """The value of the first row that has a name and no value yet."""
    for number, row in enumerate(draft.changes[change].attributes):
        if row.name and row.value == Cell():
            return f"changes/{change}/attributes/{number}/value"
    return None


def _beside(draft: Draft, button: list[str]) -> str | None:
    match button:
        case ["remove-rule" | "rule-up" | "rule-down" as action, number]:
            return _beside_rule(action, int(number), len(draft.rules))
        case ["remove-part", number, part] if int(number) < len(draft.rules):
            left = len(draft.rules[int(number)].attributes)
            return _nearest(f"remove-part/{number}", int(part), left, f"add-part/{number}", least=2)
        case ["remove-attribute", number, at] if int(number) < len(draft.changes):
            left = len(draft.changes[int(number)].attributes)
            return _nearest(f"remove-attribute/{number}", int(at), left, f"add-attribute/{number}")
        case ["remove-change", at]:
            return _nearest("remove-change", int(at), len(draft.changes), "add-change", least=2)
        case _:
            return None


def _nearest(button: str, at: int, left: int, add: str, least: int = 1) -> str:
    """The button of the row that took the place ``at``; ``add`` where fewer than ``least`` are."""
    return f"do/{button}/{min(at, left - 1)}" if left >= least else f"do/{add}"


def _beside_rule(action: str, at: int, left: int) -> str:
    """A rule at an end has one way to go only, and its button is there."""
    if action == "remove-rule":
        return _nearest(action, at, left, "add-rule")
    place = at - 1 if action == "rule-up" else at + 1
    if 0 < place < left - 1:
        return f"do/{action}/{place}"
    return f"do/rule-up/{left - 1}" if place > 0 else "do/rule-down/0"
