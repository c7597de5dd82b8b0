"""What the draft comes to: a plan or its problems, as one frozen view.

Rule: page, fragment, download and run all start here and make everything anew; what a page showed
earlier is never trusted. The reason: the text that is sent must be the text of the plan that was
checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from webapp.core import documents, jsontext
from webapp.core.limits import ACTIONS, ITEM_BYTES, TRANSACTION_BYTES
from webapp.core.planning.plan import Plan, Planner
from webapp.core.problems import Problem, Refused
from webapp.web.board import Row, board, key_texts
from webapp.web.draft import Draft, needed_controls, pairs_of, row_numbers
from webapp.web.formwords import say_in_form
from webapp.web.highlight import MOST_SHOWN, highlighted
from webapp.web.labels import label_of, wanted_at
from webapp.web.outcome import Outcome, marked
from webapp.web.texts import gettext, ngettext, tell
from webapp.web.writing import Written, write


@dataclass(frozen=True, slots=True)
class Notice:
    """A problem or warning at a control: its name ("" if none), its label, and what is said."""

    control: str
    label: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Meter:
    """One figure of the budget next to its limit."""

    name: str
    text: str
    share: int


@dataclass(frozen=True, slots=True)
class Result:
    """A draft with what came of it: a plan, or the problems that forbid it.

    ``planner`` is the design ready for its plans, where the design is in order.
    """

    draft: Draft
    written: Written
    plan: Plan | None
    problems: tuple[Problem, ...]
    planner: Planner | None

    @property
    def status(self) -> int:
        """200 for a plan, 422 for problems."""
        return 200 if self.plan else 422


def result_of(draft: Draft, secret: str | None) -> Result:
    """The plan of a draft, or everything that forbids it."""
    written = write(draft)
    planner = None
    try:
        asked = documents.read_request(written.document, secret=secret)
        planner = asked.planner
        plan = asked.plan()
    except Refused as refused:
        return Result(draft, written, None, written.with_problems(refused.problems), planner)
    made = None if written.problems else plan
    return Result(draft, written, made, written.problems, planner)


@dataclass(frozen=True, slots=True)
class ResultView:
    """The right side of the page.

    ``bar`` is how it stands in a few words, after a run what came of it; ``open`` is what misses
    in controls that are still empty.
    """

    bar: str
    is_ready: bool
    problems: tuple[Notice, ...]
    open: tuple[Notice, ...]
    rows: tuple[Row, ...]
    meters: tuple[Meter, ...]
    warnings: tuple[Notice, ...]
    code: Markup
    is_cut: bool
    outcome: Outcome | None

    @property
    def actions(self) -> int:
        """The actions on the board; a lock that rests is none."""
        return sum(row.slot is not None for row in self.rows)


def view_of(
    result: Result, outcome: Outcome | None = None, more: tuple[Problem, ...] = ()
) -> ResultView:
    """The view of a result; ``more`` are problems from elsewhere, like a design that was loaded."""
    plan, found = result.plan, (*more, *result.problems)
    awaited = _awaited(result)
    told = tuple(_notice(problem, result) for problem in found if problem not in awaited)
    unfilled = _open(result, told)
    empty = {notice.control for notice in unfilled}
    problems = tuple(notice for notice in told if notice.control not in empty)
    open_ = _by_record((*unfilled, *(_notice(problem, result) for problem in awaited)))
    code, is_cut = _code(plan.text) if plan else (Markup(), False)
    return ResultView(
        bar=outcome.headline if outcome else _bar(plan, len(problems), len(open_)),
        is_ready=plan is not None and not more,
        problems=problems,
        open=open_,
        rows=marked(board(plan, result.written.document), outcome) if plan else (),
        meters=_meters(plan) if plan else (),
        warnings=tuple(_notice(warning, result) for warning in plan.warnings) if plan else (),
        code=code,
        is_cut=is_cut,
        outcome=outcome,
    )


def _code(text: bytes) -> tuple[Markup, bool]:
    """A request for reading, and whether it is only its beginning; small ones are remembered."""
    return _small_code(text) if len(text) <= LARGEST_REMEMBERED else _read_code(text)


@lru_cache(maxsize=64)
def _small_code(text: bytes) -> tuple[Markup, bool]:
    return _read_code(text)


def _read_code(text: bytes) -> tuple[Markup, bool]:
    readable = jsontext.pretty(jsontext.parsed(text))
    return highlighted(readable[:MOST_SHOWN]), len(readable) > MOST_SHOWN


AWAITED = frozenset({"required-missing", "before-unknown", "change-empty", "key-part-missing"})
"""Problems that are no mistakes where the form has no control yet for what they want."""


def _awaited(result: Result) -> tuple[Problem, ...]:
    """What is missing where no control is: an attribute without a row, a key part not typed."""
    if not result.problems:
        return ()
    typed = {name for name, _ in pairs_of(result.draft)}
    return tuple(
        problem
        for problem in result.problems
        if problem.code in AWAITED and result.written.control(problem.path) not in typed
    )


def _open(result: Result, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """What misses in controls that nothing was typed into, in their order: no mistakes yet."""
    if result.plan:
        return ()
    said = {notice.control: notice for notice in notices}
    needed = frozenset(needed_controls(result.draft))
    return tuple(
        _wanted(name, said.get(name), result.draft)
        for name, text in pairs_of(result.draft)
        if not text and (name in needed or name in said)
    )


def _by_record(notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """What is still to fill in: in the design first, then record by record."""
    return tuple(sorted(notices, key=lambda notice: _record_of(notice.control)))


def _record_of(control: str) -> int:
    """The number of the record that a control belongs to; below all of them for the design's."""
    rows = row_numbers(control)
    return rows[0][1] if rows and rows[0][0] == "changes" else -1


def _wanted(control: str, notice: Notice | None, draft: Draft) -> Notice:
    """A problem of an empty control, said as a request."""
    wanted = wanted_at(control)
    if notice is not None and not wanted:
        return notice
    return Notice(control, label_of(control, draft), wanted, "")


def _bar(plan: Plan | None, problems: int, missing: int) -> str:
    if problems:
        return ngettext("%(num)s problem", "%(num)s problems", problems)
    if plan is None:
        return ngettext("%(num)s thing to fill in", "%(num)s things to fill in", missing)
    return ngettext("%(num)s action, ready", "%(num)s actions, ready", len(plan.slots))


def _notice(problem: Problem, result: Result) -> Notice:
    control = result.written.control(problem.path) or ""
    said = say_in_form(problem)
    return Notice(control, label_of(control, result.draft), said.message, said.hint)


def _meters(plan: Plan) -> tuple[Meter, ...]:
    budget = plan.budget
    least = "≥ " if budget.lower_bound else ""
    size, largest = budget.bytes, budget.largest_item_bytes
    return (
        _meter(gettext("Actions"), budget.actions, ACTIONS, str(budget.actions), str(ACTIONS)),
        _meter(gettext("Size"), size, TRANSACTION_BYTES, least + size_text(size), "4 MB"),
        _meter(gettext("Largest item"), largest, ITEM_BYTES, least + size_text(largest), "400 KB"),
        Meter(gettext("Write units"), f"{least}{budget.write_units}", share=-1),
    )


def _meter(name: str, amount: int, limit: int, text: str, limit_text: str) -> Meter:
    """A figure as a share of its limit, in percent, never 0 for something."""
    said = gettext("%(amount)s of %(limit)s", amount=text, limit=limit_text)
    return Meter(name, said, -(-100 * amount // limit))


def size_text(count: int) -> str:
    """A number of bytes for reading."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.1f} KB" if count < 1024**2 else f"{count / 1024**2:.2f} MB"


def notes_of(
    result: Result, problems: tuple[Notice, ...], outcome: Outcome | None
) -> Mapping[str, str]:
    """What stands under each control: its problems, and what a run said of it."""
    notes: dict[str, list[str]] = {}
    for notice in problems:
        notes.setdefault(notice.control, []).append(f"{notice.message} {notice.hint}".strip())
    for control, message in _blamed(result, outcome):
        notes.setdefault(control, []).append(message)
    return {control: "\n".join(dict.fromkeys(said)) for control, said in notes.items() if control}


def _blamed(result: Result, outcome: Outcome | None) -> list[tuple[str, str]]:
    """The controls that a failed run names, with what it says."""
    if outcome is None or outcome.explanation is None:
        return []
    return [
        (control, tell(note.message))
        for name, found in outcome.explanation.fields.items()
        for note in found
        if (control := _control_of(name, note.change, result))
    ]


def _control_of(name: str, index: int | None, result: Result) -> str | None:
    """The control of a field of a change; a part of the key leads to the key's control."""
    at = index or 0
    change = result.draft.changes[at]
    side = "becomes" if change.operation == "change" else "value"
    for number, row in enumerate(change.attributes):
        if row.name == name:
            return f"changes/{at}/attributes/{number}/{side}"
    return result.written.control(f"/changes/{at}/key")


@dataclass(frozen=True, slots=True)
class Preview:
    """The lock keys that a rule makes of the values in the form; ``more`` are not shown.

    Not known while the design has problems.
    """

    keys: tuple[tuple[str, ...], ...] = ()
    more: int = 0
    is_known: bool = False


MOST_KEYS = 3
LARGEST_REMEMBERED = 16 * 1024
Key = dict[str, Any]


def previews_of(result: Result, secret: str | None) -> tuple[Preview, ...]:
    """For each rule the locks of the records as they will be (of one that is deleted, as it is)."""
    planner = result.planner
    if planner is None:
        return tuple(Preview() for _ in result.draft.rules)
    changes = result.written.document["changes"]
    images = [documents.known_values(_image(change)) for change in changes]
    return tuple(
        _preview(
            _distinct(
                [documents.lock_keys(planner, number, image, secret=secret) for image in images]
            )
        )
        for number in range(len(planner.rules))
    )


def _distinct(found: Sequence[list[Key]]) -> list[Key]:
    """The keys of all records, each once, in order."""
    if len(found) == 1:
        return found[0]
    return list({str(key): key for keys in found for key in keys}.values())


def _preview(keys: list[Key]) -> Preview:
    return Preview(
        tuple(map(key_texts, keys[:MOST_KEYS])), max(0, len(keys) - MOST_KEYS), is_known=True
    )


def _image(change: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record's values after the change; before it, for a record that is deleted."""
    match change["operation"]:
        case "create":
            return change["item"]  # type: ignore[no-any-return]
        case "change":
            after = {**change["before"], **change["after"]}
            return {name: value for name, value in after.items() if value is not None}
        case _:
            return {name: value for name, value in change["before"].items() if value is not None}
