"""What a failed transaction means, said for the program, for its developer and for its user.

Rule: the reasons are read by slot, all failing slots at once, and only ``ConditionalCheckFailed``
means what the slot's guard says. A conflict or a throttled write is never "taken". Where the list
of reasons does not fit the plan the cause is not known: better no field than a wrong one. What
comes first, whether to send again and with which token is decided by one table.
(API reference, TransactWriteItems, "TransactionCanceledException" and "ClientRequestToken".)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.core.failures.causes import CAUSES, NOTES, PRECEDENCE, SENDS
from webapp.core.failures.errors import read_error
from webapp.core.failures.savedslots import (
    FAILED,
    PlannedSlot,
    key_text,
    owner_of,
    planned_slots,
    unplanned_slots,
)
from webapp.core.failures.serviceerror import (
    CANCELLED,
    CONDITION_FAILED,
    ERRORS,
    NO_REASON,
    REASONS,
    Reason,
    ServiceError,
)
from webapp.core.problems import excerpt, writable
from webapp.core.sayings import Saying, together

LONGEST_SAID = 500
"""So many characters of what the service said are told: the reason may stand at their end."""


@dataclass(frozen=True, slots=True)
class SlotFinding:
    """Why one slot failed: DynamoDB's ``reason``, our ``cause``, the item met and its owner."""

    planned: PlannedSlot
    reason: Reason
    cause: str
    owner: Mapping[str, object] | None = None
    itself: bool = False

    @property
    def existing(self) -> Mapping[str, object] | None:
        """The item that the condition met, as stored; only where the request asked for it."""
        return self.reason.item

    @property
    def meaning(self) -> str:
        """What the failure of this slot means, in English."""
        return self.planned.meaning(
            self._row(),
            owner=key_text(self.owner or {}),
            code=excerpt(self.reason.code),
            said=excerpt(self.reason.message or self.reason.code, LONGEST_SAID),
        )

    def _row(self) -> str:
        match self.cause:
            case "taken" if self.itself:
                return "taken-by-itself"
            case "taken" if self.owner:
                return "taken-by"
            case "held-by-another" if self.owner:
                return "held-by"
            case "missing-or-changed" if self.existing:
                return "changed"
            case _:
                return self.cause

    def as_document(self) -> dict[str, object]:
        """The finding as an entry of the contract's ``slots``, with what the plan says of it."""
        planned = self.planned
        return {
            "slot": planned.slot,
            "code": writable(self.reason.code),
            "meaning": self.meaning,
            "existing": self.existing,
            "cause": self.cause,
            "owner": self.owner,
            "action": planned.action,
            "purpose": planned.purpose,
            "change": planned.change,
            "table": planned.table,
            "key": planned.key,
            "constraint": planned.constraint,
            "fields": list(planned.fields),
        }


@dataclass(frozen=True, slots=True)
class FieldNote:
    """What is the matter with one field: ``code`` is a verdict, ``slot`` where it showed."""

    code: str
    message: str
    slot: int
    change: int | None

    def as_document(self) -> dict[str, object]:
        """The note as an entry of the contract's ``fields``."""
        return {
            "code": self.code,
            "message": self.message,
            "slot": self.slot,
            "change": self.change,
        }


def told_once(
    fields: Mapping[str, Iterable[str]],
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The names of fields and the messages that are about them.

    What is said of several fields alike, as of the parts of one key, is said once.
    """
    names: dict[tuple[str, ...], list[str]] = {}
    for name, messages in fields.items():
        names.setdefault(tuple(dict.fromkeys(messages)), []).append(name)
    return ((tuple(named), messages) for messages, named in names.items())


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an answer means; ``slots`` holds the failing slots, in order.

    ``cause`` is a row of ``CAUSES`` and decides verdict, retry and token; ``error`` is the name
    the service or the SDK gave, ``said`` its text, ``counts`` the numbers of reasons and actions.
    """

    cause: str
    error: str = ""
    said: str = ""
    slots: tuple[SlotFinding, ...] = ()
    counts: tuple[int, int] = (0, 0)

    @property
    def verdict(self) -> str:
        """The contract's verdict: what a person must act on first."""
        return CAUSES[self.cause].verdict

    @property
    def retry(self) -> bool:
        """Whether sending the same again can succeed."""
        return CAUSES[self.cause].retry

    @property
    def same_token(self) -> bool:
        """Whether the next sending keeps its token; a changed plan always gets a new one."""
        return CAUSES[self.cause].retry

    @property
    def sending(self) -> str:
        """Whether to send again, and with which token, in English."""
        return Saying(SENDS[CAUSES[self.cause].send])

    @property
    def fields(self) -> Mapping[str, tuple[FieldNote, ...]]:
        """Per field everything that was found, in the order of the slots."""
        notes: dict[str, tuple[FieldNote, ...]] = {}
        for finding in self.slots:
            planned = finding.planned
            verdict = CAUSES[finding.cause].verdict
            note = FieldNote(verdict, finding.meaning, planned.slot, planned.change)
            for name in planned.named_fields:
                notes[name] = (*notes.get(name, ()), note)
        return notes

    @property
    def message(self) -> str:
        """What happened, in English."""
        return Saying(CAUSES[self.cause].message, **self._params(self.cause))

    @property
    def hint(self) -> str:
        """What to do about it, in English."""
        texts = [CAUSES[self.cause].hint, *(NOTES[note] for note in self._notes())]
        return together([Saying(text, **self._params("")) for text in texts])

    @property
    def tell_user(self) -> str:
        """What to tell the end user, in English: everything the user has to put right."""
        lasting = [cause for cause in self._causes() if not CAUSES[cause].retry]
        told = [Saying(CAUSES[c].tell_user, **self._params(c)) for c in lasting or [self.cause]]
        return together(list(dict.fromkeys(told)))

    def _causes(self) -> list[str]:
        """The causes of the failing slots, in order of precedence."""
        return sorted({finding.cause for finding in self._foreign()}, key=PRECEDENCE.__getitem__)

    def _foreign(self) -> Sequence[SlotFinding]:
        """The findings without the values that the record itself holds, if any are left."""
        return [finding for finding in self.slots if not finding.itself] or self.slots

    def _transient(self) -> list[SlotFinding]:
        return [finding for finding in self.slots if CAUSES[finding.cause].retry]

    def _notes(self) -> list[str]:
        met_itself = any(finding.itself for finding in self.slots)
        mixed = not self.retry and bool(self._transient())
        return ["also-transient"] * mixed + ["perhaps-done"] * met_itself

    def _params(self, cause: str) -> dict[str, object]:
        """The parameters of a cause's texts: what its slots are about, and what was said."""
        alike = [finding for finding in self.slots if finding.cause == cause]
        foreign = [finding for finding in alike if not finding.itself]
        found = [finding.planned for finding in foreign or alike]
        return {
            "what": ", ".join(dict.fromkeys(planned.what for planned in found)),
            "slots": ", ".join(str(planned.slot) for planned in found),
            "transient": ", ".join(str(finding.planned.slot) for finding in self._transient()),
            "error": excerpt(self.error or self.said),
            "said": excerpt(self.said or self.error or "nothing was said", LONGEST_SAID),
            "reasons": self.counts[0],
            "actions": self.counts[1],
        }

    def as_document(self) -> dict[str, object]:
        """The explanation as the contract's JSON object."""
        return {
            "verdict": self.verdict,
            "retry": self.retry,
            "fields": {n: [note.as_document() for note in ns] for n, ns in self.fields.items()},
            "slots": [finding.as_document() for finding in self.slots],
            "same_token": self.same_token,
            "cause": self.cause,
            "error": excerpt(self.error),
            "message": self.message,
            "hint": self.hint,
            "tell_user": self.tell_user,
        }


def explain(slots: object, error: object, owner: str | None = None) -> Explanation:
    """Explain an answer to the transaction whose plan has these ``slots``. Never raises.

    ``slots`` is the ``slots`` list of a plan, as a document or as values; ``None`` if there is no
    plan: then failed conditions have no meaning. ``error`` is the answer in any form that
    ``errors.read_error`` knows. ``owner`` names the attribute in which locks store their owner
    (``lock.owner`` of the design); without it the one map that holds a key is taken for it.
    """
    answer = read_error(error)
    if answer.name == CANCELLED:
        return _cancelled(slots, answer, owner)
    return Explanation(_cause_of_answer(answer), answer.name, answer.message)


_STATUS_CAUSES: Final[Mapping[int, str]] = {
    200: "committed",
    403: "access-denied",
    408: "outcome-unknown",
    413: "invalid-request",
    429: "throttled",
    500: "outcome-unknown",
    502: "outcome-unknown",
    503: "outcome-unknown",
    504: "outcome-unknown",
}


def _cause_of_answer(answer: ServiceError) -> str:
    """The cause an answer's name stands for; without a name, its HTTP status."""
    if answer.name in ERRORS:
        return ERRORS[answer.name]
    if answer.name or (answer.status == 200 and answer.message):
        return "not-understood"
    return _STATUS_CAUSES.get(answer.status or 0, "not-understood")


def _cancelled(slots: object, answer: ServiceError, owner: str | None) -> Explanation:
    """Explain a cancelled transaction by its reasons, slot by slot."""
    reasons = answer.reasons or ()
    if all(reason.code == NO_REASON for reason in reasons):
        return Explanation("no-reasons", answer.name, answer.message)
    planned = planned_slots(slots) if slots is not None else unplanned_slots(len(reasons))
    if not _fits(planned, reasons):
        counts = (len(reasons), len(planned))
        return Explanation("reasons-do-not-fit", answer.name, answer.message, counts=counts)
    findings = _findings(planned, reasons, owner)
    first = min((finding.cause for finding in findings), key=PRECEDENCE.__getitem__)
    return Explanation(first, answer.name, answer.message, findings)


def _fits(planned: Sequence[PlannedSlot], reasons: Sequence[Reason]) -> bool:
    """Whether reasons can belong to a plan: one per slot, and only a guard's condition fails."""
    pairs = zip(planned, reasons, strict=False)
    return len(planned) == len(reasons) and all(
        slot.failure in FAILED for slot, reason in pairs if reason.code == CONDITION_FAILED
    )


def _findings(
    planned: Sequence[PlannedSlot], reasons: Sequence[Reason], owner: str | None
) -> tuple[SlotFinding, ...]:
    records = {slot.change: slot.key for slot in planned if slot.purpose == "record"}
    return tuple(
        _finding(slot, reason, owner, records.get(slot.change))
        for slot, reason in zip(planned, reasons, strict=True)
        if reason.code != NO_REASON
    )


def _finding(
    slot: PlannedSlot, reason: Reason, owner: str | None, record: Mapping[str, object] | None
) -> SlotFinding:
    cause = REASONS.get(reason.code, "unknown-reason")
    if reason.code == CONDITION_FAILED:
        cause = slot.failure or cause
    holder = owner_of(reason.item, owner) if reason.item and slot.purpose != "record" else None
    return SlotFinding(slot, reason, cause, holder, itself=bool(holder) and holder == record)
