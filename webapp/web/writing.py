"""From the form to the document that the core reads.

Rule: every draft has a document; what cannot be said in it (a broken JSON text, two rows of one
name) becomes a problem at its control, and the rest is written all the same. The reason: a person
must see all problems at once, those of the form and those of the document.

``places`` leads back: from a JSON Pointer into the document to the name of the control that says
it. A pointer deeper than any control belongs to the nearest one above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from webapp.core.jsontext import read_json
from webapp.core.problems import Problem, Problems, Refused, Text, excerpt, pointer, register
from webapp.web.draft import Attribute, Cell, Change, Draft, KeyColumn, Keys, Rule, Templates

register(
    {
        "form-name-missing": Text(
            "This attribute has a value but no name.", "Name it, or clear the row."
        ),
        "form-name-twice": Text("“{name}” stands in two rows.", "Keep one of them."),
        "form-condition-empty": Text(
            "This rule holds only while an attribute has a certain value, but none is named.",
            "Name the attribute and its values, or choose “always”.",
        ),
    }
)

Document = dict[str, Any]
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


class _Nothing:
    """The absence of a member; ``None`` is a value of JSON."""


NOTHING = _Nothing()


@dataclass(slots=True)
class Sheet:
    """A document on its way: where each part came from, and what could not be written."""

    places: dict[str, str] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)


@dataclass(frozen=True, slots=True)
class Written:
    """A document, the way back to the controls, and the problems of the form itself."""

    document: Document
    places: Mapping[str, str]
    problems: tuple[Problem, ...]

    def control(self, path: str) -> str | None:
        """The name of the control that the JSON Pointer ``path`` belongs to, if there is one."""
        while path:
            if path in self.places:
                return self.places[path]
            path = path.rpartition("/")[0]
        return None

    def with_problems(self, found: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """The form's own problems and those ``found`` that they do not explain already."""
        own = tuple(problem.path for problem in self.problems)
        rest = (p for p in found if not any(_is_within(p.path, path) for path in own))
        return (*self.problems, *rest)


def _is_within(path: str, outer: str) -> bool:
    return path == outer or path.startswith(outer + "/")


def write(draft: Draft) -> Written:
    """The plan request that a draft describes."""
    sheet, names = Sheet(), key_names(draft)
    document: Document = {
        "design": _design(draft, sheet),
        "changes": [
            _change(change, names, index, sheet) for index, change in enumerate(draft.changes)
        ],
    }
    if draft.token:
        document["token"] = draft.token
    if draft.return_existing:
        document["return_existing"] = True
    sheet.places |= {f"/{name}": name for name in ("token", "return_existing", "confirm")}
    return Written(document, sheet.places, tuple(sheet.problems))


def write_design(draft: Draft) -> Document:
    """The design alone, as it is saved and shared."""
    return _design(draft, Sheet())


def key_names(draft: Draft) -> tuple[str, ...]:
    """The placeholders of the record's key templates, in order, each once."""
    sort = draft.record.sort if draft.table.sort.type else ""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(f"{draft.record.partition}\n{sort}")))


FIXED_PLACES = (
    "design/table",
    "design/partition_key/name",
    "design/partition_key/type",
    "design/sort_key/name",
    "design/sort_key/type",
    "design/record/partition",
    "design/record/sort",
    "design/lock/partition",
    "design/lock/sort",
    "design/lock/owner",
    "design/lock/table/name",
    "design/lock/table/partition_key/name",
    "design/lock/table/partition_key/type",
    "design/lock/table/sort_key/name",
    "design/lock/table/sort_key/type",
    "design/alias",
    "design/unique",
)

SORT_KEYS = ("design/sort_key", "design/lock/table/sort_key")
"""Whether there is one at all is said by the choice of its type."""

DESIGN_PLACES = {"/" + name: name for name in FIXED_PLACES}
DESIGN_PLACES |= {"/" + name: f"{name}/type" for name in SORT_KEYS}


def _design(draft: Draft, sheet: Sheet) -> Document:
    sheet.places.update(DESIGN_PLACES)
    locks = draft.locks
    lock_sort = locks.table.sort if locks.own_table else draft.table.sort
    return {
        "version": 1,
        "table": draft.table.name,
        "partition_key": _column(draft.table.partition),
        "sort_key": _sort_column(draft.table.sort),
        "record": _templates(draft.record, draft.table.sort),
        "lock": {
            **_templates(locks.templates, lock_sort),
            "owner": locks.owner if locks.stores_owner else None,
            "table": _lock_table(locks.table) if locks.own_table else None,
        },
        "unique": [_rule(rule, index, sheet) for index, rule in enumerate(draft.rules)],
        "alias": draft.alias,
    }


def _column(column: KeyColumn) -> Document:
    return {"name": column.name, "type": column.type}


def _sort_column(column: KeyColumn) -> Document | None:
    return _column(column) if column.type else None


def _templates(templates: Templates, sort: KeyColumn) -> Document:
    return {"partition": templates.partition, "sort": templates.sort if sort.type else None}


def _lock_table(keys: Keys) -> Document:
    return {
        "name": keys.name,
        "partition_key": _column(keys.partition),
        "sort_key": _sort_column(keys.sort),
    }


def _rule(rule: Rule, index: int, sheet: Sheet) -> Document:
    name = f"design/unique/{index}"
    at = "/" + name
    _place_rule(rule, at, name, sheet)
    document: Document = {"namespace": rule.namespace, "attributes": list(rule.attributes)}
    if rule.normalize:
        document["normalize"] = list(rule.normalize)
    if rule.required:
        document["required"] = True
    if rule.digest:
        document["digest"] = rule.digest
    if rule.condition:
        document["only_when"] = _only_when(rule, at, name, sheet)
    return document


def _place_rule(rule: Rule, at: str, name: str, sheet: Sheet) -> None:
    sheet.places |= {
        at: f"{name}/namespace",
        f"{at}/namespace": f"{name}/namespace",
        f"{at}/attributes": f"{name}/attributes/0",
        f"{at}/normalize": f"{name}/normalize/trim",
        f"{at}/required": f"{name}/required",
        f"{at}/digest": f"{name}/digest",
    }
    for number in range(len(rule.attributes)):
        sheet.places[f"{at}/attributes/{number}"] = f"{name}/attributes/{number}"


def _only_when(rule: Rule, at: str, name: str, sheet: Sheet) -> object:
    here = f"{at}/only_when"
    if rule.condition == "json":
        sheet.places[here] = f"{name}/only_when/json"
        return _json(rule.when_json, here, sheet)
    sheet.places[here] = f"{name}/only_when/attribute"
    sheet.places[here + pointer(rule.when_attribute)] = f"{name}/only_when/values"
    if not rule.when_attribute:
        sheet.problems.add("form-condition-empty", here)
    return {rule.when_attribute: lines(rule.when_values)}


def lines(text: str) -> list[str]:
    """The lines of a text that are not empty, each as it stands."""
    return [line for line in text.split("\n") if line]


def _json(text: str, at: str, sheet: Sheet) -> object:
    """What a JSON text says; a broken one is noted, and stands as its text."""
    try:
        return read_json(text)
    except Refused as refused:
        sheet.problems.extend(Problem(p.code, at + p.path, p.params) for p in refused.problems)
        return text


def _change(change: Change, names: tuple[str, ...], index: int, sheet: Sheet) -> Document:
    name = f"changes/{index}"
    at = "/" + name
    sheet.places[f"{at}/operation"] = f"{name}/operation"
    sheet.places[f"{at}/key"] = f"{name}/key/{names[0]}" if names else "design/record/partition"
    for part in names:
        sheet.places[f"{at}/key{pointer(part)}"] = f"{name}/key/{part}"
    rows = tuple(_named_rows(change, at, name, sheet))
    document: Document = {
        "operation": change.operation,
        "key": {part: change.key[part] for part in names if _is_key_given(part, change, rows)},
    }
    for member, side in SIDES[change.operation].items():
        sheet.places[f"{at}/{member}"] = f"{name}/attributes"
        document[member] = dict(_values(rows, side, f"{at}/{member}", sheet))
    return document


SIDES: Mapping[str, Mapping[str, str]] = {
    "create": {"item": "value"},
    "change": {"before": "value", "after": "becomes"},
    "delete": {"before": "value"},
}
"""For each operation the members of its document, and the column of the form that says each."""

Row = tuple[Attribute, str]


def _is_key_given(part: str, change: Change, rows: tuple[Row, ...]) -> bool:
    """A part that was left empty may come from the attribute of its name."""
    text = change.key.get(part)
    return text is not None and (text != "" or all(row.name != part for row, _ in rows))


def _named_rows(change: Change, at: str, name: str, sheet: Sheet) -> Iterator[Row]:
    """Each row that says something, with the name of its controls; a name counts once."""
    seen: set[str] = set()
    for index, row in enumerate(change.attributes):
        control = f"{name}/attributes/{index}"
        fault = _row_fault(row, seen)
        seen.add(row.name)
        if fault:
            here = f"{at}/attributes/{index}"
            sheet.places[here] = f"{control}/name"
            sheet.problems.add(fault, here, name=excerpt(row.name))
        elif row.name:
            yield row, control


def _row_fault(row: Attribute, seen: set[str]) -> str | None:
    if not row.name:
        return "form-name-missing" if row.value != Cell() or row.becomes != Cell() else None
    return "form-name-twice" if row.name in seen else None


def _values(
    rows: tuple[Row, ...], side: str, at: str, sheet: Sheet
) -> Iterator[tuple[str, object]]:
    for row, control in rows:
        here = at + pointer(row.name)
        sheet.places[here] = f"{control}/{side}"
        value = said_in(row, side, here, sheet)
        if not isinstance(value, _Nothing) and not (value is None and at.endswith("/item")):
            yield row.name, value


def said_in(row: Attribute, side: str, at: str, sheet: Sheet) -> object:
    """The typed value of one cell, ``None`` for "absent", ``NOTHING`` where nothing is said."""
    cell: Cell = getattr(row, side)
    match cell.given:
        case "null":
            return {"NULL": True}
        case "absent":
            return None
        case "empty":
            return {"B" if row.type == "B" else "S": ""}
        case _:
            return _typed(row.type, cell, side, at, sheet)


def _typed(tag: str, cell: Cell, side: str, at: str, sheet: Sheet) -> object:
    if tag == "NULL":
        return {"NULL": True} if side == "value" else NOTHING
    if tag == "BOOL":
        return {"BOOL": cell.truth == "true"} if cell.truth else NOTHING
    return value_of_text(tag, cell.text, at, sheet) if cell.text else NOTHING


def value_of_text(tag: str, text: str, at: str, sheet: Sheet) -> object:
    """The typed value that a text of one of the ten types says; a broken JSON is noted."""
    match tag:
        case "SS" | "NS" | "BS":
            return {tag: lines(text)}
        case "L" | "M":
            return {tag: _json(text, f"{at}/{tag}", sheet)}
        case "JSON":
            return _json(text, at, sheet)
        case _:
            return {tag: text}
