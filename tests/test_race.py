"""The race: its schedule, what it records, and that it leaves nothing behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ground import NOBODY_ANSWERS, FakeGround
from webapp.core.problems import Refused
from webapp.race import (
    BOUNDS,
    EMAIL,
    VERDICTS,
    WAYS,
    Heat,
    Lane,
    Race,
    Report,
    Start,
    Step,
    read_race,
    schedule,
)
from webapp.racetext import write_report
from webapp.racing import Racing

races = st.builds(Race, *(st.integers(bounds.low, bounds.high) for bounds in BOUNDS.values()))

# Four sign-ups that all look before any of them writes, and one that comes too late.
STEPS = (
    Step(1, "read", 0, 10, "free"),
    Step(2, "read", 5, 15, "free"),
    Step(2, "write", 30, 40, "written"),
    Step(1, "write", 40, 50, "written"),
    Step(3, "read", 45, 55, "taken"),
    Step(4, "read", 60, 64, "failed"),
)


@given(races)
def test_the_same_seed_gives_the_same_schedule(race: Race) -> None:
    starts = schedule(race)
    assert starts == schedule(race)
    assert [start.number for start in starts] == list(range(1, race.sign_ups + 1))
    assert len({start.account for start in starts}) == race.sign_ups
    arrivals = [start.arrives_ms for start in starts]
    assert arrivals == sorted(arrivals)
    assert all(0 <= start.arrives_ms <= race.gap_ms for start in starts)
    assert all(race.gap_ms * 0.5 <= start.thinks_ms <= race.gap_ms * 1.5 for start in starts)


def test_another_seed_gives_another_schedule() -> None:
    assert schedule(Race(seed=1)) != schedule(Race(seed=2))


def test_a_schedule_is_the_same_on_every_machine() -> None:
    assert schedule(Race(sign_ups=2, gap_ms=100, seed=7)) == (
        Start(1, "a6a3a401", 15.085, 57.244),
        Start(2, "892f9002", 32.383, 86.569),
    )


WRONG_NUMBERS = ["1", "201", "-3", "1.5", "", "many", "٣٠", "9" * 40, "1e2"]


@pytest.mark.parametrize("given_text", WRONG_NUMBERS)
def test_a_number_out_of_bounds_is_refused_at_its_field(given_text: str) -> None:
    with pytest.raises(Refused) as refused:
        read_race({"sign_ups": given_text, "gap_ms": "60", "seed": "1"})
    assert [(p.code, p.path) for p in refused.value.problems] == [("form-race-number", "/sign_ups")]


def test_all_wrong_numbers_are_named_at_once() -> None:
    with pytest.raises(Refused) as refused:
        read_race(dict.fromkeys(BOUNDS, "x"))
    assert [problem.path for problem in refused.value.problems] == ["/sign_ups", "/gap_ms", "/seed"]


def test_what_is_left_out_is_as_usual() -> None:
    assert read_race({"seed": " 12 "}) == Race(24, 60, 12)


def test_the_lanes_tell_each_sign_ups_story() -> None:
    assert Heat("check", STEPS).lanes(5) == (
        Lane(1, STEPS[0], STEPS[3], "another"),
        Lane(2, STEPS[1], STEPS[2], "first"),
        Lane(3, STEPS[4], None, "taken"),
        Lane(4, STEPS[5], None, "failed"),
        Lane(5, None, None, ""),
    )


@pytest.mark.parametrize(
    ("way", "accounts", "verdict"),
    [
        ("check", None, ""),
        ("check", 0, "nobody"),
        ("check", 1, "lucky"),
        ("check", 2, "lost"),
        ("index", 1, "lucky"),
        ("index", 9, "lost"),
        ("transaction", 0, "nobody"),
        ("transaction", 1, "kept"),
        ("transaction", 2, "broken"),
    ],
)
def test_the_verdict_comes_from_the_accounts_that_were_read_back(
    way: str, accounts: int | None, verdict: str
) -> None:
    assert Heat(way, STEPS, accounts).verdict == verdict


def test_B98_only_the_transaction_is_ever_called_a_guarantee() -> None:
    assert [code for code, way in WAYS.items() if way.is_guarantee] == ["transaction"]
    assert [code for code, way in WAYS.items() if way.looks] == ["check", "index"]
    one_account = [Heat(code, accounts=1).verdict for code in WAYS]
    assert one_account == ["lucky", "lucky", "kept"]
    assert VERDICTS["lucky"].startswith("Luck, not a rule")


def test_B98_the_reasons_state_the_race_and_the_index_that_lags_behind() -> None:
    assert "Whoever looks into the gap is told “free” as well" in WAYS["check"].reason
    assert "eventually consistent" in WAYS["index"].reason


TEXT = """\
4 sign-ups for ada@lovelace.io at once, 20 ms between look and write on average, seed 1
at local. The race is over.

? looks   . thinks   = writes   A the first account   + one more account   x told “taken”   ! failed

Check, then write (no guarantee)
  Query the address with a consistent read. Nobody there? Put the account.
    1 ???????????.............................===========+
    2      ???????????..............===========A
    3                                              ???????????x
    4                                                             ?????!
  2 told “free”, 1 told “taken”, 2 wrote, 1 failed
  2 accounts own ada@lovelace.io. Each of them was told that the address is theirs.
"""


def test_the_text_draws_the_same_picture() -> None:
    report = Report(Race(4, 20, 1), "local", "done", (Heat("check", STEPS, 2),))
    assert write_report(report) == TEXT


def test_the_document_holds_every_step() -> None:
    report = Report(Race(4, 20, 1), "local", "done", (Heat("check", STEPS[:3], 1),))
    assert report.as_document() == {
        "sign_ups": 4,
        "gap_ms": 20,
        "seed": 1,
        "email": EMAIL,
        "endpoint": "local",
        "state": "done",
        "ways": [
            {
                "way": "check",
                "guarantee": False,
                "read_free": 2,
                "read_taken": 0,
                "wrote": 1,
                "refused": 0,
                "failed": 0,
                "first_written_ms": 40,
                "accounts": 1,
                "steps": [
                    {"sign_up": n, "kind": k, "began_ms": b, "ended_ms": e, "answer": a}
                    for n, k, b, e, a in (
                        (1, "read", 0, 10, "free"),
                        (2, "read", 5, 15, "free"),
                        (2, "write", 30, 40, "written"),
                    )
                ],
            }
        ],
        "trouble": None,
    }


def results(report: Report) -> dict[str, tuple[int | None, str]]:
    return {heat.way: (heat.accounts, heat.verdict) for heat in report.heats}


def all_look_first(sign_ups: int) -> Callable[[str], None]:
    """Hold every look until all have come: the worst moment, made certain."""
    together = threading.Barrier(sign_ups)

    def pause(operation: str) -> None:
        if operation == "Query":
            together.wait(10)

    return pause


def test_when_all_look_before_any_writes_everyone_owns_the_address() -> None:
    ground = FakeGround(all_look_first(5))
    report = Racing(Race(5, 1, 1), ground, "here").run()
    assert report.state == "done"
    assert results(report) == {
        "check": (5, "lost"),
        "index": (5, "lost"),
        "transaction": (1, "kept"),
    }
    assert report.heats[2].count("write", "taken") == 4
    assert report.done == report.total == 15


def test_each_way_has_a_scratch_table_of_its_own_and_none_stays() -> None:
    ground = FakeGround()
    report = Racing(Race(3, 0, 1), ground, "here").run()
    assert len(set(ground.made)) == 3
    assert (ground.held, report.left) == ({}, None)


def test_an_engine_that_mixes_transactions_up_is_told() -> None:
    report = Racing(Race(3, 0, 1), FakeGround(isolated=False), "here").run()
    assert results(report)["transaction"] == (3, "broken")


def fails_at(operation: str) -> Callable[[str], None]:
    def pause(asked: str) -> None:
        if asked == operation:
            raise NOBODY_ANSWERS

    return pause


def test_an_engine_that_does_not_answer_is_told() -> None:
    report = Racing(Race(3, 0, 1), FakeGround(fails_at("ListTables")), "here").run()
    assert (report.state, report.heats, report.left) == ("failed", (), None)
    assert report.trouble == NOBODY_ANSWERS.trouble


class ForgetfulGround(FakeGround):
    """Makes a table, and its answer is lost."""

    def create_table(self, *arguments: Any, **more: Any) -> bool:
        super().create_table(*arguments, **more)
        raise NOBODY_ANSWERS


def test_a_table_whose_making_was_not_answered_is_removed_all_the_same() -> None:
    ground = ForgetfulGround()
    report = Racing(Race(3, 0, 1), ground, "here").run()
    assert (report.state, ground.held, len(ground.made)) == ("failed", {}, 1)


def test_a_table_that_cannot_be_removed_is_named() -> None:
    ground = FakeGround(fails_at("DeleteTable"))
    report = Racing(Race(3, 0, 1), ground, "here").run()
    assert report.state == "failed"
    assert [report.left] == ground.made
    assert f"The scratch table {report.left} could not be removed." in write_report(report)


def test_a_step_that_fails_is_counted_and_its_cause_kept() -> None:
    report = Racing(Race(3, 0, 1), FakeGround(fails_at("PutItem")), "here").run()
    check, index, transaction = report.heats
    assert (check.failed, index.failed, transaction.failed) == (3, 3, 0)
    assert check.trouble == NOBODY_ANSWERS.trouble
    assert results(report) == {
        "check": (0, "nobody"),
        "index": (0, "nobody"),
        "transaction": (1, "kept"),
    }


def test_a_stopped_race_ends_soon_and_removes_its_table() -> None:
    ground = FakeGround()
    racing = Racing(Race(20, 2000, 1), ground, "here")
    thread = threading.Thread(target=racing.run)
    thread.start()
    while not racing.report().heats:
        time.sleep(0.001)
    assert racing.report().is_running
    racing.cancel()
    thread.join(20)
    assert racing.report().state == "cancelled"
    assert racing.report().done < racing.report().total
    assert ground.held == {}


def test_a_race_that_is_stopped_before_it_starts_makes_nothing() -> None:
    ground = FakeGround()
    racing = Racing(Race(), ground, "here")
    racing.cancel()
    assert racing.run().state == "cancelled"
    assert ground.made == []


def test_scratch_tables_of_killed_races_are_removed_and_no_other_table() -> None:
    now = int(time.time())
    old, young = (f"lockwright-race-{at:08x}-0123abcd" for at in (now - 7200, now - 60))
    others = ["accounts", "lockwright-race-results", f"{old}-copy", f"my-{old}"]
    ground = FakeGround(held={name: {} for name in (old, young, *others)})
    Racing(Race(2, 0, 1), ground, "here").run()
    assert sorted(ground.held) == sorted([young, *others])
