"""What a check found, as it is shown: each fault with its line, each warning with its correction.

Rule: the faults stand in the order in which DynamoDB would name them, each with the line of the
pasted text, our words and the service's own. The reason: people look for the text they were given,
and for the place where they must type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.expressions.places import TextProblem
from webapp.core.jsontext import pretty
from webapp.core.linting.corrections import Correction
from webapp.core.linting.lint import Fault, Report
from webapp.core.linting.pattern_faults import Advice
from webapp.core.problems import Problem
from webapp.web.highlight import MOST_SHOWN, highlighted
from webapp.web.pasted import Pasted, lines_in
from webapp.web.texts import gettext, ngettext, say
from webapp.web.visible import spelled, visible

MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something is wrong: pointer, line (0: not known), that line, caret in expressions."""

    path: str
    line: int
    source: str
    caret: str


@dataclass(frozen=True, slots=True)
class FaultView:
    """What DynamoDB would refuse: where, our words, its error type and text ("" if not known)."""

    spot: Spot
    message: str
    hint: str
    type: str
    text: str


@dataclass(frozen=True, slots=True)
class CorrectionView:
    """What to do with an action, and the action as JSON ("" where it is left out)."""

    title: str
    code: Markup


@dataclass(frozen=True, slots=True)
class AdviceView:
    """What is unwise: where, the reason, and the corrected actions."""

    spot: Spot
    message: str
    hint: str
    corrections: tuple[CorrectionView, ...]


@dataclass(frozen=True, slots=True)
class ReportView:
    """The whole report; ``more`` faults and warnings are not listed."""

    tone: str
    headline: str
    hint: str
    faults: tuple[FaultView, ...]
    warnings: tuple[AdviceView, ...]
    more: int


def report_view(report: Report, area: Pasted) -> ReportView:
    """The view of a report on what was pasted into ``area``."""
    faults, warnings = report.problems[:MOST_LISTED], report.warnings[:MOST_LISTED]
    problems = [fault.problem for fault in faults] + [advice.problem for advice in warnings]
    spots = _Spots(area, problems)
    return ReportView(
        tone="bad" if report.problems else "unsure" if report.warnings else "good",
        headline=_headline(report),
        hint=_hint(report),
        faults=tuple(_fault_view(fault, spots) for fault in faults),
        warnings=tuple(_advice_view(advice, spots) for advice in warnings),
        more=len(report.problems) + len(report.warnings) - len(problems),
    )


def _headline(report: Report) -> str:
    count = len(report.problems)
    if count:
        return ngettext(
            "DynamoDB would refuse this: %(num)s problem.",
            "DynamoDB would refuse this: %(num)s problems.",
            count,
        )
    if report.warnings:
        return ngettext(
            "DynamoDB would take this. %(num)s warning.",
            "DynamoDB would take this. %(num)s warnings.",
            len(report.warnings),
        )
    return gettext("Nothing is wrong with this.")


def _hint(report: Report) -> str:
    if report.problems:
        return gettext("In the order in which it would say so: it names only the first.")
    if report.warnings:
        return gettext("The request is well formed; these faults show only later, in the data.")
    return gettext("Whether its conditions hold only the table can say.")


class _Spots:
    """Where problems stand in a text area."""

    def __init__(self, area: Pasted, problems: Sequence[Problem]) -> None:
        self._area = area
        self._lines = area.text.split("\n")
        self._numbers = lines_in(area, problems) if len(self._lines) > 1 else {}

    def of(self, problem: Problem) -> Spot:
        """The spot of a problem; a text of one line has no line worth showing."""
        number = self._numbers.get(problem.path, 0)
        return Spot(
            path=visible(problem.path.removeprefix(self._area.at)),
            line=number,
            source=visible(self._lines[number - 1].strip()) if number else "",
            caret=spelled_lines(problem.caret) if isinstance(problem, TextProblem) else "",
        )


def spelled_lines(text: str) -> str:
    """Some lines of text with unseen characters written out."""
    return "\n".join(map(spelled, text.split("\n")))


def _fault_view(fault: Fault, spots: _Spots) -> FaultView:
    said, answer = say(fault.problem), fault.answer
    return FaultView(
        spots.of(fault.problem),
        spelled(said.message),
        spelled(said.hint),
        answer.type if answer else "",
        visible(answer.text) if answer else "",
    )


def _advice_view(advice: Advice, spots: _Spots) -> AdviceView:
    said = say(advice.problem)
    return AdviceView(
        spots.of(advice.problem),
        spelled(said.message),
        spelled(said.hint),
        tuple(map(_correction_view, advice.corrected)),
    )


def _correction_view(correction: Correction) -> CorrectionView:
    slot, action = correction["slot"], correction["action"]
    if action is None:
        return CorrectionView(gettext("Leave slot %(slot)s out", slot=slot), Markup())
    title = (
        gettext("Add this action")
        if slot is None
        else gettext("Put this in place of slot %(slot)s", slot=slot)
    )
    return CorrectionView(title, highlighted(pretty(action)[:MOST_SHOWN]))
