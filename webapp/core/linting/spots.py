"""Where a problem stands in a request: which action, which of its members, and what stands there.

Rule: a spot is found by the problem's JSON Pointer alone. The reason: checks note a fault once,
and what the service says of it is worked out from where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webapp.core.linting.intake import MOST_PARTS
from webapp.core.problems import Problem


class Spot(NamedTuple):
    """Where a problem stands in the request: slot, kind and member of the action, and its value."""

    slot: int | None
    member: str
    tokens: tuple[str, ...]
    value: object
    around: object


def spot_of(problem: Problem, items: str, document: object) -> Spot:
    """Find where a problem's path leads: ``items`` is the pointer to the list of actions."""
    tokens = _tokens(problem.path)
    outer = len(_tokens(items))
    inside = problem.path.startswith(items + "/") and _is_index(tokens[outer])
    own = tuple(tokens[outer:]) if inside else tuple(tokens)
    slot = int(own[0]) if inside else None
    member = own[2] if inside and len(own) > 2 else ""
    value, around = _resolved(document, tokens)
    return Spot(slot, member, own, value, around)


def _is_index(token: str) -> bool:
    """Whether a token can be the place of an element; nothing read here has more parts."""
    return token.isascii() and token.isdecimal() and len(token) <= len(str(MOST_PARTS))


def _tokens(path: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in path.split("/")[1:]]


def _resolved(document: object, tokens: Sequence[str]) -> tuple[object, object]:
    """The value at a pointer, and what holds it; ``None`` where there is none."""
    value, around = document, None
    for token in tokens:
        around = value
        if isinstance(value, dict):
            value = value.get(token)
        elif isinstance(value, list) and _is_index(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            value = None
    return value, around
