"""What ``lockwright expression`` and ``lockwright parse`` print, and with which status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_explain_command import written
from tests.web.test_expression_routes import QUERY, REQUEST
from webapp.cli import main
from webapp.core.expressions import builder


def printed_json(capsys: pytest.CaptureFixture[str]) -> object:
    return json.loads(capsys.readouterr().out)


def test_expression_prints_the_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expression", written(tmp_path, "query.json", QUERY)]) == 0
    assert printed_json(capsys) == REQUEST


def test_the_expression_strings_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expression", "--strings", written(tmp_path, "query.json", QUERY)]) == 0
    assert printed_json(capsys) == {
        "KeyConditionExpression": "PK = :PK",
        "FilterExpression": "#status <> :status",
        "ProjectionExpression": "profile.email",
    }


def test_programs_get_what_the_api_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["expression", "--json", written(tmp_path, "query.json", QUERY)]) == 0
    assert printed_json(capsys) == builder.expression(QUERY).as_document()
    assert main(["parse", "--json", written(tmp_path, "request.json", REQUEST)]) == 0
    assert printed_json(capsys) == builder.parse(REQUEST).as_document()


def test_parse_prints_a_document_that_gives_the_request_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", written(tmp_path, "request.json", REQUEST)]) == 0
    document = printed_json(capsys)
    assert main(["expression", written(tmp_path, "document.json", document)]) == 0
    assert printed_json(capsys) == REQUEST


def test_a_syntax_error_is_shown_with_a_caret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = {"kind": "condition", "expression": "size(tags > :n", "values": {":n": {"N": "2"}}}
    assert main(["parse", written(tmp_path, "bare.json", bare)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[1:] == ["    size(tags > :n", "              ^"]


def test_what_dynamodb_would_refuse_is_told_beside_what_was_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    between = {"FilterExpression": "age BETWEEN :a AND :b"}
    values = {":a": {"N": "9"}, ":b": {"N": "1"}}
    scan = {"TableName": "accounts", **between, "ExpressionAttributeValues": values}
    assert main(["parse", written(tmp_path, "scan.json", scan)]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["operation"] == "Scan"
    assert "The lower bound of BETWEEN, 9, is greater" in printed.err
    assert "    age BETWEEN :a AND :b\n    ^^^" in printed.err


def test_all_problems_of_an_operation_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = QUERY | {"table": "no table!", "limit": 0}
    assert main(["expression", written(tmp_path, "query.json", wrong)]) == 1
    assert capsys.readouterr().err.startswith("/limit: ")
