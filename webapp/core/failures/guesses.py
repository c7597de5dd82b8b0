"""Locks and records told apart without a design, by what keys and values have in common.

Rule: a key that ends in a value which a larger item of the request writes is the key of a lock on
that value; the longest value wins, and what fits two attributes names none. Values are looked up,
never compared pair by pair: a request may hold a hundred items of hundreds of attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from webapp.core import numbers
from webapp.core.failures.actions import Action, Item
from webapp.core.failures.guards import conditions_of
from webapp.core.failures.savedslots import key_in
from webapp.core.limits import PARTITION_KEY_BYTES


class Subject(NamedTuple):
    """What a lock is about: its constraint, where known, the fields it protects, the change."""

    constraint: str | None = None
    fields: tuple[str, ...] = ()
    change: int | None = None


class Image(NamedTuple):
    """What is known of an item of the request, after or before its action."""

    number: int
    values: Item


Subjects = Callable[[Item], Subject | None]
"""What the lock with a key is about, going by some images; ``None`` where none of them fits."""


class Guessed:
    """Locks and records told from the actions themselves, fields by the values in lock keys."""

    def __init__(self, actions: Sequence[Action]) -> None:
        tables: dict[str, list[Action]] = {}
        for action in actions:
            tables.setdefault(action.table_name, []).append(action)
        self._names = {table: _names_in(here) for table, here in tables.items()}
        self._key_names = {name for names in self._names.values() for name in names}
        both = [(number, image) for number, a in enumerate(actions) for image in a.images]
        self._held = _Held(Image(number, self._apart(values)) for number, values in both)
        self._sizes = [len(self._apart(action.images[0])) for action in actions]

    def key_names(self, action: Action) -> tuple[str, ...]:
        """The names of the key attributes in the action's table, as far as they can be told."""
        return self._names[action.table_name]

    def is_lock(self, number: int, action: Action, key: Item) -> bool:
        """Whether an item stores an owner, or is smaller than what its key tells of."""
        if any(key_in(value) for value in action.equalities.values()):
            return True
        rest = self._apart(action.item)
        alone = len(self._sizes) == 1
        if action.kind == "Put" and not alone and all(key_in(value) for value in rest.values()):
            return True
        hits = self._held.in_key(key, number)
        return any(self._sizes[hit.number] + _is_named(hit.name, key) > len(rest) for hit in hits)

    def _apart(self, values: Item) -> Item:
        """The values that are no part of a key."""
        return {name: value for name, value in values.items() if name not in self._key_names}

    def subjects(self, images: Sequence[Image]) -> Subjects:
        """What locks are about, going by these images; several fields that fit name none."""
        held = _Held(Image(number, self._apart(values)) for number, values in images)

        def subject(key: Item) -> Subject | None:
            found = held.in_key(key)
            found = [hit for hit in found if _is_named(hit.name, key)] or found
            if len(found) > 1:
                return Subject()
            return next((Subject(h.namespace, (h.name,), h.number) for h in found), None)

        return subject

    def unmatched(self, _key: Item, _records: int) -> Subject:
        """What a lock is about that no record fits: nobody knows."""
        return Subject()


def _names_in(here: Sequence[Action]) -> tuple[str, ...]:
    """The key attributes of the actions' table: as a Key shows them, else those all items share.

    Of more than two shared attributes only the one that every guard names is taken.
    """
    shown = next((tuple(action.key) for action in here if action.key), ())
    if shown:
        return shown
    shared = [name for name in here[0].item if all(name in action.item for action in here)]
    if len(shared) <= 2 and len(here) > 1:
        return tuple(shared)
    guarded = [
        {name for form, name in conditions_of(action)[0] if form == "absent"} for action in here
    ]
    common = set.intersection(*guarded) & {*shared}
    return tuple(common) if len(common) == 1 else ()


class _Hit(NamedTuple):
    """An attribute whose value a key ends in, and what stands before it in the key."""

    number: int
    name: str
    before: str

    @property
    def namespace(self) -> str | None:
        """The last word before the value, as in ``UNIQ#EMAIL#…``."""
        words = re.findall(r"[^#|:/\s]+", self.before)
        return words[-1] if words else None


class _Held:
    """Which attributes of which images hold a text, as it is spelled and looking past spelling."""

    def __init__(self, images: Iterable[Image]) -> None:
        self._spelled: dict[str, dict[tuple[int, str], None]] = {}
        self._folded: dict[str, dict[tuple[int, str], None]] = {}
        for number, values in images:
            for name, value in values.items():
                for text in _members(value):
                    self._spelled.setdefault(text, {})[number, name] = None
                    self._folded.setdefault(_folded(text), {})[number, name] = None

    def in_key(self, key: Item, but: int | None = None) -> list[_Hit]:
        """The attributes, those of image ``but`` apart, whose value a key ends in.

        The first key attribute that holds one decides, the longest value wins, and spelling is
        looked past only if none fits.
        """
        texts = [text for value in key.values() for text in _members(value)]
        for table, fold in ((self._spelled, str), (self._folded, _folded)):
            for text in texts:
                for before, part in _endings(text):
                    found = table.get(fold(part), {})
                    hits = [_Hit(number, name, before) for number, name in found if number != but]
                    if part and hits:
                        return hits
        return []


def _endings(text: str) -> Iterator[tuple[str, str]]:
    """The ends of a key's text that may be a value, longest first: all, or behind a separator."""
    for start in range(len(text)):
        if not start or not text[start - 1].isalnum():
            yield text[:start], text[start:]


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


def _is_named(name: str, key: Item) -> bool:
    """Whether an attribute's name stands in a key, as in ``UNIQ#EMAIL#…``."""
    return any(_folded(name) in _folded(text) for value in key.values() for text in _members(value))
