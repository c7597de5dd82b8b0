"""Numbers: exact, canonical, within the service's limits."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import numbers
from webapp.core.numbers import Fault, Number

CANONICAL = [
    ("100", "100"),
    ("100.0", "100"),
    ("1e2", "100"),
    ("00100", "100"),
    ("+1", "1"),
    ("-0", "0"),
    ("0e125", "0"),
    ("0e-130", "0"),
    ("0.00", "0"),
    (".5", "0.5"),
    ("5.", "5"),
    ("-15e-1", "-1.5"),
    ("1.5E+3", "1500"),
    ("0.00120", "0.0012"),
    ("70605040302010908071", "70605040302010908071"),
    ("9" * 38, "9" * 38),
    ("9" * 38 + "0" * 88, "9" * 38 + "0" * 88),
    ("1E125", "1" + "0" * 125),
    ("1e-130", "0." + "0" * 129 + "1"),
    ("0" * 500_000 + "7", "7"),
]

FAULTS = [
    ("", "number-malformed"),
    (" 5", "number-malformed"),
    ("5\n", "number-malformed"),
    ("1,5", "number-malformed"),
    ("1_000", "number-malformed"),
    ("0x10", "number-malformed"),
    ("NaN", "number-malformed"),
    ("Infinity", "number-malformed"),
    (".", "number-malformed"),
    ("e5", "number-malformed"),
    ("1e", "number-malformed"),
    ("--1", "number-malformed"),
    ("\u0661", "number-malformed"),
    ("\uff11", "number-malformed"),
    ("1" * 39, "number-too-precise"),
    ("1." + "0" * 37 + "01", "number-too-precise"),
    ("1E126", "number-too-large"),
    ("-1e126", "number-too-large"),
    ("1e99999999999999999999", "number-too-large"),
    ("0e126", "number-too-large"),
    ("0e99999999999", "number-too-large"),
    ("0e-131", "number-too-small"),
    ("1E-131", "number-too-small"),
    ("1e-99999999999999999999", "number-too-small"),
]


@pytest.mark.parametrize(("given", "canonical"), CANONICAL, ids=[row[0][:24] for row in CANONICAL])
def test_equal_numbers_have_one_canonical_text(given: str, canonical: str) -> None:
    number = numbers.read(given)
    assert isinstance(number, Number)
    assert number.text == canonical


@pytest.mark.parametrize(("given", "code"), FAULTS, ids=[repr(row[0])[:24] for row in FAULTS])
def test_what_dynamodb_would_refuse_is_named(given: str, code: str) -> None:
    fault = numbers.read(given)
    assert isinstance(fault, Fault)
    assert fault.code == code


def test_too_many_digits_are_counted_after_stripping_zeros() -> None:
    assert numbers.read("00" + "1" * 40 + "00") == Fault("number-too-precise", 40)


SIZES = [("0", 1), ("1", 2), ("10", 2), ("12", 2), ("123", 3), ("-123", 4), ("1.5", 2)]


@pytest.mark.parametrize(("given", "size"), SIZES)
def test_the_stored_size_counts_two_digits_a_byte(given: str, size: int) -> None:
    number = numbers.read(given)
    assert isinstance(number, Number)
    assert number.size == size


@given(
    st.integers(-(10**38) + 1, 10**38 - 1), st.integers(-90, 80), st.sampled_from(["e", "E", "e+"])
)
def test_the_value_is_exactly_the_decimal(digits: int, exponent: int, mark: str) -> None:
    text = f"{digits}{mark if exponent >= 0 else 'e'}{exponent}"
    number = numbers.read(text)
    assert isinstance(number, Number)
    assert Decimal(number.text) == Decimal(text)
    assert numbers.read(number.text) == number


@given(st.text("0123456789+-.eE \n", max_size=60))
def test_any_text_is_a_number_or_a_fault(text: str) -> None:
    found = numbers.read(text)
    if isinstance(found, Number):
        assert Decimal(found.text) == Decimal(text)
