"""The first page: from a form to a transaction.

Rule: every control is a button or a field of one form that works without a script; the same form,
sent by htmx, is answered with the part that was asked for. The reason: one path from what was typed
to what is shown, whoever asks and however.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from flask import (
    Blueprint,
    Response,
    abort,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)

from webapp.core.jsontext import pretty
from webapp.core.problems import Problem, Problems, Refused
from webapp.leave import check_confirmation, written_tables
from webapp.runs import Run, read_run
from webapp.sending import Ended, Sending
from webapp.web import bounds, htmx
from webapp.web.draft import BLANK, EXAMPLE, Draft, pairs_of, read_draft
from webapp.web.edits import UnknownEdit, edit, focus_of
from webapp.web.forms import sent
from webapp.web.loading import follow_link, load
from webapp.web.outcome import Outcome, outcome_of
from webapp.web.result import Result
from webapp.web.sendings import Kept, sendings
from webapp.web.settings import Target, settings
from webapp.web.sight import misfits
from webapp.web.stored import RecordView, compare_record, load_record
from webapp.web.texts import gettext
from webapp.web.tokens import reseeded, token_of
from webapp.web.transactionview import (
    CONFIRM,
    Answer,
    course_of,
    result_now,
    shown,
)
from webapp.web.writing import write_design

blueprint = Blueprint("transaction", __name__)

STARTS = {"blank": BLANK, "example": EXAMPLE}
PATIENCE = 0.4
"""Seconds that a run may take before its attempts are shown instead of its outcome."""


@blueprint.get("/")
def page() -> Response:
    """The worked example, a blank form, or the design that a link carries."""
    draft = STARTS.get(request.args.get("start", ""), EXAMPLE)
    link = request.args.get("design")
    if link is None:
        return shown(Answer(result_now(draft)))
    try:
        draft = follow_link(draft, link)
    except Refused as refused:
        return shown(Answer(result_now(draft), problems=refused.problems))
    return shown(Answer(result_now(draft)))


@blueprint.post("/")
def update() -> Response:
    """The page again after a button: the result anew, a row more or less, a design loaded."""
    draft = _draft()
    button = sent().text("do", "update")
    match button:
        case "update":
            return shown(Answer(result_now(draft)))
        case "load":
            return shown(_loaded(draft))
        case _:
            return shown(_edited(draft, button))


@blueprint.post("/record")
def record() -> Response:
    """The page with a record as it is: ``look`` is the number of its change and the endpoint."""
    number, _, name = sent().text("look").partition("/")
    target = _target(name)
    result = result_now(_draft())
    is_number = number.isascii() and number.isdecimal() and len(number) < 7
    if not (is_number and int(number) < len(result.draft.changes)):
        abort(400)
    try:
        loaded = load_record(target.open(), result, int(number), name, settings().secret)
    except Refused as refused:
        return shown(Answer(result, problems=refused.problems))
    if loaded is None:
        return shown(Answer(result))
    return shown(Answer(result_now(loaded.draft), loaded=loaded.view))


@blueprint.post("/run")
def run() -> Response:
    """Send the plan to the endpoint whose button was pressed.

    404 for an endpoint that is not there, 403 for one that may not be written to, 422 where the
    plan has problems or the table's name was to be typed. With a script the answer shows the
    attempts of a run that takes longer.
    """
    target = _target(sent().text("endpoint"))
    if not settings().may_write(target):
        abort(403)
    result = result_now(_draft())
    if result.plan is None:
        return shown(Answer(result))
    token = token_of(result.plan, result.draft)
    asked = read_run(result.written.document | {"token": token}, secret=settings().secret)
    unconfirmed = _unconfirmed(target, asked)
    if unconfirmed:
        return shown(Answer(result, problems=unconfirmed))
    sending = Sending(asked, target.open(), was_sent=sent().text("sent") == token)
    if htmx.wanted_part(request) != "result":
        ended = sendings().carry_out(sending, target.endpoint.name)
        return shown(_ended(result, target, asked, ended, token))
    name = sendings().start(sending, target.endpoint.name, token)
    return _followed(name, _kept(name), result, PATIENCE)


@blueprint.get("/run/<name>")
def watch(name: str) -> Response:
    """The attempts of a sending so far, for the page that waits for it; to the form otherwise."""
    if htmx.wanted_part(request) != "sending":
        return back()
    return _course(name)


@blueprint.post("/run/<name>")
def follow(name: str) -> Response:
    """What came of a sending, next to the form as it is now."""
    return _followed(name, _kept(name), result_now(_draft()), 0)


@blueprint.post("/run/<name>/stop")
def stop(name: str) -> Response:
    """Make no further attempt: what came of those that were made is told as always."""
    _kept(name).sending.stop()
    return _course(name)


@blueprint.get("/run")
@blueprint.get("/record")
@blueprint.get("/download/<name>")
def back(name: str = "") -> Response:
    """The address of a button, asked for without its form: to the form."""
    response: Response = make_response(redirect(url_for("transaction.page"), 303))
    return response


@blueprint.post("/download/request.json")
def download_request() -> Response:
    """The request as a file, byte for byte as it is shown; the page where there is none."""
    result = result_now(_draft())
    if result.plan is None:
        return shown(Answer(result))
    return _file(result.plan.text, f"{_file_name(result.draft)}-transaction.json")


@blueprint.post("/download/design.json")
def download_design() -> Response:
    """The design as a file, finished or not."""
    draft = _draft()
    return _file(pretty(write_design(draft)).encode(), f"{_file_name(draft)}-design.json")


def _draft() -> Draft:
    return read_draft(sent().pairs)


def _target(name: str) -> Target:
    target = settings().targets.get(name)
    if target is None:
        abort(404)
    return target


def _kept(name: str) -> Kept:
    kept = sendings().find(name)
    if kept is None:
        abort(404)
    return kept


def _unconfirmed(target: Target, asked: Run) -> tuple[Problem, ...]:
    problems = Problems()
    tables = written_tables(asked.text)
    check_confirmation(target.endpoint, tables, sent().text(CONFIRM), problems)
    return tuple(problems)


def _course(name: str) -> Response:
    kept = _kept(name)
    text = render_template(
        "partials/sending.html", course=course_of(name, kept), is_over=kept.future.done()
    )
    response = make_response(text)
    response.headers["Cache-Control"] = "no-store"
    return response


def _followed(name: str, kept: Kept, result: Result, seconds: float) -> Response:
    """The outcome of a sending, or its course while it goes on."""
    ended = kept.ended(seconds)
    if ended is None:
        return shown(Answer(result, course=name))
    target, asked = _target(kept.endpoint), kept.sending.run
    if result.plan is not None and token_of(result.plan, result.draft) == kept.token:
        return shown(_ended(result, target, asked, ended, kept.token))
    outcome = outcome_of(asked, ended, kept.endpoint)
    return shown(Answer(result, _of_another_plan(outcome), sent=_may_stand(outcome, kept.token)))


def _of_another_plan(outcome: Outcome) -> Outcome:
    """An outcome that is not about the form as it is now: no control is blamed for it."""
    note = gettext("This is about the plan as it was when it was sent; the form was changed since.")
    return replace(outcome, hint=f"{outcome.hint} {note}", explanation=None, error="")


def _ended(result: Result, target: Target, asked: Run, ended: Ended, token: str) -> Answer:
    """The outcome with what can be read about it: the records as they are, the real table."""
    outcome = outcome_of(asked, ended, target.endpoint.name)
    return Answer(
        result,
        outcome,
        problems=_misfits(result, target, outcome),
        records=tuple(_records(result, target, outcome)),
        sent=_may_stand(outcome, token),
    )


def _may_stand(outcome: Outcome, token: str) -> str:
    """The token, where the transaction was written or may have been."""
    return "" if outcome.tone == "bad" else token


def _records(result: Result, target: Target, outcome: Outcome) -> Iterable[RecordView]:
    """The records whose own guards failed, as they are now."""
    for number in outcome.overtaken:
        found = compare_record(
            target.open(), result, number, target.endpoint.name, settings().secret
        )
        if found is not None:
            yield found


def _misfits(result: Result, target: Target, outcome: Outcome) -> tuple[Problem, ...]:
    """Where the design differs from the real table, after a run that may have failed for it."""
    if not (outcome.is_misfit and result.planner):
        return ()
    return misfits(target.open(), result.planner.design)


def _edited(draft: Draft, button: str) -> Answer:
    try:
        edited = edit(draft, button)
        bounds.check_names(name for name, _ in pairs_of(edited))
    except UnknownEdit:
        abort(400)
    except Refused as refused:
        return Answer(result_now(draft), problems=refused.problems)
    is_new = button == "go-on"
    result = result_now(reseeded(edited) if is_new else edited)
    return Answer(result, focus=focus_of(edited, button), is_new=is_new)


def _loaded(draft: Draft) -> Answer:
    """The draft with the design from the file, else from the pasted text."""
    pasted = sent().text("pasted")
    upload = request.files.get("file")
    text = upload.read() if upload else b""
    try:
        return Answer(result_now(load(draft, text or pasted)), focus="design/table", is_loaded=True)
    except Refused as refused:
        return Answer(result_now(draft), problems=refused.problems)


def _file(text: bytes, name: str) -> Response:
    response = Response(text, mimetype="application/json")
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def _file_name(draft: Draft) -> str:
    name = "".join(c for c in draft.table.name if c.isascii() and (c.isalnum() or c in "-_"))
    return name[:60] or "lockwright"
