"""JSON text: read strictly and exactly, written always the same."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import jsontext
from webapp.core.jsontext import Digits, pretty, read_json, write
from webapp.core.problems import Refused

READ: list[tuple[str | bytes, Any]] = [
    ('{"a": [1, -0, true, null, "\\u00e9"]}', {"a": [1, 0, True, None, "é"]}),
    ("30.40", Digits("30.40")),
    ("1e2", Digits("1e2")),
    ("70605040302010908071", 70605040302010908071),
    ("1" * 301, Digits("1" * 301)),
    (b'\xef\xbb\xbf{"bom": 1}', {"bom": 1}),
    ('"\\ud83d\\ude00"', "😀"),
    ('"\\ud800"', "\ud800"),
    ("[" * 300 + "]" * 300, None),
]


@pytest.mark.parametrize(("text", "document"), READ, ids=[repr(row[0])[:20] for row in READ])
def test_nothing_is_lost_in_reading(text: str | bytes, document: Any) -> None:
    found = read_json(text)
    assert document is None or (type(found), found) == (type(document), document)


REFUSED: list[tuple[str, str | bytes, list[tuple[str, str]]]] = [
    ("empty", "", [("json-malformed", "")]),
    ("open", "{", [("json-malformed", "")]),
    ("comma", '{"a": 1,}', [("json-malformed", "")]),
    ("quotes", "{'a': 1}", [("json-malformed", "")]),
    ("nan", "[NaN]", [("json-malformed", "")]),
    ("infinity", '{"a": -Infinity}', [("json-malformed", "")]),
    ("two-documents", "{} {}", [("json-malformed", "")]),
    ("control-character", '"a\x01"', [("json-malformed", "")]),
    ("bom-in-text", "\ufeff{}", [("json-malformed", "")]),
    ("no-utf8", b'"\xff"', [("json-encoding", "")]),
    ("utf16", '{"a": 1}'.encode("utf-16"), [("json-encoding", "")]),
    ("deep-lists", "[" * 100_000, [("json-too-deep", "")]),
    ("deep-objects", '{"a":' * 100_000, [("json-too-deep", "")]),
    ("B66-member-twice", '{"pk": 1, "pk": 2}', [("json-duplicate", "/pk")]),
    ("member-thrice", '{"a": 1, "a": 1, "a": 1}', [("json-duplicate", "/a")]),
    (
        "every-member-twice",
        '{"x": [{"a/b": 1, "a/b": 2}, {"c": {"d": 1, "d": 2, "e": 1, "e": 1}}]}',
        [
            ("json-duplicate", "/x/0/a~1b"),
            ("json-duplicate", "/x/1/c/d"),
            ("json-duplicate", "/x/1/c/e"),
        ],
    ),
    ("surrogate-twice", '{"\\ud800": 1, "\\ud800": 2}', [("json-duplicate", "/\\ud800")]),
]


@pytest.mark.parametrize(
    ("text", "problems"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_is_no_exact_json_is_refused(
    text: str | bytes, problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(Refused) as raised:
        read_json(text)
    assert sorted((each.code, each.path) for each in raised.value.problems) == problems
    assert jsontext.write(raised.value.as_document())


def test_the_place_of_a_fault_is_told() -> None:
    with pytest.raises(Refused) as raised:
        read_json('{\n  "a": tru\n}')
    (problem,) = raised.value.problems
    assert problem.message == "This is not JSON: Expecting value (line 2, column 8)."


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)


@given(JSON)
def test_what_is_written_is_read_back_in_its_order(document: Any) -> None:
    for text in (json.dumps(document), pretty(document), json.dumps(document, indent=3)):
        found = read_json(text)
        assert json.dumps(found) == json.dumps(document)


@given(st.binary(max_size=40) | st.text(max_size=40))
def test_any_text_is_a_document_or_refused(text: str | bytes) -> None:
    with contextlib.suppress(Refused):
        read_json(text)


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=4)
ANY_NUMBER = st.integers(-(10**40), 10**40) | st.sampled_from([Digits("30.40"), Digits("-1e999")])
ANYTHING = st.recursive(
    st.none() | st.booleans() | ANY_NUMBER | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=20,
)


@given(ANYTHING)
def test_whatever_was_read_can_be_written_and_is_read_the_same(made: Any) -> None:
    try:
        document = read_json(write(made))
    except Refused:  # two names that are one when their halves are joined
        return
    assert read_json(write(document)) == document
    assert read_json(pretty(document).encode()) == document
    assert read_json(pretty(document, width=10_000)) == document


WRITTEN: list[tuple[str, Any, str]] = [
    ("half-a-pair", {"\ud800": "é\udfff"}, '{"\\ud800":"é\\udfff"}'),
    ("integer", {"é": [10**40, True]}, f'{{"é":[{10**40},true]}}'),
    ("digits", [10**40, Digits("30.40"), Digits("9" * 400)], f"[{10**40},30.40,{'9' * 400}]"),
    ("empty", [10**40, {}, [], "", (), ({"a": None},)], f'[{10**40},{{}},[],"",[],[{{"a":null}}]]'),
    (
        "controls",
        [10**40, '\0\b\t\n\f\r\x1f"\\/'],
        f'[{10**40},"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/"]',
    ),
]


@pytest.mark.parametrize(
    ("document", "text"), [row[1:] for row in WRITTEN], ids=[row[0] for row in WRITTEN]
)
def test_what_the_fast_writer_cannot_write_is_written_in_its_manner(
    document: Any, text: str
) -> None:
    assert write(document).decode() == text


@pytest.mark.parametrize(
    "document",
    [{1: 10**40}, [10**40, object()], {"a": {None: 1}}],
    ids=["number as name", "object", "null as name"],
)
def test_what_no_json_can_say_is_not_written(document: Any) -> None:
    with pytest.raises(TypeError):
        write(document)


def nested(levels: int) -> Any:
    document: Any = 1
    for _ in range(levels):
        document = {"a": [document, {}]}
    return document


@pytest.mark.parametrize("levels", [20, 41, 100, 150, 260, 470, 10_000])
def test_depth_is_no_hindrance_to_writing(levels: int) -> None:
    document = nested(levels)
    line = '{"a":[' * levels + "1" + ",{}]}" * levels
    assert write(document).decode() == line
    assert "".join(pretty(document).split()) == line
    assert len(pretty(document)) < 20 * len(line)


def test_writing_is_compact_utf8_in_the_given_order() -> None:
    assert write({"b": "é", "a": [1, True, None]}) == '{"b":"é","a":[1,true,null]}'.encode()


def test_pretty_text_keeps_typed_values_on_one_line() -> None:
    document = {
        "Item": {"PK": {"S": "ACCT#a1f9c3"}, "tags": {"SS": ["a", "b"]}},
        "List": [{"Put": {}}, {}],
        "Empty": [],
    }
    assert pretty(document, 44) == (
        "{\n"
        '  "Item": {\n'
        '    "PK": {"S": "ACCT#a1f9c3"},\n'
        '    "tags": {"SS": ["a", "b"]}\n'
        "  },\n"
        '  "List": [{"Put": {}}, {}],\n'
        '  "Empty": []\n'
        "}"
    )
