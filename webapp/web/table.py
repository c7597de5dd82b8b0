"""The page of the tables: where they are, what they are like, whether the design fits them.

Rule: a visitor chooses among the operator's endpoints by name and never gives an address; looking
writes nothing, an endpoint of AWS is asked only after it was chosen, and tables are made on local
endpoints only. The form of the first page travels along unseen, whole, and goes back with the keys
of a table in it. The reason: nothing that was typed may be lost by looking something up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from flask import Blueprint, Response, abort, make_response, redirect, request, url_for

from webapp.answers import Unavailable
from webapp.catalog import make as make_tables
from webapp.core.planning.create_table import File
from webapp.core.problems import Problem
from webapp.web.draft import EXAMPLE, Draft, read_draft
from webapp.web.forms import sent
from webapp.web.responses import respond
from webapp.web.result import Result, result_of
from webapp.web.settings import Target, settings
from webapp.web.sight import Asked, Sight, differences, look
from webapp.web.tableview import recipes_of, view_of

blueprint = Blueprint("table", __name__, url_prefix="/table")

PARTS = {"tables": "partials/tables.html"}
MIME_TYPES = {"json": "application/json", "yaml": "application/yaml", "tf": "text/plain"}


@blueprint.get("")
def page() -> Response:
    """The tables of the first local endpoint next to the worked example."""
    return _shown(Asked(_result(EXAMPLE), _usual_target()))


@blueprint.post("")
def update() -> Response:
    """The tables of the endpoint that was chosen, next to the design that came along."""
    return _shown(_asked())


@blueprint.post("/make")
def make() -> Response:
    """Make the design's tables on a local endpoint; 403 elsewhere, 422 for an unfinished design."""
    asked = _asked()
    if asked.target is None:
        abort(404)
    if not (asked.target.endpoint.is_local and settings().may_write(asked.target)):
        abort(403)
    if asked.design is None:
        return _shown(asked)
    try:
        made = make_tables(asked.target.open(), asked.wanted)
    except Unavailable as unavailable:
        return _shown(replace(asked, trouble=unavailable.trouble))
    return _shown(replace(asked, made=made))


@blueprint.post("/download/<name>")
def download(name: str) -> Response:
    """A file of one of the ways to make the design's tables; the page where there is no design."""
    asked = _asked()
    if asked.design is None:
        return _shown(asked)
    file = next((file for file in _files(asked) if file.name == name), None)
    if file is None:
        abort(404)
    response = Response(file.text, mimetype=MIME_TYPES[name.rpartition(".")[2]])
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


@blueprint.get("/make")
@blueprint.get("/download/<name>")
def back(name: str = "") -> Response:
    """The address of a button, asked for without its form: to the page."""
    response: Response = make_response(redirect(url_for("table.page"), 303))
    return response


def _result(draft: Draft) -> Result:
    return result_of(draft, settings().secret)


def _usual_target() -> Target | None:
    """The first local endpoint; AWS is not asked before somebody chose it."""
    targets = settings().targets.values()
    return next((target for target in targets if target.endpoint.is_local), None)


def _asked() -> Asked:
    """What the form asks for; 404 for an endpoint that the operator did not name."""
    fields = sent()
    draft = read_draft(fields.pairs) if "design/table" in fields else EXAMPLE
    name = fields.text("to") or fields.text("endpoint")
    target = settings().targets.get(name) if name else _usual_target()
    if name and target is None:
        abort(404)
    other = fields.text("other").strip() if fields.text("do") == "describe" else ""
    kept = "" if "to" in fields else fields.text("chosen")
    return Asked(_result(draft), target, fields.text("table") or other or kept, other)


def _files(asked: Asked) -> Iterable[File]:
    return (file for recipe in recipes_of(asked) for file in recipe.files)


def _shown(asked: Asked) -> Response:
    """The page, or the part that htmx asked for, with the status of what was seen."""
    sight = _sight(asked)
    problems = differences(asked, sight)
    view = view_of(asked, sight, problems)
    return respond(view, "pages/table.html", PARTS, _status(asked, sight, problems))


def _sight(asked: Asked) -> Sight:
    if asked.trouble is not None or asked.target is None:
        return Sight(trouble=asked.trouble)
    table = "" if asked.is_misnamed else asked.table
    return look(asked.target.open(), asked.wanted, table)


def _status(asked: Asked, sight: Sight, problems: tuple[Problem, ...]) -> int:
    if sight.trouble is not None:
        return 404 if sight.trouble.code == "table-missing" else 502
    if asked.is_misnamed or (asked.design is None and request.endpoint != "table.update"):
        return 422
    return 409 if asked.made is not None and problems else 200
