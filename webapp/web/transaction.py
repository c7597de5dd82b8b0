"""The first page: from a form to a transaction.

Rule: every control is a button or a field of one form that works without a script; the same form,
sent by htmx, is answered with the part that was asked for. The reason: one path from what was typed
to what is shown, whoever asks and however.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    make_response,
    redirect,
    request,
    url_for,
)

from webapp.core.jsontext import pretty
from webapp.core.problems import Problem, Refused
from webapp.runs import in_doubt, look, read_run
from webapp.web import htmx
from webapp.web.choices import CHOICES, Choices
from webapp.web.draft import BLANK, EXAMPLE, Draft, read_draft
from webapp.web.edits import UnknownEdit, edit, focus_of
from webapp.web.loading import design_link, follow_link, load
from webapp.web.navigation import THEME_COOKIE, Frame, frame
from webapp.web.outcome import Outcome, outcome_of
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
from webapp.web.settings import Settings
from webapp.web.writing import key_names, write_design

blueprint = Blueprint("transaction", __name__)

STARTS = {"blank": BLANK, "example": EXAMPLE}
PARTS = {"result": "partials/update.html", "work": "partials/work.html"}


@dataclass(frozen=True, slots=True)
class RunTarget:
    """An endpoint a plan can be run on, and whether writing there is allowed."""

    name: str
    place: str
    may_write: bool


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
    link: str
    focus: str | None
    pasted: str
    is_posted: bool
    is_update: bool
    said_before: str
    has_new_keys: bool

    @property
    def lock_has_sort(self) -> bool:
        """Whether the table that holds the locks has a sort key."""
        locks = self.draft.locks
        return (locks.table if locks.own_table else self.draft.table).sort.type != ""

    def opens(self, *starts: str) -> bool:
        """Whether a folded part must be open: a problem stands at one of its controls."""
        return any(name.startswith(start) for name in self.notes for start in starts)


class Answer(NamedTuple):
    """What a request came to, before it is shown."""

    result: Result
    outcome: Outcome | None = None
    problems: tuple[Problem, ...] = ()
    focus: str | None = None
    is_loaded: bool = False

    @property
    def status(self) -> int:
        """The status that tells the truth about it."""
        if self.problems:
            return 422
        return self.outcome.status if self.outcome else self.result.status


@blueprint.get("/")
def page() -> Response:
    """The worked example, a blank form, or the design that a link carries."""
    settings = _settings()
    draft = STARTS.get(request.args.get("start", ""), EXAMPLE)
    link = request.args.get("design")
    if link is None:
        return _shown(Answer(result_of(draft, settings.secret)))
    try:
        draft = follow_link(draft, link)
    except Refused as refused:
        answer = Answer(result_of(draft, settings.secret), problems=refused.problems)
        return _shown(answer)
    return _shown(Answer(result_of(draft, settings.secret)))


@blueprint.post("/")
def update() -> Response:
    """The page again after a button: the result anew, a row more or less, a design loaded."""
    draft = read_draft(_pairs())
    button = request.form.get("do", "update")
    match button:
        case "update":
            return _shown(Answer(_result(draft)))
        case "load":
            return _shown(_loaded(draft))
        case _:
            return _shown(_edited(draft, button))


@blueprint.post("/run")
def run() -> Response:
    """Send the plan to the endpoint whose button was pressed; 404 for one that is not there."""
    settings = _settings()
    target = settings.targets.get(request.form.get("endpoint", ""))
    if target is None:
        abort(404)
    if not settings.may_write(target):
        abort(403)
    result = _result(read_draft(_pairs()))
    if result.plan is None:
        return _shown(Answer(result))
    asked = read_run(result.written.document, secret=settings.secret)
    gateway = target.open()
    answer = gateway.send(asked.text)
    standing = look(gateway, asked) if in_doubt(answer) else None
    return _shown(Answer(result, outcome_of(asked, answer, standing, target.endpoint.name)))


@blueprint.get("/run")
@blueprint.get("/download/<name>")
def back(name: str = "") -> Response:
    """The address of a button, asked for without its form: to the form."""
    response: Response = make_response(redirect(url_for("transaction.page"), 303))
    return response


@blueprint.post("/download/request.json")
def download_request() -> Response:
    """The request as a file, byte for byte what a run would send; the page where there is none."""
    result = _result(read_draft(_pairs()))
    if result.plan is None:
        return _shown(Answer(result))
    return _file(result.plan.text, f"{_file_name(result.draft)}-transaction.json")


@blueprint.post("/download/design.json")
def download_design() -> Response:
    """The design as a file, finished or not."""
    draft = read_draft(_pairs())
    text = pretty(write_design(draft)).encode("utf-8", "backslashreplace")
    return _file(text, f"{_file_name(draft)}-design.json")


def _settings() -> Settings:
    settings: Settings = current_app.extensions["lockwright"]
    return settings


def _pairs() -> Iterable[tuple[str, str]]:
    return request.form.items(multi=True)


def _result(draft: Draft) -> Result:
    return result_of(draft, _settings().secret)


def _edited(draft: Draft, button: str) -> Answer:
    try:
        draft = edit(draft, button)
    except UnknownEdit:
        abort(400)
    return Answer(_result(draft), focus=focus_of(draft, button))


def _loaded(draft: Draft) -> Answer:
    """The draft with the design from the file, else from the pasted text."""
    pasted = request.form.get("pasted", "")
    upload = request.files.get("file")
    text = upload.read() if upload else b""
    try:
        return Answer(_result(load(draft, text or pasted)), focus="design/table", is_loaded=True)
    except Refused as refused:
        return Answer(_result(draft), problems=refused.problems)


def _file(text: bytes, name: str) -> Response:
    response = Response(text, mimetype="application/json")
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def _file_name(draft: Draft) -> str:
    name = "".join(c for c in draft.table.name if c.isascii() and (c.isalnum() or c in "-_"))
    return name[:60] or "lockwright"


def _shown(answer: Answer) -> Response:
    """The page, or the part that htmx asked for, with the status of the answer."""
    return respond(_view(answer), "pages/transaction.html", PARTS, answer.status)


def _view(answer: Answer) -> View:
    result = answer.result
    draft = result.draft
    settings = _settings()
    shown = view_of(result, answer.outcome, answer.problems)
    notes = notes_of(result, shown.problems, answer.outcome)
    noted_before = request.form.get("noted", "").splitlines()
    return View(
        frame=frame(request.form.get(THEME_COOKIE)),
        choices=CHOICES,
        draft=draft,
        key_names=key_names(draft),
        result=shown,
        notes=notes,
        cleared=tuple(name for name in noted_before if name not in notes),
        previews=previews_of(result, settings.secret),
        targets=_targets(settings),
        link=design_link(draft),
        focus=answer.focus,
        pasted="" if answer.is_loaded else request.form.get("pasted", ""),
        is_posted=request.method == "POST",
        is_update=htmx.wanted_part(request) == "result",
        said_before=request.form.get("said", ""),
        has_new_keys="\n".join(key_names(draft))
        != request.form.get("keys", "").replace("\r\n", "\n"),
    )


def _targets(settings: Settings) -> tuple[RunTarget, ...]:
    return tuple(
        RunTarget(name, target.endpoint.place, settings.may_write(target))
        for name, target in settings.targets.items()
    )
