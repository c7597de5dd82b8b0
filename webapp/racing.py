"""Holding a race: real requests to a real engine, on a scratch table that is removed again.

Rule: a race runs on a local endpoint only, each way on a scratch table of its own, and the table is
removed whatever happens; threads, seconds and requests are bounded. All sign-ups wait at a barrier
with their connections open, are released at once, and from then on nothing is arranged: each one
reads, thinks and writes as it gets its turn. The reason: what loses a race is chance between real
requests.

The times are taken at the client, so a request's bar on the picture holds the way to and fro.
"""

from __future__ import annotations

import functools
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

from webapp.answers import Answer, Committed, Rejected, Trouble, Unavailable
from webapp.core.failures.explain import explain
from webapp.race import (
    EMAIL,
    FAILED,
    FREE,
    READ,
    TAKEN,
    WAYS,
    WRITE,
    WRITTEN,
    Heat,
    Race,
    Report,
    Start,
    Step,
    schedule,
)
from webapp.runs import Run, read_run

Json = dict[str, Any]

PARTITION, SORT = ("PK", "S"), ("SK", "S")
INDEX = "by-email"
RACE_SECONDS = 60.0
READY_SECONDS = 10.0
_POLL_SECONDS = 0.05
_SCRATCH = re.compile(r"lockwright-race-([0-9a-f]{8})-[0-9a-f]{8}")
_FORGOTTEN_AFTER_SECONDS = 3600


class Ground(Protocol):
    """The part of a gateway to a local endpoint that a race needs. All raise ``Unavailable``."""

    def create_table(
        self,
        table: str,
        partition: tuple[str, str],
        sort: tuple[str, str] | None = None,
        *,
        index: tuple[str, tuple[str, str]] | None = None,
    ) -> bool:
        """Make a table, with an index of a name and a partition key."""
        ...

    def delete_table(self, table: str) -> None:
        """Remove a table."""
        ...

    def describe(self, table: str) -> Json:
        """A table's description."""
        ...

    def tables(self) -> list[str]:
        """The names of all tables."""
        ...

    def pages(self, operation: str, request: Json) -> Iterator[Json]:
        """The answers of a ``Query`` or ``Scan``."""
        ...

    def put(self, table: str, item: Json) -> None:
        """Write an item over whatever is there."""
        ...

    def send(self, text: bytes) -> Answer:
        """Send one ``TransactWriteItems`` request."""
        ...


class Racing:
    """One race: ``run`` holds it, ``report`` tells from any thread how far it is."""

    def __init__(self, race: Race, ground: Ground, place: str) -> None:
        self._race = race
        self._ground = ground
        self._place = place
        self._stop = threading.Event()
        self._state = "running"
        self._heats: list[Heat] = []
        self._track: Track | None = None
        self._trouble: Unavailable | None = None
        self._left: str | None = None

    def run(self) -> Report:
        """Hold the race in every way, one after the other, and report it.

        Never raises for what the endpoint does: the report tells it.
        """
        state = "failed"
        limit = threading.Timer(RACE_SECONDS, self.cancel)
        limit.daemon = True
        limit.start()
        try:
            self._run_ways()
            state = "cancelled" if self._stop.is_set() else "done"
        except Unavailable as error:
            self._trouble = error
        finally:
            limit.cancel()
            self._stop.set()
            self._state = state
        return self.report()

    def cancel(self) -> None:
        """Let every sign-up end with the request it has under way."""
        self._stop.set()

    def report(self) -> Report:
        """The race as far as it has come."""
        track, heats, state = self._track, tuple(self._heats), self._state
        if track is not None and track.way not in {heat.way for heat in heats}:
            heats = (*heats, Heat(track.way, tuple(track.steps)))
        trouble = self._trouble.trouble if self._trouble else None
        return Report(self._race, self._place, state, heats, trouble, self._left)

    def _run_ways(self) -> None:
        remove_forgotten(self._ground)
        for way in WAYS:
            if self._stop.is_set():
                return
            with self._scratch_table() as table:
                self._track = Track(way, self._ground, table, self._stop)
                self._heats.append(self._track.run(schedule(self._race)))

    @contextmanager
    def _scratch_table(self) -> Iterator[str]:
        table = f"lockwright-race-{int(time.time()):08x}-{secrets.token_hex(4)}"
        try:
            self._ground.create_table(table, PARTITION, SORT, index=(INDEX, ("email", "S")))
            self._left = table
            _wait_until_active(self._ground, table, self._stop)
            yield table
        finally:
            self._remove(table)

    def _remove(self, table: str) -> None:
        """Remove the scratch table, also where its making was cut short: it may be there."""
        try:
            self._ground.delete_table(table)
        except Unavailable:
            if self._left is not None:
                raise
        self._left = None


class Track:
    """One way under way: the scratch table, the clock, and the steps as they end."""

    def __init__(self, way: str, ground: Ground, table: str, stop: threading.Event) -> None:
        self.way = way
        self.table = table
        self.steps: list[Step] = []
        self.trouble: Trouble | None = None
        self._ground = ground
        self._stop = stop
        self._started = 0.0

    def run(self, starts: tuple[Start, ...]) -> Heat:
        """Release all sign-ups at once, wait for them, and read back what is in the table.

        Raises ``Unavailable`` when the table cannot be read or a sign-up cannot get ready.
        """
        barrier = threading.Barrier(len(starts), self._start_clock, READY_SECONDS)
        with ThreadPoolExecutor(len(starts), "sign-up") as threads, self._stopping_on_failure():
            for ended in [threads.submit(self._sign_up, start, barrier) for start in starts]:
                ended.result()
        return Heat(self.way, tuple(self.steps), self._accounts(), self.trouble)

    def look(self, sign_up: int, request: Json) -> bool:
        """Whether a query finds nobody; recorded as the answer “free”."""
        with self._recording(sign_up, READ) as answer:
            page = next(self._ground.pages("Query", {"TableName": self.table, **request}))
            answer.append(TAKEN if page["Count"] else FREE)
        return answer == [FREE]

    def put(self, sign_up: int, item: Json) -> None:
        """Write an account without any condition."""
        with self._recording(sign_up, WRITE) as answer:
            self._ground.put(self.table, item)
            answer.append(WRITTEN)

    def send(self, sign_up: int, run: Run) -> None:
        """Send a plan; what it came to is told by the explanation of its own slots."""
        with self._recording(sign_up, WRITE) as answer:
            sent = self._ground.send(run.text)
            answer.append(_meaning(run, sent))
            self.trouble = self.trouble or getattr(sent, "trouble", None)

    def think(self, start: Start) -> bool:
        """Spend the time between the look and the write; false when the race is stopped."""
        return not self._stop.wait(start.thinks_ms / 1000)

    def _sign_up(self, start: Start, barrier: threading.Barrier) -> None:
        try:
            go = SIGN_UPS[self.way](self, start)
            self._open_connection()
        except BaseException:
            barrier.abort()
            raise
        try:
            barrier.wait()
        except threading.BrokenBarrierError:
            return
        if not self._stop.wait(start.arrives_ms / 1000):
            go()

    @contextmanager
    def _stopping_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._stop.set()
            raise

    def _open_connection(self) -> None:
        next(self._ground.pages("Query", {"TableName": self.table, **_by_partition("nobody")}))

    def _start_clock(self) -> None:
        self._started = time.perf_counter()

    @contextmanager
    def _recording(self, sign_up: int, kind: str) -> Iterator[list[str]]:
        answer: list[str] = []
        began = self._now()
        try:
            yield answer
        except Unavailable as error:
            answer.append(FAILED)
            self.trouble = self.trouble or error.trouble
        self.steps.append(Step(sign_up, kind, began, self._now(), answer[0]))

    def _now(self) -> float:
        return round((time.perf_counter() - self._started) * 1000, 3)

    def _accounts(self) -> int:
        """How many accounts own the address, by a consistent read of the whole table."""
        request = {"TableName": self.table, "ConsistentRead": True}
        pages = self._ground.pages("Scan", request)
        return sum(item.get("email") == {"S": EMAIL} for page in pages for item in page["Items"])


def remove_forgotten(ground: Ground) -> None:
    """Remove scratch tables of races that were killed: an hour old, told by the name."""
    for table in ground.tables():
        made = _SCRATCH.fullmatch(table)
        if made and int(made[1], 16) < time.time() - _FORGOTTEN_AFTER_SECONDS:
            ground.delete_table(table)


def _check_then_write(track: Track, start: Start) -> Callable[[], None]:
    """Accounts lie in the partition of their address, so that it can be read consistently."""
    key = {"PK": {"S": f"EMAIL#{EMAIL}"}, "SK": {"S": f"ACCT#{start.account}"}}
    look = {**_by_partition(f"EMAIL#{EMAIL}"), "ConsistentRead": True}
    return functools.partial(_look_and_put, track, start, look, key)


def _check_on_index(track: Track, start: Start) -> Callable[[], None]:
    """Accounts lie under their own key; the index has them by their address."""
    key = {"PK": {"S": f"ACCT#{start.account}"}, "SK": {"S": "PROFILE"}}
    look = {"IndexName": INDEX, **_by("email", EMAIL)}
    return functools.partial(_look_and_put, track, start, look, key)


def _in_one_transaction(track: Track, start: Start) -> Callable[[], None]:
    """The plan is made before the start, as the page would make it."""
    run = read_run(plan_request(track.table, start.account))
    return functools.partial(track.send, start.number, run)


SIGN_UPS: Mapping[str, Callable[[Track, Start], Callable[[], None]]] = {
    "check": _check_then_write,
    "index": _check_on_index,
    "transaction": _in_one_transaction,
}


def plan_request(table: str, account: str) -> Json:
    """The plan request of one sign-up in the transaction's way."""
    return {
        "design": {
            "version": 1,
            "table": table,
            "partition_key": {"name": "PK", "type": "S"},
            "sort_key": {"name": "SK", "type": "S"},
            "record": {"partition": "ACCT#{id}", "sort": "PROFILE"},
            "lock": {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK"},
            "unique": [{"namespace": "EMAIL", "attributes": ["email"]}],
        },
        "changes": [
            {"operation": "create", "key": {"id": account}, "item": {"email": {"S": EMAIL}}}
        ],
    }


def _look_and_put(track: Track, start: Start, look: Json, key: Json) -> None:
    if track.look(start.number, look) and track.think(start):
        track.put(start.number, {**key, "email": {"S": EMAIL}})


def _by_partition(value: str) -> Json:
    return _by(PARTITION[0], value)


def _by(attribute: str, value: str) -> Json:
    return {
        "KeyConditionExpression": f"{attribute} = :value",
        "ExpressionAttributeValues": {":value": {"S": value}},
    }


def _meaning(run: Run, answer: Answer) -> str:
    if isinstance(answer, Committed):
        return WRITTEN
    if isinstance(answer, Rejected) and explain(run.slots, answer.error).verdict == TAKEN:
        return TAKEN
    return FAILED


def _wait_until_active(ground: Ground, table: str, stop: threading.Event) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while ground.describe(table)["TableStatus"] != "ACTIVE" and time.monotonic() < deadline:
        if stop.wait(_POLL_SECONDS):
            return
