"""Requests per second and the slowest hundredth, with 16 connections, next to bare Flask routes.

Each app has a process of its own under the server and the settings that ``lockwright serve`` uses;
the rounds are interleaved. The client is one process with one thread, on the other core.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
from statistics import median, quantiles
from urllib.parse import urlencode
from urllib.request import urlopen

from tests.benchmarks.plans import request_document
from tests.benchmarks.rounds import show

CONNECTIONS = 16
SECONDS = 2.0
ROUNDS = 5


class Fields(HTMLParser):
    """The names and values that a browser would send with the first page's form."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        self._select = ""
        self._area: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect inputs at once; remember the select or text area that is open."""
        found = {name: value or "" for name, value in attrs}
        name, kind = found.get("name", ""), found.get("type", "text")
        off = kind in {"checkbox", "radio"} and "checked" not in found
        if tag == "input" and name and not off and kind not in {"submit", "file"}:
            self.pairs.append((name, found.get("value", "on")))
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and "selected" in found:
            self.pairs.append((self._select, found.get("value", "")))
        elif tag == "textarea":
            self._select, self._area = name, []

    def handle_endtag(self, tag: str) -> None:
        """Collect a text area when it ends."""
        if tag == "textarea" and self._area is not None:
            self.pairs.append((self._select, "".join(self._area).removeprefix("\n")))
            self._area = None

    def handle_data(self, data: str) -> None:
        """Keep the text of an open text area."""
        if self._area is not None:
            self._area.append(data)


@contextmanager
def served(name: str) -> Iterator[int]:
    """The app ``name`` in a process of its own; gives its port."""
    command = [sys.executable, "-m", "tests.benchmarks.server", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def message(method: str, path: str, body: str = "", **headers: str) -> bytes:
    """One HTTP/1.1 request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    await reader.readexactly(length)
    return head


async def _visitor(port: int, request: bytes, until: float, times: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (started := time.perf_counter()) < until:
        writer.write(request)
        head = await _answer(reader)
        assert head.startswith(b"HTTP/1.1 200"), head
        times.append(time.perf_counter() - started)
    writer.close()
    await writer.wait_closed()


async def _load(port: int, request: bytes) -> list[float]:
    times: list[float] = []
    until = time.perf_counter() + SECONDS
    await asyncio.gather(*(_visitor(port, request, until, times) for _ in range(CONNECTIONS)))
    return times


def measure(targets: dict[str, tuple[int, bytes]]) -> tuple[dict[str, float], dict[str, float]]:
    """Requests per second and milliseconds of the slowest hundredth, medians of the rounds."""
    rates: dict[str, list[float]] = {name: [] for name in targets}
    slowest: dict[str, list[float]] = {name: [] for name in targets}
    for _ in range(ROUNDS):
        for name, (port, request) in targets.items():
            times = asyncio.run(_load(port, request))
            rates[name].append(len(times) / SECONDS)
            slowest[name].append(quantiles(times, n=100)[-1] * 1000)
    return _medians(rates), _medians(slowest)


def _medians(found: dict[str, list[float]]) -> dict[str, float]:
    return {name: median(values) for name, values in found.items()}


def form_of(port: int) -> str:
    """The body that a browser sends for the first page's form."""
    with urlopen(f"http://127.0.0.1:{port}/") as page:
        fields = Fields()
        fields.feed(page.read().decode())
    return urlencode(fields.pairs)


def _compare(title: str, baseline: tuple[str, int, bytes], ours: tuple[str, int, bytes]) -> None:
    targets: dict[str, tuple[int, bytes]] = {
        name: (port, request) for name, port, request in (baseline, ours)
    }
    rates, slowest = measure(targets)
    show(f"{title}, requests per second", rates, baseline[0], "1/s")
    show(f"{title}, slowest hundredth", slowest, baseline[0], "ms ")


def main(names: Sequence[str] = ()) -> None:
    """Compare the JSON route with an empty one, and the fragment with a bare page."""
    plan = json.dumps(request_document("create"))
    form_type = "application/x-www-form-urlencoded"
    with served("bare") as bare, served("lockwright") as app:
        form = form_of(app)
        empty = message("POST", "/empty", plan, Content_Type="application/json")
        page = message("GET", "/bare")
        planning = message("POST", "/api/v1/plan", plan, Content_Type="application/json")
        fragment = message(
            "POST", "/", form, Content_Type=form_type, HX_Request="true", HX_Target="result"
        )
        _compare(
            "POST /api/v1/plan", ("an empty Flask route", bare, empty), ("plan", app, planning)
        )
        _compare("fragment", ("a bare page of 10 KB", bare, page), ("fragment", app, fragment))
