"""From trees to documents: the shortest form that ``tree_reader`` reads back as the same tree.

Rule: a comparison of a path with a value is written short (``path``, ``value``), anything else with
its operands spelled out; a path is a list of its steps; a value keeps the user's own placeholder.
"""

from __future__ import annotations

from typing import Any

from webapp.core.expressions import nodes
from webapp.core.expressions.operators import OPERATORS
from webapp.core.expressions.paths import Path

Document = dict[str, Any]


def tree_document(tree: nodes.Expression) -> Any:
    """Write a tree of any kind."""
    if not isinstance(tree, tuple):
        return condition_document(tree)
    if nodes.is_projection(tree):
        return projection_document(tree)
    return update_document(nodes.as_update(tree))


def condition_document(condition: nodes.Condition) -> Document:
    """Write a condition tree."""
    op = nodes.operator_of(condition)
    match condition:
        case nodes.Junction():
            return {"op": op, "args": [condition_document(arg) for arg in condition.args]}
        case nodes.Not():
            return {"op": op, "arg": condition_document(condition.arg)}
        case nodes.Comparison():
            return _comparison_document(condition)
        case nodes.In():
            values = [value_document(value) for value in condition.values]
            return {"op": op, "path": path_document(condition.operand), "values": values}
        case nodes.Between(operand=first, low=low, high=high):
            return _named(op, (first, low, high))
        case nodes.Test(operands=operands):
            return _named(op, operands)


def _comparison_document(node: nodes.Comparison) -> Document:
    if isinstance(node.left, Path) and isinstance(node.right, nodes.Literal):
        value = value_document(node.right)
        return {"op": node.op, "path": list(node.left.steps), "value": value}
    left, right = operand_document(node.left), operand_document(node.right)
    return {"op": node.op, "left": left, "right": right}


def _named(op: str, operands: tuple[nodes.Operand, ...]) -> Document:
    """Write the operands under the names of the operator's slots; the first is the path."""
    first, *others = operands
    document: Document = {"op": op, "path": path_document(first)}
    for slot, operand in zip(OPERATORS[op].slots[1:], others, strict=True):
        document[slot.name] = value_document(operand)
    return document


def path_document(operand: nodes.Operand) -> Any:
    """Write what stands in a member called path: a bare list of steps, or another operand."""
    return list(operand.steps) if isinstance(operand, Path) else operand_document(operand)


def value_document(operand: nodes.Operand) -> Document:
    """Write what stands in a member called value: a bare typed value, or another operand."""
    match operand:
        case nodes.Literal(value=value, placeholder=None):
            return value.wire
        case _:
            return operand_document(operand)


def operand_document(operand: nodes.Operand) -> Document:
    """Write an operand with its kind: ``path``, ``value`` or ``size``."""
    match operand:
        case Path():
            return {"path": list(operand.steps)}
        case nodes.Size():
            return {"size": path_document(operand.of)}
        case nodes.Literal(placeholder=None):
            return {"value": operand.value.wire}
        case nodes.Literal():
            return {"value": operand.value.wire, "as": operand.placeholder}


def update_document(update: nodes.Update) -> list[Document]:
    """Write the actions of an update in their order."""
    return [_action_document(action) for action in update]


def _action_document(action: nodes.Action) -> Document:
    path = list(action.path.steps)
    match action:
        case nodes.Set():
            return {"set": path, "to": _assigned_document(action.to)}
        case nodes.Remove():
            return {"remove": path}
        case nodes.Add():
            return {"add": path, "value": value_document(action.value)}
        case nodes.Delete():
            return {"delete": path, "value": value_document(action.value)}


def _assigned_document(node: nodes.Assigned) -> Document:
    match node:
        case Path() | nodes.Literal():
            return operand_document(node)
        case nodes.Arithmetic():
            return {node.op: [_assigned_document(node.left), _assigned_document(node.right)]}
        case nodes.ListAppend():
            return {
                "list_append": [_assigned_document(node.first), _assigned_document(node.second)]
            }
        case nodes.IfNotExists():
            otherwise = _assigned_document(node.otherwise)
            return {"if_not_exists": [list(node.path.steps), otherwise]}


def projection_document(projection: nodes.Projection) -> list[list[str | int]]:
    """Write the paths of a projection in their order."""
    return [list(path.steps) for path in projection]
