"""What ``lockwright explain`` prints."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.core.test_explain_question import ASKED, DESIGN, PLAN, REQUEST
from tests.web.test_explain import TEXT
from webapp.cli import main
from webapp.core.failures.question import read_question

ITEM = {
    "PK": {"S": "UNIQ#EMAIL#a@x.io"},
    "SK": {"S": "LOCK"},
    "holder": {"M": {"PK": {"S": "ACCT#2"}, "SK": {"S": "PROFILE"}}},
}
REASONS = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": ITEM}]


def written(folder: Path, name: str, document: object) -> str:
    path = folder / name
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_B69_B81_an_error_with_its_plan_is_told_field_by_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = written(tmp_path, "plan.json", PLAN)
    assert main(["explain", "--plan", plan, written(tmp_path, "error", REASONS)]) == 0
    assert capsys.readouterr().out == (
        "Nothing was written. Taken: email.\n"
        "Ask for another value.\n"
        "Send it again? Not as it is: put this right first. "
        "The changed plan has a token of its own.\n"
        "Tell the user: Already in use: email. Please choose something else.\n"
        "  email: email is taken by the record ACCT#2 / PROFILE.\n"
        "  slot 1, UNIQ#EMAIL#a@x.io / LOCK: ConditionalCheckFailed: "
        "email is taken by the record ACCT#2 / PROFILE.\n"
        '    the item that was met: {"PK": {"S": "UNIQ#EMAIL#a@x.io"}, "SK": {"S": "LOCK"}, '
        '"holder": {"M": {"PK": {"S": "ACCT#2"}, "SK": {"S": "PROFILE"}}}}\n'
    )


WAYS = [("--plan", PLAN), ("--plan", ASKED), ("--plan", REQUEST), ("--request", REQUEST)]


@pytest.mark.parametrize(("option", "document"), WAYS)
def test_programs_get_the_explanation_as_one_line_of_json(
    option: str, document: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = written(tmp_path, "sent.json", document)
    design = written(tmp_path, "design.json", DESIGN)
    error = written(tmp_path, "error.txt", TEXT)
    assert main(["explain", "--json", option, sent, "--design", design, error]) == 0
    asked = {option.strip("-"): document, "design": DESIGN, "error": TEXT}
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line) == read_question(asked).explanation().as_document()


def test_B75_the_error_can_come_from_standard_input_and_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = b"An error occurred (TransactionInProgressException) when calling the \xff operation"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(said)))
    assert main(["explain", "-"]) == 0
    assert "Send it again? Yes: exactly the same, with the same token." in capsys.readouterr().out


def test_a_plan_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sent = written(tmp_path, "sent.json", {"slots": []})
    assert main(["explain", "--plan", sent, written(tmp_path, "error", TEXT)]) == 1
    assert capsys.readouterr().err.startswith("/plan: This plan has neither “slots”")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plan", "-", "-"], "only one document can be read from standard input"),
        (["/no/such/file"], "cannot read /no/such/file"),
    ],
)
def test_wrong_usage_is_told_with_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *arguments]) == 2
    assert said in capsys.readouterr().err
