"""The races of this server: one at a time, the last few kept to be looked at.

Rule: a race runs in a thread of its own and belongs to the server, not to a request; when the
server ends, the race is stopped and its table removed first. The reason: a visitor may close the
page, and a scratch table must not stay behind.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from webapp.race import Report
from webapp.racing import Racing

MOST_KEPT = 16
CLOSE_SECONDS = 5.0


class RaceUnderWay(Exception):
    """Another race is running; ``name`` is where it can be looked at."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


class Races:
    """Starts, finds, stops. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._races: OrderedDict[str, Racing] = OrderedDict()
        self._thread: threading.Thread | None = None

    def start(self, racing: Racing) -> str:
        """Start a race and give its name. Raises ``RaceUnderWay``."""
        with self._lock:
            running = self._running()
            if running is not None:
                raise RaceUnderWay(running)
            name = secrets.token_urlsafe(9)
            self._races[name] = racing
            if len(self._races) > MOST_KEPT:
                self._races.popitem(last=False)
            self._thread = threading.Thread(target=racing.run, name="race", daemon=True)
            self._thread.start()
            return name

    def report(self, name: str) -> Report | None:
        """How far the race of that name is; ``None`` when there is none."""
        racing = self._races.get(name)
        return racing.report() if racing else None

    def cancel(self, name: str) -> bool:
        """Stop the race of that name; false when there is none."""
        racing = self._races.get(name)
        if racing:
            racing.cancel()
        return racing is not None

    def running(self) -> str | None:
        """The name of the race that is running."""
        with self._lock:
            return self._running()

    def close(self) -> None:
        """Stop the race that is running, and wait a while until its table is removed."""
        with self._lock:
            running, thread = self._running(), self._thread
        if running is not None and thread is not None:
            self.cancel(running)
            thread.join(CLOSE_SECONDS)

    def _running(self) -> str | None:
        if self._thread is None or not self._thread.is_alive():
            return None
        return next(reversed(self._races))
