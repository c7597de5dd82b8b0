"""The race against a real engine, and on the command line."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys

import pytest

from webapp.attempts import Policy
from webapp.cli import main
from webapp.endpoints import Endpoint, parse_endpoint
from webapp.gateway import Gateway, Limits
from webapp.race import Race
from webapp.racing import Racing

# Long enough that a busy machine does not turn the race into a queue.
WIDE = Race(sign_ups=8, gap_ms=400, seed=1)


def ground_at(endpoint: Endpoint) -> Gateway:
    return Gateway(endpoint, Limits(connections=200), Policy(jitter=random.random))


def scratch_tables(gateway: Gateway) -> list[str]:
    return [name for name in gateway.tables() if name.startswith("lockwright-race-")]


def test_B98_two_who_look_first_both_get_the_address_and_the_transaction_has_one_owner(
    engine: Endpoint, gateway: Gateway
) -> None:
    report = Racing(WIDE, ground_at(engine), "local").run()
    assert (report.state, report.trouble) == ("done", None)
    check, index, transaction = report.heats
    for heat in (check, index):
        assert heat.verdict == "lost"
        assert heat.accounts == heat.count("read", "free") == heat.count("write", "written")
    assert (transaction.accounts, transaction.count("write", "taken")) == (1, 7)
    assert scratch_tables(gateway) == []


def test_two_hundred_sign_ups_all_come_to_their_end(engine: Endpoint, gateway: Gateway) -> None:
    report = Racing(Race(sign_ups=200, gap_ms=0, seed=3), ground_at(engine), "local").run()
    assert (report.state, report.done, report.trouble) == ("done", 600, None)
    assert [heat.accounts == heat.count("write", "written") for heat in report.heats] == [True] * 3
    assert [heat.failed for heat in report.heats] == [0, 0, 0]
    assert report.heats[2].verdict == "kept"
    assert scratch_tables(gateway) == []


def test_nothing_is_put_or_made_for_a_race_on_aws() -> None:
    aws = Gateway(parse_endpoint("prod=aws:eu-west-1"))
    with pytest.raises(ValueError, match="local endpoints only"):
        aws.put("accounts", {"PK": {"S": "1"}})
    with pytest.raises(ValueError, match="local endpoints only"):
        aws.create_table("accounts", ("PK", "S"), index=("by-email", ("email", "S")))


def test_the_command_prints_the_race_as_text(
    engine: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    place = f"here={engine.url}"
    assert main(["race", "--sign-ups", "5", "--seed", "9", "--endpoint", place]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("5 sign-ups for ada@lovelace.io at once, 60 ms between")
    assert "1 account owns ada@lovelace.io. Everyone else was told “taken”." in printed.out
    assert printed.err == ""


def test_the_command_prints_every_step_as_json(
    engine: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    place = f"here={engine.url}"
    assert main(["race", "--json", "--sign-ups", "5", "--gap-ms", "0", "--endpoint", place]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["sign_ups"], document["gap_ms"], document["seed"]) == (5, 0, 1)
    assert [way["way"] for way in document["ways"]] == ["check", "index", "transaction"]
    assert [way["guarantee"] for way in document["ways"]] == [False, False, True]
    assert document["ways"][2]["accounts"] == 1
    assert {step["sign_up"] for step in document["ways"][0]["steps"]} == {1, 2, 3, 4, 5}


def test_without_an_endpoint_the_command_brings_its_own_engine(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["race", "--sign-ups", "2", "--gap-ms", "0"]) == 0
    assert "One transaction (a guarantee)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sign-ups", "1"], "'1' is not a number from 2 to 200"),
        (["--seed", "-1"], "'-1' is not a number from 0 to 4,294,967,295"),
        (["--gap-ms", "2001"], "'2001' is not a number from 0 to 2,000"),
    ],
)
def test_a_number_out_of_bounds_is_wrong_usage(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["race", *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_race_on_aws_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["race", "--endpoint", "prod=aws:eu-west-1"]) == 2
    assert "a race is held on a local endpoint only" in capsys.readouterr().err


def test_an_engine_that_does_not_run_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["race", "--endpoint", "here=http://127.0.0.1:1"]) == 1
    assert "Nothing answers at here (http://127.0.0.1:1" in capsys.readouterr().err


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_stopped_removes_its_table(
    end: signal.Signals, engine: Endpoint, gateway: Gateway
) -> None:
    command = [sys.executable, "-m", "webapp.cli", "race", "--sign-ups", "20", "--gap-ms", "2000"]
    with subprocess.Popen(
        [*command, "--endpoint", f"here={engine.url}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not scratch_tables(gateway):
            assert process.poll() is None
        process.send_signal(end)
        process.wait(20)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    assert scratch_tables(gateway) == []
