"""Where something stands that may be wrong: in a document, or in the text of an expression.

Rule: a node of a tree knows its place, and a fault is noted at it; only then does the place become
a JSON Pointer, or a position in a text with a caret. The reason: the same checks serve a form, a
document and a pasted expression, and each wants to be shown its own spot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from webapp.core.problems import TEXTS, Problem
from webapp.core.values import Where


class Span(NamedTuple):
    """A place in an expression's text: characters ``start`` to ``end`` of the member ``path``."""

    path: str
    text: str
    start: int
    end: int


Place = Where | Span | None
"""Where something stands: in a document, in a text, or nowhere (built by a program)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A part of a tree: it knows its place, which never counts when parts are compared."""

    at: Place = field(default=None, compare=False, repr=False)


CARET_WIDTH = 72


@dataclass(frozen=True, slots=True)
class TextProblem(Problem):
    """A fault in the text of an expression, with the characters it is about."""

    span: Span

    @property
    def caret(self) -> str:
        """Two lines: the text around the place, and a caret under its first character."""
        first = max(0, self.span.start - CARET_WIDTH // 2)
        shown = re.sub(r"\s", " ", self.span.text[first : first + CARET_WIDTH])
        marks = "^" * max(1, min(self.span.end, first + CARET_WIDTH) - self.span.start)
        return f"{shown}\n{' ' * (self.span.start - first)}{marks}"

    def as_document(self) -> dict[str, Any]:
        """Give the problem as JSON, with ``position`` (from 0), ``length`` and ``caret``."""
        length = self.span.end - self.span.start
        place = {"position": self.span.start, "length": length, "caret": self.caret}
        return Problem.as_document(self) | place


def problem_at(code: str, at: Place, **params: object) -> Problem:
    """Make the problem ``code`` at its place, which decides what kind of pointer it carries.

    Raises ``KeyError`` for a code without a text: our mistake.
    """
    TEXTS[code]
    match at:
        case Span():
            return TextProblem(code, at.path, params, at)
        case Where():
            return Problem(code, at.pointer(), params)
        case None:
            return Problem(code, "", params)


class Findings(NamedTuple):
    """What the checks note: problems refuse the expression, warnings do not."""

    problems: list[Problem]
    warnings: list[Problem]

    def refuse(self, code: str, at: Place, **params: object) -> None:
        """Note a fault for which DynamoDB would refuse the request."""
        self.problems.append(problem_at(code, at, **params))

    def warn(self, code: str, at: Place, **params: object) -> None:
        """Note what DynamoDB accepts and hardly anybody means."""
        self.warnings.append(problem_at(code, at, **params))
