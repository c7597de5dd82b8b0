"""What a plan costs, and whether DynamoDB would take it.

Rule: actions, bytes and write units are counted before anything is sent, and what is over a limit
is refused with the arithmetic. Where the stored item's size is not known, the figure is a lower
bound and says so. Sources: API reference, TransactWriteItems (100 actions, 4 MB); Amazon DynamoDB
Developer Guide, "DynamoDB item sizes and formats" and "DynamoDB read and write operations"
(a transactional write costs two units for each started KB of an item).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webapp.core.limits import (
    ACTIONS,
    ITEM_BYTES,
    TRANSACTION_BYTES,
    TRANSACTION_UNITS_PER_WRITE,
    WRITE_UNIT_BYTES,
)
from webapp.core.problems import Problems, Text, register

register(
    {
        "too-many-actions": Text(
            "The transaction has {count} actions ({arithmetic}); DynamoDB allows {limit}.",
            "Change fewer records at once, or protect fewer values.",
        ),
        "item-too-large": Text(
            "The item has {count:,} bytes; DynamoDB allows {limit:,} (400 KB).",
            "Move large attributes elsewhere, for example to Amazon S3.",
        ),
        "transaction-too-large": Text(
            "The items of the transaction have {count:,} bytes together; "
            "DynamoDB allows {limit:,} (4 MB).",
            "Write fewer or smaller records in one transaction.",
        ),
    }
)


class Budget(NamedTuple):
    """The cost of a plan: its actions, bytes of all items and of the largest, write units.

    ``lower_bound`` says that an item's stored size is not known, so that bytes and units are at
    least these.
    """

    actions: int
    bytes: int
    largest_item_bytes: int
    write_units: int
    lower_bound: bool

    def as_document(self) -> dict[str, object]:
        """The budget as the contract's JSON object, with the limits beside it."""
        return {
            "actions": self.actions,
            "bytes": self.bytes,
            "largest_item_bytes": self.largest_item_bytes,
            "write_units": self.write_units,
            "lower_bound": self.lower_bound,
            "limits": {
                "actions": ACTIONS,
                "bytes": TRANSACTION_BYTES,
                "item_bytes": ITEM_BYTES,
            },
        }


def budget_of(sizes: Sequence[int], lower_bound: bool) -> Budget:
    """The budget of one action per size (bytes of its item)."""
    started = [(size + WRITE_UNIT_BYTES - 1) // WRITE_UNIT_BYTES for size in sizes]
    units = TRANSACTION_UNITS_PER_WRITE * sum(started)
    return Budget(len(sizes), sum(sizes), max(sizes), units, lower_bound)


def check(sizes: Sequence[int], records: int, at: str, problems: Problems) -> None:
    """Note what is over a limit of the transaction; ``records`` of its actions are records."""
    count, total = len(sizes), sum(sizes)
    if count > ACTIONS:
        arithmetic = f"{records} for records + {count - records} for locks"
        problems.add("too-many-actions", at, count=count, limit=ACTIONS, arithmetic=arithmetic)
    if total > TRANSACTION_BYTES:
        problems.add("transaction-too-large", at, count=total, limit=TRANSACTION_BYTES)
