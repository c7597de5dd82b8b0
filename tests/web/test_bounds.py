"""Forms, files and links that hold more than a page can show."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import FakeGateway, form, htmx
from webapp.core.problems import Refused
from webapp.web import bounds
from webapp.web.draft import EXAMPLE, Attribute, Change, Draft, Fields, Rule
from webapp.web.loading import MAX_DESIGN_BYTES, unpack
from webapp.web.writing import write_design

URLENCODED = "application/x-www-form-urlencoded"
# A control of each kind, how many are taken, and what is said of one more.
KINDS = {
    "records": ("changes/{}/operation", 100, "100 records, and this makes 101"),
    "actions": ("actions/{}/operation", 100, "100 actions, and this makes 101"),
    "rules": ("design/unique/{}/namespace", 200, "200 rules, and this makes 201"),
    "attributes": ("changes/0/attributes/{}/name", 1000, "1,000 rows of attributes"),
    "parts": ("design/unique/0/attributes/{}", 2000, "2,000 rows, and this makes 2,001"),
    "conditions": ("actions/0/filter/{}/op", 2000, "2,000 rows, and this makes 2,001"),
    "operands": ("actions/0/filter/0/operands/{}/path", 2001, "2,000 rows"),
    "deep": ("actions/0/filter/0/0/0/0/0/0/0/0/{}/op", 1992, "2,000 rows"),
    "other": ("x{}", 20_000, "20,000 controls, and this makes 20,001"),
}


def many(name: str, count: int) -> list[str]:
    """The names of so many controls, with a rule of its own for the parts."""
    return [name.format(number) for number in range(count)]


@pytest.mark.parametrize(("name", "limit", "_said"), KINDS.values(), ids=KINDS)
def test_a_form_takes_as_many_as_its_bound(name: str, limit: int, _said: str) -> None:
    bounds.check_names(many(name, limit))


@pytest.mark.parametrize("path", ["/", "/expressions", "/table", "/explain", "/run", "/check"])
@pytest.mark.parametrize(("name", "limit", "said"), KINDS.values(), ids=KINDS)
def test_a_larger_form_is_refused_with_the_number(
    client: FlaskClient, path: str, name: str, limit: int, said: str
) -> None:
    body = "&".join(f"{name}=x" for name in many(name, limit + 1))
    answer = client.post(path, data=body, content_type=URLENCODED, headers=htmx("result"))
    assert answer.status_code == 413
    assert said in answer.text
    assert len(answer.data) < 10_000


def test_a_form_with_a_file_has_the_same_bounds(client: FlaskClient) -> None:
    sent = dict.fromkeys(many("changes/{}/operation", 101), "create")
    answer = client.post("/", data=sent, content_type="multipart/form-data")
    assert (answer.status_code, "this makes 101" in answer.text) == (413, True)


def test_a_name_without_end_is_looked_at_no_further_than_a_control_of_ours() -> None:
    bounds.check_names(["actions/" + "0/" * 100_000])


def test_the_keys_of_every_change_are_found_by_its_row() -> None:
    names = ["changes/0/key/id", "changes/0/key/a/b", "changes/1/key/id", "changes/1/key/a/key/b"]
    fields = Fields((name, name[-1]) for name in names)
    assert fields.keys("changes/0") == {"id": "d", "a/b": "b"}
    assert fields.keys("changes/1") == {"id": "d", "a/key/b": "b"}
    assert fields.keys("changes/2") == {}


def full(what: str) -> Draft:
    """The worked example with as many of something as a form takes."""
    one = EXAMPLE.changes[0]
    match what:
        case "add-rule":
            return replace(EXAMPLE, rules=(Rule("EMAIL", ("email",)),) * 200)
        case "add-change":
            return replace(EXAMPLE, rules=(), changes=(Change(key={"id": "a"}),) * 100)
        case _:
            return replace(EXAMPLE, changes=(replace(one, attributes=(Attribute("a"),) * 1000),))


@pytest.mark.parametrize("button", ["add-rule", "add-change", "add-attribute/0"])
def test_a_button_that_would_make_more_leaves_the_form_as_it_was(
    client: FlaskClient, button: str
) -> None:
    draft = full(button)
    answer = client.post("/", data=form(draft, do=button))
    assert answer.status_code == 422
    assert "A form takes" in answer.text
    assert f'name="{_last_of(draft)}"' in answer.text


def _last_of(draft: Draft) -> str:
    if len(draft.rules) == 200:
        return "design/unique/199/namespace"
    last = len(draft.changes) - 1
    return f"changes/{last}/operation" if last else "changes/0/attributes/999/name"


def test_a_button_of_the_expressions_that_would_make_more_is_refused(client: FlaskClient) -> None:
    sent = {"operation": "TransactGetItems"} | dict.fromkeys(many("actions/{}/table", 100), "x")
    answer = client.post("/expressions", data=sent | {"do": "add-part actions"})
    assert answer.status_code == 413
    assert "100 actions, and this makes 101" in answer.text


@pytest.mark.parametrize("path", ["/", "/expressions"])
@pytest.mark.parametrize(
    ("sent", "status"), [({"do": "no-such-button"}, 400), (dict.fromkeys(many("x{}", 20_001)), 413)]
)
def test_a_fault_is_shown_beside_the_form_and_not_in_its_place(
    client: FlaskClient, path: str, sent: dict[str, Any], status: int
) -> None:
    body = "&".join(f"{name}={text}" for name, text in sent.items())
    for part, retarget in (("work", "#result"), ("result", None)):
        answer = client.post(path, data=body, content_type=URLENCODED, headers=htmx(part))
        assert answer.status_code == status
        assert answer.headers.get("HX-Retarget") == retarget
        assert '<div class="bar troubled" id="bar"' in answer.text


def design(rules: int) -> dict[str, Any]:
    """The design of the worked example with so many rules."""
    unique = [{"namespace": f"N{n}", "attributes": [f"a{n}"]} for n in range(rules)]
    return write_design(EXAMPLE) | {"unique": unique}


LOADED = {
    "a design": lambda document: document,
    "a plan request": lambda document: {"design": document, "changes": []},
}


@pytest.mark.parametrize("made", LOADED.values(), ids=LOADED)
def test_a_design_with_too_many_rules_is_not_loaded(client: FlaskClient, made: Any) -> None:
    pasted = json.dumps(made(design(201)))
    answer = client.post("/", data=form(do="load", pasted=pasted))
    assert answer.status_code == 422
    assert "A form takes 200 rules, and this makes 201." in answer.text
    assert "ada@lovelace.io" in answer.text
    assert "&#34;N200&#34;" in answer.text


def test_a_design_with_as_many_rules_as_a_form_takes_is_loaded(client: FlaskClient) -> None:
    answer = client.post("/", data=form(do="load", pasted=json.dumps(design(200))))
    assert 'name="design/unique/199/namespace"' in answer.text


def test_a_record_with_more_attributes_than_a_form_takes_is_not_loaded(
    client: FlaskClient, gateway: FakeGateway
) -> None:
    key = {"PK": {"S": "ACCT#a1f9c3"}, "SK": {"S": "PROFILE"}}
    gateway.stored = key | {f"x{n}": {"S": "v"} for n in range(100)}
    other = Change(key={"id": "b"}, attributes=(Attribute(),) * 950)
    draft = replace(EXAMPLE, changes=(EXAMPLE.changes[0], other))
    answer = client.post("/record", data=form(draft, look="0/local"))
    assert (answer.status_code, "1,000 rows of attributes" in answer.text) == (422, True)


def link(text: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(text, 9)).rstrip(b"=").decode()


def test_a_link_with_too_many_rules_opens_the_page_without_them(client: FlaskClient) -> None:
    answer = client.get("/?design=" + link(json.dumps(design(201)).encode()))
    assert answer.status_code == 422
    assert "A form takes 200 rules, and this makes 201." in answer.text
    assert 'name="design/unique/2/namespace"' not in answer.text


def test_a_rule_with_too_many_attributes_is_not_loaded(client: FlaskClient) -> None:
    document = design(1)
    document["unique"][0]["attributes"] = [f"a{n}" for n in range(2001)]
    answer = client.get("/?design=" + link(json.dumps(document).encode()))
    assert answer.status_code == 422
    assert "A form takes 2,000 rows, and this makes 2,001." in answer.text


def test_a_link_is_unpacked_up_to_its_bound() -> None:
    text = b'"' + b"x" * (MAX_DESIGN_BYTES - 2) + b'"'
    assert unpack(link(text)) == text
    with pytest.raises(Refused) as raised:
        unpack(link(text + b" "))
    assert [problem.code for problem in raised.value.problems] == ["design-link"]
