"""Memory of the process over many runs: it must not grow with them.

The runs are whole ones, from a plan request with values of its own to the outcome's JSON, sent over
HTTP to a service process that keeps nothing: first through the code behind every door, then through
the served app, by its JSON route and by the form of its page.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from tests.benchmarks.plans import DESIGN, PLAIN
from tests.benchmarks.serving import form_of
from webapp.attempts import Policy
from webapp.core.jsontext import read_json, write
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway
from webapp.runs import outcome_document, read_run
from webapp.sending import Sending

WORKERS = 8
STEPS = 10
RUNS = 100_000
SERVED = 20_000
PAGES = 4_000
KILOBYTES = os.sysconf("SC_PAGE_SIZE") // 1024
RECORD = "changes/0/key/id"
QUICK = Policy(jitter=random.random, first_pause=0.001)

Run = Callable[[int], None]
_numbers = itertools.count()


def request_text(number: int) -> bytes:
    """A plan request with values that no other has."""
    item = {"email": {"S": f"ada{number}@lovelace.io"}, "username": {"S": f"ada{number}"}, **PLAIN}
    change = {"operation": "create", "key": {"id": str(number)}, "item": item}
    return json.dumps({"design": DESIGN, "changes": [change]}).encode()


def resident(pid: int) -> int:
    """Kilobytes of main memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * KILOBYTES


@contextlib.contextmanager
def process_of(module: str, *arguments: str) -> Iterator[tuple[int, int]]:
    """A server process; gives its process id and the port that it prints."""
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.pid, int(process.stdout.readline())
        finally:
            process.terminate()


def grow(title: str, pid: int, runs: int, made: Callable[[], Run]) -> None:
    """Make the runs in ten steps, each worker with a run of its own, and print what is held."""
    print(f"\nMemory, {title}: {runs:,} runs")
    workers = [made() for _ in range(WORKERS)]
    held = []
    for step in range(1, STEPS + 1):
        _at_once(workers, runs // STEPS // WORKERS)
        held.append(resident(pid))
        print(f"  after {step * runs // STEPS:>7,} runs {held[-1]:>10,} KB", flush=True)
    print(f"  last / first {held[-1] / held[0]:>10.3f}")


def _at_once(workers: list[Run], each: int) -> None:
    def work(run: Run) -> None:
        for _ in range(each):
            run(next(_numbers))

    threads = [threading.Thread(target=work, args=(run,)) for run in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def through(gateway: Gateway) -> Run:
    """The code behind every door."""

    def run(number: int) -> None:
        asked = read_run(read_json(request_text(number)))
        ended = Sending(asked, gateway).carry_out()
        write(outcome_document(asked, ended.answer, ended.standing))

    return run


def posting(port: int, path: str, kind: str, body: Callable[[int], bytes], **headers: str) -> Run:
    """A client with a connection of its own, whose bodies are all different."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)

    def run(number: int) -> None:
        connection.request("POST", path, body(number), {"Content-Type": kind, **headers})
        answer = connection.getresponse()
        answer.read()
        assert answer.status in {200, 409, 502}, answer.status

    return run


def main() -> None:
    """Print what the process holds while it makes runs, and what the served app holds."""
    with process_of("quick_service") as (_, service):
        url = f"http://127.0.0.1:{service}"
        gateway = Gateway(local_endpoint("quick", url), policy=QUICK)
        grow("behind every door", os.getpid(), RUNS, lambda: through(gateway))
        with process_of("server", "lockwright", url) as (app, port):
            _served(app, port)


def _served(app: int, port: int) -> None:
    def asked(number: int) -> bytes:
        return request_text(number)[:-1] + b', "endpoint": "quick"}'

    grow(
        "POST /api/v1/run",
        app,
        SERVED,
        lambda: posting(port, "/api/v1/run", "application/json", asked),
    )
    form = [pair for pair in parse_qsl(form_of(port), keep_blank_values=True) if pair[0] != RECORD]

    def filled(number: int) -> bytes:
        return urlencode([*form, (RECORD, str(number)), ("endpoint", "quick")]).encode()

    kind = "application/x-www-form-urlencoded"
    htmx = {"HX-Request": "true", "HX-Target": "result"}
    grow("the form", app, PAGES, lambda: posting(port, "/run", kind, filled, **htmx))


if __name__ == "__main__":
    main()
