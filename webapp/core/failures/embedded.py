"""A document that a text is or carries: JSON, a Python literal, or JSON among other words.

Rule: the text is bounded and walked before anything reads it, so that no parser sees long or deep
input, nor an operator. The reason: people paste what a log showed, whatever it is.
"""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from itertools import islice

from webapp.core.failures.jsonsafe import MAX_DEPTH

MAX_JSON = 16_000_000
MAX_PYTHON = 1_000_000
MAX_TEXT = 1_000_000


def document_in(text: str) -> object:
    """The JSON or Python value that the text is or carries; ``None`` if it carries none."""
    for read in (_json_of, _python_of, _json_inside):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _json_of(text: str) -> object:
    if len(text) > MAX_JSON:
        raise ValueError("too long")
    return json.loads(text)


MAX_STARTS = 20
_OBJECT = re.compile(r'\{\s*"')


def _json_inside(text: str) -> object:
    """Find the JSON object that carries the reasons inside other text, as log lines have it."""
    end = text.find("CancellationReasons", 0, MAX_TEXT)
    for start in islice(_OBJECT.finditer(text, 0, max(end, 0)), MAX_STARTS):
        with suppress(ValueError, RecursionError):
            return json.JSONDecoder().raw_decode(text, start.start())[0]
    raise ValueError("no document inside")


_PYTHON_TOKEN = re.compile(
    r"""(?P<text>b?'(?:[^'\\]|\\.)*(?:'|\\?\Z)|b?"(?:[^"\\]|\\.)*(?:"|\\?\Z))"""
    r"""|(?P<open>[\[{(])|(?P<close>[\]})])|(?P<plain>[\s,:\w.]+)|(?P<minus>-(?=\d))|(?P<other>.)""",
    re.DOTALL,
)


def _python_of(text: str) -> object:
    """The value of a Python literal: what ``print(e.response)`` shows.

    The text is walked first, so that the parser never sees long or deep input nor an operator.
    """
    if len(text) > MAX_PYTHON or not text.startswith(("{", "[", "(")):
        raise ValueError("not a Python literal")
    depth = 0
    before = ""
    for token in _PYTHON_TOKEN.finditer(text):
        kind = token.lastgroup or "other"
        depth += (kind == "open") - (kind == "close")
        operator = kind == "minus" and token.start() and text[token.start() - 1] not in " ,:[({\n"
        if kind == "other" or operator or depth > MAX_DEPTH or (kind, before) == ("minus", kind):
            raise ValueError("not a plain Python literal")
        before = kind
    value: object = ast.literal_eval(text)
    return value
