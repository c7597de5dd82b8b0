"""The keys of locks: made from namespace and lock text alone, and read back exactly.

Rule: a lock's key is a function of its namespace and the lock text, and nothing else; two different
pairs never give one key (the design was checked for that), so a key tells what it protects.
"""

from __future__ import annotations

from collections.abc import Mapping

from webapp.core.planning.design import Layout
from webapp.core.planning.keys import Key, OneTextKeys
from webapp.core.values import decode_binary


class LockKeys(OneTextKeys):
    """The keys of all locks of one namespace, made from lock texts."""

    __slots__ = ()

    def __init__(self, layout: Layout, namespace: str) -> None:
        super().__init__(
            [
                (attribute, template.with_filled("namespace", namespace))
                for attribute, template in layout.templates
            ]
        )

    def can_exist(self, text: str) -> bool:
        """Whether the key with ``text`` in its place is within DynamoDB's limits."""
        return isinstance(self.key(text), Key)

    def text_of(self, key: Mapping[str, object]) -> str | None:
        """The lock text of a typed key, or ``None`` when it is no lock of this namespace."""
        name = self.attribute.name
        if key.keys() != self.constants.keys() | {name}:
            return None
        if any(key[other] != constant for other, constant in self.constants.items()):
            return None
        text = _text_of(key[name], self.attribute.type)
        end = -len(self.suffix) or None
        return None if text is None or not self._holds(text) else text[len(self.prefix) : end]

    def _holds(self, text: str) -> bool:
        """Whether ``text`` has something between prefix and suffix."""
        longer = len(text) > len(self.prefix) + len(self.suffix)
        return longer and text.startswith(self.prefix) and text.endswith(self.suffix)


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
