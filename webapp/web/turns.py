"""Turns at the endpoints: how many requests may wait for a service while the page is still served.

Rule: a request that waits for an endpoint takes a turn before it asks, a few more stand in line for
a moment, and whoever comes then is told at once to come again, with status 503 and everything that
was typed; requests that ask no endpoint need no turn. The reason: a service that hangs keeps each
thread for a minute and more, and the server has few; a page must open all the same.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from flask import Flask, current_app
from werkzeug.exceptions import ServiceUnavailable

MOST_AT_ONCE = 16
MOST_IN_LINE = 8
THREADS = MOST_AT_ONCE + MOST_IN_LINE + 8
"""How many threads a server of this app needs, so that some are always left for its pages."""
SWITCH_SECONDS = 0.02
"""How long a thread that computes is left alone. Most answers take a tenth of it: with Python's own
5 ms a busy server would stop many of them halfway, which costs it a seventh of its time."""

PATIENCE = 1.0
"""Seconds that a request stands in line."""
COME_AGAIN = 2
"""Seconds after which a visitor may come again."""

WAITING = frozenset(
    {
        "api.check_locks",
        "api.run",
        "expressions.more",
        "expressions.run_it",
        "table.make",
        "table.page",
        "table.update",
        "transaction.record",
        "transaction.run",
    }
)
"""The views that wait for an endpoint. What came of a sending is at hand when it is asked for."""


class Busy(ServiceUnavailable):
    """All turns are taken: nothing was asked of the endpoint by this request."""

    def __init__(self) -> None:
        super().__init__(retry_after=COME_AGAIN)


class Turns:
    """A number of turns, and of places in line for them. Safe to use from any thread."""

    def __init__(
        self,
        at_once: int = MOST_AT_ONCE,
        in_line: int = MOST_IN_LINE,
        patience: float = PATIENCE,
    ) -> None:
        self._turns = threading.BoundedSemaphore(at_once)
        self._line = threading.BoundedSemaphore(in_line)
        self._patience = patience

    def take(self) -> None:
        """Take a turn, to be given back. Raises ``Busy`` when there is none for a while."""
        if not (self._turns.acquire(blocking=False) or self._stood_in_line()):
            raise Busy

    def give_back(self) -> None:
        """Let the next one have the turn."""
        self._turns.release()

    def _stood_in_line(self) -> bool:
        if not self._line.acquire(blocking=False):
            return False
        try:
            return self._turns.acquire(timeout=self._patience)
        finally:
            self._line.release()


def share(app: Flask) -> None:
    """Let the views that wait for an endpoint take a turn for each request; others pay nothing."""
    app.extensions["turns"] = Turns()
    for name in WAITING:
        app.view_functions[name] = _in_turn(app.view_functions[name])


def _in_turn(view: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(view)
    def answered(*arguments: Any, **more: Any) -> Any:
        turns: Turns = current_app.extensions["turns"]
        turns.take()
        try:
            return view(*arguments, **more)
        finally:
            turns.give_back()

    return answered
