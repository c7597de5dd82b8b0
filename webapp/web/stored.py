"""A record as it is stored, taken into the form, and shown beside what stands there.

Rule: what was read replaces what was believed ("Now") and nothing else: what a record is to become
stays as it was typed, in its own type. A protected attribute that the record does not have is known
to be absent from then on. The reason: a plan is guarded by what was read, and a person who was
overtaken must not type their change again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from webapp.answers import Trouble, Unavailable
from webapp.core.documents import read_quietly, read_request
from webapp.core.failures.replay import same_value
from webapp.core.jsontext import pretty
from webapp.core.planning.plan import Planner
from webapp.core.problems import Refused, pointer
from webapp.core.values import Value
from webapp.records import LockFound, RecordFound, find_record
from webapp.runs import Reader
from webapp.web.board import key_texts, value_text
from webapp.web.draft import Attribute, Cell, Change, Draft
from webapp.web.loading import checked
from webapp.web.result import Result
from webapp.web.rows import cell_in, cell_of, tag_of
from webapp.web.texts import gettext, lazy_gettext, ngettext, say_trouble
from webapp.web.visible import visible
from webapp.web.writing import NOTHING, Sheet, said_in

MOST_ROWS = 400
"""More rows than a form can carry are not shown; attributes without a rule need no "Now"."""

STATES = {
    "own": ("good", lazy_gettext("held by this record")),
    "another": ("bad", lazy_gettext("held by another record:")),
    "unsigned": ("good", lazy_gettext("there; it does not say whose it is")),
    "missing": (
        "bad",
        lazy_gettext(
            "missing: nothing keeps this value unique, and a change that keeps it makes no lock"
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class LockView:
    """A lock of the record: its key, its attributes, how it stands and, if another's, whose."""

    key: tuple[str, ...]
    fields: str
    tone: str
    said: str
    owner: str


@dataclass(frozen=True, slots=True)
class Difference:
    """An attribute that is not as the form says: its name, what it is now, its control if any."""

    name: str
    now: str
    control: str | None


@dataclass(frozen=True, slots=True)
class RecordView:
    """What was read of the record of one change. ``status`` is HTTP's."""

    number: int
    endpoint: str
    tone: str
    headline: str
    hint: str
    status: int
    locks: tuple[LockView, ...] = ()
    differences: tuple[Difference, ...] = ()
    can_be_taken: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """The draft after a record was loaded into change ``view.number``, and what was read of it."""

    draft: Draft
    view: RecordView


def load_record(
    reader: Reader, result: Result, number: int, endpoint: str, secret: str | None
) -> Loaded | None:
    """Read the record of a change into the form; ``None`` where the form makes no key for it.

    Raises ``Refused`` for a record with names that no form can carry.
    """
    try:
        found = _found(reader, result, number, secret)
    except Unavailable as unavailable:
        return Loaded(result.draft, _unread(number, endpoint, unavailable.trouble))
    if found is None:
        return None
    if found.attributes is None:
        return Loaded(result.draft, _absent(number, endpoint))
    changes = list(result.draft.changes)
    changes[number], unshown = filled(changes[number], found.attributes, _protected(result))
    draft = checked(replace(result.draft, changes=tuple(changes)))
    return Loaded(draft, _present(number, endpoint, found, unshown))


def compare_record(
    reader: Reader, result: Result, number: int, endpoint: str, secret: str | None
) -> RecordView | None:
    """Read the record of a change and say where it differs from the form; ``None`` as above."""
    try:
        found = _found(reader, result, number, secret)
    except Unavailable as unavailable:
        return _unread(number, endpoint, unavailable.trouble)
    if found is None:
        return None
    if found.attributes is None:
        return _absent(number, endpoint)
    differences = tuple(_differences(result, number, found.attributes))
    present = _present(number, endpoint, found, 0)
    return replace(
        present,
        tone="unsure" if differences else present.tone,
        headline=_compared(differences),
        differences=differences,
        can_be_taken=bool(differences),
    )


def _compared(differences: tuple[Difference, ...]) -> str:
    if not differences:
        return gettext("The record is as the form says.")
    return ngettext(
        "%(num)s attribute is not what the form says.",
        "%(num)s attributes are not what the form says.",
        len(differences),
    )


def _found(reader: Reader, result: Result, number: int, secret: str | None) -> RecordFound | None:
    """The record of a change by the key that the form gives, if it gives one."""
    if result.planner is None:
        return None
    try:
        asked = read_request(_key_alone(result, number), secret=secret)
        return find_record(reader, asked.planner, asked.changes[0], secret)
    except Refused:
        return None


def _key_alone(result: Result, number: int) -> dict[str, Any]:
    """A plan request about the record's key, with the attributes that a part may come from."""
    document = result.written.document
    change = document["changes"][number]
    known = change.get("before", {})
    names = result.planner.record_keys.names if result.planner else ()
    parts = {name: known[name] for name in names if name in known and name not in change["key"]}
    alone = {"operation": "delete", "key": change["key"], "before": parts}
    return {"design": document["design"], "changes": [alone]}


def _protected(result: Result) -> Iterable[str]:
    """The attributes whose values guard a change, in the order of the rules."""
    planner: Planner | None = result.planner
    rules = planner.rules if planner else ()
    return dict.fromkeys(name for rule in rules for name in rule.constraint.guarded)


def filled(
    change: Change, attributes: Mapping[str, Any], protected: Iterable[str]
) -> tuple[Change, int]:
    """The change with what is stored as its "Now", and how many attributes have no row.

    Rows that stand there stay, in their order; further attributes follow, protected ones first.
    """
    protected = tuple(protected)
    stored = {name: read_quietly(value) for name, value in attributes.items()}
    rows = list(_known_rows(change.attributes, stored))
    names = {row.name for row in rows}
    wanted = [name for name in dict.fromkeys((*protected, *stored)) if name not in names]
    room = max(MOST_ROWS - len(rows), len(protected))
    rows += [_new_row(name, stored.get(name)) for name in wanted[:room]]
    return replace(change, attributes=tuple(rows)), len(wanted[room:])


def _known_rows(
    rows: Iterable[Attribute], stored: Mapping[str, Value | None]
) -> Iterator[Attribute]:
    seen: set[str] = set()
    for row in rows:
        if row.name and row.name not in seen:
            seen.add(row.name)
            yield known_row(row, stored.get(row.name))
        elif row != Attribute():
            yield row


def known_row(row: Attribute, value: Value | None) -> Attribute:
    """The row with ``value`` as what it is now; what it becomes keeps its text and its type."""
    if value is None:
        return replace(row, value=replace(row.value, given="absent"))
    tag = tag_of(value) or ("JSON" if row.type == "B" and value.tag == "S" else row.type)
    if tag == row.type:
        return replace(row, value=cell_in(tag, value))
    becomes = said_in(row, "becomes", "", Sheet())
    if becomes is NOTHING:
        return replace(row, type=tag, value=cell_in(tag, value), becomes=Cell())
    if row.becomes.given in {"null", "absent"}:
        return replace(row, type=tag, value=cell_in(tag, value))
    after = row.becomes if row.type == "JSON" else Cell(pretty(becomes))
    return replace(row, type="JSON", value=cell_in("JSON", value), becomes=after)


def _new_row(name: str, value: Value | None) -> Attribute:
    if value is None:
        return Attribute(name, value=Cell(given="absent"))
    tag, cell = cell_of(value)
    return Attribute(name, tag, cell)


def _differences(
    result: Result, number: int, attributes: Mapping[str, Any]
) -> Iterator[Difference]:
    """The attributes that the form knows otherwise, and the protected ones it does not know."""
    known = result.written.document["changes"][number].get("before", {})
    for name in dict.fromkeys((*known, *_protected(result))):
        now = attributes.get(name)
        if name in known and _same(known[name], now):
            continue
        if name not in known and now is None:
            continue
        at = f"/changes/{number}/before{pointer(name)}"
        control = result.written.control(at) if name in known else None
        yield Difference(visible(name), _text(now), control)


def _same(believed: object, now: object) -> bool:
    return now is None if believed is None else same_value(believed, now)


def _text(value: Mapping[str, Any] | None) -> str:
    return gettext("absent") if value is None else value_text(value)


def _present(number: int, endpoint: str, found: RecordFound, unshown: int) -> RecordView:
    count = len(found.attributes or ())
    read = ngettext("%(num)s attribute", "%(num)s attributes", count)
    headline = gettext("Read from %(name)s: %(read)s.", name=endpoint, read=read)
    locks = tuple(map(_lock_view, found.locks))
    return RecordView(
        number, endpoint, _tone(locks), headline, _unsaid(unshown, found.unread), 200, locks
    )


def _tone(locks: tuple[LockView, ...]) -> str:
    return "unsure" if any(lock.tone == "bad" for lock in locks) else "good"


def _unsaid(unshown: int, unread: int) -> str:
    """What there is more than the page shows."""
    said = []
    if unshown:
        more = (
            "%(num)s more attribute has no row here.",
            "%(num)s more attributes have no row here.",
        )
        said.append(ngettext(*more, unshown))
    if unread:
        more = "%(num)s more lock was not read.", "%(num)s more locks were not read."
        said.append(ngettext(*more, unread))
    return " ".join(said)


def _lock_view(found: LockFound) -> LockView:
    tone, said = STATES[found.state]
    owner = " / ".join(key_texts(found.owner)) if found.state == "another" and found.owner else ""
    fields = ", ".join(map(visible, found.lock.fields))
    return LockView(key_texts(found.lock.key), fields, tone, gettext(said), owner)


def _absent(number: int, endpoint: str) -> RecordView:
    return RecordView(
        number,
        endpoint,
        "bad",
        gettext("There is no such record at %(name)s.", name=endpoint),
        gettext("Nothing was changed here. Check its key; or create it."),
        404,
    )


def _unread(number: int, endpoint: str, trouble: Trouble) -> RecordView:
    said = say_trouble(trouble)
    return RecordView(number, endpoint, "bad", said.message, said.hint, 502)
