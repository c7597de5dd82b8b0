"""The page of the expression builder: from a form to any request, and back.

Rule: one form of plain controls; its buttons add, remove and move rows, and the same form sent by
htmx is answered with the part that was asked for. Reading runs with one press, writing with two.
The reason: everything works without a script and by keyboard, and nothing is written by accident.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import (
    Blueprint,
    Response,
    abort,
    make_response,
    redirect,
    request,
    url_for,
)

from webapp.core.expressions import builder
from webapp.core.expressions.operations import OPERATIONS, READS, TRANSACTIONS, WRITES
from webapp.core.jsontext import parsed, read_json, write
from webapp.core.problems import Problem, Problems, Refused
from webapp.leave import check_confirmation, written_tables
from webapp.web import bounds, htmx
from webapp.web.draft import read_draft
from webapp.web.expressions.choices import CHOICES, Choices
from webapp.web.expressions.edits import UnknownEdit, edit
from webapp.web.expressions.filling import fill
from webapp.web.expressions.form import Form, form_of
from webapp.web.expressions.outline import Outline, Pair, read_outline
from webapp.web.expressions.reading import Mark, Pasted, pasted_of, read_back
from webapp.web.expressions.running import RunView, mark_of, run, to_confirm
from webapp.web.expressions.shown import Result, ResultView, result_of, view_of
from webapp.web.forms import sent
from webapp.web.labels import FIXED
from webapp.web.navigation import Frame, frame
from webapp.web.pasted import notes_under
from webapp.web.responses import respond
from webapp.web.result import Notice
from webapp.web.result import result_of as plan_of
from webapp.web.settings import Target, settings
from webapp.web.texts import gettext, say
from webapp.web.transactionview import CONFIRM
from webapp.web.visible import visible
from webapp.web.whereabouts import Fact, facts_of

blueprint = Blueprint("expressions", __name__, url_prefix="/expressions")

PARTS = {
    "result": "partials/expressions/update.html",
    "work": "partials/expressions/form.html",
}
FROM_PLAN: Final = "expressions"
"""The button of the first page that brings its plan here."""

BLANK: Final = (
    ("operation", "Query"),
    ("actions/0/key_condition/op", "and"),
    ("actions/0/key_condition/0/op", "="),
)
EXAMPLE: Final = {
    "operation": "Query",
    "table": "accounts",
    "key_condition": {"op": "=", "path": "PK", "value": {"S": "ACCT#a1f9c3"}},
    "filter": {
        "op": "and",
        "args": [
            {"op": "<>", "path": "status", "value": {"S": "closed"}},
            {
                "op": "or",
                "args": [
                    {"op": "attribute_not_exists", "path": "profile.phone"},
                    {"op": ">=", "left": {"size": "tags"}, "right": {"value": {"N": "2"}}},
                ],
            },
        ],
    },
    "projection": ["email", "username", "profile.phone"],
}
EXAMPLE_SAMPLE: Final = """{
  "PK": {"S": "ACCT#a1f9c3"},
  "SK": {"S": "PROFILE"},
  "email": {"S": "ada@lovelace.io"},
  "profile": {"M": {"phone": {"S": "+44 20 7946 0000"}}},
  "tags": {"SS": ["founder", "maths"]}
}"""


@dataclass(frozen=True, slots=True)
class RunTarget:
    """An endpoint, and whether this operation may be run there; ``facts`` say where it goes.

    ``is_all_read_only`` is whether nothing may be written at any endpoint of this server.
    """

    name: str
    may_run: bool
    is_local: bool
    is_all_read_only: bool
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class View:
    """Everything the page shows."""

    frame: Frame
    choices: Choices
    form: Form
    pasted: Pasted
    marks: tuple[Mark, ...]
    is_read: bool
    result: ResultView
    notes: Mapping[str, str]
    cleared: tuple[str, ...]
    targets: tuple[RunTarget, ...]
    is_runnable: bool
    focus: str | None
    is_posted: bool
    is_update: bool
    said_before: str
    confirm: str

    @property
    def wants_confirmation(self) -> bool:
        """Whether this operation writes somewhere only with the table's name typed."""
        writes = self.form.operation not in READS
        return writes and any(target.may_run and not target.is_local for target in self.targets)

    def opens(self, *starts: str) -> bool:
        """Whether a folded part must be open: a problem stands at one of its controls."""
        return any(name.startswith(start) for name in self.notes for start in starts)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request came to, before it is shown.

    ``unconfirmed`` says what was to be typed before it is written.
    """

    result: Result
    outcome: RunView | None = None
    marks: tuple[Mark, ...] = ()
    is_read: bool = False
    focus: str | None = None
    unconfirmed: tuple[Problem, ...] = ()

    @property
    def status(self) -> int:
        """The status that tells the truth about it."""
        if self.outcome is not None:
            return self.outcome.status
        has_failed = self.unconfirmed or (self.marks and not self.is_read)
        return 200 if self.result.built and not has_failed else 422


@blueprint.get("")
def page() -> Response:
    """The worked example, or a blank form."""
    if request.args.get("start") == "blank":
        answer = Answer(_result(read_outline(BLANK)), focus="actions/0/table")
        return _shown(answer, status=200)
    return _shown(Answer(_result(read_outline([*fill(EXAMPLE), ("sample", EXAMPLE_SAMPLE)]))))


@blueprint.post("")
def update() -> Response:
    """The page again after a button: the result anew, a row more or less, something read back."""
    button = sent().text("do", "update")
    if button == FROM_PLAN:
        return _shown(Answer(_result(_from_plan())))
    outline = _outline()
    match button:
        case "update":
            return _shown(Answer(_result(outline)))
        case "read":
            return _shown(_read(outline))
        case _:
            return _shown(_edited(outline, button))


@blueprint.post("/run")
def run_it() -> Response:
    """Run the request on the endpoint whose button was pressed; a write is confirmed first.

    422 where the table's name was to be typed.
    """
    result = _result(_outline())
    target = _target(result.form.operation)
    if result.built is None:
        return _shown(Answer(result))
    operation = result.form.operation
    if operation in READS:
        return _shown(Answer(result, run(operation, parsed(result.text), target)))
    return _shown(_written(result, target))


def _written(result: Result, target: Target) -> Answer:
    """What came of a write, or what is to be confirmed before it is sent."""
    operation, problems = result.form.operation, Problems()
    check_confirmation(target.endpoint, _written_tables(result), sent().text(CONFIRM), problems)
    if problems:
        return Answer(result, unconfirmed=tuple(problems), focus=CONFIRM)
    if sent().text("confirmed") != mark_of(result.text, target.endpoint.name):
        return Answer(result, to_confirm(operation, target, result.text))
    return Answer(result, run(operation, parsed(result.text), target))


def _written_tables(result: Result) -> tuple[str, ...]:
    operation = result.form.operation
    is_set = operation in TRANSACTIONS
    return written_tables(result.text) if is_set else (result.form.parts[0].table,)


@blueprint.post("/run/more")
def more() -> Response:
    """The next page of results, as long as the request is the one that the page before answered."""
    result = _result(_outline())
    target = _target(result.form.operation)
    if result.built is None:
        return _shown(Answer(result))
    asked: dict[str, Any] = parsed(result.text)
    after, number = _next(asked, target)
    return _shown(Answer(result, run(result.form.operation, asked | after, target, number)))


@blueprint.post("/download/request.json")
def download() -> Response:
    """The request as a file, byte for byte what a run sends; the page where there is none."""
    result = _result(_outline())
    if result.built is None:
        return _shown(Answer(result))
    response = Response(result.text, mimetype="application/json")
    name = f"{result.form.operation}.json"
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


@blueprint.get("/run")
@blueprint.get("/run/more")
@blueprint.get("/download/<name>")
def back(name: str = "") -> Response:
    """The address of a button, asked for without its form: to the form."""
    response: Response = make_response(redirect(url_for("expressions.page"), 303))
    return response


def _outline() -> Outline:
    return read_outline(sent().pairs).numbered()


def _result(outline: Outline) -> Result:
    return result_of(form_of(outline))


def _from_plan() -> Outline:
    """The plan of the first page as a transaction; the blank form where it has no plan."""
    plan = plan_of(read_draft(sent().pairs), settings().secret).plan
    if plan is None:
        return read_outline(BLANK)
    pasted = {"operation": WRITES, "request": plan.as_document()["request"]}
    pairs = list(_filled(pasted))
    bounds.refuse_sent(name for name, _ in pairs)
    return read_outline(pairs)


def _filled(pasted: Mapping[str, Any]) -> Iterable[Pair]:
    return fill(builder.parse(dict(pasted)).document)


def _read(outline: Outline) -> Answer:
    found = read_back(outline, form_of(outline).operation)
    focus = None if found.is_read else "pasted"
    return Answer(_result(found.outline), None, found.marks, found.is_read, focus)


def _edited(outline: Outline, button: str) -> Answer:
    try:
        edited = edit(outline, button)
    except UnknownEdit:
        abort(400)
    bounds.refuse_sent(name for name, _ in edited.outline.pairs())
    return Answer(_result(edited.outline), focus=edited.focus)


def _target(operation: str) -> Target:
    """The endpoint whose button was pressed: 404 for one that is not there, 403 for no leave."""
    target = settings().targets.get(sent().text("endpoint"))
    if target is None:
        abort(404)
    if not _may_run(operation, target):
        abort(403)
    return target


def _may_run(operation: str, target: Target) -> bool:
    return operation in READS or settings().may_write(target)


def _next(asked: Mapping[str, Any], target: Target) -> tuple[dict[str, Any], int]:
    """The start key and the number of the next page; the first page for another request."""
    base = {name: value for name, value in asked.items() if name != "ExclusiveStartKey"}
    number = sent().text("page/number")
    is_same = sent().text("page/mark") == mark_of(write(base), target.endpoint.name)
    if not is_same or not (number.isascii() and number.isdecimal() and len(number) < 7):
        return {}, 1
    try:
        key = read_json(sent().text("page/after"))
    except Refused:
        return {}, 1
    return ({"ExclusiveStartKey": key}, int(number) + 1) if isinstance(key, dict) else ({}, 1)


def _shown(answer: Answer, status: int | None = None) -> Response:
    """The page, or the part that htmx asked for, with the status of the answer."""
    status = answer.status if status is None else status
    return respond(_view(answer), "pages/expressions.html", PARTS, status)


def _view(answer: Answer) -> View:
    form = answer.result.form
    more = (*_pasted_notices(answer), *_confirm_notices(answer))
    result = view_of(answer.result, answer.outcome, more)
    notes = notes_under(result.problems)
    return View(
        frame=frame(sent()),
        choices=CHOICES,
        form=form,
        pasted=pasted_of(form.outline),
        marks=answer.marks,
        is_read=answer.is_read,
        result=result,
        notes=notes,
        cleared=sent().cleared(notes),
        targets=tuple(_targets(answer.result)),
        is_runnable=form.operation in {*OPERATIONS, *TRANSACTIONS} - {"ConditionCheck"},
        focus=answer.focus,
        is_posted=request.method == "POST",
        is_update=htmx.wanted_part(request) == "result",
        said_before=sent().text("said"),
        confirm=sent().text(CONFIRM),
    )


def _targets(result: Result) -> Iterable[RunTarget]:
    form = result.form
    tables = [visible(part.table) for part in form.parts]
    for name, target in settings().targets.items():
        may_run = _may_run(form.operation, target)
        facts = facts_of(target, tables) if may_run and result.built else ()
        is_local, read_only = target.endpoint.is_local, settings().read_only
        yield RunTarget(name, may_run, is_local, read_only, facts)


def _confirm_notices(answer: Answer) -> Iterable[Notice]:
    """That the table's name was to be typed, at the control in which it is."""
    for said in map(say, answer.unconfirmed):
        yield Notice(CONFIRM, gettext(FIXED[CONFIRM]), said.message, said.hint)


def _pasted_notices(answer: Answer) -> tuple[Notice, ...]:
    """That something was pasted and not read, among the problems of the form."""
    if answer.is_read or not answer.marks:
        return ()
    first = answer.marks[0]
    return (Notice("pasted", gettext("What was pasted"), first.message, first.hint),)
