"""From a request with expression strings back to the document that describes it.

Rule: what can be read becomes a document that gives the same request again, with the user's own
placeholders. What DynamoDB would refuse in it is said at its place, in the request or at a
character of its text, and hinders the reading only where nothing could be read.
Source: API reference of the operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import filterfalse
from typing import Any, NamedTuple

from webapp.core.expressions import operations
from webapp.core.expressions.dictionaries import Dictionary, read_dictionary
from webapp.core.expressions.nodes import Expression
from webapp.core.expressions.operations import OPERATIONS, UNSENT, Request, parameter_of
from webapp.core.expressions.operators import KINDS, Kind
from webapp.core.expressions.parse import parse_kind
from webapp.core.expressions.places import Findings
from webapp.core.expressions.request_checks import check_request, check_tree
from webapp.core.expressions.transactions import check_action
from webapp.core.expressions.tree_writer import tree_document
from webapp.core.problems import Problem, Problems, Text, excerpt, register
from webapp.core.shapes import Shape
from webapp.core.values import Where

register(
    {
        "parameter-unknown": Text(
            "{operation} has no parameter “{name}”.", "Remove it, or check its spelling."
        ),
        "parameter-legacy": Text(
            "“{name}” is a parameter from before expressions and is not read here.",
            "Write it as {instead}; DynamoDB refuses both together.",
        ),
    }
)

NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"
LEGACY: Mapping[str, str] = {
    "KeyConditions": "KeyConditionExpression",
    "QueryFilter": "FilterExpression",
    "ScanFilter": "FilterExpression",
    "ConditionalOperator": "FilterExpression or ConditionExpression",
    "AttributesToGet": "ProjectionExpression",
    "AttributeUpdates": "UpdateExpression",
    "Expected": "ConditionExpression",
}


class Reading(NamedTuple):
    """Faults found while reading: those that leave nothing to read, and the others."""

    fatal: Findings
    other: Findings

    def note_faults(self, faults: Iterable[Problem], *, is_read: bool) -> None:
        """Note the faults of a text, which do not hinder the reading if it could be read."""
        (self.other if is_read else self.fatal).problems.extend(faults)

    def note(self, findings: Findings, where: Where | None) -> None:
        """Note what checks found in a document whose request stands at ``where``."""
        self.other.problems.extend(placed(problem, where) for problem in findings.problems)
        self.other.warnings.extend(placed(warning, where) for warning in findings.warnings)


class RequestReader:
    """Reads one request of a known operation, which stands at ``where`` in what was pasted.

    It may be an action of a ``transaction``; ``checked`` is then what it says, if it is whole.
    """

    def __init__(
        self,
        operation: str,
        request: Mapping[str, Any],
        where: Where | None,
        reading: Reading,
        transaction: str | None = None,
    ) -> None:
        self.transaction = transaction
        self.operation = operation
        self.request = request
        self.where = where
        self.reading = reading
        self.fatal, self.other = reading
        self.trees: dict[Kind, Expression] = {}
        self.checked: Request | None = None
        self.dictionary = self._dictionary()

    def document(self) -> dict[str, Any] | None:
        """The request's document, its faults noted; ``None`` when it cannot be read."""
        before = len(self.fatal.problems)
        kinds = OPERATIONS[self.operation].kinds
        given = [kind for kind in kinds if KINDS[kind].parameter in self.request]
        trees: dict[str, Any] = {kind: self._tree(kind) for kind in given}
        document: dict[str, Any] = {"operation": self.operation, **self._settings(), **trees}
        kept = self.dictionary.kept_names()
        if kept:
            document["expression_attribute_names"] = kept
        is_whole = len(self.trees) == len(given)
        if is_whole:
            self.dictionary.note_useless(self.other)
        self._check(document, is_whole=is_whole)
        return document if len(self.fatal.problems) == before else None

    def _dictionary(self) -> Dictionary:
        problems = Problems()
        names_at, values_at = Where(self.where, NAMES), Where(self.where, VALUES)
        names, values = self.request.get(NAMES), self.request.get(VALUES)
        dictionary = read_dictionary(names, values, names_at, values_at, problems)
        self.fatal.problems.extend(problems)
        return dictionary

    def _tree(self, kind: Kind) -> Any:
        """Read one expression string; give its document, and keep its tree with its places."""
        parameter = KINDS[kind].parameter
        path = Where(self.where, parameter).pointer()
        findings = Findings([], [])
        tree = parse_kind(kind, self.request[parameter], path, self.dictionary, findings)
        faults = filterfalse(self.dictionary.is_consequence, findings.problems)
        self.reading.note_faults(faults, is_read=tree is not None)
        if tree is None:
            return None
        self.trees[kind] = tree
        return tree_document(tree)

    def _settings(self) -> dict[str, Any]:
        """The plain members of the request under the names of the document."""
        row = OPERATIONS[self.operation]
        own = {KINDS[kind].parameter for kind in row.kinds} | {NAMES, VALUES}
        plain = {parameter: v for parameter, v in self.request.items() if parameter not in own}
        return read_settings(row.shape, self.operation, plain, self.where, self.fatal)

    def _check(self, document: dict[str, Any], *, is_whole: bool) -> None:
        """Check what was read as its document would be, at the places of the text."""
        problems = Problems()
        request = operations.read_request(document, None, problems)
        self.fatal.problems.extend(placed(problem, self.where) for problem in problems)
        findings = Findings([], [])
        if request is not None and is_whole:
            self.checked = replace(request, trees=self.trees)
            check_request(self.checked, findings)
            if self.transaction:
                check_action(self.checked, self.transaction, findings)
        else:
            for kind, tree in self.trees.items():
                check_tree(kind, tree, findings)
        self.reading.note(findings, self.where)


def read_settings(
    shape: type[Shape],
    operation: str,
    request: Mapping[str, Any],
    where: Where | None,
    findings: Findings,
) -> dict[str, Any]:
    """The plain members of ``request`` under the names of its document, the unknown refused."""
    members = {parameter_of(member): member for member in shape.model_fields}
    settings = {}
    for parameter, value in request.items():
        at = Where(where, parameter)
        if parameter in LEGACY:
            instead = LEGACY[parameter]
            findings.refuse("parameter-legacy", at, name=parameter, instead=instead)
        elif parameter not in members or members[parameter] in UNSENT:
            name = excerpt(parameter)
            findings.refuse("parameter-unknown", at, name=name, operation=operation)
        else:
            settings[members[parameter]] = value
    return settings


def placed(problem: Problem, where: Where | None) -> Problem:
    """A problem of the document as one of the request; one of the text stays where it is."""
    if type(problem) is not Problem:
        return problem
    member, *rest = problem.path.split("/")[1:] or [""]
    parameter = KINDS[member].parameter if member in KINDS else parameter_of(member)  # type: ignore[index]
    start = where if member in {"", "operation"} else Where(where, parameter)
    path = "" if start is None else start.pointer()
    return replace(problem, path=path + "".join("/" + token for token in rest))
