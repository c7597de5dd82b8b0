"""Asking for one operation on items: the same bytes, and repeated only where that is safe."""

from __future__ import annotations

import pytest

from tests.gateway.fake_service import DROPPED, FakeService, Reply, error
from webapp.answers import Committed, Rejected, Unknown
from webapp.attempts import Policy
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway, Limits

OPERATIONS = (
    "GetItem",
    "Query",
    "Scan",
    "TransactGetItems",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
)
READING = OPERATIONS[:4]
TEXT = '{"TableName":"accounts","Limit":1,"x":"é"}'.encode()
QUICK = Policy(jitter=lambda: 0.0, attempts=3, first_pause=0.001)


@pytest.fixture
def asker(service: FakeService) -> Gateway:
    limits = Limits(connect_seconds=2, read_seconds=0.3, answer_bytes=10_000)
    return Gateway(local_endpoint("fake", service.url), limits, QUICK)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_text_is_sent_as_it_is(asker: Gateway, service: FakeService, operation: str) -> None:
    service.script = [Reply(body=b'{"Count":0}')]
    assert asker.ask(operation, TEXT) == Committed({"Count": 0})
    assert [(got.operation, got.body) for got in service.received] == [(operation, TEXT)]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_was_lost_is_asked_again_only_if_it_reads(
    asker: Gateway, service: FakeService, operation: str
) -> None:
    service.script = [DROPPED, Reply(body=b"{}")]
    answer = asker.ask(operation, TEXT)
    if operation in READING:
        assert answer == Committed({}, attempts=2)
    else:
        assert isinstance(answer, Unknown)
        assert answer.trouble.code == "answer-lost"
        assert len(service.received) == 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_was_throttled_is_sent_again(
    asker: Gateway, service: FakeService, operation: str
) -> None:
    service.script = [error("ThrottlingException"), Reply(body=b"{}")]
    assert asker.ask(operation, TEXT) == Committed({}, attempts=2)


def test_a_refused_condition_keeps_the_item_that_was_met(
    asker: Gateway, service: FakeService
) -> None:
    item = {"n": {"N": "70605040302010908071"}}
    service.script = [error("ConditionalCheckFailedException", "no", Item=item)]
    answer = asker.ask("PutItem", TEXT)
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.error["Item"]) == ("ConditionalCheckFailedException", item)
