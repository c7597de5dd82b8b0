"""A service that hangs holds up those who ask it, and nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import LOCAL, FakeGateway, form, htmx
from tests.web.reading import Controls
from webapp.answers import Answer
from webapp.attempts import Attempt, Stop
from webapp.runs import read_run
from webapp.sending import Sending
from webapp.web import create_app, turns
from webapp.web.draft import EXAMPLE
from webapp.web.sendings import Sendings
from webapp.web.settings import Settings, Target
from webapp.web.turns import Busy, Turns
from webapp.web.writing import write

DESIGN = write(EXAMPLE).document["design"]
RUN = {**write(EXAMPLE).document, "endpoint": "local"}


@dataclass
class Hanging(FakeGateway):
    """Answers nobody before it is let go; ``asked`` counts those who wait."""

    go: threading.Event = field(default_factory=threading.Event)
    waiting: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def send(
        self,
        text: bytes,
        *,
        watch: Callable[[Attempt], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Answer:
        self.waiting.release()
        self.go.wait(60)
        self.sent.append(text)
        return self.answer


@pytest.fixture
def hanging() -> Hanging:
    return Hanging()


@pytest.fixture
def app(hanging: Hanging) -> Iterator[Flask]:
    """The app before the hanging service, with two turns and nobody in line."""
    app = create_app(Settings(targets={"local": Target(LOCAL, lambda: hanging)}))
    app.extensions["turns"] = Turns(at_once=2, in_line=0)
    yield app
    hanging.go.set()
    app.extensions["sendings"].close()


@pytest.fixture
def held(app: Flask, hanging: Hanging) -> Iterator[list[Future[Any]]]:
    """Two runs under way that have all turns."""
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(app.test_client().post, "/api/v1/run", json=RUN) for _ in range(2)]
        for _ in runs:
            assert hanging.waiting.acquire(timeout=20)
        yield runs
        hanging.go.set()


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(
    "path",
    ["/", "/expressions", "/check", "/explain", "/race", "/reference", "/api/v1/openapi.json"],
)
def test_while_all_turns_are_taken_every_page_opens(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 200


@pytest.mark.usefixtures("held")
def test_while_all_turns_are_taken_plans_are_made(client: FlaskClient) -> None:
    plan = {name: RUN[name] for name in ("design", "changes")}
    assert client.post("/api/v1/plan", json=plan).status_code == 200
    assert client.post("/", data=form()).status_code == 200


WAITING_REQUESTS = [
    ("/api/v1/run", {"json": RUN}),
    ("/api/v1/locks/check", {"json": {"design": DESIGN, "endpoint": "local", "values": {}}}),
    ("/run", {"data": form(endpoint="local")}),
    ("/record", {"data": form(look="0/local")}),
    ("/table", {"data": form()}),
    ("/table/make", {"data": form(to="local")}),
    ("/expressions/run", {"data": {"endpoint": "local"}}),
]


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(
    ("path", "sent"), WAITING_REQUESTS, ids=[row[0] for row in WAITING_REQUESTS]
)
def test_who_would_wait_is_told_to_come_again(
    client: FlaskClient, hanging: Hanging, path: str, sent: dict[str, Any]
) -> None:
    answer = client.post(path, **sent)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert "Nothing was sent by this." in answer.text
    assert hanging.sent == []


@pytest.mark.usefixtures("held")
def test_a_program_gets_the_refusal_as_json(client: FlaskClient) -> None:
    [problem] = client.post("/api/v1/run", json=RUN).get_json()["problems"]
    assert (problem["code"], problem["path"]) == ("http-503", "")
    described = client.get("/api/v1/openapi.json").get_json()
    assert "503" in described["paths"]["/api/v1/run"]["post"]["responses"]
    assert "http-503" in described["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]


def test_without_a_script_everything_that_was_typed_is_kept_and_sent_again(
    client: FlaskClient, hanging: Hanging, held: list[Future[Any]]
) -> None:
    typed = form(endpoint="local") | {"changes/0/attributes/0/value": "a\r\n<b>&\"'"}
    page = client.post("/run", data=typed)
    assert page.status_code == 503
    assert Controls(page.text).pairs == typed
    hanging.go.set()
    for run in held:
        assert run.result(20).status_code == 200
    assert client.post("/run", data=Controls(page.text).pairs).status_code == 200
    assert len(hanging.sent) == 3


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(("part", "path"), [("result", "/run"), ("work", "/record")])
def test_with_a_script_the_form_stays_and_the_refusal_stands_beside_it(
    client: FlaskClient, part: str, path: str
) -> None:
    answer = client.post(path, data=form(endpoint="local", look="0/local"), headers=htmx(part))
    assert answer.status_code == 503
    assert 'id="result"' in answer.text
    assert 'id="work"' not in answer.text
    assert answer.headers.get("HX-Retarget", "#result") == "#result"
    assert ("HX-Retarget" in answer.headers) == (part == "work")


def test_a_turn_that_is_given_back_goes_to_the_next_in_line() -> None:
    few = Turns(at_once=1, in_line=1, patience=60)
    few.take()
    with ThreadPoolExecutor(1) as pool:
        next_one = pool.submit(few.take)
        few.give_back()
        next_one.result(20)


def test_who_stood_in_line_for_long_enough_is_told_to_come_again() -> None:
    few = Turns(at_once=1, in_line=1, patience=0)
    few.take()
    with pytest.raises(Busy):
        few.take()


def test_a_view_that_fails_gives_its_turn_back(app: Flask) -> None:
    client = app.test_client()
    for _ in range(3):
        assert (
            client.post("/api/v1/run", data="{", content_type="application/json").status_code == 422
        )
        assert client.post("/run", data=form(endpoint="nowhere")).status_code == 404


def test_some_threads_are_always_left_for_the_pages() -> None:
    assert turns.THREADS > turns.MOST_AT_ONCE + turns.MOST_IN_LINE


# The sendings of pages with a script, which hold no thread of the server


def begin(kept: Sendings, hanging: Hanging) -> str:
    """Start one more sending."""
    run = read_run(write(EXAMPLE).document)
    return kept.start(Sending(run, hanging), "local", "token")


def test_more_sendings_than_can_be_under_way_are_refused_and_none_is_forgotten(
    hanging: Hanging,
) -> None:
    kept = Sendings(under_way=20, kept=3)
    names = [begin(kept, hanging) for _ in range(20)]
    with pytest.raises(Busy):
        begin(kept, hanging)
    hanging.go.set()
    ended = [found.ended(20) for name in names if (found := kept.find(name))]
    assert len(ended) == 20
    assert None not in ended
    kept.close()


def forgotten_of_five(kept: Sendings, hanging: Hanging) -> list[bool]:
    """Begin five, each when the one before has ended: which of them are forgotten then."""
    names = []
    for _ in range(5):
        names.append(begin(kept, hanging))
        found = kept.find(names[-1])
        assert found is not None
        assert found.ended(20) is not None
    forgotten = [kept.find(name) is None for name in names]
    kept.close()
    return forgotten


def test_the_oldest_that_have_ended_are_forgotten(hanging: Hanging) -> None:
    hanging.go.set()
    kept = Sendings(kept=3)
    assert forgotten_of_five(kept, hanging) == [True, True, False, False, False]


def test_the_oldest_are_forgotten_sooner_when_their_texts_are_long(hanging: Hanging) -> None:
    hanging.go.set()
    text = len(read_run(write(EXAMPLE).document).text)
    kept = Sendings(kept=100, kept_bytes=2 * text)
    assert forgotten_of_five(kept, hanging) == [True, True, False, False, False]


def test_a_sending_that_is_refused_is_told_with_status_503(app: Flask) -> None:
    app.extensions["sendings"] = Sendings(under_way=0)
    page = app.test_client().post("/run", data=form(endpoint="local"), headers=htmx("result"))
    assert (page.status_code, page.headers["Retry-After"]) == (503, "2")
