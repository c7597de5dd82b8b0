"""The commands and their options.

Rule: a command's help is the first line of its function's docstring. The reason: one description
serves who calls it and who reads it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final, NamedTuple, NoReturn

from webapp.cli.commands import explain, expression, lint, parse, plan, run
from webapp.cli.serving import race, serve
from webapp.race import BOUNDS
from webapp.streams import readable

ENVIRONMENT = """environment:
  LOCKWRIGHT_ENDPOINTS  endpoints separated by blanks, NAME=URL or NAME=aws:REGION[:PROFILE]
  LOCKWRIGHT_CONFIG     a TOML file with a table [endpoints] of NAME = "URL or aws:REGION[:PROFILE]"
  LOCKWRIGHT_SECRET     the key of hmac-sha256 namespaces"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments without letting them steer the terminal."""

    def error(self, message: str) -> NoReturn:
        super().error(readable(message))


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


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("request", metavar="REQUEST", help="a plan request: a file, or - for stdin")
    parser.add_argument("--full", action="store_true", help="the plan with slots and budget")


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "request", metavar="REQUEST", help="a plan request or a saved plan: a file, or - for stdin"
    )
    parser.add_argument(
        "--endpoint",
        required=True,
        metavar="NAME",
        help="where to: a configured name, local, NAME=URL or NAME=aws:REGION[:PROFILE]",
    )
    parser.add_argument("--allow-write", action="store_true", help="allow writing to AWS")
    parser.add_argument(
        "--confirm",
        metavar="TABLE",
        help="the table's name, or all tables' with commas, without which AWS is not written to",
    )
    parser.add_argument(
        "--sent-before",
        action="store_true",
        help="it may have been sent with this token: a refusal is judged by what is stored",
    )


def _add_parse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "request", metavar="REQUEST", help="a request or a bare expression: a file, or - for stdin"
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


class Command(NamedTuple):
    """One row: what a command does, and what adds its options to its parser."""

    function: Callable[[argparse.Namespace], int]
    add_options: Callable[[argparse.ArgumentParser], None]


COMMANDS: Final = {
    "serve": Command(serve, _add_serve),
    "plan": Command(plan, _add_plan),
    "run": Command(run, _add_run),
    "lint": Command(lint, _add_lint),
    "explain": Command(explain, _add_explain),
    "expression": Command(expression, _add_expression),
    "parse": Command(parse, _add_parse),
    "race": Command(race, _add_race),
}


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    made = _Parser(
        prog="lockwright",
        description="Unique attributes for DynamoDB: from a form to a transaction you can trust.",
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parsers = made.add_subparsers(metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        said = (command.function.__doc__ or "").splitlines()[0].replace("``", "")
        parser = parsers.add_parser(name, help=said, description=said)
        parser.set_defaults(command=command.function)
        parser.add_argument("--json", action="store_true", help="machine output on standard output")
        command.add_options(parser)
    return made


def with_command(given: list[str]) -> list[str]:
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
