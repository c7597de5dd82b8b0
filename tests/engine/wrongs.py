"""Where engines are known to differ from DynamoDB: one table of comparisons, one of requests.

Rule: an engine is asked, never taken at its word, and what it does wrong stands here with the
request that shows it. The model of the sequences allows for exactly the comparisons that the
engine at hand gets wrong, so DynamoDB itself is held to everything; a wrong that an engine loses
or gains fails a test.

Sources: Amazon DynamoDB Developer Guide, "Comparison operator and function reference" (a = b is
true if the two are equal, for lists, maps and sets too), "Supported data types" (a number is its
value, binary its bytes, however they are spelled) and "Quotas"; API reference, TransactWriteItems.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.engine.model import Json
from webapp.answers import Answer, Committed, Rejected
from webapp.gateway import Gateway


class Comparison(NamedTuple):
    """A stored value (or none), one it is compared with, and whether they are equal to DynamoDB."""

    stored: Json | None
    believed: Json
    equal: bool


COMPARISONS: Mapping[str, Comparison] = {
    "numbers by value": Comparison({"N": "100"}, {"N": "1e2"}, equal=True),
    "numbers with 38 digits": Comparison({"N": "1" * 38}, {"N": "1" * 37 + "2"}, equal=False),
    "strings by code points": Comparison({"S": "\u00fc"}, {"S": "u\u0308"}, equal=False),
    "binary by bytes": Comparison({"B": "AA=="}, {"B": "AB=="}, equal=True),
    "types apart": Comparison({"S": "AA=="}, {"B": "AA=="}, equal=False),
    "NULL and missing apart": Comparison(None, {"NULL": True}, equal=False),
    "numbers in lists by value": Comparison(
        {"L": [{"N": "100"}]}, {"L": [{"N": "1e2"}]}, equal=True
    ),
    "lists by their members": Comparison({"L": [{"S": "a"}]}, {"L": [{"S": "b"}]}, equal=False),
    "maps by their members": Comparison(
        {"M": {"k": {"S": "a"}}}, {"M": {"k": {"S": "b"}}}, equal=False
    ),
    "sets in any order": Comparison({"SS": ["a", "b"]}, {"SS": ["b", "a"]}, equal=True),
    "sets of numbers by value": Comparison({"NS": ["100", "1"]}, {"NS": ["1", "1e2"]}, equal=True),
    "sets of binary by bytes": Comparison({"BS": ["AA=="]}, {"BS": ["AB=="]}, equal=True),
}

KNOWN: Mapping[str, frozenset[str]] = {
    # MiniStack's comparison has cases for scalars and sets only: whatever is a list or a map is
    # equal to every other, so a guard on a lock's owner fails only where there is no lock.
    "ministack": frozenset(
        {
            "lists by their members",
            "maps by their members",
            "sets of numbers by value",
            "sets of binary by bytes",
        }
    ),
    # moto reads both as None: a guard on NULL holds where the attribute has gone.
    "moto": frozenset({"NULL and missing apart"}),
}

KEY = {"PK": {"S": "a"}, "SK": {"S": "b"}}


def _put(item: Json, key: Json = KEY, **members: Any) -> Json:
    return {"Put": {"Item": key | item, **members}}


def _deep(levels: int) -> Json:
    value: Json = {"S": "a"}
    for _ in range(levels):
        value = {"L": [value]}
    return value


COMMITTED = "committed"
INVALID = "ValidationException"
CANCELLED = "TransactionCanceledException"
MISMATCH = "IdempotentParameterMismatchException"
NO_ANSWER = "no answer"
GUARDED: Json = {"ConditionExpression": "attribute_not_exists(PK)"}


class Answers(NamedTuple):
    """Transactions, several of them with one token, and what comes of the last one where."""

    transactions: list[list[Json]]
    dynamodb: str
    ministack: str
    moto: str


REQUESTS: Mapping[str, Answers] = {
    "a token with another body": Answers(
        [[_put({"v": {"S": "1"}})], [_put({"v": {"S": "2"}})]], MISMATCH, MISMATCH, COMMITTED
    ),
    "a token with the same body": Answers(
        [[_put({}, **GUARDED)]] * 2, COMMITTED, COMMITTED, CANCELLED
    ),
    "a number of 39 digits": Answers([[_put({"v": {"N": "1" * 39}})]], INVALID, INVALID, COMMITTED),
    "a number of 1E+126": Answers([[_put({"v": {"N": "1E126"}})]], INVALID, INVALID, COMMITTED),
    "a set of 1 and 1.0": Answers(
        [[_put({"v": {"NS": ["1", "1.0"]}})]], INVALID, INVALID, COMMITTED
    ),
    "an empty set": Answers([[_put({"v": {"SS": []}})]], INVALID, INVALID, COMMITTED),
    "a list of 33 levels": Answers([[_put({"v": _deep(33)})]], INVALID, INVALID, COMMITTED),
    "more than 4 MB": Answers(
        [[_put({"v": {"S": "x" * 390_000}}, KEY | {"PK": {"S": f"{n}"}}) for n in range(11)]],
        INVALID,
        INVALID,
        COMMITTED,
    ),
    "a name placeholder that is not used": Answers(
        [[_put({}, **GUARDED, ExpressionAttributeNames={"#x": "x"})]], INVALID, COMMITTED, INVALID
    ),
    "a value placeholder that is not used": Answers(
        [[_put({}, **GUARDED, ExpressionAttributeValues={":x": {"S": "x"}})]],
        INVALID,
        COMMITTED,
        COMMITTED,
    ),
    "a reserved word without alias": Answers(
        [[_put({}, ConditionExpression="attribute_not_exists(status)")]],
        INVALID,
        NO_ANSWER,
        INVALID,
    ),
    "an update of a key attribute": Answers(
        [
            [
                {
                    "Update": {
                        "Key": KEY,
                        "UpdateExpression": "SET PK = :new",
                        "ExpressionAttributeValues": {":new": {"S": "c"}},
                    }
                }
            ]
        ],
        INVALID,
        COMMITTED,
        INVALID,
    ),
    "an expression of more than 4,096 bytes": Answers(
        [[_put({}, ConditionExpression=f"attribute_not_exists({'x' * 4100})")]],
        INVALID,
        COMMITTED,
        COMMITTED,
    ),
}


def wrongs_of(gateway: Gateway, table: str) -> frozenset[str]:
    """The comparisons that an engine answers unlike DynamoDB; ``table`` has PK and SK."""
    return frozenset(
        name for name, one in COMPARISONS.items() if _is_equal(gateway, table, one) != one.equal
    )


def answer_to(gateway: Gateway, table: str, asked: Answers) -> str:
    """What comes of the last of some transactions; several are sent with one token."""
    token = table[-36:] if len(asked.transactions) > 1 else None
    answers = [_sent(gateway, table, actions, token) for actions in asked.transactions]
    match answers[-1]:
        case Committed():
            return COMMITTED
        case Rejected(code=code):
            return code
        case _:
            return NO_ANSWER


def _is_equal(gateway: Gateway, table: str, comparison: Comparison) -> bool:
    item = {"v": comparison.stored} if comparison.stored else {}
    assert isinstance(_sent(gateway, table, [_put(item)]), Committed)
    check = {
        "Key": KEY,
        "ConditionExpression": "v = :v",
        "ExpressionAttributeValues": {":v": comparison.believed},
    }
    return isinstance(_sent(gateway, table, [{"ConditionCheck": check}]), Committed)


def _sent(
    gateway: Gateway, table: str, actions: Sequence[Json], token: str | None = None
) -> Answer:
    items = [{verb: {**one, "TableName": table} for verb, one in a.items()} for a in actions]
    request = {"TransactItems": items} | ({"ClientRequestToken": token} if token else {})
    return gateway.send(json.dumps(request).encode())
