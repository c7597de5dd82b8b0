"""What the gateway says of answers, and what it repeats."""

from __future__ import annotations

import itertools
import json
import socket

import pytest

from tests.gateway.conftest import FOUR_ATTEMPTS, Patience
from tests.gateway.fake_service import (
    CUT_SHORT,
    DROPPED,
    GARBLED,
    LATE,
    FakeService,
    Reply,
    cancelled,
    error,
)
from webapp.answers import TROUBLES, Answer, Committed, Rejected, Unavailable, Unknown, Unreachable
from webapp.attempts import Attempt
from webapp.endpoints import Endpoint, local_endpoint
from webapp.gateway import Gateway

TEXT = (
    b'{"TransactItems":[{"Put":{"TableName":"accounts","Item":'
    b'{"SK":{"S":"P"},"PK":{"S":"\xc3\xa9"},"n":{"N":"70605040302010908071.50"},"b":{"B":"AAE="}}}}],'
    b'"ClientRequestToken":"token-1"}'
)
WITHOUT_TOKEN = TEXT.replace(b',"ClientRequestToken":"token-1"', b"")

IN_PROGRESS = error("TransactionInProgressException")
THROTTLED = error("ThrottlingException")
TAKEN = cancelled("None", "ConditionalCheckFailed")
CONFLICT = cancelled("None", "TransactionConflict", "ThrottlingError")
DIGITS = "1" * 5_000
DIGITS_OF_LENGTH = Reply(headers={"Content-Length": DIGITS}, cut=2)
DIGITS_OF_CHECKSUM = Reply(headers={"x-amz-crc32": DIGITS})
INTERNAL = error("InternalServerError", status=500)
MISMATCH = error("IdempotentParameterMismatchException")


def told(answer: Answer) -> tuple[str, str, int, bool]:
    """Kind, code, attempts and remaining doubt of an answer."""
    match answer:
        case Committed(attempts=attempts):
            return ("committed", "", attempts, False)
        case Rejected(code=code, attempts=attempts, after_unknown=doubt):
            return ("rejected", code, attempts, doubt)
        case Unreachable(trouble, attempts):
            return ("unreachable", trouble.code, attempts, False)
        case Unknown(trouble, attempts):
            return ("unknown", trouble.code, attempts, True)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param([Reply()], ("committed", "", 1, False), id="success"),
        pytest.param(
            [IN_PROGRESS, IN_PROGRESS, Reply()],
            ("committed", "", 3, False),
            id="B75-in-progress-twice-then-success",
        ),
        pytest.param([LATE, Reply()], ("committed", "", 2, False), id="B75-time-out-then-success"),
        pytest.param([DROPPED, Reply()], ("committed", "", 2, False), id="dropped-then-success"),
        pytest.param([CUT_SHORT, Reply()], ("committed", "", 2, False), id="cut-then-success"),
        pytest.param([GARBLED, Reply()], ("committed", "", 2, False), id="garbled-then-success"),
        pytest.param(
            [DIGITS_OF_LENGTH, DIGITS_OF_CHECKSUM, Reply()],
            ("committed", "", 3, False),
            id="thousands-of-digits-then-success",
        ),
        pytest.param([INTERNAL, Reply()], ("committed", "", 2, False), id="500-then-success"),
        pytest.param(
            [THROTTLED, Reply()], ("committed", "", 2, False), id="throttled-then-success"
        ),
        pytest.param([CONFLICT, Reply()], ("committed", "", 2, False), id="conflict-then-success"),
        pytest.param(
            [TAKEN], ("rejected", "TransactionCanceledException", 1, False), id="taken-is-final"
        ),
        pytest.param(
            [cancelled("ConditionalCheckFailed", "TransactionConflict")],
            ("rejected", "TransactionCanceledException", 1, False),
            id="taken-and-conflict-is-final",
        ),
        pytest.param(
            [cancelled("None", "ValidationError")],
            ("rejected", "TransactionCanceledException", 1, False),
            id="validation-is-final",
        ),
        pytest.param(
            [error("TransactionCanceledException")],
            ("rejected", "TransactionCanceledException", 1, False),
            id="no-reasons-is-final",
        ),
        pytest.param(
            [MISMATCH],
            ("rejected", "IdempotentParameterMismatchException", 1, False),
            id="B74-mismatch-is-final",
        ),
        pytest.param(
            [DROPPED, TAKEN],
            ("rejected", "TransactionCanceledException", 2, True),
            id="taken-after-a-lost-answer-may-be-its-own-success",
        ),
        pytest.param([LATE], ("unknown", "answer-lost", 4, True), id="time-outs-to-the-end"),
        pytest.param([INTERNAL], ("unknown", "answer-lost", 4, True), id="500-to-the-end"),
        pytest.param(
            [IN_PROGRESS], ("unknown", "in-progress", 4, True), id="in-progress-to-the-end"
        ),
        pytest.param(
            [DROPPED, THROTTLED], ("unknown", "answer-lost", 4, True), id="throttled-after-lost"
        ),
        pytest.param(
            [THROTTLED], ("rejected", "ThrottlingException", 4, False), id="throttled-to-the-end"
        ),
        pytest.param(
            [Reply(body=b"x" * 10_001)], ("unknown", "answer-too-large", 4, True), id="too-large"
        ),
    ],
)
def test_a_request_with_a_token_is_repeated_until_its_fate_is_certain(
    script: list[Reply],
    expected: tuple[str, str, int, bool],
    service: FakeService,
    sender: Gateway,
    patience: Patience,
) -> None:
    service.script = script
    assert told(sender.send(TEXT, stop=patience)) == expected
    assert [request.body for request in service.received] == [TEXT] * expected[2]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param([LATE], ("unknown", "answer-lost", 1, True), id="time-out"),
        pytest.param([DROPPED], ("unknown", "answer-lost", 1, True), id="dropped"),
        pytest.param([INTERNAL], ("unknown", "answer-lost", 1, True), id="500"),
        pytest.param([THROTTLED, Reply()], ("committed", "", 2, False), id="throttled"),
        pytest.param([CONFLICT, Reply()], ("committed", "", 2, False), id="conflict"),
    ],
)
def test_a_request_without_a_token_is_repeated_only_when_nothing_was_written(
    script: list[Reply],
    expected: tuple[str, str, int, bool],
    service: FakeService,
    sender: Gateway,
    patience: Patience,
) -> None:
    service.script = script
    assert told(sender.send(WITHOUT_TOKEN, stop=patience)) == expected
    assert [request.body for request in service.received] == [WITHOUT_TOKEN] * expected[2]


def test_the_waits_double_up_to_the_longest_and_every_attempt_is_told(
    service: FakeService, sender: Gateway, patience: Patience
) -> None:
    service.script = [THROTTLED]
    attempts: list[Attempt] = []
    sender.send(TEXT, stop=patience, watch=attempts.append)
    assert patience.waits == [1.0, 2.0, 3.0]
    assert [(a.number, a.pause) for a in attempts] == [(1, 1.0), (2, 2.0), (3, 3.0), (4, None)]


def test_chance_takes_up_to_half_of_a_wait() -> None:
    throws = itertools.cycle([0.0, 0.5])
    policy = FOUR_ATTEMPTS.__class__(jitter=lambda: next(throws), attempts=4, first_pause=1.0)
    assert list(policy.pauses()) == [0.5, 1.5, 1.5, 2.25]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param(THROTTLED, ("rejected", "ThrottlingException", 2, False), id="known"),
        pytest.param(DROPPED, ("unknown", "answer-lost", 2, True), id="in-doubt"),
    ],
)
def test_stopping_ends_the_attempts_and_keeps_the_doubt(
    reply: Reply, expected: tuple[str, str, int, bool], service: FakeService, sender: Gateway
) -> None:
    service.script = [reply]
    assert told(sender.send(TEXT, stop=Patience(stops_after=2))) == (expected)


def test_stopped_before_the_first_attempt_nothing_is_sent(
    service: FakeService, sender: Gateway
) -> None:
    answer = sender.send(TEXT, stop=Patience(stops_after=0))
    assert told(answer) == ("unreachable", "not-sent", 0, False)
    assert service.received == []


def test_reasons_come_back_as_they_were_sent_with_items_in_typed_json(
    service: FakeService, sender: Gateway
) -> None:
    reason = {
        "Code": "ConditionalCheckFailed",
        "Message": "The conditional request failed",
        "Item": {"b": {"B": "AAE="}, "bs": {"BS": ["AA==", "AQ=="]}, "n": {"N": "1E+2"}},
    }
    service.script = [cancelled("None", reason)]
    answer = sender.send(TEXT)
    assert isinstance(answer, Rejected)
    assert answer.error == {
        "Error": {"Code": "TransactionCanceledException", "Message": "Transaction cancelled"},
        "CancellationReasons": [{"Code": "None"}, reason],
    }


def test_consumed_capacity_is_handed_on(service: FakeService, sender: Gateway) -> None:
    consumed = {"ConsumedCapacity": [{"TableName": "accounts", "CapacityUnits": 6.0}]}
    service.script = [Reply(body=json.dumps(consumed).encode())]
    assert sender.send(TEXT) == Committed(consumed)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(status: int, service: FakeService, sender: Gateway) -> None:
    with FakeService().serving() as elsewhere:
        service.script = [Reply(status, b"", {"Location": elsewhere.url})]
        assert told(sender.send(TEXT)) == ("unreachable", "not-dynamodb", 1, False)
        assert elsewhere.received == []


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(error("ResourceNotFoundException", "no t"), "table-missing", id="B76-table"),
        pytest.param(error("UnrecognizedClientException"), "credentials-refused", id="B77-keys"),
        pytest.param(error("ExpiredTokenException"), "credentials-expired", id="expired"),
        pytest.param(error("AccessDeniedException", "no"), "access-denied", id="denied"),
    ],
)
def test_a_refusal_of_the_place_names_it_and_the_remedy(
    reply: Reply, code: str, service: FakeService, sender: Gateway
) -> None:
    service.script = [reply]
    answer = sender.send(TEXT)
    assert isinstance(answer, Rejected)
    assert answer.trouble is not None
    assert answer.trouble.code == code
    assert f"fake ({service.url}, Region us-east-1, key id lockwright)" in answer.trouble.message
    assert answer.trouble.hint == TROUBLES[code].hint.format_map(answer.trouble.params)


@pytest.mark.parametrize(
    ("table", "code", "said"),
    [
        pytest.param(
            error("ResourceNotFoundException"),
            "table-missing",
            "key id lockwright): accounts.",
            id="B76",
        ),
        pytest.param(
            Reply(body=b'{"Table":{"TableStatus":"CREATING"}}'),
            "table-not-ready",
            "The table accounts at fake",
            id="creating",
        ),
        pytest.param(
            Reply(body=b'{"Table":{"TableStatus":"ACTIVE"}}'),
            "table-missing",
            "key id lockwright): Requested resource not found.",
            id="there-all-the-same",
        ),
    ],
)
def test_a_missing_table_is_looked_up_and_named(
    table: Reply, code: str, said: str, service: FakeService, sender: Gateway
) -> None:
    service.script = [error("ResourceNotFoundException", "Requested resource not found"), table]
    answer = sender.send(TEXT)
    assert isinstance(answer, Rejected)
    assert answer.trouble is not None
    assert (answer.trouble.code, said in answer.trouble.message) == (code, True)
    assert [r.operation for r in service.received] == ["TransactWriteItems", "DescribeTable"]


def test_an_engine_that_is_not_running_is_told_with_its_address(patience: Patience) -> None:
    with socket.socket() as bound:  # taken, but nobody listens
        bound.bind(("127.0.0.1", 0))
        endpoint = local_endpoint("local", f"http://127.0.0.1:{bound.getsockname()[1]}")
        answer = Gateway(endpoint, policy=FOUR_ATTEMPTS).send(TEXT, stop=patience)
    assert isinstance(answer, Unreachable)
    assert answer.trouble.as_document() == {
        "code": "connection-refused",
        "message": (
            f"Nothing answers at local ({endpoint.url}, Region us-east-1, key id lockwright)."
        ),
        "hint": "Start the engine, or check the address that was given for local at start.",
    }
    assert patience.waits == []


@pytest.fixture
def no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any AWS setup."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")


@pytest.mark.usefixtures("no_credentials")
@pytest.mark.parametrize(
    ("profile", "code"), [(None, "no-credentials"), ("nobody", "profile-missing")]
)
def test_missing_aws_credentials_are_told_and_nothing_is_sent(
    profile: str | None, code: str
) -> None:
    answer = Gateway(Endpoint("prod", None, "eu-west-1", profile)).send(TEXT)
    assert told(answer) == ("unreachable", code, 1, False)


def test_B77_local_keys_are_letters_and_digits_whatever_the_user_has_set_up(
    service: FakeService, sender: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA-REAL")
    sender.send(TEXT)
    scope = service.received[0].authorization.partition("Credential=")[2].split("/")
    assert (scope[0], scope[2], scope[3]) == ("lockwright", "us-east-1", "dynamodb")


def test_a_read_is_consistent_and_comes_back_in_typed_json(
    service: FakeService, sender: Gateway
) -> None:
    item = {"PK": {"S": "a"}, "b": {"B": "AAE="}, "n": {"N": "70605040302010908071"}}
    service.script = [Reply(body=json.dumps({"Item": item}).encode())]
    assert sender.get("accounts", {"PK": {"S": "a"}}) == item
    assert [(r.operation, json.loads(r.body)) for r in service.received] == [
        ("GetItem", {"TableName": "accounts", "Key": {"PK": {"S": "a"}}, "ConsistentRead": True})
    ]


def test_a_read_that_cannot_be_had_says_why(service: FakeService, sender: Gateway) -> None:
    service.script = [error("ValidationException", "The provided key element does not match")]
    with pytest.raises(Unavailable) as raised:
        sender.get("accounts", {"x": {"S": "a"}})
    assert raised.value.trouble.code == "read-rejected"
    assert "The provided key element does not match" in raised.value.trouble.message


def test_pages_are_read_to_the_end(service: FakeService, sender: Gateway) -> None:
    last = {"PK": {"S": "m"}}
    first_page = {"Items": [{"PK": {"S": "a"}}], "LastEvaluatedKey": last}
    service.script = [
        Reply(body=json.dumps(page).encode()) for page in (first_page, {"Items": [last]})
    ]
    items = [i for page in sender.pages("Scan", {"TableName": "accounts"}) for i in page["Items"]]
    assert items == [{"PK": {"S": "a"}}, last]
    assert json.loads(service.received[1].body)["ExclusiveStartKey"] == last


def test_tables_are_never_made_on_aws() -> None:
    with pytest.raises(ValueError, match="local endpoints only"):
        Gateway(Endpoint("prod", None, "eu-west-1")).create_table("accounts", ("PK", "S"))
