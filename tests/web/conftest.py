"""An application with a fake gateway that keeps what it was sent and answers what it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.answers import Answer, Committed, Trouble, Unavailable
from webapp.attempts import Attempt, Stop
from webapp.endpoints import local_endpoint, parse_endpoint
from webapp.web import create_app
from webapp.web.draft import EXAMPLE, Draft, pairs_of
from webapp.web.settings import Settings, Target

SEED = "a seed that a page gave"
LOCAL = local_endpoint("local", "http://127.0.0.1:4566")
AWS = parse_endpoint("prod=aws:eu-west-1")
WHERE = {
    "endpoint": "local",
    "place": "http://127.0.0.1:4566",
    "region": "us-east-1",
    "key_id": "lockwright",
    "seconds": 3,
    "detail": "it broke off",
    "table": "accounts",
    "leave": "dynamodb:ListTables",
    "operation": "ListTables",
}


@dataclass
class FakeCatalog:
    """An endpoint with the tables ``there``; ``troubles`` says which operations fail, and how."""

    there: dict[str, dict[str, Any]] = field(default_factory=dict)
    expiring: dict[str, str] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    account: str | None = None
    key_id: str = "lockwright"

    def tables(self) -> list[str]:
        self._ask("ListTables")
        return list(self.there)

    def describe(self, table: str) -> dict[str, Any]:
        self._ask("DescribeTable")
        if table not in self.there:
            raise Unavailable(trouble("table-missing", detail=table))
        return self.there[table]

    def time_to_live(self, table: str) -> str | None:
        self._ask("DescribeTimeToLive")
        return self.expiring.get(table)

    def create_table(
        self, table: str, partition: tuple[str, str], sort: tuple[str, str] | None = None
    ) -> bool:
        self._ask("CreateTable")
        if table in self.there:
            return False
        self.there[table] = description(table, partition, sort)
        return True

    def _ask(self, operation: str) -> None:
        self.asked.append(operation)
        if operation in self.troubles:
            raise Unavailable(trouble(self.troubles[operation]))


@dataclass
class FakeGateway(FakeCatalog):
    """Sends nothing; answers ``pages`` in turn, then ``answer``, and keeps every text."""

    answer: Answer = field(default_factory=lambda: Committed({}))
    sent: list[bytes] = field(default_factory=list)
    stored: dict[str, Any] | None = None
    pages: list[Answer] = field(default_factory=list)

    def send(
        self,
        text: bytes,
        *,
        watch: Callable[[Attempt], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Answer:
        self.sent.append(text)
        return self.answer

    def ask(self, operation: str, text: bytes) -> Answer:
        self.asked.append(operation)
        self.sent.append(text)
        return self.pages.pop(0) if self.pages else self.answer

    def get(
        self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None
    ) -> dict[str, Any] | None:
        return self.stored


def trouble(code: str, **params: object) -> Trouble:
    """A trouble at the endpoint ``local``."""
    return Trouble(code, WHERE | params)


def description(
    name: str, partition: tuple[str, str], sort: tuple[str, str] | None = None, **members: Any
) -> dict[str, Any]:
    """What DescribeTable says of an on-demand table."""
    keys = [("HASH", partition), *([("RANGE", sort)] if sort else [])]
    return {
        "TableName": name,
        "TableStatus": "ACTIVE",
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for _, (n, t) in keys],
        "KeySchema": [{"AttributeName": n, "KeyType": role} for role, (n, _) in keys],
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "ItemCount": 0,
        "TableSizeBytes": 0,
        **members,
    }


@pytest.fixture
def gateway() -> FakeGateway:
    return FakeGateway()


@pytest.fixture
def app(gateway: FakeGateway) -> Flask:
    targets = {"local": Target(LOCAL, lambda: gateway), "prod": Target(AWS, lambda: gateway)}
    return create_app(Settings(targets=targets))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def form(draft: Draft = EXAMPLE, **more: str) -> dict[str, str]:
    """What a browser sends for a draft; ``more`` are buttons."""
    return {**dict(pairs_of(draft)), "seed": draft.seed or SEED, **more}


def htmx(target: str) -> dict[str, str]:
    """The headers with which htmx asks for a part."""
    return {"HX-Request": "true", "HX-Target": target}
