"""Values of any program as plain JSON.

Rule: what was given is copied, never trusted: its depth is bounded, and what JSON cannot hold
stands as text. The reason: an error comes from anywhere, and its explanation must be writable.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from webapp.core.jsontext import Digits
from webapp.core.problems import writable

MAX_NUMBER = 2**53
MAX_DEPTH = 80
"""DynamoDB nests values 32 levels deep, each level a tag and a value in JSON, plus the envelope."""


def json_safe(value: object, depth: int = MAX_DEPTH) -> object:
    """Copy a value as plain JSON: bytes as base64, lone surrogates escaped, other types as text.

    What lies deeper than ``depth`` levels is cut off and stands as "…".
    """
    match value:
        case Mapping() if depth:
            return {str_key(k): json_safe(v, depth - 1) for k, v in value.items()}
        case list() | tuple() | set() | frozenset() if depth:
            return [json_safe(v, depth - 1) for v in value]
        case Mapping() | list() | tuple() | set() | frozenset():
            return "…"
        case _:
            return _json_scalar(value)


def _json_scalar(value: object) -> object:
    match value:
        case None | bool():
            return value
        case int() | float() if abs(value) < MAX_NUMBER:
            return value
        case str() | Digits():
            return writable(value if isinstance(value, str) else value.text)
        case bytes() | bytearray():
            return base64.b64encode(value).decode()
        case _:
            return f"({type(value).__name__})"


def str_key(key: object) -> str:
    """A mapping's key as a JSON member name."""
    return writable(key) if isinstance(key, str) else f"({type(key).__name__})"
