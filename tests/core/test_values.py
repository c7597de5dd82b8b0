"""Values: typed JSON in and out, value for value and type for type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import values
from webapp.core.jsontext import Digits, read_json, write
from webapp.core.problems import Problems
from webapp.core.values import ROOT, Value, Where

HERE = Where(ROOT, "x")


def read(document: object) -> Value | list[tuple[str, str]]:
    """The value, or code and path of every problem."""
    problems = Problems()
    value = values.read_typed(document, HERE, problems)
    assert (value is None) == bool(problems)
    return [(each.code, each.path) for each in problems] if value is None else value


def read_plain(document: object) -> Value | list[tuple[str, str]]:
    problems = Problems()
    value = values.read_plain(document, HERE, problems)
    return [(each.code, each.path) for each in problems] if value is None else value


def deep(levels: int, tag: str = "L") -> Any:
    document: Any = {"S": "core"}
    for _ in range(levels):
        document = {"L": [document]} if tag == "L" else {"M": {"k": document}}
    return document


EVERY_TYPE: list[tuple[str, Any, int]] = [
    ("S", {"S": "é\u0000"}, 3),
    ("empty-S", {"S": ""}, 0),
    ("N", {"N": "30.40"}, 3),
    ("B", {"B": "AAECgA=="}, 4),
    ("empty-B", {"B": ""}, 0),
    ("BOOL", {"BOOL": False}, 1),
    ("NULL", {"NULL": True}, 1),
    ("empty-L", {"L": []}, 3),
    ("L", {"L": [{"S": "ab"}, {"NULL": True}]}, 3 + 2 + 1 + 1 + 1),
    ("empty-M", {"M": {}}, 3),
    ("M", {"M": {"ké": {"S": "ab"}}}, 3 + 3 + 2 + 1),
    ("SS", {"SS": ["a", "A"]}, 2),
    ("B63-set-of-one-empty-string", {"SS": [""]}, 0),
    ("NS", {"NS": ["1", "-2.5"]}, 5),
    ("BS", {"BS": ["AQ==", "AQI="]}, 3),
    ("deepest", deep(31), 31 * 4 + 4),
    ("deepest-M", deep(31, "M"), 31 * 5 + 4),
]


@pytest.mark.parametrize(
    ("document", "size"), [row[1:] for row in EVERY_TYPE], ids=[row[0] for row in EVERY_TYPE]
)
def test_a_value_is_kept_as_it_came_and_measured(document: Any, size: int) -> None:
    (tag,) = document
    assert read(document) == Value(tag, document, size)


def test_B68_all_ten_types_nested_come_back_value_for_value() -> None:
    document = {"M": {name: value for name, value, _ in EVERY_TYPE if "deepest" not in name}}
    value = read(read_json(write(document)))
    assert isinstance(value, Value)
    assert write(value.wire) == write(document)


REFUSED: list[tuple[str, object, list[tuple[str, str]]]] = [
    ("B66-no-tag", {}, [("value-tags", "/x")]),
    ("B66-two-tags", {"S": "a", "N": "1"}, [("value-tags", "/x")]),
    ("B66-lower-case-tag", {"s": "a"}, [("value-tag-unknown", "/x")]),
    ("B66-no-object", "a", [("value-untyped", "/x")]),
    ("null", None, [("value-untyped", "/x")]),
    ("tag-that-is-no-text", {1: "a"}, [("value-tag-unknown", "/x")]),
    ("B59-number-as-number", {"N": 5}, [("number-not-text", "/x/N")]),
    ("B59-digits", {"N": Digits("5.50")}, [("number-not-text", "/x/N")]),
    (
        "B59-set-of-numbers",
        {"NS": [1, 2]},
        [("number-not-text", "/x/NS/0"), ("number-not-text", "/x/NS/1")],
    ),
    ("number-true", {"N": True}, [("string-expected", "/x/N")]),
    ("string-number", {"S": 5}, [("string-expected", "/x/S")]),
    ("lone-surrogate", {"S": "a\ud800"}, [("not-utf8", "/x/S")]),
    ("number-words", {"N": "five"}, [("number-malformed", "/x/N")]),
    ("binary-text", {"B": "?"}, [("binary-malformed", "/x/B")]),
    ("binary-unpadded", {"B": "AQ"}, [("binary-malformed", "/x/B")]),
    ("binary-line-break", {"B": "AQ==\n"}, [("binary-malformed", "/x/B")]),
    ("binary-url-alphabet", {"B": "_w=="}, [("binary-malformed", "/x/B")]),
    ("binary-non-ascii", {"B": "é==="}, [("binary-malformed", "/x/B")]),
    ("binary-list", {"B": [1]}, [("string-expected", "/x/B")]),
    ("B65-null-false", {"NULL": False}, [("null-expected", "/x/NULL")]),
    ("B65-null-text", {"NULL": "true"}, [("null-expected", "/x/NULL")]),
    ("null-one", {"NULL": 1}, [("null-expected", "/x/NULL")]),
    ("B65-bool-text", {"BOOL": "true"}, [("bool-expected", "/x/BOOL")]),
    ("bool-one", {"BOOL": 1}, [("bool-expected", "/x/BOOL")]),
    ("list-object", {"L": {}}, [("list-expected", "/x/L")]),
    ("map-list", {"M": []}, [("map-expected", "/x/M")]),
    ("B62-empty-SS", {"SS": []}, [("set-empty", "/x/SS")]),
    ("B62-empty-NS", {"NS": []}, [("set-empty", "/x/NS")]),
    ("B62-empty-BS", {"BS": []}, [("set-empty", "/x/BS")]),
    ("B63-duplicate", {"SS": ["a", "a"]}, [("set-duplicate", "/x/SS/1")]),
    ("B63-typed-member", {"SS": ["a", {"S": "b"}]}, [("string-expected", "/x/SS/1")]),
    ("duplicate-number-by-value", {"NS": ["1", "1.0"]}, [("set-duplicate", "/x/NS/1")]),
    ("duplicate-zero", {"NS": ["0", "-0"]}, [("set-duplicate", "/x/NS/1")]),
    ("duplicate-bytes", {"BS": ["AQ==", "AR=="]}, [("set-duplicate", "/x/BS/1")]),
    ("set-text", {"SS": "abc"}, [("list-expected", "/x/SS")]),
    ("too-deep", deep(32), [("value-too-deep", "/x" + "/L/0" * 31 + "/L")]),
    ("too-deep-M", deep(32, "M"), [("value-too-deep", "/x" + "/M/k" * 31 + "/M")]),
    ("nameless-member", {"M": {"": {"S": "a"}}}, [("attribute-name-empty", "/x/M/")]),
    (
        "long-name",
        {"M": {"é" * 32_768: {"S": "a"}}},
        [("attribute-name-long", "/x/M/" + "é" * 32_768)],
    ),
    (
        "all-faults-of-a-value",
        {"L": [{"N": "x"}, {"S": "fine"}, {"M": {"a/b": {}, "~": "y"}}]},
        [
            ("number-malformed", "/x/L/0/N"),
            ("value-tags", "/x/L/2/M/a~1b"),
            ("value-untyped", "/x/L/2/M/~0"),
        ],
    ),
]


@pytest.mark.parametrize(
    ("document", "problems"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_value_that_the_service_would_refuse_is_refused_at_its_place(
    document: object, problems: list[tuple[str, str]]
) -> None:
    assert read(document) == problems


PLAIN: list[tuple[object, Any]] = [
    ("text", {"S": "text"}),
    ("", {"S": ""}),
    (True, {"BOOL": True}),
    (False, {"BOOL": False}),
    (None, {"NULL": True}),
    (5, {"N": "5"}),
    (-0, {"N": "0"}),
    (70605040302010908071, {"N": "70605040302010908071"}),
    (Digits("30.40"), {"N": "30.40"}),
    (Decimal("30.40"), {"N": "30.40"}),
    ([1, ["a"], {}], {"L": [{"N": "1"}, {"L": [{"S": "a"}]}, {"M": {}}]}),
    ({"a": {"b": None}}, {"M": {"a": {"M": {"b": {"NULL": True}}}}}),
]


@pytest.mark.parametrize(("document", "typed"), PLAIN, ids=[repr(row[0]) for row in PLAIN])
def test_plain_json_stands_for_typed_by_one_mapping(document: object, typed: Any) -> None:
    value = read_plain(document)
    assert isinstance(value, Value)
    assert (value, value.wire) == (read(typed), typed)


PLAIN_REFUSED: list[tuple[str, object, list[tuple[str, str]]]] = [
    ("B57-float", 30.4, [("number-float", "/x")]),
    ("nan", Decimal("NaN"), [("number-malformed", "/x")]),
    ("huge-integer", 10**5000, [("number-too-large", "/x")]),
    ("bytes", b"a", [("plain-unsupported", "/x")]),
    ("nested", [1, [0.5]], [("number-float", "/x/1/0")]),
    ("surrogate", {"a": "\udfff"}, [("not-utf8", "/x/a")]),
    ("number-name", {5: "a"}, [("string-expected", "/x/5")]),
]


@pytest.mark.parametrize(
    ("document", "problems"),
    [row[1:] for row in PLAIN_REFUSED],
    ids=[row[0] for row in PLAIN_REFUSED],
)
def test_plain_json_that_cannot_be_kept_exactly_is_refused(
    document: object, problems: list[tuple[str, str]]
) -> None:
    assert read_plain(document) == problems


def test_plain_lists_and_maps_are_as_deep_as_typed_ones() -> None:
    document: Any = "core"
    for _ in range(32):
        document = {"k": [document]}
    assert read_plain(document) == [("value-too-deep", "/x" + "/k/0" * 15 + "/k")]


def test_B57_price_of_30_40_keeps_its_digits_from_text_to_text() -> None:
    value = read_plain(read_json('{"price": 30.40}'))
    assert isinstance(value, Value)
    assert write(value.wire) == b'{"M":{"price":{"N":"30.40"}}}'


def test_B92_long_whole_numbers_keep_every_digit() -> None:
    value = read_plain(read_json("70605040302010908071"))
    assert isinstance(value, Value)
    assert value.wire == {"N": "70605040302010908071"}


def number_texts() -> st.SearchStrategy[str]:
    whole = st.integers(-(10**37), 10**37).map(str)
    return whole | st.tuples(whole, st.integers(-80, 80)).map(lambda pair: f"{pair[0]}E{pair[1]}")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = number_texts()
BINARIES = st.binary(max_size=12).map(values.encode_binary)


def sets(members: st.SearchStrategy[str], tag: str) -> st.SearchStrategy[Any]:
    def identity(member: str) -> object:
        value = values.read_typed({values.MEMBER_TAGS[tag]: member}, HERE, Problems())
        assert value is not None
        return values.identity_of(value)

    return st.lists(members, min_size=1, max_size=4, unique_by=identity).map(lambda m: {tag: m})


SCALARS: st.SearchStrategy[Any] = st.one_of(
    TEXTS.map(lambda text: {"S": text}),
    NUMBERS.map(lambda text: {"N": text}),
    BINARIES.map(lambda text: {"B": text}),
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
    sets(TEXTS, "SS"),
    sets(NUMBERS, "NS"),
    sets(BINARIES, "BS"),
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
TYPED = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda members: {"L": members})
        | st.dictionaries(NAMES, inner, max_size=3).map(lambda members: {"M": members})
    ),
    max_leaves=12,
)


@given(TYPED)
def test_typed_values_make_the_round_trip_byte_for_byte(document: Any) -> None:
    value = read(read_json(write(document)))
    assert isinstance(value, Value)
    assert write(value.wire) == write(document)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["S", "N", "B", "L", "M", "SS", "", "x"]), inner)
    ),
    max_leaves=15,
)


@given(ANYTHING)
def test_anything_else_is_refused_and_never_raises(document: Any) -> None:
    read(document)
    read_plain(document)
