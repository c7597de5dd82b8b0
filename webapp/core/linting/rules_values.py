"""What DynamoDB demands of the items and keys of a transaction.

Rule: every value is read as its type demands; every key has what the table's schema says, where
that is known; no two actions are about one item; an item has at most 400 KB and all of them 4 MB.
Without a schema only that is said which holds for every schema. The reason: "the provided key
element does not match the schema" names neither the key nor the element.
Sources: API reference, AttributeValue and TransactWriteItems; Amazon DynamoDB Developer Guide,
"Quotas".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from webapp.core.expressions.key_conditions import check_key_value
from webapp.core.expressions.places import Findings
from webapp.core.expressions.request_checks import item_size
from webapp.core.limits import ITEM_BYTES, TRANSACTION_BYTES
from webapp.core.linting.known_tables import KnownTable, Tables, check_index_value
from webapp.core.linting.rules_request import Entry
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.problems import Problems, Text, register
from webapp.core.tablenames import table_name
from webapp.core.values import Value, Where, identity_of, name_size, read_typed

register(
    {
        "keys-differ": Text(
            "The key has the attributes {names}; action {other} on the same table has {others}.",
            "All keys of one table have the same attributes, with the same types.",
        ),
    }
)

Item = Mapping[str, Value]


class Target(NamedTuple):
    """The item of an action: its values, the member they stand in, and whether all were read."""

    entry: Entry
    member: str
    values: Item
    is_whole: bool

    @property
    def table(self) -> str:
        """The name of the table, "" where it is missing."""
        return table_name(self.entry.members.get("TableName", ""))

    def at(self, *names: str) -> Where:
        """The place of the item or key, or of one of its values."""
        return self.entry.where(self.member, *names)


def read_target(entry: Entry, problems: Problems) -> Target:
    """Read the values of an action's item or key, with everything wrong in them noted."""
    member = "Item" if entry.kind == "Put" else "Key"
    before = len(problems)
    values = {
        name: value
        for name, document in entry.members.get(member, {}).items()
        if name_size(name, entry.where(member, name), problems) is not None
        and (value := read_typed(document, entry.where(member, name), problems)) is not None
    }
    return Target(entry, member, values, member in entry.members and len(problems) == before)


def check_keys(targets: Sequence[Target], tables: Tables, problems: Problems) -> None:
    """Check every key against its table's schema, or against what the other keys show of it."""
    findings = Findings(problems, [])
    shown = shown_tables(targets)
    for target in targets:
        table = tables.get(target.table)
        if target.member == "Key":
            _check_key(target, table, shown.get(target.table), findings)
        elif known := table or _of_shown(shown.get(target.table)):
            _check_item(target, known, findings)


def shown_tables(targets: Iterable[Target]) -> dict[str, Target]:
    """For each table, the first action whose key shows its schema."""
    shown: dict[str, Target] = {}
    for target in targets:
        if target.member == "Key" and target.is_whole and _is_key(target.values):
            shown.setdefault(target.table, target)
    return shown


def _is_key(values: Item) -> bool:
    return 1 <= len(values) <= 2 and all(value.tag in {"S", "N", "B"} for value in values.values())


def _of_shown(target: Target | None) -> KnownTable | None:
    """A table as a key of the request shows it; which attribute is the partition key is open."""
    if target is None:
        return None
    first, *others = [
        KeyAttribute(name, value.tag, "partition") for name, value in target.values.items()
    ]
    schema = KeySchema(first, others[0] if others else None)
    return KnownTable(target.table, schema, {}, is_whole=False)


def _check_key(
    target: Target, table: KnownTable | None, shown: Target | None, findings: Findings
) -> None:
    if "Key" not in target.entry.members:
        return
    given = target.entry.members["Key"]
    if table is not None and set(table.schema.names) != given.keys():
        names = " and ".join(table.schema.names)
        findings.refuse("key-names", target.at(), names=names)
    elif table is None and not 1 <= len(given) <= 2:
        findings.refuse("key-count", target.at(), count=len(given))
    elif table is None and shown is not None and _shape(shown.values) != _shape(target.values):
        _note_differing(target, shown, findings)
    else:
        _check_values(target, table, target.values, findings)


def _shape(values: Item) -> dict[str, str]:
    return {name: value.tag for name, value in values.items()}


def _note_differing(target: Target, shown: Target, findings: Findings) -> None:
    if not target.is_whole:
        return
    names, others = (
        " and ".join(f"{name} ({tag})" for name, tag in _shape(values).items())
        for values in (target.values, shown.values)
    )
    other = shown.entry.slot
    findings.refuse("keys-differ", target.at(), names=names, others=others, other=other)


def _check_values(
    target: Target, table: KnownTable | None, names: Iterable[str], findings: Findings
) -> None:
    attributes = table.schema.attributes if table else ()
    declared = {attribute.name: attribute for attribute in attributes}
    for name in names:
        if name in target.values:
            check_key_value(target.values[name], declared.get(name), target.at(name), findings)


def _check_item(target: Target, table: KnownTable, findings: Findings) -> None:
    given = target.entry.members.get("Item", {})
    for name in table.schema.names:
        if name not in given and "Item" in target.entry.members:
            findings.refuse("item-without-key", target.at(), name=name)
    _check_values(target, table, table.schema.names, findings)
    for name in table.index_types.keys() & target.values.keys():
        check_index_value(name, target.values[name], table, target.at(name), findings)


def check_together(targets: Sequence[Target], tables: Tables, problems: Problems) -> None:
    """Refuse two actions on one item, an item that is too large, and too large a transaction."""
    _check_distinct(targets, tables, problems)
    total = 0
    for target in targets:
        size = item_size(target.values)
        total += size
        if target.member == "Item" and size > ITEM_BYTES:
            problems.add("item-size", target.at().pointer(), count=size, limit=ITEM_BYTES)
    if total > TRANSACTION_BYTES and targets:
        at = targets[0].entry.at.outer
        path = "" if at is None or at.outer is None else at.outer.pointer()
        problems.add("transaction-size", path, count=total, limit=TRANSACTION_BYTES)


def _check_distinct(targets: Sequence[Target], tables: Tables, problems: Problems) -> None:
    names = key_names(targets, tables)
    seen: dict[object, int] = {}
    for target in targets:
        identity = _identity(target, names.get(target.table, ()))
        if identity is None:
            continue
        slot = target.entry.slot
        other = seen.setdefault(identity, slot)
        if other != slot:
            problems.add("item-twice", target.entry.at.pointer(), other=other)


def key_names(targets: Sequence[Target], tables: Tables) -> dict[str, tuple[str, ...]]:
    """For each table, the attributes that make two items one where they are equal.

    Those of its key, where it is known or shown; else all that every item of the request has, for
    the key is among them.
    """
    shown = shown_tables(targets)
    names: dict[str, tuple[str, ...]] = {}
    for target in targets:
        known = tables.get(target.table) or _of_shown(shown.get(target.table))
        if known is not None:
            names[target.table] = known.schema.names
        else:
            shared = names.get(target.table, tuple(target.values))
            names[target.table] = tuple(name for name in shared if name in target.values)
    return names


def _identity(target: Target, names: Sequence[str]) -> object:
    values = [target.values.get(name) for name in names]
    if not target.table or not values or None in values:
        return None
    return target.table, tuple(
        (value.tag, identity_of(value) if value.tag in "SNB" else repr(value.wire))
        for value in values
        if value is not None
    )
