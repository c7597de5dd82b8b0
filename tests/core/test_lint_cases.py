"""Golden cases of lint: a transaction, what is known of its table, and the whole report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webapp.core.linting.lint import lint, lint_document

CASES = sorted((Path(__file__).parent.parent / "cases").glob("lint-*.json"))


@pytest.fixture(params=CASES, ids=[path.stem for path in CASES])
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    path: Path = request.param
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def test_the_report_is_the_one_of_the_case(case: dict[str, Any]) -> None:
    report = lint(case["request"], case.get("design"), case.get("table"))
    assert report.as_document() == case["report"]


def test_text_and_document_have_one_report(case: dict[str, Any]) -> None:
    text = json.dumps(case["request"])
    report = lint(text, case.get("design"), case.get("table"))
    assert report.as_document() == case["report"]


def test_the_request_of_the_api_gives_the_same_under_its_own_member(case: dict[str, Any]) -> None:
    given = {name: case[name] for name in ("request", "design", "table") if name in case}
    report = lint_document(given).as_document()
    for entry in (*report["problems"], *report["warnings"]):
        entry["path"] = entry["path"].removeprefix("/request")
    assert report == case["report"]
