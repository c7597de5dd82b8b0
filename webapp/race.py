"""The race: many sign-ups for one e-mail address at once, and what was seen of them.

Rule: who arrives when and how long each one thinks is decided by a seed, before anything is sent;
who was told what, who wrote, and how many accounts own the address in the end is only ever
recorded, never worked out. The reason: the race is an argument, and one that is drawn from what
should have happened proves nothing.

Nothing here sends, waits or reads a clock: ``webapp.racing`` does.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from webapp.answers import Trouble
from webapp.core.problems import Problems, Text, excerpt, register

Json = dict[str, Any]

EMAIL = "ada@lovelace.io"

register(
    {
        "form-race-number": Text(
            "{given} is not a whole number from {low:,} to {high:,}.", "Like {usual}."
        ),
    }
)


class Bounds(NamedTuple):
    """What a number of the race may be, what it is when it is not given, and what it means."""

    low: int
    high: int
    usual: int
    meaning: str


BOUNDS: Mapping[str, Bounds] = {
    "sign_ups": Bounds(2, 200, 24, "how many sign up for the same address at once"),
    "gap_ms": Bounds(0, 2_000, 60, "milliseconds between looking and writing, on average"),
    "seed": Bounds(0, 2**32 - 1, 1, "decides the order of arrival and how long each one thinks"),
}


@dataclass(frozen=True, slots=True)
class Race:
    """What decides a race: sign-ups, milliseconds between look and write on average, seed."""

    sign_ups: int = BOUNDS["sign_ups"].usual
    gap_ms: int = BOUNDS["gap_ms"].usual
    seed: int = BOUNDS["seed"].usual


@dataclass(frozen=True, slots=True)
class Start:
    """One sign-up: its place in the order of arrival, when it arrives and how long it thinks."""

    number: int
    account: str
    arrives_ms: float
    thinks_ms: float


@dataclass(frozen=True, slots=True)
class Way:
    """One way to take an address. ``looks`` says whether it reads before it writes."""

    name: str
    does: str
    reason: str
    looks: bool = True
    is_guarantee: bool = False


WAYS: Mapping[str, Way] = {
    "check": Way(
        "Check, then write",
        "Query the address with a consistent read. Nobody there? Put the account.",
        "Between the answer “free” and the write lies a gap. Whoever looks into the gap is told "
        "“free” as well, and then every Put succeeds: nothing in it asks again. A consistent read, "
        "the strongest there is, tells what was true before the gap, not after it.",
    ),
    "index": Way(
        "Check on an index",
        "Query an index by e-mail. Nobody there? Put the account.",
        "The same gap, and a second one on top: reads of a global secondary index are eventually "
        "consistent, so in AWS it can say “free” even after the account was written. Local engines "
        "mostly update an index at once and show the first gap alone.",
    ),
    "transaction": Way(
        "One transaction",
        "Put the account and its lock, each only if it does not exist. No look before.",
        "The lock’s key is the address, and its Put carries the condition: looking and writing are "
        "one step inside DynamoDB, and there is no gap to fall into. One sign-up is written, "
        "account and lock together; all others are told “taken”.",
        looks=False,
        is_guarantee=True,
    ),
}

READ, WRITE = "read", "write"
FREE, TAKEN, WRITTEN, FAILED = "free", "taken", "written", "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """One request of one sign-up and its answer, in milliseconds since the start.

    ``answer`` is ``free`` or ``taken`` for a look; ``written``, ``taken`` (refused by the lock) or
    ``failed`` for a write; any step can have ``failed``.
    """

    sign_up: int
    kind: str
    began_ms: float
    ended_ms: float
    answer: str


@dataclass(frozen=True, slots=True)
class Lane:
    """The steps of one sign-up, in one way. ``end`` is a row of ``ENDS``, "" before its end."""

    number: int
    look: Step | None
    write: Step | None
    end: str


ENDS: Mapping[str, str] = {
    "first": "the first account",
    "another": "one more account",
    "taken": "told “taken”",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class Heat:
    """What was recorded of one way: its steps as they ended, and the accounts that were read back.

    ``accounts`` is ``None`` while it runs; ``trouble`` is why the first step failed that did.
    """

    way: str
    steps: tuple[Step, ...] = ()
    accounts: int | None = None
    trouble: Trouble | None = None

    def count(self, kind: str, answer: str) -> int:
        """How many sign-ups had that answer to that kind of step."""
        return sum(step.kind == kind and step.answer == answer for step in self.steps)

    @property
    def failed(self) -> int:
        """How many steps failed for another reason than the address."""
        return self.count(READ, FAILED) + self.count(WRITE, FAILED)

    @property
    def first_written_ms(self) -> float | None:
        """When the first account was in the table; ``None`` if there never was one."""
        return min((step.ended_ms for step in self.steps if step.answer == WRITTEN), default=None)

    @property
    def last_ms(self) -> float:
        """When the last step so far ended; 0 before any."""
        return max((step.ended_ms for step in self.steps), default=0.0)

    def lanes(self, sign_ups: int) -> tuple[Lane, ...]:
        """What each sign-up did, in the order of arrival."""
        steps = {(step.sign_up, step.kind): step for step in self.steps}
        first = min((s for s in self.steps if s.answer == WRITTEN), key=_ended, default=None)
        return tuple(
            _lane(number, steps.get((number, READ)), steps.get((number, WRITE)), first)
            for number in range(1, sign_ups + 1)
        )

    @property
    def verdict(self) -> str:
        """A row of ``VERDICTS``; "" while the accounts have not been read back."""
        if self.accounts is None:
            return ""
        if self.accounts > 1:
            return "broken" if WAYS[self.way].is_guarantee else "lost"
        if self.accounts == 0:
            return "nobody"
        return "kept" if WAYS[self.way].is_guarantee else "lucky"


VERDICTS: Mapping[str, str] = {
    "lost": "Each of them was told that the address is theirs.",
    "lucky": "Luck, not a rule: try another seed, more sign-ups or a longer gap.",
    "kept": "Everyone else was told “taken”.",
    "broken": "This engine does not keep its transactions apart. DynamoDB does.",
    "nobody": "No account was written: see what failed.",
}


@dataclass(frozen=True, slots=True)
class Report:
    """A race as far as it has come.

    ``state`` is a row of ``STATES``; ``left`` is a scratch table that has not been removed.
    """

    race: Race
    place: str
    state: str
    heats: tuple[Heat, ...] = ()
    trouble: Trouble | None = None
    left: str | None = None

    @property
    def is_running(self) -> bool:
        """Whether more is to come."""
        return self.state == "running"

    @property
    def done(self) -> int:
        """How many sign-ups have come to their end, in all ways."""
        return sum(_finished(heat) for heat in self.heats)

    @property
    def total(self) -> int:
        """How many sign-ups there are in all ways."""
        return len(WAYS) * self.race.sign_ups

    def as_document(self) -> Json:
        """The whole record as JSON: times in milliseconds since the start of each way."""
        return {
            **asdict(self.race),
            "email": EMAIL,
            "endpoint": self.place,
            "state": self.state,
            "ways": [_heat_document(heat) for heat in self.heats],
            "trouble": self.trouble.as_document() if self.trouble else None,
        }


STATES: Mapping[str, str] = {
    "running": "The race is on.",
    "done": "The race is over.",
    "cancelled": "The race was stopped.",
    "failed": "The race could not be held.",
}


def read_race(given: Mapping[str, str]) -> Race:
    """The race that texts ask for; what is left out is as usual.

    Raises ``Refused`` with every number that is none or out of its bounds.
    """
    problems = Problems()
    numbers = {name: _number(name, given.get(name), problems) for name in BOUNDS}
    problems.refuse()
    return Race(**numbers)


def schedule(race: Race) -> tuple[Start, ...]:
    """Every sign-up of a race in the order of arrival; the same for the same seed, everywhere.

    All arrive within one gap; each thinks from half a gap to one and a half.
    """
    chance = random.Random(race.seed)  # noqa: S311 - it must be repeatable, not secret
    arrivals = sorted(chance.random() for _ in range(race.sign_ups))
    return tuple(
        Start(
            number,
            account=f"{int(chance.random() * 0x1000000):06x}{number:02x}",
            arrives_ms=round(arrival * race.gap_ms, 3),
            thinks_ms=round((0.5 + chance.random()) * race.gap_ms, 3),
        )
        for number, arrival in enumerate(arrivals, start=1)
    )


def _number(name: str, given: str | None, problems: Problems) -> int:
    low, high, usual, _ = BOUNDS[name]
    if given is None:
        return usual
    text = given.strip()
    if text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high:
        return int(text)
    problems.add(
        "form-race-number", f"/{name}", given=excerpt(given) or "Nothing", low=low, high=high,
        usual=usual,
    )  # fmt: skip
    return usual


def _ended(step: Step) -> float:
    return step.ended_ms


def _lane(number: int, look: Step | None, write: Step | None, first: Step | None) -> Lane:
    last = write or look
    if last is None or last.answer == FREE:
        end = ""
    elif last.answer == WRITTEN:
        end = "first" if last is first else "another"
    else:
        end = last.answer
    return Lane(number, look, write, end)


def _finished(heat: Heat) -> int:
    return sum(step.kind == WRITE or step.answer != FREE for step in heat.steps)


def _heat_document(heat: Heat) -> Json:
    return {
        "way": heat.way,
        "guarantee": WAYS[heat.way].is_guarantee,
        "read_free": heat.count(READ, FREE),
        "read_taken": heat.count(READ, TAKEN),
        "wrote": heat.count(WRITE, WRITTEN),
        "refused": heat.count(WRITE, TAKEN),
        "failed": heat.failed,
        "first_written_ms": heat.first_written_ms,
        "accounts": heat.accounts,
        "steps": [asdict(step) for step in heat.steps],
    }
