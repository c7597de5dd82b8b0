"""The placeholder maps of a request that is read back: what ``#name`` and ``:value`` stand for.

Rule: a map is read once for all expressions of its request, each entry is checked whether it is
used or not, and what no expression used is noted in the end, as DynamoDB would refuse it.
Source: API reference, ExpressionAttributeNames and ExpressionAttributeValues.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from webapp.core.expressions.places import Findings
from webapp.core.expressions.tree_reader import is_name_token, is_value_token
from webapp.core.problems import Problem, Problems, Text, excerpt, register
from webapp.core.values import Value, Where, name_size, read_typed

register(
    {
        "map-empty": Text("“{name}” is empty.", "Leave it out: DynamoDB refuses an empty map."),
        "name-unused": Text(
            "The placeholder {name} is defined and never used.", "Remove it: DynamoDB refuses it."
        ),
        "value-unused": Text(
            "The placeholder {name} is defined and never used.", "Remove it: DynamoDB refuses it."
        ),
        "names-expected": Text(
            "{given} is no map of placeholders.", 'Write it like {{"#status": "status"}}.'
        ),
        "values-expected": Text(
            "{given} is no map of placeholders.", 'Write it like {{":status": {{"S": "active"}}}}.'
        ),
    }
)


@dataclass(slots=True)
class Dictionary:
    """The placeholders of one request, and which of them its expressions used."""

    names: Mapping[str, str]
    values: Mapping[str, Value]
    used_names: set[str] = field(default_factory=set)
    used_values: set[str] = field(default_factory=set)
    names_at: Where | None = None
    values_at: Where | None = None
    empty: tuple[Where, ...] = ()
    given: Mapping[str, object] = field(default_factory=dict)

    def is_consequence(self, problem: Problem) -> bool:
        """Whether a placeholder is only unknown because what it stands for could not be read."""
        given = self.given.get(problem.code)
        if given is None or isinstance(given, dict):
            return problem.params.get("name") in (given or {})
        return True

    def note_useless(self, findings: Findings) -> None:
        """Note empty maps, and every placeholder that no expression has used."""
        for at in self.empty:
            findings.refuse("map-empty", at, name=at.token)
        for token in [name for name in self.names if name not in self.used_names]:
            findings.refuse("name-unused", Where(self.names_at, token), name=token)
        for token in [value for value in self.values if value not in self.used_values]:
            findings.refuse("value-unused", Where(self.values_at, token), name=token)

    def kept_names(self) -> dict[str, str]:
        """The placeholders for names that were used, in the order of their map."""
        return {token: name for token, name in self.names.items() if token in self.used_names}


def read_dictionary(
    names: object, values: object, names_at: Where, values_at: Where, problems: Problems
) -> Dictionary:
    """The placeholders of two maps (``None``: not given), everything wrong in them noted."""
    empty = tuple(at for given, at in ((names, names_at), (values, values_at)) if given == {})
    read_names = {} if names is None else _names(names, names_at, problems)
    read_values = {} if values is None else _values(values, values_at, problems)
    return Dictionary(
        read_names,
        read_values,
        names_at=names_at,
        values_at=values_at,
        empty=empty,
        given={"name-undefined": names, "value-undefined": values},
    )


def _names(document: object, where: Where, problems: Problems) -> dict[str, str]:
    if not isinstance(document, dict):
        problems.add("names-expected", where.pointer(), given=excerpt(document))
        return {}
    names = {}
    for token, name in document.items():
        at = Where(where, token)
        name_size(name, at, problems)
        if isinstance(name, str):
            names[token] = name
        if not is_name_token(token):
            _refuse_token(token, "name", "#", at, problems)
    return names


def _values(document: object, where: Where, problems: Problems) -> dict[str, Value]:
    if not isinstance(document, dict):
        problems.add("values-expected", where.pointer(), given=excerpt(document))
        return {}
    values = {}
    for token, member in document.items():
        at = Where(where, token)
        value = read_typed(member, at, problems)
        if value is not None:
            values[token] = value
        if not is_value_token(token):
            _refuse_token(token, "value", ":", at, problems)
    return values


def _refuse_token(token: str, what: str, sign: str, at: Where, problems: Problems) -> None:
    given = excerpt(token)
    problems.add("placeholder-malformed", at.pointer(), given=given, what=what, sign=sign)
