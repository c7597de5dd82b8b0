"""Looking at what is stored ends within seconds: by itself, and sooner once it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.gateway.conftest import FOUR_ATTEMPTS
from tests.gateway.fake_service import LATE, FakeService, error
from webapp import runs
from webapp.answers import Answer, Trouble, Unavailable, Unknown
from webapp.attempts import Attempt, Deadline, Stop
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway, Limits
from webapp.sending import Sending

KEYS = [{"PK": {"S": name}} for name in "abc"]
PUTS = [{"Put": {"TableName": "accounts", "Item": key}} for key in KEYS]
SLOTS = [{"table": "accounts", "key": key} for key in KEYS]
WHERE = {"endpoint": "local", "place": "http://127.0.0.1:1", "region": "r", "key_id": "abcd"}
BROKEN = error("InternalServerError", status=500)
LOST = Trouble("answer-lost", WHERE | {"detail": "time-out"})


def run() -> runs.Run:
    """Three records without any lock."""
    return runs.read_run({"request": {"TransactItems": PUTS}, "slots": SLOTS})


@dataclass
class Clock:
    """Stands still but when it is told to go on."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Slow:
    """Loses the answer to what is sent, then calls ``at`` each time that an item is read."""

    at: Callable[[], object]
    stops: list[bool] = field(default_factory=list)

    def send(
        self,
        text: bytes,
        *,
        watch: Callable[[Attempt], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Answer:
        return Unknown(LOST)

    def get(
        self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None
    ) -> dict[str, Any] | None:
        self.at()
        self.stops.append(stop is not None and stop.is_set())
        return dict(key)


def test_a_look_takes_no_longer_than_its_seconds_however_many_slots_there_are() -> None:
    clock = Clock()

    def go_on() -> None:
        clock.now += 6

    slow = Slow(go_on)
    standing = runs.look(slow, run(), Deadline(threading.Event(), 10, clock))
    assert (standing.verdict, len(slow.stops)) == ("cannot-tell", 2)


def test_a_stop_reaches_the_look_that_is_under_way() -> None:
    slow = Slow(int)
    sending = Sending(run(), slow)
    slow.at = sending.stop
    ended = sending.carry_out()
    assert slow.stops == [True, True, True]
    assert ended.standing is not None
    assert ended.standing.verdict == "already-done"


@pytest.mark.parametrize(
    "reply", [LATE, error("InternalServerError", status=500)], ids=["late", "500"]
)
def test_once_stopped_each_item_is_read_once_and_then_nobody_can_tell(
    reply: Any, service: FakeService
) -> None:
    service.script = [reply]
    stop = threading.Event()
    stop.set()
    limits = Limits(connect_seconds=2, read_seconds=60, look_seconds=0.2)
    gateway = Gateway(local_endpoint("slow", service.url), limits, FOUR_ATTEMPTS)
    standing = runs.look(gateway, run(), Deadline(stop, 60, Clock()))
    assert standing.verdict == "cannot-tell"
    assert [request.operation for request in service.received] == ["GetItem"]


def test_a_read_whose_time_is_over_is_not_repeated(service: FakeService) -> None:
    service.script = [BROKEN]
    gateway = Gateway(local_endpoint("slow", service.url), Limits(), FOUR_ATTEMPTS)
    with pytest.raises(Unavailable):
        gateway.get("accounts", KEYS[0], stop=Deadline(threading.Event(), 0, Clock()))
    assert len(service.received) == 1


def test_a_deadline_is_a_stop_that_comes_by_itself() -> None:
    clock, stop = Clock(), threading.Event()
    until = Deadline(stop, 10, clock)
    assert (until.is_set(), until.is_past, until.wait(0)) == (False, False, False)
    until.shorten(20)
    clock.now += 9
    assert not until.is_set()
    until.shorten(0.5)
    clock.now += 0.5
    assert (until.is_set(), until.is_past, until.wait(60)) == (True, True, True)


def test_a_deadline_ends_with_the_stop_it_was_given() -> None:
    stop = threading.Event()
    until = Deadline(stop, 10, Clock())
    stop.set()
    assert (until.is_set(), until.is_past, until.wait(60)) == (True, False, True)
