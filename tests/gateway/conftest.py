"""A fake service, a gateway to it, and a clock that only counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.gateway.fake_service import FakeService
from webapp.attempts import Deadline, Policy
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway, Limits

FOUR_ATTEMPTS = Policy(jitter=lambda: 1.0, attempts=4, first_pause=1.0, longest_pause=3.0)


@dataclass
class Patience:
    """Waits no time at all, keeps what it was asked for, and stops after ``stops_after`` waits."""

    stops_after: int | None = None
    waits: list[float] = field(default_factory=list)

    def is_set(self) -> bool:
        return self.stops_after is not None and len(self.waits) >= self.stops_after

    def wait(self, timeout: float) -> bool:
        self.waits.append(timeout)
        return self.is_set()


def soon(seconds: float = 20.0) -> Deadline:
    """The end of a look that has all the time it needs."""
    return Deadline(threading.Event(), seconds, time.monotonic)


@pytest.fixture
def service() -> Iterator[FakeService]:
    with FakeService().serving() as serving:
        yield serving


@pytest.fixture
def sender(service: FakeService) -> Gateway:
    """The way to the fake service, for quick and small answers only."""
    limits = Limits(connect_seconds=2, read_seconds=0.3, answer_bytes=10_000)
    return Gateway(local_endpoint("fake", service.url), limits, FOUR_ATTEMPTS)


@pytest.fixture
def patience() -> Patience:
    return Patience()
