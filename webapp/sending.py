"""Carrying one run out, so that it can be watched and stopped on its way.

Rule: a sending is one request with one token, sent until its fate is certain; whoever watches sees
each attempt as it ends, and stopping ends the attempts, never the truth: where the outcome is in
doubt the record and its locks are read, also after a stop, within seconds. The reason: a person who
waits without news presses again, and one who stops must still be told what was written.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from webapp.answers import Answer, Rejected
from webapp.attempts import Attempt, Deadline, Stop
from webapp.core.failures.replay import Standing
from webapp.core.failures.serviceerror import CANCELLED
from webapp.runs import Reader, Run, in_doubt, look

MISMATCH = "IdempotentParameterMismatchException"
LOOK_SECONDS = 20.0
"""How long all the reading takes at most, but for the last read."""
STOPPED_SECONDS = 3.0
"""What is left of that once somebody wants no further attempt."""
MET_ITSELF = frozenset({CANCELLED, MISMATCH})
"""How a request is refused that meets its own success, later than its token is remembered."""


class Sender(Reader, Protocol):
    """What sends the text of a request, and reads an item."""

    def send(
        self,
        text: bytes,
        *,
        watch: Callable[[Attempt], None] = ...,
        stop: Stop | None = None,
    ) -> Answer:
        """Send one ``TransactWriteItems`` request, given as JSON text, until it is certain."""
        ...  # pragma: no cover


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a sending; ``standing`` is what is stored, where the answer leaves doubt.

    ``was_sent`` is whether its token was known to have been sent before.
    """

    answer: Answer
    standing: Standing | None
    was_sent: bool = False


class Sending:
    """One run on its way.

    ``was_sent`` is said by whoever knows that the same token has been sent before, or may have
    been: a first sending is told by its own slots. ``watch`` is told of each attempt as it ends, in
    the thread that carries the run out.
    """

    def __init__(
        self,
        run: Run,
        sender: Sender,
        *,
        was_sent: bool = False,
        watch: Callable[[Attempt], None] = lambda _: None,
    ) -> None:
        self.run = run
        self._watch = watch
        self._sender = sender
        self._was_sent = was_sent
        self._stop = threading.Event()
        self._looking: Deadline | None = None
        self._attempts: list[Attempt] = []

    def carry_out(self) -> Ended:
        """Send, and look at what is stored where nobody can say. Takes seconds at worst."""
        answer = self._sender.send(self.run.text, watch=self._note, stop=self._stop)
        standing = self._look() if self._doubts(answer) else None
        if _is_mismatch(answer) and standing and standing.verdict != "already-done":
            standing = None
        return Ended(answer, standing, self._was_sent)

    def stop(self) -> None:
        """Make no further attempt, and look at what is stored for a moment only."""
        self._stop.set()
        if self._looking is not None:
            self._looking.shorten(STOPPED_SECONDS)

    @property
    def is_stopped(self) -> bool:
        """Whether somebody wants no further attempt."""
        return self._stop.is_set()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The attempts that have ended, in order."""
        return tuple(self._attempts)

    def _note(self, attempt: Attempt) -> None:
        self._attempts.append(attempt)
        self._watch(attempt)

    def _look(self) -> Standing:
        self._looking = until = Deadline(self._stop, LOOK_SECONDS, time.monotonic)
        if self.is_stopped:
            until.shorten(STOPPED_SECONDS)
        return look(self._sender, self.run, until)

    def _doubts(self, answer: Answer) -> bool:
        """Whether the transaction may have been written, now or when it was sent before."""
        if self._was_sent and isinstance(answer, Rejected):
            return answer.code in MET_ITSELF
        return in_doubt(answer)


def _is_mismatch(answer: Answer) -> bool:
    """Whether the token belongs to another content: then only a success is worth telling."""
    return isinstance(answer, Rejected) and answer.code == MISMATCH
