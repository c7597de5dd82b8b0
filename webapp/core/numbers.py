"""DynamoDB numbers as decimal text.

Rule: no number ever passes through a binary float, and a number's text is read once, in linear
time. The reason: 38 digits do not fit a float, and ``1e2``, ``100.0`` and ``00100`` are one lock.
Source: Amazon DynamoDB Developer Guide, "Naming rules and data types", Number.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from webapp.core.limits import NUMBER_DIGITS

_NUMBER = re.compile(
    r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?", re.ASCII
)
_LONGEST_EXPONENT = 6
LARGEST_POWER = 125
SMALLEST_POWER = -130


class Fault(NamedTuple):
    """Why a text is no DynamoDB number: a problem code and what was counted."""

    code: str
    found: int = 0


class Number(NamedTuple):
    """A number's exact value: ``0.digits`` times ten to the ``point``; zero has no digits."""

    negative: bool
    digits: str
    point: int

    @property
    def text(self) -> str:
        """Canonical decimal text without exponent: equal numbers have equal texts."""
        return ("-" if self.negative else "") + _plain(self.digits, self.point)

    @property
    def size(self) -> int:
        """Stored size in bytes, as AWS approximates it: one per two digits, one, one for a sign."""
        return (len(self.digits) + 1) // 2 + 1 + self.negative


def _plain(digits: str, point: int) -> str:
    if not digits:
        return "0"
    if point <= 0:
        return "0." + "0" * -point + digits
    if point >= len(digits):
        return digits + "0" * (point - len(digits))
    return digits[:point] + "." + digits[point:]


def read(text: str) -> Number | Fault:
    """The number that ``text`` spells, or the reason why DynamoDB would refuse it.

    Allowed: an optional sign, digits with at most one dot, an optional exponent; at most 38
    significant digits; magnitude from 1E-130 to 9.99…E+125.
    """
    if text.isdecimal() and text.isascii() and len(text) <= NUMBER_DIGITS:
        digits = text.lstrip("0")
        return Number(False, digits.rstrip("0"), len(digits))
    match = _NUMBER.fullmatch(text)
    if match is None:
        return Fault("number-malformed")
    sign, whole, fraction, bare_fraction, exponent = match.groups(default="")
    fraction = fraction or bare_fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) - (len(whole) + len(fraction) - len(digits))
    return _bounded(sign == "-", digits.rstrip("0"), point, exponent)


def _bounded(negative: bool, digits: str, point: int, exponent: str) -> Number | Fault:
    if not digits:
        return _zero(_exponent(exponent))
    if len(digits) > NUMBER_DIGITS:
        return Fault("number-too-precise", len(digits))
    power = _exponent(exponent) + point
    if power - 1 > LARGEST_POWER:
        return Fault("number-too-large")
    if power - 1 < SMALLEST_POWER:
        return Fault("number-too-small")
    return Number(negative, digits, power)


def _zero(power: int) -> Number | Fault:
    """Zero, unless it is written with an exponent that DynamoDB refuses even there."""
    if power > LARGEST_POWER:
        return Fault("number-too-large")
    return Fault("number-too-small") if power < SMALLEST_POWER else Number(False, "", 0)


def _exponent(text: str) -> int:
    """The exponent; one with absurdly many digits is clipped, which stays out of range."""
    if not text:
        return 0
    size = text.lstrip("+-").lstrip("0")
    magnitude = int(size[: _LONGEST_EXPONENT + 1] or "0")
    return -magnitude if text.startswith("-") else magnitude
