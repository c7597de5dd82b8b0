"""What an explanation shows, on the page that explains and under the board of a run.

Rule: both pages show one view by one template, and it says what the core says. The reason: nobody
should read "taken" on one page and "try again" on another for the same error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from webapp.core.explain import Explanation, SlotFinding
from webapp.core.jsontext import pretty
from webapp.core.savedslots import PlannedSlot, key_text
from webapp.web.board import VERBS
from webapp.web.highlight import MOST_SHOWN, highlighted
from webapp.web.texts import lazy_gettext
from webapp.web.visible import spelled, visible

CHECKED = lazy_gettext("check")


@dataclass(frozen=True, slots=True)
class SlotView:
    """One slot: what it was to do, and, where it failed, its code, meaning, owner and item met."""

    slot: int
    tone: str
    verb: str
    key: str
    code: str = ""
    meaning: str = ""
    owner: str = ""
    existing: Markup = field(default_factory=Markup)

    @property
    def failed(self) -> bool:
        """Whether the transaction failed at this slot."""
        return self.code != ""


@dataclass(frozen=True, slots=True)
class FieldView:
    """What is the matter with one field."""

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
        message=spelled(explanation.message),
        hint=spelled(explanation.hint),
        tone=tone_of(explanation),
        error=visible(explanation.error),
        verdict=explanation.verdict,
        sending=spelled(explanation.sending),
        tell_user=spelled(explanation.tell_user),
        fields=tuple(
            FieldView(visible(name), tuple(dict.fromkeys(spelled(note.message) for note in notes)))
            for name, notes in explanation.fields.items()
        ),
        slots=tuple(_slot_view(slot, found) for slot in shown),
    )


def tone_of(explanation: Explanation) -> str:
    """``good`` for a success, ``unsure`` where waiting may help, else ``bad``."""
    if explanation.verdict == "committed":
        return "good"
    return "unsure" if explanation.retry else "bad"


def _slot_view(planned: PlannedSlot, found: Mapping[int, SlotFinding]) -> SlotView:
    verb, tone = _verb(planned), planned.action.lower()
    finding = found.get(planned.slot)
    if finding is None:
        return SlotView(planned.slot, tone, verb, visible(planned.place))
    return SlotView(
        planned.slot,
        tone,
        verb,
        visible(key_text(planned.key)),
        code=visible(finding.reason.code),
        meaning=spelled(finding.meaning),
        owner=visible(key_text(finding.owner or {})),
        existing=_item(finding.existing),
    )


def _verb(planned: PlannedSlot) -> str:
    if planned.action == "ConditionCheck":
        return str(CHECKED)
    return str(VERBS.get((planned.purpose, planned.action), planned.action.lower()))


def _item(item: Mapping[str, object] | None) -> Markup:
    """An item as highlighted JSON, the beginning of a very long one."""
    return highlighted(pretty(item)[:MOST_SHOWN]) if item else Markup()
