"""Text as a person can see it.

Rule: what has no shape of its own (control characters, zero-width and direction marks, lone
surrogates) is shown as its code point; the value itself is never changed. The reason: two keys that
look the same must not be two keys.
"""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff]"
)
LONGEST = 240


def visible(text: str) -> str:
    r"""``text`` with unseen characters written as ``\u{200b}``; long text is cut in the middle."""
    if len(text) > LONGEST:
        half = LONGEST // 2
        text = f"{text[:half]} … {text[-half:]}"
    return spelled(text)


def spelled(text: str) -> str:
    r"""``text``, whole, with unseen characters written as ``\u{200b}``."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(_code_point, text)


def _code_point(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"
