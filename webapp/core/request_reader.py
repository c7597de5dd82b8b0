"""From a request with expression strings back to the document that describes it.

Rule: what can be read becomes a document that gives the same request again, with the user's own
placeholders. What DynamoDB would refuse in it is said at its place, in the request or at a
character of its text, and hinders the reading only where nothing could be read.
Source: API reference of the operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from webapp.core import operations
from webapp.core.dictionaries import Dictionary, read_dictionary
from webapp.core.expressions import Expression
from webapp.core.operations import OPERATIONS, SETTINGS, parameter_of
from webapp.core.operators import KINDS, Kind
from webapp.core.parse import parse_kind
from webapp.core.places import Findings
from webapp.core.problems import Problem, Problems, Text, excerpt, register
from webapp.core.request_checks import check_request, check_tree
from webapp.core.tree_writer import tree_document
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
MEMBERS = {parameter: member for member, parameter in SETTINGS.items()} | {
    parameter_of(member): member for member in operations.MAPS
}


class Reading(NamedTuple):
    """Faults found while reading: those that leave nothing to read, and the others."""

    fatal: Findings
    other: Findings


class RequestReader:
    """Reads one request of a known operation, which stands at ``where`` in what was pasted."""

    def __init__(
        self, operation: str, request: Mapping[str, Any], where: Where | None, reading: Reading
    ) -> None:
        self.operation = operation
        self.request = request
        self.where = where
        self.fatal, self.other = reading
        self.trees: dict[Kind, Expression] = {}
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
        tree = parse_kind(kind, self.request[parameter], path, self.dictionary, self.fatal)
        if tree is None:
            return None
        self.trees[kind] = tree
        return tree_document(tree)

    def _settings(self) -> dict[str, Any]:
        """The plain members of the request under the names of the document."""
        fields = OPERATIONS[self.operation].shape.model_fields
        expressions = {KINDS[kind].parameter for kind in OPERATIONS[self.operation].kinds}
        settings = {}
        for parameter, value in self.request.items():
            member = MEMBERS.get(parameter)
            if member in fields:
                settings[str(member)] = value
            elif parameter not in expressions | {NAMES, VALUES}:
                self._refuse_parameter(parameter)
        return settings

    def _refuse_parameter(self, parameter: str) -> None:
        at = Where(self.where, parameter)
        if parameter in LEGACY:
            instead = LEGACY[parameter]
            self.fatal.refuse("parameter-legacy", at, name=parameter, instead=instead)
        else:
            name = excerpt(parameter)
            self.fatal.refuse("parameter-unknown", at, name=name, operation=self.operation)

    def _check(self, document: dict[str, Any], *, is_whole: bool) -> None:
        """Check what was read as its document would be, at the places of the text."""
        problems = Problems()
        request = operations.read_request(document, None, problems)
        self.fatal.problems.extend(map(self._placed, problems))
        findings = Findings([], [])
        if request is not None and is_whole:
            check_request(replace(request, trees=self.trees), findings)
        else:
            for kind, tree in self.trees.items():
                check_tree(kind, tree, findings)
        self.other.problems.extend(map(self._placed, findings.problems))
        self.other.warnings.extend(map(self._placed, findings.warnings))

    def _placed(self, problem: Problem) -> Problem:
        """A problem of the document as one of the request; one of the text stays where it is."""
        if type(problem) is not Problem:
            return problem
        member, *rest = problem.path.split("/")[1:] or [""]
        parameter = KINDS[member].parameter if member in KINDS else parameter_of(member)  # type: ignore[index]
        start = Where(self.where, parameter) if member else self.where
        path = "" if start is None else start.pointer()
        return replace(problem, path=path + "".join("/" + token for token in rest))
