"""What the first page shows: one frozen view of what a request came to.

Rule: everything that a template needs is made here, from the answer and nothing else; what a run or
a look at a record said stands at the controls it is about. The reason: page and part, with a script
and without, must show the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from flask import Response, request

from webapp.core import jsontext
from webapp.core.problems import Problem
from webapp.web import htmx
from webapp.web.attempted import AttemptView, attempt_view
from webapp.web.choices import CHOICES, Choices
from webapp.web.draft import Change, Draft
from webapp.web.forms import sent
from webapp.web.loading import design_link
from webapp.web.navigation import Frame, frame
from webapp.web.outcome import Outcome
from webapp.web.responses import respond
from webapp.web.result import (
    Preview,
    Result,
    ResultView,
    notes_of,
    previews_of,
    result_of,
    view_of,
)
from webapp.web.rulednames import named_by, without_row
from webapp.web.sendings import Kept, sendings
from webapp.web.settings import settings
from webapp.web.stored import RecordView
from webapp.web.texts import gettext
from webapp.web.tokens import seeded, token_of
from webapp.web.visible import visible
from webapp.web.whereabouts import Fact, facts_of
from webapp.web.writing import key_names

PARTS = {"result": "partials/update.html", "work": "partials/work.html"}
CONFIRM = "confirm"
"""The control in which the table's name is typed before anything is written to AWS."""


@dataclass(frozen=True, slots=True)
class RunTarget:
    """An endpoint: whether plans can be run there, and whether the table's name must be typed.

    ``is_all_read_only`` is whether that holds for every endpoint of this server; ``facts`` say
    where a plan goes that can be run there.
    """

    name: str
    may_write: bool
    is_local: bool
    is_all_read_only: bool
    facts: tuple[Fact, ...]


class Told(NamedTuple):
    """Marks of what the summaries and the previews beside the fields say.

    The form sends them back, and what would say the same again is not written again.
    """

    summaries: str
    previews: str


class Making(NamedTuple):
    """Tables that were not found: their names, where, and whether they can be made from here."""

    tables: tuple[str, ...]
    endpoint: str
    may_make: bool


class Course(NamedTuple):
    """A sending that is on its way: the attempts so far, where it goes, whether it is stopped."""

    name: str
    endpoint: str
    attempts: tuple[AttemptView, ...]
    is_stopped: bool


@dataclass(frozen=True, slots=True)
class View:
    """Everything the page shows."""

    frame: Frame
    choices: Choices
    draft: Draft
    key_names: tuple[str, ...]
    result: ResultView
    notes: Mapping[str, str]
    cleared: tuple[str, ...]
    previews: tuple[Preview, ...]
    targets: tuple[RunTarget, ...]
    focus: str | None
    pasted: str
    is_posted: bool
    is_update: bool
    said_before: str
    told: Told
    told_before: str
    has_new_keys: bool
    token: str
    sent: str
    confirm: str
    course: Course | None
    records: tuple[RecordView, ...]
    loaded: RecordView | None
    making: Making | None

    @property
    def link(self) -> str:
        """The design as text for an address."""
        return design_link(self.draft)

    @property
    def ruled_names(self) -> tuple[str, ...]:
        """The attributes that the rules speak of."""
        return named_by(self.draft.rules)

    def without_row(self, change: Change) -> tuple[str, ...]:
        """What the rules speak of and no row of a record names, as a person can see it."""
        return tuple(map(visible, without_row(self.draft.rules, change)))

    @property
    def lock_has_sort(self) -> bool:
        """Whether the table that holds the locks has a sort key."""
        locks = self.draft.locks
        return (locks.table if locks.own_table else self.draft.table).sort.type != ""

    @property
    def is_runnable(self) -> bool:
        """Whether there is an endpoint that may be written to."""
        return any(target.may_write for target in self.targets)

    @property
    def wants_confirmation(self) -> bool:
        """Whether there is an endpoint that is written to only with the table's name typed."""
        return any(target.may_write and not target.is_local for target in self.targets)

    def opens(self, *starts: str) -> bool:
        """Whether a folded part must be open: a problem stands at one of its controls."""
        return any(name.startswith(start) for name in self.notes for start in starts)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request came to, before it is shown.

    ``is_loaded`` is whether a design was just loaded, ``is_new`` whether a person goes on after a
    success. ``records`` are what was read after a run, ``loaded`` is what was read into the form,
    ``course`` is the name of a sending that goes on, ``sent`` a token that was or may be written.
    """

    result: Result
    outcome: Outcome | None = None
    problems: tuple[Problem, ...] = ()
    focus: str | None = None
    is_loaded: bool = False
    is_new: bool = False
    records: tuple[RecordView, ...] = ()
    loaded: RecordView | None = None
    course: str = ""
    sent: str = ""

    @property
    def status(self) -> int:
        """The status that tells the truth about it."""
        if self.outcome:
            return self.outcome.status
        if self.problems:
            return 422
        if self.loaded and self.loaded.status != 200:
            return self.loaded.status
        return self.result.status


def result_now(draft: Draft) -> Result:
    """What a draft comes to, with a seed for its token."""
    return result_of(seeded(draft), settings().secret)


def shown(answer: Answer) -> Response:
    """The page, or the part that htmx asked for, with the status of the answer."""
    return respond(_view(answer), "pages/transaction.html", PARTS, answer.status)


def course_of(name: str, kept: Kept) -> Course:
    """How far a sending is."""
    sending = kept.sending
    attempts = tuple(map(attempt_view, sending.attempts))
    return Course(name, kept.endpoint, attempts, sending.is_stopped)


def _view(answer: Answer) -> View:
    form = sent()
    result = answer.result
    draft = result.draft
    course = _course(answer)
    shown_result = _under_way(view_of(result, answer.outcome, answer.problems), course)
    notes = {
        **notes_of(result, shown_result.problems, answer.outcome),
        **_differing(answer.records),
    }
    names = key_names(draft)
    previews = previews_of(result, settings().secret)
    return View(
        frame=frame(form),
        choices=CHOICES,
        draft=draft,
        key_names=names,
        result=shown_result,
        notes=notes,
        cleared=form.cleared(notes),
        previews=previews,
        targets=tuple(_targets(result)),
        focus=answer.focus,
        pasted="" if answer.is_loaded else form.text("pasted"),
        is_posted=request.method == "POST",
        is_update=htmx.wanted_part(request) == "result",
        said_before=form.text("said"),
        told=Told(_mark(_summed_up(result)), _mark(list(map(_previewed, previews)))),
        told_before=form.text("told"),
        has_new_keys="\n".join(names) != form.text("keys").replace("\r\n", "\n"),
        token=token_of(result.plan, draft) if result.plan else "",
        sent=answer.sent or form.text("sent"),
        confirm="" if answer.is_new else form.text(CONFIRM),
        course=course,
        records=answer.records,
        loaded=answer.loaded,
        making=_making(answer),
    )


def _summed_up(result: Result) -> object:
    """Everything that the summaries beside the fields are made of."""
    draft = result.draft
    names = [[row.name for row in change.attributes] for change in draft.changes]
    return [result.written.document["design"], draft.token, draft.return_existing, names]


def _previewed(preview: Preview) -> object:
    return [preview.keys, preview.more, preview.is_known]


def _mark(told: object) -> str:
    return hashlib.blake2b(jsontext.write(told), digest_size=12).hexdigest()


def _making(answer: Answer) -> Making | None:
    """The tables that a run missed; only local engines make them, and only with leave to write."""
    outcome = answer.outcome
    target = settings().targets.get(outcome.endpoint) if outcome and outcome.lacks_table else None
    if target is None:
        return None
    absent = (problem for problem in answer.problems if problem.code == "table-absent")
    tables = tuple(visible(str(problem.params["name"])) for problem in absent)
    is_writable = target.endpoint.is_local and settings().may_write(target)
    return Making(tables, target.endpoint.name, bool(tables) and is_writable)


def _differing(records: Iterable[RecordView]) -> Mapping[str, str]:
    """What a record has become, at the controls that say what it was."""
    return {
        difference.control: gettext("Now it is: %(value)s.", value=difference.now)
        for record in records
        for difference in record.differences
        if difference.control
    }


def _under_way(result: ResultView, course: Course | None) -> ResultView:
    """The result of a form whose plan is being sent: ready to be sent is what it was before."""
    if course is None or not result.is_ready:
        return result
    said = gettext("Sending to %(name)s …", name=course.endpoint)
    return replace(result, bar=said, is_ready=False)


def _course(answer: Answer) -> Course | None:
    """The sending that was begun just now, or the one that the form still waits for."""
    name = answer.course or ("" if answer.outcome else sent().text("sending"))
    kept = sendings().find(name) if name else None
    return course_of(name, kept) if kept else None


def _targets(result: Result) -> Iterable[RunTarget]:
    table, locks = result.draft.table, result.draft.locks
    tables = (table.name, locks.table.name) if locks.own_table else (table.name,)
    for name, target in settings().targets.items():
        may_write = settings().may_write(target)
        facts = facts_of(target, tables) if may_write and result.plan else ()
        is_local, read_only = target.endpoint.is_local, settings().read_only
        yield RunTarget(name, may_write, is_local, read_only, facts)
