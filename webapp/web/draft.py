"""What stands in the form: the text of every control, exactly as typed.

Rule: a draft can always be made from whatever a browser sends, and keeps it. What it means is
decided later, by the core, from the document that ``writing`` makes of it. The reason: nothing that
was typed may be lost because something else was wrong.

The name of a control is the JSON Pointer of what it says in the document, without the leading
slash (``design/table``, ``design/unique/0/namespace``), so a problem finds its control. Attributes
stand in numbered rows (``changes/0/attributes/2/value``), because a name can be anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

TYPES = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M", "JSON")
"""The types of an attribute row: DynamoDB's ten, and a whole typed value written as JSON."""

KEY_TYPES = ("S", "N", "B")
OPERATIONS = ("create", "change", "delete")
GIVEN = ("typed", "empty", "null", "absent")
STEPS = ("trim", "nfc", "nfkc", "casefold")
DIGESTS = ("", "hmac-sha256", "sha256")
CONDITIONS = ("", "texts", "json")
ALIASES = ("needed", "always")
ON = "on"
LONGEST_NAME = 200
DEEPEST_ROW = 6


@dataclass(frozen=True, slots=True)
class Cell:
    """One value: how it is given (typed, empty, null, absent), its text, its truth if Boolean."""

    text: str = ""
    given: str = "typed"
    truth: str = ""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One row: a name, a type, the value that is (or is to be created), what it becomes."""

    name: str = ""
    type: str = "S"
    value: Cell = Cell()
    becomes: Cell = Cell()


@dataclass(frozen=True, slots=True)
class Change:
    """One record change: the operation, the parts of the record's key, the attribute rows."""

    operation: str = "create"
    key: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A key attribute of a table; a type of "" says that the table has no such key."""

    name: str = ""
    type: str = "S"


@dataclass(frozen=True, slots=True)
class Keys:
    """A table: its name and its key layout."""

    name: str = ""
    partition: KeyColumn = KeyColumn()
    sort: KeyColumn = KeyColumn()


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates of a key."""

    partition: str = ""
    sort: str = ""


@dataclass(frozen=True, slots=True)
class Locks:
    """Where the locks stand and what they store."""

    templates: Templates = Templates("UNIQ#{namespace}#{value}", "LOCK")
    stores_owner: bool = False
    owner: str = "owner"
    own_table: bool = False
    table: Keys = Keys("", KeyColumn("PK"), KeyColumn("SK"))


@dataclass(frozen=True, slots=True)
class Rule:
    """One uniqueness rule."""

    namespace: str = ""
    attributes: tuple[str, ...] = ("",)
    normalize: tuple[str, ...] = ()
    required: bool = False
    digest: str = ""
    condition: str = ""
    when_attribute: str = ""
    when_values: str = ""
    when_json: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The whole form. ``seed`` makes the tokens of its plans, where none is typed."""

    table: Keys = Keys()
    record: Templates = Templates()
    locks: Locks = Locks()
    rules: tuple[Rule, ...] = (Rule(),)
    alias: str = "needed"
    changes: tuple[Change, ...] = (Change(attributes=(Attribute(),)),)
    token: str = ""
    return_existing: bool = False
    seed: str = ""


BLANK = Draft()

EXAMPLE = Draft(
    table=Keys("accounts", KeyColumn("PK"), KeyColumn("SK")),
    record=Templates("ACCT#{id}", "PROFILE"),
    rules=(Rule("EMAIL", ("email",)), Rule("HANDLE", ("username",))),
    changes=(
        Change(
            key={"id": "a1f9c3"},
            attributes=(
                Attribute("email", value=Cell("ada@lovelace.io")),
                Attribute("username", value=Cell("ada")),
            ),
        ),
    ),
)
"""The worked example: what a first visitor sees."""


class Fields:
    """The controls of a form by name. A browser sends line ends as CR LF; a text area has LF."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._texts: dict[str, str] = {}
        self._rows: dict[str, set[int]] = {}
        self._keys: dict[str, dict[str, str]] = {}
        for name, text in pairs:
            if name not in self._texts:
                self._texts[name] = text.replace("\r\n", "\n") if "\r" in text else text
                for outer, number in row_numbers(name):
                    self._rows.setdefault(outer, set()).add(number)
                row, is_key, part = name.partition("/key/")
                if is_key:
                    self._keys.setdefault(row, {})[part] = self._texts[name]

    def text(self, name: str, otherwise: str = "") -> str:
        """The text of a control, or ``otherwise`` where the form has no such control."""
        return self._texts.get(name, otherwise)

    def choice(self, name: str, choices: Iterable[str], otherwise: str) -> str:
        """The text of a control that offers only ``choices``."""
        text = self._texts.get(name)
        return text if text is not None and text in choices else otherwise

    def is_on(self, name: str) -> bool:
        """Whether a box is ticked."""
        return self._texts.get(name) == ON

    def rows(self, name: str) -> list[str]:
        """The names of the numbered rows under ``name``, in order; numbers may have gaps."""
        return [f"{name}/{number}" for number in sorted(self._rows.get(name, ()))]

    def keys(self, row: str) -> Mapping[str, str]:
        """The parts of the key of a change, by their names; a name may hold a slash."""
        return self._keys.get(row, {})


@lru_cache(maxsize=4096)
def row_numbers(name: str) -> tuple[tuple[str, int], ...]:
    """The numbered rows that a control stands in: the name before each number, and the number."""
    parts = name[:LONGEST_NAME].split("/")[:DEEPEST_ROW]
    return tuple(
        ("/".join(parts[:place]), int(part))
        for place, part in enumerate(parts)
        if part.isascii() and part.isdecimal() and len(part) < 7
    )


def read_draft(pairs: Iterable[tuple[str, str]]) -> Draft:
    """The draft that a browser sent. Never fails: what is unknown is ignored."""
    fields = Fields(pairs)
    return Draft(
        table=_keys(fields, "design", "design/table"),
        record=_templates(fields, "design/record"),
        locks=_locks(fields),
        rules=tuple(_rule(fields, row) for row in fields.rows("design/unique")),
        alias=fields.choice("design/alias", ALIASES, "needed"),
        changes=tuple(_change(fields, row) for row in fields.rows("changes")) or (Change(),),
        token=fields.text("token"),
        return_existing=fields.is_on("return_existing"),
        seed=fields.text("seed"),
    )


def _keys(fields: Fields, name: str, table: str) -> Keys:
    partition, sort = f"{name}/partition_key", f"{name}/sort_key"
    return Keys(
        fields.text(table),
        KeyColumn(
            fields.text(f"{partition}/name"), fields.choice(f"{partition}/type", KEY_TYPES, "S")
        ),
        KeyColumn(fields.text(f"{sort}/name"), fields.choice(f"{sort}/type", KEY_TYPES, "")),
    )


def _templates(fields: Fields, name: str) -> Templates:
    return Templates(fields.text(f"{name}/partition"), fields.text(f"{name}/sort"))


def _locks(fields: Fields) -> Locks:
    return Locks(
        templates=_templates(fields, "design/lock"),
        stores_owner=fields.is_on("design/lock/stores_owner"),
        owner=fields.text("design/lock/owner"),
        own_table=fields.is_on("design/lock/own_table"),
        table=_keys(fields, "design/lock/table", "design/lock/table/name"),
    )


def _rule(fields: Fields, row: str) -> Rule:
    return Rule(
        namespace=fields.text(f"{row}/namespace"),
        attributes=tuple(fields.text(part) for part in fields.rows(f"{row}/attributes")),
        normalize=tuple(step for step in STEPS if fields.is_on(f"{row}/normalize/{step}")),
        required=fields.is_on(f"{row}/required"),
        digest=fields.choice(f"{row}/digest", DIGESTS, ""),
        condition=fields.choice(f"{row}/only_when", CONDITIONS, ""),
        when_attribute=fields.text(f"{row}/only_when/attribute"),
        when_values=fields.text(f"{row}/only_when/values"),
        when_json=fields.text(f"{row}/only_when/json"),
    )


def _change(fields: Fields, row: str) -> Change:
    return Change(
        operation=fields.choice(f"{row}/operation", OPERATIONS, "create"),
        key=fields.keys(row),
        attributes=tuple(_attribute(fields, inner) for inner in fields.rows(f"{row}/attributes")),
    )


def _attribute(fields: Fields, row: str) -> Attribute:
    return Attribute(
        name=fields.text(f"{row}/name"),
        type=fields.choice(f"{row}/type", TYPES, "S"),
        value=_cell(fields, f"{row}/value"),
        becomes=_cell(fields, f"{row}/becomes"),
    )


def _cell(fields: Fields, name: str) -> Cell:
    return Cell(
        text=fields.text(name),
        given=fields.choice(f"{name}/given", GIVEN, "typed"),
        truth=fields.choice(f"{name}/truth", ("true", "false"), ""),
    )


def needed_controls(draft: Draft) -> Iterator[str]:
    """The controls of the design that must not stay empty."""
    yield from ("design/table", "design/partition_key/name", "design/record/partition")
    if draft.table.sort.type:
        yield from ("design/sort_key/name", "design/record/sort")
    for number, rule in enumerate(draft.rules):
        yield f"design/unique/{number}/namespace"
        yield from (f"design/unique/{number}/attributes/{n}" for n in range(len(rule.attributes)))


def pairs_of(draft: Draft) -> Iterator[tuple[str, str]]:
    """The controls of a draft as a browser sends them; ``read_draft`` reads them back."""
    yield from _key_pairs("design", "design/table", draft.table)
    yield from _template_pairs("design/record", draft.record)
    yield from _lock_pairs(draft.locks)
    for number, rule in enumerate(draft.rules):
        yield from _rule_pairs(f"design/unique/{number}", rule)
    for number, change in enumerate(draft.changes):
        yield from _change_pairs(f"changes/{number}", change)
    yield from (("design/alias", draft.alias), ("token", draft.token), ("seed", draft.seed))
    yield from _tick("return_existing", draft.return_existing)


def _tick(name: str, is_on: bool) -> Iterator[tuple[str, str]]:
    if is_on:
        yield name, ON


def _key_pairs(name: str, table: str, keys: Keys) -> Iterator[tuple[str, str]]:
    yield table, keys.name
    for role, column in (("partition_key", keys.partition), ("sort_key", keys.sort)):
        yield f"{name}/{role}/name", column.name
        yield f"{name}/{role}/type", column.type


def _template_pairs(name: str, templates: Templates) -> Iterator[tuple[str, str]]:
    yield f"{name}/partition", templates.partition
    yield f"{name}/sort", templates.sort


def _lock_pairs(locks: Locks) -> Iterator[tuple[str, str]]:
    yield from _template_pairs("design/lock", locks.templates)
    yield from _tick("design/lock/stores_owner", locks.stores_owner)
    yield "design/lock/owner", locks.owner
    yield from _tick("design/lock/own_table", locks.own_table)
    yield from _key_pairs("design/lock/table", "design/lock/table/name", locks.table)


def _rule_pairs(row: str, rule: Rule) -> Iterator[tuple[str, str]]:
    yield f"{row}/namespace", rule.namespace
    for number, name in enumerate(rule.attributes):
        yield f"{row}/attributes/{number}", name
    for step in rule.normalize:
        yield f"{row}/normalize/{step}", ON
    yield from _tick(f"{row}/required", rule.required)
    yield f"{row}/digest", rule.digest
    yield f"{row}/only_when", rule.condition
    yield f"{row}/only_when/attribute", rule.when_attribute
    yield f"{row}/only_when/values", rule.when_values
    yield f"{row}/only_when/json", rule.when_json


def _change_pairs(row: str, change: Change) -> Iterator[tuple[str, str]]:
    yield f"{row}/operation", change.operation
    for name, text in change.key.items():
        yield f"{row}/key/{name}", text
    for number, attribute in enumerate(change.attributes):
        inner = f"{row}/attributes/{number}"
        yield f"{inner}/name", attribute.name
        yield f"{inner}/type", attribute.type
        yield from _cell_pairs(f"{inner}/value", attribute.value)
        yield from _cell_pairs(f"{inner}/becomes", attribute.becomes)


def _cell_pairs(name: str, cell: Cell) -> Iterator[tuple[str, str]]:
    yield name, cell.text
    yield f"{name}/given", cell.given
    yield f"{name}/truth", cell.truth
