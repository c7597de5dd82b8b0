"""Faults for the comparison of lint and engine: named changes of a valid transaction, and junk.

A fault changes one random place of a request that it fits; where it fits nowhere it does nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.engine.transaction_maker import TABLES, Json, Maker

JUNK: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    5,
    -1.5,
    "",
    "a",
    ":v0",
    "#n0",
    [],
    {},
    [[]],
    {"S": "a"},
    {"S": 5},
    {"N": "x"},
    {"s": "a"},
    {"S": "a", "N": "1"},
    {"NULL": False},
    {"SS": []},
    {"SS": ["a", "a"]},
    {"B": "?"},
    "x" * 5000,
    {"L": {}},
    {"M": []},
    {"BOOL": "true"},
    {"M": {"": {"S": "a"}}},
    "\ud800",
    "arn:aws:dynamodb:x",
    10**400,
)
BAD_VALUES: tuple[Json, ...] = (
    {},
    {"S": "a", "N": "1"},
    {"s": "a"},
    {"N": "abc"},
    {"N": ""},
    {"N": " 1"},
    {"N": "1" * 39},
    {"N": "1e126"},
    {"N": "1e-131"},
    {"N": "NaN"},
    {"N": 5},
    {"NS": ["1", "1.0"]},
    {"NS": [1, 2]},
    {"NS": []},
    {"SS": []},
    {"SS": ["a", "a"]},
    {"BS": []},
    {"BS": ["AQ==", "AQ=="]},
    {"NULL": False},
    {"NULL": "true"},
    {"BOOL": "true"},
    {"S": None},
    {"L": [{"X": 1}]},
    {"M": {"a": "b"}},
    {"SS": ["a", {"S": "b"}]},
    {"B": "***"},
)
BAD_CONDITIONS = (
    "",
    " ",
    "a",
    "a =",
    "= :v0",
    "a = = b",
    "a == :v0",
    "a != :v0",
    "a AND b",
    "NOT",
    "(a = :v0",
    "a = :v0)",
    "((a = :v0))",
    "attribute_exists()",
    "attribute_exists(:v0)",
    "attribute_exists(a, b)",
    "begins_with(a)",
    "Begins_With(a, :v0)",
    "unknown(a)",
    "contains(a, a)",
    "a = a",
    "size(a)",
    "a BETWEEN :v0",
    "a IN ()",
    "a IN :v0",
    "a = 'x'",
    "a = 5",
    "status = :v0",
    "a.status = :v0",
    "_a = :v0",
    "a[x] = :v0",
    "a..b = :v0",
    "a = :v0 OR",
    "attribute_not_exists(PK) attribute_exists(a)",
    "if_not_exists(a, :v0) = :v0",
    "attribute_type(a, b)",
    "a = :undefined",
    "#undefined = :v0",
    "a = :v0 AND a = :v0 &&",
    "size(size(a)) = :v0",
    "a " + "= :v0 OR a " * 500 + "= :v0",
    'a = "x"',
    "a,b = :v0",
    "a = :v0;",
    "a-b = :v0",
)
BAD_UPDATES = (
    "",
    " ",
    "SET",
    "SET a",
    "SET a = ",
    "SET a = :v0,",
    "a = :v0",
    "SET a = :v0 SET b = :v0",
    "SET a == :v0",
    "SET a = b +",
    "SET a = :v0 + :v0 + :v0",
    "SET a = list_append(:v0)",
    "SET a = list_append(a, b, :v0)",
    "SET a = size(b)",
    "SET a = unknown(b)",
    "SET a = if_not_exists(:v0, :v0)",
    "SET a = :v0, a = :v0",
    "SET a.b = :v0, a = :v0",
    "SET a.b = :v0, a[0] = :v0",
    "REMOVE",
    "REMOVE a, a",
    "REMOVE :v0",
    "ADD a",
    "ADD a = :v0",
    "ADD a b",
    "DELETE a",
    "SET status = :v0",
    "SET a = :undefined",
    "SET #undefined = :v0",
    "MERGE a = :v0",
    "SET a = (:v0",
    "SET a = ((:v0))",
    "SET a = 5",
    "REMOVE a b",
    "SET a = if_not_exists(a, b + :v0)",
    "SET a = list_append(list_append(a, :v0), :v0)",
    "SET :v0 = a",
    "SET a = :v0 WHERE b = :v0",
)
BAD_OPERANDS: tuple[tuple[str, str, Json], ...] = (
    ("ConditionExpression", "a < :x", {"BOOL": True}),
    ("ConditionExpression", "a >= :x", {"SS": ["a"]}),
    ("ConditionExpression", "begins_with(a, :x)", {"N": "1"}),
    ("ConditionExpression", "attribute_type(a, :x)", {"S": "TEXT"}),
    ("ConditionExpression", "attribute_type(a, :x)", {"N": "1"}),
    ("ConditionExpression", "size(:x) = :x", {"N": "1"}),
    ("ConditionExpression", "a BETWEEN :x AND :x", {"L": []}),
    ("UpdateExpression", "ADD a :x", {"S": "a"}),
    ("UpdateExpression", "ADD a :x", {"L": []}),
    ("UpdateExpression", "DELETE a :x", {"N": "1"}),
    ("UpdateExpression", "SET a = :x + :x", {"S": "1"}),
    ("UpdateExpression", "SET a = list_append(:x, :x)", {"S": "1"}),
)


def actions(request: Json) -> Iterator[tuple[str, Json]]:
    """The actions of a request with their kinds."""
    for entry in request["TransactItems"]:
        yield from entry.items()


def some_action(maker: Maker, request: Json, *kinds: str) -> Json | None:
    """A random action of one of the kinds (of any, when none is named)."""
    fitting = [body for kind, body in actions(request) if not kinds or kind in kinds]
    whole = [body for body in fitting if body.get("TableName") in TABLES and _has_key(body)]
    return maker.of(*whole) if whole else None


def _has_key(body: Json) -> bool:
    values = body.get("Item") or body.get("Key") or {}
    return all(name in values for name, _ in TABLES[body["TableName"]].keys)


def set_expression(body: Json, member: str, text: str, values: Json) -> None:
    """Replace an expression and what its placeholders stand for."""
    body.pop("ConditionExpression", None)
    body[member] = text
    body.pop("ExpressionAttributeNames", None)
    body.pop("ExpressionAttributeValues", None)
    used = {token: value for token, value in values.items() if token in text}
    if member == "ConditionExpression" and "UpdateExpression" in body:
        body["UpdateExpression"] = "REMOVE zz"
    if used:
        body["ExpressionAttributeValues"] = used


def _bad_value(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Put")
    if body is not None:
        body["Item"][maker.of("a", "title")] = copy.deepcopy(maker.of(*BAD_VALUES))


def _bad_expression_value(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is not None and body.get("ExpressionAttributeValues"):
        token = maker.of(*body["ExpressionAttributeValues"])
        body["ExpressionAttributeValues"][token] = copy.deepcopy(maker.of(*BAD_VALUES))


def _bad_condition(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    text = maker.of(*BAD_CONDITIONS)
    set_expression(body, "ConditionExpression", text, {":v0": {"S": "a"}})


def _bad_update(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Update")
    if body is not None:
        set_expression(body, "UpdateExpression", maker.of(*BAD_UPDATES), {":v0": {"N": "1"}})


def _bad_operand(maker: Maker, request: Json) -> None:
    member, text, value = maker.of(*BAD_OPERANDS)
    body = some_action(maker, request, "Update")
    if body is not None:
        set_expression(body, member, text, {":x": value})


def _bounds(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    low, high = maker.of(
        ({"N": "5"}, {"N": "1"}), ({"S": "b"}, {"S": "a"}), ({"S": "a"}, {"N": "1"})
    )
    set_expression(body, "ConditionExpression", "a BETWEEN :l AND :h", {":l": low, ":h": high})


def _many_operands(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    values = {f":v{n}": {"N": str(n)} for n in range(101)}
    set_expression(body, "ConditionExpression", f"a IN ({', '.join(values)})", values)


def _many_operators(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Update")
    if body is not None:
        sums = ", ".join(f"a{n} = b + :v" for n in range(230))
        body["UpdateExpression"] = f"SET {sums}"


def _unused(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    member, token, stands_for = maker.of(
        ("ExpressionAttributeNames", "#unused", "a"),
        ("ExpressionAttributeValues", ":unused", {"S": "a"}),
    )
    body.setdefault(member, {})[token] = stands_for


def _empty_map(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    body[maker.of("ExpressionAttributeNames", "ExpressionAttributeValues")] = {}


def _bad_token(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is not None and body.get("ExpressionAttributeValues"):
        token, value = body["ExpressionAttributeValues"].popitem()
        body["ExpressionAttributeValues"][maker.of(token[1:], token + "-x", ":")] = value


def _same_item(maker: Maker, request: Json) -> None:
    items = request["TransactItems"]
    if not items:
        return
    entry = copy.deepcopy(maker.of(*items))
    for body in entry.values():
        key = body.get("Key") or body.get("Item") or {}
        if "N" in key.get("version", {}) and maker.chance(0.5):
            key["version"] = {"N": f"{float(key['version']['N'])}"}
    items.append(entry)


def _many(maker: Maker, request: Json) -> None:
    table = "lint-pairs"
    request["TransactItems"] = [
        {"Put": {"TableName": table, "Item": maker.key(TABLES[table], slot)}}
        for slot in range(maker.of(101, 120))
    ]


def _none(maker: Maker, request: Json) -> None:
    request["TransactItems"] = []


def _two_in_one(maker: Maker, request: Json) -> None:
    if not request["TransactItems"]:
        return
    entry = maker.of(*request["TransactItems"])
    other = maker.action(99)
    for kind, body in other.items():
        entry.setdefault(kind, body)


def _no_action(maker: Maker, request: Json) -> None:
    for entry in request["TransactItems"][:1]:
        entry.clear()


def _member_missing(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    needed = ("TableName", "Key", "Item", "UpdateExpression")
    body.pop(maker.of(*[name for name in needed if name in body]))


def _member_unknown(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    body[maker.of("IndexName", "ReturnValues", "Expected", "Conditionexpression")] = "x"


def _choice(maker: Maker, request: Json) -> None:
    member = maker.of(
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
        "ReturnValuesOnConditionCheckFailure",
    )
    body = some_action(maker, request) if member.startswith("ReturnValues") else request
    if body is None:
        return
    body[member] = maker.of("ALL", "", "total", "ALL_NEW")


def _client_token(maker: Maker, request: Json) -> None:
    request["ClientRequestToken"] = maker.of("", "x" * 37, "é" * 40)


def _table_name(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    body["TableName"] = maker.of("", "a b", "x" * 256, "tä", "a/b")


def _key_shape(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Update", "Delete", "ConditionCheck")
    if body is None:
        return
    key = body["Key"]
    name = maker.of(*key)
    match maker.of("missing", "extra", "type", "list"):
        case "missing":
            del key[name]
        case "extra":
            key["extra"] = {"S": "a"}
        case "type":
            key[name] = {"BOOL": True} if "S" not in key[name] else {"N": "1"}
        case _:
            key[name] = {"L": [{"S": "a"}]}


def _item_key(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Put")
    if body is None:
        return
    name = maker.of(*[n for n, _ in TABLES[body["TableName"]].keys])
    match maker.of("missing", "type", "set"):
        case "missing":
            del body["Item"][name]
        case "type":
            body["Item"][name] = {"NULL": True}
        case _:
            body["Item"][name] = {"SS": ["a"]}


def _empty_key(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is None:
        return
    values = body.get("Item") or body["Key"]
    for name, kind in TABLES[body["TableName"]].keys[:1]:
        values[name] = {kind: ""}


def _long_key(maker: Maker, request: Json) -> None:
    body = some_action(maker, request)
    if body is not None and body["TableName"] == "lint-pairs":
        name, size = maker.of(("PK", 2049), ("SK", 1025), ("PK", 2048), ("SK", 1024))
        values = body.get("Item") or body["Key"]
        values[name] = {"S": ("é" * (size // 2) + "x" * (size % 2))}


def _index_key(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Put")
    if body is not None and body["TableName"] == "lint-pairs":
        body["Item"]["email"] = maker.of({"N": "1"}, {"S": ""}, {"SS": ["a"]}, {"NULL": True})


def _touch_key(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Update")
    if body is not None:
        name = next(iter(body["Key"]))
        text = maker.of(f"SET {name} = :v0", f"REMOVE {name}", f"ADD {name} :v0")
        set_expression(body, "UpdateExpression", text, {":v0": {"N": "1"}})


def _large_item(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Put")
    if body is not None:
        body["Item"]["large"] = {"S": "x" * maker.of(300_000, 409_600, 500_000)}


def _deep(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Put")
    if body is not None:
        value: Json = {"S": "leaf"}
        for _ in range(maker.of(31, 32, 40)):
            value = maker.of({"M": {"n": value}}, {"L": [value]})
        body["Item"]["deep"] = value


def _empty_name(maker: Maker, request: Json) -> None:
    body = some_action(maker, request, "Put")
    if body is not None:
        body["Item"][""] = {"S": "a"}


FAULTS: Mapping[str, Callable[[Maker, Json], None]] = {
    name.__name__.strip("_"): name
    for name in (
        _bad_value,
        _bad_expression_value,
        _bad_condition,
        _bad_update,
        _bad_operand,
        _bounds,
        _many_operands,
        _many_operators,
        _unused,
        _empty_map,
        _bad_token,
        _same_item,
        _many,
        _none,
        _two_in_one,
        _no_action,
        _member_missing,
        _member_unknown,
        _choice,
        _client_token,
        _table_name,
        _key_shape,
        _item_key,
        _empty_key,
        _long_key,
        _index_key,
        _touch_key,
        _large_item,
        _deep,
        _empty_name,
    )
}


def make(number: int) -> object:
    """The request of a number: valid, with one or two faults, or with junk in random places."""
    maker = Maker(number)
    request: object = maker.request()
    share = maker.random.random()
    if share < 0.35:
        return request
    if share < 0.85:
        for _ in range(maker.of(1, 1, 1, 2)):
            FAULTS[maker.of(*FAULTS)](maker, request)  # type: ignore[arg-type]
        return request
    for _ in range(maker.of(1, 1, 2, 3)):
        request = _with_junk(maker, request)
    return request


def _with_junk(maker: Maker, document: Any) -> Any:
    """The document with one random place replaced, removed or renamed."""
    places = [(parent, name) for parent, name in _places(document)]
    if not places:
        return document
    parent, name = maker.of(*places)
    match maker.of("replace", "replace", "remove", "rename"):
        case "replace":
            parent[name] = copy.deepcopy(maker.of(*JUNK))
        case "remove":
            del parent[name]
        case _ if isinstance(parent, dict):
            parent[maker.of("x", "S", "N", "Put", "#x", ":x", "PK")] = parent.pop(name)
        case _:
            parent.append(copy.deepcopy(parent[name]))
    return document


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    members = document.items() if isinstance(document, dict) else enumerate(document)
    for name, inner in list(members):
        yield document, name
        if isinstance(inner, dict | list):
            yield from _places(inner)
