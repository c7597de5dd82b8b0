"""Why one slot failed, as it is shown: on the board of a run and on the page that explains.

Rule: DynamoDB's own code stands beside our words, and the item that was met beside its owner. The
reason: a person must be able to check what they are told.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.failures.explain import SlotFinding
from webapp.core.failures.savedslots import key_text
from webapp.core.jsontext import pretty
from webapp.web.highlight import MOST_SHOWN, highlighted
from webapp.web.texts import tell
from webapp.web.visible import spelled, visible


@dataclass(frozen=True, slots=True)
class Finding:
    """What the failure means, its code, who holds the value, and the item met as JSON ("")."""

    meaning: str
    code: str
    owner: str
    existing: Markup


def finding_view(finding: SlotFinding) -> Finding:
    """The view of a slot's finding; of a very long item only the beginning is shown."""
    item = finding.existing
    return Finding(
        spelled(tell(finding.meaning)),
        visible(finding.reason.code),
        visible(key_text(finding.owner or {})),
        highlighted(pretty(item)[:MOST_SHOWN]) if item else Markup(),
    )
