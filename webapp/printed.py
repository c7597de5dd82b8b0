"""What commands print for reading.

Rule: lines of text made from the core's values, and nothing that the core does not say. The reason:
page, API and command line must never disagree, and a person at a terminal reads from the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from webapp.core import jsontext
from webapp.core.expressions.places import TextProblem
from webapp.core.failures.explain import Explanation, SlotFinding, told_once
from webapp.core.linting.lint import Fault, Report
from webapp.core.linting.pattern_faults import Advice
from webapp.core.problems import Problem


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """What happened and what to do, then every field, then every failing slot with what it met."""
    yield explanation.message
    yield explanation.hint
    yield f"Send it again? {explanation.sending}"
    yield f"Tell the user: {explanation.tell_user}"
    fields = {name: [n.message for n in notes] for name, notes in explanation.fields.items()}
    yield from field_lines(fields)
    for finding in explanation.slots:
        yield from _slot_lines(finding)


def field_lines(fields: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """What is said of each field; what is said of several alike stands once."""
    for names, messages in told_once(fields):
        yield from (f"  {', '.join(names)}: {message}" for message in messages)


def _slot_lines(finding: SlotFinding) -> Iterator[str]:
    planned = finding.planned
    yield f"  slot {planned.slot}, {planned.place}: {finding.reason.code}: {finding.meaning}"
    if finding.existing:
        yield f"    the item that was met: {jsontext.pretty(finding.existing, width=10_000)}"


def report_lines(report: Report) -> Iterator[str]:
    """Every problem in the service's order, with its answer; then what is unwise, corrected."""
    for fault in report.problems:
        yield from _fault_lines(fault)
    for advice in report.warnings:
        yield from _advice_lines(advice)
    counted = f"problems {len(report.problems)}, warnings {len(report.warnings)}"
    yield f"{'Valid' if report.valid else 'Refused'}: {counted}."


def _fault_lines(fault: Fault) -> Iterator[str]:
    yield _problem_line(fault.problem)
    yield from _caret_lines(fault.problem)
    if fault.answer is not None:
        yield f"  DynamoDB: {fault.answer.type}: {fault.answer.text or '…'}"


def _advice_lines(advice: Advice) -> Iterator[str]:
    yield f"warning: {_problem_line(advice.problem)}"
    for correction in advice.corrected:
        slot, action = correction["slot"], correction["action"]
        place = "add" if slot is None else f"slot {slot}"
        yield f"  {place}: {'leave it out' if action is None else jsontext.write(action).decode()}"


def _problem_line(problem: Problem) -> str:
    return f"{problem.path.removeprefix('/request') or '/'}: {problem.message} {problem.hint}"


def problem_lines(problem: Problem, kind: str = "") -> Iterator[str]:
    """A problem after its ``kind``, and under it the place in the expression it is about."""
    yield f"{kind}{problem.path or '/'}: {problem.message} {problem.hint}"
    yield from _caret_lines(problem)


def _caret_lines(problem: Problem) -> Iterator[str]:
    if isinstance(problem, TextProblem):
        yield from (f"    {line}" for line in problem.caret.splitlines())
