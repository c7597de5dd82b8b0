"""The document in which an explanation is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.samples import EMAIL, LOCK, unique
from webapp.core import documents
from webapp.core.failures.explain import told_once
from webapp.core.failures.question import read_question
from webapp.core.problems import Refused

DESIGN = unique(EMAIL, lock={**LOCK, "owner": "holder"})
ASKED: dict[str, Any] = {
    "design": DESIGN,
    "changes": [{"operation": "create", "key": {"id": "1"}, "item": {"email": {"S": "a@x.io"}}}],
}
PLAN = documents.plan(ASKED).as_document()
REQUEST = PLAN["request"]
TAKEN = "[None, ConditionalCheckFailed]"

WAYS = {
    "a plan": {"plan": PLAN},
    "a saved plan": {"plan": {"request": REQUEST, "slots": PLAN["slots"]}},
    "a plan request": {"plan": ASKED},
    "a plan's request alone": {"plan": REQUEST},
    "a request": {"request": REQUEST},
    "a request with its design": {"request": REQUEST, "design": DESIGN},
    "a bare list of actions": {"request": REQUEST["TransactItems"]},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_B69_however_it_is_asked_the_field_is_named(way: dict[str, Any]) -> None:
    explanation = read_question({"error": TAKEN, **way}).explanation()
    told = {name: [note.message for note in notes] for name, notes in explanation.fields.items()}
    assert (explanation.verdict, told) == ("taken", {"email": ["email is taken."]})


def test_an_error_alone_is_explained_as_far_as_it_goes() -> None:
    assert read_question({"error": TAKEN}).explanation().cause == "condition-failed"
    assert read_question({"error": "TransactionInProgressException"}).explanation().retry


def test_fields_of_which_one_thing_is_said_are_told_together() -> None:
    fields = {"PK": ["there"], "email": ["taken", "taken"], "SK": ["there"]}
    assert list(told_once(fields)) == [(("PK", "SK"), ("there",)), (("email",), ("taken",))]


def test_the_design_says_where_locks_store_their_owner() -> None:
    holder, other = ({"M": {"PK": {"S": f"ACCT#{number}"}}} for number in (2, 3))
    item = {"PK": {"S": "UNIQ#EMAIL#a@x.io"}, "holder": holder, "other": other}
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": item}]
    for way in (WAYS["a plan request"], {"plan": PLAN, "design": DESIGN}):
        explanation = read_question({"error": reasons, **way}).explanation()
        assert explanation.slots[0].owner == holder["M"]


REFUSALS: dict[str, tuple[object, list[tuple[str, str]]]] = {
    "no object": ([], [("member-type", "")]),
    "no error": ({"plan": PLAN}, [("member-missing", "/error")]),
    "an unknown member": ({"error": 1, "plans": 1}, [("member-unknown", "/plans")]),
    "both": ({"error": 1, "plan": PLAN, "request": REQUEST}, [("explain-both", "/request")]),
    "nothing as a plan": ({"error": 1, "plan": {}}, [("explain-no-slots", "/plan")]),
    "slots out of order": (
        {"error": 1, "plan": {"slots": PLAN["slots"][::-1]}},
        [("explain-no-slots", "/plan")],
    ),
    "no actions": (
        {"error": 1, "request": {"TransactItems": []}},
        [("explain-no-actions", "/request")],
    ),
    "a broken plan request": (
        {"error": 1, "plan": {**ASKED, "token": ""}},
        [("token-length", "/plan/token")],
    ),
    "a broken design, and no actions": (
        {"error": 1, "request": 7, "design": {**DESIGN, "colour": "red"}},
        [("member-unknown", "/design/colour"), ("explain-no-actions", "/request")],
    ),
}


@pytest.mark.parametrize(("document", "problems"), REFUSALS.values(), ids=REFUSALS.keys())
def test_what_is_no_question_is_refused_with_all_its_problems(
    document: object, problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(Refused) as refused:
        read_question(document)
    assert [(problem.code, problem.path) for problem in refused.value.problems] == problems
