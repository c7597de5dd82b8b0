"""What is asked of ``explain``: an error, and the plan or the request that it answers.

Rule: an explanation is asked for by one document, the same for page, API and command line; the
error in it may be anything, everything else is checked. The reason: an error is what somebody else
said and can have any form, but a plan that is not one would silently explain nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core import documents, shapes
from webapp.core.failures.explain import Explanation, explain
from webapp.core.failures.purposes import slots_of_request
from webapp.core.failures.savedslots import PlannedSlot, planned_slots
from webapp.core.planning import design as designs
from webapp.core.planning.design import Design
from webapp.core.problems import Problem, Problems, Refused, Text, register
from webapp.core.values import ROOT, Where

register(
    {
        "explain-no-slots": Text(
            "This plan has neither “slots” nor actions that can be read.",
            "Give what “lockwright plan” or POST /api/v1/plan gave, or the plan request.",
        ),
        "explain-no-actions": Text(
            "No list of actions can be read from this request.",
            "Give the parameters of TransactWriteItems, or the list of its actions: each entry is "
            "one Put, Update, Delete or ConditionCheck.",
        ),
        "explain-both": Text(
            "Both a plan and a request are given.", "Give the one that the error answers."
        ),
    }
)


class ExplainShape(shapes.Shape):
    """The document of an explanation that is asked for."""

    error: Any
    plan: Any = None
    request: Any = None
    design: Any = None


@dataclass(frozen=True, slots=True)
class Question:
    """An error with the slots that it answers; ``None`` for an error alone."""

    error: object
    slots: Sequence[PlannedSlot] | None
    owner: str | None

    def explanation(self) -> Explanation:
        """What the error means for the slots. Never raises."""
        return explain(self.slots, self.error, self.owner)


def read_question(document: object, *, secret: str | None = None) -> Question:
    """The question that a document asks, or ``Refused`` with all its problems.

    ``plan`` is a plan, or the plan request that it was made from (``secret`` is the key of its
    hmac-sha256 digests), or only the plan's request, as the command ``plan`` prints it;
    ``request`` is what TransactWriteItems takes, or the list of its actions; a ``design`` makes
    certain what a request's actions are for.
    """
    problems = Problems()
    shape = shapes.check(ExplainShape, document, "", problems)
    if shape is None:
        raise Refused(problems)
    given = shape.design is not None
    design = designs.read_design(shape.design, Where(ROOT, "design"), problems) if given else None
    if shape.plan is not None and shape.request is not None:
        problems.add("explain-both", "/request")
    slots, owner = _slots(shape, design, secret, problems)
    problems.refuse()
    return Question(shape.error, slots, owner)


_Slots = tuple[Sequence[PlannedSlot] | None, str | None]


def _slots(
    shape: ExplainShape, design: Design | None, secret: str | None, problems: Problems
) -> _Slots:
    """The slots that are asked about, and the attribute in which their locks store the owner."""
    owner = design.owner if design else None
    if shape.plan is not None:
        return _slots_of_plan(shape.plan, design, secret, problems)
    if shape.request is None:
        return None, owner
    slots = slots_of_request(shape.request, design)
    if not slots:
        problems.add("explain-no-actions", "/request")
    return slots, owner


def _slots_of_plan(
    plan: object, design: Design | None, secret: str | None, problems: Problems
) -> _Slots:
    if isinstance(plan, dict) and "changes" in plan:
        return _slots_of_plan_request(plan, secret, problems)
    if isinstance(plan, dict) and "slots" in plan:
        slots = planned_slots(plan["slots"])
    else:
        slots = slots_of_request(plan, design)
    if not slots:
        problems.add("explain-no-slots", "/plan")
    return slots, design.owner if design else None


def _slots_of_plan_request(plan: object, secret: str | None, problems: Problems) -> _Slots:
    try:
        asked = documents.read_request(plan, secret=secret)
        return planned_slots(asked.plan().slots), asked.planner.design.owner
    except Refused as refused:
        problems.extend(_under("/plan", refused.problems))
        return None, None


def _under(at: str, problems: Sequence[Problem]) -> list[Problem]:
    """Problems of a document that stands in another one."""
    return [Problem(problem.code, at + problem.path, problem.params) for problem in problems]
