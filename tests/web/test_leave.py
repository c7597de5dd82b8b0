"""What must be typed before something is written to AWS, at every door."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.cli.test_commands import CREATE, written
from tests.samples import EMAIL, unique
from tests.web.conftest import AWS, LOCAL, FakeGateway, form
from webapp.cli import main
from webapp.core.problems import Problems
from webapp.leave import check_confirmation, written_tables
from webapp.runs import read_run
from webapp.web import create_app
from webapp.web.draft import EXAMPLE
from webapp.web.expressions.filling import fill
from webapp.web.loading import load
from webapp.web.settings import Settings, Target

KEY = {"PK": {"S": "a"}}
CHECK = {"ConditionExpression": "attribute_exists(PK)"}


def action(kind: str, table: str) -> dict[str, Any]:
    """One action on a table."""
    members: dict[str, Any] = {"Item": KEY} if kind == "Put" else {"Key": KEY}
    return {kind: {"TableName": table, **members, **(CHECK if kind == "ConditionCheck" else {})}}


def request(*actions: tuple[str, str]) -> dict[str, Any]:
    """A request of (kind, table) pairs."""
    return {"TransactItems": [action(kind, table) for kind, table in actions]}


LOCK_TABLE = {"name": "locks", "partition_key": {"name": "K", "type": "S"}}
LOCK = {"table": LOCK_TABLE, "partition": "{namespace}#{value}"}
LOCKS_APART = CREATE | {"design": unique(EMAIL) | {"lock": LOCK}}
CHECKED = request(("ConditionCheck", "scratch"), ("Put", "accounts"), ("Delete", "customers"))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (CHECKED, ("accounts", "customers")),
        (request(("ConditionCheck", "scratch"), ("Update", "accounts")), ("accounts",)),
        (request(("Put", "b"), ("Put", "a"), ("Delete", "b")), ("b", "a")),
        (request(("ConditionCheck", "scratch")), ("scratch",)),
        ({"TransactItems": "?"}, ()),
    ],
    ids=["a check first", "one table is written", "each once, in order", "only checks", "unread"],
)
def test_the_tables_that_are_written(document: Any, expected: tuple[str, ...]) -> None:
    assert written_tables(json.dumps(document).encode()) == expected


def test_a_design_whose_locks_have_a_table_of_their_own_writes_both() -> None:
    assert written_tables(read_run(LOCKS_APART).text) == ("accounts", "locks")


ONE, TWO = ("accounts",), ("accounts", "customers")
MISSING, DIFFERS = "confirmation-missing", "confirmation-differs"


@pytest.mark.parametrize(
    ("tables", "given", "code"),
    [
        (ONE, "accounts", None),
        (ONE, "accounts ", DIFFERS),
        (ONE, "accounts,accounts", DIFFERS),
        (ONE, None, MISSING),
        (TWO, "accounts,customers", None),
        (TWO, " customers  accounts ", None),
        (TWO, "customers, accounts", None),
        (TWO, "accounts", "confirmations-differ"),
        (TWO, "scratch", "confirmations-differ"),
        (TWO, "accounts,customers,scratch", "confirmations-differ"),
        (TWO, "accountscustomers", "confirmations-differ"),
        (TWO, ["accounts", "customers"], "confirmations-differ"),
        (TWO, "", "confirmations-missing"),
        ((), "", MISSING),
        ((), "accounts", DIFFERS),
        (("",), "", MISSING),
    ],
)
def test_what_confirms(tables: Sequence[str], given: object, code: str | None) -> None:
    problems = Problems()
    check_confirmation(AWS, tables, given, problems)
    assert [(problem.code, problem.path) for problem in problems] == (
        [(code, "/confirm")] if code else []
    )
    check_confirmation(LOCAL, tables, given, none := Problems())
    assert not none


@pytest.fixture
def aws(gateway: FakeGateway) -> FlaskClient:
    """A server that may write to AWS."""
    targets = {"prod": Target(AWS, lambda: gateway)}
    return create_app(Settings(targets=targets, allow_write=True)).test_client()


AT = {"key": KEY}
EXISTS = {"op": "attribute_exists", "path": "PK"}
WANTED = ("Type the names of the tables, {}, to confirm.").format
BOTH = [("accounts", 422), ("locks", 422), ("locks, accounts", 200)]


@pytest.mark.parametrize(("confirm", "status"), BOTH)
def test_the_api_asks_for_the_table_of_the_locks_too(
    confirm: str, status: int, aws: FlaskClient, gateway: FakeGateway
) -> None:
    answer = aws.post("/api/v1/run", json=LOCKS_APART | {"endpoint": "prod", "confirm": confirm})
    assert (answer.status_code, len(gateway.sent)) == (status, int(status == 200))
    hints = [problem["hint"] for problem in answer.get_json().get("problems", [])]
    assert hints == ([WANTED("accounts, locks")] if status == 422 else [])


@pytest.mark.parametrize(("confirm", "status"), BOTH)
def test_the_first_page_asks_for_the_table_of_the_locks_too(
    confirm: str, status: int, aws: FlaskClient, gateway: FakeGateway
) -> None:
    draft = load(EXAMPLE, json.dumps(LOCKS_APART))
    page = aws.post("/run", data=form(draft, endpoint="prod", confirm=confirm))
    assert (page.status_code, len(gateway.sent)) == (status, int(status == 200))
    assert (WANTED("accounts, locks") in page.text) == (status == 422)


@pytest.mark.parametrize(
    ("confirm", "said"),
    [("scratch", WANTED("accounts, customers")), ("customers accounts", "Nothing was sent yet")],
)
def test_the_page_of_expressions_asks_for_what_is_written_whatever_is_checked_first(
    confirm: str, said: str, aws: FlaskClient
) -> None:
    actions = [
        {"operation": "ConditionCheck", "table": "scratch", **AT, "condition": EXISTS},
        {"operation": "PutItem", "table": "accounts", "item": KEY},
        {"operation": "DeleteItem", "table": "customers", **AT},
    ]
    pairs = fill({"operation": "TransactWriteItems", "actions": actions})
    page = aws.post(
        "/expressions/run", data={**dict(pairs), "endpoint": "prod", "confirm": confirm}
    )
    assert said in page.text


def test_the_command_line_says_what_to_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["run", written(tmp_path, LOCKS_APART), "--endpoint", "prod=aws:eu-west-1"]
    assert main([*arguments, "--allow-write", "--confirm", "accounts"]) == 2
    assert capsys.readouterr().err == (
        "lockwright: “accounts” are not the tables that this writes to at prod (AWS eu-west-1). "
        "To write there, add --confirm accounts,locks\n"
    )
