"""With a design: records whose protected attributes move without their locks.

Rule: what a record holds before and after its action is taken from its guard, its item and its
update; the locks of both images are what the design makes of them, and each that is new must be
claimed and each that is gone released in the same transaction. What the request leaves open is a
fault of its own: a protected attribute that the guard does not pin, or that is computed. The
reason: a lock that does not move with its value is either a duplicate or a value lost for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from webapp.core.expressions.nodes import Literal, Remove, Set
from webapp.core.failures.savedslots import key_text
from webapp.core.linting import corrections
from webapp.core.linting.pattern_faults import Advice, advice
from webapp.core.linting.scene import Part, Scene, identity_of_key
from webapp.core.planning.design import Design
from webapp.core.planning.keys import Key
from webapp.core.planning.lockkeys import LockKeys
from webapp.core.planning.locks import Rule
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import Value, Where, read_typed

register(
    {
        "protected-computed": Text(
            "“{name}” is protected by {namespace}, and the update computes its value.",
            "What it will be is not known, so its lock cannot be claimed. Read the record, and set "
            "the value you want, guarded by the one you read.",
        ),
        "record-guard-missing": Text(
            "“{name}” is protected by {namespace}, and the condition does not say what it was.",
            "Another change may come between reading and writing, and the wrong lock is released "
            "or claimed. Demand the value you read, or attribute_not_exists({name}).",
        ),
        "claim-missing": Text(
            "The record {key} gets a value of {namespace}, and its lock {lock} is not claimed.",
            "Somebody else can take the same value. Put the lock in the same transaction.",
        ),
        "release-missing": Text(
            "The record {key} loses a value of {namespace}, and its lock {lock} is not released.",
            "Nobody can take the value any more. Delete the lock in the same transaction.",
        ),
    }
)

Known = Mapping[str, Value | None]


class Images(NamedTuple):
    """What is known of a record before and after its action, and which attributes are computed.

    A name that maps to ``None`` is known to be absent; one that is missing is not known.
    ``touched`` are the attributes an update names; ``None`` where the action is about all.
    """

    before: Known
    after: Known
    computed: frozenset[str]
    touched: frozenset[str] | None


class Namespace(NamedTuple):
    """The rules that share a namespace, and so are touched together."""

    name: str
    rules: tuple[Rule, ...]

    @property
    def guarded(self) -> tuple[str, ...]:
        """The attributes that decide which locks of the namespace a record holds."""
        return tuple(dict.fromkeys(name for rule in self.rules for name in rule.constraint.guarded))

    def texts(self, known: Known) -> frozenset[str]:
        """The texts of the locks that a record holds."""
        return frozenset(text for rule in self.rules for text in rule.texts(known))


class LockBook:
    """The locks of a design, by namespace, and their keys."""

    def __init__(self, design: Design) -> None:
        rules = [Rule(constraint) for constraint in design.unique]
        hidden = {rule.namespace for rule in rules if rule.needs_secret}
        sharing: dict[str, list[Rule]] = {}
        for rule in rules:
            if rule.namespace not in hidden:
                sharing.setdefault(rule.namespace, []).append(rule)
        self.spaces = [Namespace(name, tuple(shared)) for name, shared in sharing.items()]
        self._keys = {name: LockKeys(design.lock, name) for name in sharing}
        self.table = design.lock.table

    def key(self, namespace: str, text: str) -> Key | None:
        """The key of a lock, where its value fits into one."""
        key = self._keys[namespace].key(text)
        return key if isinstance(key, Key) else None


class Change(NamedTuple):
    """What one record does to the locks of one namespace: those it has to claim and to release."""

    part: Part
    space: Namespace
    claimed: frozenset[str]
    released: frozenset[str]


def find(scene: Scene) -> Iterator[Advice]:
    """Find records whose locks do not move with them; without a design there is nothing to find."""
    design = scene.design
    if design is None:
        return
    book = LockBook(design)
    changes = []
    for part in scene.records:
        if part.slot.table == design.record.table and part.slot.action != "ConditionCheck":
            images = images_of(part)
            for space in book.spaces:
                if _touches(images, space):
                    yield from _open_questions(part, space, images)
                    changes.append(_change(part, space, images))
    yield from _unmoved(scene, changes, book, design)


def images_of(part: Part) -> Images:
    """What the action tells of the record before and after it."""
    guard = part.guard
    before: dict[str, Value | None] = {**guard.equal, **dict.fromkeys(guard.absent)}
    match part.slot.action:
        case "Put":
            is_new = not guard.equal or not guard.absent.isdisjoint(part.slot.key)
            after = _Whole(_values(part.action.item))
            return Images(_Whole() if is_new else before, after, frozenset(), None)
        case "Delete":
            return Images(before, _Whole(), frozenset(), None)
        case _:
            return _updated(part, before)


def _updated(part: Part, before: Known) -> Images:
    after = dict(before)
    computed = set[str]()
    update = part.trees.update or ()
    for action in update:
        name = action.path.attribute
        match action:
            case Set(to=Literal(value=value)) if len(action.path.steps) == 1:
                after[name] = value
            case Remove() if len(action.path.steps) == 1:
                after[name] = None
            case _:
                computed.add(name)
    touched = frozenset(action.path.attribute for action in update)
    return Images(before, after, frozenset(computed), touched)


class _Whole(dict[str, Value | None]):
    """An image that says everything: what it does not name is absent."""

    def __contains__(self, name: object) -> bool:
        return True


def _values(item: Mapping[str, Any]) -> dict[str, Value | None]:
    read = {name: read_typed(v, Where(None, name), Problems()) for name, v in item.items()}
    return {name: value for name, value in read.items() if value is not None}


def _touches(images: Images, space: Namespace) -> bool:
    return images.touched is None or not images.touched.isdisjoint(space.guarded)


def _open_questions(part: Part, space: Namespace, images: Images) -> Iterator[Advice]:
    """Attributes of a namespace that are computed, or of which it is not said what they were."""
    names = space.guarded
    shown = {"namespace": excerpt(space.name)}
    computed = sorted(images.computed.intersection(names))
    for name in computed:
        yield advice("protected-computed", part.at, (), name=excerpt(name), **shown)
    for name in () if computed else _unknown(space, images):
        read = {"S": "(the value that was read)"}
        pinned = corrections.replaced(part, corrections.with_demands(part, (name, read)))
        yield advice("record-guard-missing", part.at, (pinned,), name=excerpt(name), **shown)


def _unknown(space: Namespace, images: Images) -> list[str]:
    return [name for name in space.guarded if name not in images.before]


def _change(part: Part, space: Namespace, images: Images) -> Change:
    """What the record does to the locks of a namespace, as far as its images are known."""
    names = space.guarded
    is_open = bool(_unknown(space, images))
    is_known = images.computed.isdisjoint(names) and all(name in images.after for name in names)
    before = frozenset[str]() if is_open else space.texts(images.before)
    after = space.texts(images.after) if is_known else frozenset[str]()
    return Change(part, space, after - before, before - after if is_known else frozenset())


def _unmoved(
    scene: Scene, changes: Sequence[Change], book: LockBook, design: Design
) -> Iterator[Advice]:
    """Locks that should be claimed or released and are not, over all records together.

    Where locks store no owner, one that leaves a record for another needs no action.
    """
    moved = {part.identity for part in scene.parts if part.slot.action != "ConditionCheck"}
    claimed = {(change.space.name, text) for change in changes for text in change.claimed}
    released = {(change.space.name, text) for change in changes for text in change.released}
    resting = claimed & released if design.owner is None else set[tuple[str, str]]()
    for change in changes:
        for code, kind, texts in (
            ("claim-missing", "Put", change.claimed),
            ("release-missing", "Delete", change.released),
        ):
            for text in sorted(texts):
                key = book.key(change.space.name, text)
                is_resting = (change.space.name, text) in resting
                if key and not is_resting and identity_of_key(book.table, key.wire) not in moved:
                    yield _missing(code, kind, change, key, design)


def _missing(code: str, kind: str, change: Change, key: Key, design: Design) -> Advice:
    part = change.part
    correction = corrections.added(kind, _lock_action(kind, key, part, design))
    return advice(
        code,
        part.at,
        (correction,),
        lock=excerpt(key_text(key.wire)),
        namespace=excerpt(change.space.name),
        key=excerpt(key_text(part.slot.key)),
    )


def _lock_action(kind: str, key: Key, part: Part, design: Design) -> dict[str, Any]:
    """The members of the action that is missing, as the design wants them."""
    table, partition = design.lock.table, design.lock.schema.partition.name
    owner = {} if design.owner is None else {design.owner: {"M": dict(part.slot.key)}}
    if kind == "Put":
        return corrections.absent_lock(table, {**key.wire, **owner}, partition)
    given = {"TableName": table, "Key": dict(key.wire)}
    if design.owner is None:
        return given
    return corrections.owned_release(given, partition, design.owner, part.slot.key)
