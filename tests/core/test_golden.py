"""The golden cases, from document to plan, and past the service's own model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from tests import golden
from tests.golden import Case
from webapp.core import documents, jsontext
from webapp.core.problems import TEXTS, Refused

planned = pytest.mark.parametrize("case", golden.PLANNED, ids=golden.name_of)
refused = pytest.mark.parametrize("case", golden.REFUSED, ids=golden.name_of)


def read(case: Case) -> Any:
    return documents.read_json(case.text)


def test_every_direction_has_cases() -> None:
    assert len(golden.PLANNED) > 50
    assert len(golden.REFUSED) > 20
    assert [case.name for case in golden.CASES] == [
        path.stem for path in sorted(golden.FOLDER.iterdir())
    ]


@planned
def test_a_request_gives_its_plan(case: Case) -> None:
    assert documents.plan(read(case)).as_document() == case.plan


@refused
def test_a_request_is_refused_with_its_problems(case: Case) -> None:
    with pytest.raises(Refused) as raised:
        documents.plan(read(case))
    found = [{"code": each.code, "path": each.path} for each in raised.value.problems]
    assert found == case.problems
    assert {problem.code for problem in raised.value.problems} <= TEXTS.keys()


def test_the_worked_example_is_byte_for_byte_what_the_documentation_shows() -> None:
    plan = documents.plan(read(golden.case("create-worked-example")))
    assert plan.text == (
        b'{"TransactItems":['
        b'{"Put":{"TableName":"accounts","Item":{"PK":{"S":"ACCT#a1f9c3"},"SK":{"S":"PROFILE"},'
        b'"email":{"S":"ada@lovelace.io"},"username":{"S":"ada"}},'
        b'"ConditionExpression":"attribute_not_exists(PK)"}},'
        b'{"Put":{"TableName":"accounts","Item":{"PK":{"S":"UNIQ#EMAIL#ada@lovelace.io"},'
        b'"SK":{"S":"LOCK"}},"ConditionExpression":"attribute_not_exists(PK)"}},'
        b'{"Put":{"TableName":"accounts","Item":{"PK":{"S":"UNIQ#HANDLE#ada"},'
        b'"SK":{"S":"LOCK"}},"ConditionExpression":"attribute_not_exists(PK)"}}]}'
    )


@planned
def test_the_text_of_a_plan_is_its_request_in_the_order_of_the_case(case: Case) -> None:
    assert case.plan is not None
    assert documents.plan(read(case)).text == jsontext.write(case.plan["request"])


@pytest.fixture(scope="module")
def model() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("dynamodb", "service-2"))


@planned
def test_a_plan_passes_the_parameter_validator_of_botocore(case: Case, model: ServiceModel) -> None:
    assert case.plan is not None
    shape = model.operation_model("TransactWriteItems").input_shape
    report = ParamValidator().validate(case.plan["request"], shape)
    assert report.generate_report() == ""


@planned
def test_slots_stand_at_the_positions_of_their_actions(case: Case) -> None:
    assert case.plan is not None
    key_names = set(case.plan["slots"][0]["key"])
    for number, (action, slot) in enumerate(
        zip(case.plan["request"]["TransactItems"], case.plan["slots"], strict=True)
    ):
        ((verb, members),) = action.items()
        item = members.get("Key") or members["Item"]
        assert (slot["slot"], slot["action"], slot["table"]) == (
            number,
            verb,
            members["TableName"],
        )
        assert slot["key"] == {name: item[name] for name in slot["key"]}
        assert slot["purpose"] != "record" or slot["key"].keys() == key_names


PLAN_IN_ANOTHER_PROCESS = """
import sys
from tests import golden
from webapp.core import documents
for case in golden.PLANNED:
    sys.stdout.buffer.write(documents.plan(documents.read_json(case.text)).text + b"\\n")
"""


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_B73_plans_are_byte_identical_in_another_process(seed: str) -> None:
    here = b"".join(documents.plan(read(case)).text + b"\n" for case in golden.PLANNED)
    other = subprocess.run(
        [sys.executable, "-c", PLAN_IN_ANOTHER_PROCESS],
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert other.stdout == here


@planned
def test_B73_a_saved_plan_is_read_back_to_the_same_bytes(case: Case) -> None:
    saved = json.loads(json.dumps(documents.plan(read(case)).as_document()))
    assert jsontext.write(saved["request"]) == documents.plan(read(case)).text


@planned
def test_a_secret_never_reaches_a_plan(case: Case) -> None:
    secret = case.request.get("secret")
    assert secret is None or secret not in json.dumps(case.plan)
