"""Which attributes the rules of step 2 speak of, and which of them have no row in step 3.

Rule: a rule speaks of the attributes that it protects and of those that its condition asks for. The
reason: a plan needs what the record has, or is to have, in each of them, and nobody should have to
look up in one step what the next one wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webapp.core.jsontext import read_json
from webapp.core.problems import Refused
from webapp.web.draft import Attribute, Change, Rule


def named_by(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The attributes that the rules speak of, each once, in the order of the rules."""
    names = (name for rule in rules for name in (*rule.attributes, *_asked_by(rule)))
    return tuple(dict.fromkeys(name for name in names if name))


def _asked_by(rule: Rule) -> Iterator[str]:
    """The attributes that the condition of a rule asks for; none of a JSON text that is broken."""
    match rule.condition:
        case "texts":
            yield rule.when_attribute
        case "json":
            try:
                condition = read_json(rule.when_json)
            except Refused:
                return
            if isinstance(condition, dict):
                yield from condition


def without_row(rules: Iterable[Rule], change: Change) -> tuple[str, ...]:
    """The attributes that the rules speak of and that no row of ``change`` names."""
    rows = {row.name for row in change.attributes}
    return tuple(name for name in named_by(rules) if name not in rows)


def rows_for(names: Iterable[str], changes: Iterable[Change]) -> tuple[Attribute, ...]:
    """A row without a value for each name, of the type that it has in the first of ``changes``."""
    types: dict[str, str] = {}
    for change in changes:
        for row in change.attributes:
            types.setdefault(row.name, row.type)
    return tuple(Attribute(name, types.get(name, "S")) for name in names)
