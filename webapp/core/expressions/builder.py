"""The doors of the expression builder: documents in, requests out, or all problems; and back.

Rule: a request exists only when every check has passed, and all problems are said at once. Form,
API, command line and library come in here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.core import shapes
from webapp.core.expressions import transactions
from webapp.core.expressions.operations import TRANSACTIONS, Request
from webapp.core.expressions.operators import KINDS, Kind
from webapp.core.expressions.pasted import read_bare, read_pasted
from webapp.core.expressions.places import Findings
from webapp.core.expressions.request_checks import read_checked
from webapp.core.expressions.request_reader import Reading
from webapp.core.expressions.requests import build
from webapp.core.problems import Problem, Problems, Refused


@dataclass(frozen=True, slots=True)
class Built:
    """A request that is ready to be sent, and what is worth knowing about it."""

    operation: str
    request: Mapping[str, Any]
    warnings: tuple[Problem, ...]
    read: tuple[Request, ...]

    @property
    def expressions(self) -> dict[str, str]:
        """The expression strings alone, by their member of the request; of one operation."""
        parameters = [kind.parameter for kind in KINDS.values()]
        return {name: self.request[name] for name in parameters if name in self.request}

    def as_document(self) -> dict[str, Any]:
        """The answer as the contract's JSON object."""
        warnings = [warning.as_document() for warning in self.warnings]
        return {"request": self.request, "problems": [], "warnings": warnings}


def expression(document: object) -> Built:
    """The request that an operation's document describes, or ``Refused`` with all its problems.

    ``document`` names its operation: one of the seven, or a transaction with a list of actions.
    """
    findings = Findings([], [])
    name = document.get("operation") if isinstance(document, dict) else None
    if isinstance(document, dict) and isinstance(name, str) and name in TRANSACTIONS:
        request, read = transactions.compose(document, findings)
    else:
        request, read = _single(document, findings)
    if findings.problems:
        raise Refused(findings.problems)
    return Built(str(name), request, tuple(findings.warnings), read)


def _single(document: object, findings: Findings) -> tuple[dict[str, Any], tuple[Request, ...]]:
    request = read_checked(document, None, findings)
    return ({}, ()) if request is None else (build(request, findings), (request,))


class ExpressionShape(shapes.Shape):
    """A bare expression: its kind, its text and its placeholder maps."""

    kind: Kind
    expression: str
    names: Any = None
    values: Any = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was read back, and what in it DynamoDB would refuse or hardly anybody means."""

    document: Mapping[str, Any]
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]

    def as_document(self) -> dict[str, Any]:
        """The document with its problems and warnings beside it."""
        return {
            "document": self.document,
            "problems": [problem.as_document() for problem in self.problems],
            "warnings": [warning.as_document() for warning in self.warnings],
        }


def parse(document: object) -> Parsed:
    """The document that describes a request, or ``Refused`` when it cannot be read.

    ``document`` is a request as the SDK takes it, ``{"operation": …, "request": …}``, or a bare
    expression ``{"kind": …, "expression": …, "names": …, "values": …}``. What DynamoDB would refuse
    in a request that can be read stands in the answer's ``problems``.
    """
    reading = Reading(Findings([], []), Findings([], []))
    if isinstance(document, dict) and "expression" in document:
        read = _parse_bare(document, reading)
    else:
        read = read_pasted(document, reading)
    if read is None or reading.fatal.problems:
        raise Refused([*reading.fatal.problems, *reading.other.problems])
    return Parsed(read, tuple(reading.other.problems), tuple(reading.other.warnings))


def _parse_bare(document: Mapping[str, Any], reading: Reading) -> dict[str, Any] | None:
    problems = Problems()
    shape = shapes.check(ExpressionShape, document, "", problems)
    reading.fatal.problems.extend(problems)
    if shape is None:
        return None
    return read_bare(shape.kind, shape.expression, (shape.names, shape.values), reading)
