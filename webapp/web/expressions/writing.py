"""From the form to the document that the core reads.

Rule: every form has a document; what is missing in it becomes a problem at its control, and the
rest is written all the same. A path is written as it was typed, a value by its type. The reason:
all problems at once, those of the form and those that the core finds, each at its row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from webapp.core.expressions.operators import OPERATORS
from webapp.core.problems import Text, excerpt, pointer, register
from webapp.web.draft import Cell, KeyColumn
from webapp.web.expressions.form import (
    Action,
    Alias,
    Attribute,
    Condition,
    Form,
    Operand,
    Part,
    Setting,
    slots_of,
)
from webapp.web.writing import Sheet, Written, value_of_text

register(
    {
        "form-value-missing": Text(
            "A value is missing here.", "Type it; for an empty text choose “empty string”."
        ),
        "form-update-empty": Text(
            "Nothing is changed yet.", "Say what to set, remove, add or delete."
        ),
    }
)

Document = dict[str, Any]


def write(form: Form) -> Written:
    """The document of the operation or transaction that a form describes."""
    sheet = Sheet()
    if not form.is_transaction:
        document = {"operation": form.operation, **_part(form.parts[0], "", sheet)}
        return Written(document, sheet.places, tuple(sheet.problems))
    document = {"operation": form.operation, **_settings(form.settings, "", sheet)}
    sheet.places["/actions"] = "operation"
    document["actions"] = [
        {"operation": part.operation, **_part(part, pointer("actions", number), sheet)}
        for number, part in enumerate(form.parts)
    ]
    return Written(document, sheet.places, tuple(sheet.problems))


def _part(part: Part, at: str, sheet: Sheet) -> Document:
    chooser = f"{part.name}/operation" if at else "operation"
    sheet.places |= {at: chooser, f"{at}/operation": chooser}
    sheet.places[f"{at}/table"] = f"{part.name}/table"
    document: Document = {"table": part.table}
    if part.index:
        sheet.places[f"{at}/index"] = f"{part.name}/index"
        document["index"] = part.index
    document |= _keys(part, at, sheet)
    for member, rows in part.maps.items():
        attributes = _attributes(rows, f"{at}/{member}", f"{part.name}/{member}", sheet)
        if attributes or member != "exclusive_start_key":
            document[member] = attributes
    document |= _expressions(part, at, sheet)
    document |= _settings(part.settings, at, sheet)
    if part.alias != "needed":
        document["alias"] = part.alias
    return document | _names(part.names, at, sheet)


def _keys(part: Part, at: str, sheet: Sheet) -> Document:
    document = {}
    columns = {"partition_key": part.keys.partition, "sort_key": part.keys.sort}
    for role, column in columns.items():
        if _is_given(role, column):
            sheet.places |= {
                f"{at}/{role}/{member}": f"{part.name}/{role}/{member}"
                for member in ("name", "type")
            }
            document[role] = {"name": column.name, "type": column.type}
    return document


def _is_given(role: str, column: KeyColumn) -> bool:
    return bool(column.name) and (role == "partition_key" or column.type != "")


def _expressions(part: Part, at: str, sheet: Sheet) -> Document:
    document: Document = {}
    for kind, group in part.conditions.items():
        sheet.places[f"{at}/{kind}"] = f"{part.name}/{kind}"
        if group.members:
            document[kind] = _condition(group, f"{at}/{kind}", sheet)
    if part.update:
        document["update"] = [
            _action(action, f"{at}/update/{number}", sheet)
            for number, action in enumerate(part.update)
        ]
    paths = [(name, text) for name, text in part.projection or () if text]
    if paths:
        places = {f"{at}/projection/{n}": name for n, (name, _) in enumerate(paths)}
        sheet.places |= {f"{at}/projection": f"{part.name}/projection", **places}
        document["projection"] = [text for _, text in paths]
    return document


def _condition(node: Condition, at: str, sheet: Sheet) -> Document:
    sheet.places[at] = f"{node.name}/op"
    if node.is_not:
        sheet.places[f"{at}/arg"] = f"{node.name}/op"
        return {"op": "not", "arg": _plain_condition(node, f"{at}/arg", sheet)}
    return _plain_condition(node, at, sheet)


def _plain_condition(node: Condition, at: str, sheet: Sheet) -> Document:
    if node.is_group:
        members = [
            _condition(member, f"{at}/args/{number}", sheet)
            for number, member in enumerate(node.members)
        ]
        return {"op": node.op, "args": members}
    slots = slots_of(node.op, len(node.operands))
    document: Document = {"op": node.op}
    for number, (slot, operand) in enumerate(zip(slots, node.operands, strict=True)):
        if slot.accepts == "operands":
            values = document.setdefault(slot.name, [])
            values.append(_operand(operand, f"{at}/{slot.name}/{number - 1}", sheet))
            sheet.places[f"{at}/{slot.name}"] = f"{node.name}/op"
        else:
            document[slot.name] = _operand(operand, f"{at}/{slot.name}", sheet)
    return document


def _operand(operand: Operand, at: str, sheet: Sheet) -> object:
    """What stands in an operand, at the pointer ``at``."""
    sheet.places[at] = f"{operand.name}/{'path' if operand.kind == 'path' else 'value'}"
    match operand.kind:
        case "path" | "size":
            sheet.places |= {at: f"{operand.name}/path"}
            return {operand.kind: operand.path}
        case "value":
            return _literal(operand, at, sheet)
        case "size_value":
            return {"size": _literal(operand, f"{at}/size", sheet)}
        case "if_not_exists":
            sheet.places |= {at: f"{operand.name}/path"}
            otherwise = _operand(operand.parts[0], f"{at}/if_not_exists/1", sheet)
            return {"if_not_exists": [operand.path, otherwise]}
        case op:
            sheet.places[at] = f"{operand.name}/kind"
            parts = enumerate(operand.parts)
            return {op: [_operand(part, f"{at}/{op}/{number}", sheet) for number, part in parts]}


def _literal(operand: Operand, at: str, sheet: Sheet) -> Document:
    sheet.places[at] = f"{operand.name}/value"
    value = _value(operand.type, operand.cell, f"{at}/value", sheet)
    return {"value": value, "as": operand.token} if operand.token else {"value": value}


def _value(tag: str, cell: Cell, at: str, sheet: Sheet) -> object:
    """The typed value of a cell; a missing one is noted, and an empty text stands for it."""
    if tag == "NULL" or cell.given == "null":
        return {"NULL": True}
    if cell.given == "empty":
        return {"B" if tag == "B" else "S": ""}
    if tag == "BOOL" and cell.truth:
        return {"BOOL": cell.truth == "true"}
    if tag != "BOOL" and cell.text:
        return value_of_text(tag, cell.text, at, sheet)
    sheet.problems.add("form-value-missing", at)
    return {"S": ""}


def _action(action: Action, at: str, sheet: Sheet) -> Document:
    sheet.places |= {at: f"{action.name}/verb", f"{at}/{action.verb}": f"{action.name}/path"}
    document: Document = {action.verb: action.path}
    if action.given is not None:
        member = OPERATORS[action.verb].slots[1].name
        document[member] = _operand(action.given, f"{at}/{member}", sheet)
    return document


def _attributes(rows: Iterable[Attribute], at: str, name: str, sheet: Sheet) -> Document:
    """A map of attributes; a row without a name and a value says nothing."""
    sheet.places[at] = f"{name}/0/name"
    document: Document = {}
    for row in rows:
        here = at + pointer(row.attribute)
        fault = _row_fault(row, document)
        if fault:
            there = f"{at}{row.name.removeprefix(name)}"
            sheet.places[there] = f"{row.name}/name"
            sheet.problems.add(fault, there, name=excerpt(row.attribute))
        elif row.attribute:
            sheet.places[here] = f"{row.name}/value"
            document[row.attribute] = _value(row.type, row.cell, here, sheet)
    return document


def _row_fault(row: Attribute, known: Document) -> str | None:
    if not row.attribute:
        return "form-name-missing" if row.cell != Cell() else None
    return "form-name-twice" if row.attribute in known else None


def _settings(settings: Iterable[Setting], at: str, sheet: Sheet) -> Document:
    document: Document = {}
    for setting in settings:
        sheet.places[f"{at}/{setting.member}"] = setting.name
        if setting.text:
            document[setting.member] = _setting(setting)
    return document


def _setting(setting: Setting) -> object:
    text = setting.text
    match setting.kind:
        case "number":
            return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text
        case "choice" if "true" in setting.choices and text in {"true", "false"}:
            return text == "true"
        case _:
            return text


def _names(names: Iterable[Alias], at: str, sheet: Sheet) -> Document:
    given = {}
    for alias in names:
        if alias.token.strip("#") or alias.attribute:
            there = f"{at}/expression_attribute_names{pointer(alias.token)}"
            sheet.places[there] = f"{alias.name}/token"
            given[alias.token] = alias.attribute
    return {"expression_attribute_names": given} if given else {}
