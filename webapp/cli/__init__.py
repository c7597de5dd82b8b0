"""The command line: a thin door to the functions behind the page and the JSON API.

Rule: a command reads one document (a file or ``-``), calls one function and prints what it gives;
what is for programs goes to standard output, everything else to standard error. The exit status is
0 for done, 1 for refused or cancelled, 2 for wrong usage, and there is never a stack trace. The web
page and the client are imported only by the commands that need them, so ``plan`` starts quickly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from webapp import streams
from webapp.cli.reading import WrongUsage
from webapp.cli.telling import REFUSED, WRONG_USAGE, tell_refused
from webapp.cli.usage import parser, with_command
from webapp.core.problems import Refused
from webapp.endpoints import EndpointNotation
from webapp.streams import say


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the return value is the exit status."""
    streams.prepare()
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser().parse_args(with_command(given))
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
        return tell_refused(refused, as_json=options.json)
    return status
