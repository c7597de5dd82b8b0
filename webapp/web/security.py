"""Who may ask, and what a page may do.

Rule: only the host names given at the start are served; a request that changes anything must come
from this very origin or from a program that is no browser; another site may open a page here, and
nothing else; a page may load only our own files and run no inline script or style. The reason: the
server listens on loopback and can write to tables, so any web page the visitor has open could
otherwise make it do so, or keep it busy with images that are no images. A check of the headers
``Sec-Fetch-*`` and ``Origin`` needs no token in the form, so a saved page, the back button and a
second tab keep working.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response
from werkzeug.exceptions import Forbidden
from werkzeug.wsgi import get_host

from webapp.web.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    # "no-referrer" would make browsers send "Origin: null" with our own forms.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)

DATA_HEADERS = (
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
"""For what is no page: nothing of it runs or is shown, and nobody else may embed it."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})
HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{0,5})?")
"""``uri-host [":" port]`` of RFC 9110, section 7.2, and no user, path or second port with it."""

UNKNOWN_HOST = Response("This host name is not served here.\n", 400, mimetype="text/plain")


def protect(app: Flask, settings: Settings) -> None:
    """Put both gates before the application, and the headers on every answer.

    They stand outside Flask: what is let in costs them next to nothing, and nothing that is
    answered can lack the headers.
    """
    trusted = frozenset(map(host_name, settings.trusted_hosts)) - {""}
    answered = app.wsgi_app

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start = with_headers(environ, start_response)
        if host_name(environ.get("HTTP_HOST", "")) not in trusted:
            return UNKNOWN_HOST(environ, start)
        if is_own(environ) or (environ["REQUEST_METHOD"] in SAFE_METHODS and is_visit(environ)):
            return answered(environ, start)
        with app.request_context(environ):
            refused = app.make_response(app.handle_user_exception(Forbidden()))
        return refused(environ, start)

    app.wsgi_app = serve  # type: ignore[method-assign]


def with_headers(environ: WSGIEnvironment, start_response: StartResponse) -> StartResponse:
    """The way to begin an answer with the headers that bound what a page may do."""
    is_data = environ.get("PATH_INFO", "").startswith("/api/")
    bounds = DATA_HEADERS if is_data else HEADERS

    def start(status: str, headers: list[tuple[str, str]], *broken: Any) -> Any:
        return start_response(status, [*headers, *bounds], *broken)

    return start


def host_name(host: str) -> str:
    """The name in ``host:port``, in small letters; "" for anything that is no such thing whole.

    Only names given at the start are served, so that a page of another site cannot give its own
    name our address (DNS rebinding).
    """
    found = HOST.fullmatch(host)
    return found["name"].lower() if found else ""


def is_own(environ: WSGIEnvironment) -> bool:
    """Whether a request comes from our own page, or from a program that sends no such header."""
    site = environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return site in OWN_SITES
    origin: str | None = environ.get("HTTP_ORIGIN")
    return origin is None or origin == f"{environ['wsgi.url_scheme']}://{get_host(environ)}"


def is_visit(environ: WSGIEnvironment) -> bool:
    """Whether a reading request opens a page in a window, or comes from no browser of today.

    What another site embeds (an image, a frame, a script, a fetch) is no visit: nobody reads the
    answer, and each would cost the work of a page. Fetch Metadata Request Headers, W3C.
    """
    if "HTTP_SEC_FETCH_SITE" not in environ:
        return True
    mode: str = environ.get("HTTP_SEC_FETCH_MODE", "navigate")
    destination: str = environ.get("HTTP_SEC_FETCH_DEST", "document")
    return (mode, destination) == ("navigate", "document")
