"""What no service says: the faults of the pattern in a transaction that keeps values unique.

Rule: a rule is one function over the scene of a transaction; it yields its warning at the action it
is about, with the reason and the corrected action. With a design everything is certain; without one
only that is said which the actions themselves show. The reason: DynamoDB takes every one of these
transactions, and the harm shows later, as two accounts with one address or an address nobody can
take any more.
Source: AWS Database Blog, "Simulating Amazon DynamoDB unique constraints using transactions";
Amazon DynamoDB Developer Guide, "Managing complex workflows with DynamoDB transactions".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.core.failures.guards import form_of
from webapp.core.failures.savedslots import key_text
from webapp.core.linting import corrections
from webapp.core.linting.corrections import Correction
from webapp.core.linting.scene import WORDS, Part, Scene, content
from webapp.core.problems import Problem, Text, excerpt, register
from webapp.core.values import Where

register(
    {
        "lock-unguarded": Text(
            "The lock {key} is put without a guard.",
            "Whoever comes second overwrites the lock of whoever came first, and both hold the "
            "value. Put it under attribute_not_exists({name}).",
        ),
        "record-unguarded": Text(
            "The record {key} is put without a guard.",
            "A record that is there already is overwritten, and the locks of its old values stay "
            "for ever. Put it under attribute_not_exists({name}).",
        ),
        "lock-renewed": Text(
            "The lock {key} is put and deleted at once.",
            "The value stays the same, or differs only in its spelling: leave the lock alone.",
        ),
        "release-unguarded": Text(
            "The lock {key} is released, but no record is guarded by its old value.",
            "If the record was changed meanwhile, the lock may be somebody else's by now. Demand "
            "in the record's condition that it still has the value you read.",
        ),
        "release-ownerless": Text(
            "The lock {key} is deleted whoever holds it.",
            "Locks store their owner here: delete it only if it is gone already or yours.",
        ),
        "guard-no-uniqueness": Text(
            "attribute_not_exists({name}) looks at this one item, not at the table.",
            "It does not make “{name}” unique: the item with this key is new. Put a lock item "
            "whose key is the value, and guard both by attribute_not_exists({key_name}).",
        ),
        "lock-ambiguous-key": Text(
            "The lock {key} joins “{one}” and “{other}” by “{separator}”, and a value holds "
            "“{separator}” too.",
            "Another pair of values gives the same key. Escape the separator inside the values "
            "(% as %25, {separator} as {escaped}).",
        ),
        "locks-one-partition": Text(
            "{count} locks share the partition {value}.",
            "One partition takes about 1,000 write units a second, for everybody who signs up. Put "
            "the value into the partition key.",
        ),
        "token-missing": Text(
            "The transaction has no ClientRequestToken.",
            "When an answer is lost and you send again, your own success looks like “taken”. Give "
            "each plan one token of 1 to 36 characters, and keep it for its retries (10 minutes).",
        ),
        "actions-unread": Text(
            "Only the first {limit} actions were checked, each for itself; {count:,} were not.",
            "Which lock belongs to which record shows when the transaction is split: check each "
            "part.",
        ),
        "lock-expires": Text(
            "The lock {key} has a time to live (“{name}”).",
            "When it expires the value is free although its record lives on. Take it off the lock.",
        ),
        "record-expires": Text(
            "The record {key} has a time to live (“{name}”), and its locks have none.",
            "When it expires its locks stay and nobody can take the values. Delete records by a "
            "transaction that releases their locks.",
        ),
        "update-may-create": Text(
            "The update of {key} makes a new item if there is none.",
            "A record that was deleted meanwhile comes back without its other attributes. Demand "
            "attribute_exists({name}).",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Advice:
    """A warning with its correction: actions to put in place, to add, or to leave out."""

    problem: Problem
    corrected: tuple[Correction, ...] = ()

    def as_document(self) -> dict[str, Any]:
        """The warning as JSON, with the corrected actions beside it."""
        return self.problem.as_document() | {"corrected": list(self.corrected)}


def advice(
    code: str, at: Where, corrected: Iterator[Correction] | tuple[Correction, ...], **params: object
) -> Advice:
    """Make a warning at a place, with the actions that correct it."""
    return Advice(Problem(code, at.pointer(), params), tuple(corrected))


def find(scene: Scene) -> Iterator[Advice]:
    """Find the faults of the pattern, action by action in each rule's turn."""
    for rule in RULES:
        yield from rule(scene)


def _partition_name(scene: Scene, part: Part) -> str:
    return next(iter(scene.key_names(part)), "PK")


def _about(part: Part) -> dict[str, object]:
    return {"key": excerpt(key_text(part.slot.key) or f"of slot {part.slot.slot}")}


def _unguarded_puts(scene: Scene) -> Iterator[Advice]:
    has_locks = bool(scene.claims)
    for part in scene.parts:
        is_record = part.slot.purpose == "record" and has_locks
        if part.slot.action != "Put" or not (part.slot.purpose == "claim" or is_record):
            continue
        if form_of(part.action, part.slot.key) == "absent" or part.guard.equal:
            continue
        if part.guard.absent & set(part.slot.key):
            continue
        name = _partition_name(scene, part)
        code = "record-unguarded" if is_record else "lock-unguarded"
        corrected = corrections.replaced(part, corrections.with_absent_key(part, name))
        yield advice(code, part.at, (corrected,), name=name, **_about(part))


def _renewed_locks(scene: Scene) -> Iterator[Advice]:
    puts = {part.identity: part for part in scene.parts if part.slot.action == "Put"}
    for part in scene.parts:
        other = puts.get(part.identity) if part.slot.action == "Delete" else None
        if other is None or {part.slot.purpose, other.slot.purpose}.isdisjoint(
            {"claim", "release"}
        ):
            continue
        both = (corrections.left_out(other), corrections.left_out(part))
        yield advice("lock-renewed", part.at, both, **_about(part))


def _unguarded_releases(scene: Scene) -> Iterator[Advice]:
    renewed = {part.identity for part in scene.parts if part.slot.action == "Put"}
    for part in scene.releases:
        record = scene.record_of(part)
        if part.identity in renewed or any(
            _answers_for(other, part) for other in ([record] if record else scene.records)
        ):
            continue
        corrected = () if record is None else _pinned(record, part)
        yield advice("release-unguarded", part.at, corrected, **_about(part))


def _answers_for(record: Part, lock: Part) -> bool:
    """Whether a record's guard says what the record held, as far as the lock tells of what."""
    if lock.slot.fields:
        return all(map(record.guard.pins, lock.slot.fields))
    return not record.guard.equal.keys() <= record.slot.key.keys()


def _pinned(record: Part, lock: Part) -> tuple[Correction, ...]:
    """The record's action that demands the value whose lock is released."""
    value = next(filter(None, map(_last_word, map(content, lock.slot.key.values()))), "")
    fields = lock.slot.fields or _set_attributes(record)
    if len(fields) != 1 or not value:
        return ()
    return (
        corrections.replaced(record, corrections.with_demands(record, (fields[0], {"S": value}))),
    )


def _set_attributes(record: Part) -> tuple[str, ...]:
    update = record.trees.update or ()
    return tuple(dict.fromkeys(action.path.attribute for action in update))


def _last_word(text: str) -> str:
    found = WORDS.fullmatch(text)
    return found[2] if found else ""


def _ownerless_releases(scene: Scene) -> Iterator[Advice]:
    owner = scene.owner
    if owner is None:
        return
    for part in scene.releases:
        if form_of(part.action, part.slot.key) in {"gone-or-equal", "equal"} or part.guard.equal:
            continue
        record, name = scene.record_of(part), _partition_name(scene, part)
        body = record and corrections.owned_release(part.raw, name, owner, record.slot.key)
        corrected = (corrections.replaced(part, body),) if body else ()
        yield advice("release-ownerless", part.at, corrected, **_about(part))


_KEY_LIKE = re.compile(r"(?i)(pk|sk|id|hash|range|key|partition.*|sort.*|.*[_-]?(pk|sk|id|key))")


def _useless_guards(scene: Scene) -> Iterator[Advice]:
    """``attribute_not_exists`` of a plain attribute in a Put: no check of the table's values."""
    for part in scene.parts:
        if part.slot.action != "Put":
            continue
        keys = _sure_key_names(scene, part)
        for name in sorted(part.guard.absent):
            if keys and name not in keys and name in part.action.item:
                corrected = corrections.replaced(part, corrections.with_absent_key(part, keys[0]))
                params = {"name": excerpt(name), "key_name": keys[0]}
                yield advice("guard-no-uniqueness", part.at, (corrected,), **params)


def _sure_key_names(scene: Scene, part: Part) -> tuple[str, ...]:
    """The key attributes of a Put's table: known, shown by a key, or told by their names."""
    known = scene.tables.get(part.slot.table)
    if known is not None:
        return known.schema.names
    shown = [other for other in scene.parts if other.slot.table == part.slot.table]
    keys = [tuple(other.action.key) for other in shown if other.action.key]
    return keys[0] if keys else tuple(filter(_KEY_LIKE.fullmatch, part.action.item))


MOST_HITS = 8


def _ambiguous_keys(scene: Scene) -> Iterator[Advice]:
    """A lock key that joins two values without escaping the sign between them."""
    if scene.design is not None:
        return
    for part in scene.claims:
        record = scene.record_of(part)
        held = _held(record) if record is not None else {}
        for text in map(content, part.slot.key.values()):
            joint = _joint(text, held)
            if joint is not None:
                one, other, sign = joint
                params = {"one": excerpt(held[one]), "other": excerpt(held[other])}
                escaped = "".join(f"%{byte:02X}" for byte in sign.encode())
                yield advice(
                    "lock-ambiguous-key",
                    part.at,
                    (),
                    separator=sign,
                    escaped=escaped,
                    **params,
                    **_about(part),
                )
                break


def _held(record: Part) -> dict[str, str]:
    """The texts of a record's attributes, with the names of the attributes."""
    key = record.slot.key
    after, before = record.action.images
    texts = {content(value): name for name, value in {**before, **after}.items() if name not in key}
    return {text: name for text, name in texts.items() if text}


def _joint(text: str, held: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Two values that the key joins by a sign which one of them holds: both, and the sign."""
    for start in _value_starts(text, len(text), held):
        other, sign = text[start:], text[start - 1 : start]
        for first in _value_starts(text, start - 1, held):
            one = text[first : start - 1]
            if sign and (sign in one or sign in other):
                return one, other, sign
    return None


def _value_starts(text: str, end: int, held: Mapping[str, str]) -> list[int]:
    """Where a value that ends at ``end`` begins; the first few of them."""
    starts = (n for n in range(1, end) if not text[n - 1].isalnum() and text[n:end] in held)
    return [start for start, _ in zip(starts, range(MOST_HITS), strict=False)]


def _one_partition(scene: Scene) -> Iterator[Advice]:
    claims = scene.claims
    partitions = Counter(
        (part.slot.table, content(part.slot.key.get(_partition_name(scene, part))))
        for part in claims
    )
    for (table, value), count in partitions.items():
        if count > 1 and value:
            first = next(part for part in claims if part.slot.table == table)
            yield advice("locks-one-partition", first.at, (), count=count, value=excerpt(value))


_EXPIRY = re.compile(
    r"(?i)_?(ttl|expir(y|es|ed|ation)([_-]?(at|on|time|date))?|time[_-]?to[_-]?live)"
)


def _expiring(scene: Scene) -> Iterator[Advice]:
    locks = scene.claims
    for part in [*locks, *(scene.records if locks else ())]:
        names = [name for name in part.action.item if _is_expiry(name, part.action.item[name])]
        is_lock = part.slot.purpose == "claim"
        code = "lock-expires" if is_lock else "record-expires"
        for name in names:
            corrected = corrections.replaced(part, corrections.without(part, name))
            yield advice(code, part.at, (corrected,), name=excerpt(name), **_about(part))


def _is_expiry(name: str, value: object) -> bool:
    return isinstance(value, dict) and "N" in value and _EXPIRY.fullmatch(name) is not None


def _creating_updates(scene: Scene) -> Iterator[Advice]:
    """An Update of a record that would make one, beside actions on locks."""
    if not scene.claims and not scene.releases:
        return
    for part in scene.records:
        guard = part.guard
        if part.slot.action != "Update" or guard.equal or guard.present or guard.absent:
            continue
        name = _partition_name(scene, part)
        corrected = corrections.replaced(part, corrections.with_demands(part, (name, None)))
        yield advice("update-may-create", part.at, (corrected,), name=name, **_about(part))


RULES: Final[tuple[Callable[[Scene], Iterator[Advice]], ...]] = (
    _unguarded_puts,
    _renewed_locks,
    _unguarded_releases,
    _ownerless_releases,
    _useless_guards,
    _ambiguous_keys,
    _one_partition,
    _expiring,
    _creating_updates,
)
"""One rule each, in the order in which their warnings are listed."""
