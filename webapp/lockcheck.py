"""Are these values free? A look at the locks that they would need.

Rule: per constraint the locks of the values are read by their keys, consistently, one read each,
and what is told is how they stood then; only the guards of a transaction keep it so. The reason: a
form may want to say "taken" early, and must neither scan a table for it nor believe it later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from webapp.core import shapes
from webapp.core.planning import changes, design
from webapp.core.planning.locks import Rule
from webapp.core.planning.plan import Planner
from webapp.core.problems import Problems, Text, register
from webapp.core.shapes import Given
from webapp.core.values import ROOT, Value, Where
from webapp.records import MOST_LOOKED_AT, Lock, LockFound, find_locks, rule_locks
from webapp.runs import Reader

register(
    {
        "locks-to-read": Text(
            "These values need {count:,} locks; at most {limit} are read at once.",
            "Ask about fewer members of a set.",
        ),
    }
)

Json = dict[str, Any]


class LockCheckShape(shapes.Shape):
    """A design with the attribute values that are asked about, in ``item``."""

    design: Given
    item: dict[str, Any]
    values: Literal["typed", "plain"] = "typed"
    secret: str | None = None


@dataclass(frozen=True, slots=True)
class LockCheck:
    """The locks that are asked about, by rule."""

    planner: Planner
    wanted: tuple[tuple[Rule, tuple[Lock, ...]], ...]

    def carry_out(self, reader: Reader) -> Json:
        """Read every lock once and tell how each constraint stands. Raises ``Unavailable``."""
        return {"constraints": [self._constraint(reader, *wanted) for wanted in self.wanted]}

    def _constraint(self, reader: Reader, rule: Rule, locks: tuple[Lock, ...]) -> Json:
        found = [self._found(lock) for lock in find_locks(reader, self.planner, locks, None)]
        states = {lock["state"] for lock in found}
        return {
            "constraint": rule.namespace,
            "attributes": list(rule.attributes),
            "state": "held" if "held" in states else "free" if states else "no-lock",
            "locks": found,
        }

    def _found(self, found: LockFound) -> Json:
        return {
            "table": self.planner.design.lock.table,
            "key": found.lock.key,
            "state": "free" if found.state == "missing" else "held",
            "owner": found.owner,
        }


def read_lock_check(
    document: object, problems: Problems, *, secret: str | None = None
) -> LockCheck | None:
    """The check that a document asks for, or ``None`` with all its problems noted."""
    shape = shapes.check(LockCheckShape, document, "", problems)
    if shape is None:
        return None
    read = design.read_design(shape.design, Where(ROOT, "design"), problems)
    known = _known(shape, problems)
    if read is None:
        return None
    secret = shape.secret or secret
    planner = Planner(read, secret)
    for rule in planner.rules:
        if rule.needs_secret and not secret:
            problems.add("secret-missing", "/secret", namespace=rule.namespace)
    wanted = tuple((rule, tuple(rule_locks(planner, rule, known))) for rule in planner.rules)
    count = sum(len(locks) for _, locks in wanted)
    if count > MOST_LOOKED_AT:
        problems.add("locks-to-read", "/item", count=count, limit=MOST_LOOKED_AT)
    return None if problems else LockCheck(planner, wanted)


def _known(shape: LockCheckShape, problems: Problems) -> Mapping[str, Value | None]:
    read = changes.READERS[shape.values]
    at = Where(ROOT, "item")
    return {name: read(value, Where(at, name), problems) for name, value in shape.item.items()}
