"""Sixteen visitors at once before the served app, while long runs are under way: nothing is lost.

The app is a process of its own under its real server, spoken to over HTTP; what the visitors write
goes to the engine, the long runs to a service that keeps them waiting.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from threading import Event
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.gateway.fake_service import LATE, FakeService, Reply
from tests.web.reading import notes
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway
from webapp.web.draft import EXAMPLE, Attribute, Cell, Change, Draft, KeyColumn, Keys, pairs_of
from webapp.web.writing import write

Json = dict[str, Any]
Values = dict[str, str]

VISITORS = 16
STEPS = 12
NAMES = ["ada", "grace", "joan", "mary", "rózsa", "sofja"]
PATIENCE = 60
USER_NAME = {"changes-0-attributes-1-value", "changes-0-attributes-1-becomes"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PART = FORM | {"HX-Request": "true", "HX-Target": "result"}
POLL = {"HX-Request": "true", "HX-Target": "sending"}


# --- the served app ------------------------------------------------------------------------------


@pytest.fixture
def slow() -> Iterator[FakeService]:
    """A service that answers nobody before it is let go."""
    with FakeService().serving() as service:
        service.script = [LATE]
        yield service


@pytest.fixture
def port(engine: Endpoint, slow: FakeService) -> Iterator[int]:
    """The port of ``lockwright serve`` with the engine as ``local`` and the other as ``slow``."""
    places = [f"local={engine.url}", f"slow={slow.url}"]
    options = [option for place in places for option in ("--endpoint", place)]
    command = [sys.executable, "-m", "webapp.cli", "serve", "--port", "0", "--no-local", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stderr.readline())
            assert found, "the server does not say where it is"
            yield int(found[1])
        finally:
            slow.over.set()
            process.kill()


def ask(port: int, method: str, path: str, body: str, headers: dict[str, str]) -> tuple[int, str]:
    """Send one request; gives the status and the text of the answer."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(method, path, body.encode(), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def post(port: int, path: str, body: str, headers: dict[str, str]) -> tuple[int, str]:
    """Send a form or a document."""
    return ask(port, "POST", path, body, headers)


# --- a visitor -----------------------------------------------------------------------------------


@dataclass
class Visitor:
    """Creates, changes and deletes records of their own; user names are fought over by all."""

    number: int
    table: str
    port: int
    records: dict[str, Values] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.number)

    def work(self) -> Visitor:
        """Take all steps, each through the next of the doors."""
        doors = [self._by_program, self._by_form, self._by_script]
        for step in range(STEPS):
            change, becomes = self._next(step)
            is_written, text = doors[step % len(doors)](self._draft(change, step))
            self.seen |= set(re.findall(r"visitor-(\d+)-", text))
            self.answers[f"{change.operation} {is_written}"] += 1
            if is_written:
                self._remember(change.key["id"], becomes)
        return self

    def _next(self, step: int) -> tuple[Change, Values]:
        new = {
            "email": f"visitor-{self.number}-{step}@x.io",
            "username": self._chance.choice(NAMES),
        }
        if not self.records or self._chance.random() < 0.3:
            rows = tuple(Attribute(name, "S", Cell(value)) for name, value in new.items())
            return Change("create", {"id": f"visitor-{self.number}-{step}"}, rows), new
        number, now = self._chance.choice(sorted(self.records.items()))
        if self._chance.random() < 0.4:
            rows = tuple(Attribute(name, "S", Cell(value)) for name, value in now.items())
            return Change("delete", {"id": number}, rows), {}
        rows = tuple(Attribute(name, "S", Cell(now[name]), Cell(new[name])) for name in now)
        return Change("change", {"id": number}, rows), new

    def _remember(self, number: str, becomes: Values) -> None:
        self.records.pop(number, None)
        if becomes:
            self.records[number] = becomes

    def _draft(self, change: Change, step: int) -> Draft:
        return draft_of(self.table, change, f"{self.number} {step}")

    def _by_program(self, draft: Draft) -> tuple[bool, str]:
        document = json.dumps(write(draft).document | {"endpoint": "local"})
        status, text = post(
            self.port, "/api/v1/run", document, {"Content-Type": "application/json"}
        )
        outcome = json.loads(text)
        assert outcome["committed"] == (status == 200), text
        if status != 200:
            explanation = outcome["explanation"]
            assert explanation["verdict"] in {"taken", "conflict"}, text
            assert explanation["fields"].keys() <= {"username"}, text
        return outcome["committed"], text

    def _by_form(self, draft: Draft) -> tuple[bool, str]:
        return self._told(*post(self.port, "/run", filled(draft, "local"), FORM))

    def _by_script(self, draft: Draft) -> tuple[bool, str]:
        status, text = post(self.port, "/run", filled(draft, "local"), PART)
        while address := re.search(r'hx-get="(/run/[^"]+)"', text):
            while f'hx-post="{address[1]}"' not in text:
                _, text = ask(self.port, "GET", address[1], "", POLL)
                Event().wait(0.05)
            status, text = post(self.port, address[1], filled(draft, "local"), PART)
        return self._told(status, text)

    def _told(self, status: int, text: str) -> tuple[bool, str]:
        assert status in {200, 409}, text
        assert ("Committed." in text) == (status == 200), text
        assert notes(text).keys() <= USER_NAME, text
        return status == 200, text

    def items(self) -> list[Json]:
        """What should stand in the table of this visitor's records."""
        return [
            item for number, values in self.records.items() for item in items_of(number, values)
        ]


def draft_of(table: str, change: Change, seed: str) -> Draft:
    """The worked example in that table, with one change."""
    keys = Keys(table, KeyColumn("PK"), KeyColumn("SK"))
    return replace(EXAMPLE, table=keys, changes=(change,), seed=seed)


def filled(draft: Draft, endpoint: str) -> str:
    """What a browser sends when *Run* is pressed."""
    return urlencode([*pairs_of(draft), ("seed", draft.seed), ("endpoint", endpoint)])


def items_of(number: str, values: Values) -> list[Json]:
    """A record and its locks."""
    record = {"PK": {"S": f"ACCT#{number}"}, "SK": {"S": "PROFILE"}}
    locks = [f"EMAIL#{values['email']}", f"HANDLE#{values['username']}"]
    return [
        record | {name: {"S": value} for name, value in values.items()},
        *({"PK": {"S": f"UNIQ#{lock}"}, "SK": {"S": "LOCK"}} for lock in locks),
    ]


def in_order(items: list[Json]) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in items)


# --- the long runs -------------------------------------------------------------------------------


def long_run(port: int, door: str, number: int) -> tuple[int, str]:
    """A run at the slow service; its answer comes when that service is let go."""
    rows = (Attribute("email", "S", Cell(f"long{number}@x.io")),)
    draft = draft_of("slow", Change("create", {"id": f"long-{number}"}, rows), f"long {number}")
    if door == "program":
        document = json.dumps(write(draft).document | {"endpoint": "slow"})
        return post(port, "/api/v1/run", document, {"Content-Type": "application/json"})
    return post(port, "/run", filled(draft, "slow"), PART if door == "script" else FORM)


def wait_for(service: FakeService, count: int) -> None:
    """Until the service has got so many requests."""
    while len(service.received) < count:
        Event().wait(0.02)


@contextmanager
def keeping(service: FakeService) -> Iterator[None]:
    """Keep everybody waiting for the time of a ``with``, and answer them all after it."""
    try:
        yield
    finally:
        service.script = [Reply()]
        service.over.set()


def test_16_visitors_lose_nothing_while_long_runs_are_under_way(
    port: int, table: str, gateway: Gateway, slow: FakeService
) -> None:
    doors = ["program", "form", "script"] * 2
    visitors = [Visitor(number, table, port) for number in range(VISITORS)]
    with ThreadPoolExecutor(VISITORS + len(doors)) as pool, keeping(slow):
        long = [pool.submit(long_run, port, door, n) for n, door in enumerate(doors)]
        wait_for(slow, len(doors))
        for work in [pool.submit(visitor.work) for visitor in visitors]:
            work.result(10 * PATIENCE)
    ended = [run.result() for run in long]
    assert [status for status, _ in ended] == [200] * len(doors)
    assert ["Sending to slow" in text for _, text in ended] == [d == "script" for d in doors]
    stored = [i for p in gateway.pages("Scan", {"TableName": table}) for i in p["Items"]]
    assert in_order(stored) == in_order([item for visitor in visitors for item in visitor.items()])
    assert [visitor.seen for visitor in visitors] == [{str(number)} for number in range(VISITORS)]
    answers = sum((visitor.answers for visitor in visitors), Counter[str]())
    assert {"create True", "create False", "change True", "delete True"} <= answers.keys()
    assert sum(answers.values()) == VISITORS * STEPS


def test_while_16_long_runs_are_under_way_the_17th_visitor_gets_pages_and_is_told_to_wait(
    port: int, slow: FakeService
) -> None:
    doors = ["program", "form"] * 8
    with ThreadPoolExecutor(len(doors)) as pool, keeping(slow):
        long = [pool.submit(long_run, port, door, n) for n, door in enumerate(doors)]
        wait_for(slow, len(doors))
        for path in ("/", "/expressions", "/reference"):
            assert ask(port, "GET", path, "", {})[0] == 200
        status, text = long_run(port, "form", 17)
        assert status == 503
        assert 'value="long17@x.io"' in text
    assert [run.result()[0] for run in long] == [200] * len(doors)
    assert long_run(port, "form", 17)[0] == 200
