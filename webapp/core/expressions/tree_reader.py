"""From documents to trees: ``{"op": "=", "path": "status", "value": {"S": "active"}}``.

Rule: the table of operators says which members a node has and what may stand in each; a member that
is not in the row is an error, and every fault is noted at its own JSON Pointer. The reason: form,
API and command line fill one and the same document, and each must be shown its own mistake.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webapp.core.expressions import nodes
from webapp.core.expressions.operators import COMPARATORS, OPERATORS, VERBS, Operator, operators_of
from webapp.core.expressions.paths import Path, read_path
from webapp.core.limits import PLACEHOLDER_BYTES
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import Where, Wire, read_typed

register(
    {
        "condition-expected": Text(
            "{given} is no condition.",
            'Write an object like {{"op": "=", "path": "status", "value": {{"S": "active"}}}}.',
        ),
        "op-missing": Text("The condition has no operator.", "Add “op”: one of {expected}."),
        "op-unknown": Text("“{given}” is no operator of a condition.", "Use one of {expected}."),
        "node-member-missing": Text("{op} needs “{name}” once.", "Add it, or keep one of them."),
        "node-member-unknown": Text(
            "{op} has no member “{name}”.", "It has {expected}. Remove the others."
        ),
        "list-of-conditions": Text("{op} joins a list of conditions.", "Write them in [ ]."),
        "group-empty": Text("The group is empty.", "Put a condition into it, or remove the group."),
        "operand-expected": Text(
            "{given} cannot stand here.",
            'Write a value like {{"S": "text"}}, or {{"path": "name"}} or {{"size": "name"}}.',
        ),
        "operand-values": Text("{given} is no list of values.", "Write the values in [ ]."),
        "operand-members": Text(
            "An operand is exactly one of path, value and size.", "Remove the others."
        ),
        "operand-value-only": Text(
            "Only a value can stand here.", 'Write it with its type, like {{"S": "text"}}.'
        ),
        "operand-path-only": Text(
            "Only a path can stand here: DynamoDB looks for an attribute.",
            'Write the path, like "profile.email".',
        ),
        "size-of-size": Text("A size has no size.", "Give a path."),
        "size-misplaced": Text(
            "size stands in conditions only; an update cannot compute it.",
            "Read the item first, or keep a counter with ADD.",
        ),
        "placeholder-malformed": Text(
            "“{given}” is no placeholder for a {what}.",
            "Write {sign} and letters, digits or underscores after it, at most 255 bytes.",
        ),
        "placeholder-twice": Text(
            "The placeholder {name} stands for two different values.",
            "Give each value its own placeholder, or leave “as” out.",
        ),
        "expression-too-deep": Text(
            "The expression is nested deeper than {limit} levels.", "Flatten it."
        ),
        "update-expected": Text(
            "{given} is no update action.",
            'Write {{"set": path, "to": value}}, {{"remove": path}}, '
            '{{"add": path, "value": value}} or {{"delete": path, "value": value}}.',
        ),
        "operand-pair": Text("{op} takes exactly two operands.", "Write them in [ ]."),
        "update-list": Text("{given} is no list of update actions.", "Write the actions in [ ]."),
        "projection-list": Text("{given} is no list of paths.", "Write the paths in [ ]."),
        "projection-empty": Text(
            "The projection is empty.", "Name a path, or leave the projection out."
        ),
    }
)

DEPTH = 150
"""Levels of nesting that are read; DynamoDB's 300 operators end before that."""

_NAME_TOKEN = re.compile(r"#[A-Za-z0-9_]+", re.ASCII)
_VALUE_TOKEN = re.compile(r":[A-Za-z0-9_]+", re.ASCII)


def is_name_token(text: str) -> bool:
    """Whether ``text`` can be a placeholder for a name: ``#`` and letters, digits, underscores."""
    return len(text) <= PLACEHOLDER_BYTES and _NAME_TOKEN.fullmatch(text) is not None


def is_value_token(text: str) -> bool:
    """Whether ``text`` can be a placeholder for a value: ``:`` and letters, digits, underscores."""
    return len(text) <= PLACEHOLDER_BYTES and _VALUE_TOKEN.fullmatch(text) is not None


_CONDITION_OPS = {op: row for op, row in operators_of("condition").items() if row.form != "measure"}
_ASSIGNING = frozenset(
    op for op, row in OPERATORS.items() if row.form in {"arithmetic", "choice", "append"}
)
_SHORT = {"left": "path", "right": "value"}


class TreeReader:
    """Reads the trees of one request; ``tokens`` are the user's placeholders for values so far."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.tokens: dict[str, Wire] = {}

    def condition(self, document: object, where: Where, depth: int = 0) -> nodes.Condition | None:
        """Read a condition tree, or ``None`` with its problems noted."""
        row_of = self._row_of(document, where, depth)
        if row_of is None:
            return None
        op, members = row_of
        match _CONDITION_OPS[op].form:
            case "junction":
                return self._junction(op, members, where, depth)
            case "negation":
                arg = self.condition(members["arg"], Where(where, "arg"), depth + 1)
                return None if arg is None else nodes.Not(arg, at=where)
            case _:
                return self._leaf(op, members, where)

    def _row_of(
        self, document: object, where: Where, depth: int
    ) -> tuple[str, Mapping[str, Any]] | None:
        """Give a node's operator and its members, all of which the operator's row knows."""
        if depth >= DEPTH:
            return self._refuse("expression-too-deep", where, limit=DEPTH)
        if not isinstance(document, dict):
            return self._refuse("condition-expected", where, given=excerpt(document))
        expected = ", ".join(_CONDITION_OPS)
        if "op" not in document:
            return self._refuse("op-missing", where, expected=expected)
        op = document["op"]
        if not isinstance(op, str) or op not in _CONDITION_OPS:
            at = Where(where, "op")
            return self._refuse("op-unknown", at, given=excerpt(op), expected=expected)
        members = {name: member for name, member in document.items() if name != "op"}
        is_whole = self._has_members(op, _CONDITION_OPS[op], members, where)
        return (op, members) if is_whole else None

    def _has_members(
        self, op: str, row: Operator, members: Mapping[str, Any], where: Where
    ) -> bool:
        """Whether each operand is given once, by its name or its short one, and nothing else is."""
        before = len(self.problems)
        known: set[str] = set()
        for slot in row.slots:
            names = {slot.name, _SHORT.get(slot.name, slot.name)} & members.keys()
            known |= names
            if len(names) != 1:
                self.problems.add("node-member-missing", where.pointer(), op=op, name=slot.name)
        expected = ", ".join(slot.name for slot in row.slots)
        for name in members.keys() - known:
            at = Where(where, name).pointer()
            shown = excerpt(name)
            self.problems.add("node-member-unknown", at, op=op, name=shown, expected=expected)
        return len(self.problems) == before

    def _junction(
        self, op: str, members: Mapping[str, Any], where: Where, depth: int
    ) -> nodes.Condition | None:
        documents, at = members["args"], Where(where, "args")
        if not isinstance(documents, list):
            return self._refuse("list-of-conditions", at, op=op)
        args = [self.condition(arg, Where(at, i), depth + 1) for i, arg in enumerate(documents)]
        whole = [arg for arg in args if arg is not None]
        if not args:
            return self._refuse("group-empty", where)
        return None if len(whole) < len(args) else nodes.junction(op, whole, where)

    def _leaf(self, op: str, members: Mapping[str, Any], where: Where) -> nodes.Condition | None:
        row = _CONDITION_OPS[op]
        operands: list[nodes.Operand | None] = []
        for slot in row.slots:
            name = slot.name if slot.name in members else _SHORT[slot.name]
            document, at = members[name], Where(where, name)
            if slot.accepts == "operands":
                operands.extend(self._values(document, at))
            else:
                operands.append(self._operand_of(slot.accepts, name, document, at))
        whole = tuple(operand for operand in operands if operand is not None)
        return None if len(whole) < len(operands) else _leaf_of(op, whole, where)

    def _values(self, document: object, where: Where) -> list[nodes.Operand | None]:
        if not isinstance(document, list):
            return [self._refuse("operand-values", where, given=excerpt(document))]
        return [self.operand(member, Where(where, i)) for i, member in enumerate(document)]

    def _operand_of(
        self, accepts: str, name: str, document: object, where: Where
    ) -> nodes.Operand | None:
        """Read the member ``name``, in which a path may stand bare when it is called path."""
        if name == "path" and isinstance(document, (str, list)):
            return read_path(document, where, self.problems)
        operand = self.operand(document, where)
        if accepts == "path" and operand is not None and not isinstance(operand, Path):
            return self._refuse("operand-path-only", where)
        if accepts == "value" and operand is not None and not isinstance(operand, nodes.Literal):
            return self._refuse("operand-value-only", where)
        return operand

    def operand(self, document: object, where: Where) -> nodes.Operand | None:
        """Read an operand: ``{"path": P}``, ``{"value": V}``, ``{"size": P}`` or a typed value."""
        if not isinstance(document, dict):
            return self._refuse("operand-expected", where, given=excerpt(document))
        names = document.keys()
        if names == {"path"}:
            return read_path(document["path"], Where(where, "path"), self.problems)
        if names == {"size"}:
            return self._size(document["size"], where)
        if "value" in names and names <= {"value", "as"}:
            return self._literal(document, where)
        if names & {"path", "value", "size"}:
            return self._refuse("operand-members", where)
        value = read_typed(document, where, self.problems)
        return None if value is None else nodes.Literal(value, at=where)

    def _literal(self, document: Mapping[str, Any], where: Where) -> nodes.Literal | None:
        value = read_typed(document["value"], Where(where, "value"), self.problems)
        if value is None:
            return None
        if "as" not in document:
            return nodes.Literal(value, at=where)
        token = self._token(document["as"], value.wire, Where(where, "as"))
        return None if token is None else nodes.Literal(value, token, at=where)

    def _token(self, token: object, wire: Wire, where: Where) -> str | None:
        """Read the user's placeholder, which stands for one value only."""
        if not isinstance(token, str) or not is_value_token(token):
            given = excerpt(token)
            return self._refuse("placeholder-malformed", where, given=given, what="value", sign=":")
        if self.tokens.setdefault(token, wire) != wire:
            return self._refuse("placeholder-twice", where, name=token)
        return token

    def _size(self, document: object, where: Where) -> nodes.Size | None:
        at = Where(where, "size")
        if isinstance(document, (str, list)):
            of: nodes.Operand | None = read_path(document, at, self.problems)
        else:
            of = self.operand(document, at)
        if isinstance(of, nodes.Size):
            return self._refuse("size-of-size", at)
        return None if of is None else nodes.Size(of, at=where)

    def update(self, document: object, where: Where) -> nodes.Update | None:
        """Read a list of update actions, or ``None`` with its problems noted."""
        if not isinstance(document, list):
            return self._refuse("update-list", where, given=excerpt(document))
        actions = [self._action(action, Where(where, i)) for i, action in enumerate(document)]
        whole = [action for action in actions if action is not None]
        return None if len(whole) < len(actions) else nodes.update(whole)

    def _action(self, document: object, where: Where) -> nodes.Action | None:
        verbs = document.keys() & set(VERBS) if isinstance(document, dict) else set()
        if not isinstance(document, dict) or len(verbs) != 1:
            return self._refuse("update-expected", where, given=excerpt(document))
        verb = verbs.pop()
        if not self._has_members(verb, OPERATORS[verb], document, where):
            return None
        path = read_path(document[verb], Where(where, verb), self.problems)
        match verb:
            case "set":
                to = self._assigned(document["to"], Where(where, "to"), 0)
                return None if path is None or to is None else nodes.Set(path, to, at=where)
            case "remove":
                return None if path is None else nodes.Remove(path, at=where)
            case _:
                value = self._operand_of("value", "value", document["value"], Where(where, "value"))
                return None if path is None else _with_value(verb, path, value, where)

    def _assigned(self, document: object, where: Where, depth: int) -> nodes.Assigned | None:
        """Read what SET assigns: an operand, or one of its functions around such."""
        if depth >= DEPTH:
            return self._refuse("expression-too-deep", where, limit=DEPTH)
        ops = [op for op in document if op in _ASSIGNING] if isinstance(document, dict) else []
        if isinstance(document, dict) and len(ops) == len(document) == 1:
            return self._computed(ops[0], document[ops[0]], Where(where, ops[0]), depth)
        operand = self.operand(document, where)
        return self._refuse("size-misplaced", where) if isinstance(operand, nodes.Size) else operand

    def _computed(self, op: str, pair: object, where: Where, depth: int) -> nodes.Assigned | None:
        """Read an operator that SET may assign, with its two operands."""
        if not isinstance(pair, list) or len(pair) != 2:
            return self._refuse("operand-pair", where, op=op)
        first: nodes.Assigned | nodes.Operand | None
        if op == "if_not_exists":
            first = self._operand_of("path", "path", pair[0], Where(where, 0))
        else:
            first = self._assigned(pair[0], Where(where, 0), depth + 1)
        second = self._assigned(pair[1], Where(where, 1), depth + 1)
        if first is None or second is None or isinstance(first, nodes.Size):
            return None
        return _computed_of(op, first, second, where)

    def projection(self, document: object, where: Where) -> nodes.Projection | None:
        """Read a list of paths, or ``None`` with its problems noted."""
        if not isinstance(document, list):
            return self._refuse("projection-list", where, given=excerpt(document))
        if not document:
            return self._refuse("projection-empty", where)
        paths = [read_path(path, Where(where, i), self.problems) for i, path in enumerate(document)]
        whole = tuple(path for path in paths if path is not None)
        return None if len(whole) < len(paths) else whole

    def _refuse(self, code: str, where: Where, **params: object) -> None:
        self.problems.add(code, where.pointer(), **params)


def _computed_of(
    op: str, first: nodes.Assigned, second: nodes.Assigned, where: Where
) -> nodes.Assigned | None:
    match op, first:
        case "if_not_exists", Path():
            return nodes.IfNotExists(first, second, at=where)
        case "list_append", _:
            return nodes.ListAppend(first, second, at=where)
        case "plus" | "minus", _:
            return nodes.Arithmetic(op, first, second, at=where)
        case _:
            return None


def _leaf_of(op: str, operands: tuple[nodes.Operand, ...], where: Where) -> nodes.Condition:
    if op in COMPARATORS:
        return nodes.Comparison(op, operands[0], operands[1], at=where)
    match op:
        case "between":
            return nodes.Between(operands[0], operands[1], operands[2], at=where)
        case "in":
            return nodes.In(operands[0], operands[1:], at=where)
        case _:
            return nodes.Test(op, operands, at=where)


def _with_value(
    verb: str, path: Path, value: nodes.Operand | None, where: Where
) -> nodes.Action | None:
    if not isinstance(value, nodes.Literal):
        return None
    return (
        nodes.Add(path, value, at=where) if verb == "add" else nodes.Delete(path, value, at=where)
    )
