"""A page, or the part of it that htmx asked for, as a response.

Rule: one view, one status, and headers that let nobody else keep what a person typed; the template
is chosen by what was asked for. The reason: a part is never another answer, only a smaller one.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, render_template, request

from webapp.web import htmx
from webapp.web.forms import sent
from webapp.web.navigation import THEME_COOKIE, YEAR, known_theme

HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "private, no-cache"),
    ("Vary", "HX-Request, HX-Target, Cookie"),
)


def respond(view: object, page: str, parts: Mapping[str, str], status: int) -> Response:
    """The template ``page``, or the one of ``parts`` whose element is asked for, with its view."""
    template = parts.get(htmx.wanted_part(request) or "", page)
    text = render_template(template, view=view)
    response = Response(text.encode("utf-8", "backslashreplace"), status, HEADERS)
    form = sent()
    if THEME_COOKIE in form:
        chosen = known_theme(form.text(THEME_COOKIE))
        response.set_cookie(THEME_COOKIE, chosen, max_age=YEAR, samesite="Lax")
    return response
