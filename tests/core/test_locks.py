"""The lock algebra: locks follow from the values alone, and moves from the difference."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import EMAIL, Json, unique
from webapp.core import documents
from webapp.core.planning import locks
from webapp.core.planning.locks import Hold, Holds, Rule, hold, moves
from webapp.core.problems import Problems
from webapp.core.values import ROOT, Value, read_typed


def rule(secret: str | None = None, **members: Any) -> Rule:
    design = documents.read_design(unique({**EMAIL, **members}))
    return Rule(design.unique[0], secret)


def known(values: Json) -> dict[str, Value | None]:
    problems = Problems()
    read = {
        name: None if value is None else read_typed(value, ROOT, problems)
        for name, value in values.items()
    }
    assert not problems
    return read


TENANT = {"attributes": ["tenant", "handle"]}
ACTIVE = {"only_when": {"status": ["active", {"N": "1"}, True]}}

TEXTS: list[tuple[str, Json, Json, list[str]]] = [
    ("string", {}, {"email": {"S": "a#b%"}}, ["a#b%"]),
    ("left-out", {}, {}, []),
    ("absent", {}, {"email": None}, []),
    ("null", {}, {"email": {"NULL": True}}, []),
    ("empty", {}, {"email": {"S": ""}}, []),
    ("B04-the-word-None", {}, {"email": {"S": "None"}}, ["None"]),
    ("empty-after-trim", {"normalize": ["trim"]}, {"email": {"S": " \u3000"}}, []),
    ("number", {}, {"email": {"N": "-0100.50"}}, ["-100.5"]),
    ("number-is-not-normalised", {"normalize": ["casefold"]}, {"email": {"N": "1E2"}}, ["100"]),
    ("binary", {}, {"email": {"B": "AR=="}}, ["AQ=="]),
    ("binary-is-not-normalised", {"normalize": ["casefold"]}, {"email": {"B": "AAAA"}}, ["AAAA"]),
    ("empty-binary", {}, {"email": {"B": ""}}, []),
    ("boolean", {}, {"email": {"BOOL": True}}, []),
    ("list", {}, {"email": {"L": [{"S": "a"}]}}, []),
    ("map", {}, {"email": {"M": {"a": {"S": "a"}}}}, []),
    ("set", {}, {"email": {"SS": ["b", "a", ""]}}, ["b", "a"]),
    (
        "set-that-meets",
        {"normalize": ["casefold"]},
        {"email": {"SS": ["B", "a", "b"]}},
        ["b", "a"],
    ),
    ("set-of-numbers", {}, {"email": {"NS": ["1e1", "2"]}}, ["10", "2"]),
    ("set-of-binaries", {}, {"email": {"BS": ["AQ==", "Ag=="]}}, ["AQ==", "Ag=="]),
    ("combined", TENANT, {"tenant": {"S": "t#"}, "handle": {"S": "%"}}, ["t%23#%25"]),
    ("combined-number", TENANT, {"tenant": {"N": "1.0"}, "handle": {"S": "a"}}, ["1#a"]),
    ("combined-part-missing", TENANT, {"tenant": {"S": "t"}}, []),
    ("combined-part-null", TENANT, {"tenant": {"S": "t"}, "handle": {"NULL": True}}, []),
    ("combined-part-empty", TENANT, {"tenant": {"S": ""}, "handle": {"S": "a"}}, []),
    (
        "combined-sets",
        TENANT,
        {"tenant": {"SS": ["t", "u"]}, "handle": {"NS": ["1", "2"]}},
        ["t#1", "t#2", "u#1", "u#2"],
    ),
    ("when-listed", ACTIVE, {"email": {"S": "a"}, "status": {"S": "active"}}, ["a"]),
    ("when-listed-number", ACTIVE, {"email": {"S": "a"}, "status": {"N": "1.0"}}, ["a"]),
    ("when-listed-boolean", ACTIVE, {"email": {"S": "a"}, "status": {"BOOL": True}}, ["a"]),
    ("when-other", ACTIVE, {"email": {"S": "a"}, "status": {"S": "deleted"}}, []),
    ("when-other-type", ACTIVE, {"email": {"S": "a"}, "status": {"S": "1"}}, []),
    ("when-set", ACTIVE, {"email": {"S": "a"}, "status": {"SS": ["active"]}}, []),
    ("when-missing", ACTIVE, {"email": {"S": "a"}}, []),
]


@pytest.mark.parametrize(
    ("members", "values", "texts"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS]
)
def test_the_locks_of_a_record_follow_from_its_values(
    members: Json, values: Json, texts: list[str]
) -> None:
    assert list(rule(**members).texts(known(values))) == texts


def test_digests_are_taken_over_the_normalised_joined_parts() -> None:
    values = known({"tenant": {"S": "T#1"}, "handle": {"S": "Ann"}})
    plain: Json = {**TENANT, "normalize": ["casefold"]}
    assert rule(**plain).texts(values) == ("t%231#ann",)
    assert rule(**plain, digest="sha256").texts(values) == (
        hashlib.sha256(b"t%231#ann").hexdigest(),
    )
    assert rule(secret="pepper é", **plain, digest="hmac-sha256").texts(values) == (
        hmac.new("pepper é".encode(), b"t%231#ann", hashlib.sha256).hexdigest(),
    )


def test_a_secret_may_be_any_text() -> None:
    made = [
        rule(secret=secret, digest="hmac-sha256").texts(known({"email": {"S": "a"}}))
        for secret in ("\ud800", "\udc00", "a")
    ]
    assert len({text for texts in made for text in texts}) == 3


def held(*records: tuple[int, list[str]]) -> Holds:
    return {
        ("EMAIL", text): Hold(number, rule(), ("email",))
        for number, texts in sorted(records)
        for text in texts
    }


MOVES: list[tuple[str, Holds, Holds, bool, list[tuple[str, str, int, int]]]] = [
    ("claim", {}, held((0, ["a"])), True, [("claim", "a", 0, 0)]),
    ("release", held((0, ["a"])), {}, True, [("release", "a", 0, 0)]),
    ("keep", held((0, ["a"])), held((0, ["a"])), True, [("kept", "a", 0, 0)]),
    (
        "B21-only-the-difference",
        held((0, ["a", "b"])),
        held((0, ["b", "c"])),
        False,
        [("claim", "c", 0, 0), ("release", "a", 0, 0), ("kept", "b", 0, 0)],
    ),
    (
        "transfer",
        held((0, ["a"])),
        held((1, ["a"])),
        True,
        [("transfer", "a", 1, 0)],
    ),
    (
        "hand-over-without-owner",
        held((0, ["a"])),
        held((1, ["a"])),
        False,
        [("handed-over", "a", 1, 0)],
    ),
    (
        "swap",
        held((0, ["a"]), (1, ["b"])),
        held((0, ["b"]), (1, ["a"])),
        True,
        [("transfer", "b", 0, 1), ("transfer", "a", 1, 0)],
    ),
    (
        "by-change-then-claim-before-release",
        held((0, ["a"]), (1, ["b"])),
        held((0, ["c"]), (1, ["d"])),
        True,
        [
            ("claim", "c", 0, 0),
            ("release", "a", 0, 0),
            ("claim", "d", 1, 1),
            ("release", "b", 1, 1),
        ],
    ),
]


@pytest.mark.parametrize(
    ("before", "after", "owned", "expected"),
    [row[1:] for row in MOVES],
    ids=[row[0] for row in MOVES],
)
def test_moves_are_the_difference_over_the_whole_set(
    before: Holds, after: Holds, owned: bool, expected: list[tuple[str, str, int, int]]
) -> None:
    acting, resting = moves(before, after, owned)
    assert [
        (move.purpose, move.lock[1], move.change, move.previous) for move in (*acting, *resting)
    ] == expected


RECORDS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), max_size=6)


@given(RECORDS, RECORDS, st.booleans())
def test_every_lock_moves_once_and_ends_with_the_record_that_has_its_value(
    before: dict[str, int], after: dict[str, int], owned: bool
) -> None:
    acting, resting = moves(
        held(*((number, [text]) for text, number in before.items())),
        held(*((number, [text]) for text, number in after.items())),
        owned,
    )
    every = [*acting, *resting]
    assert sorted(move.lock[1] for move in every) == sorted(before.keys() | after.keys())
    owners = dict(before)
    for move in every:
        text = move.lock[1]
        if move.purpose == "release":
            assert owners.pop(text) == move.change
        else:
            assert move.purpose == "claim" or owners[text] == move.previous
            owners[text] = move.change
    assert owners == after
    order = [(move.change, move.rule, move.releasing) for move in acting]
    assert order == sorted(order)


def test_one_lock_through_two_attributes_names_both_fields() -> None:
    first = rule()
    second = Rule(documents.read_design(unique({**EMAIL, "attributes": ["backup"]})).unique[0])
    holds: Holds = {}
    assert not hold(0, first, ["a", "b"], holds)
    assert not hold(0, second, ["a"], holds)
    assert {lock: found.fields for lock, found in holds.items()} == {
        ("EMAIL", "a"): ("email", "backup"),
        ("EMAIL", "b"): ("email",),
    }


def test_each_record_that_holds_a_wanted_lock_is_named_once() -> None:
    holds: Holds = {}
    hold(0, rule(), ["a", "b"], holds)
    hold(1, rule(), ["c"], holds)
    assert list(hold(2, rule(), ["a", "b", "c", "d"], holds)) == [0, 1]


HIDDEN = "“email” holds characters that cannot be seen: "

SUSPICIOUS: list[tuple[str, Json, list[tuple[str, str]]]] = [
    ("plain", {"S": "ada lovelace"}, []),
    ("accents", {"S": "Jürgen Ærøskøbing"}, []),
    ("one-foreign-script", {"S": "Ада"}, []),
    ("script-that-has-no-look-alikes", {"S": "ada-日本-हिन्दी"}, []),
    (
        "B20-mixed-scripts",
        {"S": "marc\u043e"},
        [("mixed-scripts", "“email” mixes scripts: LATIN, CYRILLIC.")],
    ),
    ("scripts-in-different-members", {"SS": ["ada", "Ада"]}, []),
    (
        "scripts-in-one-member",
        {"SS": ["ada", "\u03bfa"]},
        [("mixed-scripts", "“email” mixes scripts: GREEK, LATIN.")],
    ),
    (
        "invisible",
        {"S": "a\u200b\u0000\u200b"},
        [
            (
                "invisible-characters",
                HIDDEN + "U+200B ZERO WIDTH SPACE, U+0000 control character.",
            )
        ],
    ),
    (
        "joiners-of-emoji",
        {"S": "\U0001f469\u200d\U0001f4bb"},
        [
            (
                "invisible-characters",
                HIDDEN + "U+200D ZERO WIDTH JOINER.",
            )
        ],
    ),
]


@pytest.mark.parametrize(
    ("document", "warnings"), [row[1:] for row in SUSPICIOUS], ids=[row[0] for row in SUSPICIOUS]
)
def test_what_cannot_be_seen_is_named(document: Json, warnings: list[tuple[str, str]]) -> None:
    value = known({"email": document})["email"]
    assert value is not None
    found = locks.suspicions("email", value, ROOT)
    assert [(each.code, each.message) for each in found] == warnings
