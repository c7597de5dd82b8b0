"""What a Query may say about keys: its key condition, and its filter, which may not name them.

Rule: a key condition is ``=`` for the partition key and, at most, one condition on the sort key.
Its form is always checked, names and types of the keys when they are known. The reason: DynamoDB
reads it with the grammar of all conditions and refuses the rest without saying what it wants.
Source: Amazon DynamoDB Developer Guide, "Key condition expressions for the Query operation".
"""

from __future__ import annotations

from collections.abc import Iterable

from webapp.core.expressions import nodes
from webapp.core.expressions.checks import check_operands
from webapp.core.expressions.operators import COMPARATORS, OPERATORS
from webapp.core.expressions.paths import Path
from webapp.core.expressions.places import Findings, Place
from webapp.core.limits import PARTITION_KEY_BYTES
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.problems import Text, register
from webapp.core.values import Value

register(
    {
        "key-condition-operator": Text(
            "{operator} cannot stand in a key condition.",
            "Allowed are = for the partition key, joined by AND with one condition on the sort "
            "key: = < <= > >= BETWEEN or begins_with. The rest belongs into the filter.",
        ),
        "key-condition-many": Text(
            "A key condition holds at most two conditions; this one has {count}.",
            "Keep one for the partition key and one for the sort key; for a range use BETWEEN.",
        ),
        "key-condition-nested": Text(
            "“{path}” is not a top-level attribute; a key always is.",
            "Name the key attribute itself, or move the condition into the filter.",
        ),
        "key-condition-operands": Text(
            "A key condition compares a key attribute with values of the request.",
            "Give the attribute on one side and a value on the other.",
        ),
        "key-condition-partition": Text(
            "The key condition does not say “{name} equals a value”.",
            "A Query reads one partition: add = for the partition key.",
        ),
        "key-condition-no-equality": Text(
            "The key condition has no =; a Query reads one partition.",
            "Add = for the partition key.",
        ),
        "key-condition-partition-operator": Text(
            "The partition key “{name}” can only be compared with =, not with {operator}.",
            "Use = for the partition key, or a Scan with a filter.",
        ),
        "key-condition-twice": Text(
            "“{name}” has two conditions; a key condition allows one for each key attribute.",
            "For a range use BETWEEN.",
        ),
        "key-condition-attribute": Text(
            "“{name}” is no key attribute of what is read (those are {names}).",
            "Move the condition into the filter, or name the index whose key it is.",
        ),
        "key-operand-type": Text(
            "The key attribute “{name}” has type {expected}; the value has type {tag}.",
            "Give a value of type {expected}.",
        ),
        "key-operand-kind": Text(
            "A key value has type S, N or B; this one has type {tag}.",
            "Give a value of the key's type.",
        ),
        "key-operand-empty": Text(
            "A key value cannot be empty.", "Give a value, or leave the condition out."
        ),
        "key-operand-long": Text(
            "The key value has {count:,} bytes; DynamoDB allows {limit:,}.", "Shorten it."
        ),
        "filter-key": Text(
            "“{name}” is a key attribute of what is read; the filter of a Query cannot use it.",
            "Move the condition into the key condition (or use a Scan, where it is allowed).",
        ),
    }
)


def check_key_condition(
    condition: nodes.Condition, schema: KeySchema | None, findings: Findings
) -> None:
    """Check a key condition; what needs the key's names and types only when ``schema`` is known."""
    parts = condition.args if isinstance(condition, nodes.Junction) else (condition,)
    before = len(findings.problems)
    for part in (condition, *parts) if len(parts) > 1 else parts:
        _check_key_operator(part, findings)
    if len(parts) > 2:
        findings.refuse("key-condition-many", condition.at, count=len(parts))
    named = [(_key_of(part, findings), part) for part in parts if _may_hold_key(part)]
    if len(findings.problems) == before:
        known = [(path, part) for path, part in named if path is not None]
        _check_keys(known, condition.at, schema, findings)


def _check_key_operator(part: nodes.Condition, findings: Findings) -> None:
    op = nodes.operator_of(part)
    row = OPERATORS[op]
    if "key_condition" not in row.kinds:
        findings.refuse("key-condition-operator", part.at, operator=row.token)
    elif op != "and":
        check_operands(part, findings)


def _may_hold_key(part: nodes.Condition) -> bool:
    return OPERATORS[nodes.operator_of(part)].sort_key


def _key_of(part: nodes.Condition, findings: Findings) -> Path | None:
    """Give the one attribute that the part compares with values, or ``None``, noted."""
    operands = nodes.operands_of(part)
    paths = [operand for operand in operands if isinstance(operand, Path)]
    literals = [operand for operand in operands if isinstance(operand, nodes.Literal)]
    is_first = isinstance(operands[0], Path) or nodes.operator_of(part) in COMPARATORS
    if len(paths) != 1 or len(literals) != len(operands) - 1 or not is_first:
        findings.refuse("key-condition-operands", part.at)
        return None
    if len(paths[0].steps) > 1:
        findings.refuse("key-condition-nested", paths[0].at, path=paths[0].text)
        return None
    return paths[0]


def _check_keys(
    named: list[tuple[Path, nodes.Condition]],
    at: Place,
    schema: KeySchema | None,
    findings: Findings,
) -> None:
    names = [path.attribute for path, _ in named]
    if len(set(names)) < len(names):
        findings.refuse("key-condition-twice", at, name=names[0])
    elif schema is None:
        _check_without_schema(named, at, findings)
    else:
        _check_with_schema(dict(zip(names, named, strict=True)), at, schema, findings)


def _check_without_schema(
    named: list[tuple[Path, nodes.Condition]], at: Place, findings: Findings
) -> None:
    if not any(nodes.operator_of(part) == "=" for _, part in named):
        findings.refuse("key-condition-no-equality", at)
    for _, part in named:
        _check_key_values(part, None, findings)


def _check_with_schema(
    named: dict[str, tuple[Path, nodes.Condition]], at: Place, schema: KeySchema, findings: Findings
) -> None:
    keys = {attribute.name: attribute for attribute in schema.attributes}
    if schema.partition.name not in named:
        findings.refuse("key-condition-partition", at, name=schema.partition.name)
    for name, (path, part) in named.items():
        if name not in keys:
            known = " and ".join(keys)
            findings.refuse("key-condition-attribute", path.at, name=name, names=known)
            continue
        _check_key_part(name, part, keys[name], findings)


def _check_key_part(
    name: str, part: nodes.Condition, key: KeyAttribute, findings: Findings
) -> None:
    op = nodes.operator_of(part)
    if key.role == "partition" and op != "=":
        token = OPERATORS[op].token
        findings.refuse("key-condition-partition-operator", part.at, name=name, operator=token)
    _check_key_values(part, key, findings)


def _check_key_values(part: nodes.Condition, key: KeyAttribute | None, findings: Findings) -> None:
    for operand in nodes.operands_of(part):
        if isinstance(operand, nodes.Literal):
            check_key_value(operand.value, key, operand.at, findings)


KEY_TYPES = ("S", "N", "B")


def check_key_value(value: Value, key: KeyAttribute | None, at: Place, findings: Findings) -> None:
    """Check a value that is compared with a key attribute, or is one."""
    limit = PARTITION_KEY_BYTES if key is None else key.limit
    if value.tag not in KEY_TYPES:
        findings.refuse("key-operand-kind", at, tag=value.tag)
    elif key is not None and value.tag != key.type:
        findings.refuse("key-operand-type", at, name=key.name, expected=key.type, tag=value.tag)
    elif value.size == 0:
        findings.refuse("key-operand-empty", at)
    elif value.size > limit:
        findings.refuse("key-operand-long", at, count=value.size, limit=limit)


def check_query_filter(
    condition: nodes.Condition, key_names: Iterable[str], findings: Findings
) -> None:
    """Refuse key attributes in the filter of a Query, wherever they stand in it."""
    keys = frozenset(key_names)
    for path in nodes.paths_in(condition):
        if path.attribute in keys:
            findings.refuse("filter-key", path.at, name=path.attribute)
