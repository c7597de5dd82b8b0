"""Static files with their version in the address, so that browsers may keep them for a year.

Rule: an address names the content; when a file changes, its address does. The reason: the page
loads at once the second time, and an update is never mixed with old files.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from flask import Blueprint, Response, abort, current_app, send_file
from werkzeug.security import safe_join

from webapp.web import htmx
from webapp.web.folders import folder, htmx_file

YEAR = 365 * 24 * 3600
HTMX = "htmx.min.js"

blueprint = Blueprint("assets", __name__)


@dataclass(frozen=True, slots=True)
class Assets:
    """The version of all static files together, and htmx's settings as JSON."""

    version: str
    htmx_config: str

    def url(self, name: str) -> str:
        """The address of the static file ``name``."""
        return f"/static/{self.version}/{name}"


def read_assets() -> Assets:
    """The static files as they are now."""
    return Assets(_version(), json.dumps(htmx.CONFIG))


def _version() -> str:
    digest = hashlib.sha256()
    for path in (*sorted(p for p in folder("static").rglob("*") if p.is_file()), htmx_file()):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@blueprint.get("/static/<version>/<path:name>")
def static_file(version: str, name: str) -> Response:
    """One static file; kept for a year when the address names the present version."""
    path = _find(name)
    if path is None:
        abort(404)
    response = send_file(path, conditional=True)
    assets: Assets = current_app.extensions["assets"]
    if version == assets.version:
        response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    return response


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """The icon, for browsers that ask without being told where it is."""
    return send_file(folder("static") / "favicon.svg", mimetype="image/svg+xml", max_age=86400)


def _find(name: str) -> Path | None:
    if name == HTMX:
        return htmx_file()
    joined = safe_join(str(folder("static")), name)
    path = Path(joined) if joined else None
    return path if path is not None and path.is_file() else None
