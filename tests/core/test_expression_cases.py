"""Golden cases of the expression builder, in both directions and past the SDK's own validator."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator

from webapp.core.expressions.builder import expression, parse

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "cases" / "expression-requests.json").read_text()
)
NAMES = [case["name"] for case in CASES]
SERVICE = botocore.session.get_session().get_service_model("dynamodb")


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_document_becomes_the_request(case: dict[str, Any]) -> None:
    built = expression(case["document"])
    assert built.as_document() == {"request": case["request"], "problems": [], "warnings": []}
    assert json.dumps(built.request) == json.dumps(case["request"]), "members in their order"


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_request_becomes_a_document_of_the_same_request(case: dict[str, Any]) -> None:
    operation = case["document"]["operation"]
    parsed = parse({"operation": operation, "request": case["request"]})
    assert (parsed.problems, parsed.warnings) == ((), ())
    again = expression(parsed.document).request
    assert again == case["request"]


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_sdk_accepts_the_request(case: dict[str, Any]) -> None:
    operation = case["document"]["operation"]
    if operation == "ConditionCheck":
        shape = SERVICE.shape_for("ConditionCheck")
    else:
        shape = SERVICE.operation_model(operation).input_shape
    report = ParamValidator().validate(_with_bytes(case["request"]), shape)
    assert not report.has_errors(), report.generate_report()


def _with_bytes(value: Any) -> Any:
    """A request as the SDK takes it: binary as bytes instead of base64."""
    match value:
        case {"B": str() as text}:
            return {"B": base64.b64decode(text)}
        case dict():
            return {name: _with_bytes(member) for name, member in value.items()}
        case list():
            return [_with_bytes(member) for member in value]
        case _:
            return value


def test_every_kind_and_operation_has_a_case() -> None:
    text = json.dumps(CASES)
    for parameter in ("KeyCondition", "Filter", "Condition", "Update", "Projection"):
        assert f'"{parameter}Expression"' in text
    assert {case["document"]["operation"] for case in CASES} == {
        "GetItem",
        "Query",
        "Scan",
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "ConditionCheck",
        "TransactWriteItems",
        "TransactGetItems",
    }


def test_expression_strings_alone() -> None:
    query = next(case for case in CASES if "newest first" in case["name"])
    built = expression(query["document"])
    assert built.expressions == {
        name: query["request"][name]
        for name in ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")
    }
