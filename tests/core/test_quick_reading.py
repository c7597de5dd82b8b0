"""The quick way from a request's text to its plan gives what the exact way gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import documents
from webapp.core.jsontext import read_json, read_quickly
from webapp.core.problems import Refused

DESIGN = {
    "version": "@version@",
    "table": "accounts",
    "partition_key": {"name": "PK", "type": "S"},
    "record": {"partition": "ACCT#{id}"},
    "unique": [{"namespace": "EMAIL", "attributes": ["email"], "only_when": {"live": ["@only@"]}}],
}
TYPED = {
    "design": DESIGN,
    "changes": [
        {
            "operation": "create",
            "key": {"id": "@key@"},
            "item": {"email": "@value@", "x": "@value@"},
        }
    ],
}
TEXTS = ['"a:b"', '"\\u003a"', '"\\ud800"', '"é"', '""', '"a\\"b"', "true", "null", "[]", "{}"]
NUMBERS = ["1", "-0", "0.0", "1.50", "1e3", "1E+400", "18446744073709551616", "9" * 400, "NaN"]
TYPED_VALUES = [
    '{"S":"ada"}',
    '{"S":"a:b"}',
    '{"S":"a","S":"b"}',
    '{"S":"a\\u003a"}',
    '{"N":"1.50"}',
    '{"N":1.50}',
    '{"N":1e2}',
    '{"M":{"a":{"S":"1"},"a":{"S":"2"}}}',
    '{"M":{"a":{"N":"1"},"b":{"L":[{"NULL":true}]}}}',
    '{"SS":["a","b"]}',
    '{"SS":["a","a"]}',
]
PIECES = TEXTS + NUMBERS + TYPED_VALUES


def _answer(read: Any) -> Any:
    try:
        return read().as_document()
    except Refused as refused:
        return refused.as_document()


@given(
    values=st.sampled_from(["typed", "plain"]),
    only=st.sampled_from(PIECES),
    key=st.sampled_from(PIECES),
    value=st.sampled_from(PIECES),
    other=st.sampled_from(PIECES),
    version=st.sampled_from(["1", "1", "1", *NUMBERS]),
)
def test_a_request_is_planned_as_if_it_were_read_exactly(
    values: str, only: str, key: str, value: str, other: str, version: str
) -> None:
    text = json.dumps(TYPED | {"values": values})
    fillings = [("version", version), ("only", only), ("key", key), ("value", value)]
    for name, filling in (*fillings, ("value", other)):
        text = text.replace(f'"@{name}@"', filling, 1)
    exactly = _answer(lambda: documents.plan(read_json(text)))
    made = documents.plan_quickly(text.encode())
    assert (exactly if made is None else made.as_document()) == exactly


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":1}',
        '{"a":{"b":"x:y","b":""}}',
        '{"a":"\\u003a","b":1,"b":2}',
        "[1]",
        "1.5",
        "{",
        '{"a":NaN}',
        "{'a':1}",
        '{"a":' * 2000 + "1" + "}" * 2000,
        '{"a":"' + "x" * 70_000 + '"}',
    ],
)
def test_what_it_cannot_judge_is_left_to_the_exact_reader(text: str) -> None:
    assert read_quickly(text.encode()) is None


@pytest.mark.parametrize("text", ['{"a":"b:c",":":[{"d":1},{}]}', ' {"a":1}'.strip(), '{"a":-0}'])
def test_what_it_reads_is_the_same_document(text: str) -> None:
    assert read_quickly(text.encode()) == read_json(text)
