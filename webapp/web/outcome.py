"""What came of a run, for the page: the verdict, the fields, the marks on the board, the status.

Rule: the outcome says what is known and nothing more; a field is blamed only by the explanation of
its own slot. The reason: "taken" shown for a throttled write sends a person away for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from webapp.answers import Committed, Rejected, Unknown, Unreachable
from webapp.core.failures.explain import Explanation
from webapp.core.failures.replay import REPEATED, VERDICTS, Standing
from webapp.core.failures.serviceerror import CANCELLED
from webapp.core.jsontext import pretty
from webapp.runs import Run, explanation_of
from webapp.sending import Ended
from webapp.web.board import Row
from webapp.web.explanation import ExplanationView, explanation_view
from webapp.web.finding import Finding, finding_view
from webapp.web.texts import Said, gettext, ngettext, say_trouble, tell

CONDITION_FAILED = "ConditionalCheckFailed"
OVERTAKEN = frozenset({"missing-or-changed", "held-by-another"})
NO_TABLE = "no-such-table"
MOST_CARRIED = 200_000
"""Characters of an error that go back and forth with the form; what a form may hold is bounded."""
MISFITS = frozenset({NO_TABLE, "invalid-request", "invalid-action"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run. ``tone`` is ``good``, ``bad`` or ``unsure``; ``status`` is HTTP's.

    ``error`` is the service's answer as JSON, without items that would make it too long; "" where
    it did not refuse.
    """

    tone: str
    status: int
    headline: str
    hint: str
    endpoint: str
    explanation: Explanation | None = None
    attempts: int = 1
    error: str = ""

    @property
    def is_committed(self) -> bool:
        """Whether everything was written."""
        return self.tone == "good"

    @property
    def overtaken(self) -> tuple[int, ...]:
        """The changes whose records are not as the plan took them to be, in order."""
        slots = self.explanation.slots if self.explanation else ()
        found = (slot.planned for slot in slots if slot.reason.code == CONDITION_FAILED)
        numbers = {
            planned.change
            for planned in found
            if planned.change is not None and planned.failure in OVERTAKEN
        }
        return tuple(sorted(numbers))

    @property
    def is_misfit(self) -> bool:
        """Whether the real table may differ from the design."""
        if self.explanation is None:
            return False
        slots = self.explanation.slots
        return self.explanation.cause in MISFITS or any(s.cause in MISFITS for s in slots)

    @property
    def lacks_table(self) -> bool:
        """Whether a table of the plan was not found."""
        return self.explanation is not None and self.explanation.cause == NO_TABLE

    @property
    def explained(self) -> ExplanationView | None:
        """The explanation as it is shown; a missing table is nothing to tell a user about."""
        if self.explanation is None:
            return None
        view = explanation_view(self.explanation)
        return replace(view, tell_user="") if self.lacks_table else view


def outcome_of(run: Run, ended: Ended, endpoint: str) -> Outcome:
    """The outcome of a run: what the stored items say where the answer does not."""
    answer, standing = ended.answer, ended.standing
    if standing is not None and standing.verdict == "already-done":
        said = VERDICTS["already-done"]
        texts = gettext(said.message), gettext(said.hint)
        return Outcome("good", 200, *texts, endpoint, attempts=answer.attempts)
    if isinstance(answer, Committed):
        return _committed(answer, len(run.slots), ended.was_sent, endpoint)
    outcome = (
        _rejected(run, answer, endpoint)
        if isinstance(answer, Rejected)
        else _lost(run, answer, endpoint)
    )
    return outcome if standing is None else _with_standing(outcome, standing)


def _committed(answer: Committed, count: int, was_sent: bool, endpoint: str) -> Outcome:
    written = ngettext(
        "%(num)s action was written.", "All %(num)s actions were written, at once.", count
    )
    if was_sent:
        written = gettext(REPEATED)
    return Outcome("good", 200, gettext("Committed."), written, endpoint, attempts=answer.attempts)


def _rejected(run: Run, answer: Rejected, endpoint: str) -> Outcome:
    explanation = explanation_of(run, answer)
    said = Said(tell(explanation.message), tell(explanation.hint))
    if answer.trouble:
        said = say_trouble(answer.trouble)
    status = 409 if explanation.error == CANCELLED else 502
    error = _carried(answer)
    return Outcome(
        "bad", status, said.message, said.hint, endpoint, explanation, answer.attempts, error
    )


def _carried(answer: Rejected) -> str:
    """The error as the page of explanations can take it over; "" for one that is too long."""
    reasons = [{n: said for n, said in reason.items() if n != "Item"} for reason in answer.reasons]
    bare = {**answer.error, "CancellationReasons": reasons}
    texts = (pretty(error) for error in (answer.error, bare))
    return next((text for text in texts if len(text) <= MOST_CARRIED), "")


def _lost(run: Run, answer: Unreachable | Unknown, endpoint: str) -> Outcome:
    said = say_trouble(answer.trouble)
    tone = "unsure" if isinstance(answer, Unknown) else "bad"
    explanation = explanation_of(run, answer)
    return Outcome(tone, 502, said.message, said.hint, endpoint, explanation, answer.attempts)


def _with_standing(outcome: Outcome, standing: Standing) -> Outcome:
    """The outcome with what the stored items say in front."""
    said = VERDICTS[standing.verdict]
    hint = f"{gettext(said.hint)} {outcome.headline} {outcome.hint}"
    return replace(outcome, headline=gettext(said.message), hint=hint)


def marked(rows: tuple[Row, ...], outcome: Outcome | None) -> tuple[Row, ...]:
    """The rows of the board with what the run says of each."""
    if outcome is None:
        return rows
    if outcome.is_committed:
        return tuple(row if row.slot is None else replace(row, state="done") for row in rows)
    findings = outcome.explanation.slots if outcome.explanation else ()
    if not findings:
        return rows
    found = {finding.planned.slot: finding_view(finding) for finding in findings}
    return tuple(_marked(row, found) for row in rows)


def _marked(row: Row, found: Mapping[int, Finding]) -> Row:
    if row.slot is None:
        return row
    if row.slot in found:
        return replace(row, state="failed", finding=found[row.slot])
    return replace(row, state="blameless")
