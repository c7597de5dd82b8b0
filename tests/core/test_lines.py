"""On which line a place of a JSON text stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.lines import lines_of
from webapp.core.problems import pointer

TEXT = """
{"a": 1,
 "b/~": [ {"x": {"N": "1"},
            "y": [2,
                  [],
                  {}]},
   3
 ]
}
"""

PLACES = {
    "": 2,
    "/a": 2,
    "/b~1~0": 3,
    "/b~1~0/0": 3,
    "/b~1~0/0/x/N": 3,
    "/b~1~0/0/y": 4,
    "/b~1~0/0/y/0": 4,
    "/b~1~0/0/y/1": 5,
    "/b~1~0/0/y/2": 6,
    "/b~1~0/1": 7,
    "/missing": 2,
    "/b~1~0/0/missing/deep": 3,
    "/b~1~0/0/y/9": 4,
    "/a/no/object": 2,
}


def test_every_place_has_its_line_and_a_missing_one_that_of_what_is_around_it() -> None:
    assert lines_of(TEXT, PLACES) == PLACES


@pytest.mark.parametrize("text", ["", "{", '{"a"', '{"a":', "[1", "[1,", "nul", "{]", '{"a" 1}'])
def test_a_text_that_is_no_json_has_no_lines(text: str) -> None:
    assert lines_of(text, ["/a/b", "/1/x"]).keys() <= {"/a/b", "/1/x"}


def test_what_is_nested_too_deeply_ends_well() -> None:
    text = "[" * 500 + "]" * 500
    assert lines_of(text, ["/0" * 500]) == {"/0" * 500: 1}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


def places(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    below: Any = value.items() if isinstance(value, dict) else ()
    below = enumerate(value) if isinstance(value, list) else below
    return [at, *(place for name, member in below for place in places(member, (*at, name)))]


@given(JSON)
def test_each_member_stands_on_its_own_line_when_each_has_one(document: Any) -> None:
    text = json.dumps(document, indent=1)
    pointers = [pointer(*place) for place in places(document)]
    lines = list(lines_of(text, pointers).values())
    assert lines == sorted(set(lines))
