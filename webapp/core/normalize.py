"""How a protected value becomes the text of its lock.

Rule: steps run in one fixed order whatever order was asked for, and go on until nothing changes
any more, so that normalising twice is normalising once. No locale. It shapes the lock key only; the
record keeps what was typed. The reason: two spellings are one value exactly when their locks are
one key. Sources: Unicode Standard Annex #15 (normalization forms), Unicode Standard 3.13 (case
folding), property White_Space.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
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
    if len(text) <= _LONGEST_PLAIN_RUN or text.isascii() or not _has_long_run(text):
        return text
    decomposed = "".join(unicodedata.normalize(form, character) for character in text)
    return "".join(_sorted_runs(decomposed))


def _has_long_run(text: str) -> bool:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > _LONGEST_PLAIN_RUN:
            return True
    return False


def _sorted_runs(text: str) -> Iterator[str]:
    run: list[str] = []
    for character in text:
        if unicodedata.combining(character):
            run.append(character)
            continue
        yield from sorted(run, key=unicodedata.combining)
        run.clear()
        yield character
    yield from sorted(run, key=unicodedata.combining)


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
