"""What stands in the form of the expressions page, read from its outline.

Rule: what a form may hold is told by the tables of operators and operations; a control that does
not belong to the present choice (the upper bound of a BETWEEN that became an =) is carried along
unseen. The reason: changing an operator or an operation must not lose what was typed.

Every part knows the ``name`` of its controls: ``actions/0/filter/1/operands/0``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from webapp.core.expressions.operations import GETS, OPERATIONS, SETTINGS, TRANSACTIONS, WRITES
from webapp.core.expressions.operators import OPERATORS, Kind, Slot, operators_of
from webapp.web.draft import ALIASES, GIVEN, KEY_TYPES, ON, TYPES, Cell, KeyColumn, Keys
from webapp.web.expressions.outline import Outline, Pair

CONDITIONS: tuple[Kind, ...] = ("key_condition", "filter", "condition")
LEAVES = frozenset({"comparator", "between", "in", "function"})
GROUPS = ("and", "or")
COMPUTED = ("plus", "minus", "if_not_exists", "list_append")
MAPS = ("key", "item", "exclusive_start_key")
ACTION_SETTINGS = frozenset({"return_values_on_condition_check_failure"})
"""The only setting that an action of a transaction has."""

NO_CELL = Cell()

TAKES: Mapping[str, tuple[str, ...]] = {
    "path": ("path",),
    "value": ("value",),
    "operand": ("path", "value", "size", "size_value"),
    "operands": ("path", "value", "size", "size_value"),
    "assigned": ("value", "path", *COMPUTED),
}
"""What may be chosen for an operand, by what its slot accepts."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: what it is, its path or value, for an operator of SET its own two operands."""

    name: str
    kind: str
    kinds: tuple[str, ...]
    path: str = ""
    type: str = "S"
    cell: Cell = NO_CELL
    token: str = ""
    parts: tuple[Operand, ...] = ()
    carried: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition with its operands, or a group (``and``, ``or``) with its members."""

    name: str
    op: str
    is_not: bool = False
    operands: tuple[Operand, ...] = ()
    members: tuple[Condition, ...] = ()
    carried: tuple[Pair, ...] = ()

    @property
    def is_group(self) -> bool:
        """Whether it holds conditions."""
        return self.op in GROUPS


@dataclass(frozen=True, slots=True)
class Action:
    """One update action: its verb, its path, and what SET, ADD or DELETE give."""

    name: str
    verb: str
    path: str
    given: Operand | None
    carried: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """One row of a key or an item."""

    name: str
    attribute: str
    type: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Alias:
    """A placeholder of the user's own for a name."""

    name: str
    token: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One plain member of a request: a choice of ``choices``, a number or a text."""

    name: str
    member: str
    kind: str
    choices: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """One operation, on its own or as an action of a transaction; only what it can have."""

    name: str
    operation: str
    table: str
    index: str | None
    keys: Keys
    alias: str
    conditions: Mapping[Kind, Condition]
    update: tuple[Action, ...] | None
    projection: tuple[Pair, ...] | None
    maps: Mapping[str, tuple[Attribute, ...]]
    names: tuple[Alias, ...]
    settings: tuple[Setting, ...]
    carried: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """The whole form."""

    outline: Outline
    operation: str
    parts: tuple[Part, ...]
    settings: tuple[Setting, ...]
    sample: str
    carried: tuple[Pair, ...]

    @property
    def is_transaction(self) -> bool:
        """Whether the parts are actions of one transaction."""
        return self.operation in TRANSACTIONS


def form_of(outline: Outline) -> Form:
    """The form whose rows are numbered without gaps. Never fails: what is unknown is ignored."""
    operation = _choice(outline, "operation", (*OPERATIONS, *TRANSACTIONS), "Query")
    actions = outline.at("actions")
    numbers = actions.rows() or ["0"]
    shown = numbers if operation in TRANSACTIONS else numbers[:1]
    own = {member: outline.at(member) for member in _settings_of(operation)}
    return Form(
        outline,
        operation,
        tuple(_part(actions.at(n), f"actions/{n}", operation) for n in shown),
        tuple(_setting(operation, "", member, own[member]) for member in own)
        if operation in TRANSACTIONS
        else (),
        outline.text_at("sample"),
        actions.pairs_but("actions", shown) + _unshown_settings(outline, operation),
    )


TRANSACTION_SETTINGS = tuple(
    dict.fromkeys(
        member
        for shape in TRANSACTIONS.values()
        for member in shape.model_fields
        if member not in {"operation", "actions"}
    )
)


def _unshown_settings(outline: Outline, operation: str) -> tuple[Pair, ...]:
    shown = _settings_of(operation) if operation in TRANSACTIONS else ()
    members = [member for member in TRANSACTION_SETTINGS if member not in shown]
    return tuple((member, text) for member in members if (text := outline.text_at(member)))


def _choice(outline: Outline, name: str, choices: Iterable[str], otherwise: str) -> str:
    text = outline.text_at(name)
    return text if text in choices else otherwise


def actions_of(transaction: str) -> tuple[str, ...]:
    """The operations that can be an action of a transaction."""
    return tuple(name for name, row in OPERATIONS.items() if row.transaction == transaction)


def _part(outline: Outline, name: str, form_operation: str) -> Part:
    operation = _operation_of(outline, form_operation)
    row = OPERATIONS[operation]
    fields = row.shape.model_fields
    maps = [member for member in MAPS if member in fields]
    kinds = row.kinds
    settings = _settings_of(operation, is_action=form_operation in TRANSACTIONS)
    shown = {"operation", "table", "partition_key", "sort_key", "alias", "names"}
    shown |= {*maps, *kinds, *settings, *({"index"} & fields.keys())}
    return Part(
        name,
        operation,
        outline.text_at("table"),
        outline.text_at("index") if "index" in fields else None,
        _keys(outline),
        _choice(outline, "alias", ALIASES, "needed"),
        {kind: _group(outline.at(kind), f"{name}/{kind}", kind) for kind in kinds if is_tree(kind)},
        _update(outline.at("update"), f"{name}/update") if "update" in kinds else None,
        _projection(outline.at("projection"), name) if "projection" in kinds else None,
        {member: _attributes(outline.at(member), f"{name}/{member}", member) for member in maps},
        _names(outline.at("names"), f"{name}/names"),
        tuple(_setting(operation, f"{name}/", m, outline.at(m)) for m in settings),
        outline.pairs_but(name, shown),
    )


def _operation_of(outline: Outline, form_operation: str) -> str:
    """What a part does: what the form does, or one of the actions of its transaction."""
    if form_operation not in TRANSACTIONS:
        return form_operation
    usual = "PutItem" if form_operation == WRITES else "GetItem"
    return _choice(outline, "operation", actions_of(form_operation), usual)


def is_tree(kind: Kind) -> bool:
    """Whether an expression of the kind is a tree of conditions."""
    return kind in CONDITIONS


def _keys(outline: Outline) -> Keys:
    return Keys("", *(_column(outline.at(f"{role}_key"), role) for role in ("partition", "sort")))


def _column(outline: Outline, role: str) -> KeyColumn:
    usual = "S" if role == "partition" else ""
    return KeyColumn(outline.text_at("name"), _choice(outline, "type", ("", *KEY_TYPES), usual))


def _group(outline: Outline, name: str, kind: Kind) -> Condition:
    """The conditions of an expression: always a group, whose members may be few or none."""
    return _junction(outline, name, kind, _choice(outline, "op", GROUPS, "and"))


def _junction(outline: Outline, name: str, kind: Kind, op: str) -> Condition:
    members = tuple(_condition(outline.at(n), f"{name}/{n}", kind) for n in outline.rows())
    carried = outline.pairs_but(name, {"op", "not", *outline.rows()})
    return Condition(name, op, outline.text_at("not") == ON, (), members, carried)


def _condition(outline: Outline, name: str, kind: Kind) -> Condition:
    op = _choice(outline, "op", (*leaves_of(kind), *GROUPS), "=")
    if op in GROUPS:
        return _junction(outline, name, kind, op)
    operands, at = outline.at("operands"), f"{name}/operands"
    slots = slots_of(op, len(operands.rows()))
    numbers = [str(number) for number in range(len(slots))]
    carried = operands.pairs_but(at, numbers)
    return Condition(
        name,
        op,
        outline.text_at("not") == ON,
        tuple(
            _operand(operands.at(n), f"{at}/{n}", kinds_at(slot, n, kind))
            for n, slot in zip(numbers, slots, strict=True)
        ),
        (),
        carried,
    )


def leaves_of(kind: Kind) -> dict[str, str]:
    """The operators of single conditions in an expression of the kind, as a person reads them."""
    return {
        op: row.label if row.form == "function" else f"{row.token} {row.label}"
        for op, row in operators_of(kind).items()
        if row.form in LEAVES
    }


def slots_of(op: str, given: int) -> tuple[Slot, ...]:
    """The slots of an operator's operands; those of IN as often as there are operands."""
    slots = OPERATORS[op].slots
    if op != "in":
        return slots
    return (slots[0], *(slots[1] for _ in range(max(1, given - 1))))


def kinds_at(slot: Slot, number: str, kind: Kind) -> tuple[str, ...]:
    """What may be chosen for an operand, the usual first: a path, and values after it."""
    kinds = TAKES[slot.accepts]
    if kind == "key_condition":
        kinds = tuple(known for known in kinds if known in {"path", "value"})
    if number != "0" and "value" in kinds:
        kinds = ("value", *(known for known in kinds if known != "value"))
    return kinds


OPERAND_SHOWS: Mapping[str, tuple[str, ...]] = {
    "path": ("kind", "path"),
    "size": ("kind", "path"),
    "value": ("kind", "type", "value", "as"),
    "size_value": ("kind", "type", "value", "as"),
    "if_not_exists": ("kind", "path", "second"),
    "plus": ("kind", "first", "second"),
    "minus": ("kind", "first", "second"),
    "list_append": ("kind", "first", "second"),
}


def _operand(outline: Outline, name: str, kinds: tuple[str, ...]) -> Operand:
    kind = _choice(outline, "kind", kinds, kinds[0])
    shown = OPERAND_SHOWS[kind]
    offered = tuple(known for known in kinds if known != "size_value" or known == kind)
    return Operand(
        name,
        kind,
        offered,
        outline.text_at("path"),
        _choice(outline, "type", TYPES, "S"),
        _cell(outline.at("value")),
        outline.text_at("as"),
        tuple(
            _operand(outline.at(part), f"{name}/{part}", TAKES["assigned"])
            for part in shown
            if part in {"first", "second"}
        ),
        outline.pairs_but(name, shown),
    )


def _cell(outline: Outline) -> Cell:
    return Cell(
        outline.text or "",
        _choice(outline, "given", GIVEN, "typed"),
        _choice(outline, "truth", ("true", "false"), ""),
    )


def _update(outline: Outline, name: str) -> tuple[Action, ...]:
    return tuple(_action(outline.at(n), f"{name}/{n}") for n in outline.rows())


def _action(outline: Outline, name: str) -> Action:
    verb = _choice(outline, "verb", ("set", "remove", "add", "delete"), "set")
    given = None
    if verb != "remove":
        given = _operand(outline.at("to"), f"{name}/to", TAKES[OPERATORS[verb].slots[1].accepts])
    shown = {"verb", "path"} | ({"to"} if given else set())
    return Action(name, verb, outline.text_at("path"), given, outline.pairs_but(name, shown))


def _projection(outline: Outline, part: str) -> tuple[Pair, ...]:
    return tuple((f"{part}/projection/{n}", outline.text_at(n)) for n in outline.rows())


FIRST_ROWS: Mapping[str, tuple[str, ...]] = {"key": ("0", "1"), "item": ("0",)}
"""The empty rows to begin with."""


def _attributes(outline: Outline, name: str, member: str) -> tuple[Attribute, ...]:
    numbers = outline.rows() or FIRST_ROWS.get(member, ())
    return tuple(_attribute(outline.at(n), f"{name}/{n}") for n in numbers)


def _attribute(outline: Outline, name: str) -> Attribute:
    type_ = _choice(outline, "type", TYPES, "S")
    return Attribute(name, outline.text_at("name"), type_, _cell(outline.at("value")))


def _names(outline: Outline, name: str) -> tuple[Alias, ...]:
    return tuple(
        Alias(f"{name}/{n}", outline.text_at(f"{n}/token"), outline.text_at(f"{n}/name"))
        for n in outline.rows()
    )


def _settings_of(operation: str, *, is_action: bool = False) -> tuple[str, ...]:
    """The plain members of a request that have controls, in the order of the shape."""
    if operation in TRANSACTIONS:
        fields = TRANSACTIONS[operation].model_fields
        return tuple(member for member in TRANSACTION_SETTINGS if member in fields)
    fields = OPERATIONS[operation].shape.model_fields
    known = [member for member in fields if member in SETTINGS and member not in {"table", "index"}]
    return tuple(member for member in known if not is_action or member in ACTION_SETTINGS)


def _setting(operation: str, name: str, member: str, outline: Outline) -> Setting:
    shape = TRANSACTIONS[operation] if operation in TRANSACTIONS else OPERATIONS[operation].shape
    kind, choices = _control_of(shape.model_fields[member].annotation)
    return Setting(name + member, member, kind, choices, outline.text or "")


def _control_of(annotation: Any) -> tuple[str, tuple[str, ...]]:
    """The kind of control for a member, and its choices, by the type of the member."""
    if get_origin(annotation) in {UnionType, Union}:
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    if get_origin(annotation) is Literal:
        return "choice", ("", *get_args(annotation))
    if annotation is bool:
        return "choice", ("", "true", "false")
    return ("number", ()) if annotation is int or int in get_args(annotation) else ("text", ())


READS = {WRITES: False, GETS: True}
