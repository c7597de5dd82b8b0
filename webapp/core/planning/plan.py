"""From a change set to a plan: the guarded actions of one TransactWriteItems, slot by slot.

Rule: record actions first, in the order of the changes, then lock actions in order of change,
constraint, claim before release; every action under its guard; the same input gives the same
bytes. The reason: reasons of a cancelled transaction are read by position, and a plan that was
saved must be sent again byte for byte. Source: API reference, TransactWriteItems.

A ``Planner`` is a design made ready once for all its plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from webapp.core import jsontext
from webapp.core.limits import ACTIONS, TOKEN_CHARACTERS, TRANSACTION_BYTES
from webapp.core.planning import budget as budgets
from webapp.core.planning import locks
from webapp.core.planning.budget import Budget
from webapp.core.planning.changes import Change
from webapp.core.planning.design import Design
from webapp.core.planning.draft import Draft
from webapp.core.planning.keys import Key, KeyFault
from webapp.core.planning.lockactions import LockActions
from webapp.core.planning.lockkeys import LockKeys
from webapp.core.planning.locks import LARGEST_COMBINATION, Holds, Known, Move, Rule
from webapp.core.planning.recordactions import RecordActions, Touched
from webapp.core.planning.recordkeys import RecordKeys
from webapp.core.planning.slots import Resting, Slot, SlotFields
from webapp.core.problems import Problem, Problems, Refused, Text, beyond, register
from webapp.core.values import ROOT, Value, Where, string_size

register(
    {
        "record-twice": Text(
            "Change {one} and change {other} are of one record.",
            "Make them one change: DynamoDB refuses two actions on one item.",
        ),
        "token-length": Text(
            "The token has {count} characters; DynamoDB takes 1 to {limit}.",
            "Use a UUID, for example.",
        ),
    }
)

RETURN_EXISTING = "ReturnValuesOnConditionCheckFailure"


class Plan(NamedTuple):
    """A transaction that can be trusted. ``text`` is the request's one canonical JSON text.

    ``sizes`` are the bytes of the items by slot; ``resting`` are the locks that stay as they are.
    """

    text: bytes
    slot_fields: Sequence[SlotFields]
    resting: Sequence[Resting]
    sizes: Sequence[int]
    lower_bound: bool
    warnings: Sequence[Problem]

    @property
    def request(self) -> dict[str, Any]:
        """The request as TransactWriteItems takes it, a fresh dict at each call."""
        found: dict[str, Any] = jsontext.parsed(self.text)
        return found

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, at the positions of their actions."""
        return tuple(map(Slot._make, self.slot_fields))

    @property
    def budget(self) -> Budget:
        """What the plan costs."""
        return budgets.budget_of(self.sizes, self.lower_bound)

    def pretty(self) -> str:
        """The request as JSON for reading."""
        return jsontext.pretty(self.request)

    def as_document(self) -> dict[str, Any]:
        """The plan as the contract's JSON object."""
        return self._document(self.request)

    def document_text(self) -> bytes:
        """The JSON text of ``as_document``, in which the request stands with its own bytes."""
        return jsontext.write(self._document(jsontext.verbatim(self.text)))

    def _document(self, request: object) -> dict[str, Any]:
        return {
            "request": request,
            "slots": [slot.as_document(number) for number, slot in enumerate(self.slots)],
            "kept": [lock.as_document() for lock in self.resting],
            "budget": self.budget.as_document(),
            "warnings": [warning.as_document() for warning in self.warnings],
        }


class Planner:
    """A design, ready to plan.

    ``secret`` is the key of hmac-sha256 digests; it never becomes part of a plan.
    """

    def __init__(self, design: Design, secret: str | None = None) -> None:
        self.design = design
        self.rules = tuple(Rule(constraint, secret) for constraint in design.unique)
        self.record_keys = RecordKeys(design.record)
        self.lock_keys = {
            rule.namespace: LockKeys(design.lock, rule.namespace) for rule in self.rules
        }
        self._records = RecordActions(design, self.rules)
        self._locks = LockActions(design)
        self._owned = design.owner is not None
        self._shared = locks.shared(self.rules)
        self._secretless = () if secret else tuple(rule for rule in self.rules if rule.needs_secret)

    def plan(
        self,
        changes: Sequence[Change],
        token: str | None = None,
        return_existing: bool = False,
        earlier: Sequence[Problem] = (),
    ) -> Plan:
        """The plan of a change set, or ``Refused`` with everything that forbids it.

        ``token`` becomes the ClientRequestToken (1 to 36 characters); ``return_existing`` asks the
        service for the item that makes a guard fail; ``earlier`` are problems that were found when
        the changes were read.
        """
        draft = Draft(self.design.warnings, changes)
        before: Holds = {}
        after: Holds = {}
        record_keys: list[Key] = []
        for number, change in enumerate(changes):
            touched = self._touched(change)
            self._records.check(change, touched, draft.problems)
            key = self.record_keys.key(change, draft.problems)
            if key is not None:
                record_keys.append(key)
                self._records.add(number, change, touched, key, draft)
            self._hold(number, change, touched.rules, before, after, draft)
            if len(touched.rules) < len(self.rules):
                self._rest_untouched(number, change, touched.rules, draft)
            if self._shared:
                _check_types(self._shared, change, draft.problems)
        self._move_locks(changes, record_keys, before, after, draft)
        self._check_call(changes, record_keys, token, draft)
        if draft.problems or earlier:
            raise Refused((*earlier, *beyond(earlier, draft.problems)))
        if return_existing:
            _return_existing(draft.actions)
        return _finished(draft, token)

    def _hold(
        self,
        number: int,
        change: Change,
        rules: Sequence[Rule],
        before: Holds,
        after: Holds,
        draft: Draft,
    ) -> None:
        """Find the locks that a record holds before and after, and what forbids them."""
        if change.operation != "create":
            for rule in rules:
                self._hold_before(number, rule, change, before, draft)
        if change.operation == "delete":
            return
        known = {**change.before.values, **change.after.values}
        for rule in rules:
            texts = rule.texts(known)
            if not (rule.single and texts and _is_plain(known.get(rule.single))):
                _look_closer(rule, known, change, draft)
            for other in locks.hold(number, rule, texts, after):
                between = (other, number)
                _contradiction("claimed-twice", rule, change, change.image_member, between, draft)
            if len(after) > LARGEST_COMBINATION:
                _refuse_count(rule, change, len(after), draft.problems)

    def _hold_before(
        self, number: int, rule: Rule, change: Change, before: Holds, draft: Draft
    ) -> None:
        known = change.before.values
        if not (rule.single and _is_plain(known.get(rule.single))):
            where = Where(change.where, "before")
            locks.check_combinations(rule, known, where, draft.problems)
        can_exist = self.lock_keys[rule.namespace].can_exist
        for other in locks.hold(number, rule, rule.texts(known), before, can_exist):
            _contradiction("held-twice", rule, change, "before", (other, number), draft)
        if len(before) > LARGEST_COMBINATION:
            _refuse_count(rule, change, len(before), draft.problems)

    def _touched(self, change: Change) -> Touched:
        if change.operation == "change":
            return self._records.touched(change.after.values)
        return self._records.everything

    def _move_locks(
        self,
        changes: Sequence[Change],
        record_keys: Sequence[Key],
        before: Holds,
        after: Holds,
        draft: Draft,
    ) -> None:
        acting, resting = locks.moves(before, after, self._owned)
        whole = len(record_keys) == len(changes)
        for move in acting:
            key = self._key(move, changes, draft.problems)
            if key is not None and whole:
                self._locks.add(move, key, record_keys, draft)
        for move in resting:
            key = self._key(move, changes, draft.problems)
            if key is not None:
                self._locks.rest(move, key, draft)

    def _rest_untouched(
        self, number: int, change: Change, touched: Sequence[Rule], draft: Draft
    ) -> None:
        """Note the locks, as far as they are known, of constraints that the change leaves alone."""
        holds: Holds = {}
        moved = {rule.index for rule in touched}
        for rule in self.rules:
            if rule.index not in moved:
                locks.hold(number, rule, rule.texts(change.before.values), holds)
        for move in locks.moves(holds, holds, self._owned)[1]:
            key = self.lock_keys[move.lock[0]].key(move.lock[1])
            if isinstance(key, Key):
                self._locks.rest(move, key, draft)

    def _key(self, move: Move, changes: Sequence[Change], problems: Problems) -> Key | None:
        """The key of a lock; ``None`` where it would be too long to exist.

        A change may not write such a value. A record that has one already holds no lock for it,
        so that there is nothing to release or to keep.
        """
        namespace, text = move.lock
        key = self.lock_keys[namespace].key(text)
        if isinstance(key, Key):
            return key
        change = changes[move.change]
        written = not change.after.values.keys().isdisjoint(move.fields)
        if move.purpose == "claim" or (written and not move.releasing):
            _refuse_key(key, move, change, problems)
        return None

    def _check_call(
        self, changes: Sequence[Change], record_keys: Sequence[Key], token: str | None, draft: Draft
    ) -> None:
        problems = draft.problems
        if token is not None and not 1 <= len(token) <= TOKEN_CHARACTERS:
            problems.add("token-length", "/token", count=len(token), limit=TOKEN_CHARACTERS)
        if token is not None:
            string_size(token, Where(ROOT, "token"), problems)
        for rule in self._secretless:
            problems.add("secret-missing", "/secret", namespace=rule.namespace)
        if 1 < len(changes) == len(record_keys):
            _check_distinct(record_keys, changes, problems)
        if len(draft.sizes) > ACTIONS or sum(draft.sizes) > TRANSACTION_BYTES:
            budgets.check(draft.sizes, len(changes), "/changes", problems)


def _refuse_count(rule: Rule, change: Change, count: int, problems: Problems) -> None:
    """Refuse at once a change set with more locks than are looked at one by one."""
    at = Where(change.where, "before" if change.operation == "delete" else change.image_member)
    params = {"namespace": rule.namespace, "count": count, "limit": LARGEST_COMBINATION}
    problems.add("locks-too-many", Where(at, rule.attributes[0]).pointer(), **params)
    problems.refuse()


def _check_types(groups: Sequence[Sequence[Rule]], change: Change, problems: Problems) -> None:
    """Constraints of one namespace share its locks, so their values must have one type."""
    known = {**change.before.values, **change.after.values}
    for group in groups:
        for tag, other, name in locks.mixed_types(group, known, change.after.values):
            at = Where(Where(change.where, change.image_member), name).pointer()
            problems.add("types-mixed", at, namespace=group[0].namespace, tag=tag, other=other)


def _contradiction(
    code: str, rule: Rule, change: Change, member: str, between: tuple[int, int], draft: Draft
) -> None:
    at = _place(change, rule.attributes[0], member).pointer()
    one, other = (draft.changes[number].where.token for number in between)
    draft.problems.add(code, at, namespace=rule.namespace, one=one, other=other)


def _place(change: Change, name: str, member: str) -> Where:
    """Where an attribute stands: in ``before`` when the member after it leaves it as it was."""
    kept = name in change.before.values and name not in change.after.values
    return Where(Where(change.where, "before" if kept else member), name)


def _is_plain(value: Value | None) -> bool:
    """Whether a protected value is a string of visible ASCII, of which nothing more can be said."""
    return value is not None and value.tag == "S" and locks.is_plain(value.wire["S"])


def _look_closer(rule: Rule, known: Known, change: Change, draft: Draft) -> None:
    """The checks that a plain string passes by its nature."""
    where = Where(change.where, change.image_member)
    creating = change.operation == "create"
    named = [name for name in rule.attributes if creating or name in change.after.values]
    locks.check_after(rule, known, named, where, draft.problems)
    locks.check_combinations(rule, known, where, draft.problems)
    for name in named:
        value = known.get(name)
        if value is not None and value.tag in {"S", "SS"}:
            draft.warnings.extend(locks.suspicions(name, value, Where(where, name)))


def _refuse_key(fault: KeyFault, move: Move, change: Change, problems: Problems) -> None:
    at = _place(change, move.fields[0], change.image_member).pointer()
    problems.add("key-too-long", at, role=fault.role, count=fault.size, limit=fault.limit)


def _check_distinct(
    record_keys: Sequence[Key], changes: Sequence[Change], problems: Problems
) -> None:
    seen: dict[str, int] = {}
    for number, key in enumerate(record_keys):
        first = seen.setdefault(repr(key.wire), number)
        if first != number:
            one, other = changes[first].where, changes[number].where
            at = Where(other, "key").pointer()
            problems.add("record-twice", at, one=one.token, other=other.token)


def _return_existing(actions: Iterable[dict[str, Any]]) -> None:
    for action in actions:
        (inner,) = action.values()
        if "ConditionExpression" in inner:
            inner[RETURN_EXISTING] = "ALL_OLD"


def _finished(draft: Draft, token: str | None) -> Plan:
    request: dict[str, Any] = {"TransactItems": draft.actions}
    if token is not None:
        request["ClientRequestToken"] = token
    text = jsontext.write(request)
    return Plan(text, draft.slots, draft.resting, draft.sizes, draft.lower_bound, draft.warnings)
