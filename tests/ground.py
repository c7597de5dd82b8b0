"""A place for races that lies in memory: tables, and the few requests that a race sends.

Everything is done under one lock, as the service does it; ``pause`` is called before each request
and can hold it or let it fail.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from webapp.answers import Answer, Committed, Rejected, Trouble, Unavailable

Json = dict[str, Any]

WHERE = {"endpoint": "local", "place": "nowhere", "region": "us-east-1", "key_id": "lockwright"}
NOBODY_ANSWERS = Unavailable(Trouble("connection-refused", WHERE))


def _goes_on(operation: str) -> None:
    pass


@dataclass
class FakeGround:
    """Tables by name, each with its items by key; ``isolated`` is whether transactions are."""

    pause: Callable[[str], None] = _goes_on
    isolated: bool = True
    held: dict[str, dict[tuple[str, str], Json]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def create_table(
        self,
        table: str,
        partition: tuple[str, str],
        sort: tuple[str, str] | None = None,
        *,
        index: tuple[str, tuple[str, str]] | None = None,
    ) -> bool:
        self.pause("CreateTable")
        self.made.append(table)
        self.held[table] = {}
        return True

    def delete_table(self, table: str) -> None:
        self.pause("DeleteTable")
        del self.held[table]

    def describe(self, table: str) -> Json:
        return {"TableStatus": "ACTIVE"}

    def tables(self) -> list[str]:
        self.pause("ListTables")
        return list(self.held)

    def pages(self, operation: str, request: Json) -> Iterator[Json]:
        value = request.get("ExpressionAttributeValues", {}).get(":value", {"S": ""})
        if value != {"S": "nobody"}:
            self.pause(operation)
        with self.lock:
            items = list(self.held[request["TableName"]].values())
        if operation == "Query":
            name = request["KeyConditionExpression"].partition(" ")[0]
            items = [item for item in items if item.get(name) == value]
        yield {"Items": items, "Count": len(items)}

    def put(self, table: str, item: Json) -> None:
        self.pause("PutItem")
        with self.lock:
            self.held[table][_key(item)] = item

    def send(self, text: bytes) -> Answer:
        self.pause("TransactWriteItems")
        puts = [action["Put"] for action in json.loads(text)["TransactItems"]]
        with self.lock:
            taken = [_key(put["Item"]) in self.held[put["TableName"]] for put in puts]
            if self.isolated and any(taken):
                return _cancelled(taken)
            for put in puts:
                self.held[put["TableName"]][_key(put["Item"])] = put["Item"]
            return Committed({})


def _key(item: Json) -> tuple[str, str]:
    return item["PK"]["S"], item["SK"]["S"]


def _cancelled(taken: list[bool]) -> Rejected:
    reasons = [{"Code": "ConditionalCheckFailed" if is_taken else "None"} for is_taken in taken]
    error = {
        "Error": {"Code": "TransactionCanceledException", "Message": "Transaction cancelled"},
        "CancellationReasons": reasons,
    }
    return Rejected("TransactionCanceledException", error, 400)
