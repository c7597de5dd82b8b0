"""Every way in, by the application's own map: who is let in, and where nothing leads out."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.gateway.fake_service import FakeService, Reply, cancelled, error
from tests.web.conftest import AWS, LOCAL, FakeGateway
from tests.web.doors import BODIES, CHANGING, DOORS, READING, Door
from webapp.attempts import Policy
from webapp.core.expressions.operations import READS
from webapp.endpoints import Endpoint, local_endpoint
from webapp.gateway import Gateway, Limits
from webapp.web import create_app
from webapp.web.expressions.filling import fill
from webapp.web.settings import Settings, Target

LOOKS = {"ListTables", "DescribeTable", "DescribeTimeToLive"}
OWN = {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}
FOREIGN = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.test"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:9999"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    {"Origin": "http://evil.test"},
    {"Origin": "null"},
]
NEEDS_GROUND = {"/race"}
"""Forbidden where no endpoint can hold a race, whoever asks."""
REBOUND = ["evil.test", "evil.test:80", "localhost.evil.test", "127.0.0.1.evil.test", "0.0.0.0", ""]


@pytest.fixture(scope="module")
def site() -> tuple[FlaskClient, FakeGateway]:
    """One application for all tests here, as it is made only once in earnest."""
    gateway = FakeGateway()
    targets = {"local": Target(LOCAL, lambda: gateway), "prod": Target(AWS, lambda: gateway)}
    return create_app(Settings(targets=targets)).test_client(), gateway


@pytest.fixture
def client(site: tuple[FlaskClient, FakeGateway]) -> FlaskClient:
    return site[0]


@pytest.fixture
def gateway(site: tuple[FlaskClient, FakeGateway]) -> FakeGateway:
    """What stands behind the site, to which nothing was sent yet."""
    site[1].sent.clear()
    site[1].asked.clear()
    return site[1]


def test_the_map_is_known_whole() -> None:
    assert {door.method for door in DOORS} == {"GET", "POST"}
    assert {door.path for door in CHANGING if door.path.startswith("/api/")} == BODIES.keys()
    assert len(CHANGING) > 20


@pytest.mark.parametrize("door", CHANGING, ids=str)
def test_nothing_that_another_site_sends_is_read(
    door: Door, client: FlaskClient, gateway: FakeGateway
) -> None:
    answers = [door.open(client, headers) for headers in FOREIGN]
    assert {answer.status_code for answer in answers} == {403}
    assert (gateway.sent, gateway.asked) == ([], [])


@pytest.mark.parametrize("door", CHANGING, ids=str)
def test_our_own_page_and_programs_are_let_in(door: Door, client: FlaskClient) -> None:
    refused = {405, 415, 500} if door.path in NEEDS_GROUND else {403, 405, 415, 500}
    for headers in (OWN, {}):
        assert door.open(client, headers).status_code not in refused


@pytest.mark.parametrize("door", DOORS, ids=str)
def test_no_name_is_served_that_another_site_gave_our_address(
    door: Door, client: FlaskClient, gateway: FakeGateway
) -> None:
    for host in REBOUND:
        own = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        for headers in ({"Host": host}, own, own | {"X-Forwarded-Host": "localhost"}):
            assert door.open(client, headers).status_code == 400
    assert (gateway.sent, gateway.asked) == ([], [])


@pytest.mark.parametrize("door", READING, ids=str)
def test_an_address_that_is_only_opened_changes_nothing(
    door: Door, client: FlaskClient, gateway: FakeGateway
) -> None:
    assert door.open(client, {}).status_code in {200, 303, 404}
    assert gateway.sent == []
    assert set(gateway.asked) <= LOOKS


# Where nothing may be written

WRITING_EXPRESSIONS: list[dict[str, Any]] = [
    {"operation": "PutItem", "table": "accounts", "item": {"PK": {"S": "a"}}},
    {"operation": "DeleteItem", "table": "accounts", "key": {"PK": {"S": "a"}}},
    {
        "operation": "UpdateItem",
        "table": "accounts",
        "key": {"PK": {"S": "a"}},
        "update": [{"remove": "x"}],
    },
    {
        "operation": "TransactWriteItems",
        "actions": [{"operation": "DeleteItem", "table": "accounts", "key": {"PK": {"S": "a"}}}],
    },
]
READ_ONLY = {
    "a local endpoint, read-only": (LOCAL, {"read_only": True}),
    "AWS, as started": (AWS, {}),
    "AWS, read-only all the same": (AWS, {"read_only": True, "allow_write": True}),
}


@pytest.mark.parametrize(("endpoint", "leave"), READ_ONLY.values(), ids=READ_ONLY)
def test_without_leave_no_door_writes(
    endpoint: Endpoint, leave: dict[str, bool], service: FakeService
) -> None:
    service.script = [Reply(body=b'{"TableNames": [], "Table": {}}')]
    gateway = Gateway(local_endpoint("local", service.url))
    targets = {"local": Target(endpoint, lambda: gateway)}
    made = Settings(targets, leave.get("read_only", False), leave.get("allow_write", False))
    client = create_app(made).test_client()
    refused = {str(door): door.open(client, {}).status_code for door in DOORS}
    for document in WRITING_EXPRESSIONS:
        pairs = dict(fill(document)) | {"endpoint": "local", "confirm": "accounts"}
        assert client.post("/expressions/run", data=pairs).status_code == 403
    assert refused["POST /run"] == refused["POST /table/make"] == refused["POST /race"] == 403
    assert refused["POST /api/v1/run"] == 422
    assert service.received
    assert {received.operation for received in service.received} <= LOOKS | READS


# Where a request can lead to


@pytest.fixture
def elsewhere() -> Iterator[socket.socket]:
    """A place that no request may lead to; whoever comes stands in its queue."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


@pytest.fixture(scope="module")
def real(serving: FakeService) -> Flask:
    """A page with the real gateway to a service on loopback."""
    limits = Limits(connect_seconds=2, read_seconds=2)
    policy = Policy(jitter=lambda: 0.0, attempts=2, first_pause=0.001)
    gateway = Gateway(local_endpoint("local", serving.url), limits, policy)
    return create_app(Settings(targets={"local": Target(gateway.endpoint, lambda: gateway)}))


@pytest.fixture(scope="module")
def serving() -> Iterator[FakeService]:
    with FakeService().serving() as service:
        yield service


@pytest.fixture
def service(serving: FakeService) -> FakeService:
    """The service on loopback, as if nobody had asked it anything."""
    serving.script = [Reply()]
    serving.received.clear()
    return serving


def url_of(place: socket.socket) -> str:
    return f"http://127.0.0.1:{place.getsockname()[1]}/"


def nobody_came(place: socket.socket) -> bool:
    """Whether nobody ever connected."""
    try:
        place.accept()
    except BlockingIOError:
        return True
    return False


def with_texts(given: Any, text: str) -> Any:
    """A document with a text in place of every text."""
    match given:
        case dict():
            return {name: with_texts(inner, text) for name, inner in given.items()}
        case list():
            return [with_texts(inner, text) for inner in given]
        case str():
            return text
        case _:
            return given


def everywhere(door: Door, url: str) -> list[Any]:
    """Bodies with a URL at every place, with and without a place to go to."""
    own = BODIES.get(door.path) or door.fields()
    full = with_texts(own, url)
    kept = {name: own[name] for name in ("endpoint", "to", "look", "design/table") if name in own}
    return [full, full | kept, own | {"endpoint": url, "to": url, "look": f"0/{url}"}]


@pytest.mark.parametrize("door", DOORS, ids=str)
@pytest.mark.usefixtures("service")
def test_no_address_that_a_visitor_gives_is_ever_opened(
    door: Door, real: Flask, elsewhere: socket.socket
) -> None:
    url = url_of(elsewhere)
    told = {"Referer": url, "HX-Current-URL": url, "X-Forwarded-For": url, "Forwarded": url}
    client = real.test_client()
    for body in everywhere(door, url):
        assert door.open(client, told, body).status_code != 500
    assert nobody_came(elsewhere)


@pytest.mark.parametrize("door", DOORS, ids=str)
def test_a_service_that_sends_us_elsewhere_is_not_followed(
    door: Door, real: Flask, service: FakeService, elsewhere: socket.socket
) -> None:
    service.script = [Reply(307, b"", {"Location": url_of(elsewhere)})]
    assert door.open(real.test_client(), {}).status_code != 500
    assert nobody_came(elsewhere)


GARBLED = {
    "reasons": error("TransactionCanceledException", "no", CancellationReasons=["x"]),
    "an item in reasons": cancelled(*[{"Code": "ConditionalCheckFailed", "Item": {"a": 5}}] * 3),
    "a code": Reply(400, b'{"__type": ["x"], "Message": {"a": 1}}'),
    "an item": Reply(body=b'{"Item": 5, "Items": [5], "Count": "x", "Responses": [{"Item": []}]}'),
    "a table": Reply(body=b'{"Table": {"KeySchema": 5, "TableStatus": []}, "TableNames": [{}]}'),
    "names": Reply(body=b'{"TableNames": ["accounts"], "LastEvaluatedTableName": 5, "Table": {}}'),
    "no object": Reply(body=b"[]"),
    "half an answer": Reply(body=b'{"Item": {"PK": {"S": "a"}}}', cut=9),
}


@pytest.mark.parametrize("reply", GARBLED.values(), ids=GARBLED)
def test_no_answer_of_a_service_breaks_a_page(
    reply: Reply, real: Flask, service: FakeService
) -> None:
    service.script = [reply]
    client = real.test_client()
    assert [str(door) for door in DOORS if door.open(client, {}).status_code == 500] == []


def test_the_doors_that_lead_to_a_service_are_among_them(real: Flask, service: FakeService) -> None:
    client = real.test_client()
    led = set()
    for door in DOORS:
        service.received.clear()
        door.open(client, {})
        if service.received:
            led.add(str(door))
    assert led == {
        "GET /table",
        "POST /api/v1/locks/check",
        "POST /api/v1/run",
        "POST /expressions/run",
        "POST /expressions/run/more",
        "POST /record",
        "POST /run",
        "POST /table",
        "POST /table/make",
    }
