"""The page that explains an error: what happened, whether to send again, what to tell whom.

Rule: the error may have any form and is never refused; the plan or request that it answers is read
like any document, and its problems stand at its field with their lines. The reason: a person comes
here with what a log showed, and the answer must not depend on how it was cut out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from flask import Blueprint, Response, request

from webapp.core.failures.question import read_question
from webapp.core.failures.serviceerror import CANCELLED
from webapp.core.jsontext import pretty
from webapp.core.problems import Problem, Refused
from webapp.web.draft import EXAMPLE, Draft, read_draft
from webapp.web.examples import examples
from webapp.web.explanation import explanation_view
from webapp.web.forms import sent
from webapp.web.pasted import Pasted, read_pasted
from webapp.web.pasting import PastingPage, Result, Texts, refused, sent_text
from webapp.web.result import result_of
from webapp.web.settings import settings
from webapp.web.texts import lazy_gettext
from webapp.web.writing import write_design

blueprint = Blueprint("explain", __name__)

PAGE: Final = PastingPage(
    "explain",
    labels={
        "error": lazy_gettext("The error"),
        "sent": lazy_gettext("What was sent"),
        "design": lazy_gettext("The design"),
    },
    empty=lazy_gettext("No error yet"),
    wanted=lazy_gettext("Paste it as you have it: from a log, a terminal or a debugger."),
)
FROM_PLAN: Final = "explain"
"""The button of the first page that brings its plan here."""

FAILED_WITH: Final = "failed-with"
"""The control in which the first page keeps the answer to a run that failed."""

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


@blueprint.get("/explain")
def page() -> Response:
    """An empty form, or the worked example of a value that is taken."""
    if request.args.get("start") == "example":
        texts = _example()
        return _shown(texts, _result(texts))
    return _shown(*PAGE.blank())


@blueprint.post("/explain")
def update() -> Response:
    """The explanation of what was pasted; or the form with the plan of the first page in it."""
    if sent().text("do") != FROM_PLAN:
        texts = PAGE.pasted()
        return _shown(texts, _result(texts))
    blank, result = PAGE.blank()
    draft = read_draft(sent().pairs)
    texts = {**blank, **_brought(draft), "error": sent_text(FAILED_WITH)}
    return _shown(texts, _result(texts) if texts["error"] else result)


def _shown(texts: Texts, result: Result) -> Response:
    return PAGE.shown(texts, result, examples())


def _brought(draft: Draft) -> Texts:
    """The plan of the first page with its design; nothing where it has no plan."""
    plan = result_of(draft, settings().secret).plan
    if plan is None:
        return {}
    document = plan.as_document()
    saved = {"request": document["request"], "slots": document["slots"]}
    return {"sent": pretty(saved), "design": pretty(write_design(draft))}


def _example() -> Texts:
    owned = replace(EXAMPLE.locks, stores_owner=True)
    brought = _brought(replace(EXAMPLE, locks=owned, return_existing=True))
    return {"error": pretty(EXAMPLE_ERROR), **brought}


def _result(texts: Texts) -> Result:
    """The explanation, or everything that forbids it."""
    problems: list[Problem] = []
    document, areas = _document(texts, problems)
    try:
        asked = read_question(document, secret=settings().secret)
    except Refused as refusal:
        problems.extend(refusal.problems)
    if problems:
        return refused(areas, problems)
    if not texts["error"].strip():
        return PAGE.missing()
    view = explanation_view(asked.explanation(), asked.slots or ())
    return Result(view.message, is_ready=True, found=view)


def _document(texts: Texts, problems: list[Problem]) -> tuple[dict[str, Any], tuple[Pasted, ...]]:
    """The document that the core reads, and the text areas that its members stand in."""
    sent, design = PAGE.area("sent", texts, "request"), PAGE.area("design", texts, "design")
    document = read_pasted(sent, problems) | read_pasted(design, problems)
    if _is_plan(document.get("request")):
        sent = sent._replace(member="plan")
        document["plan"] = document.pop("request")
    return document | {"error": texts["error"]}, (sent, design)


def _is_plan(document: object) -> bool:
    """Whether a document is a plan or a plan request, and not the request of a transaction."""
    return isinstance(document, dict) and bool({"slots", "changes"} & document.keys())
