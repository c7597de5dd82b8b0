"""Ctrl-C during a run: no further attempt is made, and what is stored is told all the same."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_commands import CREATE, written
from tests.gateway.conftest import service
from tests.gateway.fake_service import FakeService, Reply, error

__all__ = ["service"]

INTERNAL = error("InternalServerError", status=500)
NOBODY = Reply(body=b"{}")


@pytest.fixture
def request_file(tmp_path: Path) -> str:
    return written(tmp_path, CREATE)


def test_a_run_that_is_stopped_says_what_is_stored(request_file: str, service: FakeService) -> None:
    service.script = [INTERNAL]
    command = [sys.executable, "-m", "webapp.cli", "run", request_file]
    with subprocess.Popen(
        [*command, "--endpoint", f"lossy={service.url}"], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        told = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        told += process.stderr.readline()
        while "No further attempt" not in told:
            told += process.stderr.readline()
        service.script = [NOBODY]
        told += process.stderr.read()
        assert process.wait(30) == 1
    assert "Attempt 1 got no final answer" in told
    assert "Not done" in told
    operations = [request.operation for request in service.received]
    writes = operations.count("TransactWriteItems")
    assert operations == ["TransactWriteItems"] * writes + ["GetItem"] * (len(operations) - writes)
    assert len({request.body for request in service.received[:writes]}) == 1
