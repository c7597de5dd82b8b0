"""Designs: whatever could give two values one lock is refused, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tests.samples import ADA, DESIGN, EMAIL, HANDLE, LOCK, Json, create, plan, unique
from webapp.core import documents
from webapp.core.problems import Refused


def refusal(design: Any) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as raised:
        documents.read_design(design)
    assert all(problem.message and problem.hint for problem in raised.value.problems)
    return [(problem.code, problem.path) for problem in raised.value.problems]


def lock(**members: Any) -> Json:
    return {**DESIGN, "lock": {**LOCK, **members}}


def rules(*given: Json) -> Json:
    return unique(*given)


LOCK_TABLE = {"name": "locks", "partition_key": {"name": "K", "type": "S"}}
NUMBER_SORT = {"name": "SK", "type": "N"}

REFUSED: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("no-object", [], [("member-type", "")]),
    (
        "nothing-in-it",
        {},
        [
            ("member-missing", "/table"),
            ("member-missing", "/partition_key"),
            ("member-missing", "/record"),
            ("member-missing", "/unique"),
        ],
    ),
    ("unknown-member", {**DESIGN, "x": 1}, [("member-unknown", "/x")]),
    ("version", {**DESIGN, "version": 2}, [("version-unknown", "/version")]),
    ("version-true", {**DESIGN, "version": True}, [("version-unknown", "/version")]),
    ("table-short", {**DESIGN, "table": "ab"}, [("table-name", "/table")]),
    ("table-odd", {**DESIGN, "table": "a b!"}, [("table-name", "/table")]),
    ("table-long", {**DESIGN, "table": "a" * 256}, [("table-name", "/table")]),
    ("table-arabic-digit", {**DESIGN, "table": "tab\u0661e"}, [("table-name", "/table")]),
    (
        "key-type",
        {**DESIGN, "partition_key": {"name": "PK", "type": "SS"}},
        [("member-choice", "/partition_key/type")],
    ),
    (
        "key-name-empty",
        {**DESIGN, "partition_key": {"name": "", "type": "S"}},
        [("member-empty", "/partition_key/name")],
    ),
    (
        "key-name-long",
        {**DESIGN, "partition_key": {"name": "é" * 128, "type": "S"}},
        [("key-name-long", "/partition_key/name")],
    ),
    (
        "key-name-surrogate",
        {**DESIGN, "partition_key": {"name": "\ud800", "type": "S"}},
        [("member-invalid", "/partition_key/name")],
    ),
    (
        "key-names-equal",
        {**DESIGN, "sort_key": {"name": "PK", "type": "S"}},
        [("key-names-equal", "/sort_key/name")],
    ),
    (
        "sort-template-missing",
        {**DESIGN, "record": {"partition": "A#{id}"}},
        [("sort-template-missing", "/record/sort")],
    ),
    ("lock-sort-null", lock(sort=None), [("sort-template-missing", "/lock/sort")]),
    (
        "sort-template-surplus",
        {**DESIGN, "sort_key": None},
        [("sort-template-surplus", "/record/sort"), ("sort-template-surplus", "/lock/sort")],
    ),
    (
        "template-brace",
        {**DESIGN, "record": {"partition": "A#{id", "sort": "{}"}},
        [("template-brace", "/record/partition"), ("template-brace", "/record/sort")],
    ),
    ("template-nested", lock(partition="U#{{value}}"), [("template-brace", "/lock/partition")]),
    (
        "template-empty",
        {**DESIGN, "record": {"partition": "A#{id}", "sort": ""}},
        [("template-empty", "/record/sort")],
    ),
    (
        "template-surrogate",
        {**DESIGN, "record": {"partition": "\ud800{id}", "sort": "P"}},
        [("not-utf8", "/record/partition")],
    ),
    (
        "template-too-long",
        {**DESIGN, "record": {"partition": "A#{id}", "sort": "x" * 1025}},
        [("key-too-long", "/record/sort")],
    ),
    (
        "template-too-many-placeholders",
        {**DESIGN, "record": {"partition": "{a}" * 2049, "sort": "P"}},
        [("key-too-long", "/record/partition")],
    ),
    (
        "number-template",
        {
            **DESIGN,
            "sort_key": NUMBER_SORT,
            "record": {"partition": "A#{id}", "sort": "v{n}"},
            "lock": {**LOCK, "sort": "LOCK"},
        },
        [("template-number", "/record/sort"), ("template-number", "/lock/sort")],
    ),
    (
        "lock-of-the-record",
        lock(partition="U#{id}#{value}"),
        [("lock-placeholder", "/lock/partition"), ("lock-namespace-missing", "/lock/partition")],
    ),
    (
        "lock-value-twice",
        lock(partition="U#{namespace}#{value}", sort="{value}"),
        [("lock-placeholder-twice", "/lock/sort")],
    ),
    (
        "lock-without-value",
        lock(partition="U#{namespace}"),
        [("lock-value-missing", "/lock/partition")],
    ),
    (
        "lock-without-namespace",
        lock(partition="U#{value}"),
        [("lock-namespace-missing", "/lock/partition")],
    ),
    (
        "lock-parts-touch",
        lock(partition="{namespace}{value}"),
        [("lock-ambiguous", "/lock/partition")],
    ),
    (
        "lock-in-a-number-sort-key",
        {**DESIGN, "sort_key": NUMBER_SORT, "record": {"partition": "A#{id}", "sort": "1"}}
        | {"lock": {**LOCK, "partition": "U#{namespace}", "sort": "{value}"}},
        [("lock-number", "/lock/sort")],
    ),
    (
        "lock-in-a-number-partition-key",
        {**DESIGN, "partition_key": {"name": "PK", "type": "N"}}
        | {"record": {"partition": "{id}", "sort": "P"}},
        [("lock-partition-number", "/lock/partition")],
    ),
    (
        "lock-table-name",
        lock(sort=None, table={**LOCK_TABLE, "name": "x"}),
        [("table-name", "/lock/table/name")],
    ),
    (
        "lock-table-is-the-record-table",
        lock(sort=None, table={**LOCK_TABLE, "name": "accounts"}),
        [("lock-table-same", "/lock/table/name")],
    ),
    ("owner-is-a-key", lock(owner="SK"), [("owner-is-key", "/lock/owner")]),
    ("owner-empty", lock(owner=""), [("member-empty", "/lock/owner")]),
    ("owner-long", lock(owner="x" * 65_536), [("attribute-name-long", "/lock/owner")]),
    (
        "record-poses-as-lock",
        {**DESIGN, "record": {"partition": "{id}", "sort": "LOCK"}},
        [("record-poses-as-lock", "/record/partition")],
    ),
    (
        "record-poses-by-its-attribute",
        {**DESIGN, "record": {"partition": "UNIQ#EMAIL#{id}", "sort": "{kind}"}},
        [("record-poses-as-lock", "/record/partition")],
    ),
    (
        "a-number-holds-no-lock-and-poses-as-none",
        {
            **DESIGN,
            "partition_key": {"name": "id", "type": "N"},
            "sort_key": None,
            "record": {"partition": "{id}"},
            "lock": {"partition": "{namespace}#{value}"},
        },
        [("lock-partition-number", "/lock/partition")],
    ),
    ("no-namespace", rules({"attributes": ["email"]}), [("member-missing", "/unique/0/namespace")]),
    (
        "namespace-too-long",
        rules({**EMAIL, "namespace": "x" * 256}),
        [("member-invalid", "/unique/0/namespace")],
    ),
    (
        "namespace-with-separator",
        rules({**EMAIL, "namespace": "A#B"}, HANDLE),
        [("namespace-separator", "/unique/0/namespace")],
    ),
    (
        "namespace-that-begins-another",
        {**rules({**EMAIL, "namespace": "x"}, {**HANDLE, "namespace": "xa"})}
        | {"lock": {**LOCK, "partition": "U{namespace}aa{value}"}},
        [("namespace-prefix", "/unique/1/namespace")],
    ),
    (
        "namespace-that-ends-another",
        {**rules({**EMAIL, "namespace": "x"}, {**HANDLE, "namespace": "ax"})}
        | {"lock": {**LOCK, "partition": "{value}aa{namespace}"}},
        [("namespace-prefix", "/unique/1/namespace")],
    ),
    (
        "namespace-over-the-sort-key",
        {**rules({**EMAIL, "namespace": "\U0001f600" * 255})}
        | {"lock": {**LOCK, "partition": "{value}", "sort": "LOCK#{namespace}"}},
        [("lock-namespace-long", "/unique/0/namespace")],
    ),
    (
        "shared-with-other-parts",
        rules(EMAIL, {"namespace": "EMAIL", "attributes": ["a", "b"]}),
        [("namespace-shared", "/unique/1/namespace")],
    ),
    (
        "shared-with-other-normalisation",
        rules(EMAIL, {"namespace": "EMAIL", "attributes": ["a"], "normalize": ["trim"]}),
        [("namespace-shared", "/unique/1/namespace")],
    ),
    (
        "shared-with-other-digest",
        rules(EMAIL, {"namespace": "EMAIL", "attributes": ["a"], "digest": "sha256"}),
        [("namespace-shared", "/unique/1/namespace")],
    ),
    ("constraint-twice", rules(EMAIL, HANDLE, EMAIL), [("constraint-twice", "/unique/2")]),
    (
        "no-attributes",
        rules({**EMAIL, "attributes": []}),
        [("member-empty", "/unique/0/attributes")],
    ),
    (
        "attribute-twice",
        rules({**EMAIL, "attributes": ["a", "b", "a"]}),
        [("attribute-twice", "/unique/0/attributes/2")],
    ),
    (
        "attribute-nameless",
        {**rules({**EMAIL, "attributes": [""]}), "sort_key": None}
        | {"record": {"partition": "A#{id}"}, "lock": {}},
        [("attribute-name-empty", "/unique/0/attributes/0")],
    ),
    (
        "key-attribute-protected",
        rules({**EMAIL, "attributes": ["SK"]}),
        [("unique-key-attribute", "/unique/0/attributes/0")],
    ),
    (
        "key-attribute-as-condition",
        rules({**EMAIL, "only_when": {"PK": ["x"]}}),
        [("unique-key-attribute", "/unique/0/only_when/PK")],
    ),
    (
        "condition-types",
        rules({**EMAIL, "only_when": {"s": [None, ["a"], {"SS": ["a"]}, {"N": "x"}]}}),
        [
            ("only-when-type", "/unique/0/only_when/s/0"),
            ("only-when-type", "/unique/0/only_when/s/1"),
            ("only-when-type", "/unique/0/only_when/s/2"),
            ("number-malformed", "/unique/0/only_when/s/3/N"),
        ],
    ),
    (
        "condition-without-values",
        rules({**EMAIL, "only_when": {"s": []}}),
        [("member-empty", "/unique/0/only_when/s")],
    ),
    (
        "steps",
        rules({**EMAIL, "normalize": ["lower"]}),
        [("member-choice", "/unique/0/normalize/0")],
    ),
    ("digest", rules({**EMAIL, "digest": "md5"}), [("member-choice", "/unique/0/digest")]),
    ("required", rules({**EMAIL, "required": "yes"}), [("member-type", "/unique/0/required")]),
    ("alias", {**DESIGN, "alias": "never"}, [("member-choice", "/alias")]),
]


@pytest.mark.parametrize(
    ("design", "problems"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_design_is_refused_at_its_places(design: Any, problems: list[tuple[str, str]]) -> None:
    assert refusal(design) == problems


WARNED: list[tuple[str, Json, list[tuple[str, str]]]] = [
    ("the-worked-example", DESIGN, []),
    ("nothing-unique", rules(), [("nothing-unique", "/unique")]),
    (
        "hot-partition",
        lock(partition="U#{namespace}", sort="{value}"),
        [("hot-partition", "/lock/partition")],
    ),
    (
        "guessable",
        rules({**EMAIL, "digest": "sha256"}),
        [("digest-guessable", "/unique/0/digest")],
    ),
    (
        "placeholders-touch",
        {**DESIGN, "record": {"partition": "A#{a}{b}", "sort": "P"}},
        [("placeholder-adjacent", "/record/partition")],
    ),
    (
        "value-alone-with-one-namespace",
        {**rules(EMAIL), "lock": {**LOCK, "partition": "UNIQ#{value}"}},
        [],
    ),
    (
        "shared-namespaces-of-one-kind",
        rules(EMAIL, {"namespace": "EMAIL", "attributes": ["backup"]}),
        [],
    ),
    (
        "namespaces-that-only-look-alike",
        rules({**EMAIL, "namespace": "E"}, {**HANDLE, "namespace": "EE"}),
        [],
    ),
]


@pytest.mark.parametrize(
    ("design", "warnings"), [row[1:] for row in WARNED], ids=[row[0] for row in WARNED]
)
def test_a_design_is_taken_with_its_warnings(design: Json, warnings: list[tuple[str, str]]) -> None:
    found = documents.read_design(design).warnings
    assert [(each.code, each.path) for each in found] == warnings
    assert all(each.message and each.hint for each in found)


def test_all_problems_of_a_design_are_named_at_once() -> None:
    design = {
        **DESIGN,
        "table": "!",
        "record": {"partition": "{", "sort": ""},
        "lock": {"partition": "U#{who}", "sort": "LOCK", "owner": "PK"},
        "unique": [{**EMAIL, "attributes": ["PK", "PK"]}, HANDLE],
    }
    assert refusal(design) == [
        ("table-name", "/table"),
        ("template-brace", "/record/partition"),
        ("template-empty", "/record/sort"),
        ("lock-placeholder", "/lock/partition"),
        ("lock-value-missing", "/lock/partition"),
        ("lock-namespace-missing", "/lock/partition"),
        ("owner-is-key", "/lock/owner"),
        ("unique-key-attribute", "/unique/0/attributes/0"),
        ("attribute-twice", "/unique/0/attributes/1"),
        ("unique-key-attribute", "/unique/0/attributes/1"),
    ]


DEFAULTS: list[tuple[str, Json, Json]] = [
    ("text", {"name": "SK", "type": "S"}, {"S": "LOCK"}),
    ("number", {"name": "SK", "type": "N"}, {"N": "0"}),
    ("binary", {"name": "SK", "type": "B"}, {"B": "TE9DSw=="}),
]


@pytest.mark.parametrize(
    ("sort_key", "value"), [row[1:] for row in DEFAULTS], ids=[row[0] for row in DEFAULTS]
)
def test_a_design_may_leave_the_lock_to_its_defaults(sort_key: Json, value: Json) -> None:
    design = {
        "table": "accounts",
        "partition_key": {"name": "PK", "type": "S"},
        "sort_key": sort_key,
        "record": {"partition": "ACCT#{id}", "sort": "1"},
        "unique": [EMAIL],
    }
    claim = plan(create(ADA), design=design).slots[1]
    assert claim.key == {"PK": {"S": "UNIQ#EMAIL#ada@lovelace.io"}, "SK": value}


def test_a_design_read_twice_is_one_design() -> None:
    assert documents.read_design(DESIGN) == documents.read_design({**DESIGN})
