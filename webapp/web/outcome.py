"""What came of a run, for the page: the verdict, the fields, the marks on the board, the status.

Rule: the outcome says what is known and nothing more; a field is blamed only by the explanation of
its own slot. The reason: "taken" shown for a throttled write sends a person away for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from webapp.answers import Answer, Committed, Rejected, Unknown, Unreachable
from webapp.core.explain import Explanation, explain
from webapp.web.board import Row
from webapp.web.texts import gettext, say_trouble


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run. ``tone`` is ``good``, ``bad`` or ``unsure``; ``status`` is HTTP's."""

    tone: str
    status: int
    headline: str
    hint: str
    endpoint: str
    explanation: Explanation | None = None
    attempts: int = 1
    units: str = ""

    @property
    def is_committed(self) -> bool:
        """Whether everything was written."""
        return self.tone == "good"


def outcome_of(
    answer: Answer, slots: list[dict[str, Any]], owner: str | None, endpoint: str
) -> Outcome:
    """The outcome of sending a plan with these ``slots``."""
    match answer:
        case Committed():
            return _committed(answer, len(slots), endpoint)
        case Rejected():
            return _rejected(answer, slots, owner, endpoint)
        case Unreachable():
            said = say_trouble(answer.trouble)
            return Outcome("bad", 502, said.message, said.hint, endpoint, None, answer.attempts)
        case Unknown():
            said = say_trouble(answer.trouble)
            return Outcome("unsure", 502, said.message, said.hint, endpoint, None, answer.attempts)


def _committed(answer: Committed, count: int, endpoint: str) -> Outcome:
    return Outcome(
        "good",
        200,
        gettext("Committed."),
        gettext(
            "All %(count)s actions were written to %(name)s at once.", count=count, name=endpoint
        ),
        endpoint,
        attempts=answer.attempts,
        units=_units(answer.body),
    )


def _units(body: Mapping[str, Any]) -> str:
    consumed = body.get("ConsumedCapacity")
    if not isinstance(consumed, list):
        return ""
    units = [c.get("CapacityUnits") for c in consumed if isinstance(c, dict)]
    numbers = [u for u in units if isinstance(u, int | float)]
    return f"{sum(numbers):g}" if numbers else ""


def _rejected(
    answer: Rejected, slots: list[dict[str, Any]], owner: str | None, endpoint: str
) -> Outcome:
    explanation = explain(slots, answer.error, owner)
    said = say_trouble(answer.trouble) if answer.trouble else None
    headline = said.message if said else explanation.message
    hint = said.hint if said else explanation.hint
    status = 409 if explanation.slots else 502
    return Outcome("bad", status, headline, hint, endpoint, explanation, answer.attempts)


def marked(rows: tuple[Row, ...], outcome: Outcome | None) -> tuple[Row, ...]:
    """The rows of the board with what the run says of each."""
    if outcome is None:
        return rows
    if outcome.is_committed:
        return tuple(row if row.slot is None else replace(row, state="done") for row in rows)
    findings = outcome.explanation.slots if outcome.explanation else ()
    if not findings:
        return rows
    meanings = {finding.planned.slot: finding.meaning for finding in findings}
    return tuple(_marked(row, meanings) for row in rows)


def _marked(row: Row, meanings: Mapping[int, str]) -> Row:
    if row.slot is None:
        return row
    if row.slot in meanings:
        return replace(row, state="failed", finding=meanings[row.slot])
    return replace(row, state="blameless")
