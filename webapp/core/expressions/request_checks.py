"""What DynamoDB would refuse in a request: its expressions, its keys, its settings together.

Rule: what is known about the table (the key of the request, the key condition, the key schema when
the document gives it) decides which attributes are keys; nothing is guessed beyond that.
Source: API reference, GetItem, Query, Scan, PutItem, UpdateItem, DeleteItem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from webapp.core.expressions import nodes, operations
from webapp.core.expressions.checks import check_condition
from webapp.core.expressions.key_conditions import (
    check_key_condition,
    check_key_value,
    check_query_filter,
)
from webapp.core.expressions.operations import Request
from webapp.core.expressions.operators import Kind
from webapp.core.expressions.places import Findings
from webapp.core.expressions.updates import check_paths, check_update, distinct_paths
from webapp.core.limits import ITEM_BYTES
from webapp.core.planning.keys import KeySchema
from webapp.core.problems import Problems, Text, register
from webapp.core.values import Value, Where, utf8_size

register(
    {
        "key-count": Text(
            "A key has one or two attributes, not {count}.",
            "Give the partition key and, if the table has one, the sort key.",
        ),
        "key-names": Text(
            "The key does not have exactly the attributes {names}.",
            "Give the table's key attributes and no others.",
        ),
        "item-without-key": Text(
            "The item has no “{name}”, which is part of the table's key.", "Add it."
        ),
        "item-size": Text(
            "The item has {count:,} bytes; DynamoDB allows {limit:,} (400 KB).",
            "Move large attributes elsewhere, for example to Amazon S3.",
        ),
        "select-projection": Text(
            "Select {select} does not go together with a projection.",
            "Leave one of them out; with a projection it is SPECIFIC_ATTRIBUTES.",
        ),
        "select-without-projection": Text(
            "SPECIFIC_ATTRIBUTES needs a projection.", "Add a projection, or leave “select” out."
        ),
        "select-without-index": Text(
            "ALL_PROJECTED_ATTRIBUTES is for reading an index.", "Name the index, or leave it out."
        ),
        "segments-together": Text(
            "A parallel Scan needs both the segment and the number of segments.", "Add the other."
        ),
        "segment-range": Text(
            "Segment {segment} does not exist: with {total} segments they are 0 to {last}.",
            "Give a smaller segment.",
        ),
        "index-consistent": Text(
            "A consistent read works on the table and its local indexes, not on a global index.",
            "Leave “consistent_read” out if the index is global.",
        ),
    }
)


def read_checked(document: object, where: Where | None, findings: Findings) -> Request | None:
    """The operation that ``document`` describes, checked; ``None`` when it cannot be read."""
    problems = Problems()
    request = operations.read_request(document, where, problems)
    findings.problems.extend(problems)
    if request is not None:
        check_request(request, findings)
    return request


def check_request(request: Request, findings: Findings) -> None:
    """Note everything in a request that DynamoDB would refuse."""
    names = tuple(key_names(request))
    for kind, tree in request.trees.items():
        check_tree(kind, tree, findings, names, request.schema)
    if request.operation == "Query" and "filter" in request.trees:
        check_query_filter(nodes.as_condition(request.trees["filter"]), names, findings)
    _check_keys(request, findings)
    _check_settings(request, findings)


def check_tree(
    kind: Kind,
    tree: nodes.Expression,
    findings: Findings,
    names: Iterable[str] = (),
    schema: KeySchema | None = None,
) -> None:
    """Check one expression; ``names`` are the key attributes it may not change, if known."""
    match kind:
        case "update":
            check_update(nodes.as_update(tree), names, findings)
        case "projection":
            check_paths(distinct_paths(nodes.as_projection(tree), findings), findings)
        case "key_condition":
            check_key_condition(nodes.as_condition(tree), schema, findings)
        case _:
            check_condition(nodes.as_condition(tree), findings)


def key_names(request: Request) -> Iterable[str]:
    """The key attributes of what is read or written, as far as the document tells."""
    if request.schema is not None:
        return request.schema.names
    if "key_condition" in request.trees:
        condition = nodes.as_condition(request.trees["key_condition"])
        return [path.attribute for path in nodes.paths_in(condition)]
    return request.maps.get("key", {}).keys()


def _check_keys(request: Request, findings: Findings) -> None:
    if "key" in request.maps:
        _check_key(request, request.maps["key"], findings)
    if "item" in request.maps:
        _check_item(request, request.maps["item"], findings)


def _check_key(request: Request, key: Mapping[str, Value], findings: Findings) -> None:
    if request.schema is None and not 1 <= len(key) <= 2:
        findings.refuse("key-count", request.at("key"), count=len(key))
    elif request.schema is not None and set(request.schema.names) != key.keys():
        names = " and ".join(request.schema.names)
        findings.refuse("key-names", request.at("key"), names=names)
    else:
        _check_key_values(request, "key", key, key, findings)


def _check_key_values(
    request: Request,
    member: str,
    values: Mapping[str, Value],
    names: Iterable[str],
    findings: Findings,
) -> None:
    attributes = request.schema.attributes if request.schema else ()
    declared = {attribute.name: attribute for attribute in attributes}
    for name in names:
        at = request.at(member, name)
        check_key_value(values[name], declared.get(name), at, findings)


def _check_item(request: Request, item: Mapping[str, Value], findings: Findings) -> None:
    names = request.schema.names if request.schema else ()
    for name in names:
        if name not in item:
            findings.refuse("item-without-key", request.at("item"), name=name)
    present = [name for name in names if name in item]
    _check_key_values(request, "item", item, present, findings)
    size = item_size(item)
    if size > ITEM_BYTES:
        findings.refuse("item-size", request.at("item"), count=size, limit=ITEM_BYTES)


def item_size(item: Mapping[str, Value]) -> int:
    """The size of an item as DynamoDB counts it: names and values."""
    return sum(utf8_size(name) + value.size for name, value in item.items())


def _check_settings(request: Request, findings: Findings) -> None:
    settings = request.settings
    _check_select(request, findings)
    segment, total = settings.get("segment"), settings.get("total_segments")
    if segment is None or total is None:
        if segment is not total:
            findings.refuse("segments-together", request.where)
    elif segment >= total:
        at = request.at("segment")
        findings.refuse("segment-range", at, segment=segment, total=total, last=total - 1)
    if settings.get("consistent_read") and "index" in settings:
        findings.warn("index-consistent", request.at("consistent_read"))


def _check_select(request: Request, findings: Findings) -> None:
    select, at = request.settings.get("select"), request.at("select")
    has_projection = "projection" in request.trees
    if select in {"ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT"} and has_projection:
        findings.refuse("select-projection", at, select=select)
    if select == "SPECIFIC_ATTRIBUTES" and not has_projection:
        findings.refuse("select-without-projection", at)
    if select == "ALL_PROJECTED_ATTRIBUTES" and "index" not in request.settings:
        findings.refuse("select-without-index", at)
