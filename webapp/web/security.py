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

from flask import Flask, Request, Response, abort
from flask.globals import request_ctx

from webapp.web.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

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

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})
HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{0,5})?")
"""``uri-host [":" port]`` of RFC 9110, section 7.2, and no user, path or second port with it."""


def protect(app: Flask, settings: Settings) -> None:
    """Put both gates before every request and the headers on every response."""
    trusted = frozenset(map(host_name, settings.trusted_hosts)) - {""}

    def refuse() -> None:
        asked = request_ctx.request
        if host_name(asked.environ.get("HTTP_HOST", "")) not in trusted:
            abort(Response("This host name is not served here.\n", 400, mimetype="text/plain"))
        is_safe = asked.method in SAFE_METHODS
        if not (is_own(asked) or (is_safe and is_visit(asked))):
            abort(403)

    app.before_request(refuse)
    app.wsgi_app = with_headers(app.wsgi_app)  # type: ignore[assignment,method-assign]


def host_name(host: str) -> str:
    """The name in ``host:port``, in small letters; "" for anything that is no such thing whole.

    Only names given at the start are served, so that a page of another site cannot give its own
    name our address (DNS rebinding).
    """
    found = HOST.fullmatch(host)
    return found["name"].lower() if found else ""


def is_own(asked: Request) -> bool:
    """Whether a request comes from our own page, or from a program that sends no such header."""
    site = asked.environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return site in OWN_SITES
    origin = asked.environ.get("HTTP_ORIGIN")
    return origin is None or origin == asked.host_url.rstrip("/")


def is_visit(asked: Request) -> bool:
    """Whether a reading request opens a page in a window, or comes from no browser of today.

    What another site embeds (an image, a frame, a script, a fetch) is no visit: nobody reads the
    answer, and each would cost the work of a page. Fetch Metadata Request Headers, W3C.
    """
    headers = asked.headers
    if "Sec-Fetch-Site" not in headers:
        return True
    is_opened = headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    return is_opened and headers.get("Sec-Fetch-Dest", "document") == "document"


def with_headers(served: WSGIApplication) -> WSGIApplication:
    """The application whose every answer has the headers that bound what a page may do."""

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *broken: Any) -> Any:
            return start_response(status, [*headers, *HEADERS], *broken)

        return served(environ, start)

    return serve
