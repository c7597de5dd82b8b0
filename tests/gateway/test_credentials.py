"""The way to AWS: whose it is, and that nothing of the credentials is ever told."""

from __future__ import annotations

import logging
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.gateway.fake_aws import (
    ACCOUNT,
    CANARIES,
    CANONICAL,
    IDENTITY,
    KEY_ID,
    SECRET,
    SHOWN,
    TOKEN,
    aws,
    no_aws_setup,
)
from tests.gateway.fake_service import DROPPED, FakeService, Reply, cancelled, error
from webapp.answers import Committed, Rejected, Unavailable, Unknown, Unreachable
from webapp.attempts import Policy
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway, Limits
from webapp.gateway.failing import SERVICE_TROUBLES

__all__ = ["aws"]

PROD = Endpoint("prod", None, "eu-west-1")
TEXT = b'{"TransactItems":[],"ClientRequestToken":"t"}'
QUICK = Policy(jitter=lambda: 0.0, attempts=2, first_pause=0.001)


@pytest.fixture
def prod(aws: FakeService) -> Gateway:
    """The way to AWS, which ends at the fake one."""
    return Gateway(PROD, Limits(read_seconds=1.0, answer_bytes=20_000), QUICK)


def test_what_is_shown_as_aws_is_asked_at_the_address_of_its_region(
    aws: FakeService, prod: Gateway
) -> None:
    assert prod.send(TEXT) == Committed({})
    assert [(r.operation, r.host) for r in aws.received] == [
        ("TransactWriteItems", "dynamodb.eu-west-1.amazonaws.com")
    ]


def test_account_and_key_id_are_told_and_sts_is_asked_once(aws: FakeService, prod: Gateway) -> None:
    assert [(prod.account, prod.key_id) for _ in range(3)] == [(ACCOUNT, SHOWN)] * 3
    assert [r.host for r in aws.received] == ["sts.eu-west-1.amazonaws.com"]


SILENT = {
    "refused": Reply(403, CANONICAL.encode()),
    "broken": Reply(500),
    "a page": Reply(body=b"<html>"),
    "no account": Reply(body=b"<GetCallerIdentityResponse/>"),
    "dropped": DROPPED,
    "endless": replace(IDENTITY, body=IDENTITY.body + b" " * 100_000),
    "elsewhere": Reply(302, b"", {"Location": "https://sts.eu-west-1.amazonaws.com/"}),
}


@pytest.mark.parametrize("reply", SILENT.values(), ids=SILENT)
def test_an_account_that_sts_does_not_tell_is_not_known(
    reply: Reply, aws: FakeService, prod: Gateway
) -> None:
    aws.identity = reply
    assert [prod.account, prod.account] == [None, None]
    assert len(aws.received) == 1
    assert prod.send(TEXT) == Committed({})


# What AWS repeats


REFUSALS = {
    **{code: error(code, CANONICAL) for code in (*SERVICE_TROUBLES, "ValidationException")},
    "a code": error(TOKEN),
    "a reason": cancelled({"Code": "ValidationError", "Message": CANONICAL}),
    "an unknown member": error("LimitExceededException", Details=[{KEY_ID: TOKEN, "x": KEY_ID}]),
    "a server's fault": error("InternalServerError", CANONICAL, 500),
    "no JSON": Reply(403, CANONICAL.encode()),
    "a redirect": Reply(307, b"", {"Location": f"http://127.0.0.1:9/{TOKEN}"}),
    "half an answer": Reply(400, CANONICAL.encode(), cut=20),
    "a long answer": Reply(400, CANONICAL.encode() * 100),
}


@pytest.mark.parametrize("reply", REFUSALS.values(), ids=REFUSALS)
def test_no_credentials_are_in_what_is_told_of_a_refusal(
    reply: Reply, aws: FakeService, prod: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    aws.script = [reply]
    answer = prod.send(TEXT)
    assert isinstance(answer, Rejected | Unreachable | Unknown)
    with pytest.raises(Unavailable) as raised:
        prod.describe("accounts")
    told = f"{answer!r} {raised.value!r} {raised.value} {raised.value.trouble!r}"
    assert_untold(told + caplog.text + repr((prod, vars(prod), prod.endpoint)))


def test_the_rest_of_a_refusal_is_told(aws: FakeService, prod: Gateway) -> None:
    aws.script = [error("ValidationException", f"{KEY_ID} may not, {TOKEN} neither; accounts")]
    answer = prod.send(TEXT)
    assert isinstance(answer, Rejected)
    assert answer.error["Error"]["Message"] == f"{SHOWN} may not, … neither; accounts"


def test_debug_logs_of_the_client_hold_no_credentials(
    aws: FakeService, prod: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    prod.send(TEXT)
    assert prod.account == ACCOUNT
    assert "POST / HTTP/1.1" in caplog.text  # logs are kept
    assert_untold(caplog.text)


def assert_untold(text: str) -> None:
    """No part of the credentials stands in a text, but for what is shown of the key id."""
    assert [canary for canary in CANARIES if canary in text] == []


# Credentials that cannot be had or used


def printing(folder: Path, text: str, status: int = 0) -> str:
    """A program for ``credential_process`` that prints a text, on standard error when it fails."""
    program = folder / "program.py"
    stream = "stderr" if status else "stdout"
    program.write_text(f"import sys\nprint({text!r}, file=sys.{stream})\nsys.exit({status})\n")
    return shlex.join([sys.executable, str(program)])


GIVEN = f'"AccessKeyId":"{KEY_ID}","SecretAccessKey":"{SECRET}","SessionToken":"{TOKEN}"'
PROGRAMS = {
    "prints no JSON": (f"secret: {SECRET}", 0, "credentials-broken"),
    "prints a list": (f'["{SECRET}"]', 0, "credentials-broken"),
    "prints too little": (f'{{"Version":1,"SecretAccessKey":"{SECRET}"}}', 0, "credentials-broken"),
    "prints another version": (f'{{"Version":"{TOKEN}"}}', 0, "credentials-broken"),
    "fails": (f"cannot use {KEY_ID} {SECRET} {TOKEN}", 3, "credentials-broken"),
    "gives them for no time": (
        f'{{"Version":1,"Expiration":"{TOKEN}",{GIVEN}}}',
        0,
        "credentials-broken",
    ),
    "gives expired ones": (
        f'{{"Version":1,"Expiration":"2001-01-01T00:00:00Z",{GIVEN}}}',
        0,
        "credentials-expired",
    ),
}


@pytest.mark.parametrize(("text", "status", "code"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_that_gives_no_credentials_is_told_without_its_words(
    text: str,
    status: int,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    config = no_aws_setup(tmp_path, monkeypatch)
    program = printing(tmp_path, text, status)
    config.write_text(f"[profile program]\ncredential_process = {program}\n")
    gateway = Gateway(Endpoint("prod", None, "eu-west-1", "program"))
    answer = gateway.send(TEXT)
    assert isinstance(answer, Unreachable)
    assert (answer.trouble.code, answer.attempts) == (code, 1)
    assert (gateway.account, gateway.key_id) == (None, "")
    assert_untold(repr(answer) + answer.trouble.message + caplog.text)


PLACES = {
    "a program that is not there": "credential_process = /nonexistent/program",
    "a token file that is not there": (
        "role_arn = arn:aws:iam::111122223333:role/x\nweb_identity_token_file = /nonexistent/token"
    ),
}


@pytest.mark.parametrize("settings", PLACES.values(), ids=PLACES)
def test_a_file_that_is_missing_is_named(
    settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_aws_setup(tmp_path, monkeypatch).write_text(f"[profile p]\n{settings}\n")
    answer = Gateway(Endpoint("prod", None, "eu-west-1", "p")).send(TEXT)
    assert isinstance(answer, Unreachable)
    assert answer.trouble.code == "credentials-broken"
    assert "No such file or directory: /nonexistent/" in answer.trouble.message


def test_a_role_that_may_not_be_taken_is_told_with_the_reason(
    aws: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "User: arn:aws:iam::111122223333:user/ada is not authorized to perform: sts:AssumeRole"
    body = f"<ErrorResponse><Error><Code>AccessDenied</Code><Message>{said}\n\n{CANONICAL}"
    aws.identity = Reply(403, f"{body}</Message></Error></ErrorResponse>".encode())
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    (tmp_path / "config").write_text(
        "[profile role]\nrole_arn = arn:aws:iam::111122223333:role/x\nsource_profile = keys\n"
        f"[profile keys]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {SECRET}\n"
    )
    answer = Gateway(Endpoint("prod", None, "eu-west-1", "role")).send(TEXT)
    assert isinstance(answer, Unreachable)
    assert answer.trouble.code == "credentials-broken"
    assert answer.trouble.message.endswith(f"AccessDenied: {said}")


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"])
@pytest.mark.parametrize("wrong", ["{}\n", "{} ", "\t{}", "{}\n{}", "“{}”"], ids=ascii)
def test_credentials_that_fit_in_no_header_are_not_sent(
    name: str,
    wrong: str,
    aws: FakeService,
    prod: Gateway,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv(name, wrong.replace("{}", KEY_ID if "KEY" in name else TOKEN))
    answer = prod.send(TEXT)
    assert isinstance(answer, Unreachable)
    assert answer.trouble.code == "credentials-broken"
    assert aws.received == []
    assert_untold(repr(answer) + caplog.text)


PASSWORD = "canaryPassword"
SETTINGS = {
    "a mode": ("AWS_DEFAULTS_MODE", "x", "settings-broken"),
    "a checksum": ("AWS_REQUEST_CHECKSUM_CALCULATION", "x", "settings-broken"),
    "an account": ("AWS_ACCOUNT_ID", "x y", "settings-broken"),
    "an address of STS": ("AWS_STS_REGIONAL_ENDPOINTS", "x", "settings-broken"),
    "a mode of accounts": ("AWS_ACCOUNT_ID_ENDPOINT_MODE", "x", "credentials-broken"),
    "a proxy's port": ("HTTPS_PROXY", f"http://ada:{PASSWORD}@127.0.0.1:99999", "settings-broken"),
    "a proxy's name": ("HTTPS_PROXY", f"http://ada:{PASSWORD}@[::1", "settings-broken"),
    "a proxy": ("HTTPS_PROXY", f"http://ada:{PASSWORD}@127.0.0.1:9", "proxy-failed"),
    "certificates": ("AWS_CA_BUNDLE", "/nonexistent", "not-trusted"),
}


@pytest.mark.parametrize(("name", "value", "code"), SETTINGS.values(), ids=SETTINGS)
def test_a_setting_of_aws_that_cannot_be_used_is_told_without_passwords(
    name: str,
    value: str,
    code: str,
    aws: FakeService,
    prod: Gateway,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv(name, value)
    answer = prod.send(TEXT)
    assert isinstance(answer, Unreachable)
    assert answer.trouble.code == code
    assert aws.received == []
    told = repr((answer, prod.account)) + answer.trouble.message + caplog.text
    assert_untold(told)
    assert PASSWORD not in told


@pytest.mark.parametrize("code", ["ExpiredTokenException", "UnrecognizedClientException"])
def test_whoever_signs_in_again_need_not_start_again(
    code: str, aws: FakeService, prod: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    aws.script = [error(code), Reply()]
    refused = prod.send(TEXT)
    assert isinstance(refused, Rejected)
    assert refused.trouble is not None
    assert f"(AWS, Region eu-west-1, key id {SHOWN})" in refused.trouble.message
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAFRESH1234")
    assert prod.send(TEXT) == Committed({})
    assert [r.authorization.count("=AKIAFRESH1234/") for r in aws.received] == [0, 1]
    assert prod.key_id == "…1234"
