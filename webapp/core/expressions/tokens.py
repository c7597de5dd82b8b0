"""The text of an expression cut into tokens, and the faults of its syntax.

Rule: one regular expression reads the text once, so time grows with its length only; a text over
DynamoDB's 4,096 bytes is refused before that. A syntax fault says what was found, what could stand
there, and where. Keywords are read in any letter case, function names in lower case only.
Source: Amazon DynamoDB Developer Guide, "Expression attribute names (aliases)" for names and
placeholders; "Quotas" for the length; letter case as the service itself reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from webapp.core.expressions.operators import KEYWORDS
from webapp.core.expressions.places import Findings, Span, problem_at
from webapp.core.limits import EXPRESSION_BYTES
from webapp.core.problems import Problem, Text, excerpt, register

register(
    {
        "expression-text": Text("{given} is no text.", "Write the expression in quotes."),
        "expression-empty": Text(
            "The expression is empty.",
            "Write it, or leave the member out: DynamoDB refuses an empty one.",
        ),
        "text-too-long": Text(
            "The expression has {count:,} bytes; DynamoDB allows {limit:,}.",
            "Shorten it: use shorter placeholders, or split the request.",
        ),
        "syntax": Text(
            "{found} cannot stand at character {position}; there could be {expected}.",
            "Change it there, or complete what stands before it.",
        ),
        "syntax-end": Text(
            "The expression ends too early: there could be {expected}.", "Complete it."
        ),
        "syntax-not-equal": Text(
            "{found} at character {position} is no operator.", "“Not equal” is written <>."
        ),
        "syntax-equal": Text(
            "{found} at character {position} is one sign too many.", "Equality is a single =."
        ),
        "syntax-quote": Text(
            "{found} at character {position}: an expression cannot hold a text itself.",
            "Write a placeholder like :value, and put the text into ExpressionAttributeValues.",
        ),
        "syntax-number": Text(
            "{found} at character {position}: an expression cannot hold a number itself.",
            "Write a placeholder like :value, and put the number into ExpressionAttributeValues.",
        ),
        "syntax-underscore": Text(
            "A name cannot begin with “_” as it does at character {position}.",
            "Write a placeholder like #name, and put the name into ExpressionAttributeNames.",
        ),
        "syntax-logic": Text(
            "{found} at character {position} is no operator.", "Write AND, OR and NOT."
        ),
        "syntax-placeholder": Text(
            "{found} at character {position} begins a placeholder without a name.",
            "A placeholder is # or : and letters, digits or underscores.",
        ),
    }
)


class Token(NamedTuple):
    """One token: its kind, its text, where it stands; ``keyword`` in capitals if it can be one."""

    kind: str
    text: str
    start: int
    end: int
    keyword: str = ""


_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f]+)
    | (?P<word>[A-Za-z][A-Za-z0-9_]*)
    | (?P<name>\#[A-Za-z0-9_]+)
    | (?P<value>:[A-Za-z0-9_]+)
    | (?P<number>[0-9]+)
    | (?P<sign><>|<=|>=|[=<>()\[\],.+-])
    | (?P<odd>.)""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)

_CODES: Mapping[str, str] = {
    "!": "syntax-not-equal",
    "=": "syntax-equal",
    '"': "syntax-quote",
    "'": "syntax-quote",
    "“": "syntax-quote",
    "_": "syntax-underscore",
    "&": "syntax-logic",
    "|": "syntax-logic",
    "#": "syntax-placeholder",
    ":": "syntax-placeholder",
}
"""What a sign in the wrong place usually means."""

LONGEST_MARK = 60
VALUE_WORD = "a value like :value"


class SyntaxFault(Exception):
    """The text cannot be read beyond a place; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def read_tokens(text: object, path: str, findings: Findings) -> list[Token] | None:
    """Cut ``text`` into tokens, an ``end`` last; ``None`` when it is refused before any reading."""
    if not isinstance(text, str):
        findings.problems.append(Problem("expression-text", path, {"given": excerpt(text)}))
        return None
    size = len(text.encode("utf-8", "replace"))
    if size > EXPRESSION_BYTES:
        params = {"count": size, "limit": EXPRESSION_BYTES}
        findings.problems.append(Problem("text-too-long", path, params))
        return None
    tokens = [
        Token(match.lastgroup or "", match[0], match.start(), match.end(), _keyword(match))
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "space"
    ]
    if not tokens:
        findings.refuse("expression-empty", Span(path, text, 0, 0))
        return None
    return [*tokens, Token("end", "", len(text), len(text))]


def _keyword(match: re.Match[str]) -> str:
    upper = match[0].upper() if match.lastgroup == "word" else ""
    return upper if upper in KEYWORDS else ""


def fault_at(token: Token, span: Span, expected: tuple[str, ...]) -> SyntaxFault:
    """Make the fault of a token that cannot stand where it does."""
    joined = " or ".join(expected)
    if token.kind == "end":
        return SyntaxFault(problem_at("syntax-end", span, expected=joined))
    code = "syntax-number" if token.kind == "number" else _CODES.get(token.text, "syntax")
    if code == "syntax-equal" and VALUE_WORD not in expected:
        code = "syntax"
    found = f"“{excerpt(token.text[:LONGEST_MARK])}”"
    params = {"found": found, "position": token.start, "expected": joined}
    return SyntaxFault(problem_at(code, span, **params))
