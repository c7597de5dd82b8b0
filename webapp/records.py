"""The record as it is: one item and the locks of its values, read by their keys.

Rule: every look is one consistent GetItem by a full key, never a Scan or a Query, and what it shows
was true when it was read and is guaranteed by nothing: only the guards of a transaction are. The
reason: an index or an eventually consistent read can show a lock that is gone, and a person who
trusts it plans against the past. (API reference, GetItem, "ConsistentRead".)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from webapp.core.documents import read_quietly
from webapp.core.failures.replay import same_value
from webapp.core.limits import ACTIONS
from webapp.core.planning.changes import Change
from webapp.core.planning.keys import Key
from webapp.core.planning.locks import Known, Rule
from webapp.core.planning.plan import Planner
from webapp.core.problems import Problems, Refused
from webapp.runs import Reader

Json = dict[str, Any]

MOST_LOOKED_AT = ACTIONS
"""A record with more locks could not be written in one transaction."""


class Lock(NamedTuple):
    """A lock that values need: its namespace, the attributes that need it, its typed key."""

    namespace: str
    fields: tuple[str, ...]
    key: Json


@dataclass(frozen=True, slots=True)
class LockFound:
    """A lock with what was found under its key.

    ``state`` is ``missing`` (nothing there), ``own`` (held by the record that was asked about),
    ``another`` (held by the record with the key ``owner``) or ``unsigned`` (there, and whose it is
    stands nowhere).
    """

    lock: Lock
    state: str
    owner: Json | None = None


@dataclass(frozen=True, slots=True)
class RecordFound:
    """A record as it is: its key, its attributes without the key (``None``: no such record).

    ``locks`` are those that its values need; ``unread`` is how many more there are.
    """

    key: Json
    attributes: Json | None
    locks: tuple[LockFound, ...] = ()
    unread: int = 0


def find_record(
    reader: Reader, planner: Planner, change: Change, secret: str | None
) -> RecordFound:
    """Read the record of a change and its locks, one consistent read each.

    Locks of namespaces that need a secret are left out where there is none. Raises ``Refused``
    where the change makes no key, and ``Unavailable``.
    """
    problems = Problems()
    key = planner.record_keys.key(change, problems)
    if key is None:
        raise Refused(problems)
    item = reader.get(planner.design.table, key.wire)
    if item is None:
        return RecordFound(dict(key.wire), None)
    attributes = {name: value for name, value in item.items() if name not in key.wire}
    locks = locks_of(planner, attributes, secret)
    found = tuple(find_locks(reader, planner, islice(locks, MOST_LOOKED_AT), key.wire))
    return RecordFound(dict(key.wire), attributes, found, len(locks) - len(found))


def locks_of(planner: Planner, attributes: Mapping[str, object], secret: str | None) -> list[Lock]:
    """The locks that typed attributes need, each once, in the order of the rules.

    Values that cannot be protected need none, nor do rules without the secret that they use.
    """
    known = {name: read_quietly(value) for name, value in attributes.items()}
    rules = (rule for rule in planner.rules if secret or not rule.needs_secret)
    return list(_merged(lock for rule in rules for lock in rule_locks(planner, rule, known)))


def rule_locks(planner: Planner, rule: Rule, known: Known) -> Iterator[Lock]:
    """The locks that known values need under one rule; a value too long for a key needs none."""
    for text in rule.texts(known):
        key = planner.lock_keys[rule.namespace].key(text)
        if isinstance(key, Key):
            yield Lock(rule.namespace, rule.attributes, dict(key.wire))


def find_locks(
    reader: Reader, planner: Planner, locks: Iterable[Lock], asker: Mapping[str, Any] | None
) -> Iterator[LockFound]:
    """Read locks, one consistent read each; ``asker`` is the key of the record that asks, if any.

    Raises ``Unavailable``.
    """
    for lock in locks:
        item = reader.get(planner.design.lock.table, lock.key)
        yield _found(lock, item, planner.design.owner, asker)


def _found(
    lock: Lock, item: Json | None, owner: str | None, asker: Mapping[str, Any] | None
) -> LockFound:
    if item is None:
        return LockFound(lock, "missing")
    holder = item.get(owner) if owner is not None else None
    if not (isinstance(holder, dict) and isinstance(holder.get("M"), dict)):
        return LockFound(lock, "unsigned")
    own = asker is not None and same_value(holder, {"M": asker})
    return LockFound(lock, "own" if own else "another", holder["M"])


def _merged(locks: Iterable[Lock]) -> Iterable[Lock]:
    """One lock that several attributes need is one lock with all of them."""
    merged: dict[str, Lock] = {}
    for lock in locks:
        first = merged.setdefault(repr(lock.key), lock)
        fields = tuple(dict.fromkeys(first.fields + lock.fields))
        merged[repr(lock.key)] = first._replace(fields=fields)
    return merged.values()
