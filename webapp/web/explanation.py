"""What an explanation shows, on the page that explains and under the board of a run.

Rule: both pages show one view by one template, and it says what the core says. The reason: nobody
should read "taken" on one page and "try again" on another for the same error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.core.failures.explain import Explanation, SlotFinding, told_once
from webapp.core.failures.savedslots import PlannedSlot, key_text
from webapp.web.board import VERBS
from webapp.web.finding import Finding, finding_view
from webapp.web.texts import lazy_gettext, tell
from webapp.web.visible import spelled, visible

CHECKED = lazy_gettext("check")


@dataclass(frozen=True, slots=True)
class SlotView:
    """One slot: what was to be done to which key, and, where it failed, why."""

    slot: int
    tone: str
    verb: str
    key: str
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class FieldView:
    """What is the matter with one field, or with several alike: their names, the messages."""

    name: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """What happened, what to do next, what to tell whom, and why, by field and by slot."""

    message: str
    hint: str
    tone: str
    error: str
    verdict: str
    sending: str
    tell_user: str
    fields: tuple[FieldView, ...]
    slots: tuple[SlotView, ...]


def explanation_view(
    explanation: Explanation, planned: Sequence[PlannedSlot] = ()
) -> ExplanationView:
    """The view of an explanation; ``planned`` are slots to show even where they did not fail."""
    found = {finding.planned.slot: finding for finding in explanation.slots}
    shown = planned if found and planned else [finding.planned for finding in explanation.slots]
    return ExplanationView(
        message=spelled(tell(explanation.message)),
        hint=spelled(tell(explanation.hint)),
        tone=tone_of(explanation),
        error=visible(explanation.error),
        verdict=explanation.verdict,
        sending=spelled(tell(explanation.sending)),
        tell_user=spelled(tell(explanation.tell_user)),
        fields=tuple(
            FieldView(", ".join(map(visible, names)), tuple(map(spelled, messages)))
            for names, messages in told_once(
                {
                    name: [tell(n.message) for n in notes]
                    for name, notes in explanation.fields.items()
                }
            )
        ),
        slots=tuple(_slot_view(slot, found) for slot in shown),
    )


def tone_of(explanation: Explanation) -> str:
    """``good`` for a success, ``unsure`` where waiting may help, else ``bad``."""
    if explanation.verdict == "committed":
        return "good"
    return "unsure" if explanation.retry else "bad"


def _slot_view(planned: PlannedSlot, found: Mapping[int, SlotFinding]) -> SlotView:
    finding = found.get(planned.slot)
    return SlotView(
        planned.slot,
        planned.action.lower(),
        _verb(planned),
        visible(key_text(planned.key)),
        finding_view(finding) if finding else None,
    )


def _verb(planned: PlannedSlot) -> str:
    if planned.action == "ConditionCheck":
        return str(CHECKED)
    return str(VERBS.get((planned.purpose, planned.action), planned.action.lower()))
