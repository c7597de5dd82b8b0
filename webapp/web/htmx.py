"""Which part of a page was asked for.

Rule: one URL answers the whole page or one of its parts; only this module reads htmx's headers. The
reason: a form works first without a script, and what htmx asks for is never another code path, only
a smaller template with the same view and the same status.
"""

from __future__ import annotations

from flask import Request

CONFIG = {
    "allowEval": False,
    "allowScriptTags": False,
    "defaultSettleDelay": 0,
    "historyCacheSize": 0,
    "includeIndicatorStyles": False,
    "selfRequestsOnly": True,
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "[23]..", "swap": True},
        {"code": "(400|403|404|409|413|422|502|503)", "swap": True},
        {"code": "...", "swap": False, "error": True},
    ],
}
"""htmx's settings: no inline style, no eval, answers that tell of problems are shown, and new
controls work at once (by default they are deaf for 20 ms, which a held arrow key is quicker than).
"""


def wanted_part(asked: Request) -> str | None:
    """The id of the element that htmx will replace, or ``None`` when a whole page is wanted."""
    headers = asked.environ
    if headers.get("HTTP_HX_REQUEST") != "true":
        return None
    return headers.get("HTTP_HX_TARGET")
