"""The lock algebra: which locks a change set claims, releases, keeps and hands over.

Rule: everything follows from one function, ``locks(record image) -> lock texts``. Claimed is what
is held after and not before, released what is held before and not after, over the whole set; a lock
that stays with its record is not touched, one that moves between two records of the set is handed
over in one action. The reason: DynamoDB refuses two actions on one item, and a lock that follows
the values can neither leak nor be lost.
"""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from operator import itemgetter
from typing import NamedTuple

from webapp.core import numbers
from webapp.core.planning.design import Constraint, condition_identity
from webapp.core.planning.normalize import Normalizer, normalizer
from webapp.core.problems import Problem, Problems, Text, excerpt, register
from webapp.core.values import MEMBER_TAGS, Value, Where, decode_binary, encode_binary

register(
    {
        "protected-type": Text(
            "“{name}” must be unique, but its type is {tag}; only S, N, B and sets of them can be.",
            "Store the unique part as a string, a number or binary.",
        ),
        "protected-empty": Text(
            "“{name}” is empty after normalising and cannot be unique.", "Leave it out instead."
        ),
        "required-missing": Text(
            "“{name}” is required by the constraint {namespace}.", "Give it a value."
        ),
        "locks-too-many": Text(
            "The values of {namespace} make {count:,} locks; {limit:,} are looked at in all.",
            "Protect fewer members: one transaction holds 100 actions.",
        ),
        "claimed-twice": Text(
            "Two records of this change set claim one lock of {namespace}: "
            "change {one} and change {other}.",
            "Give one of them another value.",
        ),
        "held-twice": Text(
            "Two records cannot have held one lock of {namespace} before: "
            "change {one} and change {other}.",
            "Read both records again: at least one before value is stale.",
        ),
        "types-mixed": Text(
            "{namespace} gets values of type {tag} and of type {other}, which would share locks.",
            "Constraints of one namespace need values of one type.",
        ),
        "secret-missing": Text(
            "{namespace} uses hmac-sha256, and no secret was given.",
            "Give the secret with the request; it is never stored.",
        ),
        "invisible-characters": Text(
            "“{name}” holds characters that cannot be seen: {characters}.",
            "They are legal, and make values that look alike different. Check them.",
        ),
        "mixed-scripts": Text(
            "“{name}” mixes scripts: {scripts}.",
            "Letters of two scripts can look alike and be different. Check them.",
        ),
    }
)

LARGEST_COMBINATION = 10_000
_ESCAPES = str.maketrans({"%": "%25", "#": "%23"})
JOINER = "#"
NO_LOCKS: tuple[str, ...] = ()

Known = Mapping[str, Value | None]


class Hold(NamedTuple):
    """A lock that a record holds: by which change, under which rule, for which attributes."""

    change: int
    rule: Rule
    fields: tuple[str, ...]


class Rule:
    """A constraint made ready for its work: from a record's values to the texts of its locks."""

    __slots__ = (
        "_finish",
        "_normalize",
        "attributes",
        "constraint",
        "index",
        "namespace",
        "single",
    )

    def __init__(self, constraint: Constraint, secret: str | None = None) -> None:
        self.constraint = constraint
        self.index = constraint.index
        self.namespace = constraint.namespace
        self.attributes = constraint.attributes
        self._normalize = normalizer(constraint.normalize)
        self._finish = digester(constraint.digest, secret)
        plain = len(constraint.attributes) == 1 and not constraint.only_when
        self.single = constraint.attributes[0] if plain and self._finish is None else None

    @property
    def needs_secret(self) -> bool:
        """Whether the rule cannot make a lock without a secret."""
        return self.constraint.digest == "hmac-sha256"

    def texts(self, known: Known) -> Sequence[str]:
        """The texts of the locks that a record with the attributes ``known`` holds, in order.

        None where a part is missing, NULL, empty after normalising or of a type that cannot be
        protected, or where an only_when attribute has no listed value. A set gives one per member.
        """
        if self.single is not None:
            value = known.get(self.single)
            if value is None:
                return NO_LOCKS
            if value.tag == "S":
                text = value.wire["S"]
                if self._normalize is not None:
                    text = self._normalize(text)
                return (text,) if text else NO_LOCKS
        return self._combined(known) if self.applies(known) else NO_LOCKS

    def applies(self, known: Known) -> bool:
        """Whether the only_when attributes let the record hold this rule's locks."""
        for name, allowed in self.constraint.only_when.items():
            value = known.get(name)
            if value is None or condition_identity(value) not in allowed:
                return False
        return True

    def combinations(self, known: Known) -> int:
        """How many locks the values make at most: the members of sets, multiplied."""
        return prod(member_count(known.get(name)) for name in self.attributes)

    def _combined(self, known: Known) -> Sequence[str]:
        if self.combinations(known) > LARGEST_COMBINATION:
            return NO_LOCKS
        choices = [self.members(known.get(name)) for name in self.attributes]
        joined = choices[0] if len(choices) == 1 else map(join_parts, product(*choices))
        texts = dict.fromkeys(joined)
        return tuple(texts) if self._finish is None else tuple(map(self._finish, texts))

    def members(self, value: Value | None) -> tuple[str, ...]:
        """The lock parts of one attribute: one for a value, one per member of a set, else none."""
        if value is None or value.tag not in PART_READERS:
            return NO_LOCKS
        contents = value.content if value.tag in MEMBER_TAGS else (value.content,)
        read = PART_READERS[value.tag]
        parts = (read(content, self._normalize) for content in contents)
        return tuple(part for part in parts if part)


def _string_part(content: str, normalize: Normalizer | None) -> str:
    return content if normalize is None else normalize(content)


def _number_part(content: str, normalize: Normalizer | None) -> str:
    number = numbers.read(content)
    return number.text if isinstance(number, numbers.Number) else ""


def _binary_part(content: str, normalize: Normalizer | None) -> str:
    return encode_binary(decode_binary(content) or b"")


PART_READERS: dict[str, Callable[[str, Normalizer | None], str]] = {
    "S": _string_part,
    "N": _number_part,
    "B": _binary_part,
    "SS": _string_part,
    "NS": _number_part,
    "BS": _binary_part,
}


def join_parts(parts: Iterable[str]) -> str:
    """The parts of a combined constraint as one text that ``split_parts`` takes apart exactly."""
    return JOINER.join(part.translate(_ESCAPES) for part in parts)


def split_parts(text: str, count: int) -> tuple[str, ...] | None:
    """The ``count`` parts that ``join_parts`` made into ``text``; ``None`` for a foreign text."""
    if count == 1:
        return (text,)
    parts = tuple(part.replace("%23", "#").replace("%25", "%") for part in text.split(JOINER))
    return parts if len(parts) == count and join_parts(parts) == text and all(parts) else None


def digester(digest: str | None, secret: str | None) -> Callable[[str], str] | None:
    """The function that turns a lock text into its digest (64 hexadecimal digits), or ``None``."""
    if digest is None:
        return None
    if digest == "sha256":
        return lambda text: hashlib.sha256(text.encode()).hexdigest()
    key = (secret or "").encode("utf-8", "surrogatepass")
    return lambda text: hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


Lock = tuple[str, str]
Holds = dict[Lock, Hold]
NOBODY: tuple[int, ...] = ()


def hold(
    number: int,
    rule: Rule,
    texts: Iterable[str],
    holds: Holds,
    can_exist: Callable[[str], bool] = bool,
) -> Sequence[int]:
    """Add the locks ``texts`` that record ``number`` holds under ``rule`` to ``holds``.

    One lock of one record through two attributes is one lock with both fields. Gives the numbers
    of other records that hold one of the locks: a contradiction for the caller to refuse, unless
    it is a lock that cannot exist (``can_exist``), which nobody holds.
    """
    others: dict[int, None] = {}
    mine = Hold(number, rule, rule.attributes)
    for text in texts:
        lock = (rule.namespace, text)
        earlier = holds.setdefault(lock, mine)
        if earlier is mine:
            continue
        if earlier.change == number:
            fields = tuple(dict.fromkeys(earlier.fields + rule.attributes))
            holds[lock] = Hold(number, earlier.rule, fields)
        elif can_exist(text):
            others[earlier.change] = None
    return tuple(others) if others else NOBODY


class Move(NamedTuple):
    """What happens to one lock: a purpose (claim, release, transfer, kept, handed-over), for whom.

    ``change`` is the record that gets it, or gives it up in a release; ``previous`` the record that
    held it before. The first three members are the order of slots.
    """

    change: int
    rule: int
    releasing: bool
    purpose: str
    lock: Lock
    fields: tuple[str, ...]
    previous: int


_slot_order = itemgetter(0, 1, 2)


def moves(before: Holds, after: Holds, owned: bool) -> tuple[list[Move], list[Move]]:
    """The moves that need an action, in slot order, and those that need none.

    Slot order: change, constraint, claim before release. A lock that goes from one record of the
    set to another is a transfer where locks store their owner (``owned``); where they do not, it is
    handed over without an action, carried by the guards of both records.
    """
    acting: list[Move] = []
    resting: list[Move] = []
    for lock, (change, rule, fields) in after.items():
        previous = before.get(lock)
        if previous is None:
            acting.append(Move(change, rule.index, False, "claim", lock, fields, change))
        elif previous.change == change:
            resting.append(Move(change, rule.index, False, "kept", lock, fields, change))
        elif owned:
            move = Move(change, rule.index, False, "transfer", lock, fields, previous.change)
            acting.append(move)
        else:
            move = Move(change, rule.index, False, "handed-over", lock, fields, previous.change)
            resting.append(move)
    for lock, (change, rule, fields) in before.items():
        if lock not in after:
            acting.append(Move(change, rule.index, True, "release", lock, fields, change))
    if before and after:
        acting.sort(key=_slot_order)
    return acting, resting


def check_combinations(rule: Rule, known: Known, where: Where, problems: Problems) -> None:
    """Note sets that make more locks than are looked at one by one."""
    count = rule.combinations(known)
    if count > LARGEST_COMBINATION:
        params = {"namespace": rule.namespace, "count": count, "limit": LARGEST_COMBINATION}
        _note(problems, "locks-too-many", Where(where, rule.attributes[0]), **params)


def check_after(
    rule: Rule, known: Known, named: Iterable[str], where: Where, problems: Problems
) -> None:
    """Note what forbids the after values that a change names: absent, empty, of a wrong type.

    ``known`` is the whole image after the change; a create names every attribute.
    """
    for name in named:
        value = known.get(name)
        here = Where(where, name)
        if value is None or value.tag == "NULL":
            if rule.constraint.required:
                _note(problems, "required-missing", here, name=name, namespace=rule.namespace)
        elif value.tag not in PART_READERS:
            _note(problems, "protected-type", here, name=name, tag=value.tag)
        elif len(rule.members(value)) < member_count(value):
            _note(problems, "protected-empty", here, name=name)


def _note(problems: Problems, code: str, where: Where, **params: object) -> None:
    problems.add(code, where.pointer(), **params)


def member_count(value: Value | None) -> int:
    """How many protected values one attribute value holds."""
    if value is None:
        return 0
    return len(value.content) if value.tag in MEMBER_TAGS else 1


def shared(rules: Iterable[Rule]) -> list[list[Rule]]:
    """The groups of rules that share a namespace."""
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.namespace, []).append(rule)
    return [group for group in groups.values() if len(group) > 1]


def mixed_types(
    group: Sequence[Rule], known: Known, named: Known
) -> Iterable[tuple[str, str, str]]:
    """The values whose type differs from the first of the same part: type, first type, attribute.

    ``group`` are the rules of one namespace; a set counts as its members' type. What is stored
    comes first and is never at fault: only what a change names (``named``) can be put right.
    """
    for names in zip(*(rule.attributes for rule in group), strict=True):
        first = ""
        for name in sorted(names, key=named.__contains__):
            value = known.get(name)
            if value is None or value.tag not in PART_READERS:
                continue
            tag = MEMBER_TAGS.get(value.tag, value.tag)
            first = first or tag
            if tag != first and name in named:
                yield tag, first, name


def suspicions(name: str, value: Value, where: Where) -> Iterable[Problem]:
    """Warnings about what cannot be seen in a protected string, named by code point."""
    contents = value.content if value.tag == "SS" else (value.content,)
    hidden = [
        char for char in dict.fromkeys("".join(contents)) if char != " " and not char.isprintable()
    ]
    if hidden:
        named = ", ".join(map(_named, hidden[:5]))
        yield Problem(
            "invisible-characters", where.pointer(), {"name": excerpt(name), "characters": named}
        )
    mixed = next((scripts for text in contents if len(scripts := _scripts(text)) > 1), None)
    if mixed:
        yield Problem(
            "mixed-scripts", where.pointer(), {"name": excerpt(name), "scripts": ", ".join(mixed)}
        )


def is_plain(text: str) -> bool:
    """Whether ``text`` is visible ASCII, about which nothing can be suspected."""
    return text.isascii() and text.isprintable()


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'control character')}"


LOOKALIKE_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def _scripts(text: str) -> Sequence[str]:
    """The scripts with look-alike letters that ``text`` is written in."""
    return list(dict.fromkeys(script for char in dict.fromkeys(text) if (script := _script(char))))


def _script(character: str) -> str:
    if not character.isalpha():
        return ""
    first = unicodedata.name(character, "").partition(" ")[0]
    return first if first in LOOKALIKE_SCRIPTS else ""
