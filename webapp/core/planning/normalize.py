"""How a protected value becomes the text of its lock.

Rule: steps run in one fixed order whatever order was asked for, and go on until nothing changes
any more, so that normalising twice is normalising once. No locale. It shapes the lock key only; the
record keeps what was typed. The reason: two spellings are one value exactly when their locks are
one key. Sources: Unicode Standard Annex #15 (normalization forms), Unicode Standard 3.13 (case
folding), property White_Space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_LONGEST_PLAIN_RUN = 32

Normalizer = Callable[[str], str]


def _trim(text: str) -> str:
    return text.strip(WHITE_SPACE)


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", _presorted(text, "NFD"))


def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", _presorted(text, "NFKD"))


STEPS: dict[str, Normalizer] = {"trim": _trim, "nfc": _nfc, "nfkc": _nfkc, "casefold": str.casefold}


def _presorted(text: str, form: Literal["NFD", "NFKD"]) -> str:
    """``text`` with very long runs of combining marks already in canonical order.

    The library orders a run by insertion, which is quadratic in its length; a hostile value is
    nothing but such a run. Sorting it first, as the annex defines it, leaves nothing to do.
    """
    if len(text) <= _LONGEST_PLAIN_RUN or text.isascii():
        return text
    runs = _long_runs(text)
    if runs is None or not runs.search(text):
        return text
    pieces = {character: unicodedata.normalize(form, character) for character in set(text)}
    decomposed = "".join(map(pieces.__getitem__, text))
    runs = _long_runs(decomposed)
    return decomposed if runs is None else runs.sub(_sorted_run, decomposed)


def _long_runs(text: str) -> re.Pattern[str] | None:
    """A pattern for very long runs of the combining marks in ``text``, ``None`` without marks."""
    marks = "".join(character for character in set(text) if unicodedata.combining(character))
    return re.compile(f"[{marks}]{{{_LONGEST_PLAIN_RUN + 1},}}") if marks else None


def _sorted_run(run: re.Match[str]) -> str:
    return "".join(sorted(run[0], key=unicodedata.combining))


def normalizer(steps: Iterable[str]) -> Normalizer | None:
    """The function that applies ``steps`` (names of ``STEPS``) to a string; ``None`` for no steps.

    Order: trim, nfc, nfkc, casefold; after case folding the asked normalization form is applied
    again, and everything is repeated until the text stays as it is.
    """
    asked = set(steps)
    chain = [step for name, step in STEPS.items() if name in asked]
    if not chain:
        return None
    if "casefold" in asked:
        chain += [step for name, step in STEPS.items() if name in asked & {"nfc", "nfkc"}]
    plain = _plain_ascii(asked)

    def fixed_point(text: str) -> str:
        if text.isascii():
            return plain(text)
        while True:
            before = text
            for step in chain:
                text = step(text)
            if text == before:
                return text

    return fixed_point


def _plain_ascii(asked: set[str]) -> Normalizer:
    """The same for ASCII text, which every normalization form leaves as it is."""
    match ("trim" in asked, "casefold" in asked):
        case (True, True):
            return lambda text: text.strip(WHITE_SPACE).lower()
        case (True, False):
            return _trim
        case (False, True):
            return str.lower
        case _:
            return str
