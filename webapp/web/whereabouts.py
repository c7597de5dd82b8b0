"""Where a run would go, and as whom: told beside every button that sends something.

Rule: the address or Region, the account, the table and the end of the key id stand there before
anything is sent. The account is asked for in the background, again only when the keys have changed,
and one page waits for it, a little; whoever's question fails or hangs is answered without. The
reason: the same button writes to a table on this machine or to one that others live from, and a
page must not hang on a service that nothing depends on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from flask import current_app

from webapp.web.settings import Target
from webapp.web.texts import gettext

PATIENCE = 0.4
"""Seconds that the first page of an endpoint waits for its account."""

Fact = tuple[str, str]


class Identity(NamedTuple):
    """As whom an endpoint is used; "" for no account or key, ``None`` for one not known yet."""

    account: str | None
    key_id: str


class Identities:
    """The accounts of the AWS endpoints, each asked for at most once at a time. Thread-safe."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._known: dict[str, Identity] = {}
        self._asking: set[str] = set()

    def of(self, target: Target) -> Identity:
        """As whom an endpoint is used, as far as that is known by now. Never raises."""
        if target.endpoint.is_local:
            return Identity("", target.open().key_id)
        with self._lock:
            is_first = target.endpoint.name not in self._known
            asking = self._asked(target)
        if asking is not None and is_first:
            asking.join(self._patience)
        with self._lock:
            return self._known_of(target) or Identity(None, target.open().key_id)

    def _known_of(self, target: Target) -> Identity | None:
        """What is known and still true: whoever has other keys may have another account."""
        known = self._known.get(target.endpoint.name)
        return known if known and known.key_id == target.open().key_id else None

    def _asked(self, target: Target) -> threading.Thread | None:
        """The question that was asked just now; ``None`` where none is needed or one is out."""
        name = target.endpoint.name
        if name in self._asking or self._known_of(target):
            return None
        self._asking.add(name)
        asking = threading.Thread(target=self._ask, args=(target,), name=f"account of {name}")
        asking.daemon = True  # it holds nothing, and the server may end before it is answered
        asking.start()
        return asking

    def _ask(self, target: Target) -> None:
        service, name, account = target.open(), target.endpoint.name, ""
        try:
            account = service.account or ""
        finally:
            with self._lock:
                self._asking.remove(name)
                self._known[name] = Identity(account, service.key_id)


def identity_of(target: Target) -> Identity:
    """As whom this server uses an endpoint, as far as that is known by now."""
    identities: Identities = current_app.extensions["identities"]
    return identities.of(target)


def facts_of(target: Target, tables: Iterable[str]) -> tuple[Fact, ...]:
    """Where something goes, as pairs of what it is called and what it is."""
    return tuple(_facts(target, identity_of(target), tables))


def account_text(identity: Identity) -> str:
    """The number of the account, or that it is not known."""
    if identity.account is None:
        return gettext("not known yet")
    return identity.account or gettext("not known")


def _facts(target: Target, identity: Identity, tables: Iterable[str]) -> Iterator[Fact]:
    endpoint = target.endpoint
    yield gettext("Address"), endpoint.url or "AWS"
    yield gettext("Region"), endpoint.region
    if not endpoint.is_local:
        yield gettext("Account"), account_text(identity)
    yield gettext("Table"), ", ".join(dict.fromkeys(tables))
    yield gettext("Access key id"), identity.key_id or gettext("not known")
