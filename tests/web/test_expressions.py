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
from tests.web.conftest import AWS, FakeGateway, form, htmx, trouble
from tests.web.reading import Controls, notes, shown_request
from webapp.answers import Answer, Committed, Rejected, Unknown, Unreachable
from webapp.core.expressions.nodes import Expression
from webapp.core.expressions.operators import operators_of
from webapp.core.expressions.tree_reader import TreeReader
from webapp.core.expressions.tree_writer import tree_document
from webapp.core.problems import Problems
from webapp.core.values import Where
from webapp.web import create_app
from webapp.web.expressions.filling import fill
from webapp.web.expressions.form import form_of, leaves_of
from webapp.web.expressions.outline import read_outline
from webapp.web.expressions.writing import write
from webapp.web.settings import Settings, Target

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
    written = write(form_of(read_outline(fill(document)).numbered()))
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


def test_what_is_still_empty_is_asked_for_and_no_mistake(client: FlaskClient) -> None:
    page = sent(client, [("operation", "Query"), ("actions/0/key_condition/0/op", "=")])
    assert page.status_code == 422
    assert (notes(page.text), Controls(page.text).invalid) == ({}, [])
    wanted = page.text.split('aria-labelledby="open"')[1].split("</section>")[0]
    assert set(re.findall(r'<a href="#([^"]+)"', wanted)) == {
        "actions-0-table",
        "actions-0-key_condition-0-operands-0-path",
        "actions-0-key_condition-0-operands-1-value",
    }


def test_what_is_still_empty_is_asked_for_in_the_order_of_the_form(client: FlaskClient) -> None:
    controls = [
        f"actions/0/filter/{row}/operands/{operand}"
        for row in (0, 1)
        for operand in ("0/path", "1/value")
    ]
    rows = [("actions/0/filter/op", "and"), *((f"actions/0/filter/{n}/op", "=") for n in (0, 1))]
    empty = [(name, "") for name in controls]
    page = sent(client, [("operation", "Scan"), ("actions/0/table", "accounts"), *rows, *empty])
    wanted = page.text.split('aria-labelledby="open"')[1].split("</section>")[0]
    asked = re.findall(r'<a href="#([^"]+)"', wanted)
    assert asked == [name.replace("/", "-") for name in controls]


# Buttons


FILTER = {
    "op": "and",
    "args": [
        {"op": "=", "path": "a", "value": {"S": "1"}},
        {"op": "or", "args": [{"op": "attribute_exists", "path": n} for n in "bc"]},
        {"op": "in", "path": "d", "values": [{"N": "1"}, {"N": "2"}]},
    ],
}
BUTTONS = {
    "remove actions/0/filter/0": "(attribute_exists(b) OR attribute_exists(c)) AND d IN (:d, :d_2)",
    "up actions/0/filter/2": (
        "a = :a AND d IN (:d, :d_2) AND (attribute_exists(b) OR attribute_exists(c))"
    ),
    "down actions/0/filter/1/0": (
        "a = :a AND (attribute_exists(c) OR attribute_exists(b)) AND d IN (:d, :d_2)"
    ),
    "remove actions/0/filter/2/operands/1": (
        "a = :a AND (attribute_exists(b) OR attribute_exists(c)) AND d IN (:d)"
    ),
    "up actions/0/filter/0": (
        "a = :a AND (attribute_exists(b) OR attribute_exists(c)) AND d IN (:d, :d_2)"
    ),
}


@pytest.mark.parametrize(("button", "text"), BUTTONS.items(), ids=BUTTONS.keys())
def test_a_button_moves_or_removes_a_row_with_all_below_it(
    client: FlaskClient, button: str, text: str
) -> None:
    page = sent(client, fill(SCAN | {"filter": FILTER}), do=button)
    request: Any = shown_request(page.text)
    assert request["FilterExpression"] == text


ADDED = {
    "add-condition actions/0/filter": "actions/0/filter/3/operands/0/path",
    "add-group actions/0/filter/1": "actions/0/filter/1/2/0/operands/0/path",
    "add-value actions/0/filter/2/operands": "actions/0/filter/2/operands/3/value",
    "add-path actions/0/projection": "actions/0/projection/0",
    "add-attribute actions/0/exclusive_start_key": "actions/0/exclusive_start_key/0/name",
    "add-name actions/0/names": "actions/0/names/0/token",
}


@pytest.mark.parametrize(("button", "focus"), ADDED.items(), ids=ADDED.keys())
def test_a_button_adds_a_row_and_leads_to_it(client: FlaskClient, button: str, focus: str) -> None:
    page = sent(client, fill(SCAN | {"filter": FILTER}), do=button)
    assert focus in Controls(page.text).pairs
    assert re.findall(r'name="([^"]+)"[^>]* autofocus', page.text) == [focus]


@pytest.mark.parametrize("button", ["remove", "remove x", "paint actions/0", "remove actions/9"])
def test_a_button_that_is_not_there_is_refused(client: FlaskClient, button: str) -> None:
    assert sent(client, fill(SCAN), do=button).status_code == 400


def test_what_was_typed_survives_another_operator_and_another_operation(
    client: FlaskClient,
) -> None:
    between = {"op": "between", "path": "n", "low": {"N": "1"}, "high": {"N": "9"}}
    first = Controls(sent(client, fill(SCAN | {"filter": between})).text).pairs
    changed = first | {"actions/0/filter/0/op": "attribute_exists", "operation": "PutItem"}
    page = sent(client, changed.items())
    assert "BETWEEN" not in page.text
    back = Controls(page.text).pairs | {"operation": "Scan", "actions/0/filter/0/op": "between"}
    request: Any = shown_request(sent(client, back.items()).text)
    assert request["FilterExpression"] == "n BETWEEN :n_low AND :n_high"


def test_one_operation_becomes_an_action_of_a_transaction_and_back(client: FlaskClient) -> None:
    delete = {"operation": "DeleteItem", "table": "accounts", "key": {"PK": {"S": "1"}}}
    controls = Controls(sent(client, fill(delete)).text).pairs
    page = sent(client, (controls | {"operation": "TransactWriteItems"}).items())
    action = {"Delete": {"TableName": "accounts", "Key": {"PK": {"S": "1"}}}}
    assert shown_request(page.text) == {"TransactItems": [action]}
    more = pressed(client, Controls(page.text).pairs.items(), "add-part actions")
    more |= {"actions/1/table": "logs", "actions/1/item/0/name": "PK"}
    more |= {"actions/1/item/0/value": "2"}
    both: Any = shown_request(sent(client, more.items(), do="up actions/1").text)
    put = {"Put": {"TableName": "logs", "Item": {"PK": {"S": "2"}}}}
    assert both == {"TransactItems": [put, action]}


def test_the_plan_of_the_first_page_can_be_edited_by_hand(client: FlaskClient) -> None:
    plan = shown_request(client.post("/", data=form()).text)
    page = client.post("/expressions", data=form(do="expressions"))
    assert (page.status_code, shown_request(page.text)) == (200, plan)


# Words, and trying it


def test_each_condition_is_a_sentence_with_what_a_missing_attribute_yields(
    client: FlaskClient,
) -> None:
    said = words(client.get("/expressions").text)
    assert '“status” does not equal "closed" If “status” is missing, this is true.' in said
    assert "the size of “tags” is at least 2 If “tags” is missing, this is false." in said


HOLDS = {
    "typed": ('{"a": {"S": "1"}}', "The filter keeps this item."),
    "plain": ('{"a": "1"}', "The filter keeps this item."),
    "another": ('{"Item": {"a": {"N": "1"}}}', "The filter drops this item"),
    "none": ("null", "The filter drops this item"),
}


@pytest.mark.parametrize(("sample", "said"), HOLDS.values(), ids=HOLDS.keys())
def test_a_condition_is_tried_on_an_item(client: FlaskClient, sample: str, said: str) -> None:
    tree = {"op": "=", "path": "a", "value": {"S": "1"}}
    page = sent(client, fill(SCAN | {"filter": tree}), sample=sample)
    assert (page.status_code, said in words(page.text)) == (200, True)


UPDATE: dict[str, Any] = {
    "operation": "UpdateItem",
    "table": "accounts",
    "key": {"PK": {"S": "1"}},
    "update": [{"set": "n", "to": {"plus": [{"path": "n"}, {"value": {"N": "1"}}]}}],
}


def test_an_update_is_tried_on_an_item(client: FlaskClient) -> None:
    page = sent(client, fill(UPDATE), sample='{"PK": "1", "n": 0.30}')
    said = words(page.text).replace(" ", "")
    assert 'leavesthisitem:{"PK":{"S":"1"},"n":{"N":"1.3"}}' in said
    refused = sent(client, fill(UPDATE), sample='{"PK": "1"}')
    assert "The item has no “n”, and the update reads it." in words(refused.text)


def test_what_is_no_item_is_told_at_the_sample(client: FlaskClient) -> None:
    for sample in ("[1]", "{", '{"a": {"S": 1}}'):
        page = sent(client, fill(SCAN), sample=sample)
        assert list(notes(page.text)) == ["sample"]
        assert Controls(page.text).pairs["sample"] == sample


# Reading back


def test_a_pasted_request_fills_the_form_and_keeps_its_placeholders(client: FlaskClient) -> None:
    request = {
        "TableName": "accounts",
        "FilterExpression": "#s = :wanted OR NOT attribute_exists(x)",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":wanted": {"S": "open"}},
    }
    page = sent(client, fill(UPDATE), do="read", pasted=json.dumps(request), sample="{}")
    assert (page.status_code, shown_request(page.text)) == (200, request)
    controls = Controls(page.text).pairs
    assert (controls["operation"], controls["sample"]) == ("Scan", "{}")


def test_a_bare_expression_replaces_only_its_own_kind(client: FlaskClient) -> None:
    query = {
        "operation": "Query",
        "table": "accounts",
        "key_condition": {"op": "=", "path": "PK", "value": {"S": "1"}},
    }
    pasted = {"pasted": "size(tags) > :n", "pasted/values": '{":n": {"N": "2"}}'}
    page = client.post("/expressions", data={**dict(fill(query)), "do": "read", **pasted})
    assert shown_request(page.text) == {
        "TableName": "accounts",
        "KeyConditionExpression": "PK = :PK",
        "FilterExpression": "size(tags) > :n",
        "ExpressionAttributeValues": {":PK": {"S": "1"}, ":n": {"N": "2"}},
    }


def test_an_update_expression_changes_the_operation(client: FlaskClient) -> None:
    page = sent(client, fill(SCAN), do="read", pasted="REMOVE nick, tags[0]")
    assert Controls(page.text).pairs["operation"] == "UpdateItem"
    assert "REMOVE nick, tags[0]" not in page.text.split('id="result"')[1]
    assert Controls(page.text).pairs["actions/0/update/1/path"] == "tags[0]"


def test_a_syntax_error_shows_its_character_and_keeps_the_form(client: FlaskClient) -> None:
    tree = {"op": "attribute_exists", "path": "a"}
    page = sent(client, fill(SCAN | {"filter": tree}), do="read", pasted="a = :a OR OR b")
    assert page.status_code == 422
    assert "a = :a OR OR b\n          ^^" in unescape(page.text)
    controls = Controls(page.text)
    assert controls.pairs["pasted"] == "a = :a OR OR b"
    assert controls.pairs["actions/0/filter/0/operands/0/path"] == "a"
    assert controls.invalid == ["pasted"]


UNREADABLE = ["", "{", "[]", '{"a": 1}', "\x00", "(" * 300, "a" * 5000, '{"TransactItems": 7}']


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_cannot_be_read_back_stays_as_it_was_pasted(client: FlaskClient, text: str) -> None:
    page = sent(client, fill(SCAN), do="read", pasted=text)
    assert page.status_code == 422
    assert Controls(page.text).pairs["pasted"] == text
    assert shown_request(page.text) == {"TableName": "accounts"}


def test_a_reserved_word_is_read_shown_and_put_right(client: FlaskClient) -> None:
    values = {"pasted/values": '{":s": {"S": "open"}}'}
    page = sent(client, fill(SCAN), do="read", pasted="status = :s", **values)
    assert page.status_code == 200
    assert "status = :s\n^^^^^^" in unescape(page.text)
    request: Any = shown_request(page.text)
    assert (request["FilterExpression"], request["ExpressionAttributeNames"]) == (
        "#status = :s",
        {"#status": "status"},
    )


def test_an_expression_too_deep_for_the_form_is_told(client: FlaskClient) -> None:
    text = "NOT (a = :a AND " * 40 + "b = :a" + ")" * 40
    page = sent(
        client, fill(SCAN), do="read", pasted=text, **{"pasted/values": '{":a": {"S": "1"}}'}
    )
    assert page.status_code == 422
    assert "too deep for this form" in words(page.text)


# Running it


def page_of(count: int, last: str | None = None, **more: Any) -> Committed:
    items = [{"PK": {"S": f"{number}"}} for number in range(count)]
    key = {"LastEvaluatedKey": {"PK": {"S": last}}} if last else {}
    return Committed({"Items": items, "Count": count, "ScannedCount": count, **key, **more})


def run(client: FlaskClient, pairs: Pairs, **more: str) -> Any:
    return sent(client, pairs, "/expressions/run", endpoint="local", **more)


def test_reading_runs_with_one_press_and_goes_on_until_the_last_key_is_gone(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.pages = [page_of(2, "2"), page_of(0, "5", ScannedCount=9), page_of(1)]
    page = run(client, fill(SCAN))
    said = [words(page.text)]
    for _ in range(2):
        controls = Controls(page.text).pairs
        page = sent(client, controls.items(), "/expressions/run/more", endpoint="local")
        said.append(words(page.text))
    assert "2 items Page 1; there is more." in said[0]
    assert "0 items of 9 that were read Page 2 is empty, and it is not the end" in said[1]
    assert "1 item Page 3, the last." in said[2]
    assert "run/more" not in page.text
    assert [json.loads(text) for text in gateway.sent] == [
        {"TableName": "accounts"},
        {"TableName": "accounts", "ExclusiveStartKey": {"PK": {"S": "2"}}},
        {"TableName": "accounts", "ExclusiveStartKey": {"PK": {"S": "5"}}},
    ]


def test_another_request_begins_at_its_first_page(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    gateway.pages = [page_of(2, "2"), page_of(1)]
    controls = Controls(run(client, fill(SCAN)).text).pairs | {"actions/0/limit": "7"}
    sent(client, controls.items(), "/expressions/run/more", endpoint="local")
    assert json.loads(gateway.sent[1]) == {"TableName": "accounts", "Limit": 7}


def test_writing_is_confirmed_before_anything_is_sent(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    page = run(client, fill(UPDATE))
    assert (page.status_code, gateway.sent) == (200, [])
    assert "UpdateItem writes to local (http://127.0.0.1:4566). Nothing was sent yet." in words(
        page.text
    )
    controls = Controls(page.text).pairs
    changed = run(client, (controls | {"actions/0/table": "others"}).items())
    assert (gateway.sent, "Nothing was sent yet" in words(changed.text)) == ([], True)
    done = run(client, controls.items())
    assert "The item is updated." in words(done.text)
    assert gateway.asked == ["UpdateItem"]
    assert json.loads(gateway.sent[0]) == shown_request(done.text)


@pytest.fixture
def aws(gateway: FakeGateway) -> FlaskClient:
    """A page that may write to AWS, under the name of the local endpoint."""
    targets = {"local": Target(AWS, lambda: gateway)}
    return create_app(Settings(targets=targets, allow_write=True)).test_client()


@pytest.mark.parametrize("typed", ["", "account", "accounts "])
def test_aws_is_written_to_only_with_the_table_name_typed(
    aws: FlaskClient, gateway: FakeGateway, typed: str
) -> None:
    page = run(aws, fill(UPDATE), confirm=typed)
    assert (page.status_code, gateway.sent) == (422, [])
    assert "confirm" in notes(page.text)
    assert "Yes, write" not in page.text
    controls = Controls(page.text).pairs
    assert controls["confirm"] == typed


def test_with_the_table_name_typed_aws_is_written_to_like_others(
    aws: FlaskClient, gateway: FakeGateway
) -> None:
    page = run(aws, fill(UPDATE), confirm="accounts")
    assert (page.status_code, gateway.sent) == (200, [])
    done = run(aws, Controls(page.text).pairs.items())
    assert (done.status_code, gateway.asked) == (200, ["UpdateItem"])
    unconfirmed = Controls(page.text).pairs | {"confirm": ""}
    assert run(aws, unconfirmed.items()).status_code == 422
    assert gateway.asked == ["UpdateItem"]


def test_reading_from_aws_and_writing_to_others_need_no_name(
    aws: FlaskClient, client: FlaskClient
) -> None:
    assert "confirm" not in Controls(sent(aws, fill(SCAN)).text).pairs
    assert run(aws, fill(SCAN)).status_code == 200
    assert "confirm" in Controls(sent(aws, fill(UPDATE)).text).pairs
    assert "confirm" not in Controls(sent(client, fill(UPDATE)).text).pairs


def rejected(code: str, message: str = "", **members: Any) -> Rejected:
    return Rejected(code, {"Error": {"Code": code, "Message": message}, **members}, 400)


FAILURES: dict[str, tuple[Answer, int, str]] = {
    "condition": (
        rejected("ConditionalCheckFailedException", Item={"PK": {"S": "1"}}),
        409,
        "The condition does not hold: nothing was written.",
    ),
    "refused": (rejected("ValidationException", "no"), 502, "ValidationException: no"),
    "unreachable": (Unreachable(trouble("connection-refused")), 502, "Nothing answers at local"),
    "unknown": (Unknown(trouble("answer-lost")), 502, "no whole answer came back"),
}


@pytest.mark.parametrize(("answer", "status", "said"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failed_run_says_what_happened(
    client: FlaskClient, gateway: FakeGateway, answer: Answer, status: int, said: str
) -> None:
    gateway.answer = answer
    confirmed = Controls(run(client, fill(UPDATE)).text).pairs
    page = run(client, confirmed.items())
    assert (page.status_code, said in words(page.text)) == (status, True)
    assert shown_request(page.text)


def test_a_cancelled_transaction_is_explained_slot_by_slot(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    check = {"op": "attribute_not_exists", "path": "PK"}
    put = {"operation": "PutItem", "table": "t-1", "item": {"PK": {"S": "1"}}, "condition": check}
    pairs = fill({"operation": "TransactWriteItems", "actions": [put]})
    reasons = [{"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}]
    gateway.answer = rejected("TransactionCanceledException", "x", CancellationReasons=reasons)
    page = run(client, Controls(run(client, pairs).text).pairs.items())
    assert page.status_code == 409
    assert "Nothing was written: a record with this key exists already." in words(page.text)
    assert "A record with the key 1 exists already. ConditionalCheckFailed" in words(page.text)


@pytest.mark.parametrize(("endpoint", "status"), [("nowhere", 404), ("prod", 403), ("", 404)])
def test_writing_needs_an_endpoint_with_leave(
    client: FlaskClient, gateway: FakeGateway, endpoint: str, status: int
) -> None:
    page = sent(client, fill(UPDATE), "/expressions/run", endpoint=endpoint)
    assert (page.status_code, gateway.sent) == (status, [])


def test_reading_needs_no_leave_to_write(client: FlaskClient, gateway: FakeGateway) -> None:
    gateway.answer = Committed({"Item": {"PK": {"S": "1"}, "n": {"N": "70605040302010908071"}}})
    get = {"operation": "GetItem", "table": "accounts", "key": {"PK": {"S": "1"}}}
    page = sent(client, fill(get), "/expressions/run", endpoint="prod")
    assert page.status_code == 200
    assert "70605040302010908071" in words(page.text)


def test_the_download_is_what_a_run_sends(client: FlaskClient, gateway: FakeGateway) -> None:
    file = sent(client, fill(SCAN), "/expressions/download/request.json")
    run(client, fill(SCAN))
    assert file.data == gateway.sent[0]
    assert client.get("/expressions/run").status_code == 303


# Hostile input


HOSTILE = "\n</textarea><script>alert(1)</script>\u202e\x00"


def test_nothing_that_was_typed_is_lost_or_run(client: FlaskClient) -> None:
    typed = {
        "operation": "Query",
        "actions/0/table": HOSTILE,
        "actions/0/index": HOSTILE,
        "actions/0/limit": HOSTILE,
        "actions/0/key_condition/0/operands/0/path": HOSTILE,
        "actions/0/key_condition/0/operands/1/value": HOSTILE,
        "actions/0/projection/0": HOSTILE,
        "actions/0/names/0/token": HOSTILE,
        "actions/0/exclusive_start_key/0/name": HOSTILE,
        "sample": HOSTILE,
        "pasted": HOSTILE,
        "pasted/names": HOSTILE,
    }
    for button in ("update", "read", "add-condition actions/0/filter"):
        page = sent(client, typed.items(), do=button)
        assert page.status_code == 422
        found = Controls(page.text).pairs
        assert {name: found[name] for name in typed} == typed
        assert "<script>alert" not in page.text


STRANGE = {
    "deep": "actions/0/filter/" + "0/" * 140 + "op",
    "long": "actions/" + "9" * 400,
    "empty parts": "actions//0///table",
    "huge row": "actions/999999/filter/999999/op",
    "no place": "/",
}


@pytest.mark.parametrize("name", STRANGE.values(), ids=STRANGE.keys())
def test_strange_names_are_answered(client: FlaskClient, name: str) -> None:
    pairs = [*fill(SCAN), (name, "and")]
    for button in ("update", f"add-group {name}", f"remove {name}"):
        assert sent(client, pairs, do=button).status_code in {200, 400, 422}


def test_groups_in_groups_are_drawn_to_the_end(client: FlaskClient) -> None:
    pairs = dict(fill(SCAN))
    for depth in range(28):
        pairs["actions/0/filter/" + "0/" * depth + "op"] = "and"
    page = sent(client, pairs.items())
    assert page.status_code == 422


def test_htmx_gets_the_result_and_no_field(client: FlaskClient) -> None:
    data = {**dict(fill(SCAN)), "noted": "actions/0/table", "said": ""}
    part = client.post("/expressions", data=data, headers=htmx("result"))
    assert part.text.lstrip().startswith('<div id="result"')
    assert not re.findall(r"<(input(?![^>]*hidden)|textarea|select)", part.text)
    assert '<p class="note" id="note-actions-0-table" hx-swap-oob="true"></p>' in part.text


def test_no_id_stands_twice_and_every_label_has_its_control(client: FlaskClient) -> None:
    pages = [client.get("/expressions"), client.get("/expressions?start=blank")]
    pages += [sent(client, fill(case["document"])) for case in CASES]
    for page in pages:
        ids = Controls(page.text).ids
        assert sorted(set(ids)) == sorted(ids)
        wanted = re.findall(r'(?:<label for|aria-describedby|aria-labelledby)="([^"]+)"', page.text)
        assert set(wanted) <= set(ids)
