"""What a command says: documents for programs, lines for people.

Rule: answers go to standard output, everything that is said beside them to standard error, and
nothing in them steers the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from webapp import streams
from webapp.core import jsontext
from webapp.core.problems import Problem, Refused
from webapp.endpoints import Endpoint
from webapp.printed import field_lines, problem_lines
from webapp.streams import readable, say

if TYPE_CHECKING:
    from webapp.attempts import Attempt

DONE, REFUSED, WRONG_USAGE = 0, 1, 2
"""The exit status."""


def print_document(document: object, *, as_json: bool) -> None:
    """Answer with a document: in one line for programs, or laid out for people."""
    text = jsontext.write(document).decode() if as_json else readable(jsontext.pretty(document))
    streams.answer(text)


def print_lines(lines: Iterable[str]) -> None:
    """Answer with lines for people."""
    streams.answer(readable("\n".join(lines)))


def tell_refused(refused: Refused, *, as_json: bool) -> int:
    """Say everything that is wrong with a document; the exit status."""
    if as_json:
        print_document(refused.as_document(), as_json=True)
    tell_problems("", refused.problems)
    return REFUSED


def tell_problems(kind: str, problems: Iterable[Problem]) -> None:
    """Say problems beside the answer, each with what ``kind`` it is in front."""
    for problem in problems:
        say("\n".join(problem_lines(problem, kind)))


def tell_start(endpoint: Endpoint) -> None:
    """Say where something goes, before it does: “local” alone does not tell which engine it is."""
    say(f"Sending to {endpoint.name} ({endpoint.place}).")


def tell_attempt(attempt: Attempt) -> None:
    """Say that an attempt failed, and when the next one comes."""
    if attempt.pause is not None:
        say(f"Attempt {attempt.number} got no final answer; again in {attempt.pause:.1f} s.")


def tell_outcome(
    outcome: Mapping[str, Any], actions: int, endpoint: Endpoint, *, was_sent: bool
) -> None:
    """Say what came of a run, whatever becomes of the answer on standard output."""
    from webapp.core.failures.replay import REPEATED  # noqa: PLC0415

    standing, explanation = outcome["standing"], outcome["explanation"]
    if standing is not None:
        say(f"{standing['message']} {standing['hint']}")
    elif explanation is None:
        told = f"Committed: {actions} actions at {endpoint.name} ({endpoint.place})."
        say(f"{told} {REPEATED}" if was_sent else told)
    if explanation is None:
        return
    say(f"{explanation['message']} {explanation['hint']}")
    fields = {name: [n["message"] for n in notes] for name, notes in explanation["fields"].items()}
    for line in field_lines(fields):
        say(line)
