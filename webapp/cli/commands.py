"""The commands that read a document, call one function and print what it gives.

Rule: a command's exit status is ``DONE`` or ``REFUSED``; whatever else can go wrong is raised. What
only one command needs is imported there.
"""

from __future__ import annotations

import argparse
import shlex
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from webapp import streams
from webapp.cli.reading import (
    WrongUsage,
    endpoint_named,
    read_bytes,
    read_document,
    read_documents,
    secret,
)
from webapp.cli.telling import (
    DONE,
    REFUSED,
    print_document,
    print_lines,
    tell_attempt,
    tell_outcome,
    tell_problems,
    tell_start,
)
from webapp.core import documents
from webapp.core.expressions import builder
from webapp.core.failures.question import read_question
from webapp.core.linting.lint import lint_document
from webapp.core.problems import Problems
from webapp.endpoints import Endpoint
from webapp.printed import explanation_lines, report_lines
from webapp.streams import readable, say

if TYPE_CHECKING:
    from webapp.runs import Run
    from webapp.sending import Ended, Sending


def plan(options: argparse.Namespace) -> int:
    """Print the request of a plan, or with ``--full`` the whole plan."""
    made = documents.plan(read_document(options.request), secret=secret())
    if options.full:
        print_document(made.as_document(), as_json=options.json)
    else:
        streams.answer(made.text.decode() if options.json else readable(made.pretty()))
    tell_problems("warning: ", made.warnings)
    return DONE


def run(options: argparse.Namespace) -> int:
    """Send a plan request or a saved plan to an endpoint and print what came of it."""
    from webapp import runs  # noqa: PLC0415
    from webapp.gateway import gateway_to  # noqa: PLC0415
    from webapp.sending import Sending  # noqa: PLC0415

    endpoint = endpoint_named(options.endpoint)
    if not (endpoint.is_local or options.allow_write):
        raise WrongUsage(f"writing to {endpoint.place} needs --allow-write and --confirm TABLE")
    asked = runs.read_run(read_document(options.request), secret=secret())
    require_confirmation(endpoint, asked, options.confirm)
    gateway, was_sent = gateway_to(endpoint), options.sent_before
    tell_start(endpoint)
    ended = carried_out(Sending(asked, gateway, was_sent=was_sent, watch=tell_attempt))
    outcome = runs.outcome_document(asked, ended.answer, ended.standing)
    tell_outcome(outcome, len(asked.slots), endpoint, was_sent=was_sent)
    if options.json:
        print_document(outcome, as_json=True)
    return DONE if outcome["committed"] else REFUSED


def carried_out(sending: Sending) -> Ended:
    """What comes of a sending. Ctrl-C makes no further attempt, and the truth is told all the same.

    A second Ctrl-C ends the command at once.
    """
    future: Future[Ended] = Future()
    threading.Thread(target=_carry_out, args=(sending, future), daemon=True).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        sending.stop()
        say("No further attempt is made; what came of it is told in some seconds.")
        return future.result()


def _carry_out(sending: Sending, future: Future[Ended]) -> None:
    try:
        future.set_result(sending.carry_out())
    except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
        future.set_exception(error)


def require_confirmation(endpoint: Endpoint, asked: Run, given: str | None) -> None:
    """Raise ``WrongUsage`` with what to add where writing is not confirmed by its tables' names."""
    from webapp.leave import check_confirmation, written_tables  # noqa: PLC0415

    problems = Problems()
    tables = written_tables(asked.text)
    check_confirmation(endpoint, tables, given, problems)
    for problem in problems:
        added = shlex.quote(",".join(tables))
        raise WrongUsage(f"{problem.message} To write there, add --confirm {added}")


def lint(options: argparse.Namespace) -> int:
    """Check any transaction: what DynamoDB would refuse, and what is unwise.

    It may be a request, a call's keyword arguments, a CLI input file or the bare list of actions.
    """
    given = {"request": options.transaction, "design": options.design, "table": options.table}
    report = lint_document(read_documents(given))
    if options.json:
        print_document(report.as_document(), as_json=True)
    else:
        print_lines(report_lines(report))
    return DONE if report.valid else REFUSED


def explain(options: argparse.Namespace) -> int:
    """Say what the error of a transaction means, field by field and slot by slot.

    The error may have any form; the plan, plan request or request that it answers names its fields.
    """
    given = {"plan": options.plan, "request": options.request, "design": options.design}
    document = read_documents(given, options.error) | {"error": read_bytes(options.error)}
    asked = read_question(document, secret=secret())
    explanation = asked.explanation()
    if options.json:
        print_document(explanation.as_document(), as_json=True)
    else:
        print_lines(explanation_lines(explanation))
    return DONE


def expression(options: argparse.Namespace) -> int:
    """Print the request of an operation whose expressions are given as trees.

    With ``--strings`` only the expressions; ``--json`` prints what the API answers.
    """
    built = builder.expression(read_document(options.document))
    if options.json:
        print_document(built.as_document(), as_json=True)
    else:
        print_document(built.expressions if options.strings else built.request, as_json=False)
    tell_problems("warning: ", built.warnings)
    return DONE


def parse(options: argparse.Namespace) -> int:
    """Read a request or a bare expression back, and print the document that describes it."""
    parsed = builder.parse(read_document(options.request))
    print_document(parsed.as_document() if options.json else parsed.document, as_json=options.json)
    tell_problems("", parsed.problems)
    tell_problems("warning: ", parsed.warnings)
    return REFUSED if parsed.problems else DONE
