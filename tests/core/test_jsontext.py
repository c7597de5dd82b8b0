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
