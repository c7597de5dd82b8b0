"""The golden cases through the form: loaded, sent as a browser sends it, and shown as the plan."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests import golden
from tests.golden import Case
from tests.web.conftest import form
from tests.web.reading import Controls, shown_request
from webapp.core import documents
from webapp.core.problems import Refused
from webapp.web.draft import BLANK, pairs_of, read_draft
from webapp.web.loading import load
from webapp.web.writing import write

# A form carries no secret and no binary part of a key; both are told in tests of their own.
CARRIED = [c for c in golden.PLANNED if c.name != "binary-keys" and "secret" not in c.request]
planned = pytest.mark.parametrize("case", CARRIED, ids=golden.name_of)
refused = pytest.mark.parametrize("case", golden.REFUSED, ids=golden.name_of)


@planned
def test_a_golden_case_comes_out_of_the_form_as_its_plan(client: FlaskClient, case: Case) -> None:
    assert case.plan is not None
    draft = load(BLANK, case.text)
    page = client.post("/", data=form(draft))
    assert page.status_code == 200
    assert shown_request(page.text) == case.plan["request"]
    back = read_draft(Controls(page.text).pairs.items())
    assert write(back).document == write(draft).document


def test_a_secret_that_a_document_holds_never_gets_into_a_form() -> None:
    case = golden.case("digest-hmac")
    assert case.request["secret"] not in repr(load(BLANK, case.text))


def test_a_binary_part_of_a_key_is_refused_by_the_form() -> None:
    with pytest.raises(Refused) as refusal:
        load(BLANK, golden.case("binary-keys").text)
    assert {problem.code for problem in refusal.value.problems} == {"form-binary-key"}


@refused
def test_what_the_form_says_of_a_refused_case_is_what_the_core_says(case: Case) -> None:
    with pytest.raises(Refused) as refusal:
        documents.plan(write(read_draft(pairs_of(load(BLANK, case.text)))).document)
    assert _found(refusal.value) == _expected(case)


def _found(told: Refused) -> set[tuple[str, str]]:
    return {(problem.code, problem.path) for problem in told.problems}


def _expected(case: Case) -> set[tuple[str, str]]:
    assert case.problems is not None
    return {(problem["code"], problem["path"]) for problem in case.problems}


# Values that no plain control can carry, and that must come back exactly.
AWKWARD: list[dict[str, Any]] = [
    {"S": "a\rb"},
    {"S": "\0"},
    {"S": "\n"},
    {"S": ""},
    {"B": ""},
    {"SS": [""]},
    {"SS": ["a\nb", "c"]},
    {"SS": ["\r"]},
    {"L": [{"S": "\r"}, {"M": {}}]},
    {"M": {"\r": {"BOOL": False}}},
    {"NULL": True},
    {"N": "1E5"},
]


@pytest.mark.parametrize("value", AWKWARD, ids=json.dumps)
@pytest.mark.parametrize("other", [None, {"N": "1"}, {"S": "x"}], ids=json.dumps)
def test_a_value_that_a_form_can_hardly_carry_is_carried_exactly(
    client: FlaskClient, value: dict[str, Any], other: dict[str, Any] | None
) -> None:
    change = {
        "operation": "change",
        "key": {"id": "1"},
        "before": {"x": other},
        "after": {"x": value},
    }
    asked = {"design": write(BLANK).document["design"], "changes": [change]}
    asked["design"] = golden.case("create-worked-example").request["design"]
    page = client.post("/", data=form(load(BLANK, json.dumps(asked))))
    assert shown_request(page.text) == documents.plan(asked).request
    back = write(read_draft(Controls(page.text).pairs.items())).document
    assert back["changes"] == [change]
