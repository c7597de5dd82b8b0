"""The smallest parts of the grammar: signs, placeholders, paths, values, calls.

Rule: every placeholder is resolved as a whole token; what is undefined or reserved is noted at its
place while the reading goes on, and only a fault of the grammar ends it. The reason: one pass shows
everything that is wrong, and ``:v1`` can never be taken for ``:v10``.
Source: Amazon DynamoDB Developer Guide, "Referring to item attributes when using expressions".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.nodes import Literal
from webapp.core.expressions.operators import FUNCTIONS, OPERATORS
from webapp.core.expressions.paths import Path, Step
from webapp.core.expressions.places import Findings, Span, problem_at
from webapp.core.expressions.tokens import VALUE_WORD, SyntaxFault, Token, fault_at
from webapp.core.limits import NESTING_LEVELS
from webapp.core.problems import Text, register
from webapp.core.reserved import is_reserved
from webapp.core.values import NULL

register(
    {
        "name-undefined": Text(
            "The placeholder {name} is not defined.", "Define it in ExpressionAttributeNames."
        ),
        "value-undefined": Text(
            "The placeholder {name} is not defined.", "Define it in ExpressionAttributeValues."
        ),
        "name-reserved": Text(
            "“{name}” is a reserved word and cannot stand as it is.",
            "Write a placeholder like #{name}, and put the name into ExpressionAttributeNames.",
        ),
        "parentheses-redundant": Text(
            "The parentheses are doubled.", "Remove one pair: DynamoDB refuses doubled ones."
        ),
        "function-unknown": Text(
            "There is no function “{name}”.",
            "The functions are {expected}, in lower case.",
        ),
        "function-spelling": Text(
            "There is no function “{name}”; its name is {expected}.",
            "Function names are read in lower case only.",
        ),
        "function-misplaced": Text("{name} cannot be used this way.", "{rule}"),
        "function-arity": Text(
            "{name} takes {expected} operands, not {count}.", "Give it {expected}."
        ),
        "function-needs-path": Text(
            "{name} looks for an attribute, and its first operand is none.", "Give it a path."
        ),
        "type-not-literal": Text(
            "attribute_type takes the type's name as a value only.",
            "Give a placeholder like :type, with the value S, N, B or another type.",
        ),
        "verb-twice": Text(
            "{verb} stands twice; an update has each verb once.",
            "Put all its actions into one list, separated by commas.",
        ),
    }
)

PATH = ("an attribute name", "a placeholder like #name")
VALUE = (VALUE_WORD,)
OPERAND = (*PATH, *VALUE)


T = TypeVar("T")


class Cursor:
    """A place in the tokens of one expression, and the reading of what all kinds are made of.

    ``keywords`` are the words that the grammar of the expression reads as its own.
    """

    keywords: frozenset[str] = frozenset()

    def __init__(
        self, tokens: list[Token], span: Span, dictionary: Dictionary, findings: Findings
    ) -> None:
        self.tokens = tokens
        self.position = 0
        self.span = span
        self.dictionary = dictionary
        self.findings = findings

    @property
    def here(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.position]

    def advance(self) -> Token:
        """Read the token that comes next, whatever it is."""
        token = self.tokens[self.position]
        self.position += 1
        return token

    def at(self, start: int) -> Span:
        """Give the place from the character ``start`` to the end of the last token read."""
        end = self.tokens[max(0, self.position - 1)].end
        return self.span._replace(start=start, end=max(start, end))

    def at_token(self, token: Token) -> Span:
        """The place of one token."""
        return self.span._replace(start=token.start, end=token.end)

    def expected(self, *expected: str) -> SyntaxFault:
        """The fault of the token here, where something else is expected."""
        return fault_at(self.here, self.at_token(self.here), expected)

    def stop(self, code: str, token: Token, **params: object) -> SyntaxFault:
        """The fault ``code`` at a token, beyond which nothing can be read."""
        return SyntaxFault(problem_at(code, self.at_token(token), **params))

    def take(self, sign: str) -> Token:
        """Read the sign or keyword that must stand here."""
        if not self.is_here(sign):
            raise self.expected(sign)
        return self.advance()

    def is_here(self, sign: str) -> bool:
        """Whether the sign or keyword comes next."""
        token = self.here
        return token.keyword == sign or (token.kind == "sign" and token.text == sign)

    def series(self, read: Callable[[], T]) -> tuple[T, ...]:
        """Read ``(`` one or more operands with commas between them ``)``."""
        self.take("(")
        parts = [read()]
        while self.is_here(","):
            self.advance()
            parts.append(read())
        if not self.is_here(")"):
            raise self.expected(",", ")")
        self.advance()
        return tuple(parts)

    def check_arity(self, token: Token, count: int) -> None:
        """Refuse a function called with another number of operands than it has."""
        expected = len(OPERATORS[FUNCTIONS[token.text]].slots)
        if count != expected:
            params = {"name": token.text, "expected": expected, "count": count}
            raise self.stop("function-arity", token, **params)

    def function_name(self) -> str | None:
        """Give the name of the function that is called here, if one is."""
        token = self.here
        if token.kind != "word" or token.keyword or self.tokens[self.position + 1].text != "(":
            return None
        if token.text in FUNCTIONS:
            return token.text
        plain = token.text.lower().replace("_", "")
        for known in FUNCTIONS:
            if known.replace("_", "") == plain:
                raise self.stop("function-spelling", token, name=token.text, expected=known)
        known_names = ", ".join(FUNCTIONS)
        raise self.stop("function-unknown", token, name=token.text, expected=known_names)

    def misplaced(self, token: Token) -> SyntaxFault:
        """The fault of a function that is known but cannot stand here."""
        rule = OPERATORS[FUNCTIONS[token.text]].rule
        return self.stop("function-misplaced", token, name=token.text, rule=rule)

    def path_or_value(self) -> Path | Literal:
        """Read a document path or the placeholder of a value."""
        if self.here.kind == "value":
            return self.value()
        if self.here.kind == "name" or self.is_name_here():
            return self.path()
        raise self.expected(*OPERAND)

    def is_name_here(self) -> bool:
        """Whether a bare attribute name comes next."""
        return self.here.kind == "word" and self.here.keyword not in self.keywords

    def value(self) -> Literal:
        """Read the placeholder of a value, which must stand here."""
        if self.here.kind != "value":
            raise self.expected(*VALUE)
        token = self.advance()
        self.dictionary.used_values.add(token.text)
        value = self.dictionary.values.get(token.text)
        if value is None:
            self.findings.refuse("value-undefined", self.at_token(token), name=token.text)
        return Literal(value or NULL, token.text, at=self.at_token(token))

    def path(self) -> Path:
        """Read a document path, which must stand here."""
        start = self.here.start
        steps: list[Step] = [self.name()]
        while self.is_here(".") or self.is_here("["):
            if self.advance().text == ".":
                steps.append(self.name())
            else:
                steps.append(self._index())
        path = Path(tuple(steps), at=self.at(start))
        if len(steps) > NESTING_LEVELS:
            params = {"count": len(steps), "limit": NESTING_LEVELS}
            self.findings.refuse("path-too-deep", path.at, **params)
        return path

    def name(self) -> str:
        """Read one name of a path, bare or by its placeholder."""
        token = self.here
        if token.kind == "name":
            self.advance()
            return self._resolved(token)
        if not self.is_name_here():
            raise self.expected(*PATH)
        self.advance()
        if is_reserved(token.text):
            self.findings.refuse("name-reserved", self.at_token(token), name=token.text)
        return token.text

    def _resolved(self, token: Token) -> str:
        self.dictionary.used_names.add(token.text)
        name = self.dictionary.names.get(token.text)
        if name is None:
            self.findings.refuse("name-undefined", self.at_token(token), name=token.text)
        return name or token.text

    def _index(self) -> int:
        if self.here.kind != "number":
            raise self.expected("a list index like 0")
        index = int(self.advance().text)
        self.take("]")
        return index
