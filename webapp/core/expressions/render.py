"""From the tree to the text of an expression, with the fewest parentheses that keep the meaning.

Rule: parentheses stand only where a looser connective is inside a tighter one (OR in AND, a group
in NOT); DynamoDB refuses doubled ones. One walk writes an expression and takes its placeholders
from the one ``Aliases`` of the request. The reason: text put together from pieces is where groups
lose their parentheses and ``:v1`` hits ``:v10``.
Source: Amazon DynamoDB Developer Guide, "Logical evaluations", precedence in conditions.
"""

from __future__ import annotations

from typing import Protocol

from webapp.core.expressions import nodes
from webapp.core.expressions.operators import OPERATORS
from webapp.core.expressions.paths import Path
from webapp.core.values import Wire


class Namer(Protocol):
    """What an expression calls its names and values; ``Aliases`` is the one for requests."""

    def name(self, attribute: str) -> str:
        """Spell one name of a path."""

    def value(self, attribute: str, wire: Wire, suffix: str = "") -> str:
        """Spell a value that stands with ``attribute``."""

    def own_value(self, token: str, wire: Wire) -> str:
        """Spell a value for which the user has a placeholder."""


_TOKENS = {op: row.token for op, row in OPERATORS.items()}
_TIGHTNESS = {"or": 1, "and": 2, "not": 3}
_JOINTS = {op: f" {_TOKENS[op]} " for op in ("and", "or")}
UNNAMED = "value"


def expression_text(tree: nodes.Expression, namer: Namer, suffix: str = "") -> str:
    """Write an expression of any kind; ``suffix`` is for the values of a condition."""
    if not isinstance(tree, tuple):
        return condition_text(tree, namer, suffix)
    if nodes.is_projection(tree):
        return projection_text(tree, namer)
    return update_text(nodes.as_update(tree), namer)


def condition_text(condition: nodes.Condition, namer: Namer, suffix: str = "") -> str:
    """Write a condition; ``suffix`` is added to the placeholders of its values."""
    return _Writer(namer, suffix).condition(condition, 0)


def update_text(update: nodes.Update, namer: Namer) -> str:
    """Write an update: each verb once, its actions after it."""
    writer = _Writer(namer, "")
    by_verb: dict[str, list[str]] = {}
    for action in update:
        by_verb.setdefault(_TOKENS[nodes.VERB_OF[type(action)]], []).append(writer.action(action))
    return " ".join(f"{verb} {', '.join(actions)}" for verb, actions in by_verb.items())


def projection_text(projection: nodes.Projection, namer: Namer) -> str:
    """Write a projection: its paths in their order, each once."""
    return ", ".join(path_text(path, namer) for path in dict.fromkeys(projection))


def path_text(path: Path, namer: Namer) -> str:
    """Write a path as expressions spell it, with placeholders where its names need them."""
    text = namer.name(path.attribute)
    for step in path.steps[1:]:
        text += f"[{step}]" if isinstance(step, int) else "." + namer.name(step)
    return text


class _Writer:
    """One walk over a tree: what to call things, and the suffix of value placeholders."""

    __slots__ = ("namer", "suffix")

    def __init__(self, namer: Namer, suffix: str) -> None:
        self.namer = namer
        self.suffix = suffix

    def condition(self, node: nodes.Condition, around: int) -> str:
        """Write a condition that stands inside something of tightness ``around``."""
        match node:
            case nodes.Comparison():
                return self.comparison(node)
            case nodes.Test():
                return f"{_TOKENS[node.op]}({self.series(node.operands, _stem(*node.operands))})"
            case nodes.Junction():
                own = _TIGHTNESS[node.op]
                text = _JOINTS[node.op].join([self.condition(arg, own) for arg in node.args])
                return f"({text})" if own < around else text
            case nodes.Not():
                return f"NOT {self.condition(node.arg, _TIGHTNESS['not'])}"
            case nodes.Between():
                return self.between(node)
            case nodes.In():
                stem = _stem(node.operand)
                return f"{self.operand(node.operand, stem)} IN ({self.series(node.values, stem)})"

    def comparison(self, node: nodes.Comparison) -> str:
        """Write ``left op right``."""
        left, right = node.left, node.right
        stem = left.last_name if isinstance(left, Path) else _stem(left, right)
        return f"{self.operand(left, stem)} {node.op} {self.operand(right, stem)}"

    def between(self, node: nodes.Between) -> str:
        """Write ``operand BETWEEN low AND high``."""
        stem = _stem(node.operand, node.low, node.high)
        low, high = self.operand(node.low, stem, "_low"), self.operand(node.high, stem, "_high")
        return f"{self.operand(node.operand, stem)} BETWEEN {low} AND {high}"

    def series(self, operands: tuple[nodes.Operand, ...], stem: str) -> str:
        """Write operands with commas between them."""
        return ", ".join([self.operand(operand, stem) for operand in operands])

    def operand(self, operand: nodes.Operand, stem: str, suffix: str = "") -> str:
        """Write one operand; ``stem`` names the placeholder of a value."""
        if isinstance(operand, Path):
            return path_text(operand, self.namer)
        if isinstance(operand, nodes.Literal):
            return self.literal(operand, stem, suffix)
        return f"size({self.operand(operand.of, stem, suffix)})"

    def literal(self, literal: nodes.Literal, stem: str, suffix: str = "") -> str:
        """Write a value: the user's own placeholder, or a new one."""
        if literal.placeholder is not None:
            return self.namer.own_value(literal.placeholder, literal.value.wire)
        return self.namer.value(stem, literal.value.wire, suffix + self.suffix)

    def action(self, action: nodes.Action) -> str:
        """Write one action of an update, without its verb."""
        path = path_text(action.path, self.namer)
        stem = action.path.last_name
        match action:
            case nodes.Set():
                return f"{path} = {self.assigned(action.to, stem)}"
            case nodes.Remove():
                return path
            case nodes.Add() | nodes.Delete():
                return f"{path} {self.literal(action.value, stem)}"

    def assigned(self, node: nodes.Assigned, stem: str) -> str:
        """Write what SET assigns."""
        match node:
            case Path():
                return path_text(node, self.namer)
            case nodes.Literal():
                return self.literal(node, stem)
            case nodes.Arithmetic():
                left = self.assigned(node.left, stem)
                return f"{left} {_TOKENS[node.op]} {self.assigned(node.right, stem)}"
            case nodes.IfNotExists():
                path = path_text(node.path, self.namer)
                return f"if_not_exists({path}, {self.assigned(node.otherwise, stem)})"
            case nodes.ListAppend():
                first = self.assigned(node.first, stem)
                return f"list_append({first}, {self.assigned(node.second, stem)})"


def _stem(*operands: nodes.Operand) -> str:
    """Choose the name that placeholders of the operands' values are called after."""
    for operand in operands:
        if isinstance(operand, Path):
            return operand.last_name
        if isinstance(operand, nodes.Size) and isinstance(operand.of, Path):
            return operand.of.last_name + "_size"
    return UNNAMED
