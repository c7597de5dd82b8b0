"""Chromium, and the page served with a real engine behind it.

A page that says anything on the console but what a true status makes a browser say fails the test.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from waitress.server import create_server

from webapp.endpoints import Endpoint
from webapp.gateway import Gateway
from webapp.web import create_app
from webapp.web.settings import Settings, Target

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
TRUE_STATUS = re.compile(r"responded with a status of (409|422|502|503)")


@dataclass
class Served:
    """Where the page is, and the table its plans are for."""

    url: str
    gateway: Gateway
    table: str = ""


@dataclass
class Visitors:
    """Makes pages, and keeps what they said on the console."""

    browser: Browser
    said: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def page(self, width: int = 1360, height: int = 960, **options: object) -> Page:
        """A new visitor; ``options`` are those of a Playwright browser context."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            **options,  # type: ignore[arg-type]
        )
        context.set_default_timeout(10_000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        return page

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not TRUE_STATUS.search(message.text):
            self.said.append(message.text)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def visitors(browser: Browser) -> Iterator[Visitors]:
    """New pages; at the end none of them may have complained."""
    made = Visitors(browser)
    yield made
    for context in made.contexts:
        context.close()
    assert made.said == []


@pytest.fixture(scope="session")
def served(engine: Endpoint, gateway: Gateway) -> Iterator[Served]:
    """The page with the test engine as its endpoint ``local``."""
    app = create_app(Settings(targets={"local": Target(engine, lambda: gateway)}))
    with serving(app) as url:
        yield Served(url, gateway)


class serving:  # noqa: N801 - reads as a verb
    """Serve an application on a free port of loopback for the time of a ``with``."""

    def __init__(self, app: Callable[..., object]) -> None:
        self._server = create_server(app, host="127.0.0.1", port=0, threads=8)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._server.effective_port}"

    def __exit__(self, *_: object) -> None:
        self._server.close()
        self._thread.join(5)


@pytest.fixture
def site(served: Served, table: str) -> Served:
    """The page, with a fresh table for this test."""
    return Served(served.url, served.gateway, table)
