"""DynamoDB's limits, one row each.

Rule: a number that DynamoDB refuses beyond stands here and nowhere else, with its unit and where
AWS documents it. The reason: checks, messages, budget and reference page must never disagree.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: what it bounds, the largest allowed value, its unit, where AWS states it."""

    rule: str
    maximum: int
    unit: str
    source: str


_QUOTAS = "Amazon DynamoDB Developer Guide, Quotas"
_API = "API reference, TransactWriteItems"
_MODEL = "service model dynamodb/2012-08-10"

LIMITS: dict[str, Limit] = {
    "actions": Limit("actions in one transaction", 100, "actions", _API),
    "transaction": Limit("all items of one transaction together", 4 * 1024 * 1024, "bytes", _API),
    "item": Limit("one item, attribute names and values", 400 * 1024, "bytes", _QUOTAS),
    "partition-key": Limit("value of a partition key", 2048, "bytes", _QUOTAS),
    "sort-key": Limit("value of a sort key", 1024, "bytes", _QUOTAS),
    "key-name": Limit("name of a key attribute", 255, "bytes", _QUOTAS),
    "attribute-name": Limit("name of an attribute", 64 * 1024 - 1, "bytes", _QUOTAS),
    "table-name": Limit("name of a table", 255, "characters", _QUOTAS),
    "token": Limit("ClientRequestToken", 36, "characters", _MODEL),
    "nesting": Limit("nesting of lists and maps", 32, "levels", _QUOTAS),
    "digits": Limit("significant digits of a number", 38, "digits", _QUOTAS),
    "expression": Limit("one expression string", 4096, "bytes", _QUOTAS),
    "placeholder": Limit("one name or value placeholder", 255, "bytes", _QUOTAS),
    "variables": Limit("all substitution variables", 2 * 1024 * 1024, "bytes", _QUOTAS),
    "operators": Limit("operators and functions of an update", 300, "operators", _QUOTAS),
    "in-operands": Limit("operands of IN", 100, "operands", _QUOTAS),
}

ACTIONS = LIMITS["actions"].maximum
TRANSACTION_BYTES = LIMITS["transaction"].maximum
ITEM_BYTES = LIMITS["item"].maximum
PARTITION_KEY_BYTES = LIMITS["partition-key"].maximum
SORT_KEY_BYTES = LIMITS["sort-key"].maximum
KEY_NAME_BYTES = LIMITS["key-name"].maximum
ATTRIBUTE_NAME_BYTES = LIMITS["attribute-name"].maximum
TABLE_NAME_CHARACTERS = LIMITS["table-name"].maximum
TOKEN_CHARACTERS = LIMITS["token"].maximum
NESTING_LEVELS = LIMITS["nesting"].maximum
NUMBER_DIGITS = LIMITS["digits"].maximum
EXPRESSION_BYTES = LIMITS["expression"].maximum
PLACEHOLDER_BYTES = LIMITS["placeholder"].maximum
VARIABLES_BYTES = LIMITS["variables"].maximum
OPERATORS = LIMITS["operators"].maximum
IN_OPERANDS = LIMITS["in-operands"].maximum

WRITE_UNIT_BYTES = 1024
TRANSACTION_UNITS_PER_WRITE = 2
TABLE_NAME_LEAST = 3
TABLE_ARN_CHARACTERS = 1024
