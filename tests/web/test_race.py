"""The page of the race: true statuses, one race at a time, what was recorded and nothing else."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.ground import NOBODY_ANSWERS, FakeGround
from tests.web.conftest import AWS, LOCAL, FakeGateway, htmx
from tests.web.reading import Controls
from webapp.race import EMAIL, Heat, Race, Report, Step
from webapp.web import create_app
from webapp.web.settings import Settings, Target
from webapp.web.timeline import Bar, Row, Tick, Timeline, row_height, scale_of, timeline_of

SMALL = {"sign_ups": "3", "gap_ms": "0", "seed": "1", "endpoint": "local"}


class Gate:
    """Holds every look until it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def __call__(self, operation: str) -> None:
        if operation == "Query":
            self.opened.wait(20)


@pytest.fixture
def gate() -> Gate:
    gate = Gate()
    gate.opened.set()
    return gate


@pytest.fixture
def ground(gate: Gate) -> FakeGround:
    return FakeGround(gate)


@pytest.fixture
def app(ground: FakeGround, gate: Gate) -> Iterator[Flask]:
    targets = {
        "local": Target(LOCAL, FakeGateway, lambda: ground),
        "prod": Target(AWS, FakeGateway),
    }
    app = create_app(Settings(targets=targets, allow_write=True))
    yield app
    gate.opened.set()
    app.extensions["races"].close()


def started(client: FlaskClient, **more: str) -> str:
    """The address of a race that was started."""
    answer = client.post("/race", data={**SMALL, **more})
    assert answer.status_code == 303
    return answer.headers["Location"]


def finished(client: FlaskClient, address: str) -> str:
    """The page of a race that is over."""
    while client.get(f"{address}/race.json").get_json()["state"] == "running":
        time.sleep(0.005)
    return client.get(address).text


def words(page: str) -> str:
    """The page as it is read."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_B98_the_page_says_why_looking_first_loses(client: FlaskClient) -> None:
    page = words(client.get("/race").text)
    assert "Between the answer “free” and the write lies a gap." in page
    assert "reads of a global secondary index are eventually consistent" in page
    assert re.findall(r"(no guarantee|the guarantee)", page) == ["no guarantee"] * 2 + [
        "the guarantee"
    ]


@pytest.mark.parametrize("path", ["/", "/race", "/api/v1/openapi.json"])
def test_B98_no_door_offers_to_check_first(client: FlaskClient, path: str) -> None:
    text = client.get(path).text.lower()
    assert not re.search(r"check[- ]first|checkfirst|check_first", text)


def test_a_race_is_started_looked_at_and_over(client: FlaskClient, ground: FakeGround) -> None:
    page = finished(client, started(client))
    assert page.count('role="img"') == 3
    assert page.count('<table class="lanes">') == 3
    assert "hx-trigger" not in page
    assert "1 account owns the address" in words(page)
    assert ground.held == {}


def test_the_page_shows_what_was_recorded(client: FlaskClient) -> None:
    address = started(client, sign_ups="5")
    page = words(finished(client, address))
    recorded = client.get(f"{address}/race.json").get_json()
    for way in recorded["ways"]:
        own = "accounts own" if way["accounts"] != 1 else "account owns"
        assert f"{way['accounts']} {own} the address {EMAIL}" in page
        assert f"{way['wrote']} wrote" in page
        assert f"{way['read_taken'] + way['refused']} told “taken”" in page


def test_a_running_race_can_be_watched_without_a_script(client: FlaskClient, gate: Gate) -> None:
    gate.opened.clear()
    address = started(client)
    page = client.get(address).text
    assert f'<a href="{address}">Refresh</a>' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert f'action="{address}/stop"' in page
    assert f'hx-get="{address}?said=' in page
    assert page.count('role="img"') == 3
    gate.opened.set()
    assert "Refresh" not in finished(client, address)


def test_there_is_one_race_at_a_time(client: FlaskClient, gate: Gate) -> None:
    gate.opened.clear()
    address = started(client)
    answer = client.post("/race", data={**SMALL, "seed": "77"})
    assert answer.status_code == 409
    assert "A race is running already." in answer.text
    assert f'hx-get="{address}?said=' in answer.text
    assert Controls(answer.text).pairs["seed"] == "77"
    assert f'href="{address}"' in client.get("/race").text
    gate.opened.set()
    finished(client, address)
    while client.post("/race", data=SMALL).status_code == 409:  # its thread is about to end
        time.sleep(0.005)


def test_a_running_race_is_stopped(client: FlaskClient, gate: Gate, ground: FakeGround) -> None:
    gate.opened.clear()
    address = started(client)
    assert client.post(f"{address}/stop").headers["Location"] == address
    gate.opened.set()
    page = words(finished(client, address))
    assert "The race was stopped." in page
    assert ground.held == {}


def test_a_server_that_ends_stops_its_race_and_removes_the_table(
    app: Flask, client: FlaskClient, ground: FakeGround
) -> None:
    started(client, sign_ups="20", gap_ms="2000")
    app.extensions["races"].close()
    assert app.extensions["races"].running() is None
    assert ground.held == {}


def test_wrong_numbers_stand_at_their_fields_and_stay_as_typed(client: FlaskClient) -> None:
    answer = client.post("/race", data={**SMALL, "sign_ups": "1", "seed": "<b>"})
    assert answer.status_code == 422
    controls = Controls(answer.text)
    assert controls.invalid == ["sign_ups", "seed"]
    assert (controls.pairs["sign_ups"], controls.pairs["seed"]) == ("1", "<b>")
    assert "1 is not a whole number from 2 to 200. Like 24." in words(answer.text)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/race?endpoint=nowhere", 404),
        ("POST", "/race?endpoint=prod", 403),
        ("GET", "/race/nothing", 404),
        ("GET", "/race/nothing/race.json", 404),
        ("POST", "/race/nothing/stop", 404),
    ],
)
def test_the_status_tells_the_truth(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    path, _, endpoint = path.partition("?endpoint=")
    data = {**SMALL, "endpoint": endpoint} if method == "POST" else None
    assert client.open(path, method=method, data=data).status_code == status


def test_a_server_that_only_reads_holds_no_race(ground: FakeGround) -> None:
    targets = {"local": Target(LOCAL, FakeGateway, lambda: ground)}
    client = create_app(Settings(targets=targets, read_only=True)).test_client()
    assert "no race can be run here" in client.get("/race").text
    assert client.post("/race", data=SMALL).status_code == 403
    assert ground.made == []


def test_without_an_engine_the_page_says_how_to_get_one() -> None:
    page = create_app(Settings()).test_client().get("/race")
    assert page.status_code == 200
    assert "pip install 'lockwright[local]'" in unescape(page.text)
    assert 'id="start"' not in page.text


def test_other_sites_cannot_start_a_race(client: FlaskClient, ground: FakeGround) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert client.post("/race", data=SMALL, headers=headers).status_code == 403
    assert ground.made == []


def test_htmx_gets_the_part_it_asks_for(client: FlaskClient) -> None:
    address = started(client)
    finished(client, address)
    whole = client.get(address, headers=htmx("race"))
    assert whole.text.lstrip().startswith('<div id="race"')
    assert whole.headers["HX-Push-Url"] == address
    part = client.get(address, headers=htmx("course"))
    assert part.text.lstrip().startswith('<div id="course"')
    assert "HX-Push-Url" not in part.headers


def test_news_is_told_once(client: FlaskClient) -> None:
    address = started(client)
    page = finished(client, address)
    (said,) = re.findall(r'role="status">([^<]+)<', page)
    old = client.get(address, query_string={"said": unescape(said)}, headers=htmx("course"))
    new = client.get(address, query_string={"said": "Running"}, headers=htmx("course"))
    assert ("hx-swap-oob" in old.text, "hx-swap-oob" in new.text) == (False, True)


def test_an_engine_that_does_not_answer_is_told_on_the_page(
    client: FlaskClient, ground: FakeGround
) -> None:
    def nobody(operation: str) -> None:
        raise NOBODY_ANSWERS

    ground.pause = nobody
    page = words(finished(client, started(client)))
    assert "The race could not be held." in page
    assert NOBODY_ANSWERS.trouble.message in page
    assert NOBODY_ANSWERS.trouble.hint in page


def test_the_page_has_no_script_or_style_of_its_own(client: FlaskClient) -> None:
    page = finished(client, started(client))
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|<script(?! src=)", page)


def test_every_id_is_there_once(client: FlaskClient) -> None:
    ids = Controls(finished(client, started(client))).ids
    assert sorted(set(ids)) == sorted(ids)


def test_the_last_races_are_kept_and_no_more(client: FlaskClient) -> None:
    addresses: list[str] = []
    while len(addresses) < 17:
        answer = client.post("/race", data={**SMALL, "sign_ups": "2"})
        addresses += [answer.headers["Location"]] if answer.status_code == 303 else []
    found = [client.get(address).status_code for address in addresses]
    assert found == [404] + [200] * 16


REFERRERS = {
    "http://localhost/race/abc": "/race/abc",
    "http://localhost/race?x=1": "/race",
    "http://evil.test/race": "/",
    "http://localhost//evil.test": "/",
    "": "/",
}


@pytest.mark.parametrize(("referrer", "back"), REFERRERS.items())
def test_choosing_colours_leads_back_to_the_page(
    client: FlaskClient, referrer: str, back: str
) -> None:
    answer = client.post("/colours", data={"theme": "dark"}, headers={"Referer": referrer})
    assert (answer.status_code, answer.headers["Location"]) == (303, back)
    assert 'data-theme="dark"' in client.get("/race").text


STEPS = (
    Step(1, "read", 0, 10, "free"),
    Step(1, "write", 40, 50, "written"),
    Step(2, "read", 60, 80, "taken"),
)


def test_the_picture_puts_every_step_at_its_time() -> None:
    assert timeline_of(Heat("check", STEPS, 1), Race(2, 20, 1), 100.0) == Timeline(
        way="check",
        height=76.0,
        top=24,
        foot=54.0,
        row_height=15.0,
        mark=4.2,
        bar=5.5,
        rows=(
            Row(
                1,
                "first",
                31.5,
                (
                    Bar("thinks", "10.00%", "40.00%", "30.00%"),
                    Bar("read", "0.00%", "10.00%", "10.00%"),
                    Bar("write", "40.00%", "50.00%", "10.00%"),
                ),
                (("free", "10.00%"), ("first", "50.00%")),
            ),
            Row(
                2,
                "taken",
                46.5,
                (Bar("read", "60.00%", "80.00%", "20.00%"),),
                (("taken", "80.00%"),),
            ),
        ),
        ticks=(Tick("0.00%", "0"), Tick("50.00%", "50 ms")),
        first="50.00%",
        first_label="50 ms",
        is_first_late=False,
        gap=True,
    )


def test_all_ways_have_one_scale_and_nothing_is_cut_off() -> None:
    quick, slow = (
        Heat("check", STEPS, 1),
        Heat("transaction", (Step(1, "write", 0, 500, "written"),)),
    )
    assert scale_of(Race(2, 20, 1), (quick, slow)) > 500
    assert scale_of(Race(2, 20, 1), ()) > 0


@pytest.mark.parametrize("sign_ups", [2, 24, 40, 41, 80, 81, 120, 121, 200])
def test_a_picture_is_at_most_a_screen_high(sign_ups: int) -> None:
    assert row_height(sign_ups) * sign_ups <= 730


def test_the_record_is_the_report(app: Flask, client: FlaskClient) -> None:
    address = started(client)
    finished(client, address)
    report = app.extensions["races"].report(address.rpartition("/")[2])
    assert isinstance(report, Report)
    assert client.get(f"{address}/race.json").get_json() == json.loads(
        json.dumps(report.as_document())
    )
