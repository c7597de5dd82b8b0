"""The golden cases over HTTP: the same plans, the same problems."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests import golden
from tests.golden import Case


@pytest.mark.parametrize("case", golden.PLANNED, ids=golden.name_of)
def test_a_request_is_answered_with_its_plan(client: FlaskClient, case: Case) -> None:
    answer = client.post("/api/v1/plan", data=case.text, content_type="application/json")
    assert (answer.status_code, answer.json) == (200, case.plan)


@pytest.mark.parametrize("case", golden.REFUSED, ids=golden.name_of)
def test_a_refused_request_is_answered_with_all_its_problems(
    client: FlaskClient, case: Case
) -> None:
    answer = client.post("/api/v1/plan", data=case.text, content_type="application/json")
    assert answer.status_code == 422
    found = answer.get_json()["problems"]
    assert [{"code": each["code"], "path": each["path"]} for each in found] == case.problems
