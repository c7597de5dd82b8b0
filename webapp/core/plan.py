"""From a change set to a plan: the guarded actions of one TransactWriteItems, slot by slot.

Rule: record actions first, in the order of the changes, then lock actions in order of change,
constraint, claim before release; every action under its guard; the same input gives the same
bytes. The reason: reasons of a cancelled transaction are read by position, and a plan that was
saved must be sent again byte for byte. Source: API reference, TransactWriteItems.

A ``Planner`` is a design made ready once for all its plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from webapp.core import budget as budgets
from webapp.core import jsontext, keys, locks
from webapp.core.aliases import Aliases
from webapp.core.budget import Budget
from webapp.core.changes import Change, Image, key_part_from
from webapp.core.design import Design
from webapp.core.keys import Key, KeyFault, Part
from webapp.core.limits import EXPRESSION_BYTES, ITEM_BYTES, TOKEN_CHARACTERS, VARIABLES_BYTES
from webapp.core.lockkeys import LockKeys
from webapp.core.locks import Holds, Move, Rule
from webapp.core.problems import Problem, Problems, Text, excerpt, register
from webapp.core.planslots import Resting, Slot
from webapp.core.statements import Presence, Statement, statement
from webapp.core.values import Value, Where, Wire

register(
    {
        "before-unknown": Text(
            "The value “{name}” has now is not given, and the lock cannot follow without it.",
            "Give its before value, or null if the record does not have it.",
        ),
        "key-attribute": Text(
            "“{name}” is part of the table's key and cannot stand among the attributes.",
            "Leave it out: the key is made from the templates. To move a record, delete and create.",
        ),
        "record-twice": Text(
            "Change {one} and change {other} are of one record.",
            "Make them one change: DynamoDB refuses two actions on one item.",
        ),
        "expression-too-long": Text(
            "The expressions of this action need {count:,} bytes; DynamoDB allows {limit:,}.",
            "Change fewer attributes at once.",
        ),
        "variables-too-large": Text(
            "The values of one expression have {count:,} bytes; DynamoDB allows {limit:,} (2 MB).",
            "Change fewer or smaller attributes at once.",
        ),
        "token-length": Text(
            "The token has {count} characters; DynamoDB takes 1 to {limit}.",
            "Use a UUID, for example.",
        ),
        "changes-missing": Text("There is no change.", "Give at least one."),
    }
)

RETURN_EXISTING = "ReturnValuesOnConditionCheckFailure"
RECORD_FAILURES = {"create": "exists", "change": "missing-or-changed", "delete": "missing-or-changed"}


@dataclass(frozen=True, slots=True)
class Plan:
    """A transaction that can be trusted. ``text`` is the request's one canonical JSON text."""

    text: bytes
    slots: tuple[Slot, ...]
    resting: tuple[Resting, ...]
    budget: Budget
    warnings: tuple[Problem, ...]

    @property
    def request(self) -> dict[str, Any]:
        """The request as TransactWriteItems takes it, a fresh dict at each call."""
        return jsontext.parsed(self.text)

    def pretty(self) -> str:
        """The request as JSON for reading."""
        return jsontext.pretty(self.request)

    def as_document(self) -> dict[str, Any]:
        """The plan as the contract's JSON object."""
        return {
            "request": self.request,
            "slots": [slot.as_document(number) for number, slot in enumerate(self.slots)],
            "kept": [lock.as_document() for lock in self.resting],
            "budget": self.budget.as_document(),
            "warnings": [warning.as_document() for warning in self.warnings],
        }


class Draft:
    """A plan in the making: actions, slots and item sizes at equal positions."""

    __slots__ = ("actions", "lower_bound", "problems", "resting", "sizes", "slots", "warnings")

    def __init__(self, warnings: Iterable[Problem]) -> None:
        self.actions: list[dict[str, Any]] = []
        self.slots: list[Slot] = []
        self.sizes: list[int] = []
        self.resting: list[Resting] = []
        self.lower_bound = False
        self.problems = Problems()
        self.warnings: list[Problem] = list(warnings)


class Planner:
    """A design, ready to plan. ``secret`` is the key of hmac-sha256 digests; it is never stored
    in a plan.
    """

    def __init__(self, design: Design, secret: str | None = None) -> None:
        self.design = design
        self.rules = tuple(Rule(constraint, secret) for constraint in design.unique)
        self.lock_keys = {rule.namespace: LockKeys(design.lock, rule.namespace) for rule in self.rules}
        self.key_parts = tuple(
            dict.fromkeys(name for _, template in design.record.templates for name in template.names)
        )
        self._has_secret = bool(secret)
        self._touching = _touching(self.rules)
        self._create = statement(design.record.schema.partition.name, design.alias, False)
        self._claim = statement(design.lock.schema.partition.name, design.alias, False)
        self._release = _release_statement(design)
        self._transfer = _transfer_statement(design)

    def plan(
        self, changes: Sequence[Change], token: str | None = None, return_existing: bool = False
    ) -> Plan:
        """The plan of a change set, or ``Refused`` with everything that forbids it.

        ``token`` becomes the ClientRequestToken (1 to 36 characters); ``return_existing`` asks the
        service for the item that makes a guard fail.
        """
        draft = Draft(self.design.warnings)
        self._check_call(changes, token, draft.problems)
        record_keys = self._records(changes, draft)
        self._locks(changes, record_keys, draft)
        draft.problems.refuse()
        if return_existing:
            _return_existing(draft.actions)
        return _finished(draft, token, len(changes))

    def _check_call(self, changes: Sequence[Change], token: str | None, problems: Problems) -> None:
        if not changes:
            problems.add("changes-missing", "/changes")
        if token is not None and not 1 <= len(token) <= TOKEN_CHARACTERS:
            problems.add("token-length", "/token", count=len(token), limit=TOKEN_CHARACTERS)
        if not self._has_secret:
            for rule in self.rules:
                if rule.needs_secret:
                    problems.add("secret-missing", "/secret", namespace=rule.namespace)

    # Records

    def _records(self, changes: Sequence[Change], draft: Draft) -> list[Key] | None:
        found = [self._record(number, change, draft) for number, change in enumerate(changes)]
        whole = [key for key in found if key is not None]
        if len(whole) < len(changes):
            return None
        if len(changes) > 1:
            _check_distinct(whole, changes, draft.problems)
        return whole

    def _record(self, number: int, change: Change, draft: Draft) -> Key | None:
        self._check_names(change, draft.problems)
        key = self.record_key(change, draft.problems)
        if key is None:
            return None
        match change.operation:
            case "create":
                self._put_record(number, change, key, draft)
            case "change":
                self._update_record(number, change, key, draft)
            case "delete":
                self._delete_record(number, change, key, draft)
        return key

    def _check_names(self, change: Change, problems: Problems) -> None:
        for name in self.design.record.schema.names:
            if name in change.after.values:
                at = Where(Where(change.where, change.image_member), name).pointer()
                problems.add("key-attribute", at, name=excerpt(name))
            if name in change.before.values:
                at = Where(Where(change.where, "before"), name).pointer()
                problems.add("key-attribute", at, name=excerpt(name))

    def record_key(self, change: Change, problems: Problems) -> Key | None:
        """The key of a change's record, or ``None`` with all faults noted."""
        parts = self._parts(change, problems)
        if parts is None:
            return None
        wire: Wire = {}
        size = 0
        where = Where(change.where, "key")
        for attribute, template in self.design.record.templates:
            value = keys.fill(template, attribute, parts, where, problems)
            if value is None:
                return None
            wire[attribute.name] = value.wire
            size += len(attribute.name.encode()) + value.size
        return Key(wire, size)

    def _parts(self, change: Change, problems: Problems) -> Mapping[str, Part] | None:
        parts = dict(change.key)
        images = (("before", change.before), (change.image_member, change.after))
        count = len(problems)
        for name in self.key_parts:
            for image in images:
                _join_part(name, parts, image, change.where, problems)
            if name not in parts and len(problems) == count:
                at = Where(Where(change.where, "key"), name).pointer()
                problems.add("key-part-missing", at, name=name)
        return None if len(problems) > count else parts

    def _put_record(self, number: int, change: Change, key: Key, draft: Draft) -> None:
        size = key.size + change.after.size
        put = _put(self.design.table, {**key.wire, **change.after.wires}, self._create, None)
        _check_item(size, Where(change.where, "item"), draft.problems)
        slot = Slot("Put", "record", number, self.design.table, key.wire, None, (), "not-exists", "exists")
        _add(draft, {"Put": put}, slot, size)

    def _update_record(self, number: int, change: Change, key: Key, draft: Draft) -> None:
        after, before = change.after.values, change.before.values
        guarded = self._guarded(after)
        guards = _presences(guarded, change, draft.problems)
        sets = tuple(change.after.wires)
        removes = tuple(name for name, value in after.items() if value is None)
        written = self._statement(sets, removes, guards)
        values = dict(zip(written.sets, change.after.wires.values(), strict=True))
        values.update(zip(written.guards, _expected(guards, before), strict=True))
        update = _keyed(self.design.table, key.wire, written, values)
        size = key.size + change.after.size + _surviving(change.before, after)
        _check_item(size, Where(change.where, "after"), draft.problems)
        _check_statement(written, change, size, draft.problems)
        _add(draft, {"Update": update}, self._kept_slot("Update", number, key, guarded), size)
        draft.lower_bound = True

    def _delete_record(self, number: int, change: Change, key: Key, draft: Draft) -> None:
        guarded = tuple(dict.fromkeys(name for rule in self.rules for name in rule.constraint.guarded))
        guards = _presences(guarded, change, draft.problems)
        written = self._statement((), (), guards)
        values = dict(zip(written.guards, _expected(guards, change.before.values), strict=True))
        delete = _keyed(self.design.table, key.wire, written, values)
        size = key.size + change.before.size
        _check_statement(written, change, size, draft.problems)
        _add(draft, {"Delete": delete}, self._kept_slot("Delete", number, key, guarded), size)
        draft.lower_bound = True

    def _statement(
        self, sets: tuple[str, ...], removes: tuple[str, ...], guards: tuple[Presence, ...]
    ) -> Statement:
        key_name = self.design.record.schema.partition.name
        return statement(key_name, self.design.alias, True, sets, removes, guards)

    def _kept_slot(self, action: str, number: int, key: Key, guarded: tuple[str, ...]) -> Slot:
        guard = "exists-and-unchanged" if guarded else "exists"
        failure = "missing-or-changed" if guarded else "missing"
        return Slot(action, "record", number, self.design.table, key.wire, None, guarded, guard, failure)

    def _guarded(self, after: Iterable[str]) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(name for rule in self._touched(after) for name in rule.constraint.guarded)
        )

    def _touched(self, after: Iterable[str]) -> Sequence[Rule]:
        """The rules that a change of the attributes ``after`` touches, in the design's order."""
        touching = self._touching
        found = {rule.index: rule for name in after if name in touching for rule in touching[name]}
        return [found[index] for index in sorted(found)]

    # Locks

    def _locks(self, changes: Sequence[Change], record_keys: Sequence[Key] | None, draft: Draft) -> None:
        before: Holds = {}
        after: Holds = {}
        for number, change in enumerate(changes):
            self._hold(number, change, before, after, draft)
        acting, resting = locks.moves(before, after, self.design.owner is not None)
        for move in acting:
            namespace, text = move.lock
            key = self.lock_keys[namespace].key(text)
            if isinstance(key, KeyFault):
                _refuse_key(key, move, changes[move.hold.change], draft.problems)
            elif record_keys is not None:
                self._act(move, key, record_keys, draft)
        for move in resting:
            self._rest(move, draft)

    def _hold(self, number: int, change: Change, before: Holds, after: Holds, draft: Draft) -> None:
        rules = self.rules if change.operation != "change" else self._touched(change.after.values)
        if change.operation != "create":
            where = Where(change.where, "before")
            for rule in rules:
                _hold_before(number, rule, change.before.values, before, where, draft.problems)
        if change.operation != "delete":
            where = Where(change.where, change.image_member)
            known = {**change.before.values, **change.after.values}
            for rule in rules:
                _hold_after(number, rule, known, change, after, where, draft)

    def _act(self, move: Move, key: Key, record_keys: Sequence[Key], draft: Draft) -> None:
        hold = move.hold
        owner = record_keys[hold.change]
        owned = self.design.owner is not None
        match move.purpose:
            case "claim":
                action, guard, failure = self._claim_action(key, owner), "not-exists", "taken"
            case "release":
                guard = "ours-or-gone" if owned else "none"
                action, failure = self._release_action(key, owner), "held-by-another"
            case _:
                assert move.previous is not None
                action = self._transfer_action(key, owner, record_keys[move.previous.change])
                guard, failure = "owner-is", "held-by-another"
        (verb,) = action
        table = self.design.lock.table
        slot = Slot(verb, move.purpose, hold.change, table, key.wire, move.lock[0], hold.fields, guard, failure)
        size = key.size + (self._owner_size(owner) if owned else 0)
        _add(draft, action, slot, size)

    def _claim_action(self, key: Key, owner: Key) -> dict[str, Any]:
        item = key.wire if self.design.owner is None else {**key.wire, self.design.owner: {"M": owner.wire}}
        return {"Put": _put(self.design.lock.table, item, self._claim, None)}

    def _release_action(self, key: Key, owner: Key) -> dict[str, Any]:
        delete: dict[str, Any] = {"TableName": self.design.lock.table, "Key": key.wire}
        if self._release is not None:
            _condition(delete, self._release, {self._release.guards[0]: {"M": owner.wire}})
        return {"Delete": delete}

    def _transfer_action(self, key: Key, owner: Key, previous: Key) -> dict[str, Any]:
        assert self._transfer is not None
        values = {self._transfer.sets[0]: {"M": owner.wire}, self._transfer.guards[0]: {"M": previous.wire}}
        return {"Update": _keyed(self.design.lock.table, key.wire, self._transfer, values)}

    def _owner_size(self, owner: Key) -> int:
        """Bytes of the stored owner: its name, a map, and one byte more for each of its members."""
        assert self.design.owner is not None
        return len(self.design.owner.encode()) + 3 + owner.size + len(owner.wire)

    def _rest(self, move: Move, draft: Draft) -> None:
        namespace, text = move.lock
        key = self.lock_keys[namespace].key(text)
        if isinstance(key, Key):
            hold = move.hold
            table = self.design.lock.table
            draft.resting.append(Resting(move.purpose, hold.change, table, key.wire, namespace, hold.fields))


def _touching(rules: Iterable[Rule]) -> Mapping[str, tuple[Rule, ...]]:
    """For each attribute the rules that naming it touches: its own, and those of one namespace."""
    found: dict[str, list[Rule]] = {}
    rules = tuple(rules)
    for rule in rules:
        shared = [other for other in rules if other.namespace == rule.namespace]
        for name in rule.constraint.guarded:
            found.setdefault(name, []).extend(shared)
    return {name: tuple(dict.fromkeys(touched)) for name, touched in found.items()}


def _release_statement(design: Design) -> Statement | None:
    """``attribute_not_exists(PK) OR owner = :owner``, where locks store their owner."""
    if design.owner is None:
        return None
    aliases = Aliases(design.alias)
    gone = f"attribute_not_exists({aliases.name(design.lock.schema.partition.name)})"
    name, token = aliases.name(design.owner), aliases.value(design.owner, {})
    return Statement(None, f"{gone} OR {name} = {token}", aliases.names or None, (), (token,))


def _transfer_statement(design: Design) -> Statement | None:
    """``SET owner = :owner`` under ``owner = :owner_before``, where locks store their owner."""
    if design.owner is None:
        return None
    aliases = Aliases(design.alias)
    name = aliases.name(design.owner)
    new, old = aliases.value(design.owner, {}), aliases.value(design.owner, {}, "_before")
    return Statement(f"SET {name} = {new}", f"{name} = {old}", aliases.names or None, (new,), (old,))


def _join_part(
    name: str, parts: dict[str, Part], image: tuple[str, Image], where: Where, problems: Problems
) -> None:
    """Fill a key part from an attribute of the same name, or note that the two differ."""
    member, known = image
    if name not in known.values:
        return
    part = key_part_from(name, (image,), where, problems)
    if part is None and known.values[name] is not None:
        return
    given = parts.get(name)
    if given is None and part is not None:
        parts[name] = part
    elif given != part and not (part is None and member == "before"):
        problems.add("key-part-differs", Where(Where(where, member), name).pointer(), name=excerpt(name))


def _presences(guarded: tuple[str, ...], change: Change, problems: Problems) -> tuple[Presence, ...]:
    before = change.before.values
    for name in guarded:
        if name not in before:
            at = Where(Where(change.where, "before"), name).pointer()
            problems.add("before-unknown", at, name=excerpt(name))
    return tuple(Presence(name, before.get(name) is None) for name in guarded)


def _expected(guards: Iterable[Presence], before: Mapping[str, Value | None]) -> list[Wire]:
    return [value.wire for name, absent in guards if not absent and (value := before[name])]


def _surviving(before: Image, after: Mapping[str, Value | None]) -> int:
    """Bytes of the known attributes that a change leaves as they are."""
    return sum(
        len(name.encode()) + value.size
        for name, value in before.values.items()
        if value is not None and name not in after
    )


def _put(table: str, item: Wire, written: Statement, values: Wire | None) -> dict[str, Any]:
    action: dict[str, Any] = {"TableName": table, "Item": item}
    _condition(action, written, values)
    return action


def _keyed(table: str, key: Wire, written: Statement, values: Wire) -> dict[str, Any]:
    action: dict[str, Any] = {"TableName": table, "Key": key}
    if written.update is not None:
        action["UpdateExpression"] = written.update
    _condition(action, written, values)
    return action


def _condition(action: dict[str, Any], written: Statement, values: Wire | None) -> None:
    action["ConditionExpression"] = written.condition
    if written.names:
        action["ExpressionAttributeNames"] = written.names
    if values:
        action["ExpressionAttributeValues"] = values


def _add(draft: Draft, action: dict[str, Any], slot: Slot, size: int) -> None:
    draft.actions.append(action)
    draft.slots.append(slot)
    draft.sizes.append(size)


def _check_item(size: int, where: Where, problems: Problems) -> None:
    if size > ITEM_BYTES:
        problems.add("item-too-large", where.pointer(), count=size, limit=ITEM_BYTES)


def _check_statement(written: Statement, change: Change, size: int, problems: Problems) -> None:
    at = Where(change.where, "after" if change.operation == "change" else "before")
    if written.longest > EXPRESSION_BYTES:
        problems.add("expression-too-long", at.pointer(), count=written.longest, limit=EXPRESSION_BYTES)
    if size > VARIABLES_BYTES:
        problems.add("variables-too-large", at.pointer(), count=size, limit=VARIABLES_BYTES)


def _check_distinct(record_keys: Sequence[Key], changes: Sequence[Change], problems: Problems) -> None:
    seen: dict[str, int] = {}
    for number, key in enumerate(record_keys):
        first = seen.setdefault(repr(key.wire), number)
        if first != number:
            at = Where(changes[number].where, "key").pointer()
            problems.add("record-twice", at, one=first, other=number)


def _hold_before(
    number: int, rule: Rule, known: locks.Known, holds: Holds, where: Where, problems: Problems
) -> None:
    if not rule.single:
        locks.check_combinations(rule, known, where, problems)
    for other in locks.hold(number, rule, rule.texts(known), holds):
        at = Where(where, rule.attributes[0]).pointer()
        problems.add("held-twice", at, namespace=rule.namespace, one=other, other=number)


def _hold_after(
    number: int, rule: Rule, known: locks.Known, change: Change, holds: Holds, where: Where, draft: Draft
) -> None:
    texts = rule.texts(known)
    if not (rule.single and texts and _is_plain(known.get(rule.single))):
        _look_closer(rule, known, change, where, draft)
    for other in locks.hold(number, rule, texts, holds):
        at = Where(where, rule.attributes[0]).pointer()
        draft.problems.add("claimed-twice", at, namespace=rule.namespace, one=other, other=number)


def _is_plain(value: Value | None) -> bool:
    """Whether a protected value is a string of visible ASCII, of which nothing more can be said."""
    return value is not None and value.tag == "S" and locks.is_plain(value.wire["S"])


def _look_closer(rule: Rule, known: locks.Known, change: Change, where: Where, draft: Draft) -> None:
    """The checks that a plain string passes by its nature."""
    creating = change.operation == "create"
    named = [name for name in rule.attributes if creating or name in change.after.values]
    locks.check_after(rule, known, named, where, draft.problems)
    locks.check_combinations(rule, known, where, draft.problems)
    for name in named:
        value = known.get(name)
        if value is not None and value.tag in {"S", "SS"}:
            draft.warnings.extend(locks.suspicions(name, value, Where(where, name)))


def _refuse_key(fault: KeyFault, move: Move, change: Change, problems: Problems) -> None:
    member = "before" if move.purpose == "release" else change.image_member
    at = Where(Where(change.where, member), move.hold.fields[0]).pointer()
    problems.add("key-too-long", at, role=fault.role, count=fault.count, limit=fault.limit)


def _return_existing(actions: Iterable[dict[str, Any]]) -> None:
    for action in actions:
        (inner,) = action.values()
        if "ConditionExpression" in inner:
            inner[RETURN_EXISTING] = "ALL_OLD"


def _finished(draft: Draft, token: str | None, records: int) -> Plan:
    budget = budgets.budget_of(draft.sizes, draft.lower_bound)
    budgets.check(budget, records, "/changes", draft.problems)
    draft.problems.refuse()
    request: dict[str, Any] = {"TransactItems": draft.actions}
    if token is not None:
        request["ClientRequestToken"] = token
    return Plan(
        jsontext.write(request), tuple(draft.slots), tuple(draft.resting), budget, tuple(draft.warnings)
    )
