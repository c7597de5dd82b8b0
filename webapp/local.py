"""The local engine: starts MiniStack on loopback and never leaves it running.

Rule: the engine listens on 127.0.0.1 only, serves DynamoDB only, is alone in its folder, and lives
no longer than the process that started it. The reason: it checks no credentials, and a forgotten
engine would keep a port and its tables. It holds the read end of a pipe whose other end is ours, so
it also ends when Lockwright is killed; it ends by SIGTERM in every case, which is when it saves its
tables, and until then it holds the lock of its folder.
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
from typing import IO
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from webapp import enginefolder
from webapp.endpoints import Endpoint, local_endpoint

HOST = "127.0.0.1"
PORT = 4566
ENGINE = "ministack"
FOLDER = Path(".local")
LOG = "engine.log"
_START_SECONDS = 60.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.05

MISSING = (
    "The local engine is not installed. Get it with: pip install 'lockwright[local]'  "
    "(in a checkout `make run` does it); everything but running a plan works without it."
)


NO_LOCKS = (
    "The local engine needs a system with file locks (Linux, macOS): without them two could "
    "overwrite each other's tables. Name another engine with --endpoint local=URL."
)


class EngineUnavailable(Exception):
    """The local engine cannot be started; the text says why and what to do."""


class EngineElsewhere(EngineUnavailable):
    """Somebody else runs the engine of this folder; ``endpoint`` is where it answers."""

    def __init__(self, endpoint: Endpoint, folder: Path) -> None:
        self.endpoint = endpoint
        super().__init__(
            f"The engine of {folder} runs already, at {endpoint.url}. Name it with "
            f"--endpoint local={endpoint.url}, or start in another folder."
        )


@dataclass(frozen=True, slots=True)
class Engine:
    """A running local engine and where it answers."""

    endpoint: Endpoint
    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def log(self) -> Path:
        """What the engine said."""
        return self.folder / LOG

    def stop(self) -> None:
        """Close the engine's pipe, at which it saves its tables and ends, and wait for that."""
        if self.process.poll() is None:  # afterwards the folder may be another engine's
            enginefolder.remove_address(self.folder)
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
    ``port`` is in use. Raises ``EngineElsewhere`` when the engine of the folder runs already, and
    ``EngineUnavailable`` when ``package`` is not installed or does not come up.
    """
    if importlib.util.find_spec(package) is None:
        raise EngineUnavailable(MISSING)
    folder.mkdir(parents=True, exist_ok=True)
    with enginefolder.one_at_a_time():  # a port is free until its engine listens, a second later
        with _held(folder) as lock:  # from then on the engine itself holds it
            engine = _launched(package, folder, free_port(port), lock, keep=keep)
        try:
            _wait_until_it_answers(engine)
        except BaseException:
            engine.stop()
            raise
    return engine


def _held(folder: Path) -> IO[bytes]:
    """The lock of the folder, also when it has to be waited for: an engine may just be ending."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        lock = _taken(folder)
        if lock is not None:
            return lock
        address = enginefolder.read_address(folder)
        if address and _answers(address):
            raise EngineElsewhere(local_endpoint("local", address), folder)
        time.sleep(_POLL_SECONDS)
    raise EngineUnavailable(f"Another engine holds {folder} and does not answer. End it first.")


def _taken(folder: Path) -> IO[bytes] | None:
    try:
        return enginefolder.take(folder)
    except ImportError as error:
        raise EngineUnavailable(NO_LOCKS) from error


def _launched(package: str, folder: Path, port: int, lock: IO[bytes], *, keep: bool) -> Engine:
    url = f"http://{HOST}:{port}"
    with (folder / LOG).open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "webapp.local", package],
            env=_environment(folder, port, keep=keep),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=[lock.fileno()],
        )
    (folder / "engine.pid").write_text(str(process.pid))
    enginefolder.write_address(folder, url)
    return Engine(local_endpoint("local", url), process, folder)


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
        if _answers(str(engine.endpoint.url)):
            return
        time.sleep(_POLL_SECONDS)
    raise EngineUnavailable(
        f"The local engine did not answer within {_START_SECONDS:.0f} seconds; "
        f"its log is {engine.log}."
    )


def _answers(url: str) -> bool:
    try:
        health = f"{url}/_ministack/health"
        with build_opener(ProxyHandler({})).open(health, timeout=1) as answer:
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
