"""The visitor's choice of colours, for pages whose form is not sent to be shown again.

Rule: the choice is a cookie, set by a small form of its own, and the visitor is back on the page
they came from. The reason: choosing colours must not press a page's button, and must work without
a script.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Response, make_response, redirect, request

from webapp.web.forms import sent
from webapp.web.navigation import THEME_COOKIE, YEAR, known_theme

blueprint = Blueprint("colours", __name__)


@blueprint.post("/colours")
def choose() -> Response:
    """Keep the choice for a year and go back."""
    response: Response = make_response(redirect(_page_before(), 303))
    chosen = known_theme(sent().text(THEME_COOKIE))
    response.set_cookie(THEME_COOKIE, chosen, max_age=YEAR, samesite="Lax")
    return response


def _page_before() -> str:
    """The path of our own page that the form stood on; the first page when it is not told."""
    before = urlsplit(request.referrer or "")
    is_ours = before.netloc == request.host and before.path.startswith("/")
    return before.path if is_ours and not before.path.startswith("//") else "/"
