"""Static files with their version in the address, so that browsers may keep them for a year.

Rule: an address names the content; when a file changes, its address does. Files are read once, at
the start. The reason: the page loads at once the second time, an update is never mixed with old
files, and no path of a visitor ever reaches the disk.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, Response, abort, current_app, request

from webapp.web import htmx
from webapp.web.folders import folder, htmx_file

YEAR = 365 * 24 * 3600
HTMX = "htmx.min.js"
TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "png": "image/png",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}

blueprint = Blueprint("assets", __name__)


@dataclass(frozen=True, slots=True)
class Assets:
    """The static files by name, the version of all together, and htmx's settings as JSON."""

    files: Mapping[str, bytes]
    version: str
    htmx_config: str

    def url(self, name: str) -> str:
        """The address of the static file ``name``."""
        return f"/static/{self.version}/{name}"


def read_assets() -> Assets:
    """The static files as they are now."""
    root = folder("static")
    paths = {p.relative_to(root).as_posix(): p for p in sorted(root.rglob("*")) if p.is_file()}
    files = {name: path.read_bytes() for name, path in {**paths, HTMX: htmx_file()}.items()}
    return Assets(files, _version(files), json.dumps(htmx.CONFIG))


def _version(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:12]


@blueprint.get("/static/<version>/<path:name>")
def static_file(version: str, name: str) -> Response:
    """One static file; kept for a year when the address names the present version."""
    assets = _assets()
    if name not in assets.files:
        abort(404)
    response = _file(name)
    if version == assets.version:
        response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    return response


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """The icon, for browsers that ask without being told where it is."""
    return _file("favicon.svg")


def _assets() -> Assets:
    assets: Assets = current_app.extensions["assets"]
    return assets


def _file(name: str) -> Response:
    kind = TYPES.get(name.rpartition(".")[2], "text/plain")
    response = Response(_assets().files[name], mimetype=kind)
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response
