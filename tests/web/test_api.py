"""The JSON routes: what the contract promises, and nothing for a browser form to abuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import LOCAL, FakeGateway
from tests.web.test_running import Stored
from tests.web.test_transaction_page import cancelled, trouble
from webapp.answers import Answer, Unknown, Unreachable
from webapp.core import documents, jsontext
from webapp.core.problems import TEXTS
from webapp.web import create_app
from webapp.web.draft import EXAMPLE
from webapp.web.settings import Settings, Target
from webapp.web.writing import write

ASKED = write(EXAMPLE).document


def codes(answer: Any) -> list[tuple[str, str]]:
    return [(p["code"], p["path"]) for p in answer.get_json()["problems"]]


def test_a_plan_request_gives_the_plan(client: FlaskClient) -> None:
    answer = client.post("/api/v1/plan", json=ASKED)
    assert answer.status_code == 200
    assert answer.get_json() == documents.plan(ASKED).as_document()


REFUSED = {
    "broken json": (b"{", [("json-malformed", "")]),
    "nothing": (b"", [("json-malformed", "")]),
    "no utf-8": (b'{"a": "\xff"}', [("json-encoding", "")]),
    "too deep": (b"[" * 100_000, [("json-too-deep", "")]),
    "a list": (b"[]", [("member-type", "")]),
    "a member twice": (b'{"design": 1, "design": 2}', [("json-duplicate", "/design")]),
}


@pytest.mark.parametrize(("body", "expected"), REFUSED.values(), ids=REFUSED.keys())
def test_a_malformed_document_is_refused_with_its_problems(
    client: FlaskClient, body: bytes, expected: list[tuple[str, str]]
) -> None:
    answer = client.post("/api/v1/plan", data=body, content_type="application/json")
    assert (answer.status_code, codes(answer)) == (422, expected)


def test_all_problems_of_a_document_are_told_at_once(client: FlaskClient) -> None:
    asked = json.loads(json.dumps(ASKED))
    asked["design"]["table"] = "no table!"
    asked["changes"][0]["item"]["email"] = {"N": 5}
    asked["changes"][0]["item"]["extra"] = {"SS": []}
    answer = client.post("/api/v1/plan", json=asked)
    assert answer.status_code == 422
    assert set(codes(answer)) >= {
        ("table-name", "/design/table"),
        ("number-not-text", "/changes/0/item/email/N"),
        ("set-empty", "/changes/0/item/extra/SS"),
    }


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
@pytest.mark.parametrize("path", ["/api/v1/plan", "/api/v1/run"])
def test_anything_but_json_is_refused(client: FlaskClient, path: str, kind: str) -> None:
    answer = client.post(path, data=json.dumps(ASKED), content_type=kind)
    assert (answer.status_code, answer.mimetype) == (415, "application/json")


CHARSETS = [("utf-8", 200), ("UTF-8", 200), ("utf-16", 415), ("latin-1", 415)]


@pytest.mark.parametrize(("charset", "status"), CHARSETS)
def test_json_in_another_charset_is_refused(client: FlaskClient, charset: str, status: int) -> None:
    kind = f"application/json; charset={charset}"
    answer = client.post("/api/v1/plan", data=json.dumps(ASKED), content_type=kind)
    assert answer.status_code == status


@pytest.mark.parametrize("token", ["", "x" * 37, 0, False], ids=repr)
def test_a_run_refuses_a_token_that_a_plan_refuses(
    client: FlaskClient, gateway: FakeGateway, token: object
) -> None:
    planned = client.post("/api/v1/plan", json=ASKED | {"token": token})
    run = client.post("/api/v1/run", json=ASKED | {"token": token, "endpoint": "local"})
    assert (run.status_code, codes(run)) == (planned.status_code, codes(planned))
    assert (run.status_code, gateway.sent) == (422, [])


def test_a_body_over_the_limit_is_too_large() -> None:
    client = create_app(Settings(max_body_bytes=1000)).test_client()
    answer = client.post("/api/v1/plan", data=b" " * 1001, content_type="application/json")
    assert (answer.status_code, codes(answer)) == (413, [("http-413", "")])


@pytest.mark.parametrize(("method", "path", "status"), [("get", "plan", 405), ("post", "no", 404)])
def test_other_addresses_answer_in_json_too(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    answer = client.open(f"/api/v1/{path}", method=method)
    assert (answer.status_code, codes(answer)) == (status, [(f"http-{status}", "")])


def test_our_own_mistake_shows_no_stack_trace(
    client: FlaskClient, gateway: FakeGateway, caplog: pytest.LogCaptureFixture
) -> None:
    gateway.answer = None  # type: ignore[assignment]
    api = client.post("/api/v1/run", json={**ASKED, "endpoint": "local"})
    assert (api.status_code, codes(api)) == (500, [("http-500", "")])
    assert "Traceback" not in api.text
    assert "may have been written" in api.get_json()["problems"][0]["hint"]
    assert "a request could not be answered" in caplog.text


def test_a_plan_request_is_run(client: FlaskClient, gateway: FakeGateway) -> None:
    answer = client.post("/api/v1/run", json={**ASKED, "endpoint": "local"})
    assert (answer.status_code, answer.get_json()["committed"]) == (200, True)
    sent = json.loads(gateway.sent[0])
    assert sent["TransactItems"] == documents.plan(ASKED).request["TransactItems"]


def test_a_saved_plan_is_sent_byte_for_byte(client: FlaskClient, gateway: FakeGateway) -> None:
    plan = documents.plan({**ASKED, "token": "saved"})
    body = jsontext.write({**plan.as_document(), "endpoint": "local"})
    client.post("/api/v1/run", data=body, content_type="application/json")
    assert gateway.sent == [plan.text]


def test_a_saved_plan_that_dynamodb_would_refuse_is_not_sent(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    saved = documents.plan(ASKED).as_document()
    put, again = (saved["request"]["TransactItems"][n]["Put"] for n in (0, 1))
    put["Item"]["badge"], again["ConditionExpression"] = {"N": 5}, "attribute_not_exists(PK"
    answer = client.post("/api/v1/run", json={**saved, "endpoint": "local"})
    assert (answer.status_code, gateway.sent) == (422, [])
    assert codes(answer) == [
        ("number-not-text", "/request/TransactItems/0/Put/Item/badge/N"),
        ("syntax-end", "/request/TransactItems/1/Put/ConditionExpression"),
    ]


def test_a_saved_plan_reads_nothing_but_the_items_of_its_actions(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    saved = documents.plan(ASKED).as_document()
    foreign = [{"table": "secrets", "key": {"PK": {"S": "\ud800"}}}]
    asked = {**saved, "slots": saved["slots"] + foreign, "token": "t", "endpoint": "local"}
    answer = client.post("/api/v1/run", json=asked)
    assert (answer.status_code, gateway.sent) == (422, [])
    assert codes(answer) == [("member-unknown", "/token"), ("slots-count", "/slots")]


def test_a_cancelled_run_names_the_fields(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.answer = cancelled("None", "ConditionalCheckFailed", "None")
    answer = client.post("/api/v1/run", json={**ASKED, "endpoint": "local"})
    outcome = answer.get_json()
    assert answer.status_code == 409
    assert outcome["committed"] is False
    assert outcome["explanation"]["verdict"] == "taken"
    assert list(outcome["explanation"]["fields"]) == ["email"]


TAKEN = cancelled("ConditionalCheckFailed", "None", "None")


def judged(**members: object) -> tuple[int, Any]:
    """Status and outcome of a run that the service cancels, of which all is stored."""
    gateway = Stored(answer=TAKEN)
    client = create_app(Settings(targets={"local": Target(LOCAL, lambda: gateway)})).test_client()
    answer = client.post("/api/v1/run", json={**ASKED, "endpoint": "local", **members})
    return answer.status_code, answer.get_json()


@pytest.mark.parametrize("members", [{}, {"token": "mine"}, {"token": "t", "sent_before": False}])
def test_a_first_sending_is_told_by_its_own_slots(members: dict[str, Any]) -> None:
    status, outcome = judged(**members)
    assert (status, outcome["committed"], outcome["standing"]) == (409, False, None)
    assert outcome["explanation"]["verdict"] == "exists"


def test_a_program_that_says_it_was_sent_before_is_told_what_is_stored() -> None:
    status, outcome = judged(token="mine", sent_before=True)
    assert (status, outcome["committed"], outcome["explanation"]) == (200, True, None)
    assert outcome["standing"]["verdict"] == "already-done"


@pytest.mark.parametrize("said", ["true", 1, None, []], ids=repr)
def test_sent_before_is_true_or_false(
    client: FlaskClient, gateway: FakeGateway, said: object
) -> None:
    asked = {**ASKED, "endpoint": "local", "sent_before": said}
    answer = client.post("/api/v1/run", json=asked)
    assert (answer.status_code, gateway.sent) == (422, [])
    assert codes(answer) == [("member-type", "/sent_before")]


@pytest.mark.parametrize(
    "reached", [Unreachable(trouble("connection-refused")), Unknown(trouble("answer-lost"))]
)
def test_a_run_without_an_answer_is_a_bad_gateway(
    client: FlaskClient, gateway: FakeGateway, reached: Answer
) -> None:
    gateway.answer = reached
    answer = client.post("/api/v1/run", json={**ASKED, "endpoint": "local"})
    assert (answer.status_code, answer.get_json()["committed"]) == (502, False)


RUNS = {
    "no endpoint": ({}, ("endpoint-unknown", "/endpoint")),
    "an unknown endpoint": ({"endpoint": "http://evil.test"}, ("endpoint-unknown", "/endpoint")),
    "no text": ({"endpoint": ["local"]}, ("endpoint-unknown", "/endpoint")),
    "read-only": ({"endpoint": "prod"}, ("endpoint-read-only", "/endpoint")),
}


@pytest.mark.parametrize(("more", "problem"), RUNS.values(), ids=RUNS.keys())
def test_a_run_goes_only_where_the_server_was_started_for(
    client: FlaskClient, gateway: FakeGateway, more: dict[str, Any], problem: tuple[str, str]
) -> None:
    answer = client.post("/api/v1/run", json={**ASKED, **more})
    assert (answer.status_code, codes(answer), gateway.sent) == (422, [problem], [])


def test_endpoint_and_document_are_refused_together(client: FlaskClient) -> None:
    answer = client.post("/api/v1/run", json=[])
    assert [code for code, _ in codes(answer)] == ["endpoint-unknown", "run-document"]


def test_the_schema_lists_every_problem_code(client: FlaskClient) -> None:
    schema = client.get("/api/v1/openapi.json").get_json()
    listed = set(schema["components"]["schemas"]["Problem"]["properties"]["code"]["enum"])
    assert schema["openapi"] == "3.1.0"
    assert {code for code in TEXTS if not code.startswith("form-")} <= listed


def test_the_schema_is_valid_openapi(client: FlaskClient) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator  # noqa: PLC0415

    OpenAPIV31SpecValidator(client.get("/api/v1/openapi.json").get_json()).validate()
