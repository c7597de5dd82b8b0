"""The sendings of this server: each under a name of its own, the last ones kept to be asked after.

Rule: a sending belongs to the server and goes on when its page is closed; a few run at once, some
more wait for their turn, and none is begun beyond that. Only what has ended is ever forgotten. The
reason: a visitor may close the page, but not undo a request, and must learn what came of it.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from webapp.sending import Ended, Sending
from webapp.web.turns import MOST_AT_ONCE, Busy

MOST_KEPT = 256
MOST_UNDER_WAY = 64
"""Those that run and those that wait for their turn; more would wait for minutes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A sending with where it goes, the token of its plan, and what comes of it."""

    sending: Sending
    endpoint: str
    token: str
    future: Future[Ended]

    def ended(self, seconds: float = 0) -> Ended | None:
        """What came of it; ``None`` when nothing has after that time. Raises what went wrong."""
        try:
            return self.future.result(seconds)
        except TimeoutError:
            return None


class Sendings:
    """Starts and finds sendings. Safe to use from any thread; threads start when first needed."""

    def __init__(self, under_way: int = MOST_UNDER_WAY, kept: int = MOST_KEPT) -> None:
        self._most_under_way = under_way
        self._most_kept = kept
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE, "sending")

    def start(self, sending: Sending, endpoint: str, token: str) -> str:
        """Start a sending and give its name. Raises ``Busy`` when too many are under way."""
        name = secrets.token_urlsafe(9)
        with self._lock:
            if sum(not kept.future.done() for kept in self._kept.values()) >= self._most_under_way:
                raise Busy
            future = self._pool.submit(sending.carry_out)
            self._kept[name] = Kept(sending, endpoint, token, future)
            self._forget()
        return name

    def find(self, name: str) -> Kept | None:
        """The sending of that name, if it is kept."""
        with self._lock:
            return self._kept.get(name)

    def _forget(self) -> None:
        """Forget the oldest that have ended, as many as are kept beyond what should be."""
        ended = [name for name, kept in self._kept.items() if kept.future.done()]
        for name in ended[: max(0, len(self._kept) - self._most_kept)]:
            del self._kept[name]

    def close(self) -> None:
        """Stop every sending, and wait until each has told what came of it."""
        with self._lock:
            kept = list(self._kept.values())
        for one in kept:
            one.sending.stop()
        self._pool.shutdown()
