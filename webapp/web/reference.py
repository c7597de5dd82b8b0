"""The reference: every operator, function, verb, limit and reserved word, searchable.

Rule: the page is made of the tables that the checks read and says nothing of its own. A search is a
plain GET, so that it can be linked to. The reason: a reference that is written by hand is wrong
after the first change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flask import Blueprint, Response, request

from webapp.core.expressions.operators import KINDS, OPERATORS, Operator, Slot
from webapp.core.limits import LIMITS, Limit
from webapp.core.reserved import KEYWORDS_UNLISTED, WORDS
from webapp.core.values import TAGS
from webapp.web.navigation import Frame, frame
from webapp.web.responses import respond
from webapp.web.texts import gettext, lazy_gettext, ngettext

blueprint = Blueprint("reference", __name__)

PARTS = {"found": "partials/reference.html"}
LONGEST_SEARCH = 100

GROUPS = {
    "comparator": lazy_gettext("Comparators"),
    "between": lazy_gettext("Comparators"),
    "in": lazy_gettext("Comparators"),
    "function": lazy_gettext("Functions of conditions"),
    "measure": lazy_gettext("Functions of conditions"),
    "junction": lazy_gettext("Joining conditions"),
    "negation": lazy_gettext("Joining conditions"),
    "verb": lazy_gettext("Actions of an update"),
    "arithmetic": lazy_gettext("What SET can assign"),
    "choice": lazy_gettext("What SET can assign"),
    "append": lazy_gettext("What SET can assign"),
}
MISSING = {
    True: lazy_gettext("If the attribute is missing: true."),
    False: lazy_gettext("If the attribute is missing: false."),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One operator: how it is written, where it may stand, what it means."""

    token: str
    form: str
    meaning: str
    rule: str
    kinds: tuple[str, ...]
    types: str
    missing: str


@dataclass(frozen=True, slots=True)
class Section:
    """Operators of one sort."""

    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class ReferenceView:
    """Everything the page shows; ``verdict`` answers a search for one exact name."""

    frame: Frame
    search: str
    verdict: str
    counted: str
    sections: tuple[Section, ...]
    limits: tuple[Limit, ...]
    words: tuple[str, ...]


@blueprint.get("/reference")
def page() -> Response:
    """Everything, or what has the words of ``?q=`` in it."""
    return respond(_view(request.args.get("q", "")), "pages/reference.html", PARTS, 200)


def _view(search: str) -> ReferenceView:
    words = search[:LONGEST_SEARCH].casefold().split()
    sections = tuple(_sections(words))
    limits = tuple(limit for limit in LIMITS.values() if _has(words, _limit_text(limit)))
    reserved = tuple(word for word in sorted(WORDS) if _has(words, word))
    count = sum(len(section.entries) for section in sections) + len(limits) + len(reserved)
    return ReferenceView(
        frame(),
        search,
        _verdict(search.strip()),
        ngettext("%(num)s entry", "%(num)s entries", count),
        sections,
        limits,
        reserved,
    )


def _has(words: Iterable[str], text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _limit_text(limit: Limit) -> str:
    return f"{limit.rule} {limit.maximum} {limit.maximum:,} {limit.unit} {limit.source}"


def _sections(words: list[str]) -> Iterable[Section]:
    by_title: dict[str, list[Entry]] = {}
    for row in OPERATORS.values():
        entry = _entry(row)
        if _has(words, f"{entry.form} {entry.meaning} {entry.rule} {' '.join(entry.kinds)}"):
            by_title.setdefault(gettext(GROUPS[row.form]), []).append(entry)
    for title, entries in by_title.items():
        yield Section(title, tuple(entries))


def _entry(row: Operator) -> Entry:
    return Entry(
        row.token,
        _form(row),
        gettext(row.sentence).format(*(slot.name for slot in row.slots)),
        row.rule,
        tuple(KINDS[kind].label for kind in KINDS if kind in row.kinds),
        "; ".join(f"{slot.name}: {_types(slot)}" for slot in row.slots if slot.types < set(TAGS)),
        "" if row.missing is None else gettext(MISSING[row.missing]),
    )


def _form(row: Operator) -> str:
    """How an operator is written, with the names of its operands."""
    names = [slot.name for slot in row.slots]
    if row.form in {"function", "measure", "choice", "append"}:
        return f"{row.token}({', '.join(names)})"
    return FORMS[row.form].format(row.token, *names)


def _types(slot: Slot) -> str:
    return ", ".join(tag for tag in TAGS if tag in slot.types)


FORMS = {
    "comparator": "{1} {0} {2}",
    "between": "{1} {0} {2} AND {3}",
    "in": "{1} {0} ({2}, …)",
    "junction": "condition {0} condition",
    "negation": "{0} condition",
    "verb": "{0} {1} …",
    "arithmetic": "{1} {0} {2}",
}


def _verdict(name: str) -> str:
    """Whether a word that was searched for is reserved; "" for what is no single name."""
    if not name or not name.isascii() or not name.isidentifier():
        return ""
    upper = name.upper()
    if upper in WORDS | KEYWORDS_UNLISTED:
        return gettext("“%(name)s” is reserved: it needs a placeholder.", name=name)
    return gettext("“%(name)s” is not reserved.", name=name)
