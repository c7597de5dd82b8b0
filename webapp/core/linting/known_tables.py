"""What is known of the tables of a transaction: their keys, and the keys of their indexes.

Rule: a table is known from its description (DescribeTable) or from a design; otherwise only what
the keys of the request's own actions say of it is known, and nothing is guessed beyond. The reason:
a rule that needs the key schema must be silent rather than wrong where nobody gave it.
Source: API reference, DescribeTable, TableDescription.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from webapp.core.expressions.places import Findings, Place
from webapp.core.planning.design import Design
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import Value, Where

register(
    {
        "table-description": Text(
            "{given} is no description of a table: {reason}.",
            "Give the output of “aws dynamodb describe-table”, or its member “Table”.",
        ),
        "index-key-type": Text(
            "“{name}” is the key of an index and has type {expected} there, not {tag}.",
            "Give it a value of type {expected}, or leave it out: then the index does not list it.",
        ),
        "index-key-empty": Text(
            "“{name}” is the key of an index and cannot be empty.",
            "Leave it out: then the index does not list the item.",
        ),
    }
)

_ROLES = {"HASH": "partition", "RANGE": "sort"}
_INDEXES = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")


class KnownTable(NamedTuple):
    """A table: its name, its key schema, and the types of the attributes its indexes have as keys.

    ``is_whole`` is false where the schema was only seen in a key of the request: then it is not
    known which attribute is the partition key.
    """

    name: str
    schema: KeySchema
    index_types: Mapping[str, str]
    is_whole: bool = True


Tables = Mapping[str, KnownTable]


def tables_of_design(design: Design) -> dict[str, KnownTable]:
    """The tables of a design: of its records, and of its locks."""
    layouts = (design.lock, design.record)
    return {layout.table: KnownTable(layout.table, layout.schema, {}) for layout in layouts}


def read_tables(document: object, where: Where, problems: Problems) -> dict[str, KnownTable]:
    """Read descriptions of tables: one output of DescribeTable, or a list of them."""
    listed = document if isinstance(document, list) else [document]
    at = [Where(where, index) for index in range(len(listed))] if listed is document else [where]
    read = [_read_table(one, here, problems) for one, here in zip(listed, at, strict=True)]
    return {table.name: table for table in read if table is not None}


def _read_table(document: object, where: Where, problems: Problems) -> KnownTable | None:
    inner = document.get("Table", document) if isinstance(document, dict) else document
    if not isinstance(inner, dict):
        return _refuse(document, "it is no object", where, problems)
    name, types = inner.get("TableName"), _types(inner)
    if not isinstance(name, str):
        return _refuse(document, "TableName is missing", where, problems)
    names = dict(_key_names(inner))
    if "partition" not in names or not all(
        types.get(name) in {"S", "N", "B"} for name in names.values()
    ):
        return _refuse(document, "KeySchema and AttributeDefinitions do not fit", where, problems)
    keys = {role: KeyAttribute(name, types[name], role) for role, name in names.items()}
    schema = KeySchema(keys["partition"], keys.get("sort"))
    indexes = [index for member in _INDEXES for index in _listed(inner.get(member))]
    own = {name for index in indexes for _, name in _key_names(index)} - set(schema.names)
    return KnownTable(name, schema, {name: types[name] for name in sorted(own) if name in types})


def _refuse(document: object, reason: str, where: Where, problems: Problems) -> None:
    problems.add("table-description", where.pointer(), given=excerpt(document), reason=reason)


def _types(table: Mapping[str, Any]) -> dict[str, str]:
    pairs = (
        (entry.get("AttributeName"), entry.get("AttributeType"))
        for entry in _listed(table.get("AttributeDefinitions"))
    )
    return {name: kind for name, kind in pairs if isinstance(name, str) and isinstance(kind, str)}


def _key_names(described: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for entry in _listed(described.get("KeySchema")):
        role, name = entry.get("KeyType"), entry.get("AttributeName")
        if isinstance(role, str) and role in _ROLES and isinstance(name, str):
            yield _ROLES[role], name


def _listed(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def check_index_value(
    name: str, value: Value, table: KnownTable, at: Place, findings: Findings
) -> None:
    """Refuse a value that the index with the key ``name`` cannot take."""
    expected = table.index_types[name]
    if value.tag != expected:
        findings.refuse("index-key-type", at, name=name, expected=expected, tag=value.tag)
    elif value.size == 0:
        findings.refuse("index-key-empty", at, name=name)
