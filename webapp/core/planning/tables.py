"""A design next to the tables as they are: what DescribeTable says, and where the design differs.

Rule: a difference is a problem of the design, at the design's own place, and says what the table
has; what DescribeTable leaves open is not guessed. The reason: a key schema is fixed when a table
is made, so where the two differ it is the design that has to follow, and DynamoDB itself only says
"the provided key element does not match the schema" once the transaction is sent.
Sources: API reference, DescribeTable, TableDescription (statuses, key schema, replicas); Developer
Guide, "Time to Live" and "Amazon DynamoDB Transactions: How it works" (one Region only).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from webapp.core.linting.known_tables import read_tables
from webapp.core.planning.design import Design
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.problems import Problem, Problems, Text, excerpt, register
from webapp.core.values import ROOT, Where

Json = Mapping[str, Any]

register(
    {
        "table-absent": Text(
            "There is no table “{name}” here.",
            "Check the name and the place, or make the table.",
        ),
        "table-creating": Text(
            "The table “{name}” is still being made.", "Wait some seconds and look again."
        ),
        "table-deleting": Text(
            "The table “{name}” is being deleted.", "Wait until it is gone and make it anew."
        ),
        "table-locked-out": Text(
            "The table “{name}” cannot be read: its encryption key is not accessible.",
            "Give DynamoDB access to the table's key in AWS KMS again.",
        ),
        "table-status": Text(
            "The table “{name}” is not ready: its status is {status}.",
            "Only a table with the status ACTIVE can be written.",
        ),
        "table-key-name": Text(
            "The {role} key of the table “{name}” is “{found}”, not “{given}”.",
            "Write “{found}”: the keys of a table that exists cannot be changed.",
        ),
        "table-key-type": Text(
            "“{key}” has type {found} in the table “{name}”, not {given}.",
            "Choose {found}: the keys of a table that exists cannot be changed.",
        ),
        "table-sort-key-surplus": Text(
            "The table “{name}” has no sort key, so “{given}” is none.",
            "Choose “none” for the sort key.",
        ),
        "table-sort-key-missing": Text(
            "The table “{name}” has the sort key “{found}” of type {type}.",
            "Give the design this sort key, and a template for it.",
        ),
        "table-expiry": Text(
            "“{name}” deletes items by the time in “{attribute}”.",
            "A record that expires leaves its locks behind, and a lock that expires frees its "
            "value: keep “{attribute}” out of both.",
        ),
        "table-replicas": Text(
            "“{name}” is a global table, with replicas in {regions}.",
            "A transaction is atomic in one Region only: send every transaction of this design "
            "to the same one, or a value can be taken once in each.",
        ),
    }
)

UNUSABLE: Mapping[str, str] = {
    "CREATING": "table-creating",
    "DELETING": "table-deleting",
    "INACCESSIBLE_ENCRYPTION_CREDENTIALS": "table-locked-out",
}
"""What is said of a status; of one that is neither here nor usable, the status itself."""

USABLE = frozenset({"ACTIVE", "UPDATING"})
"""A table that is being updated takes reads and writes all the while."""

_INDEXES = {"GlobalSecondaryIndexes": "global", "LocalSecondaryIndexes": "local"}


class DesignTable(NamedTuple):
    """A table that a design needs, and where the design names it and its keys."""

    name: str
    schema: KeySchema
    name_at: Where
    keys_at: Where


def tables_of(design: Design, where: Where = ROOT) -> tuple[DesignTable, ...]:
    """The tables that a design needs: that of its records, then one of its locks if it has one."""
    record, lock = design.record, design.lock
    records = DesignTable(record.table, record.schema, Where(where, "table"), where)
    if lock.table == record.table:
        return (records,)
    inner = Where(Where(where, "lock"), "table")
    return (records, DesignTable(lock.table, lock.schema, Where(inner, "name"), inner))


def compare(
    design: Design, described: Mapping[str, Json | None], where: Where = ROOT
) -> tuple[Problem, ...]:
    """Every way in which a design does not fit the real tables, at its own JSON Pointers.

    ``described`` maps the name of each of its tables to the member ``Table`` of DescribeTable's
    answer, or to ``None`` where there is no such table; ``where`` is the place of the design in
    the document that the pointers are for.
    """
    problems = Problems()
    for table in tables_of(design, where):
        _compare_table(table, described[table.name], problems)
    return tuple(problems)


def _compare_table(table: DesignTable, description: Json | None, problems: Problems) -> None:
    if description is None:
        problems.add("table-absent", table.name_at.pointer(), name=table.name)
        return
    _check_status(table, str(description.get("TableStatus", "ACTIVE")), problems)
    found = read_tables(description, table.name_at, problems)
    for known in found.values():
        _compare_keys(table, known.schema, problems)


def _check_status(table: DesignTable, status: str, problems: Problems) -> None:
    if status not in USABLE:
        code = UNUSABLE.get(status, "table-status")
        problems.add(code, table.name_at.pointer(), name=table.name, status=excerpt(status))


def _compare_keys(table: DesignTable, found: KeySchema, problems: Problems) -> None:
    _compare_key(table, table.schema.partition, found.partition, problems)
    at = Where(table.keys_at, "sort_key")
    match table.schema.sort, found.sort:
        case KeyAttribute() as wanted, KeyAttribute() as real:
            _compare_key(table, wanted, real, problems)
        case KeyAttribute() as wanted, None:
            problems.add(
                "table-sort-key-surplus", at.pointer(), name=table.name, given=excerpt(wanted.name)
            )
        case None, KeyAttribute() as real:
            params = {"name": table.name, "found": excerpt(real.name), "type": real.type}
            problems.add("table-sort-key-missing", at.pointer(), **params)


def _compare_key(
    table: DesignTable, wanted: KeyAttribute, real: KeyAttribute, problems: Problems
) -> None:
    at = Where(table.keys_at, f"{wanted.role}_key")
    if wanted.name != real.name:
        names = {"found": excerpt(real.name), "given": excerpt(wanted.name)}
        path = Where(at, "name").pointer()
        problems.add("table-key-name", path, role=wanted.role, name=table.name, **names)
    if wanted.type != real.type:
        types = {"found": real.type, "given": wanted.type}
        path = Where(at, "type").pointer()
        problems.add("table-key-type", path, key=excerpt(real.name), name=table.name, **types)


class Index(NamedTuple):
    """A secondary index: its name, "global" or "local", (name, type, role) of its keys."""

    name: str
    kind: str
    keys: tuple[KeyAttribute, ...]


@dataclass(frozen=True, slots=True)
class RealTable:
    """A table as its description has it. ``items`` and ``size`` (bytes) are some hours old.

    ``units`` are the read and write units of provisioned capacity, ``None`` for on-demand.
    """

    name: str
    status: str
    schema: KeySchema
    indexes: tuple[Index, ...]
    units: tuple[int, int] | None
    items: int | None
    size: int | None
    replicas: tuple[str, ...]


def read_table(description: Json) -> RealTable:
    """The table that the member ``Table`` of DescribeTable's answer describes.

    Raises ``Refused`` for one without a readable name and key schema.
    """
    problems = Problems()
    known = read_tables(description, ROOT, problems)
    problems.refuse()
    ((name, table),) = known.items()
    return RealTable(
        name=name,
        status=str(description.get("TableStatus", "")),
        schema=table.schema,
        indexes=tuple(_indexes(description)),
        units=_units(description),
        items=_count(description.get("ItemCount")),
        size=_count(description.get("TableSizeBytes")),
        replicas=tuple(_texts(description.get("Replicas"), "RegionName")),
    )


def _indexes(description: Json) -> Iterator[Index]:
    types = {
        entry.get("AttributeName"): entry.get("AttributeType", "?")
        for entry in _entries(description.get("AttributeDefinitions"))
    }
    for member, kind in _INDEXES.items():
        for entry in _entries(description.get(member)):
            keys = _texts(entry.get("KeySchema"), "AttributeName")
            roles = zip(keys, ("partition", "sort"), strict=False)
            schema = tuple(KeyAttribute(key, types.get(key, "?"), role) for key, role in roles)
            yield Index(str(entry.get("IndexName", "")), kind, schema)


def _units(description: Json) -> tuple[int, int] | None:
    billing, units = description.get("BillingModeSummary"), description.get("ProvisionedThroughput")
    if isinstance(billing, dict) and billing.get("BillingMode") == "PAY_PER_REQUEST":
        return None
    if not isinstance(units, dict):
        return None
    reads, writes = _count(units.get("ReadCapacityUnits")), _count(units.get("WriteCapacityUnits"))
    return (reads, writes) if reads and writes else None


def _count(value: object) -> int | None:
    return value if type(value) is int else None


def _entries(value: object) -> list[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _texts(value: object, member: str) -> Iterator[str]:
    return (entry[member] for entry in _entries(value) if isinstance(entry.get(member), str))


def remarks(table: RealTable, expires_by: str | None) -> tuple[Problem, ...]:
    """What is worth knowing about a table that holds records or locks; nothing of it forbids.

    ``expires_by`` is the attribute of its time to live, ``None`` when it has none or nobody knows.
    """
    return tuple(_remarks(table, expires_by))


def _remarks(table: RealTable, expires_by: str | None) -> Iterable[Problem]:
    if expires_by:
        attribute = excerpt(expires_by)
        yield Problem("table-expiry", "", {"name": table.name, "attribute": attribute})
    if table.replicas:
        regions = ", ".join(table.replicas)
        yield Problem("table-replicas", "", {"name": table.name, "regions": regions})
