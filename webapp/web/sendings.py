"""The sendings of this server: each under a name of its own, the last ones kept to be asked after.

Rule: a sending belongs to the server and goes on when its page is closed; a few run at once and
the others wait for their turn. The reason: a visitor may close the page, but not undo a request.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from webapp.sending import Ended, Sending

MOST_KEPT = 256
MOST_AT_ONCE = 16


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

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE, "sending")

    def start(self, sending: Sending, endpoint: str, token: str) -> str:
        """Start a sending and give its name."""
        name = secrets.token_urlsafe(9)
        kept = Kept(sending, endpoint, token, self._pool.submit(sending.carry_out))
        with self._lock:
            self._kept[name] = kept
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return name

    def find(self, name: str) -> Kept | None:
        """The sending of that name, if it is kept."""
        with self._lock:
            return self._kept.get(name)

    def close(self) -> None:
        """Stop every sending, and wait until each has told what came of it."""
        with self._lock:
            kept = list(self._kept.values())
        for one in kept:
            one.sending.stop()
        self._pool.shutdown()
