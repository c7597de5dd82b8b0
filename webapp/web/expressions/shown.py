"""What the form comes to: a request in several forms, or what is wrong, as one frozen view.

Rule: everything is made anew from the form, and what is shown as the request is what is copied,
downloaded and run. The reason: one truth for the eye and for the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from markupsafe import Markup

from webapp.core.expressions import builder
from webapp.core.expressions.builder import Built
from webapp.core.expressions.operations import Request
from webapp.core.expressions.operators import KINDS
from webapp.core.expressions.sentences import Explained, explain
from webapp.core.jsontext import pretty, write
from webapp.core.problems import Problem, Refused
from webapp.web.expressions.form import Form
from webapp.web.expressions.labels import PLACES, label_of
from webapp.web.expressions.running import RunView
from webapp.web.expressions.trying import Sample, Trial, faults, read_sample, try_on
from webapp.web.expressions.writing import write as write_document
from webapp.web.highlight import MOST_SHOWN, highlighted
from webapp.web.result import Notice
from webapp.web.texts import gettext, lazy_gettext, ngettext, say
from webapp.web.writing import Written


@dataclass(frozen=True, slots=True)
class Result:
    """A form with what came of it: a request, or the problems that forbid it."""

    form: Form
    written: Written
    built: Built | None
    problems: tuple[Problem, ...]

    @property
    def text(self) -> bytes:
        """The request as it is sent, to the byte. There is none without a request."""
        return write(self.built.request) if self.built else b""


@dataclass(frozen=True, slots=True)
class Said:
    """One expression in words, with its text alone."""

    id: str
    label: str
    text: str
    sentences: tuple[Explained, ...]


@dataclass(frozen=True, slots=True)
class PartSaid:
    """What one operation says, and what came of trying it on the sample."""

    label: str
    expressions: tuple[Said, ...]
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True)
class ResultView:
    """The right side of the page."""

    bar: str
    is_ready: bool
    problems: tuple[Notice, ...]
    open: tuple[Notice, ...]
    warnings: tuple[Notice, ...]
    parts: tuple[PartSaid, ...]
    operation: str
    code: Markup
    is_cut: bool
    outcome: RunView | None


def result_of(form: Form) -> Result:
    """The request of a form, or everything that forbids it."""
    written = write_document(form)
    try:
        built = builder.expression(written.document)
    except Refused as refused:
        return Result(form, written, None, written.with_problems(refused.problems))
    return Result(form, written, None if written.problems else built, written.problems)


def view_of(
    result: Result, outcome: RunView | None = None, more: tuple[Notice, ...] = ()
) -> ResultView:
    """The view of a result; ``more`` are notices from elsewhere, like a text that was pasted."""
    sample, sample_faults = _sample(result.form)
    found = [_notice(problem, result) for problem in (*result.problems, *sample_faults)]
    notices = _in_order(found, result.form)
    problems = [notice for notice in notices if not _is_empty(notice.control, result.form)]
    open_ = [_wanted(notice) for notice in notices if _is_empty(notice.control, result.form)]
    problems = [*more, *problems]
    built = result.built
    text = pretty(built.request) if built else ""
    return ResultView(
        bar=outcome.headline if outcome else _bar(result, len(problems), len(open_)),
        is_ready=built is not None and not problems,
        problems=tuple(problems),
        open=tuple(open_),
        warnings=tuple(_notice(w, result) for w in built.warnings) if built else (),
        parts=_parts(built, result.form, sample) if built else (),
        operation=result.form.operation,
        code=highlighted(text[:MOST_SHOWN]),
        is_cut=len(text) > MOST_SHOWN,
        outcome=outcome,
    )


def _in_order(notices: Iterable[Notice], form: Form) -> list[Notice]:
    """The notices in the order of the form; one that has no control of its own comes last."""
    places = {name: place for place, (name, _) in enumerate(form.outline.pairs())}
    return sorted(notices, key=lambda notice: places.get(notice.control, len(places)))


def _sample(form: Form) -> tuple[Sample | None, tuple[Problem, ...]]:
    try:
        return read_sample(form.sample), ()
    except Refused as refused:
        return None, faults(refused)


def _bar(result: Result, problems: int, missing: int) -> str:
    if problems:
        return ngettext("%(num)s problem", "%(num)s problems", problems)
    if missing:
        return ngettext("%(num)s thing to fill in", "%(num)s things to fill in", missing)
    return gettext("%(operation)s, ready", operation=result.form.operation)


def _notice(problem: Problem, result: Result) -> Notice:
    control = "sample" if problem.path == "/sample" else result.written.control(problem.path) or ""
    said = say(problem)
    return Notice(control, label_of(control, result.form), said.message, said.hint)


WANTED = {
    "table": lazy_gettext("The table’s name, 3 to 255 letters, digits, _ - . long."),
    "path": lazy_gettext("The attribute, like profile.email or tags[0]."),
    "value": lazy_gettext("The value; for an empty text choose “empty string”."),
    "key_condition": lazy_gettext("The partition that is read: its key, equal to a value."),
    "condition": lazy_gettext("What must hold for the item."),
    "name": lazy_gettext("The attributes of the key, with their values."),
}
"""What a control wants that is still empty."""


def _is_empty(control: str, form: Form) -> bool:
    """Whether nothing was said there yet: what misses is no mistake."""
    here = form.outline.at(control)
    if not control or here.text or here.rows():
        return False
    is_null = form.outline.text_at(control.rpartition("/")[0] + "/type") == "NULL"
    return not (is_null or here.text_at("truth") or here.text_at("given", "typed") != "typed")


def _wanted(notice: Notice) -> Notice:
    """A problem of an empty control, said as a request."""
    wanted = WANTED.get(notice.control.rpartition("/")[2])
    return replace(notice, message=gettext(wanted), hint="") if wanted else notice


def _parts(built: Built, form: Form, sample: Sample | None) -> tuple[PartSaid, ...]:
    return tuple(
        PartSaid(
            _part_label(request, number, form),
            tuple(_expressions(request, built, number, form, sample)),
            try_on(request, sample) if sample else (),
        )
        for number, request in enumerate(built.read)
    )


def _part_label(request: Request, number: int, form: Form) -> str:
    if not form.is_transaction:
        return ""
    return gettext("Action %(number)s: %(name)s", number=number + 1, name=request.operation)


def _expressions(
    request: Request, built: Built, number: int, form: Form, sample: Sample | None
) -> list[Said]:
    item = sample.item or {} if sample else None
    sent = _sent(built.request, number, form)
    return [
        Said(
            f"text-{number}-{kind}",
            gettext(PLACES[kind]),
            str(sent[KINDS[kind].parameter]),
            explain(tree, item),
        )
        for kind, tree in request.trees.items()
    ]


def _sent(request: Mapping[str, object], number: int, form: Form) -> Mapping[str, object]:
    """The members of one operation, inside or outside of a transaction."""
    if not form.is_transaction:
        return request
    entries: list[dict[str, dict[str, object]]] = request["TransactItems"]  # type: ignore[assignment]
    return next(iter(entries[number].values()))
