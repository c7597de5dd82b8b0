"""JSON text in and out, strictly and exactly.

Rule: a JSON document is read so that nothing is lost and nothing is guessed: numbers keep their
digits, an object that names a member twice is refused, depth is bounded. It is written so that the
same document always gives the same bytes. The reason: the standard reader rounds ``30.40`` to a
binary float and silently drops the first of two equal members.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, NamedTuple

import orjson

from webapp.core.problems import Problems, Refused, Text, excerpt, pointer, register, writable

register(
    {
        "json-malformed": Text(
            "This is not JSON: {reason} (line {line}, column {column}).",
            "Check quotes, commas and brackets near that place.",
        ),
        "json-encoding": Text(
            "This is not UTF-8 text: byte {position} cannot be read.", "Send the JSON as UTF-8."
        ),
        "json-too-deep": Text(
            "The JSON is nested too deeply to be read.",
            "DynamoDB allows 32 levels of lists and maps.",
        ),
        "json-duplicate": Text(
            "The member “{name}” stands twice in one object.",
            "Keep one of them: a JSON reader would silently drop the other.",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Digits:
    """A JSON number that has a fraction, an exponent or very many digits, as its own text."""

    text: str


class _Twice(dict[str, Any]):
    """An object that named a member twice; kept apart until its path is known."""

    names: tuple[str, ...] = ()


_LONGEST_INT = 300


def _integer(text: str) -> int | Digits:
    return int(text) if len(text) <= _LONGEST_INT else Digits(text)


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON number")


def read_json(text: str | bytes) -> Any:
    """The document that ``text`` spells: objects as dicts, fractions as ``Digits``.

    Raises ``Refused`` for text that is no UTF-8, no JSON, nested beyond what can be read, or has
    an object that names a member twice (RFC 8259 leaves that open; DynamoDB's clients differ).
    """
    twice: list[_Twice] = []
    document = _decode(_as_text(text), twice)
    if twice:
        _refuse_twice(document)
    return document


LARGEST_QUICK = 64 * 1024


def read_quickly(text: bytes) -> Any:
    """The document of a JSON object that names no member twice, in a third of the time.

    What differs from ``read_json``: a number with a fraction, an exponent or very many digits is a
    float, which nothing may be made of. So whoever is refused something must read once more.
    ``None`` for a text that only ``read_json`` can judge. A member that is dropped takes a colon
    with it, which is how one is noticed; an escape could add one, so there must be none.
    """
    if len(text) > LARGEST_QUICK or text[:1] != b"{" or b"\\u" in text:
        return None
    try:
        document = orjson.loads(text)
        whole = orjson.dumps(document).count(b":") == text.count(b":")
    except (TypeError, ValueError):  # beyond its levels, or no JSON
        return None
    return document if whole else None


def _as_text(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused("json-encoding", position=error.start) from None


def _decode(text: str, twice: list[_Twice]) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        return found if len(found) == len(pairs) else _note_twice(pairs, twice)

    try:
        return json.loads(
            text,
            object_pairs_hook=members,
            parse_float=Digits,
            parse_int=_integer,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise _refused(
            "json-malformed", reason=error.msg, line=error.lineno, column=error.colno
        ) from None
    except RecursionError:
        raise _refused("json-too-deep") from None
    except ValueError as error:
        raise _refused("json-malformed", reason=str(error), line=1, column=1) from None


def _refused(code: str, **params: object) -> Refused:
    problems = Problems()
    problems.add(code, "", **params)
    return Refused(problems)


def _note_twice(pairs: list[tuple[str, Any]], twice: list[_Twice]) -> _Twice:
    found = _Twice(pairs)
    seen: set[str] = set()
    found.names = tuple(name for name, _ in pairs if name in seen or seen.add(name))
    twice.append(found)
    return found


def _refuse_twice(document: Any) -> None:
    problems = Problems()
    for place, value in _walk(document):
        if isinstance(value, _Twice):
            path = _path(place)
            for name in dict.fromkeys(value.names):
                problems.add("json-duplicate", path + pointer(name), name=excerpt(name))
    problems.refuse()


_Place = tuple[Any, str | int] | None


def _walk(document: Any) -> Iterator[tuple[_Place, Any]]:
    """Every value with its place (the outer place and a token), without recursion."""
    waiting: list[tuple[_Place, Any]] = [(None, document)]
    while waiting:
        place, value = waiting.pop()
        yield place, value
        if isinstance(value, dict):
            waiting.extend(((place, name), inner) for name, inner in value.items())
        elif isinstance(value, list):
            waiting.extend(((place, index), inner) for index, inner in enumerate(value))


def _path(place: _Place) -> str:
    tokens: list[str | int] = []
    while place is not None:
        place, token = place
        tokens.append(token)
    return pointer(*reversed(tokens))


def write(document: Any) -> bytes:
    """The one canonical text of ``document``: compact UTF-8, members in their given order.

    Whatever ``read_json`` has read can be written: ``Digits`` with their own digits, integers and
    levels without end, half a surrogate pair as its escape. Raises ``TypeError`` for what no JSON
    can say.
    """
    try:
        return write_plain(document)
    except TypeError:  # what is no JSON, and what is beyond the fast writer
        return "".join(_pieces(document, _COMPACT)).encode()


def verbatim(text: bytes) -> object:
    """A part of a document to be written that is JSON text already and is written as it is."""
    return orjson.Fragment(text)


def write_plain(document: Any) -> bytes:
    """``write`` for what every JSON reader takes alike.

    Raises ``TypeError`` also for integers beyond 64 bits, halves of pairs and hundreds of levels.
    """
    return orjson.dumps(document, _digits, orjson.OPT_PASSTHROUGH_DATACLASS)


def _digits(value: object) -> orjson.Fragment:
    if isinstance(value, Digits):
        return orjson.Fragment(value.text)
    raise TypeError(type(value).__name__)


class _Signs(NamedTuple):
    """What stands between two members, and between a name and its value."""

    comma: str
    colon: str


_COMPACT, _SPACED = _Signs(",", ":"), _Signs(", ", ": ")


def _pieces(document: Any, signs: _Signs) -> Iterator[str]:
    """The text of ``document`` from its beginning, without recursion."""
    waiting = [_parts(document, signs)]
    while waiting:
        for piece, inner in waiting[-1]:
            yield piece
            if inner is not None:
                waiting.append(_parts(inner, signs))
                break
        else:
            waiting.pop()


_HOLDERS = (dict, list, tuple)
_Part = tuple[str, Any]


def _parts(value: Any, signs: _Signs) -> Iterator[_Part]:
    """The pieces of a value, each with the object or list that comes after it, or ``None``."""
    match value:
        case dict():
            yield "{", None
            for number, (name, member) in enumerate(value.items()):
                comma = signs.comma if number else ""
                yield _part(comma + _word(_text(name)) + signs.colon, member)
            yield "}", None
        case list() | tuple():
            yield "[", None
            for number, member in enumerate(value):
                yield _part(signs.comma if number else "", member)
            yield "]", None
        case _:
            yield _word(value), None


def _part(label: str, value: Any) -> _Part:
    return (label, value) if isinstance(value, _HOLDERS) else (label + _word(value), None)


def _text(name: object) -> str:
    if isinstance(name, str):
        return name
    raise TypeError(f"a member is named by a {type(name).__name__}")


def _word(value: Any) -> str:
    """The text of a value that holds no others."""
    match value:
        case str():
            return writable(encode_basestring(value))
        case Digits():
            return value.text
        case int() if not isinstance(value, bool):
            return str(value)
        case _:
            return orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_DATACLASS).decode()


def parsed(text: bytes) -> Any:
    """The document of a text that ``write`` made (typed JSON: its numbers stand in strings)."""
    return orjson.loads(text)


PRETTY_WIDTH = 88
PRETTY_LEVELS = 40
"""What stands deeper is not laid out: its lines would be blanks, thousands on each."""


def pretty(document: Any, width: int = PRETTY_WIDTH) -> str:
    """``document`` for reading: two blanks a level; what fits in ``width`` stands on one line.

    It is the same document as ``write`` writes. What is 40 levels deep stands on one line.
    """
    return "".join(_pretty(document, "", width))


def _pretty(value: Any, indent: str, width: int, label: str = "") -> Iterator[str]:
    yield label
    if not isinstance(value, (dict, list)) or not value or len(indent) >= 2 * PRETTY_LEVELS:
        yield from _pieces(value, _SPACED)
        return
    line = _short_line(value, width - len(indent) - len(label))
    if line is not None:
        yield line
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield opening
    yield from _members(value, indent + "  ", width)
    yield "\n" + indent + closing


def _members(value: Any, inner: str, width: int) -> Iterator[str]:
    labelled = isinstance(value, dict)
    for number, member in enumerate(value.items() if labelled else value):
        yield ("," if number else "") + "\n" + inner
        if labelled:
            yield from _pretty(member[1], inner, width, _word(_text(member[0])) + ": ")
        else:
            yield from _pretty(member, inner, width)


def _short_line(value: Any, room: int) -> str | None:
    """The value on one line of at most ``room`` characters, if that can be read at a glance.

    It looks no further than that, so that each level of a deep document costs the same.
    """
    if 3 * len(value) > room or _holds_structure(value):
        return None
    line = ""
    for piece in _pieces(value, _SPACED):
        line += piece
        if len(line) > room:
            return None
    return line


def _holds_structure(value: Any) -> bool:
    """Whether ``value`` holds anything deeper than typed attribute values."""
    members = value.values() if isinstance(value, dict) else value
    return any(
        isinstance(member, list) and member and isinstance(member[0], dict) for member in members
    )
