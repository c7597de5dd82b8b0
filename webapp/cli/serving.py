"""The commands that go on until they are over or stopped: the page, and the race.

Rule: whatever is started here ends with the command, by Ctrl-C and by a signal alike. The reason:
an engine that is left behind holds its port and its tables.
"""

from __future__ import annotations

import argparse
import functools
import logging
import random
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

from webapp.cli.reading import WrongUsage, configured_endpoints, endpoint_named, secret
from webapp.cli.telling import DONE, REFUSED, print_document, print_lines
from webapp.endpoints import Endpoint
from webapp.race import BOUNDS, Race
from webapp.streams import say

if TYPE_CHECKING:
    from types import FrameType
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from webapp.racing import Ground
    from webapp.web.sendings import Sendings
    from webapp.web.settings import Settings, Target

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
EXAMPLE_TABLE = ("accounts", ("PK", "S"), ("SK", "S"))
# The app refuses large bodies with a page of its own; this only keeps them off the disk.
BODY_BYTES = 16 * 1024 * 1024


def serve(options: argparse.Namespace) -> int:
    """Serve the page until stopped, with the local engine unless told otherwise."""
    import waitress  # noqa: PLC0415

    from webapp.web import create_app  # noqa: PLC0415
    from webapp.web.turns import SWITCH_SECONDS  # noqa: PLC0415

    sys.setswitchinterval(SWITCH_SECONDS)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a short queue is no news
    endpoints = dict(configured_endpoints(options.endpoint))
    with ExitStack() as stack:
        stack.enter_context(_ending_on_signals())
        door = _Door()
        server = _bound(waitress.create_server, door, options)
        stack.callback(server.close)
        if options.local and "local" not in endpoints:
            endpoints |= _local_engine(stack)
        app = create_app(_settings(options, endpoints))
        stack.callback(app.extensions["races"].close)
        stack.callback(_close, app.extensions["sendings"])
        stack.enter_context(_stopping_at_signals(app.extensions["sendings"]))
        door.open_to(app)
        say(f"Lockwright is at http://{options.host}:{server.effective_port}  (Ctrl-C stops it)")
        server.run()
    return DONE


class _Door:
    """What the server asks, bound to its port before there is an app.

    So a port that is taken is told before an engine is started for nothing.
    """

    def open_to(self, app: WSGIApplication) -> None:
        """Let every request be answered by the app."""
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self._app(environ, start_response)


def _local_engine(stack: ExitStack) -> dict[str, Endpoint]:
    """The local engine with the example table, ended with ``stack``; none if it cannot be had."""
    from webapp import local  # noqa: PLC0415
    from webapp.gateway import gateway_to  # noqa: PLC0415

    try:
        engine = stack.enter_context(local.running())
    except local.EngineElsewhere as elsewhere:
        say(
            f"The engine of {local.FOLDER} is run by another Lockwright, at "
            f"{elsewhere.endpoint.url}: it is local here too, and ends with that one. For another "
            "give --endpoint local=URL, or start in another folder."
        )
        return {"local": elsewhere.endpoint}
    except local.EngineUnavailable as error:
        say(str(error))
        return {}
    gateway_to(engine.endpoint).create_table(*EXAMPLE_TABLE)
    say(f"The local engine is at {engine.endpoint.url}, its tables in {local.FOLDER}")
    return {engine.endpoint.name: engine.endpoint}


def _settings(options: argparse.Namespace, endpoints: Mapping[str, Endpoint]) -> Settings:
    from webapp.web.settings import LOOPBACK_HOSTS, Settings  # noqa: PLC0415

    return Settings(
        targets={name: _target(endpoint) for name, endpoint in endpoints.items()},
        read_only=options.read_only,
        allow_write=options.allow_write,
        secret=secret(),
        trusted_hosts=(*LOOPBACK_HOSTS, *options.trusted_host),
    )


def _target(endpoint: Endpoint) -> Target:
    from webapp.gateway import gateway_to  # noqa: PLC0415
    from webapp.web.settings import Target  # noqa: PLC0415

    ground = functools.partial(_ground, endpoint) if endpoint.is_local else None
    return Target(endpoint, lambda: gateway_to(endpoint), ground)


def _bound(create_server: Callable[..., Any], app: object, options: argparse.Namespace) -> Any:
    from webapp.web.turns import THREADS  # noqa: PLC0415

    try:
        return create_server(
            app,
            host=options.host,
            port=options.port,
            threads=THREADS,
            max_request_body_size=BODY_BYTES,
            ident="lockwright",
        )
    except OSError as error:
        place = f"{options.host}:{options.port}"
        raise WrongUsage(f"cannot listen on {place}: {error.strerror}. Try --port 0.") from error
    except ValueError as error:  # waitress says so of a name that has no address
        raise WrongUsage(f"{options.host} is no address to listen on") from error


def race(options: argparse.Namespace) -> int:
    """Let many sign-ups for one e-mail address run at once, in three ways, and show who got it."""
    from webapp.racetext import write_report  # noqa: PLC0415
    from webapp.racing import Racing  # noqa: PLC0415

    asked = Race(options.sign_ups, options.gap_ms, options.seed)
    with ExitStack() as stack:
        stack.enter_context(_ending_on_signals())
        endpoint = _race_endpoint(options.endpoint, stack)
        report = Racing(asked, _ground(endpoint), f"{endpoint.name} ({endpoint.place})").run()
    if options.json:
        print_document(report.as_document(), as_json=True)
    else:
        print_lines(write_report(report).splitlines())
    if report.trouble:
        say(f"{report.trouble.message} {report.trouble.hint}")
    return DONE if report.state == "done" else REFUSED


def _race_endpoint(given: str | None, stack: ExitStack) -> Endpoint:
    """The local endpoint of a race; without a name an engine that is gone after ``stack``."""
    from webapp import local  # noqa: PLC0415

    if given is None:
        folder = stack.enter_context(TemporaryDirectory(prefix="lockwright-race-"))
        try:
            return stack.enter_context(local.running(Path(folder), 0, keep=False)).endpoint
        except local.EngineUnavailable as error:
            raise WrongUsage(str(error)) from error
    endpoint = endpoint_named(given)
    if not endpoint.is_local:
        raise WrongUsage(f"a race is held on a local endpoint only, and {given} is AWS")
    return endpoint


def _ground(endpoint: Endpoint) -> Ground:
    """The way to a local endpoint for a race: a connection for every sign-up, little patience."""
    from webapp.attempts import Policy  # noqa: PLC0415
    from webapp.gateway import Gateway, Limits  # noqa: PLC0415

    limits = Limits(read_seconds=5.0, connections=BOUNDS["sign_ups"].high)
    return Gateway(endpoint, limits, Policy(jitter=random.random, attempts=4))


@contextmanager
def _ending_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an orderly end, so that the engine ends with us."""
    heeded = [number for number in _heeded() if number != signal.SIGINT]
    before = {number: signal.signal(number, _end) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _heeded() -> list[int]:
    """The signals that end us; one that is ignored from the start (nohup) is still ignored."""
    numbers = [getattr(signal, kind) for kind in SIGNALS if hasattr(signal, kind)]
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


@contextmanager
def _stopping_at_signals(sendings: Sendings) -> Iterator[None]:
    """Stop what is under way as soon as a signal comes, and say what the end waits for."""

    def heard(number: int, frame: FrameType | None) -> None:
        count = sendings.stop()
        if count:
            say(f"Stopping. Requests without an answer yet: {count}; they get some seconds more.")
        before[number](number, frame)

    before: dict[int, Any] = {number: signal.signal(number, heard) for number in _heeded()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _close(sendings: Sendings) -> None:
    """Wait some seconds for what is under way, and tell of what nothing is known."""
    for kept in sendings.close():
        token = kept.sending.run.token
        say(
            f"Whether the request with token {token} was written at {kept.endpoint} is not known. "
            "Look at its record, or send the same plan again with the same token."
        )


def _end(*_: object) -> NoReturn:
    raise SystemExit(DONE)
