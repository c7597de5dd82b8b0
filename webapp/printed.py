"""What commands print for reading.

Rule: lines of text made from the core's values, and nothing that the core does not say. The reason:
page, API and command line must never disagree, and a person at a terminal reads from the top.
"""

from __future__ import annotations

from collections.abc import Iterator

from webapp.core import jsontext
from webapp.core.explain import Explanation, SlotFinding


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """What happened and what to do, then every field, then every failing slot with what it met."""
    yield explanation.message
    yield explanation.hint
    yield f"Send it again? {explanation.sending}"
    yield f"Tell the user: {explanation.tell_user}"
    for name, notes in explanation.fields.items():
        yield from (f"  {name}: {note.message}" for note in notes)
    for finding in explanation.slots:
        yield from _slot_lines(finding)


def _slot_lines(finding: SlotFinding) -> Iterator[str]:
    planned = finding.planned
    yield f"  slot {planned.slot}, {planned.place}: {finding.reason.code}: {finding.meaning}"
    if finding.existing:
        yield f"    the item that was met: {jsontext.pretty(finding.existing, width=10_000)}"
