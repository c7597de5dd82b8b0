"""What ``lockwright lint`` prints, and with which status."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.test_explain_command import written
from tests.core.test_explain_question import ASKED, DESIGN, PLAN
from tests.web.test_check import BROKEN, SOUND
from webapp.cli import main
from webapp.core.linting.lint import lint_document


def test_every_fault_is_told_with_the_services_answer_and_then_every_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", written(tmp_path, "transaction.json", BROKEN)]) == 1
    assert capsys.readouterr().out == (
        "/TransactItems/0/Put/Item/logins/N: 0 is a JSON number; DynamoDB takes numbers as text. "
        'Write {"N": "0"}.\n'
        "  DynamoDB: SerializationException: NUMBER_VALUE cannot be converted to String\n"
        "/TransactItems/0/Put/ConditionExpression: “status” is a reserved word and cannot stand "
        "as it is. Write a placeholder like #status, and put the name into "
        "ExpressionAttributeNames.\n"
        "    attribute_not_exists(PK) AND status <> :gone\n"
        "                                 ^^^^^^\n"
        "  DynamoDB: ValidationException: Invalid ConditionExpression: Attribute name is a "
        "reserved keyword; reserved keyword: status\n"
        "warning: /TransactItems/1/Put: The lock UNIQ#EMAIL#ada@lovelace.io / LOCK is put without "
        "a guard. Whoever comes second overwrites the lock of whoever came first, and both hold "
        "the value. Put it under attribute_not_exists(PK).\n"
        '  slot 1: {"Put":{"TableName":"accounts","Item":{"PK":{"S":"UNIQ#EMAIL#ada@lovelace.io"},'
        '"SK":{"S":"LOCK"}},"ConditionExpression":"attribute_not_exists(PK)"}}\n'
        "Refused: problems 2, warnings 1.\n"
    )


@pytest.mark.parametrize("transaction", [SOUND, PLAN])
def test_warnings_alone_are_no_refusal(
    transaction: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", written(tmp_path, "transaction.json", transaction)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Valid: problems 0, warnings ")


def test_programs_get_the_report_as_one_line_of_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    transaction = written(tmp_path, "transaction.json", BROKEN)
    design = written(tmp_path, "design.json", DESIGN)
    assert main(["lint", "--json", transaction, "--design", design]) == 1
    [line] = capsys.readouterr().out.splitlines()
    report = lint_document({"request": BROKEN, "design": DESIGN})
    assert json.loads(line) == json.loads(json.dumps(report.as_document()))


def test_what_is_no_transaction_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = io.BytesIO(json.dumps(ASKED).encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=given))
    assert main(["lint", "-"]) == 1
    printed = capsys.readouterr()
    assert (printed.out, "is no transaction" in printed.err) == ("", True)


def test_only_one_document_comes_from_standard_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "-", "--design", "-"]) == 2
    assert "only one document" in capsys.readouterr().err
