"""The served app: it answers, finds its engine and ends without leaving anything behind."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import IO
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.cli.test_commands import on_table, written
from tests.engine.test_local_engine import has_ended
from tests.gateway.conftest import service
from tests.gateway.fake_service import LATE, FakeService
from tests.web.conftest import form, htmx
from webapp import enginefolder, local
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway

__all__ = ["service"]

COMMAND = [sys.executable, "-m", "webapp.cli", "serve", "--port", "0"]


@contextlib.contextmanager
def served(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """``lockwright serve`` in a folder of its own, killed at the end if it still runs."""
    with subprocess.Popen(
        [*COMMAND, *options], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            yield process, process.stderr
        finally:
            process.kill()


def address(line: str) -> str:
    """The URL in a line."""
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    assert found, line
    return found.group()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_it_serves_with_an_engine_that_ends_with_it(end: signal.Signals, tmp_path: Path) -> None:
    with served(tmp_path) as (process, said):
        engine = local_endpoint("local", address(said.readline()))
        page = address(said.readline())
        assert Gateway(engine).tables() == ["accounts"]
        with urlopen(f"{page}/", timeout=10) as answer:
            assert answer.status == 200
        engine_pid = int((tmp_path / ".local" / "engine.pid").read_text())
        process.send_signal(end)
        process.wait(20)
        assert has_ended(engine_pid)


def test_a_signal_that_is_ignored_from_the_start_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell starts what runs behind it
    try:
        with served(tmp_path, "--no-local") as (process, said):
            page = address(said.readline())
            process.send_signal(signal.SIGINT)
            with urlopen(f"{page}/", timeout=10) as answer:
                assert answer.status == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
            assert said.read() == ""
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_the_engine_the_page_is_served_all_the_same(tmp_path: Path) -> None:
    with (
        served(tmp_path, "--no-local") as (_, said),
        urlopen(f"{address(said.readline())}/", timeout=10) as answer,
    ):
        assert answer.status == 200
    assert list(tmp_path.iterdir()) == []


def test_endpoints_come_from_arguments_the_environment_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[endpoints]\nfiled = "aws:eu-west-1"\n')
    monkeypatch.setenv("LOCKWRIGHT_CONFIG", str(settings))
    monkeypatch.setenv("LOCKWRIGHT_ENDPOINTS", "set=http://127.0.0.1:2 other=aws:eu-central-1")
    given = ["--no-local", "--read-only", "--allow-write", "--endpoint", "given=http://127.0.0.1:1"]
    with (
        served(tmp_path, *given) as (_, said),
        urlopen(f"{address(said.readline())}/", timeout=10) as answer,
    ):
        page = answer.read().decode()
    for name, place in {
        "filed": "AWS eu-west-1",
        "set": "127.0.0.1:2",
        "other": "AWS eu-central-1",
        "given": "127.0.0.1:1",
    }.items():
        assert f"<b>{name}</b> {place}" in page
        assert f"{name} is read-only here: the server was started with --read-only." in page


def test_a_port_in_use_is_told_in_a_sentence(tmp_path: Path) -> None:
    with served(tmp_path, "--no-local") as (_, said):
        port = address(said.readline()).rpartition(":")[2]
        with served(tmp_path, "--no-local", "--port", port) as (process, complaint):
            assert process.wait(20) == 2
            assert f"cannot listen on 127.0.0.1:{port}" in complaint.read()


def test_a_taken_port_is_told_before_an_engine_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with served(tmp_path, "--port", port) as (process, complaint):
            assert process.wait(20) == 2
            assert complaint.read().count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def busy_port() -> Iterator[None]:
    """The usual port of an engine is taken, by this test or whoever has it."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(socket.create_server((local.HOST, local.PORT)))
        yield


@pytest.mark.usefixtures("busy_port")
def test_local_on_the_command_line_is_the_engine_of_this_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "webapp.cli", "run", written(tmp_path, on_table("accounts"))]
    with served(tmp_path) as (_, said):
        engine = address(said.readline())
        said.readline()
        ran = subprocess.run(
            [*command, "--endpoint", "local"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
    assert engine != f"http://{local.HOST}:{local.PORT}"
    assert ran.stderr.splitlines() == [
        f"Sending to local ({engine}).",
        f"Committed: 2 actions at local ({engine}).",
    ]


def test_a_second_page_in_a_folder_uses_the_engine_that_runs_and_ends_none(tmp_path: Path) -> None:
    folder = tmp_path / ".local"
    with served(tmp_path) as (first, said):
        engine = address(said.readline())
        log = (folder / "engine.log").stat().st_ino, (folder / "engine.pid").read_text()
        said.readline()
        with served(tmp_path) as (second, told):
            assert told.readline() == (
                f"The engine of .local is run by another Lockwright, at {engine}: it is local here "
                "too, and ends with that one. For another give --endpoint local=URL, or start in "
                "another folder.\n"
            )
            with urlopen(f"{address(told.readline())}/", timeout=10) as answer:
                assert f"<b>local</b> {engine.removeprefix('http://')}" in answer.read().decode()
            second.send_signal(signal.SIGTERM)
            second.wait(20)
        assert Gateway(local_endpoint("local", engine)).tables() == ["accounts"]
        assert log == (
            (folder / "engine.log").stat().st_ino,
            (folder / "engine.pid").read_text(),
        )
        first.send_signal(signal.SIGTERM)
        first.wait(20)
    assert enginefolder.read_address(folder) is None
    assert not (folder / enginefolder.ADDRESS).exists()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("headers", [{}, htmx("result")], ids=["no script", "htmx"])
def test_a_signal_ends_it_while_an_endpoint_hangs_and_says_what_is_not_known(
    end: signal.Signals, headers: dict[str, str], tmp_path: Path, service: FakeService
) -> None:
    service.script = [LATE]
    with served(tmp_path, "--no-local", "--endpoint", f"slow={service.url}") as (process, said):
        body = urlencode(form(endpoint="slow") | {"token": "t-1"}).encode()
        page = address(said.readline())
        headers = {"Origin": page, **headers}
        asked = Request(f"{page}/run", body, headers)
        asking = threading.Thread(target=ask_in_vain, args=(asked,), daemon=True)
        asking.start()
        service.heard.wait(20)
        process.send_signal(end)
        assert said.readline() == (
            "Stopping. Requests without an answer yet: 1; they get some seconds more.\n"
        )
        process.wait(20)
        assert "was written at slow is not known. Look at its record" in said.read()
        assert [request.operation for request in service.received] == ["TransactWriteItems"]
    asking.join(20)


def ask_in_vain(asked: Request) -> None:
    """Ask for a page that may not be answered to its end."""
    with contextlib.suppress(OSError, HTTPException), urlopen(asked, timeout=30):
        pass
