"""The forms of the pattern's guards, as conditions may be written by hand.

Rule: a guard is told by its form alone: the key is new, the item is there, attributes are what they
were, the owner is the one who was read. Any other condition has no form, and nothing is concluded
from it. (Developer Guide, "Condition expressions".)
"""

from __future__ import annotations

import re
from typing import Final

from webapp.core.failures.actions import Action, Item

_FORMS: Final = (
    ("absent", re.compile(r"\s*attribute_not_exists\s*\(\s*(#?\w+)\s*\)\s*", re.ASCII)),
    ("present", re.compile(r"\s*attribute_exists\s*\(\s*(#?\w+)\s*\)\s*", re.ASCII)),
    ("equal", re.compile(r"\s*(#?\w+)\s*=\s*:\w+\s*", re.ASCII)),
)


def conditions_of(action: Action) -> tuple[list[tuple[str, str]], set[str]]:
    """Take a condition apart: form and attribute of each part, and the words that join them."""
    pieces = re.split(r"\s(AND|OR)\s", action.condition, flags=re.IGNORECASE)
    return [_condition(action, piece) for piece in pieces[::2]], {p.upper() for p in pieces[1::2]}


def _condition(action: Action, text: str) -> tuple[str, str]:
    for form, pattern in _FORMS:
        if found := pattern.fullmatch(text):
            return form, action.attribute(found[1])
    return "", ""


def form_of(action: Action, key: Item) -> str:
    """The form of an action's guard; "" for a condition that is none of the pattern's."""
    parts, joins = conditions_of(action)
    forms = {form for form, _ in parts}
    if "OR" in joins:
        two = [form for form, _ in parts] == ["absent", "equal"]
        return "gone-or-equal" if two and parts[0][1] in key else ""
    if forms == {"absent"}:
        return "absent" if {name for _, name in parts} <= key.keys() else ""
    if "" in forms or len(forms) > 1:
        return "" if "" in forms else "unchanged"
    (form,) = forms
    return "unchanged" if form == "equal" and len(parts) > 1 else form


def compared_in(action: Action, key: Item) -> tuple[str, ...]:
    """The attributes, the key's apart, that a condition compares with what they were."""
    names = [name for form, name in conditions_of(action)[0] if form and name not in key]
    return tuple(dict.fromkeys(names))
