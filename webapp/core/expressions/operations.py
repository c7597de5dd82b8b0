"""DynamoDB's operations as documents: which members each has, and which expressions.

Rule: the shapes below are the only list of members; their names are the service's own in snake case
(``table`` and ``index`` are short for TableName and IndexName). What is
read is one frozen ``Request`` that is complete and well-formed, or all problems of the document.
Source: API reference, GetItem, Query, Scan, PutItem, UpdateItem, DeleteItem, TransactWriteItems,
TransactGetItems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from webapp.core import shapes
from webapp.core.aliases import Mode
from webapp.core.expressions.nodes import Expression
from webapp.core.expressions.operators import KINDS, Kind
from webapp.core.expressions.tree_reader import TreeReader, is_name_token
from webapp.core.limits import TOKEN_CHARACTERS
from webapp.core.planning.design import KeyShape
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.tablenames import is_table_name, is_table_reference
from webapp.core.values import Value, Where, name_size, read_typed

register(
    {
        "operation-unknown": Text(
            "{given} is no operation that is built here.", "Write one of: {expected}."
        ),
        "operation-missing": Text(
            "The member “operation” is missing.", "Add it: one of {expected}."
        ),
        "attributes-expected": Text(
            "{given} is no map of attributes.",
            'Write names and typed values, like {{"PK": {{"S": "ACCT#1"}}}}.',
        ),
        "index-name": Text("“{given}” is no index name.", "It has 3 to 255 letters, digits, _ - ."),
    }
)

Operation = Literal[
    "GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheck"
]
Returned = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
Capacity = Literal["INDEXES", "TOTAL", "NONE"]
Metrics = Literal["SIZE", "NONE"]
OldImage = Literal["ALL_OLD", "NONE"]
Select = Literal["ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"]
Segments = Annotated[int, Field(ge=1, le=1_000_000)]


class OperationShape(shapes.Shape):
    """What every operation has: its table, and how its placeholders are made.

    ``partition_key`` and ``sort_key`` describe the table, or the index that is read; they are not
    part of the request and let more be checked. ``expression_attribute_names`` are placeholders
    that the user wants to keep.
    """

    operation: str
    table: str
    alias: Mode = "needed"
    expression_attribute_names: dict[str, str] = {}
    partition_key: KeyShape | None = None
    sort_key: KeyShape | None = None


class Reading(shapes.Shape):
    """What operations that read have."""

    projection: Any = None
    consistent_read: bool | None = None
    return_consumed_capacity: Capacity | None = None


class Searching(Reading):
    """What Query and Scan have."""

    index: str | None = None
    filter: Any = None
    select: Select | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    exclusive_start_key: Any = None


class Guarded(shapes.Shape):
    """What operations that write under a condition have."""

    condition: Any = None
    return_values_on_condition_check_failure: OldImage | None = None


class Writing(Guarded):
    """What operations that write on their own have besides."""

    return_consumed_capacity: Capacity | None = None
    return_item_collection_metrics: Metrics | None = None


class GetItemShape(OperationShape, Reading):
    """GetItem: one item by its key."""

    key: shapes.Given


class QueryShape(OperationShape, Searching):
    """Query: the items of one partition, in the order of their sort keys."""

    key_condition: shapes.Given
    scan_index_forward: bool | None = None


class ScanShape(OperationShape, Searching):
    """Scan: every item of a table or index."""

    segment: Annotated[int, Field(ge=0, le=999_999)] | None = None
    total_segments: Segments | None = None


class PutItemShape(OperationShape, Writing):
    """PutItem: a whole item, in place of the one with its key."""

    item: shapes.Given
    return_values: OldImage | None = None


class UpdateItemShape(OperationShape, Writing):
    """UpdateItem: changes of one item, which is made if it is missing."""

    key: shapes.Given
    update: Any = None
    return_values: Returned | None = None


class DeleteItemShape(OperationShape, Writing):
    """DeleteItem: one item away."""

    key: shapes.Given
    return_values: OldImage | None = None


class ConditionCheckShape(OperationShape, Guarded):
    """ConditionCheck: a condition on an item that the transaction does not write."""

    key: shapes.Given
    condition: shapes.Given


class TransactWriteShape(shapes.Shape):
    """TransactWriteItems: actions that all happen or none."""

    operation: str
    actions: Annotated[list[Any], Field(min_length=1)]
    client_request_token: (
        Annotated[str, Field(min_length=1, max_length=TOKEN_CHARACTERS)] | None
    ) = None
    return_consumed_capacity: Capacity | None = None
    return_item_collection_metrics: Metrics | None = None


class TransactGetShape(shapes.Shape):
    """TransactGetItems: items read together at one moment."""

    operation: str
    actions: Annotated[list[Any], Field(min_length=1)]
    return_consumed_capacity: Capacity | None = None


class OperationRow(NamedTuple):
    """One operation: its shape, its name as an action of a transaction, and which transaction."""

    shape: type[OperationShape]
    action: str | None = None
    transaction: str | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The expressions it has, in the order in which requests list them."""
        return tuple(kind for kind in KINDS if kind in self.shape.model_fields)


WRITES = "TransactWriteItems"
GETS = "TransactGetItems"

OPERATIONS: Mapping[str, OperationRow] = {
    "GetItem": OperationRow(GetItemShape, "Get", GETS),
    "Query": OperationRow(QueryShape),
    "Scan": OperationRow(ScanShape),
    "PutItem": OperationRow(PutItemShape, "Put", WRITES),
    "UpdateItem": OperationRow(UpdateItemShape, "Update", WRITES),
    "DeleteItem": OperationRow(DeleteItemShape, "Delete", WRITES),
    "ConditionCheck": OperationRow(ConditionCheckShape, "ConditionCheck", WRITES),
}
TRANSACTIONS: Mapping[str, type[TransactWriteShape] | type[TransactGetShape]] = {
    WRITES: TransactWriteShape,
    GETS: TransactGetShape,
}
READS = frozenset({"GetItem", "Query", "Scan", GETS})

_SHORT = {"table": "TableName", "index": "IndexName", "actions": "TransactItems"}
UNSENT = frozenset(
    {"operation", "alias", "expression_attribute_names", "partition_key", "sort_key", *KINDS}
)
"""Members of a document that are no parameters of its request under their own names."""
MAPS = ("key", "item", "exclusive_start_key")


def parameter_of(member: str) -> str:
    """The name in a request of a document's member: ``consistent_read`` is ``ConsistentRead``."""
    return _SHORT.get(member) or "".join(part.capitalize() for part in member.split("_"))


SETTINGS: Mapping[str, str] = {
    member: parameter_of(member)
    for row in OPERATIONS.values()
    for member in row.shape.model_fields
    if member not in UNSENT and member not in MAPS
}
"""Members that stand in the request as they are, and their names there."""


@dataclass(frozen=True, slots=True)
class Request:
    """One operation, read: its expressions as trees, its maps as values, its plain settings."""

    operation: str
    where: Where | None
    trees: Mapping[Kind, Expression] = field(default_factory=dict)
    maps: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    alias: Mode = "needed"
    own_names: Mapping[str, str] = field(default_factory=dict)
    own_values: frozenset[str] = frozenset()
    schema: KeySchema | None = None

    def at(self, *members: str | int) -> Where | None:
        """The place of a member of the document."""
        where = self.where
        for member in members:
            where = Where(where, member)
        return where


def read_request(document: object, where: Where | None, problems: Problems) -> Request | None:
    """The operation that ``document`` describes, or ``None`` with all its problems noted."""
    row = _row_of(document, where, problems)
    if row is None:
        return None
    pointer = "" if where is None else where.pointer()
    before = len(problems)
    shape = shapes.check(row.shape, document, pointer, problems)
    if shape is None:
        _read_trees(row, document, where, problems)
        return None
    reader = _RequestReader(shape, where, problems)
    request = reader.request()
    return request if len(problems) == before else None


def _read_trees(
    row: OperationRow, document: object, where: Where | None, problems: Problems
) -> None:
    """Note what is wrong with the trees of a document whose shape is wrong besides."""
    reader = TreeReader(problems)
    for kind in row.kinds:
        if isinstance(document, dict) and document.get(kind) is not None:
            _TREES[kind](reader, document[kind], Where(where, kind))


_TREES: Mapping[Kind, Callable[[TreeReader, object, Where], Expression | None]] = {
    "key_condition": TreeReader.condition,
    "filter": TreeReader.condition,
    "condition": TreeReader.condition,
    "update": TreeReader.update,
    "projection": TreeReader.projection,
}


def operation_names() -> str:
    """The names of all operations, for a message."""
    return ", ".join([*OPERATIONS, *TRANSACTIONS])


def _row_of(document: object, where: Where | None, problems: Problems) -> OperationRow | None:
    at = "" if where is None else where.pointer()
    if not isinstance(document, dict) or "operation" not in document:
        problems.add("operation-missing", at, expected=operation_names())
        return None
    name = document["operation"]
    row = OPERATIONS.get(name) if isinstance(name, str) else None
    if row is None:
        at = Where(where, "operation").pointer()
        problems.add("operation-unknown", at, given=excerpt(name), expected=operation_names())
    return row


class _RequestReader:
    """Reads the members of one operation whose shape has been checked."""

    def __init__(self, shape: OperationShape, where: Where | None, problems: Problems) -> None:
        self.shape = shape
        self.where = where
        self.problems = problems
        self.trees = TreeReader(problems)

    def request(self) -> Request:
        """The request, to be thrown away when problems were noted."""
        trees = {kind: tree for kind in KINDS if (tree := self._tree(kind)) is not None}
        self._check_names()
        return Request(
            self.shape.operation,
            self.where,
            trees,
            {member: self._map(member) for member in MAPS if self._given(member) is not None},
            self._settings(),
            self.shape.alias,
            self._own_names(),
            frozenset(self.trees.tokens),
            self._schema(),
        )

    def _given(self, member: str) -> Any:
        return getattr(self.shape, member, None)

    def _tree(self, kind: Kind) -> Expression | None:
        document = self._given(kind)
        if document is None:
            return None
        return _TREES[kind](self.trees, document, Where(self.where, kind))

    def _settings(self) -> dict[str, Any]:
        return {m: value for m in SETTINGS if (value := self._given(m)) is not None}

    def _check_names(self) -> None:
        table = self.shape.table
        if not is_table_reference(table):
            at = Where(self.where, "table").pointer()
            self.problems.add("table-name", at, given=excerpt(table))
        index = self._given("index")
        if index is not None and not is_table_name(index):
            at = Where(self.where, "index").pointer()
            self.problems.add("index-name", at, given=excerpt(index))

    def _map(self, member: str) -> dict[str, Value]:
        """Read a map of attributes: the key, the item, the start key."""
        document, where = self._given(member), Where(self.where, member)
        if not isinstance(document, dict):
            self.problems.add("attributes-expected", where.pointer(), given=excerpt(document))
            return {}
        return {
            name: value
            for name, member in document.items()
            if name_size(name, Where(where, name), self.problems) is not None
            and (value := read_typed(member, Where(where, name), self.problems)) is not None
        }

    def _own_names(self) -> dict[str, str]:
        where = Where(self.where, "expression_attribute_names")
        for token, name in self.shape.expression_attribute_names.items():
            at = Where(where, token)
            name_size(name, at, self.problems)
            if not is_name_token(token):
                given = excerpt(token)
                self.problems.add(
                    "placeholder-malformed", at.pointer(), given=given, what="name", sign="#"
                )
        return self.shape.expression_attribute_names

    def _schema(self) -> KeySchema | None:
        partition, sort = self.shape.partition_key, self.shape.sort_key
        if partition is None:
            return None
        first = KeyAttribute(partition.name, partition.type, "partition")
        second = None if sort is None else KeyAttribute(sort.name, sort.type, "sort")
        return KeySchema(first, second)
