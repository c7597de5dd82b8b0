"""The short way to a plan: ``POST /api/v1/plan`` for requests that come to one.

Rule: what is answered here is what the route would answer, byte for byte; everything else (a
refusal, another type, a large body, our own mistake) goes to the route with its body unread, and is
told there. The reason: a plan takes less time than a framework's request around it, and programs
ask for many.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from webapp.core import documents
from webapp.core.jsontext import LARGEST_QUICK
from webapp.web.api import JSON
from webapp.web.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = ("POST", "/api/v1/plan", JSON)


def before(answered: WSGIApplication, settings: Settings) -> WSGIApplication:
    """The application ``answered`` with this door before it."""

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        text = _plan_text(environ, settings.secret) if _is_for_us(environ) else None
        if text is None:
            return answered(environ, start_response)
        length = str(len(text))
        start_response("200 OK", [("Content-Type", JSON), ("Content-Length", length)])
        return [text]

    return serve


def _is_for_us(environ: WSGIEnvironment) -> bool:
    asked = (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("CONTENT_TYPE"))
    length: str = environ.get("CONTENT_LENGTH", "")
    is_number = length.isascii() and length.isdecimal() and len(length) <= len(str(LARGEST_QUICK))
    return asked == ROUTE and is_number and not environ["SCRIPT_NAME"]


def _plan_text(environ: WSGIEnvironment, secret: str | None) -> bytes | None:
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    environ["wsgi.input"] = BytesIO(body)
    try:
        plan = documents.plan_quickly(body, secret=secret)
        return None if plan is None else plan.document_text()
    except Exception:  # noqa: BLE001 - the route makes the same mistake, and notes it
        return None
