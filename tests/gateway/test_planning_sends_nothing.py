"""Planning, by whatever door, sends nothing; only a run does, and only what was planned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.fake_service import FakeService
from webapp.cli import main
from webapp.core import documents
from webapp.gateway import Gateway
from webapp.web import create_app
from webapp.web.settings import Settings, Target

REQUEST: dict[str, Any] = {
    "design": {
        "version": 1,
        "table": "accounts",
        "partition_key": {"name": "PK", "type": "S"},
        "record": {"partition": "ACCT#{id}"},
        "lock": {"partition": "UNIQ#{namespace}#{value}"},
        "unique": [{"namespace": "EMAIL", "attributes": ["email"]}],
    },
    "changes": [
        {"operation": "create", "key": {"id": "1"}, "item": {"email": {"S": "ada@lovelace.io"}}}
    ],
    "token": "token-1",
}


@pytest.fixture
def request_file(tmp_path: Path) -> str:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(REQUEST), encoding="utf-8")
    return str(path)


def test_B78_the_command_line_sends_only_when_it_is_told_to_run(
    service: FakeService, request_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCKWRIGHT_ENDPOINTS", f"recorder={service.url}")
    assert main(["plan", request_file]) == 0
    assert main(["plan", request_file, "--full", "--json"]) == 0
    assert service.received == []
    assert main(["run", request_file, "--endpoint", "recorder"]) == 0
    assert [request.operation for request in service.received] == ["TransactWriteItems"]


def test_B78_the_server_sends_only_when_it_is_told_to_run_and_exactly_the_plan(
    service: FakeService, sender: Gateway
) -> None:
    target = Target(sender.endpoint, lambda: sender)
    visitor = create_app(Settings(targets={"fake": target})).test_client()
    assert visitor.get("/").status_code == 200
    assert visitor.post("/api/v1/plan", json=REQUEST).status_code == 200
    assert service.received == []
    assert visitor.post("/api/v1/run", json={**REQUEST, "endpoint": "fake"}).status_code == 200
    assert [request.body for request in service.received] == [documents.plan(REQUEST).text]
