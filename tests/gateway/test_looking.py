"""What the gateway says of tables and of places that cannot be asked."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.conftest import FOUR_ATTEMPTS, Patience
from tests.gateway.fake_service import LATE, FakeService, Reply, error
from webapp.answers import TROUBLES, Rejected, Unavailable, Unknown
from webapp.endpoints import Endpoint, local_endpoint
from webapp.gateway import LOOK_ATTEMPTS, MOST_TABLE_PAGES, Gateway, Limits


@pytest.fixture
def sender(service: FakeService) -> Gateway:
    """The way to the fake service, for somebody who has time."""
    return Gateway(local_endpoint("fake", service.url), Limits(), FOUR_ATTEMPTS)


def answer(**members: Any) -> Reply:
    """A whole answer with these members."""
    return Reply(body=json.dumps(members).encode())


def trouble_of(raised: pytest.ExceptionInfo[Unavailable]) -> tuple[str, str, str]:
    """Code, message and hint."""
    trouble = raised.value.trouble
    return trouble.code, trouble.message, trouble.hint


def test_tables_are_listed_page_by_page_to_the_end(service: FakeService, sender: Gateway) -> None:
    service.script = [
        answer(TableNames=["a", "b"], LastEvaluatedTableName="b"),
        answer(TableNames=[], LastEvaluatedTableName="c"),
        answer(TableNames=["d"]),
    ]
    assert sender.tables() == ["a", "b", "d"]
    assert [(r.operation, json.loads(r.body)) for r in service.received] == [
        ("ListTables", {}),
        ("ListTables", {"ExclusiveStartTableName": "b"}),
        ("ListTables", {"ExclusiveStartTableName": "c"}),
    ]


def test_a_list_without_an_end_is_left(service: FakeService, sender: Gateway) -> None:
    service.script = [answer(TableNames=["a"], LastEvaluatedTableName="a")]
    assert sender.tables() == ["a"] * MOST_TABLE_PAGES


def test_a_name_that_is_no_text_is_shown_as_text(service: FakeService, sender: Gateway) -> None:
    service.script = [answer(TableNames=["a", 5, None])]
    assert sender.tables() == ["a", "5", "None"]


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ({"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}, "ttl"),
        ({"TimeToLiveStatus": "ENABLING", "AttributeName": "ttl"}, "ttl"),
        ({"TimeToLiveStatus": "DISABLING", "AttributeName": "ttl"}, None),
        ({"TimeToLiveStatus": "DISABLED"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_the_attribute_of_a_time_to_live(
    description: dict[str, str], expected: str | None, service: FakeService, sender: Gateway
) -> None:
    service.script = [answer(TimeToLiveDescription=description)]
    assert sender.time_to_live("accounts") == expected


@pytest.mark.parametrize("body", [b"{}", b'{"TableNames": "a", "Table": []}'], ids=repr)
def test_what_answers_without_being_dynamodb_is_told(
    body: bytes, service: FakeService, sender: Gateway
) -> None:
    service.script = [Reply(body=body)]
    for look, member in (
        (sender.tables, "TableNames"),
        (lambda: sender.describe("accounts"), "Table"),
        (lambda: sender.time_to_live("accounts"), "TimeToLiveDescription"),
    ):
        with pytest.raises(Unavailable) as raised:
            look()
        where = f"fake ({service.url}, Region us-east-1, key id lockwright)"
        said = f"does not speak as DynamoDB does: its answer has no {member}"
        assert trouble_of(raised) == (
            "not-dynamodb",
            f"What answered at {where} {said}",
            "Check that the address given for fake is DynamoDB's and nothing else's.",
        )


@pytest.mark.parametrize("body", [b"<html>Sign in to this network</html>", b"[]", b""], ids=repr)
def test_a_page_of_something_else_is_never_taken_for_success(
    body: bytes, service: FakeService, sender: Gateway, patience: Patience
) -> None:
    service.script = [Reply(body=body)]
    told = sender.send(b'{"TransactItems":[]}', stop=patience)
    assert isinstance(told, Unknown)
    assert told.trouble.message.endswith(
        "does not speak as DynamoDB does: its answer is no JSON object"
    )


def test_somebody_who_looks_is_not_kept_waiting(service: FakeService) -> None:
    service.script = [LATE]
    limits = Limits(connect_seconds=2, read_seconds=0.3)
    patient = FOUR_ATTEMPTS.__class__(jitter=lambda: 0.0, attempts=9, first_pause=0.0)
    gateway = Gateway(local_endpoint("slow", service.url), limits, patient)
    with pytest.raises(Unavailable) as raised:
        gateway.describe("accounts")
    assert raised.value.trouble.code == "answer-lost"
    assert len(service.received) == LOOK_ATTEMPTS


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(error("ResourceNotFoundException", "no t"), "table-missing", id="B76-table"),
        pytest.param(error("UnrecognizedClientException"), "credentials-refused", id="B77-keys"),
        pytest.param(error("InvalidSignatureException"), "credentials-refused", id="clock"),
        pytest.param(error("ExpiredTokenException"), "credentials-expired", id="expired"),
        pytest.param(error("AccessDeniedException", "no"), "access-denied", id="denied"),
        pytest.param(error("ValidationException", "no name"), "read-rejected", id="rejected"),
    ],
)
def test_a_refused_look_names_the_place_and_the_remedy(
    reply: Reply, code: str, service: FakeService, sender: Gateway
) -> None:
    service.script = [reply]
    with pytest.raises(Unavailable) as raised:
        sender.describe("accounts")
    said, message, _ = trouble_of(raised)
    assert said == code
    assert f"fake ({service.url}, Region us-east-1, key id lockwright)" in message


@pytest.mark.parametrize(
    ("look", "leave"),
    [
        (lambda gateway: gateway.tables(), "dynamodb:ListTables"),
        (lambda gateway: gateway.describe("t"), "dynamodb:DescribeTable"),
    ],
    ids=["list", "describe"],
)
def test_who_may_not_look_is_told_what_to_allow(
    look: Any, leave: str, service: FakeService, sender: Gateway
) -> None:
    service.script = [error("AccessDeniedException", "not authorized")]
    with pytest.raises(Unavailable) as raised:
        look(sender)
    assert trouble_of(raised)[2] == f"Let their policy allow {leave}; nothing was written."


def test_who_may_not_write_is_told_the_permissions_of_a_transaction(
    service: FakeService, sender: Gateway
) -> None:
    service.script = [error("AccessDeniedException", "not authorized")]
    told = sender.send(b'{"TransactItems":[]}')
    assert isinstance(told, Rejected)
    assert told.trouble is not None
    assert told.trouble.hint == (
        "Let their policy allow dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem and "
        "dynamodb:ConditionCheckItem; nothing was written."
    )


def test_an_engine_that_is_not_running_is_told_with_its_address() -> None:
    with socket.socket() as bound:  # taken, but nobody listens
        bound.bind(("127.0.0.1", 0))
        endpoint = local_endpoint("local", f"http://127.0.0.1:{bound.getsockname()[1]}")
        with pytest.raises(Unavailable) as raised:
            Gateway(endpoint).tables()
    assert trouble_of(raised) == (
        "connection-refused",
        f"Nothing answers at local ({endpoint.url}, Region us-east-1, key id lockwright).",
        "Start the engine, or check the address that was given for local at start.",
    )


CONFIG = """
[profile sso]
sso_start_url = https://example.awsapps.com/start
sso_region = eu-west-1
sso_account_id = 111122223333
sso_role_name = Reader
[profile session]
sso_session = work
sso_account_id = 111122223333
sso_role_name = Reader
[sso-session work]
sso_start_url = https://example.awsapps.com/start
sso_region = eu-west-1
[profile process]
credential_process = false
[profile half]
aws_access_key_id = AKIAHALF
[profile role]
role_arn = arn:aws:iam::111122223333:role/reader
source_profile = nobody
[profile loop]
role_arn = arn:aws:iam::111122223333:role/reader
source_profile = other
[profile other]
role_arn = arn:aws:iam::111122223333:role/reader
source_profile = loop
[profile login]
login_session = arn:aws:iam::111122223333:user/reader
"""


@pytest.fixture
def aws_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with AWS files of its own, and nothing of AWS in the environment."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "config"
    config.write_text(CONFIG)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    return config


@pytest.mark.usefixtures("aws_files")
@pytest.mark.parametrize(
    ("profile", "code"),
    [
        (None, "no-credentials"),
        ("nobody", "profile-missing"),
        ("sso", "credentials-broken"),
        ("session", "credentials-broken"),
        ("process", "credentials-broken"),
        ("half", "no-credentials"),
        ("role", "credentials-broken"),
        ("loop", "credentials-broken"),
        ("login", "credentials-broken"),
    ],
)
def test_credentials_that_cannot_be_had_are_told_before_anything_is_sent(
    profile: str | None, code: str
) -> None:
    gateway = Gateway(Endpoint("prod", None, "eu-west-1", profile))
    with pytest.raises(Unavailable) as raised:
        gateway.tables()
    said, message, hint = trouble_of(raised)
    assert said == code
    assert "prod" in message
    assert hint == TROUBLES[code].hint.format_map(raised.value.trouble.params)


def test_a_broken_settings_file_of_aws_is_told(aws_files: Path) -> None:
    aws_files.write_text("[profile broken\nregion")
    with pytest.raises(Unavailable) as raised:
        Gateway(Endpoint("prod", None, "eu-west-1", "broken")).tables()
    assert raised.value.trouble.code == "credentials-broken"


@pytest.mark.usefixtures("aws_files")
def test_without_credentials_key_and_account_are_simply_not_known() -> None:
    for profile in (None, "nobody", "sso", "half", "login"):
        gateway = Gateway(Endpoint("prod", None, "eu-west-1", profile))
        assert (gateway.account, gateway.key_id) == (None, "")


@pytest.mark.usefixtures("aws_files")
def test_the_account_is_asked_of_aws_itself_whatever_the_environment_says(
    service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE1234")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL", service.url)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody gets through
    gateway = Gateway(Endpoint("prod", None, "eu-west-1"))
    assert (gateway.account, gateway.key_id) == (None, "…1234")
    assert service.received == []
