"""Changes of records: what is written, and what is known of the record before.

Rule: a change keeps apart what a person can mean: an attribute that is left out (unknown before,
untouched after), one that is known to be absent (``None``), NULL, and a value. The reason: a lock
released on a guess is somebody else's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import Field

from webapp.core import shapes
from webapp.core.planning.keys import Part, read_part
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import (
    Place,
    Value,
    Where,
    Wire,
    name_size,
    pointer_of,
    read_plain,
    read_typed,
)

register(
    {
        "item-absent": Text(
            "“{name}” has no value.", "Leave the attribute out of a new record instead of null."
        ),
        "change-empty": Text(
            "The change changes nothing: “after” names no attribute.",
            "Name at least one attribute with its new value, or null to remove it.",
        ),
    }
)

Operation = Literal["create", "change", "delete"]
Reader = Callable[[object, Place, Problems], Value | None]
READERS: dict[str, Reader] = {"typed": read_typed, "plain": read_plain}


class CreateShape(shapes.Shape):
    """Create a record with the attributes of ``item``."""

    operation: Literal["create"]
    key: dict[str, Any] = {}
    item: dict[str, Any] = {}


class ChangeShape(shapes.Shape):
    """Change a record: ``after`` names what becomes of it, ``before`` what is known of it."""

    operation: Literal["change"]
    key: dict[str, Any] = {}
    before: dict[str, Any] = {}
    after: dict[str, Any]


class DeleteShape(shapes.Shape):
    """Delete a record of which ``before`` is known."""

    operation: Literal["delete"]
    key: dict[str, Any] = {}
    before: dict[str, Any] = {}


AnyShape = CreateShape | ChangeShape | DeleteShape
AnyChange = Annotated[AnyShape, Field(discriminator="operation")]
SHAPES: dict[str, type[AnyShape]] = {
    get_args(shape.model_fields["operation"].annotation)[0]: shape for shape in get_args(AnyShape)
}
"""The shapes by the operation that each one names."""


class Image(NamedTuple):
    """What is known of a record: its attributes, ``None`` for one that is known to be absent.

    ``wires`` holds the typed JSON of the present ones, ``size`` their bytes with their names.
    """

    values: Mapping[str, Value | None]
    wires: Wire
    size: int


NOTHING = Image({}, {}, 0)


class Change(NamedTuple):
    """One record change, ready to be planned. ``where`` is its place in the document."""

    operation: Operation
    key: Mapping[str, Part]
    before: Image
    after: Image
    where: Where

    @property
    def image_member(self) -> str:
        """The member of the document that holds the after values."""
        return "item" if self.operation == "create" else "after"


def shape_of(document: object, where: Where, problems: Problems) -> AnyShape | None:
    """The shape of a change document, by its operation, or ``None`` with all faults noted."""
    if not isinstance(document, dict):
        found = excerpt(shapes.named(document))
        problems.add("member-type", where.pointer(), given=found, expected="an object in { }")
        return None
    operation = document.get("operation")
    shape = SHAPES.get(operation) if isinstance(operation, str) else None
    if shape is not None:
        return shapes.check(shape, document, where, problems) or shapes.rest(shape, document)
    here = Where(where, "operation").pointer()
    if "operation" not in document:
        problems.add("member-missing", here, name="operation")
    else:
        found, expected = excerpt(shapes.named(operation)), ", ".join(SHAPES)
        problems.add("member-choice", here, given=found, expected=expected)
    return None


def read_change(
    shape: AnyShape,
    key_names: frozenset[str] | None,
    read: Reader,
    where: Where,
    problems: Problems,
) -> Change:
    """The change that a document of the right shape describes; faults are noted, never guessed.

    ``key_names`` are the placeholders of the record's key templates, ``None`` where the design is
    not known because it was refused itself.
    """
    key = _read_key(shape.key, key_names, Where(where, "key"), problems)
    match shape:
        case CreateShape():
            item = _read_item(shape.item, read, Where(where, "item"), problems)
            return Change("create", key, NOTHING, item, where)
        case ChangeShape():
            before = _read_image(shape.before, read, Where(where, "before"), problems)
            after = _read_image(shape.after, read, Where(where, "after"), problems)
            if not shape.after:
                problems.add("change-empty", Where(where, "after").pointer())
            return Change("change", key, before, after, where)
        case DeleteShape():
            before = _read_image(shape.before, read, Where(where, "before"), problems)
            return Change("delete", key, before, NOTHING, where)


def _read_key(
    document: Mapping[str, Any], names: frozenset[str] | None, where: Where, problems: Problems
) -> Mapping[str, Part]:
    parts: dict[str, Part] = {}
    for name, given in document.items():
        here = (where, name)
        if names is not None and name not in names:
            problems.add("key-part-unknown", pointer_of(here), name=excerpt(name))
            continue
        part = read_part(name, given, here, problems)
        if part is not None:
            parts[name] = part
    return parts


def _read_item(
    document: Mapping[str, Any], read: Reader, where: Where, problems: Problems
) -> Image:
    """The attributes of a new record; a typed item has no null, plain JSON's null is NULL."""
    if read is read_plain:
        return _read_image(document, read, where, problems, absent=_NEVER)
    for name, given in document.items():
        if given is None:
            problems.add("item-absent", pointer_of((where, name)), name=excerpt(name))
    return _read_image(document, read, where, problems)


_NEVER = object()


def _read_image(
    document: Mapping[str, Any],
    read: Reader,
    where: Where,
    problems: Problems,
    absent: object = None,
) -> Image:
    """Attributes by name; ``absent`` (JSON null) says that one is known not to be there."""
    values: dict[str, Value | None] = {}
    wires: Wire = {}
    total = 0
    for name, given in document.items():
        here = (where, name)
        size = name_size(name, here, problems)
        value = None if given is absent else read(given, here, problems)
        if size is None or (value is None and given is not absent):
            continue
        values[name] = value
        if value is not None:
            wires[name] = value.wire
            total += size + value.size
    return Image(values, wires, total)
