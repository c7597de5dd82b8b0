"""The form model: what was typed is kept, and means what the page says it means."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.web.draft import (
    ALIASES,
    BLANK,
    CONDITIONS,
    DIGESTS,
    EXAMPLE,
    GIVEN,
    KEY_TYPES,
    OPERATIONS,
    STEPS,
    TYPES,
    Attribute,
    Cell,
    Change,
    Draft,
    KeyColumn,
    Keys,
    Locks,
    Rule,
    Templates,
    pairs_of,
    read_draft,
)
from webapp.web.edits import EDITS, UnknownEdit, edit, focus_of
from webapp.web.rulednames import named_by
from webapp.web.writing import write

# What a text area can hold: no CR, which a browser sends as a line end, and no half characters.
texts = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=12)
columns = st.builds(KeyColumn, texts, st.sampled_from(KEY_TYPES))
sort_columns = st.builds(KeyColumn, texts, st.sampled_from(("", *KEY_TYPES)))
keys = st.builds(Keys, texts, columns, sort_columns)
templates = st.builds(Templates, texts, texts)
cells = st.builds(Cell, texts, st.sampled_from(GIVEN), st.sampled_from(("", "true", "false")))
attributes = st.builds(Attribute, texts, st.sampled_from(TYPES), cells, cells)
rules = st.builds(
    Rule,
    texts,
    st.lists(texts, max_size=3).map(tuple),
    st.sets(st.sampled_from(STEPS)).map(lambda chosen: tuple(s for s in STEPS if s in chosen)),
    st.booleans(),
    st.sampled_from(DIGESTS),
    st.sampled_from(CONDITIONS),
    texts,
    texts,
    texts,
)
changes = st.builds(
    Change,
    st.sampled_from(OPERATIONS),
    st.dictionaries(texts, texts, max_size=3),
    st.lists(attributes, max_size=3).map(tuple),
)
drafts = st.builds(
    Draft,
    keys,
    templates,
    st.builds(Locks, templates, st.booleans(), texts, st.booleans(), keys),
    st.lists(rules, max_size=3).map(tuple),
    st.sampled_from(ALIASES),
    st.lists(changes, min_size=1, max_size=2).map(tuple),
    texts,
    st.booleans(),
)


@given(drafts)
def test_what_a_browser_sends_makes_the_same_draft_again(draft: Draft) -> None:
    assert read_draft(pairs_of(draft)) == draft


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=10)), max_size=20))
def test_any_pairs_make_a_draft_and_any_draft_a_document(pairs: list[tuple[str, str]]) -> None:
    write(read_draft(pairs))


@given(drafts)
def test_any_draft_has_a_document(draft: Draft) -> None:
    written = write(draft)
    assert set(written.document) >= {"design", "changes"}
    assert all(problem.message for problem in written.problems)


@pytest.mark.parametrize(
    "name",
    [
        "design/unique/99999999999999999999/namespace",
        "design/unique/-1/namespace",
        "design/unique/²/namespace",
        "design/unique//namespace",
        "/",
        "",
    ],
)
def test_a_control_that_the_form_does_not_have_is_ignored(name: str) -> None:
    assert read_draft([(name, "x")]) == read_draft([])


def test_gaps_in_the_row_numbers_are_closed_in_order() -> None:
    pairs = [("design/unique/7/namespace", "B"), ("design/unique/2/namespace", "A")]
    assert [rule.namespace for rule in read_draft(pairs).rules] == ["A", "B"]


def test_line_ends_of_a_browser_are_line_feeds_and_everything_else_is_kept() -> None:
    typed = "changes/0/attributes/0/value"
    draft = read_draft([(typed, "  a\r\n\r\nb\t\u200b ")])
    assert draft.changes[0].attributes[0].value.text == "  a\n\nb\t\u200b "


# What a cell means: type, side, cell, and the document it gives.
Meaning = tuple[str, str, Cell, Any]
NOTHING = "nothing"
MEANINGS: list[Meaning] = [
    ("S", "value", Cell("a\nb "), {"S": "a\nb "}),
    ("S", "value", Cell(""), NOTHING),
    ("S", "value", Cell("kept", "empty"), {"S": ""}),
    ("S", "value", Cell("kept", "null"), {"NULL": True}),
    ("S", "value", Cell("kept", "absent"), None),
    ("N", "value", Cell("70605040302010908071"), {"N": "70605040302010908071"}),
    ("N", "value", Cell(" 1 "), {"N": " 1 "}),
    ("B", "value", Cell("AAE="), {"B": "AAE="}),
    ("B", "value", Cell("", "empty"), {"B": ""}),
    ("BOOL", "value", Cell("kept", "typed", "true"), {"BOOL": True}),
    ("BOOL", "value", Cell("", "typed", "false"), {"BOOL": False}),
    ("BOOL", "value", Cell("kept"), NOTHING),
    ("NULL", "value", Cell("kept"), {"NULL": True}),
    ("NULL", "becomes", Cell("kept"), NOTHING),
    ("NULL", "becomes", Cell("", "null"), {"NULL": True}),
    ("SS", "value", Cell("a\n\n b \n"), {"SS": ["a", " b "]}),
    ("NS", "value", Cell("1\n2"), {"NS": ["1", "2"]}),
    ("BS", "value", Cell("AA=="), {"BS": ["AA=="]}),
    ("L", "value", Cell('[{"S": "a"}]'), {"L": [{"S": "a"}]}),
    ("M", "value", Cell('{"a": {"N": "1"}}'), {"M": {"a": {"N": "1"}}}),
    ("JSON", "value", Cell('{"SS": ["", "a\\nb"]}'), {"SS": ["", "a\nb"]}),
]


@pytest.mark.parametrize(("tag", "side", "cell", "meant"), MEANINGS)
def test_a_cell_means_one_thing(tag: str, side: str, cell: Cell, meant: object) -> None:
    row = replace(Attribute("x", tag), **{side: cell})  # type: ignore[arg-type]
    change = Change("change", {"id": "1"}, (row,))
    document = write(replace(EXAMPLE, changes=(change,))).document["changes"][0]
    member = {"value": "before", "becomes": "after"}[side]
    assert document[member] == ({} if meant is NOTHING else {"x": meant})


def test_absent_is_left_out_of_a_new_record_but_known_before_and_removed_after() -> None:
    row = Attribute("x", "S", Cell("", "absent"), Cell("", "absent"))
    shapes = {
        operation: write(replace(EXAMPLE, changes=(Change(operation, {}, (row,)),))).document
        for operation in OPERATIONS
    }
    assert shapes["create"]["changes"][0]["item"] == {}
    assert shapes["change"]["changes"][0]["before"] == {"x": None}
    assert shapes["change"]["changes"][0]["after"] == {"x": None}
    assert shapes["delete"]["changes"][0]["before"] == {"x": None}


def test_switching_the_type_there_and_back_keeps_the_text() -> None:
    pairs = dict(pairs_of(EXAMPLE))
    for tag in (*TYPES, "S"):
        pairs["changes/0/attributes/0/type"] = tag
        pairs = dict(pairs_of(read_draft(pairs.items())))
    assert read_draft(pairs.items()) == EXAMPLE


# Problems that only a form can have, with the control each stands at.
ROWS = [
    ((Attribute("", "S", Cell("lost?")),), "form-name-missing", "changes/0/attributes/0/name"),
    (
        (Attribute("a", "S", Cell("1")), Attribute("a", "S", Cell("2"))),
        "form-name-twice",
        "changes/0/attributes/1/name",
    ),
    ((Attribute("a", "L", Cell("[oops")),), "json-malformed", "changes/0/attributes/0/value"),
    (
        (Attribute("a", "M", Cell('{"b": {}, "b": {}}')),),
        "json-duplicate",
        "changes/0/attributes/0/value",
    ),
    (
        (Attribute("a", "JSON", Cell("[" * 100_000)),),
        "json-too-deep",
        "changes/0/attributes/0/value",
    ),
]


@pytest.mark.parametrize(("rows", "code", "control"), ROWS)
def test_a_problem_of_the_form_stands_at_its_control(
    rows: tuple[Attribute, ...], code: str, control: str
) -> None:
    written = write(replace(EXAMPLE, changes=(Change("create", {"id": "1"}, rows),)))
    assert [(p.code, written.control(p.path)) for p in written.problems] == [(code, control)]


def test_an_empty_row_says_nothing() -> None:
    written = write(replace(EXAMPLE, changes=(Change("create", {"id": "1"}, (Attribute(),)),)))
    assert written.problems == ()
    assert written.document["changes"][0]["item"] == {}


@pytest.mark.parametrize(
    ("button", "names"),
    [
        ("add-rule", ["EMAIL", "HANDLE", ""]),
        ("remove-rule/0", ["HANDLE"]),
        ("rule-down/0", ["HANDLE", "EMAIL"]),
        ("rule-up/1", ["HANDLE", "EMAIL"]),
        ("rule-up/0", ["EMAIL", "HANDLE"]),
        ("remove-rule/99", ["EMAIL", "HANDLE"]),
    ],
)
def test_buttons_edit_the_rules_and_nothing_else(button: str, names: list[str]) -> None:
    edited = edit(EXAMPLE, button)
    assert [rule.namespace for rule in edited.rules] == names
    assert replace(edited, rules=EXAMPLE.rules) == EXAMPLE


@pytest.mark.parametrize(
    "button", ["", "nonsense", "remove-rule", "remove-rule/x", "add-rule/1/2/3"]
)
def test_a_button_that_the_form_does_not_have_is_refused(button: str) -> None:
    with pytest.raises(UnknownEdit):
        edit(EXAMPLE, button)


def test_a_new_row_gets_the_focus() -> None:
    buttons = ("add-rule", "add-part/1", "add-attribute/0", "add-change")
    assert [focus_of(edit(EXAMPLE, button), button) for button in buttons] == [
        "design/unique/2/namespace",
        "design/unique/1/attributes/1",
        "changes/0/attributes/2/name",
        "changes/1/operation",
    ]


@given(drafts, st.sampled_from(sorted(EDITS)), st.lists(st.integers(0, 4), max_size=2))
def test_no_edit_fails_and_the_focus_is_a_control_of_the_form(
    draft: Draft, action: str, numbers: list[int]
) -> None:
    button = "/".join([action, *map(str, numbers)])
    try:
        edited = edit(draft, button)
    except UnknownEdit:
        return
    focus = focus_of(edited, button)
    is_button = focus is not None and focus.startswith("do/") and focus.split("/")[1] in EDITS
    assert is_button or focus in {None, *dict(pairs_of(edited))}


def test_one_more_record_has_a_row_for_each_protected_attribute() -> None:
    edited = edit(EXAMPLE, "add-change")
    assert [row.name for row in edited.changes[1].attributes] == ["email", "username"]
    assert edit(edited, "remove-change/1") == EXAMPLE
    assert edit(EXAMPLE, "remove-change/0") == EXAMPLE


def test_after_a_change_its_new_values_are_what_is_known() -> None:
    rows = (
        Attribute("email", "S", Cell("old"), Cell("new")),
        Attribute("name", "S", Cell("same"), Cell("")),
        Attribute("phone", "S", Cell("1"), Cell("", "absent")),
        Attribute("ok", "BOOL", Cell("", "typed", "true"), Cell("")),
    )
    gone_on = edit(replace(EXAMPLE, changes=(Change("change", {"id": "1"}, rows),)), "go-on")
    assert [(row.value, row.becomes) for row in gone_on.changes[0].attributes] == [
        (Cell("new"), Cell()),
        (Cell("same"), Cell()),
        (Cell("", "absent"), Cell()),
        (Cell("", "typed", "true"), Cell()),
    ]


def test_a_blank_form_has_one_empty_rule_and_one_empty_row() -> None:
    assert (len(BLANK.rules), len(BLANK.changes[0].attributes)) == (1, 1)


# What the rules speak of, in step 3

SEATS = Rule("SEAT", ("row", "seat"), condition="texts", when_attribute="state", when_values="on")
RULED = replace(
    EXAMPLE,
    rules=(Rule("BADGE", ("badge",), condition="json", when_json='{"age": [5]}'), SEATS),
    changes=(Change(key={"id": "1"}, attributes=(Attribute("badge", "N", Cell("7")),)),),
)


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ((), ()),
        (EXAMPLE.rules, ("email", "username")),
        (RULED.rules, ("badge", "age", "row", "seat", "state")),
        ((replace(SEATS, condition=""), SEATS), ("row", "seat", "state")),
        ((Rule("X", ("", "x"), condition="json", when_json="{broken"),), ("x",)),
        ((Rule("X", ("x",), condition="json", when_json="[5]"),), ("x",)),
    ],
)
def test_rules_speak_of_what_they_protect_and_of_what_they_ask_for(
    rules: tuple[Rule, ...], names: tuple[str, ...]
) -> None:
    assert named_by(rules) == names


def test_one_button_adds_a_row_for_all_that_the_rules_speak_of_and_the_focus_is_there() -> None:
    edited = edit(RULED, "add-ruled/0")
    assert edited.changes[0].attributes == (
        Attribute("badge", "N", Cell("7")),
        *(Attribute(name) for name in ("age", "row", "seat", "state")),
    )
    assert focus_of(edited, "add-ruled/0") == "changes/0/attributes/1/value"
    blank = edit(replace(BLANK, rules=EXAMPLE.rules), "add-ruled/0")
    assert blank.changes[0].attributes == (Attribute("email"), Attribute("username"))


def test_one_more_record_has_the_types_of_the_first_and_not_its_values() -> None:
    rows = edit(RULED, "add-change").changes[1].attributes
    assert [(row.name, row.type) for row in rows] == [
        ("badge", "N"), ("age", "S"), ("row", "S"), ("seat", "S"), ("state", "S"),
    ]  # fmt: skip
    assert {row.value for row in rows} == {Cell()}
