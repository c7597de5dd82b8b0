"""From the text of an expression to its tree: a hand-written parser of DynamoDB's grammar.

Rule: NOT binds tighter than AND, AND tighter than OR; doubled parentheses are refused as DynamoDB
refuses them; depth is bounded and groups are kept on a list, not on the stack. Every placeholder is
resolved as a whole token, and what is undefined or reserved is noted at its place while the reading
goes on. The reason: a pasted expression must either become exactly what it means, or be pointed at.
Sources: Amazon DynamoDB Developer Guide, "Condition and filter expressions, operators, and
functions", "Update expressions"; letter case and parentheses as the service itself reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from webapp.core.expressions import nodes
from webapp.core.expressions.cursor import Cursor, T
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.operators import COMPARATORS, FUNCTIONS, OPERATORS, Kind
from webapp.core.expressions.parse_update import UpdateParser
from webapp.core.expressions.paths import Path
from webapp.core.expressions.places import Findings, Span, problem_at
from webapp.core.expressions.tokens import SyntaxFault, Token, read_tokens
from webapp.core.expressions.tree_reader import DEPTH

C = TypeVar("C", bound=Cursor)
OPERATOR = ("a comparator (= <> < <= > >=)", "BETWEEN", "IN")


CLEAR = frozenset({"name-reserved"})
"""What DynamoDB refuses in a text although it is clear what the text means."""


def parse_condition(
    text: object, path: str, dictionary: Dictionary, findings: Findings
) -> nodes.Condition | None:
    """Read a condition, filter or key condition; ``None`` with the faults noted under ``path``."""
    parser = _begun(ConditionParser, text, path, dictionary, findings)
    return _read(parser.condition, findings) if parser else None


def parse_update(
    text: object, path: str, dictionary: Dictionary, findings: Findings
) -> nodes.Update | None:
    """Read an update expression; ``None`` with the faults noted under ``path``."""
    parser = _begun(UpdateParser, text, path, dictionary, findings)
    return _read(parser.update, findings) if parser else None


def parse_projection(
    text: object, path: str, dictionary: Dictionary, findings: Findings
) -> nodes.Projection | None:
    """Read a projection; ``None`` with the faults noted under ``path``."""
    parser = _begun(UpdateParser, text, path, dictionary, findings)
    return _read(parser.projection, findings) if parser else None


def parse_kind(
    kind: Kind, text: object, path: str, dictionary: Dictionary, findings: Findings
) -> nodes.Expression | None:
    """Read an expression of any kind; ``None`` with the faults noted under ``path``."""
    match kind:
        case "update":
            return parse_update(text, path, dictionary, findings)
        case "projection":
            return parse_projection(text, path, dictionary, findings)
        case _:
            return parse_condition(text, path, dictionary, findings)


def _begun(
    parser: type[C], text: object, path: str, dictionary: Dictionary, findings: Findings
) -> C | None:
    """A parser before the first token of a text; ``None`` where it has none, noted."""
    tokens = read_tokens(text, path, findings)
    if tokens is None:
        return None
    return parser(tokens, Span(path, str(text), 0, 0), dictionary, findings)


def _read(read: Callable[[], T], findings: Findings) -> T | None:
    """The tree that ``read`` gives; ``None`` where the text is faulty, noted."""
    before = len(findings.problems)
    try:
        tree = read()
    except SyntaxFault as fault:
        findings.problems.append(fault.problem)
        return None
    return tree if all(p.code in CLEAR for p in findings.problems[before:]) else None


@dataclass(slots=True)
class _Level:
    """One pair of parentheses that is being read: its OR members, its AND members, its NOTs."""

    opened: int
    ors: list[nodes.Condition] = field(default_factory=list)
    ands: list[nodes.Condition] = field(default_factory=list)
    nots: list[Token] = field(default_factory=list)


class ConditionParser(Cursor):
    """Reads conditions, filters and key conditions: one grammar for all three."""

    keywords = frozenset(OPERATORS[op].token for op in ("and", "or", "not", "between", "in"))

    def __init__(
        self, tokens: list[Token], span: Span, dictionary: Dictionary, findings: Findings
    ) -> None:
        super().__init__(tokens, span, dictionary, findings)
        self._levels = [_Level(-1)]
        self._closed = (-1, -1)
        self._depth = 0
        self._measuring = False

    def condition(self) -> nodes.Condition:
        """Read conditions and connectives to the end of the text."""
        while True:
            self._open_groups()
            self._close_groups(self._leaf())
            if self.here.kind == "end":
                return self._whole()
            self._joint()

    def _open_groups(self) -> None:
        """Read the NOTs and opening parentheses before a condition."""
        while True:
            if self.is_here("NOT"):
                self._levels[-1].nots.append(self.advance())
            elif self.is_here("("):
                self._levels.append(_Level(self.position))
                self.advance()
            else:
                return
            self._depth += 1
            if self._depth > DEPTH:
                raise self.stop("expression-too-deep", self.here, limit=DEPTH)

    def _close_groups(self, node: nodes.Condition) -> None:
        """Enter a condition into its group, and close the groups that end behind it."""
        self._enter(node)
        while self.is_here(")") and len(self._levels) > 1:
            level = self._close_group()
            self._enter(_joined(level, self.at(self.tokens[level.opened].start)))

    def _close_group(self) -> _Level:
        """Read a closing parenthesis, and refuse a pair that holds nothing but parentheses."""
        level = self._levels.pop()
        if self._closed == (level.opened + 1, self.position - 1):
            opening = self.tokens[level.opened]
            self.findings.refuse("parentheses-redundant", self.at_token(opening))
        self._closed = (level.opened, self.position)
        self._depth -= 1
        self.advance()
        return level

    def _enter(self, node: nodes.Condition) -> None:
        """Put a condition, with the NOTs before it, into its group."""
        level = self._levels[-1]
        self._depth -= len(level.nots)
        for token in reversed(level.nots):
            node = nodes.Not(node, at=self.at(token.start))
        level.nots.clear()
        level.ands.append(node)

    def _joint(self) -> None:
        """Read the AND or OR between two conditions."""
        level = self._levels[-1]
        if self.is_here("OR"):
            level.ors.append(nodes.junction("and", level.ands, self.at(self.tokens[0].start)))
            level.ands = []
        elif not self.is_here("AND"):
            closing = (")",) if len(self._levels) > 1 else ()
            raise self.expected("AND", "OR", *closing, "the end")
        self.advance()

    def _whole(self) -> nodes.Condition:
        if len(self._levels) > 1:
            raise self.expected("AND", "OR", ")")
        return _joined(self._levels[0], self.at(self.tokens[0].start))

    def _leaf(self) -> nodes.Condition:
        """Read one condition: a function, or an operand with what it is compared with."""
        start = self.here.start
        name = self.function_name()
        if name is not None and OPERATORS[FUNCTIONS[name]].form == "function":
            return self._test(name, start)
        if name is not None and name != "size":
            raise self.misplaced(self.here)
        operand = self._unwrapped(self.operand())
        if self.is_here("BETWEEN"):
            return self._between(operand, start)
        if self.is_here("IN"):
            return self._membership(operand, start)
        if self.here.text not in COMPARATORS:
            raise self._misused_size(operand) or self.expected(*OPERATOR)
        op = self.advance().text
        return nodes.Comparison(op, operand, self.operand(), at=self.at(start))

    def _unwrapped(self, operand: nodes.Operand) -> nodes.Operand:
        """Take back parentheses that turn out to hold one operand only, like ``(a) = :a``."""
        while self.is_here(")") and len(self._levels) > 1 and self._is_alone():
            self._close_group()
        return operand

    def _is_alone(self) -> bool:
        """Whether the innermost group has nothing but the operand that was just read."""
        level = self._levels[-1]
        return not (level.ors or level.ands or level.nots)

    def _misused_size(self, operand: nodes.Operand) -> SyntaxFault | None:
        if not isinstance(operand, nodes.Size) or self.here.kind not in {"end", "word"}:
            return None
        rule = OPERATORS["size"].rule
        return SyntaxFault(problem_at("function-misplaced", operand.at, name="size", rule=rule))

    def _between(self, operand: nodes.Operand, start: int) -> nodes.Condition:
        self.take("BETWEEN")
        low = self.operand()
        self.take("AND")
        return nodes.Between(operand, low, self.operand(), at=self.at(start))

    def _membership(self, operand: nodes.Operand, start: int) -> nodes.Condition:
        self.take("IN")
        return nodes.In(operand, self.series(self.operand), at=self.at(start))

    def _test(self, name: str, start: int) -> nodes.Condition:
        token = self.advance()
        operands = self.series(self.operand)
        op = FUNCTIONS[name]
        self.check_arity(token, len(operands))
        if OPERATORS[op].slots[0].accepts == "path" and not isinstance(operands[0], Path):
            raise self.stop("function-needs-path", token, name=name)
        if op == "attribute_type" and not isinstance(operands[1], nodes.Literal):
            raise self.stop("type-not-literal", token)
        return nodes.Test(op, operands, at=self.at(start))

    def operand(self) -> nodes.Operand:
        """Read a path, a value, ``size(…)``, or one of them in parentheses."""
        token = self.here
        name = self.function_name()
        if name == "size":
            return self._size(self.advance())
        if name is not None:
            raise self.misplaced(token)
        if self.is_here("("):
            return self._wrapped()
        return self.path_or_value()

    def _wrapped(self) -> nodes.Operand:
        """Read an operand in parentheses, which may not be doubled."""
        opening = self.advance()
        if self.is_here("("):
            raise self.stop("parentheses-redundant", opening)
        operand = self.operand()
        self.take(")")
        return operand

    def _size(self, token: Token) -> nodes.Size:
        if self._measuring:
            raise self.misplaced(token)
        self._measuring = True
        operands = self.series(self.operand)
        self._measuring = False
        self.check_arity(token, len(operands))
        of = operands[0]
        if isinstance(of, nodes.Size):
            raise self.misplaced(token)
        return nodes.Size(of, at=self.at(token.start))


def _joined(level: _Level, at: Span) -> nodes.Condition:
    """Join the members of a group: OR of its ANDs."""
    return nodes.junction("or", [*level.ors, nodes.junction("and", level.ands, at)], at)
