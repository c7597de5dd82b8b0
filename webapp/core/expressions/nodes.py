"""The tree of an expression: frozen nodes in one normal form.

Rule: a tree says what an expression means, not how it was typed. Groups of one are unwrapped, equal
connectives inside each other are one group, update actions stand together by verb; so two spellings
of one expression are one tree, and rendering it and reading it back gives it again. A node knows
where it came from (``at``), which never counts when trees are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from webapp.core.expressions.paths import Path
from webapp.core.expressions.places import Place, Placed
from webapp.core.values import Value


@dataclass(frozen=True, slots=True)
class Literal(Placed):
    """A value of the request; ``placeholder`` is the user's own name for it, like ``:min``."""

    value: Value
    placeholder: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Size(Placed):
    """``size(of)``: a number, usable where it is compared."""

    of: Path | Literal


Operand = Path | Literal | Size


@dataclass(frozen=True, slots=True)
class Comparison(Placed):
    """``left op right``, with a comparator of the table of operators."""

    op: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between(Placed):
    """``operand BETWEEN low AND high``, both bounds included."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In(Placed):
    """``operand IN (value, …)``."""

    operand: Operand
    values: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Test(Placed):
    """``function(operand, …)``: a function that is a condition by itself, like ``begins_with``."""

    __test__ = False  # not a class for pytest to collect

    op: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Junction(Placed):
    """Two or more conditions joined by ``and`` or ``or``; made by ``junction``."""

    op: str
    args: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not(Placed):
    """``NOT condition``."""

    arg: Condition


Condition = Comparison | Between | In | Test | Junction | Not


@dataclass(frozen=True, slots=True)
class IfNotExists(Placed):
    """``if_not_exists(path, otherwise)``."""

    path: Path
    otherwise: Assigned


@dataclass(frozen=True, slots=True)
class ListAppend(Placed):
    """``list_append(first, second)``."""

    first: Assigned
    second: Assigned


@dataclass(frozen=True, slots=True)
class Arithmetic(Placed):
    """``left + right`` or ``left - right``; ``op`` is ``plus`` or ``minus``."""

    op: str
    left: Assigned
    right: Assigned


Assigned = Path | Literal | IfNotExists | ListAppend | Arithmetic


@dataclass(frozen=True, slots=True)
class Set(Placed):
    """``SET path = to``."""

    path: Path
    to: Assigned


@dataclass(frozen=True, slots=True)
class Remove(Placed):
    """``REMOVE path``."""

    path: Path


@dataclass(frozen=True, slots=True)
class Add(Placed):
    """``ADD path value``: a number, or members of a set."""

    path: Path
    value: Literal


@dataclass(frozen=True, slots=True)
class Delete(Placed):
    """``DELETE path value``: members of a set."""

    path: Path
    value: Literal


Action = Set | Remove | Add | Delete
Update = tuple[Action, ...]
Projection = tuple[Path, ...]
Expression = Condition | Update | Projection

VERB_OF: dict[type[Action], str] = {Set: "set", Remove: "remove", Add: "add", Delete: "delete"}


def junction(op: str, args: Iterable[Condition], at: Place = None) -> Condition:
    """Join conditions in normal form: groups of one connective are one, a single one is bare.

    Raises ``ValueError`` without any condition: an empty group means nothing.
    """
    flat: list[Condition] = []
    for arg in args:
        flat.extend(arg.args if isinstance(arg, Junction) and arg.op == op else (arg,))
    if not flat:
        raise ValueError("a group of conditions cannot be empty")
    return flat[0] if len(flat) == 1 else Junction(op, tuple(flat), at=at)


def update(actions: Iterable[Action]) -> Update:
    """Put update actions in normal form: by verb, in the order in which the verbs first stand."""
    by_verb: dict[type[Action], list[Action]] = {}
    for action in actions:
        by_verb.setdefault(type(action), []).append(action)
    return tuple(action for same in by_verb.values() for action in same)


def is_projection(tree: Expression) -> TypeGuard[Projection]:
    """Whether the tree is a list of paths."""
    return isinstance(tree, tuple) and all(isinstance(part, Path) for part in tree)


def as_condition(tree: Expression) -> Condition:
    """The tree as a condition. Raises ``TypeError`` for another kind: our mistake."""
    if isinstance(tree, tuple):
        raise TypeError("not a condition")
    return tree


def as_update(tree: Expression) -> Update:
    """The tree as an update. Raises ``TypeError`` for another kind: our mistake."""
    if not isinstance(tree, tuple):
        raise TypeError("not an update")
    return tuple(action for action in tree if not isinstance(action, Path))


def as_projection(tree: Expression) -> Projection:
    """The tree as a projection. Raises ``TypeError`` for another kind: our mistake."""
    if not isinstance(tree, tuple):
        raise TypeError("not a projection")
    return tuple(path for path in tree if isinstance(path, Path))


def operator_of(node: Condition) -> str:
    """Give the name of the condition's row in the table of operators."""
    match node:
        case Comparison() | Test() | Junction():
            return node.op
        case Between():
            return "between"
        case In():
            return "in"
        case Not():
            return "not"


def operands_of(condition: Condition) -> tuple[Operand, ...]:
    """Give the operands of one condition in the order of its slots; none for groups."""
    match condition:
        case Comparison():
            return (condition.left, condition.right)
        case Test():
            return condition.operands
        case Between():
            return (condition.operand, condition.low, condition.high)
        case In():
            return (condition.operand, *condition.values)
        case Junction() | Not():
            return ()


def conditions_in(condition: Condition) -> Iterator[Condition]:
    """Yield every condition of the tree, groups before their members, without recursion."""
    waiting = [condition]
    while waiting:
        here = waiting.pop()
        yield here
        match here:
            case Junction():
                waiting.extend(reversed(here.args))
            case Not():
                waiting.append(here.arg)


def paths_in(condition: Condition) -> Iterator[Path]:
    """Yield every path that the condition reads, in order."""
    for part in conditions_in(condition):
        for operand in operands_of(part):
            read = operand.of if isinstance(operand, Size) else operand
            if isinstance(read, Path):
                yield read
