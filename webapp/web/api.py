"""The JSON routes: thin doors to the functions behind the page.

Rule: ``application/json`` in and out, and nothing else; a refused document is status 422 with all
its problems. The reason: a form of another site cannot send that type without asking first, and a
program decides by codes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import orjson
from flask import Blueprint, Response, abort, current_app, request

from webapp.answers import Answer, Committed, Rejected, Unknown, Unreachable
from webapp.core import documents, jsontext
from webapp.core.explain import explain
from webapp.core.problems import Problems, Refused, Text, excerpt, register
from webapp.web.openapi import openapi
from webapp.web.outcome import outcome_of
from webapp.web.settings import Settings, Target

register(
    {
        "endpoint-unknown": Text("There is no endpoint {given}.", "The server knows: {known}."),
        "endpoint-read-only": Text(
            "Nothing may be written to {given}.", "Start the server with --allow-write."
        ),
        "saved-plan": Text(
            "A saved plan is an object with the members “request” and “slots”.",
            "Send what POST /api/v1/plan answered, with “endpoint” beside it.",
        ),
    }
)

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")
Json = dict[str, Any]
View = Callable[[], Response]


def json_only(view: View) -> View:
    """Refuse any other type with 415, and answer refused documents with 422."""

    @wraps(view)
    def answered() -> Response:
        if request.mimetype != "application/json":
            abort(415)
        try:
            return view()
        except Refused as refused:
            return _json(refused.as_document(), 422)

    return answered


@blueprint.post("/plan")
@json_only
def plan() -> Response:
    """A plan request in, the plan out."""
    settings = _settings()
    made = documents.plan(documents.read_json(request.get_data()), secret=settings.secret)
    return _json(made.as_document())


@blueprint.post("/run")
@json_only
def run() -> Response:
    """A plan request or a saved plan with ``endpoint``: sent, and the outcome answered."""
    document = documents.read_json(request.get_data())
    if not isinstance(document, dict):
        document = {}
    target = _target(document.pop("endpoint", None))
    text, slots, owner = _saved(document) if "request" in document else _planned(document)
    answer = target.open().send(text)
    outcome = outcome_of(answer, slots, owner, target.endpoint.name)
    return _json(_outcome(answer, slots, owner), outcome.status)


@blueprint.get("/openapi.json")
def schema() -> Response:
    """The description of these routes."""
    return _json(openapi())


def _settings() -> Settings:
    settings: Settings = current_app.extensions["lockwright"]
    return settings


def _json(document: object, status: int = 200) -> Response:
    return Response(orjson.dumps(document), status, mimetype="application/json")


def _target(name: object) -> Target:
    settings = _settings()
    problems = Problems()
    target = settings.targets.get(name) if isinstance(name, str) else None
    if target is None:
        known = ", ".join(settings.targets) or "none"
        problems.add("endpoint-unknown", "/endpoint", given=excerpt(name), known=known)
        raise Refused(problems)
    if not settings.may_write(target):
        problems.add("endpoint-read-only", "/endpoint", given=target.endpoint.name)
        problems.refuse()
    return target


def _planned(document: Json) -> tuple[bytes, list[Json], str | None]:
    made = documents.plan(document, secret=_settings().secret)
    owner = document["design"]["lock"].get("owner")
    return made.text, made.as_document()["slots"], owner


def _saved(document: Json) -> tuple[bytes, list[Json], str | None]:
    """A plan that was saved: its request is sent as it is, its slots explain the answer."""
    asked, slots = document.get("request"), document.get("slots")
    if not isinstance(asked, dict) or not isinstance(slots, list):
        problems = Problems()
        problems.add("saved-plan", "")
        problems.refuse()
    return jsontext.write(asked), slots or [], None


def _outcome(answer: Answer, slots: list[Json], owner: str | None) -> Json:
    match answer:
        case Committed(body=body):
            consumed = body.get("ConsumedCapacity", [])
            return {"committed": True, "explanation": None, "consumed": consumed}
        case Rejected():
            told: Json = dict(explain(slots, answer.error, owner).as_document())
            if answer.trouble:
                told["trouble"] = answer.trouble.as_document()
        case Unreachable(trouble=trouble) | Unknown(trouble=trouble):
            told = _untold(trouble.as_document())
    return {"committed": False, "explanation": told, "consumed": []}


def _untold(trouble: dict[str, str]) -> Json:
    """The explanation of an answer that never came."""
    return {"verdict": "unknown", "retry": True, "fields": {}, "slots": [], "trouble": trouble}
