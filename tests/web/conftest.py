"""An application with a fake gateway that keeps what it was sent and answers what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.answers import Answer, Committed
from webapp.endpoints import local_endpoint, parse_endpoint
from webapp.web import create_app
from webapp.web.draft import EXAMPLE, Draft, pairs_of
from webapp.web.settings import Settings, Target

LOCAL = local_endpoint("local", "http://127.0.0.1:4566")
AWS = parse_endpoint("prod=aws:eu-west-1")


@dataclass
class FakeGateway:
    """Sends nothing; answers ``answer`` and keeps every text."""

    answer: Answer = field(default_factory=lambda: Committed({}))
    sent: list[bytes] = field(default_factory=list)
    stored: dict[str, Any] | None = None

    def send(self, text: bytes) -> Answer:
        self.sent.append(text)
        return self.answer

    def get(self, table: str, key: Mapping[str, Any]) -> dict[str, Any] | None:
        return self.stored


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
    return {**dict(pairs_of(draft)), **more}


def htmx(target: str) -> dict[str, str]:
    """The headers with which htmx asks for a part."""
    return {"HX-Request": "true", "HX-Target": target}
