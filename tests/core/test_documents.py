"""Documents: every problem a plan request can have, at its place, with its words, all at once."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from tests.samples import (
    ADA,
    DESIGN,
    EMAIL,
    HANDLE,
    LOCK,
    OWNED,
    Json,
    change,
    create,
    delete,
    plan,
    refusal,
    refused,
    request,
    unique,
)
from webapp.core import documents, jsontext, problems, shapes, values
from webapp.core.planning import budget, changes, design, keys, locks, recordactions
from webapp.core.planning import plan as plans
from webapp.core.planning.plan import Planner
from webapp.core.problems import TEXTS, Refused

WARNINGS = {
    "placeholder-adjacent": "/design/record/partition",
    "record-constant": "/design/record/partition",
    "hot-partition": "/design/lock/partition",
    "digest-guessable": "/design/unique/0/digest",
    "nothing-unique": "/design/unique",
    "invisible-characters": "/changes/0/item/email",
    "mixed-scripts": "/changes/0/item/email",
}
WARNED = [
    request(
        create({"email": {"S": "marc\u043e\u200b"}}, key={"a": "1", "b": "2"}),
        design=unique(
            {**EMAIL, "digest": "sha256"},
            record={"partition": "A{a}{b}", "sort": "PROFILE"},
            lock={**LOCK, "partition": "UNIQ#{namespace}", "sort": "{value}"},
        ),
    ),
    request(create({}), design=unique()),
    request(
        create({}, key={}),
        design=unique(EMAIL, record={"partition": "SETTINGS", "sort": "PROFILE"}),
    ),
]


def item(value: Any, name: str = "x", **members: Any) -> Json:
    return request(create({name: value}), **members)


def designed(**members: Any) -> Json:
    return request(create(ADA), design={**DESIGN, **members})


def ruled(*rules: Json, **members: Any) -> Json:
    return request(create({}), design=unique(*rules, **members))


NUMBER_SORT = {"name": "SK", "type": "N"}
BINARY = {"name": "PK", "type": "B"}
DEEP: Any = {"S": "x"}
for _ in range(33):
    DEEP = {"L": [DEEP]}
SETS = {"a": {"NS": [str(n) for n in range(101)]}, "b": {"NS": [str(n) for n in range(100)]}}
LONG_NAMES = {"n" * 65_000 + str(number): None for number in range(33)}

REFUSALS: list[tuple[str, str, Any]] = [
    # JSON text and shape
    ("json-malformed", "", "{"),
    ("json-encoding", "", b"\xff"),
    ("json-too-deep", "", "[" * 100_000),
    ("json-duplicate", "/token", '{"token": "a", "token": "b"}'),
    ("member-missing", "/design", {"changes": [create(ADA)]}),
    ("member-missing", "/changes/0/after", request({"operation": "change", "key": {"id": "1"}})),
    ("member-unknown", "/changes/0/after", request(create(ADA, after={}))),
    ("member-type", "/changes", {"design": DESIGN, "changes": {}}),
    ("member-type", "/changes/0", request("create")),
    ("member-type", "/changes/0/item", request(create([]))),  # type: ignore[arg-type]
    ("member-type", "/return_existing", request(create(ADA), return_existing=1)),
    ("member-choice", "/changes/0/operation", request({"operation": "upsert"})),
    ("member-choice", "/values", request(create(ADA), values="json")),
    ("member-empty", "/changes", request()),
    ("member-invalid", "/design/unique/0/namespace", ruled({**EMAIL, "namespace": "x" * 256})),
    ("too-many-problems", "", item({"L": [{}] * 1_001})),
    # the design
    ("version-unknown", "/design/version", designed(version=2)),
    ("table-name", "/design/table", designed(table="a")),
    ("key-name-long", "/design/sort_key/name", designed(sort_key={"name": "x" * 256, "type": "S"})),
    ("key-names-equal", "/design/sort_key/name", designed(sort_key={"name": "PK", "type": "S"})),
    ("sort-template-missing", "/design/record/sort", designed(record={"partition": "A#{id}"})),
    ("sort-template-surplus", "/design/record/sort", designed(sort_key=None, lock={})),
    ("template-brace", "/design/record/sort", designed(record={"partition": "{id}", "sort": "{"})),
    ("template-empty", "/design/record/sort", designed(record={"partition": "{id}", "sort": ""})),
    ("template-number", "/design/record/sort", designed(sort_key=NUMBER_SORT, lock={})),
    ("lock-placeholder", "/design/lock/partition", designed(lock={"partition": "{id}#{value}"})),
    (
        "lock-placeholder-twice",
        "/design/lock/sort",
        designed(lock={"partition": "{namespace}#{value}", "sort": "{value}"}),
    ),
    ("lock-value-missing", "/design/lock/partition", designed(lock={"partition": "{namespace}"})),
    ("lock-namespace-missing", "/design/lock/partition", designed(lock={"partition": "{value}"})),
    (
        "lock-ambiguous",
        "/design/lock/partition",
        designed(lock={"partition": "{namespace}{value}"}),
    ),
    (
        "lock-number",
        "/design/lock/sort",
        designed(
            sort_key=NUMBER_SORT,
            record={"partition": "A#{id}", "sort": "1"},
            lock={"partition": "U#{namespace}", "sort": "{value}"},
        ),
    ),
    (
        "lock-partition-number",
        "/design/lock/partition",
        designed(
            partition_key={"name": "PK", "type": "N"}, record={"partition": "{id}", "sort": "P"}
        ),
    ),
    (
        "lock-table-same",
        "/design/lock/table/name",
        designed(lock={"table": {"name": "accounts", "partition_key": BINARY}}),
    ),
    (
        "lock-namespace-long",
        "/design/unique/0/namespace",
        ruled(
            {**EMAIL, "namespace": "\u20ac" * 255},
            lock={"partition": "{value}", "sort": "x" * 260 + "{namespace}"},
        ),
    ),
    (
        "record-poses-as-lock",
        "/design/record/partition",
        designed(record={"partition": "{id}", "sort": "{x}"}),
    ),
    ("owner-is-key", "/design/lock/owner", designed(lock={**LOCK, "owner": "PK"})),
    ("namespace-separator", "/design/unique/0/namespace", ruled({**EMAIL, "namespace": "A#"})),
    (
        "namespace-prefix",
        "/design/unique/1/namespace",
        ruled(
            {**EMAIL, "namespace": "x"},
            {**HANDLE, "namespace": "xa"},
            lock={**LOCK, "partition": "{namespace}aa{value}"},
        ),
    ),
    (
        "namespace-shared",
        "/design/unique/1/namespace",
        ruled(EMAIL, {**HANDLE, "namespace": "EMAIL", "normalize": ["nfc"]}),
    ),
    ("constraint-twice", "/design/unique/1", ruled(EMAIL, EMAIL)),
    ("attribute-twice", "/design/unique/0/attributes/1", ruled({**EMAIL, "attributes": ["a"] * 2})),
    (
        "unique-key-attribute",
        "/design/unique/0/attributes/0",
        ruled({**EMAIL, "attributes": ["PK"]}),
    ),
    (
        "only-when-type",
        "/design/unique/0/only_when/s/0",
        ruled({**EMAIL, "only_when": {"s": [None]}}),
    ),
    # keys of records
    ("key-part-missing", "/changes/0/key/id", request(create(ADA, key={}))),
    ("key-part-empty", "/changes/0/key/id", request(create(ADA, key={"id": ""}))),
    ("key-part-unknown", "/changes/0/key/x", request(create(ADA, key={"id": "1", "x": "2"}))),
    ("key-part-type", "/changes/0/key/id", request(create(ADA, key={"id": True}))),
    ("key-part-binary", "/changes/0/key/id", request(create(ADA, key={"id": {"B": "AQ=="}}))),
    (
        "key-part-number",
        "/changes/0/key/v",
        request(
            create(ADA, key={"id": "1", "v": "one"}),
            design={
                **DESIGN,
                "sort_key": NUMBER_SORT,
                "record": {"partition": "A#{id}", "sort": "{v}"},
                "lock": {**LOCK, "sort": "0"},
            },
        ),
    ),
    ("key-part-differs", "/changes/0/item/id", request(create({"id": {"S": "2"}}))),
    ("key-part-differs", "/changes/0/after/id", request(change({}, {"id": None}))),
    ("key-too-long", "/changes/0/key/id", request(create(ADA, "x" * 2048))),
    (
        "key-too-long",
        "/changes/0/key/id",
        request(
            create({}, key={"id": {"B": values.encode_binary(b"x" * 2049)}}),
            design={
                **DESIGN,
                "partition_key": BINARY,
                "record": {"partition": "{id}", "sort": "P"},
            },
        ),
    ),
    ("key-too-long", "/changes/0/item/email", request(create({"email": {"S": "x" * 2048}}))),
    (
        "key-too-long",
        "/changes/0/before/email",
        request(
            change({"email": {"S": "x" * 2048}, "s": {"S": "gone"}}, {"s": {"S": "active"}}),
            design=unique({**EMAIL, "only_when": {"s": ["active"]}}),
        ),
    ),
    (
        "guard-too-large",
        "/changes/0/before",
        request(
            delete({f"a{n}": {"NULL": True} for n in range(150)}),
            design=unique(*({"namespace": f"N{n}", "attributes": [f"a{n}"]} for n in range(150))),
        ),
    ),
    (
        "constraints-too-many",
        "/design/unique",
        request(
            create({}),
            design=unique(*({"namespace": f"N{n}", "attributes": ["a"]} for n in range(1_001))),
        ),
    ),
    (
        "too-many-actions",
        "/changes",
        request(*(create({}, str(n)) for n in range(101))),
    ),
    # values
    ("value-untyped", "/changes/0/item/x", item("text")),
    ("value-tags", "/changes/0/item/x", item({})),
    ("value-tag-unknown", "/changes/0/item/x", item({"s": "x"})),
    ("string-expected", "/changes/0/item/x/S", item({"S": 5})),
    ("not-utf8", "/changes/0/item/x/S", item({"S": "\ud800"})),
    ("not-utf8", "/token", request(create(ADA), token="\udfff")),
    ("number-not-text", "/changes/0/item/x/N", item({"N": 5})),
    ("number-malformed", "/changes/0/item/x/N", item({"N": "five"})),
    ("number-too-precise", "/changes/0/item/x/N", item({"N": "1" * 39})),
    ("number-too-large", "/changes/0/item/x/N", item({"N": "1e126"})),
    ("number-too-small", "/changes/0/item/x/N", item({"N": "1e-131"})),
    ("number-float", "/changes/0/item/x", item(0.5, values="plain")),
    ("binary-malformed", "/changes/0/item/x/B", item({"B": "?"})),
    ("bool-expected", "/changes/0/item/x/BOOL", item({"BOOL": "true"})),
    ("null-expected", "/changes/0/item/x/NULL", item({"NULL": False})),
    ("list-expected", "/changes/0/item/x/SS", item({"SS": "a"})),
    ("map-expected", "/changes/0/item/x/M", item({"M": []})),
    ("set-empty", "/changes/0/item/x/SS", item({"SS": []})),
    ("set-duplicate", "/changes/0/item/x/SS/1", item({"SS": ["a", "a"]})),
    ("value-too-deep", "/changes/0/item/x" + "/L/0" * 31 + "/L", item(DEEP)),
    ("attribute-name-empty", "/changes/0/item/", item({"S": "a"}, "")),
    ("attribute-name-long", "/changes/0/item/" + "n" * 65_536, item({"S": "a"}, "n" * 65_536)),
    ("plain-unsupported", "/changes/0/item/x", item(b"bytes", values="plain")),
    # changes and locks
    ("item-absent", "/changes/0/item/x", item(None)),
    ("change-empty", "/changes/0/after", request(change({}, {}))),
    ("before-unknown", "/changes/0/before/email", request(change({}, {"email": {"S": "a"}}))),
    ("key-attribute", "/changes/0/item/PK", item({"S": "x"}, "PK")),
    ("protected-type", "/changes/0/item/email", item({"BOOL": True}, "email")),
    ("protected-empty", "/changes/0/item/email", item({"S": ""}, "email")),
    ("protected-empty", "/changes/0/item/email", item({"SS": ["a", ""]}, "email")),
    ("required-missing", "/changes/0/item/email", ruled({**EMAIL, "required": True})),
    (
        "locks-too-many",
        "/changes/0/item/a",
        request(create(SETS), design=unique({"namespace": "C", "attributes": ["a", "b"]})),
    ),
    (
        "locks-too-many",
        "/changes/0/before/a",
        request(delete(SETS), design=unique({"namespace": "C", "attributes": ["a", "b"]})),
    ),
    ("claimed-twice", "/changes/1/item/email", request(create(ADA), create(ADA, "2"))),
    (
        "claimed-twice",
        "/changes/1/before/a",
        request(
            create({"a": {"S": "x"}, "b": {"S": "y"}}),
            change({"a": {"S": "x"}, "b": None}, {"b": {"S": "y"}}, "2"),
            design=unique({"namespace": "C", "attributes": ["a", "b"]}),
        ),
    ),
    ("held-twice", "/changes/1/before/email", request(delete(ADA), delete(ADA, "2"))),
    (
        "types-mixed",
        "/changes/0/item/username",
        request(
            create({"email": {"S": "5"}, "username": {"N": "5"}}),
            design=unique(EMAIL, {**HANDLE, "namespace": "EMAIL"}),
        ),
    ),
    ("secret-missing", "/secret", ruled({**EMAIL, "digest": "hmac-sha256"})),
    ("record-twice", "/changes/1/key", request(create({}), create({}))),
    # the transaction
    ("token-length", "/token", request(create(ADA), token="")),
    ("token-length", "/token", request(create(ADA), token="x" * 37)),
    ("item-too-large", "/changes/0/item", item({"S": "x" * 409_600})),
    ("item-too-large", "/changes/0/after", request(change({}, {"x": {"S": "x" * 409_600}}))),
    (
        "item-too-large",
        "/changes/0/before",
        request(delete({**ADA, "x": {"S": "x" * 409_600}})),
    ),
    (
        "transaction-too-large",
        "/changes",
        request(*(create({"x": {"S": "x" * 399_000}}, str(n)) for n in range(11))),
    ),
    (
        "too-many-actions",
        "/changes",
        request(*(create({"email": {"S": str(n)}}, str(n)) for n in range(51))),
    ),
    (
        "expression-too-long",
        "/changes/0/after",
        request(change({}, {f"a{n}": {"S": ""} for n in range(450)})),
    ),
    ("variables-too-large", "/changes/0/after", request(change({}, LONG_NAMES))),
]


@pytest.mark.parametrize(
    ("code", "path", "document"),
    REFUSALS,
    ids=[f"{code}-{path[-30:]}" for code, path, _ in REFUSALS],
)
def test_a_request_is_refused_by_code_and_place(code: str, path: str, document: Any) -> None:
    with pytest.raises(Refused) as raised:
        documents.plan(
            documents.read_json(document) if isinstance(document, (str, bytes)) else document
        )
    assert (code, path) in [(each.code, each.path) for each in raised.value.problems]
    for problem in raised.value.problems:
        raw = [f"{{{name}{end}" for name in problem.params for end in ("}", ":")]
        assert not any(brace in problem.message + problem.hint for brace in raw)
        assert problem.message.endswith((".", "}"))
        assert problem.hint.endswith((".", "}"))
    assert jsontext.write(raised.value.as_document())


PLAN_PATH = [
    budget,
    changes,
    design,
    jsontext,
    keys,
    locks,
    plans,
    problems,
    recordactions,
    shapes,
    values,
]


def test_every_code_of_the_plan_path_is_raised_by_a_test() -> None:
    sources = "".join(inspect.getsource(module) for module in PLAN_PATH)
    registered = set(re.findall(r'^        "([a-z0-9-]+)": Text\(', sources, re.MULTILINE))
    assert registered <= TEXTS.keys()
    assert registered == {code for code, _, _ in REFUSALS} | WARNINGS.keys()


def test_warnings_have_their_places_and_refuse_nothing() -> None:
    found = [warning for each in WARNED for warning in documents.plan(each).warnings]
    assert {warning.code: warning.path for warning in found} == WARNINGS
    for warning in found:
        assert not any(f"{{{name}}}" in warning.message for name in warning.params)
        assert warning.hint


UNKNOWN_BESIDE = [
    (
        request(create({"x": {"N": "z"}}) | {"foo": 1}, design=DESIGN | {"foo": 1, "table": "x"}),
        ["/design/foo", "/design/table", "/changes/0/foo", "/changes/0/item/x/N"],
    ),
    (
        request(create({"x": {"N": "z"}})) | {"a/b": 1, "c~d": 1},
        ["/a~1b", "/c~0d", "/changes/0/item/x/N"],
    ),
    (
        request(
            create({}),
            design=DESIGN | {"table": "x", "record": {"partition": "UNIQ#{id}", "sort": "LOCK"}},
        ),
        ["/design/table", "/design/record/partition"],
    ),
]


@pytest.mark.parametrize(("document", "paths"), UNKNOWN_BESIDE, ids=["each", "odd names", "design"])
def test_a_fault_hides_no_other(document: Json, paths: list[str]) -> None:
    assert [path for _, path in refusal(document)] == paths


def test_changes_are_named_by_their_place_in_the_document() -> None:
    same = {"email": {"S": "a"}}
    document = request({"operation": "crete"}, create(same, "1"), create(same, "2"))
    with pytest.raises(Refused) as raised:
        documents.plan(document)
    claimed = next(each for each in raised.value.problems if each.code == "claimed-twice")
    assert (claimed.params["one"], claimed.params["other"]) == (1, 2)


def test_all_problems_of_a_document_are_given_at_once() -> None:
    document = request(
        create({"email": {"s": "a"}, "n": {"N": 5}}, key={"id": ""}),
        {"operation": "upsert"},
        change({"email": {"S": "a"}}, {"username": {"S": "b"}, "PK": {"S": "x"}}, "2"),
        change({"email": None}, {"email": {"S": "x" * 3_000}}, "3"),
        token="",
        extra=1,
    )
    assert refusal(document) == [
        ("member-unknown", "/extra"),
        ("key-part-empty", "/changes/0/key/id"),
        ("value-tag-unknown", "/changes/0/item/email"),
        ("number-not-text", "/changes/0/item/n/N"),
        ("member-choice", "/changes/1/operation"),
        ("key-attribute", "/changes/2/after/PK"),
        ("before-unknown", "/changes/2/before/username"),
        ("key-too-long", "/changes/3/after/email"),
        ("token-length", "/token"),
    ]


def test_problems_of_the_design_do_not_hide_those_of_the_changes() -> None:
    bad = {**DESIGN, "table": "!", "unique": [{**EMAIL, "attributes": ["PK"]}]}
    assert refused(create({"n": {"N": 5}}), design=bad) == [
        ("table-name", "/design/table"),
        ("unique-key-attribute", "/design/unique/0/attributes/0"),
        ("number-not-text", "/changes/0/item/n/N"),
    ]


def test_a_refusal_reads_as_one_sentence_for_each_problem() -> None:
    with pytest.raises(Refused) as raised:
        plan(create({"n": {"N": 5}}), token="")
    assert str(raised.value) == (
        "/changes/0/item/n/N: 5 is a JSON number; DynamoDB takes numbers as text.; "
        "/token: The token has 0 characters; DynamoDB takes 1 to 36."
    )
    assert raised.value.as_document()["problems"][0]["hint"] == 'Write {"N": "5"}.'


def test_a_code_belongs_to_one_area() -> None:
    with pytest.raises(ValueError, match=r"registered twice: \['token-length'\]"):
        problems.register({"token-length": TEXTS["token-length"]})


EXCERPTS: list[tuple[object, str]] = [
    ("short", "short"),
    ("x" * 81, "x" * 80 + "… (81 characters)"),
    ("a\ud800", "a\\ud800"),
    (None, "null"),
    (True, "true"),
    (1.5, "1.5"),
    ({"S": [1, None]}, '{"S": [1, null]}'),
    (jsontext.Digits("1e400"), "1e400"),
    (10**5000, "a very large int"),
]


@pytest.mark.parametrize(("given", "shown"), EXCERPTS, ids=[row[1][:20] for row in EXCERPTS])
def test_what_was_given_is_shown_in_json_words(given: object, shown: str) -> None:
    assert problems.excerpt(given) == shown


def test_a_place_is_a_json_pointer_that_utf8_can_hold() -> None:
    assert problems.pointer("a/b", "~", 0, "", "\ud800") == "/a~1b/~0/0//\\ud800"


def test_lock_keys_show_what_a_rule_makes_of_values() -> None:
    design = documents.read_design(
        unique({**EMAIL, "normalize": ["trim", "casefold"]}, {**HANDLE, "digest": "hmac-sha256"})
    )
    made = Planner(design)
    values_given = documents.known_values({"email": {"SS": [" A ", "b"]}, "username": {"S": "ada"}})
    assert documents.lock_keys(made, 0, values_given) == [
        {"PK": {"S": "UNIQ#EMAIL#a"}, "SK": {"S": "LOCK"}},
        {"PK": {"S": "UNIQ#EMAIL#b"}, "SK": {"S": "LOCK"}},
    ]
    assert documents.lock_keys(made, 1, values_given) == []
    assert len(documents.lock_keys(Planner(design, "s"), 1, values_given, secret="s")) == 1
    hopeless: Any
    for hopeless in ({}, {"S": ""}, {"S": "x" * 2048}, {"L": [{}] * 2_000}, None, "text"):
        known = documents.known_values({"email": hopeless})
        assert documents.lock_keys(made, 0, known) == []


def test_a_design_is_compiled_once_for_equal_documents() -> None:
    first = documents.read_request(request(create(ADA)))
    again = documents.read_request(request(create(ADA), design={**DESIGN}))
    other = documents.read_request(request(create(ADA), design=OWNED))
    assert first.planner is again.planner
    assert first.planner is not other.planner


def test_a_secret_makes_a_planner_of_its_own() -> None:
    rule = unique({**EMAIL, "digest": "hmac-sha256"})
    keyed = [plan(create(ADA), design=rule, secret=secret).text for secret in ("a", "b", "a")]
    assert keyed[0] == keyed[2] != keyed[1]
    given = documents.plan(request(create(ADA), design=rule), secret="a")
    assert given.text == keyed[0]
    assert refused(create(ADA), design=rule) == [("secret-missing", "/secret")]
    assert refused(create(ADA), design=rule, secret="") == [("secret-missing", "/secret")]
