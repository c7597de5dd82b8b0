"""What users meet first, in the words of the engines they meet: each told with its own remedy."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.gateway.fake_aws import SHOWN, aws, no_aws_setup
from tests.gateway.fake_service import FakeService, Reply
from webapp.answers import Answer, Rejected, Trouble, Unavailable, Unknown, Unreachable
from webapp.attempts import Policy
from webapp.endpoints import Endpoint, local_endpoint
from webapp.gateway import Gateway, Limits

__all__ = ["aws"]

PUT = b'{"TransactItems":[{"Put":{"TableName":"accounts","Item":{"PK":{"S":"a"}}}}]}'
QUICK = Policy(jitter=lambda: 0.0, attempts=2, first_pause=0.001)
PROD = Endpoint("prod", None, "eu-west-1")
ENGINE = "com.amazonaws.dynamodb.v20120810#"
AWS = "com.amazon.coral.service#"
MAY_NOT = (
    "User: arn:aws:iam::111122223333:user/ada is not authorized to perform: dynamodb:PutItem on "
    "resource: arn:aws:dynamodb:eu-west-1:111122223333:table/accounts because no identity-based "
    "policy allows the dynamodb:PutItem action"
)


def said(code: str, message: str, status: int = 400, member: str = "message") -> Reply:
    """An error in the words and the shape of one engine."""
    return Reply(status, json.dumps({"__type": code, member: message}).encode())


MISSING = (
    "Make the table, or check its name and the Region. A local engine keeps separate tables for "
    "each Region and key id: use these in your other tools too, or start the engine with its "
    "shared store (DynamoDB Local: the option sharedDb)."
)
KEYS = (
    "Check the key, the computer's clock and that the account has this Region enabled; nothing was "
    "written. Local engines take key ids of letters and digits only."
)
NOT_THERE = "Check that the address given for {name} is DynamoDB's and nothing else's."
NO_TRANSACTIONS = (
    "Use an engine, or a newer version of it, that has DynamoDB's transactions: DynamoDB Local, "
    "MiniStack and LocalStack have. Nothing was written."
)
LEAVE = (
    "Let their policy allow dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem and "
    "dynamodb:ConditionCheckItem; nothing was written."
)
LOST = "The request went to {where}, but no whole answer came back: "
UNCERTAIN = (
    "Whether it was written is not known. Look at the record and its locks before you go on."
)
# What answers to a transaction, and what a person is told: message ({where} is the place) and hint.
LOCAL = {
    "B76-DynamoDB-Local": (
        said(f"{ENGINE}ResourceNotFoundException", "Cannot do operations on a non-existent table"),
        "There is no such table at {where}: accounts.",
        MISSING,
    ),
    "B76-MiniStack": (
        said("ResourceNotFoundException", "Requested resource not found"),
        "There is no such table at {where}: accounts.",
        MISSING,
    ),
    "B76-moto": (
        said(f"{ENGINE}ResourceNotFoundException", "Requested resource not found"),
        "There is no such table at {where}: accounts.",
        MISSING,
    ),
    "B77-DynamoDB-Local-dashed-key": (
        said(
            f"{ENGINE}UnrecognizedClientException",
            "The Access Key ID or security token is invalid.",
            member="Message",
        ),
        "The credentials were refused by {where}.",
        KEYS,
    ),
    "B77-DynamoDB-Local-no-key": (
        said(
            f"{ENGINE}MissingAuthenticationTokenException",
            "Request must contain either a valid (registered) AWS access key ID or X.509 "
            "certificate.",
        ),
        "The credentials were refused by {where}.",
        KEYS,
    ),
    "LocalStack-starting": (
        said("InternalError", "Service 'dynamodb' is not enabled.", 501),
        LOST + "status 501 InternalError: Service 'dynamodb' is not enabled.",
        UNCERTAIN,
    ),
    "an-engine-without-transactions": (
        said(f"{AWS}UnknownOperationException", ""),
        "What answers at {where} does not know TransactWriteItems.",
        NO_TRANSACTIONS,
    ),
    "another-server": (
        Reply(404, b"<html>Not Found</html>"),
        "What answered at {where} does not speak as DynamoDB does: status 404",
        NOT_THERE,
    ),
    "a-page": (
        Reply(200, b"<html>Sign in</html>"),
        "What answered at {where} does not speak as DynamoDB does: its answer is no JSON object",
        NOT_THERE,
    ),
}
IN_AWS = {
    "B76-other-Region": (
        said(
            f"{ENGINE}ResourceNotFoundException",
            "Requested resource not found: Table: accounts not found",
        ),
        "There is no such table at {where}: accounts.",
        MISSING,
    ),
    "B77-unknown-key": (
        said(
            f"{AWS}UnrecognizedClientException",
            "The security token included in the request is invalid.",
        ),
        "The credentials were refused by {where}.",
        KEYS,
    ),
    "B77-clock": (
        said(
            f"{AWS}InvalidSignatureException",
            "Signature expired: 20261130T120000Z is now earlier than 20261130T123000Z",
        ),
        "The credentials were refused by {where}.",
        KEYS,
    ),
    "expired": (
        said(
            f"{AWS}ExpiredTokenException", "The security token included in the request is expired"
        ),
        "The credentials for {where} have expired.",
        "Sign in again, then try again; nothing was written.",
    ),
    "denied": (
        said(f"{AWS}AccessDeniedException", MAY_NOT, member="Message"),
        f"These credentials may not do that at {{where}}: {MAY_NOT}",
        LEAVE,
    ),
}


def local(service: FakeService) -> Gateway:
    return Gateway(local_endpoint("engine", service.url), Limits(read_seconds=2.0), QUICK)


def told(answer: Answer) -> Trouble:
    """What is wrong with the place that answered."""
    assert isinstance(answer, Rejected | Unreachable | Unknown)
    assert answer.trouble is not None
    return answer.trouble


@pytest.mark.parametrize(("reply", "message", "hint"), LOCAL.values(), ids=LOCAL)
def test_what_an_engine_says_is_told_with_its_remedy(
    reply: Reply, message: str, hint: str, service: FakeService
) -> None:
    service.script = [reply]
    trouble = told(local(service).send(PUT))
    where = f"engine ({service.url}, Region us-east-1, key id lockwright)"
    assert trouble.message == message.format(where=where)
    assert trouble.hint == hint.format(name="engine")


@pytest.mark.parametrize(("reply", "message", "hint"), IN_AWS.values(), ids=IN_AWS)
def test_what_aws_says_is_told_with_its_remedy(
    reply: Reply, message: str, hint: str, aws: FakeService
) -> None:
    aws.script = [reply]
    trouble = told(Gateway(PROD, Limits(read_seconds=2.0), QUICK).send(PUT))
    assert trouble.message == message.format(where=f"prod (AWS, Region eu-west-1, key id {SHOWN})")
    assert trouble.hint == hint


def test_a_table_that_is_still_made_is_told_as_such(aws: FakeService) -> None:
    aws.script = [
        IN_AWS["B76-other-Region"][0],
        Reply(body=b'{"Table":{"TableStatus":"CREATING"}}'),
    ]
    trouble = told(Gateway(PROD).send(PUT))
    assert trouble.message == (
        f"The table accounts at prod (AWS, Region eu-west-1, key id {SHOWN}) is still being made "
        "or changed."
    )
    assert trouble.hint == "Wait some seconds until it is active, then try again."


def test_an_engine_that_is_not_running_is_told_with_its_address() -> None:
    with socket.socket() as bound:  # taken, but nobody listens
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        trouble = told(Gateway(local_endpoint("engine", url)).send(PUT))
    assert trouble.message == (
        f"Nothing answers at engine ({url}, Region us-east-1, key id lockwright)."
    )
    assert trouble.hint == (
        "Start the engine, or check the address that was given for engine at start."
    )


def test_no_credentials_are_told_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_aws_setup(tmp_path, monkeypatch)
    trouble = told(Gateway(PROD).send(PUT))
    assert trouble.message == "There are no AWS credentials for prod (AWS, Region eu-west-1)."
    assert trouble.hint == (
        "Sign in (aws sso login, aws login, aws configure) and try again, or start Lockwright with "
        "AWS_PROFILE set."
    )


def test_an_engine_that_speaks_plain_http_is_told_by_its_https_address(
    service: FakeService,
) -> None:
    url = service.url.replace("http:", "https:")
    answer = Gateway(local_endpoint("engine", url), Limits(read_seconds=2.0), QUICK).send(PUT)
    assert isinstance(answer, Unreachable)
    begins = f"There is no trusted connection to engine ({url}, Region us-east-1): "
    assert answer.trouble.message.startswith(begins)
    assert "A local engine may want http instead of https." in answer.trouble.hint


@contextmanager
def refusing_proxy(status: int) -> Iterator[str]:
    """The URL of a proxy that leads nobody anywhere."""

    class Refusing(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.send_error(status)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


PROXY_HINT = (
    "Check HTTPS_PROXY and NO_PROXY; status 407 wants the proxy's user name and password in "
    "HTTPS_PROXY. Then start Lockwright again. Nothing was written."
)


@pytest.mark.parametrize("status", [407, 502])
def test_a_proxy_that_refuses_is_told_as_a_proxy(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_aws_setup(tmp_path, monkeypatch)
    signed_in(monkeypatch)
    with refusing_proxy(status) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://ada:hidden@{proxy}")
        answer = Gateway(PROD, policy=QUICK).send(PUT)
    assert isinstance(answer, Unreachable)
    assert answer.trouble.as_document() == {
        "code": "proxy-failed",
        "message": "The proxy on the way to prod (AWS, Region eu-west-1) did not lead there: "
        f"it answered with status {status}.",
        "hint": PROXY_HINT,
    }


def test_aws_that_cannot_be_reached_is_no_engine_to_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_aws_setup(tmp_path, monkeypatch)
    signed_in(monkeypatch)
    monkeypatch.delenv("HTTPS_PROXY")
    nowhere = Endpoint("prod", None, "xx-nowhere-9")
    monkeypatch.setattr(socket, "getaddrinfo", nobody_knows)
    answer = Gateway(nowhere, policy=QUICK).send(PUT)
    assert isinstance(answer, Unreachable)
    assert answer.trouble.as_document() == {
        "code": "aws-not-reached",
        "message": "prod (AWS, Region xx-nowhere-9) cannot be reached: Could not connect to the "
        'endpoint URL: "https://dynamodb.xx-nowhere-9.amazonaws.com/"',
        "hint": "Check the network (a VPN, a firewall, HTTPS_PROXY where a proxy is wanted) and "
        "that there is a Region xx-nowhere-9. Nothing was written.",
    }


def nobody_knows(*_: object, **__: object) -> list[object]:
    """A resolver without a network."""
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that look as if they were some."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden")


LOOKS: dict[str, Callable[[Gateway], object]] = {
    "get": lambda gateway: gateway.get("accounts", {"PK": {"S": "a"}}),
    "describe": lambda gateway: gateway.describe("accounts"),
    "list": lambda gateway: gateway.tables(),
    "query": lambda gateway: list(gateway.pages("Query", {})),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("name", LOCAL)
def test_whoever_only_looks_is_told_the_same(
    name: str, look: Callable[[Gateway], object], service: FakeService
) -> None:
    reply, message, _ = LOCAL[name]
    service.script = [reply]
    with pytest.raises(Unavailable) as raised:
        look(local(service))
    begins = message.partition("{where}")[0]
    where = f"engine ({service.url}, Region us-east-1, key id lockwright)"
    assert raised.value.trouble.message.startswith(f"{begins}{where}")


def test_what_an_engine_says_at_length_is_told_in_short(service: FakeService) -> None:
    for status in (400, 500):
        service.script = [said("AccessDeniedException", "no" * 5_000, status)]
        assert 900 < len(told(local(service).send(PUT)).message) < 1_300
