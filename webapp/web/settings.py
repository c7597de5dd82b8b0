"""What the person who starts the server decides; a visitor decides none of it.

Rule: everything the web page may reach or do is handed over here, once, as frozen values. The
reason: no request can name an address, and a test can hand over fakes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from flask import current_app

from webapp.answers import Answer
from webapp.catalog import Catalog
from webapp.endpoints import Endpoint
from webapp.racing import Ground
from webapp.sending import Sender

MAX_BODY_BYTES = 5 * 1024 * 1024
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")


class Service(Sender, Catalog, Protocol):
    """What sends the text of a request and says what came of it, reads an item, knows tables."""

    def ask(self, operation: str, text: bytes) -> Answer:
        """Send one request of another operation, given as JSON text."""
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """An endpoint together with the way to open it; it is opened when somebody asks for it.

    ``ground`` opens it for races, which make and remove scratch tables; ``None`` for AWS.
    """

    endpoint: Endpoint
    open: Callable[[], Service]
    ground: Callable[[], Ground] | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The server's settings. ``secret`` keys ``hmac-sha256`` namespaces and is never shown."""

    targets: Mapping[str, Target] = field(default_factory=dict)
    read_only: bool = False
    allow_write: bool = False
    secret: str | None = field(default=None, repr=False)
    trusted_hosts: tuple[str, ...] = LOOPBACK_HOSTS
    max_body_bytes: int = MAX_BODY_BYTES

    def may_write(self, target: Target) -> bool:
        """Whether plans may be run there: local engines unless read-only, AWS only if allowed."""
        return not self.read_only and (target.endpoint.is_local or self.allow_write)


def settings() -> Settings:
    """The settings of the app that is being asked."""
    held: Settings = current_app.extensions["lockwright"]
    return held
