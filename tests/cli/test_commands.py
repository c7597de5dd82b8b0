"""What each command prints where, and with which status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.samples import EMAIL, unique
from webapp.cli import main
from webapp.core.failures.replay import REPEATED
from webapp.endpoints import Endpoint

DESIGN = unique(EMAIL)
CREATE = {
    "design": DESIGN,
    "changes": [
        {"operation": "create", "key": {"id": "1"}, "item": {"email": {"S": "ada@lovelace.io"}}}
    ],
}
RECORD = {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}, "email": {"S": "ada@lovelace.io"}}
LOCK = {"PK": {"S": "UNIQ#EMAIL#ada@lovelace.io"}, "SK": {"S": "LOCK"}}
REQUEST = {
    "TransactItems": [
        {
            "Put": {
                "TableName": "accounts",
                "Item": item,
                "ConditionExpression": "attribute_not_exists(PK)",
            }
        }
        for item in (RECORD, LOCK)
    ]
}


@pytest.fixture
def create(tmp_path: Path) -> str:
    """The name of a file with a plan request."""
    return written(tmp_path, CREATE)


def written(folder: Path, document: object) -> str:
    path = folder / "document.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def on_table(name: str) -> dict[str, Any]:
    """The plan request for a table of that name."""
    return CREATE | {"design": DESIGN | {"table": name}}


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["for reading", "--json"])
def test_plan_prints_the_request(
    options: list[str], create: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", create, *options]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == REQUEST
    assert printed.err == ""


def test_plan_prints_the_same_bytes_each_time_on_one_line_for_programs(
    create: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["plan", create, "--json"])
    first = capsys.readouterr().out
    main(["plan", create, "--json"])
    assert capsys.readouterr().out == first
    assert first.count("\n") == 1


def test_plan_full_prints_the_plan(create: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", create, "--full"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["request"] == REQUEST
    assert [slot["purpose"] for slot in plan["slots"]] == ["record", "claim"]


def test_a_refused_document_gives_every_problem_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = CREATE | {"design": DESIGN | {"table": 5, "colour": "red"}}
    assert main(["plan", written(tmp_path, wrong)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert {line.partition(":")[0] for line in printed.err.splitlines()} == {
        "/design/table",
        "/design/colour",
    }


def test_a_refused_document_is_json_for_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = CREATE | {"design": DESIGN | {"colour": "red"}}
    assert main(["plan", "--json", written(tmp_path, wrong)]) == 1
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert [problem["path"] for problem in problems] == ["/design/colour"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan", "/no/such/file"], "cannot read /no/such/file: No such file or directory"),
        (["run", "-", "--endpoint", "nowhere"], "there is no endpoint 'nowhere'; there are: local"),
        (["run", "-", "--endpoint", "x=nothing"], "'nothing' is not a URL"),
        (
            ["run", "-", "--endpoint", "x=aws:eu-west-1"],
            "writing to AWS eu-west-1 needs --allow-write and --confirm TABLE",
        ),
        (["serve", "--no-local", "--endpoint", "x"], "'x' is not an endpoint"),
    ],
)
def test_wrong_usage_is_told_with_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["plan"], ["dance"], ["plan", "a", "b"], ["--port", "x"]])
def test_what_the_parser_does_not_know_is_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2


def test_run_commits_and_then_tells_field_by_field_what_is_taken(
    tmp_path: Path, engine: Endpoint, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    request = written(tmp_path, on_table(table))
    arguments = ["run", request, "--endpoint", f"test={engine.url}"]
    assert main(arguments) == 0
    where = f"test ({engine.url})"
    said = f"Sending to {where}.\nCommitted: 2 actions at {where}.\n"
    assert capsys.readouterr().err == said
    assert main(arguments) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "  email: email is taken" in told.err


def test_run_prints_the_outcome_for_programs(
    tmp_path: Path, engine: Endpoint, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    request = written(tmp_path, on_table(table))
    arguments = ["run", "--json", request, "--endpoint", f"test={engine.url}"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == {
        "committed": True,
        "explanation": None,
        "consumed": [],
        "attempts": 1,
        "standing": None,
    }
    assert main(arguments) == 1
    told = capsys.readouterr()
    explanation = json.loads(told.out)["explanation"]
    assert (explanation["verdict"], list(explanation["fields"])) == (
        "exists",
        ["PK", "SK", "email"],
    )
    assert [line.partition(": ")[0] for line in told.err.splitlines()[2:]] == [
        "  PK, SK",
        "  email",
    ]


def test_B74_a_saved_plan_with_its_token_is_sent_as_it_was_saved(
    tmp_path: Path, engine: Endpoint, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "--full", written(tmp_path, on_table(table) | {"token": "t-1"})]) == 0
    saved = tmp_path / "plan.json"
    saved.write_text(capsys.readouterr().out, encoding="utf-8")
    told = []
    for options in ([], ["--sent-before"]):
        assert main(["run", str(saved), "--endpoint", f"test={engine.url}", *options]) == 0
        told.append(capsys.readouterr().err.splitlines()[-1])
    committed = f"Committed: 2 actions at test ({engine.url})."
    assert told == [committed, f"{committed} {REPEATED}"]


def test_a_first_sending_is_told_by_its_slots_and_a_later_one_by_what_is_stored(
    tmp_path: Path, engine: Endpoint, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint = ["--endpoint", f"test={engine.url}"]
    assert main(["run", written(tmp_path, on_table(table) | {"token": "one"}), *endpoint]) == 0
    other = written(tmp_path, on_table(table) | {"token": "another"})
    assert main(["run", other, *endpoint]) == 1
    assert "  email: email is taken" in capsys.readouterr().err
    assert main(["run", other, *endpoint, "--sent-before"]) == 0
    [_, told] = capsys.readouterr().err.splitlines()
    assert told.startswith("Already done: ")
    assert "Nothing was written" not in told


AWS = ["--endpoint", "prod=aws:eu-west-1"]


@pytest.mark.parametrize(
    ("confirm", "said"),
    [
        ([], "prod (AWS eu-west-1) is written to only with the table's name, typed."),
        (
            ["--confirm", "Accounts"],
            "“Accounts” is not the table that this writes to at prod (AWS eu-west-1).",
        ),
    ],
    ids=["missing", "another name"],
)
def test_aws_is_written_to_only_with_the_table_confirmed(
    confirm: list[str], said: str, create: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", create, *AWS, "--allow-write", *confirm]) == 2
    added = "To write there, add --confirm accounts"
    assert capsys.readouterr().err == f"lockwright: {said} {added}\n"


def test_a_confirmation_alone_is_no_leave(create: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", create, *AWS, "--confirm", "accounts"]) == 2
    assert "needs --allow-write" in capsys.readouterr().err


def test_with_leave_and_confirmation_the_run_is_on_its_way_to_aws(
    create: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    nobody = ["--endpoint", "without=aws:eu-west-1"]
    assert main(["run", create, *nobody, "--allow-write", "--confirm", "accounts"]) == 1
    assert "There are no AWS credentials for without" in capsys.readouterr().err


def test_a_saved_plan_that_dynamodb_would_refuse_is_not_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {"TransactItems": [REQUEST["TransactItems"][0]] * 2}
    saved = written(tmp_path, {"request": request, "slots": []})
    assert main(["run", saved, "--endpoint", "test=http://127.0.0.1:9"]) == 1
    assert "/request/TransactItems/1/Put: " in capsys.readouterr().err


def test_run_says_how_to_get_an_engine_that_does_not_answer(
    create: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", create, "--endpoint", "test=http://127.0.0.1:9"]) == 1
    assert "Nothing answers at test (http://127.0.0.1:9" in capsys.readouterr().err


@pytest.mark.parametrize("document", [{}, [], 3, {"request": {}}, {"slots": []}])
def test_run_refuses_what_is_no_plan(
    document: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["run", written(tmp_path, document), "--endpoint", "test=http://127.0.0.1:9"]
    assert main(arguments) == 1
    assert "neither a plan request nor a saved plan" in capsys.readouterr().err
