"""The keys of locks: made from namespace and text alone, and read back exactly.

Rule: a lock's key is a function of its namespace and the lock text, and nothing else; two different
pairs never give one key (the design was checked for that), so a key tells what it protects.
"""

from __future__ import annotations

from webapp.core import keys, numbers
from webapp.core.design import Layout
from webapp.core.keys import Key, KeyAttribute, KeyFault, KeyValue, Template
from webapp.core.values import Wire, utf8_size


class LockKeys:
    """The keys of all locks of one namespace."""

    __slots__ = ("_attribute", "_constants", "_name_bytes", "_prefix", "_suffix", "_value_first")

    def __init__(self, layout: Layout, namespace: str) -> None:
        filled = [(attribute, template.with_filled("namespace", namespace)) for attribute, template in layout.templates]
        (self._attribute, holder), = [pair for pair in filled if pair[1].names]
        self._prefix, self._suffix = holder.literals
        self._value_first = filled[0][0] is self._attribute
        self._constants = [_constant(attribute, template) for attribute, template in filled if not template.names]
        self._name_bytes = sum(len(name.encode()) for name in layout.schema.names)

    def key(self, text: str) -> Key | KeyFault:
        """The key of the lock on ``text``, or the fault: a key value over its limit."""
        value = keys.key_value(self._prefix + text + self._suffix, self._attribute)
        if not isinstance(value, KeyValue):
            return KeyFault(self._attribute.role, value.count, self._attribute.limit)
        wire: Wire = {self._attribute.name: value.wire}
        size = self._name_bytes + value.size
        for name, constant in self._constants:
            wire = {**wire, name: constant.wire} if self._value_first else {name: constant.wire, **wire}
            size += constant.size
        return Key(wire, size)


def _constant(attribute: KeyAttribute, template: Template) -> tuple[str, KeyValue]:
    value = keys.key_value(template.literals[0], attribute)
    assert isinstance(value, KeyValue), "the design was checked"
    return attribute.name, value
