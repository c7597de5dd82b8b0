"""Reading updates and projections.

Rule: sections may come in any order, each once; DynamoDB allows one + or − for each SET, outside of
functions. What the grammar can read but DynamoDB refuses is read, and refused by the checks at its
place. Source: Amazon DynamoDB Developer Guide, "Update expressions" and "Projection expressions".
"""

from __future__ import annotations

from webapp.core.expressions import nodes
from webapp.core.expressions.cursor import Cursor
from webapp.core.expressions.operators import FUNCTIONS, OPERATORS, VERBS
from webapp.core.expressions.paths import Path
from webapp.core.expressions.places import Span
from webapp.core.expressions.tokens import Token
from webapp.core.expressions.tree_reader import DEPTH

VERB = tuple(OPERATORS[verb].token for verb in VERBS)


class UpdateParser(Cursor):
    """Reads update expressions and projections."""

    keywords = frozenset(VERB)

    def update(self) -> nodes.Update:
        """Read the sections of an update to the end of the text."""
        actions: list[nodes.Action] = []
        seen: set[str] = set()
        while self.here.kind != "end":
            token = self.here
            if token.keyword not in VERB:
                raise self.expected(*(verb for verb in VERB if verb not in seen))
            if token.keyword in seen:
                self.findings.refuse("verb-twice", self.at_token(token), verb=token.keyword)
            seen.add(self.advance().keyword)
            actions.extend(self._section(token.keyword))
        return nodes.update(actions)

    def _section(self, verb: str) -> list[nodes.Action]:
        actions = [self._action(verb)]
        while self.is_here(","):
            self.advance()
            actions.append(self._action(verb))
        return actions

    def _action(self, verb: str) -> nodes.Action:
        start = self.here.start
        path = self.path()
        match verb:
            case "SET":
                self.take("=")
                return nodes.Set(path, self._assigned(0), at=self.at(start))
            case "REMOVE":
                return nodes.Remove(path, at=self.at(start))
            case "ADD":
                return nodes.Add(path, self.value(), at=self.at(start))
            case _:
                return nodes.Delete(path, self.value(), at=self.at(start))

    def _assigned(self, depth: int) -> nodes.Assigned:
        """Read what SET assigns; more than one + or − is read, for the checks to refuse."""
        start = self.here.start
        left = self._term(depth)
        while self.is_here("+") or self.is_here("-"):
            op = "plus" if self.advance().text == "+" else "minus"
            left = nodes.Arithmetic(op, left, self._term(depth), at=self.at(start))
        return left

    def _term(self, depth: int) -> nodes.Assigned:
        if depth > DEPTH:
            raise self.stop("expression-too-deep", self.here, limit=DEPTH)
        if self.is_here("("):
            return self._group(depth)
        name = self.function_name()
        if name is None:
            return self.path_or_value()
        return self._call(self.advance(), depth)

    def _group(self, depth: int) -> nodes.Assigned:
        """Read what stands in parentheses, which may not be doubled."""
        opening = self.advance()
        inside = self.here
        inner = self._assigned(depth + 1)
        self.take(")")
        if inside.text == "(" and not _begins_at(inner, inside):
            raise self.stop("parentheses-redundant", opening)
        return inner

    def _call(self, token: Token, depth: int) -> nodes.Assigned:
        """Read a function of SET with its operands."""
        row = OPERATORS[FUNCTIONS[token.text]]
        if "update" not in row.kinds:
            raise self.stop("function-misplaced", token, name=token.text, rule=row.rule)
        operands = self.series(lambda: self._assigned(depth + 1))
        self.check_arity(token, len(operands))
        first, second = operands
        if row.form == "append":
            return nodes.ListAppend(first, second, at=self.at(token.start))
        if not isinstance(first, Path):
            raise self.stop("function-needs-path", token, name=token.text)
        return nodes.IfNotExists(first, second, at=self.at(token.start))

    def projection(self) -> nodes.Projection:
        """Read paths with commas between them to the end of the text."""
        paths = [self.path()]
        while self.is_here(","):
            self.advance()
            paths.append(self.path())
        if self.here.kind != "end":
            raise self.expected(",", "the end")
        return tuple(paths)


def _begins_at(node: nodes.Assigned, token: Token) -> bool:
    """Whether a + or − begins with the token: the parentheses there hold only its first part."""
    return (
        isinstance(node, nodes.Arithmetic)
        and isinstance(node.at, Span)
        and node.at.start == token.start
    )
