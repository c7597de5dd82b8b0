"""Readable placeholders for one request: ``#status`` for a name, ``:email_before`` for a value.

Rule: one ``Aliases`` serves all expressions of a request or action, so an attribute has one name
placeholder; every value has its own; whatever is defined is used. A placeholder is made of the
attribute's own letters and digits, and a number is added when it is taken. The reason: DynamoDB
refuses what is unused or undefined, and a person must be able to read the request.
Source: Amazon DynamoDB Developer Guide, "Expression attribute names (aliases)" and "Using
expression attribute values".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal

from webapp.core.reserved import needs_alias
from webapp.core.values import Wire

Mode = Literal["needed", "always"]
"""When a name gets a placeholder: only where DynamoDB needs one, or always."""

STEM_LENGTH = 64
SHORTEST = 4
NO_NAMES: Mapping[str, str] = {}
NO_TOKENS: frozenset[str] = frozenset()
NAMELESS = "attribute"
_ODD = re.compile(r"[^A-Za-z0-9]+", re.ASCII)


def stem_of(attribute: str) -> str:
    """Make the readable part of a placeholder: at most 64 ASCII letters, digits, underscores."""
    if len(attribute) <= STEM_LENGTH and attribute.isascii() and attribute.isidentifier():
        return attribute
    plain = unicodedata.normalize("NFKD", attribute[: 2 * STEM_LENGTH])
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _ODD.sub("_", letters).strip("_")[:STEM_LENGTH] or NAMELESS


def letters(number: int) -> str:
    """Spell a number from 0 in letters: ``a`` to ``z``, then ``aa``, ``ab`` and so on."""
    text = ""
    while number >= 0:
        number, digit = divmod(number, 26)
        text = chr(ord("a") + digit) + text
        number -= 1
    return text


def _first_tokens(own_names: Mapping[str, str]) -> Mapping[str, str]:
    """Invert the user's placeholders; when several stand for one attribute, the first is it."""
    tokens: dict[str, str] = {}
    for token, attribute in own_names.items():
        tokens.setdefault(attribute, token)
    return tokens


class Aliases:
    """The placeholders of one request, handed out in order of first use.

    ``reserved_tokens`` are placeholders that somebody else has defined (``"#n"``, ``":v"``); they
    are never handed out. ``own_names`` are the user's placeholders for names, used instead of new
    ones. ``is_compact`` makes placeholders as short as they can be, for an expression that would
    be too long otherwise. ``names`` and ``values`` are the maps of the request, to be left out
    when empty.
    """

    __slots__ = (
        "_always",
        "_compact",
        "_numbers",
        "_own",
        "_reserved",
        "_tokens",
        "names",
        "values",
    )

    def __init__(
        self,
        mode: Mode = "needed",
        reserved_tokens: Iterable[str] = (),
        *,
        own_names: Mapping[str, str] = NO_NAMES,
        is_compact: bool = False,
    ) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Wire] = {}
        self._always = mode == "always"
        self._compact = is_compact
        self._own = _first_tokens(own_names) if own_names else NO_NAMES
        self._reserved = NO_TOKENS.union(reserved_tokens, own_names)
        self._tokens: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def name(self, attribute: str) -> str:
        """Write ``attribute`` as an expression holds it: raw where it may be, or ``#stem``."""
        token = self._tokens.get(attribute)
        if token is None:
            token = self._tokens[attribute] = self._new_name(attribute)
        return token

    def _new_name(self, attribute: str) -> str:
        token = self._own.get(attribute)
        if token is None:
            if not self._always and not self._is_aliased(attribute):
                return attribute
            token = "#" + self._stem(attribute)
            if token in self.names or token in self._reserved:
                token = self._numbered(token, self.names)
        self.names[token] = attribute
        return token

    def _is_aliased(self, attribute: str) -> bool:
        return needs_alias(attribute) or (self._compact and len(attribute) > SHORTEST)

    def value(self, attribute: str, wire: Wire, suffix: str = "") -> str:
        """Define a new placeholder ``:stem`` plus ``suffix`` (like ``_before``) for ``wire``."""
        stem = self._stem(attribute) if self._compact else stem_of(attribute) + suffix
        token = ":" + stem
        if token in self.values or token in self._reserved:
            token = self._numbered(token, self.values)
        self.values[token] = wire
        return token

    def own_value(self, token: str, wire: Wire) -> str:
        """Define the user's own placeholder for the typed ``wire``; the same one may come again."""
        self.values[token] = wire
        return token

    def _stem(self, attribute: str) -> str:
        """Make the readable stem, or the next of ``a`` … ``z``, ``aa`` … when compact."""
        return letters(len(self.names) + len(self.values)) if self._compact else stem_of(attribute)

    def _numbered(self, token: str, taken: dict[str, str] | dict[str, Wire]) -> str:
        """The first of ``token_2``, ``token_3`` … that is free, for a ``token`` that is taken."""
        free, number = token, self._numbers.get(token, 1)
        while free in taken or free in self._reserved:
            number += 1
            free = f"{token}_{number}"
        self._numbers[token] = number
        return free
