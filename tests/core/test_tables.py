"""A design next to real tables: every difference at its place, and nothing that is none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.samples import DESIGN, LOCK, Json
from webapp.core import documents
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.planning.tables import Index, RealTable, compare, read_table, remarks, tables_of
from webapp.core.problems import Refused
from webapp.core.values import ROOT, Where

LOCK_TABLE: Json = {
    "name": "locks",
    "partition_key": {"name": "pk", "type": "S"},
    "sort_key": None,
}
OWN_TABLE: Json = {**DESIGN, "lock": {**LOCK, "sort": None, "table": LOCK_TABLE}}
ONLY_PARTITION: Json = {
    **DESIGN,
    "sort_key": None,
    "record": {"partition": "ACCT#{id}", "sort": None},
    "lock": {**LOCK, "sort": None},
}


def described(name: str = "accounts", *keys: tuple[str, str], **members: Any) -> Json:
    """What DescribeTable says of a table with these (name, type) keys, PK and SK without any."""
    keys = keys or (("PK", "S"), ("SK", "S"))
    roles = ("HASH", "RANGE")
    return {
        "TableName": name,
        "TableStatus": "ACTIVE",
        "KeySchema": [
            {"AttributeName": key, "KeyType": role}
            for (key, _), role in zip(keys, roles, strict=False)
        ],
        "AttributeDefinitions": [
            {"AttributeName": key, "AttributeType": kind} for key, kind in keys
        ],
        **members,
    }


def found(design: Json, *tables: Json | None) -> list[tuple[str, str]]:
    """Code and path of each difference between a design and its tables in their order."""
    read = documents.read_design(design)
    names = [table.name for table in tables_of(read)]
    problems = compare(read, dict(zip(names, tables, strict=True)))
    return [(problem.code, problem.path) for problem in problems]


LOCKS = described("locks", ("pk", "S"))


@pytest.mark.parametrize(
    ("design", "tables"),
    [
        pytest.param(DESIGN, [described()], id="keys-and-types"),
        pytest.param(DESIGN, [described(TableStatus="UPDATING")], id="updating-takes-writes"),
        pytest.param(ONLY_PARTITION, [described("accounts", ("PK", "S"))], id="no-sort-key"),
        pytest.param(OWN_TABLE, [described(), LOCKS], id="locks-of-their-own"),
        pytest.param(
            DESIGN,
            [described(GlobalSecondaryIndexes=[{"IndexName": "i", "KeySchema": []}])],
            id="an-index-is-no-difference",
        ),
    ],
)
def test_a_design_that_fits_has_no_problem(design: Json, tables: list[Json]) -> None:
    assert found(design, *tables) == []


@pytest.mark.parametrize(
    ("design", "tables", "expected"),
    [
        pytest.param(DESIGN, [None], [("table-absent", "/table")], id="no-table"),
        pytest.param(
            DESIGN,
            [described("accounts", ("pk", "S"), ("SK", "N"))],
            [("table-key-name", "/partition_key/name"), ("table-key-type", "/sort_key/type")],
            id="another-name-and-another-type",
        ),
        pytest.param(
            DESIGN,
            [described("accounts", ("id", "N"), ("at", "B"))],
            [
                ("table-key-name", "/partition_key/name"),
                ("table-key-type", "/partition_key/type"),
                ("table-key-name", "/sort_key/name"),
                ("table-key-type", "/sort_key/type"),
            ],
            id="nothing-fits",
        ),
        pytest.param(
            DESIGN,
            [described("accounts", ("SK", "S"), ("PK", "S"))],
            [("table-key-name", "/partition_key/name"), ("table-key-name", "/sort_key/name")],
            id="swapped",
        ),
        pytest.param(
            DESIGN,
            [described("accounts", ("PK", "S"))],
            [("table-sort-key-surplus", "/sort_key")],
            id="a-sort-key-too-many",
        ),
        pytest.param(
            ONLY_PARTITION,
            [described()],
            [("table-sort-key-missing", "/sort_key")],
            id="a-sort-key-too-few",
        ),
        pytest.param(
            DESIGN,
            [described(TableStatus="CREATING")],
            [("table-creating", "/table")],
            id="B76-still-being-made",
        ),
        pytest.param(
            DESIGN,
            [described("accounts", ("PK", "S"), TableStatus="DELETING")],
            [("table-deleting", "/table"), ("table-sort-key-surplus", "/sort_key")],
            id="going-and-different",
        ),
        pytest.param(
            DESIGN,
            [described(TableStatus="INACCESSIBLE_ENCRYPTION_CREDENTIALS")],
            [("table-locked-out", "/table")],
            id="without-its-encryption-key",
        ),
        pytest.param(
            DESIGN,
            [described(TableStatus="ARCHIVED")],
            [("table-status", "/table")],
            id="another-status",
        ),
        pytest.param(
            DESIGN, [{"TableName": "accounts"}], [("table-description", "/table")], id="no-keys"
        ),
        pytest.param(
            OWN_TABLE,
            [None, None],
            [("table-absent", "/table"), ("table-absent", "/lock/table/name")],
            id="neither-table",
        ),
        pytest.param(
            OWN_TABLE,
            [described(), described("locks", ("id", "B"), ("SK", "S"))],
            [
                ("table-key-name", "/lock/table/partition_key/name"),
                ("table-key-type", "/lock/table/partition_key/type"),
                ("table-sort-key-missing", "/lock/table/sort_key"),
            ],
            id="the-lock-table-differs",
        ),
    ],
)
def test_every_difference_is_told_at_its_place(
    design: Json, tables: list[Json | None], expected: list[tuple[str, str]]
) -> None:
    assert found(design, *tables) == expected


def test_a_difference_says_what_the_table_has_and_stands_in_the_document_that_was_sent() -> None:
    design = documents.read_design(DESIGN)
    real = {"accounts": described("accounts", ("userId", "N"), ("SK", "S"))}
    problems = compare(design, real, Where(ROOT, "design"))
    assert [problem.as_document() for problem in problems] == [
        {
            "code": "table-key-name",
            "path": "/design/partition_key/name",
            "message": "The partition key of the table “accounts” is “userId”, not “PK”.",
            "hint": "Write “userId”: the keys of a table that exists cannot be changed.",
        },
        {
            "code": "table-key-type",
            "path": "/design/partition_key/type",
            "message": "“userId” has type N in the table “accounts”, not S.",
            "hint": "Choose N: the keys of a table that exists cannot be changed.",
        },
    ]


BY_EMAIL = {
    "IndexName": "by-email",
    "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
BY_AGE = {
    "IndexName": "by-age",
    "KeySchema": [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "age", "KeyType": "RANGE"},
    ],
}
EVERYTHING: Json = described(
    "accounts",
    ("PK", "S"),
    ("SK", "B"),
    ("email", "S"),
    ("age", "N"),
    TableStatus="UPDATING",
    GlobalSecondaryIndexes=[BY_EMAIL],
    LocalSecondaryIndexes=[BY_AGE],
    ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
    ItemCount=12,
    TableSizeBytes=3456,
    Replicas=[{"RegionName": "eu-west-1"}, {"RegionName": "us-east-1"}],
)


def test_a_description_is_read_whole() -> None:
    partition = KeyAttribute("PK", "S", "partition")
    assert read_table(EVERYTHING) == RealTable(
        name="accounts",
        status="UPDATING",
        schema=KeySchema(partition, KeyAttribute("SK", "B", "sort")),
        indexes=(
            Index("by-email", "global", (KeyAttribute("email", "S", "partition"),)),
            Index("by-age", "local", (partition, KeyAttribute("age", "N", "sort"))),
        ),
        units=(5, 7),
        items=12,
        size=3456,
        replicas=("eu-west-1", "us-east-1"),
    )


@pytest.mark.parametrize(
    "members",
    [
        {"BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}},
        {
            "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
            "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        },
        {"ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}},
        {"ProvisionedThroughput": None},
    ],
    ids=str,
)
def test_a_table_without_units_is_on_demand(members: Json) -> None:
    assert read_table(described(**members)).units is None


@pytest.mark.parametrize(
    "members",
    [
        {"ItemCount": "12", "TableSizeBytes": None},
        {"GlobalSecondaryIndexes": "none", "Replicas": [3, {"RegionName": 4}]},
        {"GlobalSecondaryIndexes": [None, 5]},
        {"BillingModeSummary": []},
    ],
    ids=str,
)
def test_what_is_odd_beside_the_keys_is_left_out(members: Json) -> None:
    bare = read_table(described())
    assert read_table(described(**members)) == bare


@pytest.mark.parametrize(
    "description",
    [{}, {"TableName": "t", "KeySchema": []}, described() | {"AttributeDefinitions": []}],
    ids=["nothing", "no-keys", "no-types"],
)
def test_a_description_without_keys_is_refused(description: Json) -> None:
    with pytest.raises(Refused) as raised:
        read_table(description)
    assert [problem.code for problem in raised.value.problems] == ["table-description"]


def test_what_breaks_uniqueness_without_a_word_is_worth_knowing() -> None:
    quiet = read_table(described())
    assert remarks(quiet, None) == ()
    told = [(p.code, p.message, p.hint) for p in remarks(read_table(EVERYTHING), "ttl")]
    assert told == [
        (
            "table-expiry",
            "“accounts” deletes items by the time in “ttl”.",
            (
                "A record that expires leaves its locks behind, and a lock that expires frees its "
                "value: keep “ttl” out of both."
            ),
        ),
        (
            "table-replicas",
            "“accounts” is a global table, with replicas in eu-west-1, us-east-1.",
            (
                "A transaction is atomic in one Region only: send every transaction of this design "
                "to the same one, or a value can be taken once in each."
            ),
        ),
    ]
