"""Primary keys: the table's key layout, and the templates that fill it.

Rule: a key value is made only from a template, has the type the table declares and fits its limit,
or it does not exist. A missing part is a problem, never the text "None". The reason: the key of a
lock *is* the protected value, so a key made by accident is a wrong claim.
Sources: Amazon DynamoDB Developer Guide, "Primary key" and "Quotas" (2,048 and 1,024 bytes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webapp.core import numbers
from webapp.core.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import (
    Place,
    Value,
    Where,
    Wire,
    decode_binary,
    encode_binary,
    pointer_of,
    read_plain,
    read_typed,
)

register(
    {
        "template-brace": Text(
            "The template “{given}” has a brace without its partner, or an empty {{}}.",
            "Write placeholders as {{name}}; a key template cannot hold other braces.",
        ),
        "template-empty": Text(
            "The template is empty; a key cannot be.", "Write a text, or a placeholder like {{id}}."
        ),
        "template-number": Text(
            "The {role} key is a number, and “{given}” does not yield one.",
            "Use a number like 0, or exactly one placeholder like {{id}}.",
        ),
        "key-part-missing": Text(
            "The key needs a value for “{name}”.", "Give it in the change's key, as a text."
        ),
        "key-part-empty": Text(
            "The key part “{name}” is empty.", "Give it a value: a key made without it is nobody's."
        ),
        "key-part-unknown": Text(
            "The record's key templates have no placeholder “{name}”.",
            "Remove it, or add {{{name}}} to a template.",
        ),
        "key-part-type": Text(
            "The key part “{name}” has type {tag}; a key is made from S, N or B.",
            "Give a text or a number.",
        ),
        "key-part-binary": Text(
            "The key part “{name}” is binary and cannot be part of a text.",
            "A binary part fills a binary key alone: make the template just {{{name}}}.",
        ),
        "key-part-number": Text(
            "The {role} key is a number; “{given}” is none.", "Give digits for “{name}”."
        ),
        "key-part-differs": Text(
            "The record's attribute “{name}” differs from the same part of its key.",
            "Make them equal: the key of a record cannot change. To move it, delete and create.",
        ),
        "key-too-long": Text(
            "The {role} key has {count:,} bytes; DynamoDB allows {limit:,}.",
            "Shorten it, or store a digest of the value: set “digest” on the constraint.",
        ),
    }
)

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
ROLE_LIMITS = {"partition": PARTITION_KEY_BYTES, "sort": SORT_KEY_BYTES}


class KeyAttribute(NamedTuple):
    """One key attribute of a table: its name, its type (S, N or B), its role in the key."""

    name: str
    type: str
    role: str

    @property
    def limit(self) -> int:
        """The most bytes a value of this key attribute may have."""
        return ROLE_LIMITS[self.role]


class KeySchema(NamedTuple):
    """The key layout of a table: a partition key and, where there is one, a sort key."""

    partition: KeyAttribute
    sort: KeyAttribute | None

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        """The key attributes in order: partition key first."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the key attributes in order."""
        return tuple(attribute.name for attribute in self.attributes)


@dataclass(frozen=True, slots=True)
class Template:
    """A key template: literal texts with placeholders between them (a literal more than names)."""

    literals: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """The template as it is written."""
        pieces = [self.literals[0]]
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            pieces += ["{", name, "}", literal]
        return "".join(pieces)

    def with_filled(self, name: str, value: str) -> Template:
        """The template in which every ``{name}`` is replaced by the literal ``value``."""
        literals, names = [self.literals[0]], []
        for here, literal in zip(self.names, self.literals[1:], strict=True):
            if here == name:
                literals[-1] += value + literal
            else:
                names.append(here)
                literals.append(literal)
        return Template(tuple(literals), tuple(names))


def read_template(text: str, where: Where, problems: Problems) -> Template | None:
    """The template that ``text`` spells, or ``None`` with the problem noted."""
    pieces = _PLACEHOLDER.split(text)
    literals, names = pieces[::2], pieces[1::2]
    if any("{" in literal or "}" in literal for literal in literals):
        problems.add("template-brace", where.pointer(), given=excerpt(text))
        return None
    if not text:
        problems.add("template-empty", where.pointer())
        return None
    return Template(tuple(literals), tuple(names))


def check_type(
    template: Template, attribute: KeyAttribute, where: Where, problems: Problems
) -> None:
    """Note a problem when ``template`` cannot yield the type of ``attribute``.

    A number comes from a literal number or from exactly one placeholder; text and binary keys take
    any template (a binary key holds the UTF-8 bytes of the text).
    """
    if attribute.type != "N":
        return
    literal = "".join(template.literals)
    alone = len(template.names) == 1 and not literal
    constant = not template.names and isinstance(numbers.read(literal), numbers.Number)
    if not (alone or constant):
        problems.add(
            "template-number", where.pointer(), role=attribute.role, given=excerpt(template.text)
        )


class KeyValue(NamedTuple):
    """One valid key value: its typed JSON and its size in bytes."""

    wire: Wire
    size: int


class Key(NamedTuple):
    """A whole primary key: its typed JSON, and its bytes with the names of its attributes."""

    wire: Wire
    size: int


class KeyFault(NamedTuple):
    """A key value that is over its limit: which key, how many bytes, how many are allowed."""

    role: str
    size: int
    limit: int


class OneTextKeys:
    """The keys that differ in one text: all else of their templates is constant.

    ``templates`` pair each key attribute with its template, partition key first; exactly one
    template has a placeholder, and only one; its attribute has type S or B.
    """

    __slots__ = (
        "_constants",
        "_fixed_bytes",
        "_leads",
        "_limit",
        "_text",
        "attribute",
        "prefix",
        "suffix",
    )

    def __init__(self, templates: Sequence[tuple[KeyAttribute, Template]]) -> None:
        constants: Wire = {}
        self._fixed_bytes = sum(len(attribute.name.encode()) for attribute, _ in templates)
        for attribute, template in templates:
            if template.names:
                self.attribute = attribute
                self.prefix, self.suffix = template.literals
            else:
                value = key_value(template.literals[0], attribute)
                assert isinstance(value, KeyValue), "the design was checked"
                constants[attribute.name] = value.wire
                self._fixed_bytes += value.size
        self._constants = constants
        self._leads = templates[0][0] is self.attribute
        self._limit = self.attribute.limit
        self._text = self.attribute.type == "S"

    @property
    def constants(self) -> Mapping[str, Wire]:
        """The key attributes whose value is the same in every key."""
        return self._constants

    def key(self, text: str) -> Key | KeyFault:
        """The key with ``text`` in its place, or the fault: a key value over its limit."""
        text = self.prefix + text + self.suffix
        size = len(text) if text.isascii() else len(text.encode())
        if size > self._limit:
            return KeyFault(self.attribute.role, size, self._limit)
        value = {"S": text} if self._text else {"B": encode_binary(text.encode())}
        name = self.attribute.name
        if self._leads:
            return Key({name: value, **self._constants}, self._fixed_bytes + size)
        return Key({**self._constants, name: value}, self._fixed_bytes + size)


def is_one_text(templates: Sequence[tuple[KeyAttribute, Template]]) -> bool:
    """Whether ``OneTextKeys`` can make the keys of ``templates``."""
    places = [attribute.type for attribute, template in templates for _ in template.names]
    return len(places) == 1 and places[0] != "N"


def key_value(text: str, attribute: KeyAttribute) -> KeyValue | numbers.Fault:
    """``text`` as a value of the key attribute, or the fault: too long, or no number.

    A number is written canonically; a binary key holds the UTF-8 bytes of the text.
    Raises ``UnicodeEncodeError`` for a lone surrogate.
    """
    _, kind, role = attribute
    if kind == "N":
        number = numbers.read(text)
        return (
            number
            if isinstance(number, numbers.Fault)
            else KeyValue({"N": number.text}, number.size)
        )
    size = len(text) if text.isascii() else len(text.encode())
    if size > ROLE_LIMITS[role]:
        return numbers.Fault("key-too-long", size)
    return KeyValue({"S": text} if kind == "S" else {"B": encode_binary(text.encode())}, size)


def may_meet(one: Template, other: Template, numeric: bool) -> bool:
    """Whether two templates could yield one key value, placeholders being any non-empty text."""
    if one.names and other.names:
        return numeric or _ends_meet(one.literals, other.literals)
    if not one.names and not other.names:
        return _same_constant(one.literals[0], other.literals[0], numeric)
    constant, pattern = (one, other) if other.names else (other, one)
    return numeric or _matches(pattern.literals, constant.literals[0])


def _ends_meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Two patterns with wildcards meet when their first and their last literals agree."""
    heads = one[0].startswith(other[0]) or other[0].startswith(one[0])
    tails = one[-1].endswith(other[-1]) or other[-1].endswith(one[-1])
    return heads and tails


def _same_constant(one: str, other: str, numeric: bool) -> bool:
    return numbers.read(one) == numbers.read(other) if numeric else one == other


def _matches(literals: tuple[str, ...], text: str) -> bool:
    """Whether ``text`` is the literals in order with something non-empty in each gap."""
    head, *middle, tail = literals
    if not text.startswith(head):
        return False
    at = len(head)
    for literal in middle:
        found = text.find(literal, at + 1)
        if found < 0:
            return False
        at = found + len(literal)
    return len(text) - len(tail) > at and text.endswith(tail)


class Part(NamedTuple):
    """What fills one placeholder of a record's key: a text, or bytes for a binary key."""

    text: str
    data: str | None = None


def read_part(name: str, document: object, where: Place, problems: Problems) -> Part | None:
    """One member of a change's ``key``: plain text or number, or a typed S, N or B value."""
    if document.__class__ is str and document and document.isascii():
        return Part(document)
    read = read_typed if isinstance(document, dict) else read_plain
    value = read(document, where, problems)
    return None if value is None else part_of(name, value, where, problems)


def part_of(name: str, value: Value, where: Place, problems: Problems) -> Part | None:
    """An attribute value as a part of a key; numbers canonically: 5 and 5.0 are one record."""
    match value.tag:
        case "S" | "B" if not value.content:
            problems.add("key-part-empty", pointer_of(where), name=name)
        case "S":
            return Part(value.content)
        case "N":
            number = numbers.read(value.content)
            return Part(number.text) if isinstance(number, numbers.Number) else None
        case "B":
            return Part("", encode_binary(decode_binary(value.content) or b""))
        case _:
            problems.add("key-part-type", pointer_of(where), name=name, tag=value.tag)
    return None


def fill(
    template: Template,
    attribute: KeyAttribute,
    parts: Mapping[str, Part],
    where: Where,
    problems: Problems,
) -> KeyValue | None:
    """The key value that ``template`` gives with ``parts`` (all present), or ``None``, noted.

    ``where`` is the place of the change that the key belongs to.
    """
    text = template.literals[0]
    for name, literal in zip(template.names, template.literals[1:], strict=True):
        part = parts[name]
        if part.data is not None:
            return _fill_binary(template, attribute, part.data, Where(where, "key"), problems, name)
        text = f"{text}{part.text}{literal}"
    value = key_value(text, attribute)
    if isinstance(value, KeyValue):
        return value
    return _refuse_value(value, template, attribute, text, Where(where, "key"), problems)


def _refuse_value(
    fault: numbers.Fault,
    template: Template,
    attribute: KeyAttribute,
    text: str,
    where: Where,
    problems: Problems,
) -> None:
    here = Where(where, template.names[0]).pointer() if template.names else where.pointer()
    if fault.code == "key-too-long":
        problems.add(
            fault.code, here, role=attribute.role, count=fault.found, limit=attribute.limit
        )
    else:
        name = template.names[0] if template.names else template.text
        problems.add("key-part-number", here, role=attribute.role, name=name, given=excerpt(text))


def _fill_binary(
    template: Template,
    attribute: KeyAttribute,
    data: str,
    where: Where,
    problems: Problems,
    name: str,
) -> KeyValue | None:
    here = Where(where, name).pointer()
    if attribute.type != "B" or "".join(template.literals) or len(template.names) > 1:
        problems.add("key-part-binary", here, name=name)
        return None
    size = len(data) * 3 // 4 - data.count("=", -2)
    if size > attribute.limit:
        problems.add("key-too-long", here, role=attribute.role, count=size, limit=attribute.limit)
        return None
    return KeyValue({"B": data}, size)
