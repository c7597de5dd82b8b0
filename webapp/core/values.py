"""Attribute values: DynamoDB's ten types, as typed JSON.

Rule: a ``Value`` is valid or it does not exist; it keeps what was given, value for value and type
for type. The reason: every refusal of the service for the form of a value can be foreseen here, at
the place where the value was typed. Sources: API reference, AttributeValue; Amazon DynamoDB
Developer Guide, "Supported data types" and "DynamoDB item sizes and formats".
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

from webapp.core import numbers
from webapp.core.jsontext import Digits
from webapp.core.limits import ATTRIBUTE_NAME_BYTES, NESTING_LEVELS
from webapp.core.problems import Problems, Text, excerpt, pointer, register

register(
    {
        "value-untyped": Text(
            "{given} is no typed value.",
            'A value is an object with its type, like {{"S": "text"}} or {{"N": "5"}}.',
        ),
        "value-tags": Text(
            "A value has exactly one type; this one has {count}: {given}.",
            'Keep one of them, like {{"S": "text"}}.',
        ),
        "value-tag-unknown": Text(
            "“{given}” is no type of DynamoDB.",
            "The types are S, N, B, BOOL, NULL, L, M, SS, NS and BS, in capitals.",
        ),
        "string-expected": Text("{given} is no string.", "Write the content of {tag} in quotes."),
        "not-utf8": Text(
            "The text holds half a character (a lone surrogate) and cannot be written as UTF-8.",
            "Remove the character that is shown as \\ud800 or alike.",
        ),
        "number-not-text": Text(
            "{given} is a JSON number; DynamoDB takes numbers as text.", 'Write {{"N": "{given}"}}.'
        ),
        "number-malformed": Text(
            "“{given}” is no number.",
            "A number is digits with at most one dot, an optional sign and an optional exponent.",
        ),
        "number-too-precise": Text(
            "The number has {count} significant digits; DynamoDB keeps 38.",
            "Shorten it, or store it as a string.",
        ),
        "number-too-large": Text(
            "The number is too large: the limit is 9.99…E+125.", "Store it as a string."
        ),
        "number-too-small": Text(
            "The number is too close to zero: the limit is 1E-130.", "Use 0, or store a string."
        ),
        "number-float": Text(
            "{given} is a binary float, which has already lost its decimal digits.",
            "Give the number as text, as an integer or as a Decimal.",
        ),
        "binary-malformed": Text(
            "“{given}” is no base64 text.",
            "Base64 has letters, digits, + and /, padded with = to a multiple of 4.",
        ),
        "bool-expected": Text("{given} is no Boolean.", "Write true or false, without quotes."),
        "null-expected": Text(
            "NULL is always true; {given} is not allowed.",
            'Write {{"NULL": true}}, or leave the attribute out.',
        ),
        "list-expected": Text("{given} is no list.", "Write the content of {tag} in [ ]."),
        "map-expected": Text("{given} is no map.", "Write the content of M in {{ }}."),
        "set-empty": Text("A set cannot be empty.", "Leave the attribute out instead."),
        "set-duplicate": Text(
            "The set holds {given} twice.", "Keep one of them: the members of a set are different."
        ),
        "value-too-deep": Text(
            "Lists and maps are nested deeper than {limit} levels.", "Flatten the value."
        ),
        "attribute-name-empty": Text("An attribute name cannot be empty.", "Give it a name."),
        "attribute-name-long": Text(
            "The attribute name has {count:,} bytes; the limit is {limit:,}.", "Shorten it."
        ),
        "plain-unsupported": Text(
            "{given} cannot stand for an attribute value.",
            "Use text, numbers, true, false, null, lists and objects.",
        ),
    }
)

Wire = dict[str, Any]


class Value(NamedTuple):
    """One valid attribute value: its type tag, its typed JSON, its stored size in bytes.

    ``wire`` is shared between everything built from the value: read it, never change it.
    """

    tag: str
    wire: Wire
    size: int

    @property
    def content(self) -> Any:
        """What stands behind the type tag."""
        return self.wire[self.tag]


NULL = Value("NULL", {"NULL": True}, 1)
CONTAINER_BYTES = 3
MEMBER_BYTES = 1
LARGEST_BITS = 1_000
"""No integer of more bits is a DynamoDB number."""
MEMBER_TAGS = {"SS": "S", "NS": "N", "BS": "B"}


Place = tuple["Place | None", str | int]
"""A place in a document: the place around it, and its own name or index there."""


class Where(NamedTuple):
    """A place that can say its JSON Pointer; every plain ``(outer, token)`` is a place as well."""

    outer: Where | None
    token: str | int

    def pointer(self) -> str:
        """The place as a JSON Pointer."""
        return pointer_of(self)


ROOT = Where(None, "")


def pointer_of(place: Place) -> str:
    """The JSON Pointer of a place. It is made for a problem only; a place costs next to nothing."""
    tokens: list[str | int] = []
    here: Place | None = place
    while here is not None and here is not ROOT:
        here, token = here
        tokens.append(token)
    return pointer(*reversed(tokens))


def utf8_size(text: str) -> int:
    """Bytes of ``text`` in UTF-8. Raises ``UnicodeEncodeError`` for a lone surrogate."""
    return len(text) if text.isascii() else len(text.encode())


def read_typed(document: object, where: Place, problems: Problems, depth: int = 0) -> Value | None:
    """The value that typed JSON spells, or ``None`` with all its problems noted.

    ``document`` is an object with exactly one known upper-case tag; ``where`` is its place.
    """
    if not isinstance(document, dict):
        return _refuse(problems, "value-untyped", where, given=excerpt(document))
    if len(document) != 1:
        tags = ", ".join(map(str, document)) or "none"
        return _refuse(problems, "value-tags", where, count=len(document), given=excerpt(tags))
    ((tag, content),) = document.items()
    reader = _READERS.get(tag)
    if reader is None:
        return _refuse(problems, "value-tag-unknown", where, given=excerpt(tag))
    return reader(tag, content, (where, tag), problems, depth)


def _refuse(problems: Problems, code: str, where: Place, **params: object) -> None:
    """Note a problem, and give the ``None`` that stands for the missing value."""
    problems.add(code, pointer_of(where), **params)


def string_size(text: str, where: Place, problems: Problems) -> int | None:
    """Bytes of ``text`` in UTF-8, or ``None`` with the problem noted."""
    try:
        return utf8_size(text)
    except UnicodeEncodeError:
        return _refuse(problems, "not-utf8", where)


def _string(
    tag: str, content: object, where: Place, problems: Problems, depth: int
) -> Value | None:
    if not isinstance(content, str):
        return _refuse(problems, "string-expected", where, given=excerpt(content), tag=tag)
    size = len(content) if content.isascii() else string_size(content, where, problems)
    return None if size is None else Value("S", {"S": content}, size)


def _number(
    tag: str, content: object, where: Place, problems: Problems, depth: int
) -> Value | None:
    if not isinstance(content, str):
        return _refuse_unquoted(content, where, problems)
    number = numbers.read(content)
    if isinstance(number, numbers.Fault):
        return _refuse(problems, number.code, where, given=excerpt(content), count=number.found)
    return Value("N", {"N": content}, number.size)


def _refuse_unquoted(content: object, where: Place, problems: Problems) -> None:
    if isinstance(content, Digits):
        return _refuse(problems, "number-not-text", where, given=excerpt(content.text))
    if isinstance(content, (int, float, Decimal)) and not isinstance(content, bool):
        return _refuse(problems, "number-not-text", where, given=excerpt(content))
    return _refuse(problems, "string-expected", where, given=excerpt(content), tag="N")


def _binary(
    tag: str, content: object, where: Place, problems: Problems, depth: int
) -> Value | None:
    if not isinstance(content, str):
        return _refuse(problems, "string-expected", where, given=excerpt(content), tag=tag)
    data = decode_binary(content)
    if data is None:
        return _refuse(problems, "binary-malformed", where, given=excerpt(content))
    return Value("B", {"B": content}, len(data))


def decode_binary(text: str) -> bytes | None:
    """The bytes that base64 ``text`` spells, or ``None`` when it is no base64."""
    try:
        return binascii.a2b_base64(text.encode("ascii"), strict_mode=True) if text else b""
    except (binascii.Error, UnicodeEncodeError):
        return None


def encode_binary(data: bytes) -> str:
    """``data`` in base64, as DynamoDB's JSON carries it."""
    return base64.b64encode(data).decode("ascii")


def _boolean(
    tag: str, content: object, where: Place, problems: Problems, depth: int
) -> Value | None:
    if not isinstance(content, bool):
        return _refuse(problems, "bool-expected", where, given=excerpt(content))
    return Value("BOOL", {"BOOL": content}, 1)


def _null(tag: str, content: object, where: Place, problems: Problems, depth: int) -> Value | None:
    if content is not True:
        return _refuse(problems, "null-expected", where, given=excerpt(content))
    return NULL


def _set(tag: str, content: object, where: Place, problems: Problems, depth: int) -> Value | None:
    if not isinstance(content, list):
        return _refuse(problems, "list-expected", where, given=excerpt(content), tag=tag)
    if not content:
        return _refuse(problems, "set-empty", where)
    if tag == "SS" and _are_plain(content):
        return Value(tag, {tag: list(content)}, len("".join(content)))
    read = _READERS[MEMBER_TAGS[tag]]
    members = [
        read(MEMBER_TAGS[tag], member, (where, index), problems, depth)
        for index, member in enumerate(content)
    ]
    whole = [member for member in members if member is not None]
    if len(whole) < len(members) or _noted_duplicate(whole, where, problems):
        return None
    return Value(
        tag, {tag: [member.content for member in whole]}, sum(member.size for member in whole)
    )


def _are_plain(members: list[Any]) -> bool:
    """Whether the members of a set are different ASCII texts, with which nothing can be wrong."""
    try:
        return "".join(members).isascii() and len(set(members)) == len(members)
    except TypeError:
        return False


def _noted_duplicate(members: list[Value], where: Place, problems: Problems) -> bool:
    seen: set[object] = set()
    for index, member in enumerate(members):
        identity = identity_of(member)
        if identity in seen:
            _refuse(problems, "set-duplicate", (where, index), given=excerpt(member.content))
            return True
        seen.add(identity)
    return False


def identity_of(value: Value) -> object:
    """What makes two S, N or B values equal to DynamoDB: text, exact number, or bytes."""
    match value.tag:
        case "N":
            return numbers.read(value.content)
        case "B":
            return decode_binary(value.content)
        case _:
            return value.content


def _list(tag: str, content: object, where: Place, problems: Problems, depth: int) -> Value | None:
    if not isinstance(content, list):
        return _refuse(problems, "list-expected", where, given=excerpt(content), tag=tag)
    return _list_of(content, read_typed, where, problems, depth)


def _list_of(
    document: list[Any], read: _Nested, where: Place, problems: Problems, depth: int
) -> Value | None:
    if depth + bool(document) >= NESTING_LEVELS:
        return _refuse(problems, "value-too-deep", where, limit=NESTING_LEVELS)
    wires: list[Wire] = []
    size = CONTAINER_BYTES
    for index, member in enumerate(document):
        value = read(member, (where, index), problems, depth + 1)
        if value is not None:
            wires.append(value.wire)
            size += value.size + MEMBER_BYTES
    return Value("L", {"L": wires}, size) if len(wires) == len(document) else None


def _map(tag: str, content: object, where: Place, problems: Problems, depth: int) -> Value | None:
    if not isinstance(content, dict):
        return _refuse(problems, "map-expected", where, given=excerpt(content))
    return _map_of(content, read_typed, where, problems, depth)


def _map_of(
    document: dict[str, Any], read: _Nested, where: Place, problems: Problems, depth: int
) -> Value | None:
    if depth + bool(document) >= NESTING_LEVELS:
        return _refuse(problems, "value-too-deep", where, limit=NESTING_LEVELS)
    wires: Wire = {}
    size = CONTAINER_BYTES
    for name, member in document.items():
        here = (where, name)
        length = name_size(name, here, problems)
        value = read(member, here, problems, depth + 1)
        if length is not None and value is not None:
            wires[name] = value.wire
            size += length + value.size + MEMBER_BYTES
    return Value("M", {"M": wires}, size) if len(wires) == len(document) else None


def name_size(name: object, where: Place, problems: Problems) -> int | None:
    """Bytes of an attribute name, or ``None`` with the problem noted (1 to 65,535 bytes)."""
    if name.__class__ is str and name.isascii() and 0 < len(name) <= ATTRIBUTE_NAME_BYTES:
        return len(name)
    if not isinstance(name, str):
        return _refuse(problems, "string-expected", where, given=excerpt(name), tag="a name")
    if not name:
        return _refuse(problems, "attribute-name-empty", where)
    size = string_size(name, where, problems)
    if size is not None and size > ATTRIBUTE_NAME_BYTES:
        return _refuse(
            problems, "attribute-name-long", where, count=size, limit=ATTRIBUTE_NAME_BYTES
        )
    return size


_Nested = Callable[[object, Place, Problems, int], Value | None]
_Reader = Callable[[str, object, Place, Problems, int], Value | None]
_READERS: dict[str, _Reader] = {
    "S": _string,
    "N": _number,
    "B": _binary,
    "BOOL": _boolean,
    "NULL": _null,
    "L": _list,
    "M": _map,
    "SS": _set,
    "NS": _set,
    "BS": _set,
}
TAGS: tuple[str, ...] = tuple(_READERS)


def read_plain(document: object, where: Place, problems: Problems, depth: int = 0) -> Value | None:
    """The value that plain JSON stands for, by one mapping, or ``None`` with its problems noted.

    String S, number N with its own digits, true and false BOOL, null NULL, array L, object M.
    """
    for kinds, read in _PLAIN_READERS:
        if isinstance(document, kinds):
            return read(document, where, problems, depth)
    return _refuse(problems, "plain-unsupported", where, given=excerpt(document))


def _plain_string(document: str, where: Place, problems: Problems, depth: int) -> Value | None:
    return _string("S", document, where, problems, depth)


def _plain_boolean(document: bool, where: Place, problems: Problems, depth: int) -> Value | None:
    return Value("BOOL", {"BOOL": document}, 1)


def _plain_null(document: None, where: Place, problems: Problems, depth: int) -> Value | None:
    return NULL


def _plain_number(
    document: Digits | int | Decimal, where: Place, problems: Problems, depth: int
) -> Value | None:
    if isinstance(document, int) and document.bit_length() > LARGEST_BITS:
        return _refuse(problems, "number-too-large", where)
    text = document.text if isinstance(document, Digits) else str(document)
    return _number("N", text, where, problems, depth)


def _plain_float(document: float, where: Place, problems: Problems, depth: int) -> Value | None:
    return _refuse(problems, "number-float", where, given=repr(document))


def _plain_list(document: list[Any], where: Place, problems: Problems, depth: int) -> Value | None:
    return _list_of(document, read_plain, where, problems, depth)


def _plain_map(
    document: dict[str, Any], where: Place, problems: Problems, depth: int
) -> Value | None:
    return _map_of(document, read_plain, where, problems, depth)


# Booleans before numbers: to Python a Boolean is an integer.
_PLAIN_READERS: tuple[tuple[Any, Callable[..., Value | None]], ...] = (
    (str, _plain_string),
    (bool, _plain_boolean),
    (type(None), _plain_null),
    ((Digits, int, Decimal), _plain_number),
    (float, _plain_float),
    (list, _plain_list),
    (dict, _plain_map),
)
