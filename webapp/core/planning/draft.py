"""A plan in the making: actions, slots and item sizes at equal positions.

Rule: an action is added together with its slot and its size, once, in slot order; nothing is
regrouped afterwards. The reason: the service answers by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from webapp.core.planning.changes import Change
from webapp.core.planning.slots import Resting, SlotFields
from webapp.core.problems import Problem, Problems


class Draft:
    """Collects what becomes a plan.

    ``lower_bound`` says that a stored item's size is not known; ``changes`` are what it comes from.
    """

    __slots__ = (
        "actions",
        "changes",
        "lower_bound",
        "problems",
        "resting",
        "sizes",
        "slots",
        "warnings",
    )

    def __init__(self, warnings: Iterable[Problem], changes: Sequence[Change]) -> None:
        self.actions: list[dict[str, Any]] = []
        self.slots: list[SlotFields] = []
        self.sizes: list[int] = []
        self.resting: list[Resting] = []
        self.lower_bound = False
        self.changes = changes
        self.problems = Problems()
        self.warnings: list[Problem] = list(warnings)

    def add(self, verb: str, action: dict[str, Any], slot: SlotFields, size: int) -> None:
        """Add one action (``action`` stands under its ``verb``) of an item of ``size`` bytes."""
        self.actions.append({verb: action})
        self.slots.append(slot)
        self.sizes.append(size)
