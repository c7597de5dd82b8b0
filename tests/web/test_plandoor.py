"""The short way to a plan answers as the route does, or leaves the answer to it."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tests import golden
from tests.golden import Case
from tests.samples import ADA, create, request
from webapp.web import plandoor
from webapp.web.settings import Settings

PATH, JSON = "/api/v1/plan", "application/json"
WITH_CHARSET = "application/json; charset=utf-8"
"""The same type, spelled in a way that only the route knows."""

ONE = json.dumps(request(create(ADA)))


def beyond(environ: Any, start_response: Any) -> list[bytes]:
    """Stands for the route: says what is left of the body."""
    start_response("418 ROUTE", [])
    return [environ["wsgi.input"].read()]


def opened(body: str, **more: Any) -> tuple[str, bytes]:
    """The status and the body that the door, and nothing else, answers."""
    builder = EnvironBuilder(path=PATH, method="POST", content_type=JSON, data=body)
    environ = builder.get_environ() | more
    answer, status, _ = run_wsgi_app(plandoor.before(beyond, Settings()), environ)
    return status, b"".join(answer)


@pytest.mark.parametrize("case", golden.PLANNED + golden.REFUSED, ids=golden.name_of)
def test_both_ways_give_one_answer(client: FlaskClient, case: Case) -> None:
    short = client.post(PATH, data=case.text, content_type=JSON)
    through = client.post(PATH, data=case.text, content_type=WITH_CHARSET)
    assert (short.status, short.data) == (through.status, through.data)
    assert sorted(short.headers) == sorted(through.headers)


def test_a_request_that_comes_to_a_plan_goes_the_short_way() -> None:
    status, text = opened(ONE)
    assert (status, len(json.loads(text)["slots"])) == ("200 OK", 3)


ELSEWHERE: dict[str, tuple[str, dict[str, Any]]] = {
    "refused": ('{"design": {}}', {}),
    "no JSON": ("{", {}),
    "a member twice": (ONE[:-1] + ', "token": "a", "token": "b"}', {}),
    "too large": (ONE + " " * 70_000, {}),
    "far too large": (ONE + " " * 1_000_000, {}),
    "another method": (ONE, {"REQUEST_METHOD": "PUT"}),
    "another type": (ONE, {"CONTENT_TYPE": "text/plain"}),
    "no length": (ONE, {"CONTENT_LENGTH": ""}),
    "a length that is no number": (ONE, {"CONTENT_LENGTH": "²"}),
    "a negative length": (ONE, {"CONTENT_LENGTH": "-1"}),
    "mounted elsewhere": (ONE, {"SCRIPT_NAME": "/below"}),
    "another address": (ONE, {"PATH_INFO": "/api/v1/plan/"}),
}


@pytest.mark.parametrize(("body", "more"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_everything_else_is_left_to_the_route_with_its_body(
    body: str, more: dict[str, Any]
) -> None:
    assert opened(body, **more) == ("418 ROUTE", body.encode())


def test_a_body_that_broke_off_is_left_to_the_route() -> None:
    sent = {"wsgi.input": BytesIO(ONE[:40].encode())}
    assert opened(ONE, **sent) == ("418 ROUTE", ONE[:40].encode())


def test_the_short_way_stands_behind_the_gates(client: FlaskClient) -> None:
    for refused, status in (({"Host": "evil.test"}, 400), ({"Origin": "http://evil.test"}, 403)):
        answer = client.post(PATH, data=ONE, content_type=JSON, headers=refused)
        assert answer.status_code == status
