"""All ways into the application that its own map of addresses tells, for tests of every one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.web.conftest import form
from webapp.web import create_app
from webapp.web.draft import EXAMPLE
from webapp.web.expressions.filling import fill
from webapp.web.security import SAFE_METHODS
from webapp.web.writing import write

ASKED = write(EXAMPLE).document
EXPRESSION = dict(
    fill({"operation": "GetItem", "table": "accounts", "key": {"PK": {"S": "ACCT#a1f9c3"}}})
)
BODIES: Mapping[str, Any] = {
    "/api/v1/plan": ASKED,
    "/api/v1/run": ASKED | {"endpoint": "local"},
    "/api/v1/locks/check": {
        "design": ASKED["design"],
        "item": {"email": {"S": "ada@lovelace.io"}, "username": {"S": "ada"}},
        "endpoint": "local",
    },
    "/api/v1/explain": {"request": {"TransactItems": []}, "error": "[None, ThrottlingError]"},
    "/api/v1/lint": {"request": {"TransactItems": []}},
    "/api/v1/expression": {"operation": "GetItem", "table": "t", "key": {"a": {"S": "b"}}},
    "/api/v1/expression/parse": {"operation": "GetItem", "request": {"TableName": "t"}},
}
"""A document for each route of the API; every other route takes a form."""


@dataclass(frozen=True)
class Door:
    """One method of one address, its parts filled in."""

    method: str
    path: str

    def fields(self, endpoint: str = "local") -> dict[str, str]:
        """The form of its page, with all buttons that lead to an endpoint pressed at once."""
        own = EXPRESSION if self.path.startswith("/expressions") else form()
        buttons = {"endpoint": endpoint, "to": endpoint, "look": f"0/{endpoint}"}
        return {**own, **buttons, "confirm": "accounts"}

    def open(
        self, client: FlaskClient, headers: Mapping[str, str], body: Any = None
    ) -> TestResponse:
        """Ask there with what the page or a program sends, or with another body."""
        if self.path in BODIES:
            document = BODIES[self.path] if body is None else body
            return client.open(self.path, method=self.method, json=document, headers=headers)
        fields = self.fields() if body is None else body
        if self.method == "GET":
            return client.get(self.path, query_string=fields, headers=headers)
        return client.open(self.path, method=self.method, data=fields, headers=headers)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def _doors() -> tuple[Door, ...]:
    rules = list(create_app().url_map.iter_rules())
    found = ((rule, method) for rule in rules for method in sorted(rule.methods or ()))
    return tuple(
        Door(
            method,
            rule.rule.replace("<path:", "<").replace("<name>", "x").replace("<version>", "x"),
        )
        for rule, method in found
        if method not in {"HEAD", "OPTIONS"}
    )


DOORS = _doors()
READING = tuple(door for door in DOORS if door.method in SAFE_METHODS)
CHANGING = tuple(door for door in DOORS if door.method not in SAFE_METHODS)
