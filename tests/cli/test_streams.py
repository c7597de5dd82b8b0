"""Where a command writes when its streams are closed, full or in another encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import CREATE, DESIGN, REQUEST, written
from tests.gateway.conftest import service
from tests.gateway.fake_service import FakeService, Reply, cancelled
from webapp.cli import main
from webapp.streams import readable

__all__ = ["service"]

ESCAPES = "\x1b]0;owned\x07\x1b[31m\x9b31m\x7f\u202e"
CHANGE: dict[str, Any] = {"operation": "create", "key": {"id": "1"}}
STEERING = ["\x1b", "\x07", "\x9b", "\x7f", "\u202e"]


def run(shell: str, file: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line with ``$L`` for the program and ``$F`` for the file."""
    program = {"L": f"{sys.executable} -m webapp.cli", "F": file}
    return subprocess.run(
        shell, shell=True, capture_output=True, env=os.environ | program | environment, check=False
    )


@pytest.fixture
def create(tmp_path: Path) -> str:
    return written(tmp_path, CREATE)


@pytest.fixture
def accented(tmp_path: Path) -> str:
    changes = [CHANGE | {"item": {"email": {"S": "é@x"}}}]
    return written(tmp_path, CREATE | {"changes": changes})


def test_nothing_said_gets_into_the_answer_when_standard_error_is_closed(tmp_path: Path) -> None:
    file = written(tmp_path, {"operation": "DeleteItem", "request": {"TableName": "t"}})
    heard = run("$L parse --json $F", file)
    unheard = run("$L parse --json $F 2>&-", file)
    assert heard.stderr != b""
    assert (unheard.returncode, unheard.stdout) == (heard.returncode, heard.stdout)
    assert json.loads(unheard.stdout)


LOST = {
    "closed output": ("$L plan $F >&-", 1, "cannot write to standard output: it is closed"),
    "full disk": ("$L plan $F >/dev/full", 1, "standard output: No space left on device"),
    "closed input": ("$L plan - <&-", 2, "cannot read standard input: it is closed"),
}


@pytest.mark.parametrize(("shell", "status", "said"), LOST.values(), ids=LOST)
def test_a_stream_that_is_lost_is_named(create: str, shell: str, status: int, said: str) -> None:
    done = run(shell, create)
    assert (done.returncode, done.stdout) == (status, b"")
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("lockwright: cannot")
    assert said in line


UNPRINTED = {"full disk": ">/dev/full", "closed output": ">&-", "nobody reads": "| true"}


@pytest.mark.parametrize("shell", UNPRINTED.values(), ids=UNPRINTED)
@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(body=b"{}"), "Committed: 2 actions at test"),
        (cancelled("None", "ConditionalCheckFailed"), "Taken: email."),
    ],
    ids=["committed", "cancelled"],
)
def test_what_came_of_a_run_is_said_where_its_document_cannot_be_printed(
    create: str, service: FakeService, reply: Reply, told: str, shell: str
) -> None:
    service.script = [reply]
    done = run(f"$L run $F --json --endpoint test={service.url} {shell}", create)
    assert told in done.stderr.decode()
    assert [request.operation for request in service.received] == ["TransactWriteItems"]


def test_words_that_cannot_be_written_are_no_error(create: str) -> None:
    assert run("$L plan $F 2>/dev/full", create).returncode == 0
    assert run("$L plan /nothing/there 2>/dev/full", create).returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_answer_is_utf_8_whatever_the_terminal_has(accented: str, encoding: str) -> None:
    done = run("$L plan $F", accented, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "é@x" in done.stdout.decode()


def hostile() -> dict[str, tuple[list[str], Any]]:
    """Commands, and documents whose texts hold what steers a terminal."""
    item = {"PK": {"S": ESCAPES}, "SK": {"S": ESCAPES}}
    put = {"Put": {"TableName": f"t{ESCAPES}", "Item": item, "ConditionExpression": ESCAPES}}
    changes = [CHANGE | {"item": {"email": {"S": ESCAPES}}}]
    return {
        "plan": (["plan"], CREATE | {"changes": changes}),
        "full": (["plan", "--full"], CREATE | {"changes": changes}),
        "refused": (["plan"], CREATE | {"design": DESIGN | {"table": ESCAPES, ESCAPES: 1}}),
        "lint": (["lint"], {"TransactItems": [put]}),
        "parse": (["parse"], {"operation": "PutItem", "request": put["Put"]}),
        "explain": (["explain"], f"An error occurred: {ESCAPES}"),
        "endpoint": (["run", "--endpoint", ESCAPES], REQUEST),
    }


@pytest.mark.parametrize(("command", "document"), hostile().values(), ids=hostile())
def test_a_document_does_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], document: object
) -> None:
    main([*command, written(tmp_path, document)])
    out, err = capsys.readouterr()
    assert [sign for sign in STEERING if sign in out + err] == []
    assert "31m" in out + err


def test_a_wrong_argument_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["plan", "a", ESCAPES])
    assert ended.value.code == 2
    assert [sign for sign in STEERING if sign in capsys.readouterr().err] == []


def test_json_with_control_characters_shown_means_the_same() -> None:
    given = {"a": ESCAPES + "é\n\t"}
    assert json.loads(readable(json.dumps(given, ensure_ascii=False, indent=1))) == given


@pytest.mark.parametrize("host", ["", " ", "no.such.name.invalid", "a..b"])
def test_a_host_that_is_no_address_is_wrong_usage(host: str) -> None:
    done = run(f"$L --no-local --port 0 --host '{host}'", "")
    assert done.returncode == 2
    assert b"something went wrong" not in done.stderr
