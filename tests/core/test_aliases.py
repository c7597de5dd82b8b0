"""Placeholders: readable, free of collisions, one per attribute."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.aliases import Aliases, letters, stem_of
from webapp.core.limits import PLACEHOLDER_BYTES
from webapp.core.reserved import needs_alias

STEMS = [
    ("email", "email"),
    ("first-name", "first_name"),
    ("@id", "id"),
    ("a b", "a_b"),
    ("2fa", "2fa"),
    ("na\u00efve", "naive"),
    ("_type", "_type"),
    ("profile.email", "profile_email"),
    ("\u540d\u524d", "attribute"),
    ("#", "attribute"),
    ("x" * 300, "x" * 64),
]


@pytest.mark.parametrize(("attribute", "stem"), STEMS, ids=[f"B46-{row[1][:12]}" for row in STEMS])
def test_stem_is_readable(attribute: str, stem: str) -> None:
    assert stem_of(attribute) == stem


def test_raw_where_possible() -> None:
    aliases = Aliases("needed")
    assert [aliases.name(name) for name in ("email", "Status", "_type", "email")] == [
        "email",
        "#Status",
        "#_type",
        "email",
    ]
    assert aliases.names == {"#Status": "Status", "#_type": "_type"}


def test_always_aliased_by_option() -> None:
    aliases = Aliases("always")
    assert [aliases.name("email"), aliases.name("email")] == ["#email", "#email"]
    assert aliases.names == {"#email": "email"}


def test_attributes_with_one_stem_are_numbered() -> None:
    aliases = Aliases()
    assert [aliases.name(name) for name in ("a-b", "a b", "a.b", "a-b")] == [
        "#a_b",
        "#a_b_2",
        "#a_b_3",
        "#a_b",
    ]


def test_old_and_new_value_of_one_attribute_have_two_placeholders() -> None:
    aliases = Aliases()
    same = {"S": "ada"}
    assert aliases.value("email", same) == ":email"
    assert aliases.value("email", same, "_before") == ":email_before"
    assert aliases.value("email_before", same) == ":email_before_2"
    assert list(aliases.values) == [":email", ":email_before", ":email_before_2"]


def test_placeholders_of_others_are_never_handed_out() -> None:
    aliases = Aliases("needed", {"#status", ":status", ":status_2"})
    assert aliases.name("status") == "#status_2"
    assert aliases.value("status", {"S": "x"}) == ":status_3"


NAMES = st.text(min_size=1, max_size=400)


@given(st.lists(NAMES, max_size=12), st.sampled_from(["needed", "always"]))
def test_every_placeholder_stands_for_one_attribute(names: list[str], mode: str) -> None:
    aliases = Aliases("always" if mode == "always" else "needed")
    tokens = [aliases.name(name) for name in names]
    resolved = [aliases.names.get(token, token) for token in tokens]
    assert resolved == names
    assert len(set(aliases.names.values())) == len(aliases.names)
    for token in aliases.names:
        assert re.fullmatch(r"#[A-Za-z0-9_]+", token)
        assert len(token) <= PLACEHOLDER_BYTES
    if mode == "needed":
        assert all(needs_alias(name) for name in aliases.names.values())


def test_users_placeholders_are_used_where_they_fit() -> None:
    own = {"#n": "name", "#m": "name", "#unused": "other"}
    aliases = Aliases("needed", own_names=own)
    assert [aliases.name(name) for name in ("name", "email", "unused", "status")] == [
        "#n",
        "email",
        "unused",
        "#status",
    ]
    assert aliases.names == {"#n": "name", "#status": "status"}


def test_users_placeholder_of_a_value_may_come_again() -> None:
    aliases = Aliases("needed", {":v"})
    assert aliases.own_value(":v", {"N": "1"}) == ":v"
    assert aliases.own_value(":v", {"N": "1"}) == ":v"
    assert aliases.value("v", {"N": "2"}) == ":v_2"
    assert aliases.values == {":v": {"N": "1"}, ":v_2": {"N": "2"}}


def test_compact_placeholders_are_letters() -> None:
    aliases = Aliases("needed", {"#b"}, is_compact=True)
    assert [aliases.name("id"), aliases.name("a_long_name"), aliases.value("id", {})] == [
        "id",
        "#a",
        ":b",
    ]
    assert aliases.name("status") == "#c"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "a"), (25, "z"), (26, "aa"), (701, "zz"), (702, "aaa")]
)
def test_numbers_in_letters(number: int, text: str) -> None:
    assert letters(number) == text
