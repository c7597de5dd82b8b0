"""Normalisation: one fixed order, a fixed point, no locale."""

from __future__ import annotations

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.planning.normalize import STEPS, WHITE_SPACE, normalizer

ROWS: list[tuple[str, list[str], str, str]] = [
    ("B11-blanks", ["trim"], " ann@x.test\t", "ann@x.test"),
    ("B11-no-break-space", ["trim"], "ann@x.test\u00a0", "ann@x.test"),
    ("every-white-space", ["trim"], f"{WHITE_SPACE}a b{WHITE_SPACE}", "a b"),
    ("only-white-space", ["trim"], WHITE_SPACE, ""),
    ("zero-width-is-no-white-space", ["trim"], "\u200ba", "\u200ba"),
    ("separators-are-no-white-space", ["trim"], "\x1ca\x1f", "\x1ca\x1f"),
    ("B07-composed", ["nfc"], "ju\u0308rgen", "jürgen"),
    ("B07-decomposed-and-composed-meet", ["nfc"], "jürgen", "jürgen"),
    ("nfc-keeps-compatibility", ["nfc"], "ﬁ²Ａ", "ﬁ²Ａ"),
    ("nfkc", ["nfkc"], "ﬁ²Ａ", "fi2A"),
    ("B09-case", ["casefold"], "Ann@Example.TEST", "ann@example.test"),
    ("sharp-s", ["casefold"], "Straße", "strasse"),
    ("final-sigma", ["casefold"], "ΟΔΟΣ", "οδοσ"),
    ("no-turkish-locale", ["casefold"], "I", "i"),
    ("dotted-i", ["nfc", "casefold"], "\u0130", "i\u0307"),
    ("trim-after-nfkc", ["trim", "nfkc"], "a\u00a8", "a \u0308"),
    ("nfkc-makes-blanks-to-trim", ["trim", "nfkc"], "a\u3000\u2003", "a"),
    ("folding-opens-composition", ["nfc", "casefold"], "\u1e96\u0345", "\u1e96\u03b9"),
    ("B20-scripts-are-not-merged", ["trim", "nfkc", "casefold"], "marc\u043e", "marc\u043e"),
    ("nothing-asked-for-ascii", ["nfc"], " Ab ", " Ab "),
]


@pytest.mark.parametrize(
    ("steps", "given_text", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_values_that_are_one_get_one_text(steps: list[str], given_text: str, expected: str) -> None:
    function = normalizer(steps)
    assert function is not None
    assert function(given_text) == expected


def test_without_steps_there_is_no_normalisation() -> None:
    assert normalizer([]) is None


CHARACTERS = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from("\u0301\u0316\u0345\u0308 \u00a0\u0130\u1e9e\ufb01\u03a3\u212b\u2126ßAa"),
    max_size=20,
)
STEP_SETS = st.sets(st.sampled_from(list(STEPS)), min_size=1)


@given(CHARACTERS, STEP_SETS)
def test_normalising_twice_is_normalising_once(text: str, steps: set[str]) -> None:
    function = normalizer(steps)
    assert function is not None
    once = function(text)
    assert function(once) == once
    if "nfkc" in steps:
        assert unicodedata.is_normalized("NFKC", once)
    elif "nfc" in steps:
        assert unicodedata.is_normalized("NFC", once)
    if "trim" in steps:
        assert once == once.strip(WHITE_SPACE)
    if "casefold" in steps:
        assert function(text.upper().lower()) == function(text.lower())


@given(CHARACTERS, STEP_SETS)
def test_the_order_of_the_steps_given_does_not_matter(text: str, steps: set[str]) -> None:
    made = [normalizer(order) for order in itertools.permutations(steps)]
    assert len({function(text) for function in made if function is not None}) == 1


@given(
    st.text(st.sampled_from("a\u0301\u0316\u0345\u0338\u093c가\u1100\u1161\u0344"), max_size=120)
)
def test_long_runs_of_marks_are_ordered_as_the_standard_says(text: str) -> None:
    for form, step in (("NFC", "nfc"), ("NFKC", "nfkc")):
        function = normalizer([step])
        assert function is not None
        assert function(text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


def test_every_single_character_has_a_fixed_point() -> None:
    function = normalizer(STEPS)
    assert function is not None
    changing = [
        character
        for character in map(chr, range(0x110000))
        if unicodedata.decomposition(character) or character.casefold() != character
    ]
    assert len(changing) > 6_000
    for character in changing:
        once = function(character)
        assert function(once) == once, hex(ord(character))
