"""Who may ask, and what a page may do.

Rule: a request that changes anything must come from this very origin or from a program that is no
browser; a page may load only our own files and run no inline script or style. The reason: the
server listens on loopback and can write to tables, so any web page the visitor has open could
otherwise make it do so. A check of ``Sec-Fetch-Site`` and ``Origin`` needs no token in the form, so
a saved page, the back button and a second tab keep working.
"""

from __future__ import annotations

from flask import Flask, Request, Response, abort, request

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

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # "no-referrer" would make browsers send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})


def protect(app: Flask) -> None:
    """Put the same-origin gate before every request and the headers on every response."""
    app.before_request(refuse_other_sites)
    app.after_request(add_headers)


def refuse_other_sites() -> None:
    """Abort with 400 for a host that is not ours, 403 for another site's request."""
    _ = request.host  # raises SecurityError (400) unless TRUSTED_HOSTS names it
    if request.method not in SAFE_METHODS and not is_own(request):
        abort(403)


def is_own(asked: Request) -> bool:
    """Whether a request comes from our own page, or from a program that sends no such header."""
    site = asked.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in OWN_SITES
    origin = asked.headers.get("Origin")
    return origin is None or origin == asked.host_url.rstrip("/")


def add_headers(response: Response) -> Response:
    """The response with the headers that bound what a page may do."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
