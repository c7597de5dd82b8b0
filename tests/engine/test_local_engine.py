"""The local engine starts on loopback, keeps its tables and never outlives its starter."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from webapp import enginefolder, local
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway

STARTER = """
import sys, time
from pathlib import Path
from webapp import enginefolder, local
engine = local.start(Path(sys.argv[1]), 0)
print(engine.process.pid, flush=True)
time.sleep(600)
"""


def has_ended(pid: int, seconds: float = 20) -> bool:
    """Whether a process is gone, given some time to go."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_tables_are_kept_over_a_restart(tmp_path: Path) -> None:
    with local.running(tmp_path, 0) as engine:
        Gateway(engine.endpoint).create_table("accounts", ("PK", "S"))
    with local.running(tmp_path, 0) as engine:
        assert Gateway(engine.endpoint).tables() == ["accounts"]


LISTENING = "0A"
LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


def listening_addresses(pid: int) -> set[str]:
    """The addresses, as the kernel writes them, on which a process waits for connections."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    mine = {link[len("socket:[") : -1] for link in links if link.startswith("socket:[")}
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
    ]
    return {row[1].partition(":")[0] for row in rows if row[3] == LISTENING and row[9] in mine}


def test_none_of_its_sockets_listens_beyond_loopback(tmp_path: Path) -> None:
    with local.running(tmp_path, 0) as engine:
        found = listening_addresses(engine.process.pid)
    assert found
    assert found <= LOOPBACK


def test_it_listens_on_loopback_only(engine: Endpoint) -> None:
    assert engine.url is not None
    host, _, port = engine.url.removeprefix("http://").partition(":")
    assert host == "127.0.0.1"
    with socket.socket() as other_address:  # would be refused if it listened everywhere
        other_address.bind(("127.0.0.2", int(port)))


def test_another_port_is_taken_when_the_wanted_one_is_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wanted = taken.getsockname()[1]
        assert local.free_port(wanted) != wanted


def test_a_free_port_is_taken_as_wanted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        wanted = server.getsockname()[1]
    assert local.free_port(wanted) == wanted


def test_it_ends_when_its_starter_is_killed(tmp_path: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert starter.stdout is not None
    with starter, contextlib.closing(starter.stdout):
        engine = int(starter.stdout.readline())
        assert enginefolder.read_address(tmp_path)
        starter.send_signal(signal.SIGKILL)
        starter.wait()
        assert has_ended(engine)
    assert enginefolder.read_address(tmp_path) is None
    with local.running(tmp_path, 0) as next_one:
        assert enginefolder.read_address(tmp_path) == next_one.endpoint.url


def test_a_folder_has_one_engine_and_a_second_start_says_where_it_is(tmp_path: Path) -> None:
    with local.running(tmp_path, 0) as engine:
        with pytest.raises(local.EngineElsewhere) as raised:
            local.start(tmp_path, 0)
        url = engine.endpoint.url
        assert raised.value.endpoint == engine.endpoint
        assert str(raised.value) == (
            f"The engine of {tmp_path} runs already, at {url}. Name it with --endpoint local={url},"
            " or start in another folder."
        )
        Gateway(engine.endpoint).create_table("accounts", ("PK", "S"))
    with local.running(tmp_path, 0) as engine:
        assert Gateway(engine.endpoint).tables() == ["accounts"]


def test_an_engine_that_was_killed_leaves_its_folder_free(tmp_path: Path) -> None:
    with local.running(tmp_path, 0) as engine:
        engine.process.kill()
        engine.process.wait()
        assert enginefolder.read_address(tmp_path) is None
        with local.running(tmp_path, 0) as next_one:
            assert Gateway(next_one.endpoint).tables() == []
            engine.stop()
            assert enginefolder.read_address(tmp_path) == next_one.endpoint.url


def test_an_address_counts_only_while_its_folder_is_held(tmp_path: Path) -> None:
    assert enginefolder.read_address(tmp_path / "nowhere") is None
    enginefolder.write_address(tmp_path, "http://127.0.0.1:1")
    assert enginefolder.read_address(tmp_path) is None
    lock = enginefolder.take(tmp_path)
    assert lock is not None
    with lock:
        assert enginefolder.take(tmp_path) is None
        assert enginefolder.read_address(tmp_path) == "http://127.0.0.1:1"
    assert enginefolder.read_address(tmp_path) is None


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(local.EngineUnavailable, match=r"pip install 'lockwright\[local\]'"):
        local.start(tmp_path, package="an_engine_that_is_not_installed")


def test_an_engine_that_ends_at_once_is_told_with_its_log(tmp_path: Path) -> None:
    with pytest.raises(local.EngineUnavailable, match=r"ended at once.*engine\.log"):
        local.start(tmp_path, 0, package="flask")  # has no engine to run
    assert "has no attribute 'main'" in (tmp_path / "engine.log").read_text()
