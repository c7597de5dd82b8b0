"""Sending one request until its fate is certain, within bounds.

Rule: every attempt is the same request with the same token, and a request without a token is only
repeated when the service said that it wrote nothing. The reason: DynamoDB takes a token it has
seen in the last ten minutes as the same request, so repeating is safe with a token and may write
twice without one. An answer that comes too late never turns into "taken": doubt that an earlier
attempt left behind is carried along to the end.

Sources: AWS, "Amazon DynamoDB Transactions: How it works" (idempotency, conflicts) and the errors
of ``TransactWriteItems``. No client, clock or randomness is imported here; all three are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, assert_never

from webapp.answers import Answer, Committed, Rejected, Trouble, Unknown, Unreachable

IN_PROGRESS = "TransactionInProgressException"

# Nothing was written, and the same request may succeed a moment later.
BUSY_CODES = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
    }
)
BUSY_REASONS = frozenset(
    {"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}
)
_CONNECTION_TROUBLES = frozenset(
    {"aws-not-reached", "connection-refused", "connection-timeout", "proxy-failed"}
)


class Stop(Protocol):
    """What ends the waiting early: a ``threading.Event`` in earnest, a recorder in tests."""

    def is_set(self) -> bool:
        """Whether to stop."""
        ...  # pragma: no cover

    def wait(self, timeout: float) -> bool:
        """Wait up to ``timeout`` seconds; true when told to stop."""
        ...  # pragma: no cover


class Deadline:
    """A stop that comes by itself, ``seconds`` from now as ``clock`` counts them, if not before."""

    def __init__(self, stop: Stop, seconds: float, clock: Callable[[], float]) -> None:
        self._stop = stop
        self._clock = clock
        self._ends = clock() + seconds

    @property
    def is_past(self) -> bool:
        """Whether the time is over, whoever wants to stop or not."""
        return self._clock() >= self._ends

    def shorten(self, seconds: float) -> None:
        """Leave no more than ``seconds`` from now."""
        self._ends = min(self._ends, self._clock() + seconds)

    def is_set(self) -> bool:
        """Whether to stop."""
        return self._stop.is_set() or self.is_past

    def wait(self, timeout: float) -> bool:
        """Wait up to ``timeout`` seconds; true when told to stop, or when the time is over."""
        left = max(0.0, self._ends - self._clock())
        return self._stop.wait(min(timeout, left)) or self.is_past


@dataclass(frozen=True, slots=True)
class Policy:
    """How often and how patiently to repeat. ``jitter`` gives numbers from 0 up to 1."""

    jitter: Callable[[], float]
    attempts: int = 7
    first_pause: float = 0.1
    longest_pause: float = 3.0

    def pauses(self) -> Iterator[float]:
        """Seconds to wait after each attempt: doubled each time, half of it by chance."""
        pause = self.first_pause
        for _ in range(self.attempts):
            yield pause * (1 + self.jitter()) / 2
            pause = min(pause * 2, self.longest_pause)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt as it happened; ``pause`` is the wait before the next, ``None`` for the last."""

    number: int
    answer: Answer
    pause: float | None


def send_until_certain(
    once: Callable[[], Answer],
    policy: Policy,
    stop: Stop,
    watch: Callable[[Attempt], None],
    *,
    has_token: bool,
) -> Answer:
    """Call ``once`` until its answer is certain, no further attempt is allowed, or ``stop`` is set.

    ``watch`` is told of every attempt. The answer carries the number of attempts, and becomes
    ``Unknown`` when it says nothing about an earlier attempt whose answer was lost.
    """
    doubt: Trouble | None = None
    for number, pause in enumerate(policy.pauses(), start=1):
        answer = once()
        again = (
            number < policy.attempts
            and not stop.is_set()
            and _may_repeat(answer, has_token=has_token, in_doubt=doubt is not None)
        )
        watch(Attempt(number, answer, pause if again else None))
        doubt = _doubt_left_by(answer) or doubt
        if not again or stop.wait(pause):
            return _settled(answer, number, doubt)
    raise ValueError("a policy allows at least one attempt")


def is_busy(answer: Rejected) -> bool:
    """Whether every cause that the service names passes by itself."""
    if answer.code in BUSY_CODES:
        return True
    reasons = {str(reason.get("Code")) for reason in answer.reasons} - {"None"}
    return bool(reasons) and reasons <= BUSY_REASONS


def _may_repeat(answer: Answer, *, has_token: bool, in_doubt: bool) -> bool:
    match answer:
        case Committed():
            return False
        case Unknown():
            return has_token
        case Unreachable(trouble):
            return in_doubt and trouble.code in _CONNECTION_TROUBLES
        case Rejected():
            return is_busy(answer) or (answer.code == IN_PROGRESS and has_token)
        case _:  # pragma: no cover
            assert_never(answer)


def _doubt_left_by(answer: Answer) -> Trouble | None:
    match answer:
        case Unknown(trouble):
            return trouble
        case Rejected(code=code, trouble=trouble) if code == IN_PROGRESS:
            return trouble
        case _:
            return None


def _settled(answer: Answer, attempts: int, doubt: Trouble | None) -> Answer:
    match answer:
        case Rejected() if doubt is None or not (is_busy(answer) or answer.code == IN_PROGRESS):
            return replace(answer, attempts=attempts, after_unknown=doubt is not None)
        case Rejected() | Unreachable() if doubt is not None:
            return Unknown(doubt, attempts)
        case _:
            return replace(answer, attempts=attempts)
