"""Where the templates and static files lie: beside the package in a checkout, inside it in a wheel.

Rule: only this module knows both places. The reason: everything else asks for a folder by name and
works the same from a fresh clone and from an installed package.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import webapp


def folder(name: str) -> Path:
    """The folder ``templates`` or ``static``, wherever this installation has it."""
    package = Path(webapp.__file__).parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def htmx_file() -> Path:
    """The htmx script, as the package that carries it has it."""
    return Path(str(resources.files("js_lib_htmx") / "static" / "htmx" / "htmx.min.js"))
