"""The sendings of this server: each under a name of its own, the last ones kept to be asked after.

Rule: a sending belongs to the server and goes on when its page is closed; a few run at once, some
more wait for their turn, and none is begun beyond that. Only what has ended is ever forgotten: the
oldest first, when many are kept, or many bytes. The server's end stops all of them, waits some
seconds, and tells of those that nothing is known of. The reason: a visitor may close the page, but
not undo a request, and must learn what came of it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, wait
from dataclasses import dataclass, field

from flask import current_app

from webapp.sending import Ended, Sending
from webapp.web.turns import MOST_AT_ONCE, Busy

MOST_KEPT = 256
MOST_KEPT_BYTES = 64 * 1024 * 1024
"""The texts of the requests that are kept, and of the answers to them, when a next one begins."""
MOST_UNDER_WAY = 64
"""Those that run and those that wait for their turn; more would wait for minutes."""
CLOSE_SECONDS = 5.0
"""How long the server's end waits for what is under way."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A sending with where it goes, the token of its plan, and what comes of it."""

    sending: Sending
    endpoint: str
    token: str
    future: Future[Ended] = field(default_factory=Future)

    def ended(self, seconds: float = 0) -> Ended | None:
        """What came of it; ``None`` when nothing has after that time. Raises what went wrong."""
        try:
            return self.future.result(seconds)
        except TimeoutError:
            return None

    def carry_out(self) -> None:
        """Carry the sending out in this thread."""
        try:
            self.future.set_result(self.sending.carry_out())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is asked for
            self.future.set_exception(error)

    def count_bytes(self) -> int:
        """About how many bytes of texts are kept with it."""
        answers = sum(len(repr(attempt.answer)) for attempt in self.sending.attempts)
        return len(self.sending.run.text) + answers


class Sendings:
    """Starts and finds sendings. Safe to use from any thread; threads start when needed."""

    def __init__(
        self,
        under_way: int = MOST_UNDER_WAY,
        kept: int = MOST_KEPT,
        kept_bytes: int = MOST_KEPT_BYTES,
    ) -> None:
        self._most_under_way = under_way
        self._most_kept = kept
        self._most_bytes = kept_bytes
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(MOST_AT_ONCE)
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._bytes: dict[str, int] = {}
        self._passing: list[Kept] = []
        self._closes: float | None = None

    def start(self, sending: Sending, endpoint: str, token: str) -> str:
        """Start a sending and give its name. Raises ``Busy`` when too many are under way."""
        name = secrets.token_urlsafe(9)
        kept = Kept(sending, endpoint, token)
        with self._lock:
            if sum(not kept.future.done() for kept in self._kept.values()) >= self._most_under_way:
                raise Busy
            self._kept[name] = kept
            self._forget()
        # It may be left behind at the server's end, whose time is bounded.
        threading.Thread(target=self._run, args=(kept,), name="sending", daemon=True).start()
        return name

    def carry_out(self, sending: Sending, endpoint: str) -> Ended:
        """Carry a sending out in this thread: it is stopped and told of at the end like others."""
        passing = Kept(sending, endpoint, "")
        with self._lock:
            self._passing.append(passing)
        try:
            passing.carry_out()
            return passing.future.result()
        finally:
            with self._lock:
                self._passing.remove(passing)

    def find(self, name: str) -> Kept | None:
        """The sending of that name, if it is kept."""
        with self._lock:
            return self._kept.get(name)

    def stop(self) -> int:
        """Let no sending make a further attempt; how many are under way.

        From the first call on ``close`` waits for ``CLOSE_SECONDS``.
        """
        self._closes = self._closes or time.monotonic() + CLOSE_SECONDS
        under_way = self._under_way()
        for kept in under_way:
            kept.sending.stop()
        return len(under_way)

    def close(self) -> tuple[Kept, ...]:
        """Stop every sending, and give those of which nothing is known after some seconds."""
        self.stop()
        assert self._closes is not None
        under_way = self._under_way()
        wait([kept.future for kept in under_way], max(0.0, self._closes - time.monotonic()))
        return tuple(kept for kept in under_way if not kept.future.done())

    def _run(self, kept: Kept) -> None:
        with self._turns:
            kept.carry_out()

    def _under_way(self) -> list[Kept]:
        with self._lock:
            every = [*self._kept.values(), *self._passing]
        return [kept for kept in every if not kept.future.done()]

    def _forget(self) -> None:
        """Forget the oldest that have ended, as long as more are kept than should be."""
        ended = [name for name, kept in self._kept.items() if kept.future.done()]
        for name in ended:
            if name not in self._bytes:
                self._bytes[name] = self._kept[name].count_bytes()
        for name in ended:
            is_over = sum(self._bytes.values()) > self._most_bytes
            if len(self._kept) <= self._most_kept and not is_over:
                return
            del self._kept[name], self._bytes[name]


def sendings() -> Sendings:
    """The server's sendings."""
    found: Sendings = current_app.extensions["sendings"]
    return found
