"""The golden cases from the command line: the same plans, the same problems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import golden
from tests.golden import Case
from webapp import cli


def given(case: Case, folder: Path) -> str:
    file = folder / "request.json"
    file.write_text(case.text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("case", golden.PLANNED, ids=golden.name_of)
def test_a_request_prints_its_plan(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", given(case, tmp_path), "--full", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == case.plan


@pytest.mark.parametrize("case", golden.REFUSED, ids=golden.name_of)
def test_a_refused_request_prints_all_its_problems(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", given(case, tmp_path), "--json"]) == 1
    printed = capsys.readouterr()
    found = json.loads(printed.out)["problems"]
    assert [{"code": each["code"], "path": each["path"]} for each in found] == case.problems
    assert len(printed.err.splitlines()) >= len(found)
