"""The page of the expression builder: what its form becomes, and what becomes of the form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings

from tests.core import expression_trees as trees
from tests.web.reading import Controls, notes, shown_request
from webapp.core.expressions.nodes import Expression
from webapp.core.expressions.operators import operators_of
from webapp.core.expressions.tree_reader import TreeReader
from webapp.core.expressions.tree_writer import tree_document
from webapp.core.problems import Problems
from webapp.core.values import Where
from webapp.web.expressions.filling import fill
from webapp.web.expressions.form import leaves_of, read_form
from webapp.web.expressions.writing import write

Pairs = Iterable[tuple[str, str]]

CASES = json.loads((Path(__file__).parents[1] / "cases/expression-requests.json").read_text())
SCAN: dict[str, Any] = {"operation": "Scan", "table": "accounts"}


def sent(client: FlaskClient, pairs: Pairs, path: str = "/expressions", **more: str) -> Any:
    return client.post(path, data={**dict(pairs), **more})


def pressed(client: FlaskClient, pairs: Pairs, button: str) -> dict[str, str]:
    """The controls of the page after a button was pressed."""
    return Controls(sent(client, pairs, do=button).text).pairs


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


# The form holds every document


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_document_goes_through_the_form_to_the_same_request(
    client: FlaskClient, case: dict[str, Any]
) -> None:
    page = sent(client, fill(case["document"]))
    assert page.status_code == 200
    assert shown_request(page.text) == case["request"]
    again = sent(client, Controls(page.text).pairs.items())
    assert shown_request(again.text) == case["request"]


def through_the_form(operation: str, kind: Any, tree: Expression) -> Expression | None:
    """The tree after it stood in the form."""
    document = {"operation": operation, "table": "accounts", kind: tree_document(tree)}
    written = write(read_form(fill(document)))
    assert written.problems == ()
    problems = Problems()
    reader = TreeReader(problems)
    read: Any = {"update": reader.update, "projection": reader.projection}
    found: Expression | None = read.get(kind, reader.condition)(
        written.document[kind], Where(None, kind)
    )
    assert problems == []
    return found


FAST = settings(suppress_health_check=[HealthCheck.too_slow])


@FAST
@given(trees.conditions)
def test_the_form_holds_every_condition(tree: Expression) -> None:
    assert through_the_form("Scan", "filter", tree) == tree


@FAST
@given(trees.updates())
def test_the_form_holds_every_update(tree: Expression) -> None:
    assert through_the_form("UpdateItem", "update", tree) == tree


@FAST
@given(trees.projections)
def test_the_form_holds_every_projection(tree: Expression) -> None:
    assert through_the_form("Scan", "projection", tree) == tree


def test_B93_every_operator_can_be_chosen_and_gives_a_valid_request(client: FlaskClient) -> None:
    leaves = {op for op, row in operators_of("filter").items() if row.form in TREE_LEAVES}
    assert set(leaves_of("filter")) == leaves
    for op in leaves:
        pairs = {"operation": "Scan", "actions/0/table": "accounts", "actions/0/filter/0/op": op}
        for number in range(3):
            pairs[f"actions/0/filter/0/operands/{number}/path"] = "tags"
            pairs[f"actions/0/filter/0/operands/{number}/value"] = "S"
        page = sent(client, pairs.items())
        assert (page.status_code, notes(page.text)) == (200, {}), op
        assert operators_of("filter")[op].token in str(shown_request(page.text))


TREE_LEAVES = {"comparator", "between", "in", "function"}


def test_B93_not_and_nested_groups_and_size_are_reached_by_buttons(client: FlaskClient) -> None:
    controls = pressed(client, fill(SCAN), "add-condition actions/0/filter")
    controls["actions/0/filter/0/operands/0/path"] = "a"
    controls["actions/0/filter/0/operands/1/value"] = "1"
    controls = pressed(client, controls.items(), "add-group actions/0/filter")
    controls["actions/0/filter/1/not"] = "on"
    for number, (kind, path) in enumerate((("size", "b"), ("path", "c"))):
        operands = f"actions/0/filter/1/{number}/operands"
        controls[f"{operands}/0/kind"] = kind
        controls[f"{operands}/0/path"] = path
        controls[f"{operands}/1/type"] = "N"
        controls[f"{operands}/1/value"] = str(number)
    page = sent(client, controls.items())
    assert shown_request(page.text) == {
        "TableName": "accounts",
        "FilterExpression": "a = :a AND NOT (size(b) = :b_size OR c = :c)",
        "ExpressionAttributeValues": {":a": {"S": "1"}, ":b_size": {"N": "0"}, ":c": {"N": "1"}},
    }


def test_B94_odd_names_are_valid_at_once_and_a_new_name_leaves_no_placeholder(
    client: FlaskClient,
) -> None:
    query = {
        "operation": "Query",
        "table": "accounts",
        "key_condition": {"op": "=", "path": "IX-2-KEY", "value": {"S": "1"}},
        "filter": {"op": "=", "path": "_type", "value": {"S": "x"}},
    }
    page = sent(client, fill(query))
    assert shown_request(page.text) == {
        "TableName": "accounts",
        "KeyConditionExpression": "#IX_2_KEY = :IX_2_KEY",
        "FilterExpression": "#_type = :_type",
        "ExpressionAttributeNames": {"#IX_2_KEY": "IX-2-KEY", "#_type": "_type"},
        "ExpressionAttributeValues": {":IX_2_KEY": {"S": "1"}, ":_type": {"S": "x"}},
    }
    controls = Controls(page.text).pairs | {"actions/0/filter/0/operands/0/path": "kind"}
    assert shown_request(sent(client, controls.items()).text) == {
        "TableName": "accounts",
        "KeyConditionExpression": "#IX_2_KEY = :IX_2_KEY",
        "FilterExpression": "kind = :kind",
        "ExpressionAttributeNames": {"#IX_2_KEY": "IX-2-KEY"},
        "ExpressionAttributeValues": {":IX_2_KEY": {"S": "1"}, ":kind": {"S": "x"}},
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("e.mail", "e.mail"),
        ('"e.mail"', "#e_mail"),
        ("tags[0]", "tags[0]"),
        ('"tags[0]"', "#tags_0"),
        ('profile."a b"[2].naïve', "profile.#a_b[2].#naive"),
    ],
)
def test_B46_B44_paths_and_literal_names_are_told_apart(
    client: FlaskClient, path: str, text: str
) -> None:
    tree = {"op": "attribute_exists", "path": path}
    page = sent(client, fill(SCAN | {"filter": tree}))
    request: Any = shown_request(page.text)
    assert request["FilterExpression"] == f"attribute_exists({text})"


# Checks at their rows


def with_values(count: int) -> dict[str, Any]:
    values = [{"N": str(number)} for number in range(count)]
    return {"filter": {"op": "in", "path": "status", "values": values}}


INDEX = {
    "operation": "Query",
    "index": "by-gpk",
    "partition_key": {"name": "gpk", "type": "S"},
    "sort_key": {"name": "gsk", "type": "S"},
    "key_condition": {"op": "=", "path": "gpk", "value": {"S": "1"}},
}
ON_SORT_KEY = {"filter": {"op": ">", "path": "gsk", "value": {"S": "x"}}}
WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "B50 over a hundred": (with_values(101), "filter-0-op", "101 values"),
    "B52 a key in a filter": (INDEX | ON_SORT_KEY, "filter-0-operands-0-path", "gsk"),
    "B53 no equality": (
        {
            "operation": "Query",
            "key_condition": {"op": "begins_with", "path": "PK", "value": {"S": "A"}},
        },
        "key_condition-0-op",
        "Add = for the partition key",
    ),
    "B54 a path in a path": (
        {"projection": ["profile", "profile.name"]},
        "projection-1",
        "overlap",
    ),
    "bounds out of order": (
        {"filter": {"op": "between", "path": "n", "low": {"N": "9"}, "high": {"N": "1"}}},
        "filter-0-op",
        "lower bound",
    ),
    "bounds of two types": (
        {"filter": {"op": "between", "path": "n", "low": {"N": "1"}, "high": {"S": "9"}}},
        "filter-0-op",
        "different types",
    ),
    "a number has no beginning": (
        {"filter": {"op": "begins_with", "path": "n", "value": {"N": "9"}}},
        "filter-0-operands-1-value",
        "begins_with takes S, B",
    ),
    "an empty set": (
        {"filter": {"op": "=", "path": "n", "value": {"SS": [""]}}},
        "",
        "",
    ),
    "changing a key": (
        {
            "operation": "UpdateItem",
            "key": {"PK": {"S": "1"}},
            "update": [{"set": "PK", "to": {"value": {"S": "2"}}}],
        },
        "update-0-path",
        "PK",
    ),
    "no limit": ({"limit": "many"}, "limit", "many"),
}


@pytest.mark.parametrize(("members", "control", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_problem_stands_at_its_row(
    client: FlaskClient, members: dict[str, Any], control: str, said: str
) -> None:
    page = sent(client, fill(SCAN | members))
    found = notes(page.text)
    if not control:
        assert (page.status_code, found) == (200, {})
        return
    assert page.status_code == 422
    assert list(found) == [f"actions-0-{control}"]
    assert said in found[f"actions-0-{control}"]
