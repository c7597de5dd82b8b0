"""Are these values free: one consistent read per lock, told per constraint, never a scan."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import AWS
from tests.web.test_record_page import KEY, OTHER, Store, asking, lock
from webapp.web import create_app
from webapp.web.settings import Settings, Target
from webapp.web.writing import write

Json = dict[str, Any]
ROUTE = "/api/v1/locks/check"
DESIGN: Json = write(asking("create", owned=True)).document["design"]
ITEM: Json = {"email": {"S": "ada@x.test"}, "username": {"S": "ada"}}


@pytest.fixture
def gateway() -> Store:
    return Store()


def ask(client: FlaskClient, **members: Any) -> Any:
    asked = {"design": DESIGN, "endpoint": "local", "item": ITEM, **members}
    return client.post(ROUTE, json=asked)


def codes(answer: Any) -> list[tuple[str, str]]:
    return [(p["code"], p["path"]) for p in answer.get_json()["problems"]]


def found(text: str, state: str, owner: Json | None = None) -> Json:
    return {"table": "accounts", "key": lock(text), "state": state, "owner": owner}


def test_each_constraint_is_free_or_held_and_by_whom(client: FlaskClient, gateway: Store) -> None:
    gateway.keep(lock("HANDLE#ada"), owner={"M": OTHER})
    answer = ask(client)
    assert answer.status_code == 200
    assert answer.get_json() == {
        "constraints": [
            {
                "constraint": "EMAIL",
                "attributes": ["email"],
                "state": "free",
                "locks": [found("EMAIL#ada@x.test", "free")],
            },
            {
                "constraint": "HANDLE",
                "attributes": ["username"],
                "state": "held",
                "locks": [found("HANDLE#ada", "held", OTHER)],
            },
        ]
    }
    assert [key for _, key in gateway.reads] == [lock("EMAIL#ada@x.test"), lock("HANDLE#ada")]
    assert (gateway.sent, gateway.asked) == ([], [])


def test_a_set_asks_for_a_lock_of_each_member(client: FlaskClient, gateway: Store) -> None:
    gateway.keep(lock("EMAIL#b"))
    [email, handle] = ask(client, item={"email": {"SS": ["a", "b"]}}).get_json()["constraints"]
    assert email["state"] == "held"
    assert email["locks"] == [found("EMAIL#a", "free"), found("EMAIL#b", "held")]
    assert handle == {
        "constraint": "HANDLE",
        "attributes": ["username"],
        "state": "no-lock",
        "locks": [],
    }


def test_plain_values_are_read_as_in_a_plan_request(client: FlaskClient, gateway: Store) -> None:
    ask(client, item={"email": "ada@x.test"}, values="plain")
    assert [key for _, key in gateway.reads] == [lock("EMAIL#ada@x.test")]


SECRET = {
    **DESIGN,
    "unique": [{"namespace": "E", "attributes": ["email"], "digest": "hmac-sha256"}],
}
REFUSED: dict[str, tuple[Json, list[tuple[str, str]]]] = {
    "an unknown endpoint": ({"endpoint": "no"}, [("endpoint-unknown", "/endpoint")]),
    "an unknown member": ({"x": 1}, [("member-unknown", "/x")]),
    "no attributes": ({"item": None}, [("member-type", "/item")]),
    "a broken design": ({"design": {**DESIGN, "table": "?"}}, [("table-name", "/design/table")]),
    "a broken value": ({"item": {"email": {"N": "x"}}}, [("number-malformed", "/item/email/N")]),
    "no secret": ({"design": SECRET}, [("secret-missing", "/secret")]),
    "too many locks": (
        {"item": {"email": {"SS": [str(number) for number in range(101)]}}},
        [("locks-to-read", "/item")],
    ),
}


@pytest.mark.parametrize(("members", "expected"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_wrong_is_refused_and_nothing_is_read(
    client: FlaskClient, gateway: Store, members: Json, expected: list[tuple[str, str]]
) -> None:
    answer = ask(client, **members)
    assert (answer.status_code, codes(answer), gateway.reads) == (422, expected, [])


def test_a_secret_makes_the_key_and_is_never_shown(client: FlaskClient, gateway: Store) -> None:
    answer = ask(client, design=SECRET, secret="hush-hush")
    assert answer.status_code == 200
    assert "hush-hush" not in answer.text
    assert len(gateway.reads) == 1


def test_an_endpoint_that_cannot_be_read_is_a_bad_gateway(
    client: FlaskClient, gateway: Store
) -> None:
    gateway.fails = "connection-refused"
    answer = ask(client)
    assert (answer.status_code, codes(answer)) == (502, [("connection-refused", "/endpoint")])


@pytest.mark.parametrize("read_only", [False, True])
def test_looking_at_aws_needs_no_leave(gateway: Store, read_only: bool) -> None:
    targets = {"prod": Target(AWS, lambda: gateway)}
    client = create_app(Settings(targets=targets, read_only=read_only)).test_client()
    gateway.keep(KEY)
    assert ask(client, endpoint="prod").status_code == 200


def test_the_route_is_described(client: FlaskClient) -> None:
    schema = client.get("/api/v1/openapi.json").get_json()
    described = schema["components"]["schemas"]["LockCheck"]
    assert described["required"] == ["design", "item", "endpoint"]
    assert set(schema["paths"][ROUTE]["post"]["responses"]) >= {"200", "422", "502"}
