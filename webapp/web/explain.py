"""The page that explains an error: what happened, whether to send again, what to tell whom.

Rule: the error may have any form and is never refused; the plan or request that it answers is read
like any document, and its problems stand at its field with their lines. The reason: a person comes
here with what a log showed, and the answer must not depend on how it was cut out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from flask import Blueprint, Response, current_app, request

from webapp.core.failures.errors import CANCELLED
from webapp.core.failures.question import read_question
from webapp.core.jsontext import pretty
from webapp.core.problems import Problem, Refused
from webapp.web import htmx
from webapp.web.draft import EXAMPLE, Draft, read_draft
from webapp.web.examples import Example, examples
from webapp.web.explanation import ExplanationView, explanation_view
from webapp.web.navigation import THEME_COOKIE, Frame, frame
from webapp.web.pasted import Pasted, notes_under, notices_at, read_pasted
from webapp.web.responses import respond
from webapp.web.result import Notice, result_of
from webapp.web.settings import Settings
from webapp.web.texts import gettext, lazy_gettext, ngettext
from webapp.web.writing import write_design

blueprint = Blueprint("explain", __name__)

PARTS = {"result": "partials/explain_update.html", "work": "partials/explain_form.html"}
LABELS = {
    "error": lazy_gettext("The error"),
    "sent": lazy_gettext("What was sent"),
    "design": lazy_gettext("The design"),
}
FROM_PLAN: Final = "explain"
"""The button of the first page that brings its plan here."""

FAILED_WITH: Final = "failed-with"
"""The control in which the first page keeps the answer to a run that failed."""

PLACEHOLDER: Final = (
    f"An error occurred ({CANCELLED}) when calling the TransactWriteItems operation: …"
)
EXAMPLE_ERROR: Final = {
    "Error": {
        "Code": CANCELLED,
        "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, None]",
    },
    "CancellationReasons": [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": {
                "PK": {"S": "UNIQ#EMAIL#ada@lovelace.io"},
                "SK": {"S": "LOCK"},
                "owner": {"M": {"PK": {"S": "ACCT#07be21"}, "SK": {"S": "PROFILE"}}},
            },
        },
        {"Code": "None"},
    ],
}


@dataclass(frozen=True, slots=True)
class Texts:
    """What stands in the form, exactly as it was pasted."""

    error: str = ""
    sent: str = ""
    design: str = ""


@dataclass(frozen=True, slots=True)
class ExplainResult:
    """The right side of the page: an explanation, or what is missing or wrong."""

    bar: str
    is_ready: bool = False
    problems: tuple[Notice, ...] = ()
    open: tuple[Notice, ...] = ()
    explanation: ExplanationView | None = None


@dataclass(frozen=True, slots=True)
class ExplainView:
    """Everything the page shows."""

    frame: Frame
    texts: Texts
    result: ExplainResult
    notes: Mapping[str, str]
    cleared: tuple[str, ...]
    examples: tuple[Example, ...]
    placeholder: str
    focus: str | None
    is_posted: bool
    is_update: bool
    said_before: str


@blueprint.get("/explain")
def page() -> Response:
    """An empty form, or the worked example of a value that is taken."""
    if request.args.get("start") == "example":
        return _shown(_example(), is_asked=True)
    return _shown(Texts(), is_asked=False)


@blueprint.post("/explain")
def update() -> Response:
    """The explanation of what was pasted; or the form with the plan of the first page in it."""
    if request.form.get("do") == FROM_PLAN:
        texts = replace(_brought(_draft()), error=_line_feeds(FAILED_WITH))
        return _shown(texts, is_asked=bool(texts.error))
    return _shown(_pasted(), is_asked=True)


def _settings() -> Settings:
    settings: Settings = current_app.extensions["lockwright"]
    return settings


def _pasted() -> Texts:
    """The texts of the form; a browser sends line ends as CR LF, a text area has LF."""
    return Texts(*map(_line_feeds, ("error", "sent", "design")))


def _line_feeds(name: str) -> str:
    return request.form.get(name, "").replace("\r\n", "\n")


def _draft() -> Draft:
    return read_draft(request.form.items(multi=True))


def _brought(draft: Draft) -> Texts:
    """The plan of the first page with its design; nothing where it has no plan."""
    plan = result_of(draft, _settings().secret).plan
    if plan is None:
        return Texts()
    document = plan.as_document()
    saved = {"request": document["request"], "slots": document["slots"]}
    return Texts("", pretty(saved), pretty(write_design(draft)))


def _example() -> Texts:
    owned = replace(EXAMPLE.locks, stores_owner=True)
    brought = _brought(replace(EXAMPLE, locks=owned, return_existing=True))
    return replace(brought, error=pretty(EXAMPLE_ERROR))


def _shown(texts: Texts, *, is_asked: bool) -> Response:
    result = _result(texts) if is_asked else ExplainResult(gettext("No error yet"))
    status = 422 if result.problems or result.open else 200
    return respond(_view(texts, result), "pages/explain.html", PARTS, status)


def _result(texts: Texts) -> ExplainResult:
    """The explanation, or everything that forbids it."""
    problems: list[Problem] = []
    document, areas = _document(texts, problems)
    try:
        asked = read_question(document, secret=_settings().secret)
    except Refused as refused:
        problems.extend(refused.problems)
    if problems:
        bar = ngettext("%(num)s problem", "%(num)s problems", len(problems))
        return ExplainResult(bar, problems=notices_at(areas, problems))
    if not texts.error.strip():
        return ExplainResult(gettext("No error yet"), open=(_wanted(),))
    explanation = asked.explanation()
    view = explanation_view(explanation, asked.slots or ())
    return ExplainResult(view.message, is_ready=True, explanation=view)


def _document(texts: Texts, problems: list[Problem]) -> tuple[dict[str, Any], tuple[Pasted, ...]]:
    """The document that the core reads, and the text areas that its members stand in."""
    sent = Pasted("sent", str(LABELS["sent"]), texts.sent, "request")
    design = Pasted("design", str(LABELS["design"]), texts.design, "design")
    document = read_pasted(sent, problems) | read_pasted(design, problems)
    if _is_plan(document.get("request")):
        sent = sent._replace(member="plan")
        document["plan"] = document.pop("request")
    return document | {"error": texts.error}, (sent, design)


def _is_plan(document: object) -> bool:
    """Whether a document is a plan or a plan request, and not the request of a transaction."""
    return isinstance(document, dict) and bool({"slots", "changes"} & document.keys())


def _wanted() -> Notice:
    said = gettext("Paste it as you have it: from a log, a terminal or a debugger.")
    return Notice("error", str(LABELS["error"]), said, "")


def _view(texts: Texts, result: ExplainResult) -> ExplainView:
    notes = notes_under(result.problems)
    noted_before = request.form.get("noted", "").splitlines()
    return ExplainView(
        frame=frame(request.form.get(THEME_COOKIE)),
        texts=texts,
        result=result,
        notes=notes,
        cleared=tuple(name for name in noted_before if name in LABELS and name not in notes),
        examples=examples(),
        placeholder=PLACEHOLDER,
        focus="error" if not result.is_ready and not texts.error else None,
        is_posted=request.method == "POST",
        is_update=htmx.wanted_part(request) == "result",
        said_before=request.form.get("said", ""),
    )
