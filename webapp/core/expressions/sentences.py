"""An expression in plain words: a sentence for each condition, and what a missing attribute does.

Rule: sentences are templates of the table of operators and of the tables below, filled with paths
and values; values stand in them as they are, each in the place of its own placeholder. The reason:
that ``<>`` is true and ``<`` is false when the attribute is missing is what surprises people.
Source: Amazon DynamoDB Developer Guide, "Comparison operator and function reference".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.core.expressions import nodes
from webapp.core.expressions.comparison import TypedValue, tag_of
from webapp.core.expressions.evaluate import Item, holds
from webapp.core.expressions.operators import OPERATORS
from webapp.core.expressions.paths import Path, written_name
from webapp.core.expressions.render import expression_text
from webapp.core.sayings import Saying, together
from webapp.core.values import Wire

MISSING: Mapping[str, str] = {
    "true": "If {path} is missing, this is true.",
    "false": "If {path} is missing, this is false.",
    "set": "If {path} is missing, the update is refused.",
    "remove": "If {path} is missing, nothing happens.",
    "add": "If {path} is missing, it is made.",
    "delete": "If {path} is missing, nothing happens.",
    "projection": "What is missing is left out.",
}
"""What a missing attribute does, by what stands there."""

GROUP = "{sentence}:"
RETURN = "return {paths}"
LIST_JOINT = ", "


@dataclass(frozen=True, slots=True)
class Explained:
    """One condition or action in words; ``members`` are those of a group.

    ``missing`` says what happens when its attribute is missing; ``holds`` is the answer for the
    sample item, where one was given.
    """

    op: str
    text: str
    missing: str | None = None
    holds: bool | None = None
    members: tuple[Explained, ...] = ()

    def as_document(self) -> dict[str, Any]:
        """The explanation as a JSON object, without what there is none of."""
        document: dict[str, Any] = {"op": self.op, "text": self.text}
        if self.missing is not None:
            document["missing"] = self.missing
        if self.holds is not None:
            document["holds"] = self.holds
        if self.members:
            document["members"] = [member.as_document() for member in self.members]
        return document


def explain(tree: nodes.Expression, item: Item | None = None) -> tuple[Explained, ...]:
    """An expression of any kind in sentences; a condition with its answers for ``item``."""
    if not isinstance(tree, tuple):
        return (explain_condition(tree, item),)
    if nodes.is_projection(tree):
        text = Saying(RETURN, paths=together([_shown(path) for path in tree], LIST_JOINT))
        return (Explained("projection", text, Saying(MISSING["projection"])),)
    return explain_update(nodes.as_update(tree))


def explain_condition(condition: nodes.Condition, item: Item | None = None) -> Explained:
    """A condition in sentences: groups hold those of their members."""
    op = nodes.operator_of(condition)
    answer = None if item is None else holds(condition, item)
    sentence = OPERATORS[op].sentence
    match condition:
        case nodes.Junction():
            members = tuple(explain_condition(arg, item) for arg in condition.args)
            return Explained(op, Saying(GROUP, sentence=Saying(sentence)), None, answer, members)
        case nodes.Not():
            member = explain_condition(condition.arg, item)
            return Explained(op, Saying(GROUP, sentence=Saying(sentence)), None, answer, (member,))
        case _:
            text = Saying(sentence, *_words(condition))
            return Explained(op, text, _when_missing(condition), answer)


def _words(condition: nodes.Condition) -> list[str]:
    operands = [_shown(operand) for operand in nodes.operands_of(condition)]
    if isinstance(condition, nodes.In):
        return [operands[0], together(operands[1:], LIST_JOINT)]
    return operands


def _when_missing(condition: nodes.Condition) -> str | None:
    """What the condition yields when the first attribute that it reads is missing."""
    yields = OPERATORS[nodes.operator_of(condition)].missing
    for operand in nodes.operands_of(condition):
        read = operand.of if isinstance(operand, nodes.Size) else operand
        if isinstance(read, Path):
            return Saying(MISSING["true" if yields else "false"], path=_shown(read))
    return None


def _shown(operand: nodes.Operand) -> str:
    match operand:
        case Path():
            return f"“{operand.text}”"
        case nodes.Literal():
            return shown_value(operand.value.wire)
        case nodes.Size():
            return Saying(OPERATORS["size"].sentence, _shown(operand.of))


def shown_value(value: TypedValue) -> str:
    """A value in words: numbers bare, strings in quotes, other types as typed JSON."""
    tag = tag_of(value)
    content = value[tag]
    match tag:
        case "N":
            return str(content)
        case "S":
            return json.dumps(content, ensure_ascii=False)
        case "BOOL":
            return "true" if content else "false"
        case "NULL":
            return "NULL"
        case _:
            return f"{tag} {json.dumps(content, ensure_ascii=False)}"


def explain_update(update: nodes.Update) -> tuple[Explained, ...]:
    """An update in sentences, one for each action."""
    return tuple(_explain_action(action) for action in update)


def _explain_action(action: nodes.Action) -> Explained:
    op = nodes.VERB_OF[type(action)]
    path = _shown(action.path)
    sentence = OPERATORS[op].sentence
    match action:
        case nodes.Set():
            needed = _needed(action.to)
            missing = Saying(MISSING["set"], path=_shown(needed)) if needed else None
            return Explained(op, Saying(sentence, path, _in_words(action.to)), missing)
        case nodes.Remove():
            return Explained(op, Saying(sentence, path), Saying(MISSING[op], path=path))
        case nodes.Add() | nodes.Delete():
            text = Saying(sentence, path, _shown(action.value))
            return Explained(op, text, Saying(MISSING[op], path=path))


def _in_words(node: nodes.Assigned) -> str:
    match node:
        case Path() | nodes.Literal():
            return _shown(node)
        case nodes.Arithmetic(op=op, left=left, right=right):
            return Saying(OPERATORS[op].sentence, _apart(left), _apart(right))
        case nodes.IfNotExists():
            sentence = OPERATORS["if_not_exists"].sentence
            return Saying(sentence, _shown(node.path), _in_words(node.otherwise))
        case nodes.ListAppend():
            sentence = OPERATORS["list_append"].sentence
            return Saying(sentence, _apart(node.first), _apart(node.second))


def _apart(node: nodes.Assigned) -> str:
    """An operand in words; one that is computed itself in parentheses."""
    words = _in_words(node)
    return words if isinstance(node, (Path, nodes.Literal)) else Saying("({0})", words)


def _needed(node: nodes.Assigned) -> Path | None:
    """The first attribute without which the value cannot be had."""
    match node:
        case Path():
            return node
        case nodes.Arithmetic(left=one, right=other) | nodes.ListAppend(first=one, second=other):
            return _needed(one) or _needed(other)
        case nodes.IfNotExists():
            return _needed(node.otherwise)
        case nodes.Literal():
            return None


class _Inline:
    """Names and values as they are, in the place of placeholders."""

    def name(self, attribute: str) -> str:
        return written_name(attribute)

    def value(self, attribute: str, wire: Wire, suffix: str = "") -> str:
        return shown_value(wire)

    def own_value(self, token: str, wire: Wire) -> str:
        return shown_value(wire)


def inline_text(tree: nodes.Expression) -> str:
    """The expression with its names and values in the place of placeholders, for reading only."""
    return expression_text(tree, _Inline())
