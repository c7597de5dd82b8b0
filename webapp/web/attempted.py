"""One attempt of a sending in words.

Rule: an attempt is told by what its own answer says, and by the pause before the next. The reason:
"try again" is only honest where one can see what was tried.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.answers import Committed, Rejected
from webapp.attempts import Attempt
from webapp.web.texts import gettext, say_trouble


@dataclass(frozen=True, slots=True)
class AttemptView:
    """The number of an attempt, what its answer was, and what happens next ("" for nothing)."""

    number: int
    said: str
    next: str


def attempt_view(attempt: Attempt) -> AttemptView:
    """The view of an attempt that has ended."""
    if attempt.pause is None:
        return AttemptView(attempt.number, _said(attempt), "")
    pause = gettext("again in %(seconds)s s", seconds=f"{attempt.pause:.1f}")
    return AttemptView(attempt.number, _said(attempt), pause)


def _said(attempt: Attempt) -> str:
    match attempt.answer:
        case Committed():
            return gettext("written")
        case Rejected(trouble=None) as rejected:
            return _codes(rejected)
        case answer:
            assert answer.trouble is not None
            return say_trouble(answer.trouble).message


def _codes(rejected: Rejected) -> str:
    """The service's own codes: those of the slots where there are any."""
    codes = dict.fromkeys(str(reason.get("Code")) for reason in rejected.reasons)
    codes.pop("None", None)
    return ", ".join(codes) or rejected.code
