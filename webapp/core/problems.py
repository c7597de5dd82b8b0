"""What is wrong with a document, said to the person who will fix it.

Rule: a refused document names *all* its problems, each with a stable code, a JSON Pointer into the
document that was sent, and the parameters of its text. The texts are templates in tables, one row
per code, so that another language needs only another table. The reason: a form shows a problem at
its field, a program decides by code, and neither should have to parse English.

A problem is "you asked for something illegal". What the service answers is a different type
(see ``explain``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple


class Text(NamedTuple):
    """One row of a text table: what is wrong, and what to do. ``{name}`` stands for a parameter."""

    message: str
    hint: str


TEXTS: dict[str, Text] = {}


def register(rows: Mapping[str, Text]) -> Mapping[str, Text]:
    """Add the rows of one area to the table of all problems; a code may be registered only once.

    Each module that finds problems keeps its own rows beside the checks and registers them on
    import. Raises ``ValueError`` for a code that is taken: two areas must not share a meaning.
    """
    taken = TEXTS.keys() & rows.keys()
    if taken:
        raise ValueError(f"problem codes registered twice: {sorted(taken)}")
    TEXTS.update(rows)
    return rows


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a document: stable ``code``, JSON Pointer ``path``, parameters of the text."""

    code: str
    path: str
    params: Mapping[str, object]

    @property
    def message(self) -> str:
        """What is wrong, in English, with the given and the allowed."""
        return TEXTS[self.code].message.format_map(self.params)

    @property
    def hint(self) -> str:
        """What to do about it, in English."""
        return TEXTS[self.code].hint.format_map(self.params)

    def as_document(self) -> dict[str, Any]:
        """The problem as the contract's JSON object."""
        return {"code": self.code, "path": self.path, "message": self.message, "hint": self.hint}


class Refused(Exception):
    """A document that was refused, with every problem that was found in it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("; ".join(f"{p.path or '/'}: {p.message}" for p in self.problems))

    def as_document(self) -> dict[str, Any]:
        """The refusal as the contract's JSON object."""
        return {"problems": [problem.as_document() for problem in self.problems]}


register(
    {
        "too-many-problems": Text(
            "There are more than {count:,} problems, or their places take too much room; "
            "the rest is not listed.",
            "Correct the first ones and send the document again.",
        ),
    }
)

MOST_PROBLEMS = 1_000
MOST_PATH_CHARACTERS = 1_000_000


class Problems(list[Problem]):
    """A collector: checks add to it as they go, and the caller refuses once, at the end.

    After 1,000 problems, or a million characters of paths, it says so and refuses at once: a
    hostile document has a fault in each of its members, each under a path as long as the document.
    """

    _path_characters = 0

    def add(self, code: str, path: str, **params: object) -> None:
        """Note one problem. ``code`` must be registered (a ``KeyError`` otherwise: our mistake)."""
        TEXTS[code]
        self._path_characters += len(path)
        if len(self) >= MOST_PROBLEMS or self._path_characters > MOST_PATH_CHARACTERS:
            self.append(Problem("too-many-problems", "", {"count": len(self)}))
            raise Refused(self)
        self.append(Problem(code, path, params))

    def refuse(self) -> None:
        """Raise ``Refused`` when anything was noted."""
        if self:
            raise Refused(self)


def beyond(earlier: Iterable[Problem], later: Iterable[Problem]) -> list[Problem]:
    """The ``later`` problems that are not consequences: none was found earlier at or under them.

    A value that could not be read is not *also* missing.
    """
    known = {problem.path for problem in earlier}
    return [
        problem
        for problem in later
        if problem.path not in known
        and not any(path.startswith(problem.path + "/") for path in known)
    ]


def pointer(*parts: str | int) -> str:
    """A JSON Pointer (RFC 6901) from its reference tokens, with ``~`` and ``/`` escaped.

    Lone surrogates, which no UTF-8 text can hold, are escaped like in messages.
    """
    path = "".join(["/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts])
    return writable(path)


def writable(text: str) -> str:
    """``text`` as UTF-8 can hold it: lone surrogates are escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


EXCERPT = 80
_words = json.JSONEncoder(ensure_ascii=False, skipkeys=True, default=str)


def excerpt(given: object, most: int = EXCERPT) -> str:
    """What was given, short enough to stand in a message: at most 80 characters of it."""
    text = writable(given if isinstance(given, str) else json_words(given))
    if len(text) <= most:
        return text
    counted = f" ({len(text):,} characters)" if isinstance(given, str) else ""
    return f"{text[:most]}…{counted}"


def json_words(given: object) -> str:
    """The beginning of a value in JSON's words; it is not looked at deeper than is shown."""
    if isinstance(given, (dict, list, tuple, str, bool, int, float)) or given is None:
        try:
            return "".join(islice(_words.iterencode(given), EXCERPT))
        except ValueError:  # an integer of thousands of digits
            return f"a very large {type(given).__name__}"
    return str(getattr(given, "text", given))
