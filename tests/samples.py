"""The worked example in parts, and short ways to plan with it."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.core import documents
from webapp.core.planning.plan import Plan
from webapp.core.problems import Refused

Json = dict[str, Any]

LOCK: Json = {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK", "owner": None, "table": None}
EMAIL: Json = {"namespace": "EMAIL", "attributes": ["email"]}
HANDLE: Json = {"namespace": "HANDLE", "attributes": ["username"]}
DESIGN: Json = {
    "version": 1,
    "table": "accounts",
    "partition_key": {"name": "PK", "type": "S"},
    "sort_key": {"name": "SK", "type": "S"},
    "record": {"partition": "ACCT#{id}", "sort": "PROFILE"},
    "lock": LOCK,
    "unique": [EMAIL, HANDLE],
    "alias": "needed",
}
OWNED: Json = {**DESIGN, "lock": {**LOCK, "owner": "owner"}}
ADA: Json = {"email": {"S": "ada@lovelace.io"}, "username": {"S": "ada"}}


def unique(*rules: Json, **members: Any) -> Json:
    """The worked example's design with other constraints, and other members where given."""
    return {**DESIGN, "unique": list(rules), **members}


def create(item: Json, record: str = "1", **members: Any) -> Json:
    """Create the record with that id."""
    return {"operation": "create", "key": {"id": record}, "item": item, **members}


def change(before: Json, after: Json, record: str = "1", **members: Any) -> Json:
    """Change the record with that id."""
    key = {"id": record}
    return {"operation": "change", "key": key, "before": before, "after": after, **members}


def delete(before: Json, record: str = "1", **members: Any) -> Json:
    """Delete the record with that id."""
    return {"operation": "delete", "key": {"id": record}, "before": before, **members}


def request(*changes: Any, design: Any = DESIGN, **members: Any) -> Json:
    """A plan request."""
    return {"design": design, "changes": list(changes), **members}


def plan(*changes: Json, design: Json = DESIGN, **members: Any) -> Plan:
    """The plan of changes of the worked example, or of another design."""
    return documents.plan(request(*changes, design=design, **members))


def actions(made: Plan) -> list[Json]:
    """What stands under each verb of a plan, in slot order."""
    return [next(iter(action.values())) for action in made.request["TransactItems"]]


def purposes(made: Plan) -> list[tuple[str, str | None, tuple[str, ...]]]:
    """Purpose, namespace and fields of each slot."""
    return [(slot.purpose, slot.constraint, slot.fields) for slot in made.slots]


def refusal(document: object) -> list[tuple[str, str]]:
    """Code and path of each problem that a plan request is refused for."""
    with pytest.raises(Refused) as raised:
        documents.plan(document)
    return [(problem.code, problem.path) for problem in raised.value.problems]


def refused(*changes: Any, design: Any = DESIGN, **members: Any) -> list[tuple[str, str]]:
    """Code and path of each problem that changes are refused for."""
    return refusal(request(*changes, design=design, **members))
