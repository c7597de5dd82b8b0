"""Where the reasons of a cancelled transaction are found: short programs, shown as they are run.

Rule: each program is a file of its own, shown whole and run whole by the tests. The reason: some
vendor pages say that reasons exist for one language only, and people then take messages apart.
(API reference, TransactWriteItems, "Cancellation reason codes".)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup
from pygments import highlight
from pygments.lexers import JavascriptLexer, PythonLexer

from webapp.web.folders import folder
from webapp.web.highlight import FORMATTER


class Program(NamedTuple):
    """One row: the SDK, the expression that holds the reasons, the file, its lexer."""

    sdk: str
    reasons: str
    file: str
    lexer: type[PythonLexer | JavascriptLexer]


PROGRAMS = (
    Program("boto3", 'error.response["CancellationReasons"]', "reasons.py", PythonLexer),
    Program("JavaScript SDK v3", "error.CancellationReasons", "reasons.mjs", JavascriptLexer),
)


@dataclass(frozen=True, slots=True)
class Example:
    """A program for reading: its SDK, where the reasons are, and its highlighted text."""

    sdk: str
    reasons: str
    code: Markup


@lru_cache(maxsize=1)
def examples() -> tuple[Example, ...]:
    """The programs, highlighted once."""
    return tuple(Example(row.sdk, row.reasons, _highlighted(row)) for row in PROGRAMS)


def _highlighted(row: Program) -> Markup:
    text = (folder("templates") / "examples" / row.file).read_text(encoding="utf-8")
    return Markup(highlight(text, row.lexer(), FORMATTER))  # noqa: S704 - the formatter escapes
