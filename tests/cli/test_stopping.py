"""Ctrl-C during a run: no further attempt is made, and what is stored is told all the same."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

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


def heard_until(words: str, said: IO[str]) -> str:
    """What is said up to the line with these words, or to the end."""
    heard = ""
    for line in said:
        heard += line
        if words in line:
            break
    return heard


def test_a_run_that_is_stopped_says_what_is_stored(request_file: str, service: FakeService) -> None:
    service.script, service.stored = [INTERNAL], NOBODY
    command = [sys.executable, "-m", "webapp.cli", "run", request_file]
    with subprocess.Popen(
        [*command, "--endpoint", f"lossy={service.url}"], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        told = heard_until("Attempt 1", process.stderr)
        process.send_signal(signal.SIGINT)
        told += heard_until("No further attempt", process.stderr)
        told += process.stderr.read()
        assert process.wait(30) == 1
    assert "Attempt 1 got no final answer" in told
    assert "Not done" in told
    operations = [request.operation for request in service.received]
    writes = operations.count("TransactWriteItems")
    assert operations == ["TransactWriteItems"] * writes + ["GetItem"] * (len(operations) - writes)
    assert len({request.body for request in service.received[:writes]}) == 1
