"""The key of a record: its templates filled from a change's ``key``, or from equal attributes.

Rule: a part comes from the change's key, or from the record's attribute of the same name; where
both are given they agree. The reason: a record whose attribute says another id than its key is two
records to everybody who reads it.
"""

from __future__ import annotations

from collections.abc import Mapping

from webapp.core.planning import keys
from webapp.core.planning.changes import Change, Image
from webapp.core.planning.design import Layout
from webapp.core.planning.keys import Key, KeyValue, Part
from webapp.core.problems import Problems, excerpt
from webapp.core.values import Where, Wire


class RecordKeys:
    """The keys of all records of a design. ``names`` are the placeholders of its templates."""

    __slots__ = ("_fixed", "_name_bytes", "_one_text", "_set", "_templates", "names")

    def __init__(self, layout: Layout) -> None:
        self._templates = layout.templates
        self._name_bytes = sum(len(name.encode()) for name in layout.schema.names)
        self._fixed = {
            attribute.name: value
            for attribute, template in layout.templates
            if not template.names
            and isinstance(value := keys.key_value(template.literals[0], attribute), KeyValue)
        }
        names = (name for _, template in layout.templates for name in template.names)
        self.names = tuple(dict.fromkeys(names))
        self._set = frozenset(self.names)
        self._one_text = (
            keys.OneTextKeys(layout.templates) if keys.is_one_text(layout.templates) else None
        )

    def key(self, change: Change, problems: Problems) -> Key | None:
        """The key of a change's record, or ``None`` with all faults noted."""
        parts: Mapping[str, Part] | None = change.key
        if len(change.key) < len(self.names) or self._stored(change):
            parts = self._joined(change, problems)
        return None if parts is None else self._filled(parts, change, problems)

    def _stored(self, change: Change) -> bool:
        """Whether the record keeps a part of its key as an attribute as well."""
        named = self._set.isdisjoint(change.after.values)
        return not (named and self._set.isdisjoint(change.before.values))

    def _filled(self, parts: Mapping[str, Part], change: Change, problems: Problems) -> Key | None:
        if self._one_text is not None:
            part = parts[self.names[0]]
            key = self._one_text.key(part.text)
            if part.data is None and key.__class__ is Key:
                return key
        wire: Wire = {}
        size = self._name_bytes
        for attribute, template in self._templates:
            value = self._fixed.get(attribute.name)
            if value is None:
                value = keys.fill(template, attribute, parts, change.where, problems)
                if value is None:
                    return None
            wire[attribute.name] = value.wire
            size += value.size
        return Key(wire, size)

    def _joined(self, change: Change, problems: Problems) -> Mapping[str, Part] | None:
        parts = dict(change.key)
        count = len(problems)
        for name in self.names:
            for member, image in (("before", change.before), (change.image_member, change.after)):
                _join(name, parts, member, image, change.where, problems)
            if name not in parts and len(problems) == count:
                at = Where(Where(change.where, "key"), name).pointer()
                problems.add("key-part-missing", at, name=name)
        return None if len(problems) > count else parts


def _join(
    name: str, parts: dict[str, Part], member: str, image: Image, where: Where, problems: Problems
) -> None:
    """Fill a part from the attribute of the same name, or note that the two differ."""
    if name not in image.values:
        return
    at = Where(Where(where, member), name)
    value = image.values[name]
    if value is None:
        if member == "after":
            problems.add("key-part-differs", at.pointer(), name=excerpt(name))
        return
    part = keys.part_of(name, value, at, problems)
    if part is not None and parts.setdefault(name, part) != part:
        problems.add("key-part-differs", at.pointer(), name=excerpt(name))
