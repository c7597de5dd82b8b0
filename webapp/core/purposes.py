"""What each action of a hand-written request is for.

Rule: purposes and fields are worked out from the actions, and only where they follow the pattern: a
lock is an item whose key holds a protected value, guarded by ``attribute_not_exists``. A field is
named only if it is the one that fits. The reason: an error that is shown at the wrong field is
worse than one without a field. With a design it is certain: its templates tell locks from records,
and its constraints tell the fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from webapp.core import numbers
from webapp.core.actions import Action, Item, read_actions
from webapp.core.design import Design
from webapp.core.errors import json_safe
from webapp.core.limits import PARTITION_KEY_BYTES
from webapp.core.lockkeys import LockKeys
from webapp.core.locks import Rule
from webapp.core.problems import Problems
from webapp.core.savedslots import PlannedSlot, key_in
from webapp.core.values import Value, Where, read_typed

LOCK_PURPOSES: Final[Mapping[str, str]] = {
    "Put": "claim",
    "Delete": "release",
    "Update": "transfer",
    "ConditionCheck": "check",
}
"""What an action on a lock is for."""

FAILURES: Final[Mapping[tuple[str, str], str]] = {
    ("record", "absent"): "exists",
    ("record", "present"): "missing",
    ("record", "equal"): "missing-or-changed",
    ("record", "unchanged"): "missing-or-changed",
    ("claim", "absent"): "taken",
    ("release", "equal"): "held-by-another",
    ("release", "gone-or-equal"): "held-by-another",
    ("transfer", "equal"): "held-by-another",
}
"""What a failed condition means, by the purpose of the action and the form of its guard."""


class Subject(NamedTuple):
    """What a lock is about: its constraint, where known, the fields it protects, the change."""

    constraint: str | None = None
    fields: tuple[str, ...] = ()
    change: int | None = None


class _Image(NamedTuple):
    """What is known of a record of the request, after or before its change."""

    change: int
    values: Item


class _Layouts(Protocol):
    """How keys are found, locks told from records, and fields from locks."""

    def key_names(self, action: Action) -> tuple[str, ...]: ...

    def is_lock(self, action: Action, key: Item) -> bool: ...

    def subject(self, key: Item, images: Sequence[_Image]) -> Subject: ...


def slots_of_request(request: object, design: Design | None = None) -> tuple[PlannedSlot, ...]:
    """Work out the slots of a request; () if it has no readable list of actions. Never raises.

    ``request`` is the parameters of TransactWriteItems, or the list of its actions. An action that
    does not follow the pattern has the purpose ``other`` (``check`` for a ConditionCheck), and its
    failed condition means no more than that: ``condition-failed``.
    """
    actions = read_actions(json_safe(request)) or ()
    layouts: _Layouts = _Guessed(actions) if design is None else _Designed(design)
    parts = [_part_of(action, layouts) for action in actions]
    records = [part for part in parts if part.purpose == "record"]
    return tuple(
        _slot(number, part, _subject(part, layouts, records)) for number, part in enumerate(parts)
    )


class _Played(NamedTuple):
    """An action with its key and the part it plays."""

    action: Action
    key: Item
    purpose: str


def _part_of(action: Action, layouts: _Layouts) -> _Played:
    key = _key(action, layouts.key_names(action))
    return _Played(action, key, _purpose(action, key, layouts))


def _subject(part: _Played, layouts: _Layouts, records: Sequence[_Played]) -> Subject:
    match part.purpose:
        case "record":
            change = next(i for i, record in enumerate(records) if record is part)
            return Subject(None, _compared(part.action, part.key), change)
        case "claim" | "transfer":
            return layouts.subject(part.key, _images(records))
        case "release":
            return layouts.subject(part.key, _images(records)[::-1])
        case _:
            return Subject()


def _images(records: Sequence[_Played]) -> list[_Image]:
    """The images of all records: those after their changes, then those before."""
    pairs = [record.action.images for record in records]
    after = [_Image(change, pair[0]) for change, pair in enumerate(pairs)]
    return after + [_Image(change, pair[1]) for change, pair in enumerate(pairs)]


def _slot(number: int, part: _Played, subject: Subject) -> PlannedSlot:
    failure = FAILURES.get((part.purpose, _form(part.action, part.key)), "condition-failed")
    return PlannedSlot(
        number,
        part.action.kind,
        part.purpose,
        subject.change,
        part.action.table,
        part.key,
        subject.constraint,
        subject.fields,
        failure if part.action.condition else None,
    )


def _purpose(action: Action, key: Item, layouts: _Layouts) -> str:
    if layouts.is_lock(action, key):
        return LOCK_PURPOSES[action.kind]
    if action.kind == "ConditionCheck":
        return "check"
    known = not action.condition or ("record", _form(action, key)) in FAILURES
    return "record" if known else "other"


def _key(action: Action, names: Sequence[str]) -> Item:
    """The key of an action's item: given, or the key attributes of the item that is put."""
    return action.key or {name: action.item[name] for name in names if name in action.item}


# --- guards ------------------------------------------------------------------------------------

_FORMS: Final = (
    ("absent", re.compile(r"\s*attribute_not_exists\s*\(\s*(#?\w+)\s*\)\s*", re.ASCII)),
    ("present", re.compile(r"\s*attribute_exists\s*\(\s*(#?\w+)\s*\)\s*", re.ASCII)),
    ("equal", re.compile(r"\s*(#?\w+)\s*=\s*:\w+\s*", re.ASCII)),
)


def _conditions(action: Action) -> tuple[list[tuple[str, str]], set[str]]:
    """Take a condition apart: form and attribute of each part, and the words that join them."""
    pieces = re.split(r"\s(AND|OR)\s", action.condition, flags=re.IGNORECASE)
    return [_condition(action, piece) for piece in pieces[::2]], {p.upper() for p in pieces[1::2]}


def _condition(action: Action, text: str) -> tuple[str, str]:
    for form, pattern in _FORMS:
        if found := pattern.fullmatch(text):
            return form, action.attribute(found[1])
    return "", ""


def _form(action: Action, key: Item) -> str:
    """The form of an action's guard; "" for a condition that is none of the pattern's."""
    parts, joins = _conditions(action)
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


def _compared(action: Action, key: Item) -> tuple[str, ...]:
    """The attributes, the key's apart, that a condition compares with what they were."""
    names = [name for form, name in _conditions(action)[0] if form and name not in key]
    return tuple(dict.fromkeys(names))


# --- with a design -----------------------------------------------------------------------------


class _Designed:
    """Locks and records told by a design's templates, fields by its constraints."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._rules = [Rule(constraint) for constraint in design.unique]
        self._keys = {rule.namespace: LockKeys(design.lock, rule.namespace) for rule in self._rules}

    def key_names(self, action: Action) -> tuple[str, ...]:
        layouts = (self._design.record, self._design.lock)
        return next((lay.schema.names for lay in layouts if lay.table == action.table), ())

    def is_lock(self, action: Action, key: Item) -> bool:
        return action.table == self._design.lock.table and self._lock(key) is not None

    def _lock(self, key: Item) -> tuple[str, str] | None:
        texts = ((namespace, keys.text_of(key)) for namespace, keys in self._keys.items())
        return next(((namespace, text) for namespace, text in texts if text is not None), None)

    def subject(self, key: Item, images: Sequence[_Image]) -> Subject:
        namespace, text = self._lock(key) or ("", "")
        rules = [rule for rule in self._rules if rule.namespace == namespace]
        for change, values in images:
            known = _read(values)
            holding = [rule for rule in rules if text in rule.texts(known)]
            if holding:
                names = dict.fromkeys(name for rule in holding for name in rule.attributes)
                return Subject(namespace, tuple(names), change)
        fields = rules[0].attributes if len(rules) == 1 else ()
        return Subject(namespace or None, fields, 0 if len(images) == 2 else None)


def _read(values: Item) -> Mapping[str, Value]:
    read = {name: read_typed(v, Where(None, name), Problems()) for name, v in values.items()}
    return {name: value for name, value in read.items() if value is not None}


# --- without a design --------------------------------------------------------------------------


class _Guessed:
    """Locks and records told from the actions themselves, fields by the values in lock keys."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self._actions = actions
        self._names = {action.table: _names_in(action.table, actions) for action in actions}

    def key_names(self, action: Action) -> tuple[str, ...]:
        return self._names[action.table]

    def is_lock(self, action: Action, key: Item) -> bool:
        """An item is a lock if it stores an owner, or is smaller than what its key tells of."""
        if any(key_in(value) for value in action.equalities.values()):
            return True
        others = [other for other in self._actions if other is not action]
        rest = {name: value for name, value in action.item.items() if name not in key}
        if action.kind == "Put" and others and all(key_in(value) for value in rest.values()):
            return True
        return any(self._tells_of(key, len(rest), other) for other in others)

    def _tells_of(self, key: Item, size: int, other: Action) -> bool:
        """Whether a key holds a value of an action that writes more, or as much and is named."""
        for values in other.images:
            written = self._apart(other.table, values)
            for hit in _held(key, written):
                if len(written) + _is_named(hit.name, key) > size:
                    return True
        return False

    def _apart(self, table: str, values: Item) -> Item:
        """The values that are not part of the table's key."""
        return {name: v for name, v in values.items() if name not in self._names[table]}

    def subject(self, key: Item, images: Sequence[_Image]) -> Subject:
        """The first images that fit decide; more than one field among them decides nothing."""
        names = {name for known in self._names.values() for name in known}
        half = len(images) // 2
        for side in (images[:half], images[half:]):
            found = [
                (hit, change)
                for change, values in side
                for hit in _held(key, {n: v for n, v in values.items() if n not in names})
            ]
            found = [pair for pair in found if _is_named(pair[0].name, key)] or found
            if found:
                (hit, change), *others = found
                return Subject() if others else Subject(hit.namespace, (hit.name,), change)
        return Subject()


def _names_in(table: str, actions: Sequence[Action]) -> tuple[str, ...]:
    """The key attributes of a table: as a Key shows them, else those that all put items share.

    Of more than two shared attributes only the one that every guard names is taken.
    """
    here = [action for action in actions if action.table == table]
    shown = next((tuple(action.key) for action in here if action.key), ())
    if shown:
        return shown
    shared = [name for name in here[0].item if all(name in action.item for action in here)]
    if len(shared) <= 2 and len(here) > 1:
        return tuple(shared)
    guarded = [
        {name for form, name in _conditions(action)[0] if form == "absent"} for action in here
    ]
    common = set.intersection(*guarded) & {*shared}
    return tuple(common) if len(common) == 1 else ()


class _Hit(NamedTuple):
    """An attribute whose value a key ends in, and what stands before it in the key."""

    name: str
    before: str

    @property
    def namespace(self) -> str | None:
        """The last word before the value, as in ``UNIQ#EMAIL#…``."""
        words = re.findall(r"[^#|:/\s]+", self.before)
        return words[-1] if words else None


def _held(key: Item, written: Item) -> list[_Hit]:
    """The attributes whose values a key ends in; the longest value wins.

    The first key attribute that holds one decides; spelling is looked past only if none fits.
    """
    for fold in (str, _folded):
        for text in _texts(key):
            hits = [
                _Hit(name, text[: max(0, len(text) - len(part))])
                for name, value in written.items()
                for part in _members(value)
                if _ends_in(fold(text), fold(part))
            ]
            if hits:
                least = min(len(hit.before) for hit in hits)
                return [hit for hit in hits if len(hit.before) == least]
    return []


def _texts(key: Item) -> list[str]:
    return [part for value in key.values() for part in _members(value)]


def _members(value: object) -> list[str]:
    """The texts of a value of type S, N, B or a set of them, as far as a key could hold them."""
    match value:
        case {"S": str(text)} | {"B": str(text)}:
            return [text] if len(text) <= PARTITION_KEY_BYTES else []
        case {"N": str(text)}:
            number = numbers.read(text)
            return [number.text] if isinstance(number, numbers.Number) else []
        case {"SS": [*members]} | {"BS": [*members]}:
            return [text for member in members for text in _members({"S": member})]
        case {"NS": [*members]}:
            return [text for member in members for text in _members({"N": member})]
        case _:
            return []


def _folded(text: str) -> str:
    return text.strip().casefold()


def _ends_in(text: str, part: str) -> bool:
    """Whether a key's text is a part, or ends in it behind a separator."""
    before = text[: len(text) - len(part)]
    return bool(part) and text.endswith(part) and not before[-1:].isalnum()


def _is_named(name: str, key: Item) -> bool:
    """Whether an attribute's name stands in a key, as in ``UNIQ#EMAIL#…``."""
    return any(_folded(name) in _folded(text) for text in _texts(key))
