"""Engines and tables for every room of the tests.

One MiniStack for the whole session (or the endpoint in LOCKWRIGHT_TEST_ENDPOINT), a fresh table
for each test. An engine that is missing fails the tests; nothing is skipped.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from webapp import local
from webapp.endpoints import Endpoint, local_endpoint
from webapp.gateway import Gateway

# A runner in the background ignores Ctrl-C, and so would every process that is started here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("default", deadline=None)
settings.register_profile("long", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A running engine; nothing in it outlives the session."""
    given = os.environ.get("LOCKWRIGHT_TEST_ENDPOINT")
    if given:
        yield local_endpoint("local", given)
        return
    with local.running(tmp_path_factory.mktemp("engine"), 0, keep=False) as running:
        yield running.endpoint


@pytest.fixture(scope="session")
def gateway(engine: Endpoint) -> Gateway:
    """The way to the engine."""
    return Gateway(engine)


@pytest.fixture
def table(gateway: Gateway) -> Iterator[str]:
    """A fresh table with the keys PK and SK, both strings."""
    name = f"accounts-{os.getpid()}-{next(_numbers)}"
    gateway.create_table(name, ("PK", "S"), ("SK", "S"))
    yield name
    gateway.delete_table(name)


@pytest.fixture(scope="session")
def moto_engine() -> Iterator[Endpoint]:
    """moto's server: a second opinion for one client at a time."""
    from moto.server import ThreadedMotoServer  # noqa: PLC0415

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield local_endpoint("moto", f"http://{host}:{port}")
    server.stop()


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of golden cases."""
    return Path(__file__).parent / "cases"
