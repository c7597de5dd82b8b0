"""The JSON routes: thin doors to the functions behind the page.

Rule: ``application/json`` in and out, and nothing else; a refused document is status 422 with all
its problems. The reason: a form of another site cannot send that type without asking first, and a
program decides by codes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from flask import Blueprint, Response, abort, request

from webapp.answers import Unavailable
from webapp.core import documents, shapes
from webapp.core.expressions import builder
from webapp.core.failures.question import read_question
from webapp.core.jsontext import write
from webapp.core.linting.lint import lint_document
from webapp.core.problems import Problems, Refused, Text, excerpt, register
from webapp.leave import check_confirmation, written_tables
from webapp.lockcheck import read_lock_check
from webapp.runs import Run, outcome_document, read_run
from webapp.sending import Sending
from webapp.web.forms import body
from webapp.web.openapi import openapi
from webapp.web.outcome import outcome_of
from webapp.web.sendings import sendings
from webapp.web.settings import Target, settings

register(
    {
        "endpoint-unknown": Text("There is no endpoint {given}.", "The server knows: {known}."),
        "endpoint-read-only": Text(
            "Nothing may be written to {given}.", "Start the server with --allow-write."
        ),
    }
)

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")
View = Callable[[], Response]
JSON = "application/json"


def json_only(view: View) -> View:
    """Refuse any other type or charset with 415, and answer refused documents with 422."""

    @wraps(view)
    def answered() -> Response:
        if not _is_json():
            abort(415)
        try:
            return view()
        except Refused as refused:
            return _json(refused.as_document(), 422)

    return answered


def _is_json() -> bool:
    charset = request.mimetype_params.get("charset", "utf-8")
    return request.mimetype == JSON and charset.lower() == "utf-8"


@blueprint.post("/plan")
@json_only
def plan() -> Response:
    """A plan request in, the plan out. Most come to one before they get here (``plandoor``)."""
    made = documents.plan(documents.read_json(body()), secret=settings().secret)
    return Response(made.document_text(), content_type=JSON)


@blueprint.post("/run")
@json_only
def run() -> Response:
    """A plan request or a saved plan with ``endpoint``: sent, and the outcome answered.

    With ``"sent_before": true`` a refusal is judged by what is stored.
    """
    document = documents.read_json(body())
    given = document if isinstance(document, dict) else {}
    name, confirm = given.pop("endpoint", None), given.pop("confirm", None)
    problems = Problems()
    target = _target(name, problems)
    was_sent = _said(given.pop("sent_before", False), "/sent_before", problems)
    asked = _asked(document, problems)
    if target is None or asked is None or problems:
        raise Refused(problems)
    check_confirmation(target.endpoint, written_tables(asked.text), confirm, problems)
    problems.refuse()
    sending = Sending(asked, target.open(), was_sent=was_sent)
    ended = sendings().carry_out(sending, target.endpoint.name)
    outcome = outcome_of(asked, ended, target.endpoint.name)
    return _json(outcome_document(asked, ended.answer, ended.standing), outcome.status)


@blueprint.post("/locks/check")
@json_only
def check_locks() -> Response:
    """A design with attribute values in, for each constraint whether they are free or held out."""
    document = documents.read_json(body())
    name = document.pop("endpoint", None) if isinstance(document, dict) else None
    problems = Problems()
    target = _known_target(name, problems)
    check = read_lock_check(document, problems, secret=settings().secret)
    if target is None or check is None or problems:
        raise Refused(problems)
    try:
        return _json(check.carry_out(target.open()))
    except Unavailable as unavailable:
        return _json({"problems": [unavailable.trouble.as_document() | {"path": "/endpoint"}]}, 502)


@blueprint.post("/explain")
@json_only
def explain() -> Response:
    """An error with its plan or request in, what it means out."""
    asked = read_question(documents.read_json(body()), secret=settings().secret)
    return _json(asked.explanation().as_document())


@blueprint.post("/lint")
@json_only
def lint() -> Response:
    """A transaction in, everything that is wrong or unwise about it out."""
    return _json(lint_document(documents.read_json(body())).as_document())


@blueprint.post("/expression")
@json_only
def expression() -> Response:
    """An operation with its expressions as trees in, the request of its SDK call out."""
    return _json(builder.expression(documents.read_json(body())).as_document())


@blueprint.post("/expression/parse")
@json_only
def parse() -> Response:
    """A request or a bare expression in, the document with its trees out."""
    return _json(builder.parse(documents.read_json(body())).as_document())


@blueprint.get("/openapi.json")
def schema() -> Response:
    """The description of these routes."""
    return _json(openapi())


def _json(document: object, status: int = 200) -> Response:
    return Response(write(document), status, content_type=JSON)


def _asked(document: object, problems: Problems) -> Run | None:
    """The run that a document asks for, or ``None`` with its problems noted."""
    try:
        return read_run(document, secret=settings().secret)
    except Refused as refused:
        problems.extend(refused.problems)
        return None


def _said(given: object, at: str, problems: Problems) -> bool:
    """Whether a member says true; anything but true and false is noted."""
    if not isinstance(given, bool):
        problems.add(
            "member-type", at, given=excerpt(shapes.named(given)), expected="true or false"
        )
    return given is True


def _known_target(name: object, problems: Problems) -> Target | None:
    """The endpoint of that name, or ``None`` with the problem noted."""
    targets = settings().targets
    target = targets.get(name) if isinstance(name, str) else None
    if target is None:
        known = ", ".join(targets) or "none"
        problems.add("endpoint-unknown", "/endpoint", given=excerpt(name), known=known)
    return target


def _target(name: object, problems: Problems) -> Target | None:
    """The endpoint of that name, if it may be written to, or ``None`` with the problem noted."""
    target = _known_target(name, problems)
    if target is not None and not settings().may_write(target):
        problems.add("endpoint-read-only", "/endpoint", given=target.endpoint.name)
        return None
    return target
