"""On which line of a JSON text a place of its document stands.

Rule: places are JSON Pointers; a place that is not there stands where the innermost object or list
around it begins. One pass finds all of them, and what leads to none is skipped by the fast reader.
The reason: a person sees the pasted text, not the document, and may paste megabytes of it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_BLANK = re.compile(r"[ \t\n\r]*")
_skip = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode

Tree = dict[str, Any]
"""Reference tokens as a tree: what is wanted below each."""

DEEPEST = 24
"""Places further in stand where their 24th outer place begins: each level is read once more."""


def lines_of(text: str, pointers: Iterable[str]) -> Mapping[str, int]:
    """The line, from 1, of each place in a JSON text that can be read; {} for one that cannot."""
    wanted = dict.fromkeys(pointers)
    try:
        found = dict(_offsets(text, _past_blank(text, 0), (), _tree(wanted)))
    except (ValueError, IndexError, RecursionError):
        return {}
    ends = [match.start() for match in re.finditer("\n", text)]
    return {
        pointer: bisect_left(ends, _innermost(_tokens(pointer), found)) + 1 for pointer in wanted
    }


def _tokens(pointer: str) -> tuple[str, ...]:
    """The reference tokens of a JSON Pointer (RFC 6901), as they stand in it, at most 24."""
    return tuple(pointer.split("/")[1 : DEEPEST + 1])


def _tree(pointers: Iterable[str]) -> Tree:
    root: Tree = {}
    for pointer in pointers:
        here = root
        for token in _tokens(pointer):
            here = here.setdefault(token, {})
    return root


def _innermost(tokens: tuple[str, ...], found: Mapping[tuple[str, ...], int]) -> int:
    """The offset of a place, else of the innermost place around it that is there."""
    return next(found[tokens[:end]] for end in range(len(tokens), -1, -1) if tokens[:end] in found)


_Found = Iterator[tuple[tuple[str, ...], int]]


def _offsets(text: str, at: int, place: tuple[str, ...], wanted: Tree) -> _Found:
    """Where ``place``, whose value begins at ``at``, and the wanted places inside it begin."""
    yield place, at
    if not wanted:
        return
    members = {"{": _members, "[": _entries}.get(text[at])
    missing = set(wanted)
    for token, label, value in members(text, at + 1) if members else ():
        if token in wanted:
            yield from _offsets(text, value, (*place, token), wanted[token])
            yield (*place, token), label
            missing.discard(token)
        if not missing:
            return


_Parts = Iterator[tuple[str, int, int]]


def _members(text: str, at: int) -> _Parts:
    """The members of an object: reference token, where the name and where the value begins."""
    at = _past_blank(text, at)
    while text[at] == '"':
        name, end = _skip(text, at)
        value = _past_blank(text, _past_blank(text, end) + 1)
        yield name.replace("~", "~0").replace("/", "~1"), at, value
        at = _past_comma(text, _skip(text, value)[1])


def _entries(text: str, at: int) -> _Parts:
    """The entries of a list: reference token, and twice where the value begins."""
    at, number = _past_blank(text, at), 0
    while text[at] != "]":
        yield str(number), at, at
        at, number = _past_comma(text, _skip(text, at)[1]), number + 1


def _past_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _past_comma(text: str, at: int) -> int:
    """The next member or entry, or the closing bracket."""
    at = _past_blank(text, at)
    return _past_blank(text, at + 1) if text[at] == "," else at
