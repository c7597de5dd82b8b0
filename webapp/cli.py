"""The command line: a thin door to the functions behind the page and the JSON API.

Rule: a command reads one document (a file or ``-``), calls one function and prints what it gives;
what is for programs goes to standard output, everything else to standard error. The exit status is
0 for done, 1 for refused or cancelled, 2 for wrong usage, and there is never a stack trace. The web
page and the client are imported only by the commands that need them, so ``plan`` starts quickly.
"""

from __future__ import annotations

import argparse
import functools
import logging
import os
import random
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

from webapp import streams
from webapp.core import documents, jsontext
from webapp.core.expressions import builder
from webapp.core.failures.question import read_question
from webapp.core.linting.lint import lint_document
from webapp.core.problems import Problem, Problems, Refused
from webapp.endpoints import Endpoint, EndpointNotation, local_endpoint, named_endpoints
from webapp.printed import explanation_lines, field_lines, problem_lines, report_lines
from webapp.race import BOUNDS, Race
from webapp.streams import readable, say

if TYPE_CHECKING:
    from webapp.attempts import Attempt
    from webapp.core.failures.replay import Standing
    from webapp.racing import Ground
    from webapp.runs import Run
    from webapp.web.settings import Settings, Target

DONE, REFUSED, WRONG_USAGE = 0, 1, 2
EXAMPLE_TABLE = ("accounts", ("PK", "S"), ("SK", "S"))
# The app refuses large bodies with a page of its own; this only keeps them off the disk.
BODY_BYTES = 16 * 1024 * 1024

ENVIRONMENT = """environment:
  LOCKWRIGHT_ENDPOINTS  endpoints separated by blanks, NAME=URL or NAME=aws:REGION[:PROFILE]
  LOCKWRIGHT_CONFIG     a TOML file with a table [endpoints] of NAME = "URL or aws:REGION[:PROFILE]"
  LOCKWRIGHT_SECRET     the key of hmac-sha256 namespaces"""


class WrongUsage(Exception):
    """The command was not given what it needs; the text says what."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the return value is the exit status."""
    streams.prepare()
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(_with_command(given))
    try:
        status = _carried_out(options)
    except (WrongUsage, EndpointNotation) as error:
        say(f"lockwright: {error}")
        return WRONG_USAGE
    except streams.Lost as error:
        say(f"lockwright: {error}")
        return REFUSED
    except KeyboardInterrupt:
        say("Stopped.")
        return REFUSED
    except BrokenPipeError:
        return REFUSED
    except Exception as error:  # noqa: BLE001 - a person at a terminal never gets a stack trace
        say(f"lockwright: something went wrong that should not ({type(error).__name__}: {error}).")
        return REFUSED
    return status


def _carried_out(options: argparse.Namespace) -> int:
    try:
        status: int = options.command(options)
    except Refused as refused:
        return _tell_refused(refused, as_json=options.json)
    return status


def plan(options: argparse.Namespace) -> int:
    """Print the request of a plan, or with ``--full`` the whole plan."""
    made = documents.plan(_read_document(options.request), secret=_secret())
    if options.full:
        _print_document(made.as_document(), as_json=options.json)
    else:
        streams.answer(made.text.decode() if options.json else readable(made.pretty()))
    _tell_problems("warning: ", made.warnings)
    return DONE


def run(options: argparse.Namespace) -> int:
    """Send a plan request or a saved plan to an endpoint and print what came of it."""
    from webapp import runs  # noqa: PLC0415
    from webapp.gateway import gateway_to  # noqa: PLC0415

    endpoint = _endpoint_named(options.endpoint)
    if not (endpoint.is_local or options.allow_write):
        raise WrongUsage(f"writing to {endpoint.place} needs --allow-write and --confirm TABLE")
    asked = runs.read_run(_read_document(options.request), secret=_secret())
    _require_confirmation(endpoint, asked, options.confirm)
    gateway = gateway_to(endpoint)
    answer = gateway.send(asked.text, watch=_tell_attempt)
    standing = runs.look(gateway, asked) if runs.in_doubt(answer) else None
    outcome = runs.outcome_document(asked, answer, standing)
    if options.json:
        _print_document(outcome, as_json=True)
    _tell_outcome(outcome, len(asked.slots), endpoint, standing)
    return DONE if outcome["committed"] else REFUSED


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
        _print_document(report.as_document(), as_json=True)
    else:
        _print_lines(write_report(report).splitlines())
    if report.trouble:
        say(f"{report.trouble.message} {report.trouble.hint}")
    return DONE if report.state == "done" else REFUSED


def lint(options: argparse.Namespace) -> int:
    """Check any transaction: what DynamoDB would refuse, and what is unwise.

    It may be a request, a call's keyword arguments, a CLI input file or the bare list of actions.
    """
    given = {"request": options.transaction, "design": options.design, "table": options.table}
    report = lint_document(_read_documents(given))
    if options.json:
        _print_document(report.as_document(), as_json=True)
    else:
        _print_lines(report_lines(report))
    return DONE if report.valid else REFUSED


def explain(options: argparse.Namespace) -> int:
    """Say what the error of a transaction means, field by field and slot by slot.

    The error may have any form; the plan, plan request or request that it answers names its fields.
    """
    given = {"plan": options.plan, "request": options.request, "design": options.design}
    document = _read_documents(given, options.error) | {"error": _read_bytes(options.error)}
    asked = read_question(document, secret=_secret())
    explanation = asked.explanation()
    if options.json:
        _print_document(explanation.as_document(), as_json=True)
    else:
        _print_lines(explanation_lines(explanation))
    return DONE


def expression(options: argparse.Namespace) -> int:
    """Print the request of an operation whose expressions are given as trees.

    With ``--strings`` only the expressions; ``--json`` prints what the API answers.
    """
    built = builder.expression(_read_document(options.document))
    if options.json:
        _print_document(built.as_document(), as_json=True)
    else:
        _print_document(built.expressions if options.strings else built.request, as_json=False)
    _tell_problems("warning: ", built.warnings)
    return DONE


def parse(options: argparse.Namespace) -> int:
    """Read a request or a bare expression back, and print the document that describes it."""
    parsed = builder.parse(_read_document(options.request))
    _print_document(parsed.as_document() if options.json else parsed.document, as_json=options.json)
    _tell_problems("", parsed.problems)
    _tell_problems("warning: ", parsed.warnings)
    return REFUSED if parsed.problems else DONE


def serve(options: argparse.Namespace) -> int:
    """Serve the page until stopped, with the local engine unless told otherwise."""
    import waitress  # noqa: PLC0415

    from webapp.web import create_app  # noqa: PLC0415

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a short queue is no news
    endpoints = dict(_endpoints(options.endpoint))
    with ExitStack() as stack:
        stack.enter_context(_ending_on_signals())
        if options.local and "local" not in endpoints:
            endpoints |= _local_engine(stack)
        app = create_app(_settings(options, endpoints))
        stack.callback(app.extensions["races"].close)
        stack.callback(app.extensions["sendings"].close)
        server = _bound(waitress.create_server, app, options)
        stack.callback(server.close)
        say(f"Lockwright is at http://{options.host}:{server.effective_port}  (Ctrl-C stops it)")
        server.run()
    return DONE


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments without letting them steer the terminal."""

    def error(self, message: str) -> NoReturn:
        super().error(readable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="lockwright",
        description="Unique attributes for DynamoDB: from a form to a transaction you can trust.",
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_serve(_command(commands, "serve", serve))
    planning = _command(commands, "plan", plan)
    planning.add_argument(
        "request", metavar="REQUEST", help="a plan request: a file, or - for stdin"
    )
    planning.add_argument("--full", action="store_true", help="the plan with slots and budget")
    running = _command(commands, "run", run)
    running.add_argument(
        "request", metavar="REQUEST", help="a plan request or a saved plan: a file, or - for stdin"
    )
    running.add_argument(
        "--endpoint",
        required=True,
        metavar="NAME",
        help="where to: a configured name, local, NAME=URL or NAME=aws:REGION[:PROFILE]",
    )
    running.add_argument("--allow-write", action="store_true", help="allow writing to AWS")
    running.add_argument(
        "--confirm", metavar="TABLE", help="the table's name, without which AWS is not written to"
    )
    _add_lint(_command(commands, "lint", lint))
    _add_explain(_command(commands, "explain", explain))
    _add_expression(_command(commands, "expression", expression))
    parsing = _command(commands, "parse", parse)
    parsing.add_argument(
        "request", metavar="REQUEST", help="a request or a bare expression: a file, or - for stdin"
    )
    _add_race(_command(commands, "race", race))
    return parser


def _command(
    commands: Any, name: str, function: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    said = (function.__doc__ or "").splitlines()[0].replace("``", "")
    parser: argparse.ArgumentParser = commands.add_parser(name, help=said, description=said)
    parser.set_defaults(command=function)
    parser.add_argument("--json", action="store_true", help="machine output on standard output")
    return parser


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", type=_host, default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=_port, default=8080, help="the port; 0 takes a free one")
    parser.add_argument(
        "--endpoint",
        action="append",
        default=[],
        metavar="NAME=URL",
        help="a place plans can be run at; NAME=aws:REGION[:PROFILE] for AWS; can be repeated",
    )
    parser.add_argument(
        "--no-local", dest="local", action="store_false", help="do not start the local engine"
    )
    parser.add_argument("--allow-write", action="store_true", help="allow running plans on AWS")
    parser.add_argument("--read-only", action="store_true", help="never write anywhere")
    parser.add_argument(
        "--trusted-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name visitors may use besides the loopback ones; can be repeated",
    )


def _add_race(parser: argparse.ArgumentParser) -> None:
    for name, bounds in BOUNDS.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=_within(bounds.low, bounds.high),
            default=bounds.usual,
            metavar="NUMBER",
            help=f"{bounds.meaning}: {bounds.low:,} to {bounds.high:,}, usually {bounds.usual}",
        )
    parser.add_argument(
        "--endpoint",
        metavar="NAME",
        help="a local endpoint: a configured name, local or NAME=URL; "
        "without it an engine is started for the race alone",
    )


def _within(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low:,} to {high:,}")
        return int(text)

    return number


def _add_lint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("transaction", metavar="TRANSACTION", help="a file, or - for stdin")
    parser.add_argument("--design", help="the design that the transaction follows")
    parser.add_argument("--table", help="an output of “aws dynamodb describe-table”")


def _add_expression(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "document", metavar="OPERATION", help="an operation with its trees: a file, or - for stdin"
    )
    parser.add_argument("--strings", action="store_true", help="the expression strings alone")


def _add_explain(parser: argparse.ArgumentParser) -> None:
    sent = parser.add_mutually_exclusive_group()
    sent.add_argument("--plan", help="the plan that was sent, or its plan request")
    sent.add_argument("--request", help="the request that was sent, or the list of its actions")
    parser.add_argument("--design", help="the design that a request follows")
    parser.add_argument("error", metavar="ERROR", help="the error, in any form: a file, or -")


def _with_command(given: list[str]) -> list[str]:
    """The arguments with ``serve`` in front when no command is named."""
    if not given or (given[0].startswith("-") and given[0] not in {"-h", "--help"}):
        return ["serve", *given]
    return given


def _host(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("give an address, such as 127.0.0.1")
    return text


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port: 0 to 65535")
    return port


def _read_documents(given: Mapping[str, str | None], *others: str) -> dict[str, object]:
    """The documents of the files that were given; only one of all may be standard input."""
    files = {member: name for member, name in given.items() if name}
    if [*files.values(), *others].count("-") > 1:
        raise WrongUsage("only one document can be read from standard input")
    return {member: _read_document(name) for member, name in files.items()}


def _read_document(name: str) -> object:
    return documents.read_json(_read_bytes(name))


def _read_bytes(name: str) -> bytes:
    try:
        return streams.read() if name == "-" else Path(name).read_bytes()
    except streams.Lost as error:
        raise WrongUsage(str(error)) from error
    except OSError as error:
        raise WrongUsage(f"cannot read {name}: {error.strerror}") from error


def _secret() -> str | None:
    return os.environ.get("LOCKWRIGHT_SECRET") or None


def _endpoints(arguments: Sequence[str]) -> Mapping[str, Endpoint]:
    name = os.environ.get("LOCKWRIGHT_CONFIG", "")
    try:
        text = Path(name).read_text(encoding="utf-8") if name else ""
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"cannot read {name} (LOCKWRIGHT_CONFIG): {error}") from error
    return named_endpoints(arguments, os.environ.get("LOCKWRIGHT_ENDPOINTS", ""), text)


def _endpoint_named(given: str) -> Endpoint:
    """The endpoint of ``--endpoint``: written out, configured, or the usual local engine."""
    from webapp.local import HOST, PORT  # noqa: PLC0415

    if "=" in given:
        (endpoint,) = named_endpoints([given]).values()
        return endpoint
    known = {"local": local_endpoint("local", f"http://{HOST}:{PORT}"), **_endpoints([])}
    if given not in known:
        raise WrongUsage(f"there is no endpoint {given!r}; there are: {', '.join(known)}")
    return known[given]


def _require_confirmation(endpoint: Endpoint, asked: Run, given: str | None) -> None:
    """Raise ``WrongUsage`` with what to add where writing is not confirmed by the table's name."""
    from webapp.leave import check_confirmation, first_table  # noqa: PLC0415

    problems = Problems()
    check_confirmation(endpoint, asked, given, problems)
    for problem in problems:
        wanted = shlex.quote(first_table(asked))
        raise WrongUsage(f"{problem.message} To write there, add --confirm {wanted}")


def _local_engine(stack: ExitStack) -> dict[str, Endpoint]:
    """The local engine with the example table, ended with ``stack``; none if it cannot be had."""
    from webapp import local  # noqa: PLC0415
    from webapp.gateway import gateway_to  # noqa: PLC0415

    try:
        engine = stack.enter_context(local.running())
    except local.EngineUnavailable as error:
        say(str(error))
        return {}
    gateway_to(engine.endpoint).create_table(*EXAMPLE_TABLE)
    say(f"The local engine is at {engine.endpoint.url}, its tables in {local.FOLDER}")
    return {engine.endpoint.name: engine.endpoint}


def _race_endpoint(given: str | None, stack: ExitStack) -> Endpoint:
    """The local endpoint of a race; without a name an engine that is gone after ``stack``."""
    from webapp import local  # noqa: PLC0415

    if given is None:
        folder = stack.enter_context(TemporaryDirectory(prefix="lockwright-race-"))
        try:
            return stack.enter_context(local.running(Path(folder), 0, keep=False)).endpoint
        except local.EngineUnavailable as error:
            raise WrongUsage(str(error)) from error
    endpoint = _endpoint_named(given)
    if not endpoint.is_local:
        raise WrongUsage(f"a race is held on a local endpoint only, and {given} is AWS")
    return endpoint


def _ground(endpoint: Endpoint) -> Ground:
    """The way to a local endpoint for a race: a connection for every sign-up, little patience."""
    from webapp.attempts import Policy  # noqa: PLC0415
    from webapp.gateway import Gateway, Limits  # noqa: PLC0415

    limits = Limits(read_seconds=5.0, connections=BOUNDS["sign_ups"].high)
    return Gateway(endpoint, limits, Policy(jitter=random.random, attempts=4))


def _settings(options: argparse.Namespace, endpoints: Mapping[str, Endpoint]) -> Settings:
    from webapp.web.settings import LOOPBACK_HOSTS, Settings  # noqa: PLC0415

    return Settings(
        targets={name: _target(endpoint) for name, endpoint in endpoints.items()},
        read_only=options.read_only,
        allow_write=options.allow_write,
        secret=_secret(),
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


@contextmanager
def _ending_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an orderly end, so that the engine ends with us."""
    kinds = [kind for kind in ("SIGTERM", "SIGHUP") if hasattr(signal, kind)]
    before = {kind: signal.signal(getattr(signal, kind), _end) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(getattr(signal, kind), handler)


def _end(*_: object) -> NoReturn:
    raise SystemExit(DONE)


def _print_document(document: object, *, as_json: bool) -> None:
    text = jsontext.write(document).decode() if as_json else readable(jsontext.pretty(document))
    streams.answer(text)


def _print_lines(lines: Iterable[str]) -> None:
    streams.answer(readable("\n".join(lines)))


def _tell_refused(refused: Refused, *, as_json: bool) -> int:
    if as_json:
        _print_document(refused.as_document(), as_json=True)
    _tell_problems("", refused.problems)
    return REFUSED


def _tell_problems(kind: str, problems: Iterable[Problem]) -> None:
    for problem in problems:
        say("\n".join(problem_lines(problem, kind)))


def _tell_attempt(attempt: Attempt) -> None:
    if attempt.pause is not None:
        say(f"Attempt {attempt.number} got no final answer; again in {attempt.pause:.1f} s.")


def _tell_outcome(
    outcome: Mapping[str, Any], actions: int, endpoint: Endpoint, standing: Standing | None
) -> None:
    from webapp.core.failures.replay import VERDICTS  # noqa: PLC0415

    where = f"{endpoint.name} ({endpoint.place})"
    explanation = outcome["explanation"]
    if explanation is None:
        say(f"Committed: {actions} actions at {where}.")
        return
    if standing is not None:
        say(" ".join(VERDICTS[standing.verdict]))
    say(f"{explanation['message']} {explanation['hint']}")
    fields = {name: [n["message"] for n in notes] for name, notes in explanation["fields"].items()}
    for line in field_lines(fields):
        say(line)


if __name__ == "__main__":
    raise SystemExit(main())
