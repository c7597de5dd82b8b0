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
from collections.abc import Iterable
from typing import Literal

from webapp.core.reserved import needs_alias
from webapp.core.values import Wire

Mode = Literal["needed", "always"]
"""When a name gets a placeholder: only where DynamoDB needs one, or always."""

STEM_LENGTH = 64
NAMELESS = "attribute"
_ODD = re.compile(r"[^A-Za-z0-9]+", re.ASCII)


def stem_of(attribute: str) -> str:
    """Make the readable part of a placeholder: ASCII letters, digits and underscores, at most 64."""
    if len(attribute) <= STEM_LENGTH and attribute.isascii() and attribute.isidentifier():
        return attribute
    plain = unicodedata.normalize("NFKD", attribute[: 2 * STEM_LENGTH])
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _ODD.sub("_", letters).strip("_")[:STEM_LENGTH] or NAMELESS


class Aliases:
    """The placeholders of one request, handed out in order of first use.

    ``reserved_tokens`` are placeholders that somebody else has defined (``"#n"``, ``":v"``); they
    are never handed out. ``names`` and ``values`` are the maps of the request, to be left out
    when empty.
    """

    __slots__ = ("_always", "_numbers", "_reserved", "_tokens", "names", "values")

    def __init__(self, mode: Mode = "needed", reserved_tokens: Iterable[str] = ()) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Wire] = {}
        self._always = mode == "always"
        self._reserved = frozenset(reserved_tokens)
        self._tokens: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def name(self, attribute: str) -> str:
        """Write ``attribute`` as an expression holds it: raw where it may be, or ``#stem``."""
        token = self._tokens.get(attribute)
        if token is None:
            token = self._tokens[attribute] = self._new_name(attribute)
        return token

    def _new_name(self, attribute: str) -> str:
        if not self._always and not needs_alias(attribute):
            return attribute
        token = self._free("#" + stem_of(attribute), self.names)
        self.names[token] = attribute
        return token

    def value(self, attribute: str, wire: Wire, suffix: str = "") -> str:
        """Define a new placeholder ``:stem`` plus ``suffix`` (like ``_before``) for the typed ``wire``."""
        token = self._free(":" + stem_of(attribute) + suffix, self.values)
        self.values[token] = wire
        return token

    def _free(self, token: str, taken: dict[str, str] | dict[str, Wire]) -> str:
        """``token``, or ``token_2``, ``token_3`` … when it is taken."""
        free, number = token, self._numbers.get(token, 1)
        while free in taken or free in self._reserved:
            number += 1
            free = f"{token}_{number}"
        self._numbers[token] = number
        return free
