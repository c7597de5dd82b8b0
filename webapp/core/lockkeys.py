"""The keys of locks: made from namespace and lock text alone, and read back exactly.

Rule: a lock's key is a function of its namespace and the lock text, and nothing else; two different
pairs never give one key (the design was checked for that), so a key tells what it protects.
"""

from __future__ import annotations

from collections.abc import Mapping

from webapp.core import keys
from webapp.core.design import Layout
from webapp.core.keys import Key, KeyAttribute, KeyFault, KeyValue
from webapp.core.values import Wire, decode_binary, encode_binary, utf8_size


class LockKeys:
    """The keys of all locks of one namespace."""

    __slots__ = ("_attribute", "_constants", "_fixed_bytes", "_leads", "_prefix", "_suffix")

    def __init__(self, layout: Layout, namespace: str) -> None:
        filled = [
            (attribute, template.with_filled("namespace", namespace))
            for attribute, template in layout.templates
        ]
        self._constants: Wire = {}
        self._fixed_bytes = sum(len(name.encode()) for name in layout.schema.names)
        for attribute, template in filled:
            if template.names:
                self._attribute: KeyAttribute = attribute
                self._prefix, self._suffix = template.literals
            else:
                value = keys.key_value(template.literals[0], attribute)
                assert isinstance(value, KeyValue), "the design was checked"
                self._constants[attribute.name] = value.wire
                self._fixed_bytes += value.size
        self._leads = filled[0][0] is self._attribute

    def key(self, text: str) -> Key | KeyFault:
        """The key of the lock on ``text``, or the fault: a key value over its limit."""
        name, kind, _ = attribute = self._attribute
        text = f"{self._prefix}{text}{self._suffix}"
        size = utf8_size(text)
        if size > attribute.limit:
            return KeyFault(attribute.role, size, attribute.limit)
        value = {"S": text} if kind == "S" else {"B": encode_binary(text.encode())}
        wire = {name: value, **self._constants} if self._leads else {**self._constants, name: value}
        return Key(wire, self._fixed_bytes + size)

    def text_of(self, key: Mapping[str, object]) -> str | None:
        """The lock text of a typed key, or ``None`` when it is no lock of this namespace."""
        name = self._attribute.name
        if key.keys() != self._constants.keys() | {name}:
            return None
        if any(key[other] != constant for other, constant in self._constants.items()):
            return None
        text = _text_of(key[name], self._attribute.type)
        length = len(self._prefix) + len(self._suffix)
        if text is None or len(text) <= length or not text.startswith(self._prefix):
            return None
        return (
            text[len(self._prefix) : len(text) - len(self._suffix)]
            if text.endswith(self._suffix)
            else None
        )


def _text_of(value: object, kind: str) -> str | None:
    """The text of a typed key value of type S, or of type B holding UTF-8."""
    match value:
        case {"S": str(text)} if kind == "S":
            return text
        case {"B": str(data)} if kind == "B":
            try:
                return (decode_binary(data) or b"").decode()
            except UnicodeDecodeError:
                return None
        case _:
            return None
