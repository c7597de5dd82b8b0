"""What is said when a request cannot be answered as it was asked.

Rule: a person gets a page or a fragment, a program gets JSON, both get the true status, nobody gets
a stack trace. The reason: an error is for the one who must act on it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from flask import Flask, Response, make_response, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError

from webapp.core.jsontext import write
from webapp.core.problems import Text
from webapp.web import htmx
from webapp.web.bounds import FormTooLarge
from webapp.web.forms import sent
from webapp.web.navigation import Frame, frame
from webapp.web.texts import gettext, lazy_gettext, say

log = logging.getLogger(__name__)
Pair = tuple[str, str]

FAULTS: dict[int, Text] = {
    400: Text(
        lazy_gettext("This request cannot be understood."),
        lazy_gettext("Go back to the form; what you typed is still there."),
    ),
    403: Text(
        lazy_gettext("This is not allowed here."),
        lazy_gettext(
            "The request came from another site, or the server was started without leave to write."
        ),
    ),
    404: Text(
        lazy_gettext("There is nothing here."), lazy_gettext("Start again from the first page.")
    ),
    405: Text(
        lazy_gettext("This address does not answer that way."),
        lazy_gettext("Start again from the first page."),
    ),
    413: Text(
        lazy_gettext("This is too large to be read."),
        lazy_gettext("A transaction has at most 4 MB; remove or shorten a value."),
    ),
    415: Text(
        lazy_gettext("This is not JSON in UTF-8."), lazy_gettext("Send application/json in UTF-8.")
    ),
    500: Text(
        lazy_gettext("Something went wrong on our side."),
        lazy_gettext(
            "A plan that was being run may have been written: look at what is stored before you "
            "run it again. What you typed is still in the form: go back."
        ),
    ),
    503: Text(
        lazy_gettext("Too many requests wait for an answer of an endpoint just now."),
        lazy_gettext("Nothing was sent by this. What you typed is kept: try again in a moment."),
    ),
}


@dataclass(frozen=True, slots=True)
class FaultView:
    """An error page, or what stands in a form in place of its result.

    ``again`` is what was sent, to be sent again, where that may help.
    """

    frame: Frame
    status: int
    message: str
    hint: str
    is_in_form: bool
    again: tuple[Pair, ...] = ()


def answer(app: Flask) -> None:
    """Let the application answer all its errors by this module."""
    app.register_error_handler(HTTPException, answer_refused)
    app.register_error_handler(Exception, answer_broken)


def answer_refused(error: HTTPException) -> Response:
    """A request that was refused by its status."""
    if error.response is not None or error.code is None:
        return make_response(error)
    return _said(error.code, error)


def answer_broken(error: Exception) -> Response:
    """Our own mistake: noted in the log, without a word of it in the answer."""
    log.error("a request could not be answered", exc_info=error)
    return _said(500, InternalServerError())


def _said(status: int, error: HTTPException) -> Response:
    response = _shaped(status, *_words(status, error))
    for name, value in error.get_headers():
        if name.lower() not in {"content-type", "content-length"}:
            response.headers[name] = value
    return response


def _words(status: int, error: HTTPException) -> tuple[str, str]:
    """What is said of a status, and what to do."""
    if isinstance(error, FormTooLarge):
        said = say(error.problem)
        return said.message, said.hint
    text = FAULTS.get(status) or Text(HTTPStatus(status).phrase + ".", "")
    return gettext(text.message), gettext(text.hint)


def _again(status: int) -> Iterable[Pair]:
    return sent().pairs if status == 503 and not request.files else ()


def _shaped(status: int, message: str, hint: str) -> Response:
    if request.path.startswith("/api/"):
        problem = {"code": f"http-{status}", "path": "", "message": message, "hint": hint}
        return Response(write({"problems": [problem]}), status, mimetype="application/json")
    part = htmx.wanted_part(request)
    template = "partials/fault.html" if part else "pages/fault.html"
    is_in_form = part in {"work", "result"}
    view = FaultView(frame(), status, message, hint, is_in_form, tuple(_again(status)))
    response = make_response(render_template(template, view=view), status)
    if part == "work":  # the form: what was typed stays, and the fault stands beside it
        response.headers["HX-Retarget"] = "#result"
    return response
