"""Nothing of the operator's credentials on any page, in any answer, file, log or word."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.gateway.fake_aws import ACCOUNT, CANARIES, CANONICAL, KEY_ID, SHOWN, TOKEN, aws
from tests.gateway.fake_service import DROPPED, FakeService, Reply, cancelled, error
from tests.web.doors import ASKED, DOORS, Door
from tests.web.test_whereabouts import facts
from webapp.attempts import Policy
from webapp.cli import main
from webapp.endpoints import parse_endpoint
from webapp.gateway import Gateway, Limits
from webapp.web import create_app
from webapp.web.settings import Settings, Target
from webapp.web.whereabouts import Identities

__all__ = ["aws"]

HMAC = "canary-hmac-key"
PROD = parse_endpoint("local=aws:eu-west-1")
"""AWS, under the name that all doors ask for."""
REPLIES = {
    "served": Reply(),
    "signature": error("InvalidSignatureException", CANONICAL),
    "key": error("UnrecognizedClientException", f"{KEY_ID} is not known"),
    "expired": error("ExpiredTokenException", f"The token {TOKEN} has expired"),
    "denied": error("AccessDeniedException", CANONICAL),
    "missing": error("ResourceNotFoundException", CANONICAL),
    "invalid": error("ValidationException", CANONICAL),
    "throttled": error("ThrottlingException", CANONICAL),
    "cancelled": cancelled({"Code": "ValidationError", "Message": CANONICAL}, "None", "None"),
    "conflict": cancelled({"Code": "TransactionConflict", "Message": CANONICAL}, "None", "None"),
    "unheard of": error(KEY_ID, CANONICAL, Details=[CANONICAL]),
    "broken": error("InternalServerError", CANONICAL, 500),
    "no JSON": Reply(403, CANONICAL.encode()),
    "no item": Reply(body=json.dumps({"Item": CANONICAL, "Table": CANONICAL}).encode()),
    "elsewhere": Reply(307, b"", {"Location": f"http://127.0.0.1:9/{KEY_ID}/{TOKEN}"}),
    "dropped": DROPPED,
}


@pytest.fixture
def app(aws: FakeService) -> Flask:
    policy = Policy(jitter=lambda: 0.0, attempts=2, first_pause=0.001)
    gateway = Gateway(PROD, Limits(read_seconds=2.0), policy)
    targets = {"local": Target(PROD, lambda: gateway)}
    made = create_app(Settings(targets=targets, allow_write=True, secret=HMAC))
    made.extensions["identities"] = Identities(patience=30)
    return made


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def untold(text: str) -> bool:
    """Whether no part of the credentials stands in a text, but for the end of the key id."""
    return not any(canary in text for canary in (*CANARIES, HMAC))


def test_the_page_shows_the_account_and_no_more_of_the_key_than_its_end(
    client: FlaskClient,
) -> None:
    page = client.get("/")
    assert facts(page.text) == [
        {
            "Address": "AWS",
            "Region": "eu-west-1",
            "Account": ACCOUNT,
            "Table": "accounts",
            "Access key id": SHOWN,
        }
    ]
    assert untold(page.text)


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_no_door_tells_anything_whatever_aws_says(
    reply: Reply, app: Flask, aws: FakeService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    aws.script = [reply]
    client = app.test_client()
    for door in DOORS:
        answer = door.open(client, {})
        assert untold(answer.text + str(answer.headers)), door
        assert answer.status_code != 500, door
    assert aws.received
    assert untold(caplog.text)


def test_no_door_tells_anything_where_the_token_cannot_be_sent(
    app: Flask, aws: FakeService, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("AWS_SESSION_TOKEN", f"{TOKEN}\n{TOKEN}")
    client = app.test_client()
    for door in DOORS:
        answer = door.open(client, {})
        assert untold(answer.text), door
        assert answer.status_code != 500, door
    assert (aws.received, untold(caplog.text)) == ([], True)


def test_settings_and_what_hangs_on_them_tell_nothing(app: Flask, client: FlaskClient) -> None:
    Door("POST", "/run").open(client, {})
    settings: Settings = app.extensions["lockwright"]
    opened = [target.open() for target in settings.targets.values()]
    told = [repr(part) for part in (settings, opened, vars(opened[0]), app.config, app.extensions)]
    assert untold(" ".join(told))


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_the_command_line_tells_nothing(
    reply: Reply,
    aws: FakeService,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    aws.script = [reply, Reply(400, REPLIES["invalid"].body)]
    file = tmp_path / "request.json"
    file.write_text(json.dumps(ASKED))
    name = "".join(filter(str.isalnum, request.node.name))[-30:]
    leave = ["--allow-write", "--confirm", "accounts"]
    status = main(["run", str(file), "--json", "--endpoint", f"{name}=aws:eu-west-1", *leave])
    told = capsys.readouterr()
    assert status == (0 if reply == Reply() else 1)
    assert untold(told.out + told.err + caplog.text)
    assert json.loads(told.out)["committed"] is (status == 0)
