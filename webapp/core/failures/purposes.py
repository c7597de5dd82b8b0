"""What each action of a hand-written request is for.

Rule: purposes and fields are worked out from the actions, and only where they follow the pattern: a
lock is an item whose key holds a protected value, guarded by ``attribute_not_exists``. A field is
named only if it is the one that fits. The reason: an error that is shown at the wrong field is
worse than one without a field. With a design it is certain: its templates tell locks from records,
and its constraints tell the fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from webapp.core.failures.actions import Action, Item, read_actions
from webapp.core.failures.guards import compared_in, form_of
from webapp.core.failures.guesses import Guessed, Image, Subject, Subjects
from webapp.core.failures.jsonsafe import json_safe
from webapp.core.failures.savedslots import PlannedSlot
from webapp.core.planning.design import Design
from webapp.core.planning.lockkeys import LockKeys
from webapp.core.planning.locks import Rule
from webapp.core.problems import Problems
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


class _Layouts(Protocol):
    """How keys are found, locks told from records, and fields from locks."""

    def key_names(self, action: Action) -> tuple[str, ...]: ...

    def is_lock(self, number: int, action: Action, key: Item) -> bool: ...

    def subjects(self, images: Sequence[Image]) -> Subjects: ...

    def unmatched(self, key: Item, records: int) -> Subject: ...


def slots_of_request(request: object, design: Design | None = None) -> tuple[PlannedSlot, ...]:
    """Work out the slots of a request; () if it has no readable list of actions. Never raises.

    ``request`` is the parameters of TransactWriteItems, or the list of its actions. An action that
    does not follow the pattern has the purpose ``other`` (``check`` for a ConditionCheck), and its
    failed condition means no more than that: ``condition-failed``.
    """
    actions = read_actions(json_safe(request)) or ()
    layouts: _Layouts = Guessed(actions) if design is None else _Designed(design)
    parts = [_part_of(number, action, layouts) for number, action in enumerate(actions)]
    subjects = _subjects(parts, layouts)
    return tuple(
        _slot(number, *pair) for number, pair in enumerate(zip(parts, subjects, strict=True))
    )


class _Played(NamedTuple):
    """An action with its key and the part it plays."""

    action: Action
    key: Item
    purpose: str


def _part_of(number: int, action: Action, layouts: _Layouts) -> _Played:
    key = _key(action, layouts.key_names(action))
    lock = layouts.is_lock(number, action, key)
    return _Played(
        action, key, LOCK_PURPOSES[action.kind] if lock else _record_purpose(action, key)
    )


def _record_purpose(action: Action, key: Item) -> str:
    if action.kind == "ConditionCheck":
        return "check"
    known = not action.condition or ("record", form_of(action, key)) in FAILURES
    return "record" if known else "other"


def _key(action: Action, names: Sequence[str]) -> Item:
    """The key of an action's item: given, or the key attributes of the item that is put."""
    return action.key or {name: action.item[name] for name in names if name in action.item}


def _subjects(parts: Sequence[_Played], layouts: _Layouts) -> Iterator[Subject]:
    """What each action is about; a lock is looked for where it must come from first."""
    images = [part.action.images for part in parts if part.purpose == "record"]
    after = layouts.subjects([Image(change, pair[0]) for change, pair in enumerate(images)])
    before = layouts.subjects([Image(change, pair[1]) for change, pair in enumerate(images)])
    changes = iter(range(len(images)))
    for part in parts:
        match part.purpose:
            case "record":
                yield Subject(None, compared_in(part.action, part.key), next(changes))
            case "claim" | "transfer":
                found = after(part.key) or before(part.key)
                yield found or layouts.unmatched(part.key, len(images))
            case "release":
                found = before(part.key) or after(part.key)
                yield found or layouts.unmatched(part.key, len(images))
            case _:
                yield Subject()


def _slot(number: int, part: _Played, subject: Subject) -> PlannedSlot:
    failure = FAILURES.get((part.purpose, form_of(part.action, part.key)), "condition-failed")
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


# --- with a design -----------------------------------------------------------------------------


class _Designed:
    """Locks and records told by a design's templates, fields by its constraints."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._rules = [Rule(constraint) for constraint in design.unique]
        self._keys = {rule.namespace: LockKeys(design.lock, rule.namespace) for rule in self._rules}

    def key_names(self, action: Action) -> tuple[str, ...]:
        layouts = (self._design.record, self._design.lock)
        return next((lay.schema.names for lay in layouts if lay.table == action.table_name), ())

    def is_lock(self, number: int, action: Action, key: Item) -> bool:
        return action.table_name == self._design.lock.table and self._lock(key) is not None

    def _lock(self, key: Item) -> tuple[str, str] | None:
        texts = ((namespace, keys.text_of(key)) for namespace, keys in self._keys.items())
        return next(((namespace, text) for namespace, text in texts if text is not None), None)

    def subjects(self, images: Sequence[Image]) -> Subjects:
        held: dict[tuple[str, str], Subject] = {}
        for change, values in images:
            known = _read(values)
            for rule in self._rules:
                for text in rule.texts(known):
                    lock = (rule.namespace, text)
                    fields = held[lock].fields if lock in held else ()
                    names = tuple(dict.fromkeys(fields + rule.attributes))
                    held[lock] = Subject(rule.namespace, names, change)
        return lambda key: held.get(self._lock(key) or ("", ""))

    def unmatched(self, key: Item, records: int) -> Subject:
        namespace, _ = self._lock(key) or ("", "")
        rules = [rule for rule in self._rules if rule.namespace == namespace]
        fields = rules[0].attributes if len(rules) == 1 else ()
        return Subject(namespace or None, fields, 0 if records == 1 else None)


def _read(values: Item) -> Mapping[str, Value]:
    read = {name: read_typed(v, Where(None, name), Problems()) for name, v in values.items()}
    return {name: value for name, value in read.items() if value is not None}
