"""Designs as files and links: exact when they are in order, harmless when they are not."""

from __future__ import annotations

import base64
import io
import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests import golden
from tests.samples import Json
from tests.web.conftest import form, htmx
from tests.web.reading import Controls
from webapp.core import documents
from webapp.core.jsontext import read_json, write
from webapp.core.problems import Refused
from webapp.web.draft import (
    BLANK,
    EXAMPLE,
    Draft,
    KeyColumn,
    Keys,
    Locks,
    Rule,
    Templates,
    read_draft,
)
from webapp.web.loading import design_link, follow_link, load
from webapp.web.writing import write_design

FULL = replace(
    EXAMPLE,
    table=Keys("accounts", KeyColumn("PK", "S"), KeyColumn("", "")),
    record=Templates("ACCT#{id}", ""),
    locks=Locks(
        Templates("UNIQ#{namespace}#{value}", "0"),
        stores_owner=True,
        owner="holder",
        own_table=True,
        table=Keys("locks", KeyColumn("pk", "S"), KeyColumn("sk", "N")),
    ),
    rules=(
        Rule("EMAIL", ("email",), ("trim", "nfc", "casefold"), required=True, digest="sha256"),
        Rule(
            "SEAT", ("row", "seat"), condition="texts", when_attribute="state", when_values="a\nb"
        ),
        Rule("BADGE", ("badge",), condition="json", when_json='{"age": [5]}'),
    ),
    alias="always",
)


@pytest.mark.parametrize("draft", [EXAMPLE, FULL], ids=["example", "everything"])
def test_a_design_comes_back_from_its_file_and_its_link_as_it_was(draft: Any) -> None:
    document = write_design(draft)
    for loaded in (
        load(BLANK, json.dumps(document)),
        follow_link(BLANK, design_link(draft)),
    ):
        assert write_design(loaded) == document
        assert loaded.changes == BLANK.changes


def test_a_whole_plan_request_can_be_loaded_for_its_design() -> None:
    text = json.dumps({"design": write_design(FULL), "changes": [{"operation": "delete"}]})
    assert write_design(load(BLANK, text)) == write_design(FULL)


@pytest.mark.parametrize(
    "values", [["a\nb"], ["a\rb"], [""], [5], [True], [{"S": "typed"}]], ids=repr
)
def test_a_condition_that_lines_cannot_hold_is_kept_as_json(values: list[Any]) -> None:
    document = write_design(EXAMPLE)
    document["unique"][0]["only_when"] = {"status": values}
    loaded = load(BLANK, json.dumps(document))
    assert loaded.rules[0].condition == "json"
    assert write_design(loaded) == document


def _without(document: Json, *path: str) -> Json:
    """The document without one member, or without it in each entry of a list."""
    if len(path) == 1:
        return {name: value for name, value in document.items() if name != path[0]}
    inner = document.get(path[0])
    if isinstance(inner, list):
        return {**document, path[0]: [_without(entry, *path[1:]) for entry in inner]}
    return {**document, path[0]: _without(inner, *path[1:])} if inner else document


def _of_type(kind: str) -> Callable[[Json], Json]:
    """The design with sort keys of another type, its lock as small as can be."""

    def changed(document: Json) -> Json:
        key, lock = {"name": "SK", "type": kind}, document.get("lock", {})
        own = lock.get("table") and {"table": {**lock["table"], "sort_key": key}}
        sort = {"sort_key": key, "record": {**document["record"], "sort": "0"}}
        return {**document, **sort, "lock": own or {}}

    return changed


EDITS: list[Callable[[Json], Json]] = [
    *map(_of_type, "SNB"),
    *(
        partial(lambda path, document: _without(document, *path), path)
        for path in (
            ("version",),
            ("sort_key",),
            ("record", "sort"),
            ("lock",),
            ("lock", "partition"),
            ("lock", "sort"),
            ("lock", "owner"),
            ("lock", "table"),
            ("lock", "table", "sort_key"),
            ("unique", "normalize"),
            ("unique", "required"),
            ("unique", "only_when"),
            ("unique", "digest"),
            ("alias",),
        )
    ),
]


DESIGNS = list({json.dumps(case.request["design"]): case.name for case in golden.PLANNED}.items())


@pytest.mark.parametrize("text", [row[0] for row in DESIGNS], ids=[row[1] for row in DESIGNS])
def test_every_design_that_the_core_accepts_is_shown_exactly(text: str) -> None:
    edited = [read_json(text), *(edit(read_json(text)) for edit in EDITS)]
    accepted = [
        document
        for first in edited
        for document in (first, *(edit(first) for edit in EDITS[:9]))
        if _is_accepted(document)
    ]
    assert len(accepted) > len(EDITS)
    for document in accepted:
        shown = write_design(load(BLANK, write(document)))
        assert documents.read_design(shown) == documents.read_design(document)


def _is_accepted(document: Json) -> bool:
    try:
        documents.read_design(document)
    except Refused:
        return False
    return True


@pytest.mark.parametrize(
    ("sort_type", "sort"), [("S", "LOCK"), ("N", "0"), ("B", "LOCK")], ids=lambda text: text
)
def test_a_lock_that_is_not_described_stands_where_the_core_puts_it(
    sort_type: str, sort: str
) -> None:
    usual = write_design(EXAMPLE)
    key = {"name": "SK", "type": sort_type}
    table = {"name": "locks", "partition_key": {"name": "PK", "type": "S"}, "sort_key": key}
    records = {**usual, "sort_key": key, "record": {"partition": "ACCT#{id}", "sort": "0"}}
    for document in (
        _without(records, "lock"),
        {**records, "lock": {}},
        {**usual, "lock": {"table": table}},
    ):
        loaded = load(BLANK, json.dumps(document))
        assert loaded.locks.templates == Templates("UNIQ#{namespace}#{value}", sort)


def test_a_condition_with_decimals_keeps_its_digits() -> None:
    document = json.dumps(write_design(EXAMPLE))
    text = document.replace(
        '"attributes": ["email"]', '"attributes": ["email"], "only_when": {"x": [30.40]}'
    )
    loaded = load(BLANK, text)
    assert loaded.rules[0].when_json == '{"x": [30.40]}'
    assert follow_link(BLANK, design_link(loaded)).rules == loaded.rules


def _link(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


BROKEN_LINKS = {
    "no base64": "%%%",
    "empty": "",
    "not packed": _link(b"{}"),
    "cut": design_link(EXAMPLE)[:-20],
    "no object": _link(zlib.compress(b"[]")),
    "a bomb": _link(zlib.compress(b" " * 50_000_000)),
    "deep": _link(zlib.compress(b"[" * 1_000_000)),
    "not ascii": "ü",
}


@pytest.mark.parametrize("link", BROKEN_LINKS.values(), ids=BROKEN_LINKS.keys())
def test_a_broken_link_is_told_and_shows_the_usual_page(client: FlaskClient, link: str) -> None:
    with pytest.raises(Refused):
        follow_link(EXAMPLE, link)
    page = client.get("/", query_string={"design": link})
    assert page.status_code == 422
    assert "ada@lovelace.io" in page.text


def test_a_link_opens_the_design_that_it_carries(client: FlaskClient) -> None:
    page = client.get("/", query_string={"design": design_link(FULL)})
    assert 'value="holder"' in page.text


HOSTILE_FILES = {
    "empty": "",
    "no json": "<script>alert(1)</script>",
    "a list": "[]",
    "unknown members": '{"version": 1, "evil": true}',
    "deep": "[" * 100_000,
    "twice": '{"table": "a", "table": "b"}',
    "half a character": '{"table": "\\ud800"}',
    "wrong types": '{"table": 5, "partition_key": [], "record": "x", "lock": null, "unique": {}}',
    "a million characters": json.dumps({"table": "x" * 1_000_000}),
    "a bare number": "1e999999",
}


@pytest.mark.parametrize("text", HOSTILE_FILES.values(), ids=HOSTILE_FILES.keys())
def test_a_hostile_file_gives_problems_and_loses_nothing(client: FlaskClient, text: str) -> None:
    sent = form(do="load", pasted=text) | {"design/table": "my-table", "token": " kept "}
    page = client.post("/", data=sent)
    assert page.status_code == 422
    assert 'value="my-table"' in page.text
    assert 'value=" kept "' in page.text
    assert "<script>alert(1)" not in page.text


def test_a_file_replaces_the_design_and_keeps_the_change(client: FlaskClient) -> None:
    file = (io.BytesIO(json.dumps(write_design(FULL)).encode()), "design.json")
    edited = replace(EXAMPLE, changes=(replace(EXAMPLE.changes[0], key={"id": "b2"}),))
    page = client.post("/", data={**form(edited, do="load"), "file": file}, headers=htmx("work"))
    assert page.status_code == 200
    assert 'value="holder"' in page.text
    assert "ada@lovelace.io" in page.text


@pytest.mark.parametrize(
    ("draft", "rows"),
    [
        (EXAMPLE, ["email", "username"]),
        (replace(EXAMPLE, rules=FULL.rules), ["email", "row", "seat", "state", "badge", "age"]),
    ],
    ids=["as-in-the-example", "others"],
)
def test_a_link_brings_the_record_of_the_example_only_where_its_attributes_fit(
    client: FlaskClient, draft: Draft, rows: list[str]
) -> None:
    page = client.get("/", query_string={"design": design_link(draft)})
    sent = read_draft(Controls(page.text).pairs.items())
    assert [row.name for row in sent.changes[0].attributes] == rows
    assert ("ada" in page.text) == (draft is EXAMPLE)


def test_the_design_is_downloaded_as_it_can_be_loaded_again(client: FlaskClient) -> None:
    answer = client.post("/download/design.json", data=form(FULL))
    assert answer.headers["Content-Disposition"] == "attachment; filename=accounts-design.json"
    assert write_design(load(BLANK, answer.data)) == write_design(FULL)


def test_an_unfinished_design_can_be_downloaded_too(client: FlaskClient) -> None:
    answer = client.post("/download/design.json", data=form(BLANK))
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert json.loads(answer.data)["table"] == ""
