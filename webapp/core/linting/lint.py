"""Checking a transaction that was written by hand or by any SDK, before it is sent.

Rule: everything is said at once: each problem that DynamoDB (or every SDK) would refuse the request
for, in the order in which it would, with its own error type and text beside our words; then what no
service says, the faults of the pattern, each with its reason and the corrected action. Nothing is
sent and nothing is guessed: what depends on the table is checked where the table is known. The
reason: DynamoDB names one fault at a time, and none at all when a lock is put without its guard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Imported for their texts too: of the token, and of all actions together.
from webapp.core import shapes
from webapp.core.documents import read_design
from webapp.core.expressions.places import Findings
from webapp.core.limits import ACTIONS
from webapp.core.linting import pattern_faults, record_faults
from webapp.core.linting.intake import ACTIONS_MEMBER, Transaction, read_transaction
from webapp.core.linting.known_tables import Tables, read_tables, tables_of_design
from webapp.core.linting.pattern_faults import Advice, advice
from webapp.core.linting.rules_expressions import Expressions, read_expressions
from webapp.core.linting.rules_request import Entry, read_entries
from webapp.core.linting.rules_values import check_keys, check_together, key_names, read_target
from webapp.core.linting.scene import read_scene
from webapp.core.linting.service_answers import Answer, answer_to, order_of_answer
from webapp.core.linting.spots import spot_of
from webapp.core.planning.design import Design
from webapp.core.problems import MOST_PROBLEMS, Problem, Problems, Refused
from webapp.core.values import ROOT, Where


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem of the request, and what the service itself answers to it.

    ``answer`` is ``None`` where an SDK refuses what the service would skip.
    """

    problem: Problem
    answer: Answer | None

    def as_document(self) -> dict[str, Any]:
        """The problem as JSON, with the service's answer beside it."""
        service = None if self.answer is None else self.answer.as_document()
        return self.problem.as_document() | {"service": service}


@dataclass(frozen=True, slots=True)
class Report:
    """What is wrong with a transaction, in the service's order, and what is unwise about it."""

    problems: tuple[Fault, ...]
    warnings: tuple[Advice, ...]

    @property
    def valid(self) -> bool:
        """Whether DynamoDB would take the request for its form."""
        return not self.problems

    def as_document(self) -> dict[str, Any]:
        """The report as the contract's JSON object."""
        return {
            "valid": self.valid,
            "problems": [fault.as_document() for fault in self.problems],
            "warnings": [advice.as_document() for advice in self.warnings],
        }


def lint(document: object, design: object = None, table: object = None) -> Report:
    """Check a transaction, and say everything about it.

    ``document`` is a TransactWriteItems request in any of the forms of ``intake``, as JSON text or
    parsed; ``design`` a design or its document; ``table`` an output of DescribeTable, or a list of
    them. Raises ``Refused`` only for a document that is no such request, and for a design or a
    description that cannot be read.
    """
    transaction = read_transaction(document)
    known = design if isinstance(design, Design) or design is None else read_design(design)
    tables = _tables(known, table, ROOT)
    return _report(transaction, known, tables)


class LintShape(shapes.Shape):
    """The document of a check that is asked for."""

    request: Any
    design: Any = None
    table: Any = None


def lint_document(document: object) -> Report:
    """Check the transaction of a lint request: ``{"request": …, "design": …, "table": …}``.

    Only ``request`` is needed. Raises ``Refused`` as ``lint`` does, and for unknown members.
    """
    problems = Problems()
    shape = shapes.check(LintShape, document, "", problems)
    if shape is None:
        raise Refused(problems)
    known = None if shape.design is None else _read_design_at(shape.design, "/design")
    tables = _tables(known, shape.table, Where(ROOT, "table"))
    return _report(read_transaction({"request": shape.request}), known, tables)


def lint_saved(request: Mapping[str, Any]) -> tuple[Problem, ...]:
    """All problems of the ``request`` of a saved plan, which is sent as it is and nothing else.

    Their paths begin with ``/request``; they come in the service's order.
    """
    at = Where(ROOT, "request")
    items, items_at = request.get(ACTIONS_MEMBER), Where(at, ACTIONS_MEMBER)
    saved = Transaction(request, items, at, items_at, {"request": request})
    return tuple(fault.problem for fault in _report(saved, None, {}).problems)


def _read_design_at(document: object, at: str) -> Design:
    try:
        return read_design(document)
    except Refused as refused:
        moved = [Problem(p.code, at + p.path, p.params) for p in refused.problems]
        raise Refused(moved) from None


def _tables(design: Design | None, described: object, where: Where) -> Tables:
    problems = Problems()
    given = {} if described is None else read_tables(described, where, problems)
    problems.refuse()
    return (tables_of_design(design) if design is not None else {}) | given


def _report(transaction: Transaction, design: Design | None, tables: Tables) -> Report:
    problems, warnings = Problems(), list(_check_count(transaction))
    try:
        read = _check(transaction, tables, problems, warnings)
    except Refused as refused:  # more than can be listed
        return Report(_in_order(transaction, list(refused.problems)), tuple(warnings))
    if not transaction.unread:
        warnings += _check_pattern(transaction, read, design, tables)
    return Report(_in_order(transaction, problems), tuple(warnings))


def _check_count(transaction: Transaction) -> Iterator[Advice]:
    """Say how much of a transaction is looked at that is too long to be sent."""
    if transaction.unread:
        yield advice(
            "actions-unread", transaction.items_at, (), count=transaction.unread, limit=ACTIONS
        )


def _check_pattern(
    transaction: Transaction,
    read: list[tuple[Entry, Expressions]],
    design: Design | None,
    tables: Tables,
) -> Iterator[Advice]:
    """Check the locks and records of a transaction that is whole."""
    scene = read_scene(transaction.request, read, design, tables)
    if scene is not None:
        yield from pattern_faults.find(scene)
        yield from record_faults.find(scene)


def _check(
    transaction: Transaction, tables: Tables, problems: Problems, warnings: list[Advice]
) -> list[tuple[Entry, Expressions]]:
    """Check everything the service would check; give the actions with their expressions."""
    entries = read_entries(transaction, problems)
    targets = [read_target(entry, problems) for entry in entries]
    names = key_names(targets, tables)
    unwise: list[Problem] = []
    read = []
    for entry, target in zip(entries, targets, strict=True):
        own = names.get(target.table, ()) if entry.kind == "Update" else ()
        findings = Findings(problems, unwise)
        trees = read_expressions(entry, own, tables.get(target.table), findings)
        read.append((entry, trees))
    check_keys(targets, tables, problems)
    check_together(targets, tables, problems)
    warnings += map(Advice, unwise)
    warnings += _check_token(transaction)
    return read


def _check_token(transaction: Transaction) -> Iterator[Advice]:
    """A request without a token is sent twice when its first answer is lost."""
    if transaction.items and transaction.members.get("ClientRequestToken") is None:
        yield advice("token-missing", transaction.at, ())


def _in_order(transaction: Transaction, problems: list[Problem]) -> tuple[Fault, ...]:
    items = transaction.items_at.pointer()
    placed = [
        (problem, spot_of(problem, items, transaction.document))
        for problem in problems[: MOST_PROBLEMS + 1]
    ]
    placed.sort(key=lambda pair: order_of_answer(*pair))
    return tuple(Fault(problem, answer_to(problem, spot)) for problem, spot in placed)
