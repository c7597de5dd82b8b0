"""The local engine: starts MiniStack on loopback and never leaves it running.

Rule: the engine listens on 127.0.0.1 only, serves DynamoDB only, and lives no longer than the
process that started it. The reason: it checks no credentials, and a forgotten engine would keep
a port and its tables. It holds the read end of a pipe whose other end is ours, so it also ends
when Lockwright is killed; it ends by SIGTERM in every case, which is when it saves its tables.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from webapp.endpoints import Endpoint, local_endpoint

HOST = "127.0.0.1"
PORT = 4566
ENGINE = "ministack"
FOLDER = Path(".local")
_START_SECONDS = 60.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.05

MISSING = (
    "The local engine is not installed. Get it with: pip install 'lockwright[local]'  "
    "(in a checkout `make run` does it); everything but running a plan works without it."
)


class EngineUnavailable(Exception):
    """The local engine cannot be started; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A running local engine and where it answers."""

    endpoint: Endpoint
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> None:
        """Close the engine's pipe, at which it saves its tables and ends, and wait for that."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start(
    folder: Path = FOLDER, port: int = PORT, *, keep: bool = True, package: str = ENGINE
) -> Engine:
    """Start the engine and wait until it answers.

    ``folder`` takes its tables (when ``keep``) and its log; another free port is taken when
    ``port`` is in use. Raises ``EngineUnavailable`` when ``package`` is not installed or does not
    come up.
    """
    if importlib.util.find_spec(package) is None:
        raise EngineUnavailable(MISSING)
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port(port)
    log = folder / "engine.log"
    process = _launched(package, _environment(folder, port, keep=keep), log)
    (folder / "engine.pid").write_text(str(process.pid))
    engine = Engine(local_endpoint("local", f"http://{HOST}:{port}"), process, log)
    try:
        _wait_until_it_answers(engine)
    except BaseException:
        engine.stop()
        raise
    return engine


def _launched(package: str, environment: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "webapp.local", package],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


@contextlib.contextmanager
def running(folder: Path = FOLDER, port: int = PORT, *, keep: bool = True) -> Iterator[Engine]:
    """The engine for the length of a ``with`` block. Raises as ``start`` does."""
    engine = start(folder, port, keep=keep)
    try:
        yield engine
    finally:
        engine.stop()


def free_port(wanted: int) -> int:
    """``wanted`` when it is free on loopback (0: any), else another free port."""
    for port in (wanted, 0):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
            return int(probe.getsockname()[1])
    raise EngineUnavailable("No port is free on 127.0.0.1.")


def _environment(folder: Path, port: int, *, keep: bool) -> dict[str, str]:
    """What MiniStack reads; by its defaults it, its MQTT and its SFTP listen on every interface."""
    return os.environ | {
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "SERVICES": "dynamodb,dynamodbstreams",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "1" if keep else "0",
        "STATE_DIR": str(folder.resolve() / "state"),
        "LOG_LEVEL": "WARNING",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }


def _wait_until_it_answers(engine: Engine) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if engine.process.poll() is not None:
            raise EngineUnavailable(f"The local engine ended at once; its log is {engine.log}.")
        if _answers(f"{engine.endpoint.url}/_ministack/health"):
            return
        time.sleep(_POLL_SECONDS)
    raise EngineUnavailable(
        f"The local engine did not answer within {_START_SECONDS:.0f} seconds; "
        f"its log is {engine.log}."
    )


def _answers(url: str) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=1) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def _end_with_the_pipe() -> None:
    """Wait until the starter closes its end of the pipe or dies, then end this process."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


def _serve(package: str) -> None:
    """Be the engine: what ``start`` runs in a process of its own."""
    main = importlib.import_module(f"{package}.app").main
    threading.Thread(target=_end_with_the_pipe, daemon=True).start()
    main()


if __name__ == "__main__":
    _serve(sys.argv.pop())
