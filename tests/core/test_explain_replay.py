"""A late retry that meets its own success is already done, not taken."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import EMAIL, LOCK, unique
from webapp.core.documents import plan
from webapp.core.failures.replay import already_done, same_value

Document = dict[str, Any]

DESIGN = unique(EMAIL, lock={**LOCK, "owner": "owner"})
BARE = unique(EMAIL)


def s(text: str) -> Document:
    return {"S": text}


def record(**attributes: object) -> Document:
    return {"PK": s("ACCT#u1"), "SK": s("PROFILE"), **attributes}


def lock(email: str, holder: str | None = "ACCT#u1") -> Document:
    key = {"PK": s(f"UNIQ#EMAIL#{email}"), "SK": s("LOCK")}
    return {**key, "owner": {"M": {"PK": s(holder), "SK": s("PROFILE")}}} if holder else key


CREATE: Document = {
    "operation": "create",
    "key": {"id": "u1"},
    "item": {
        "email": s("a@x.io"),
        "age": {"N": "36"},
        "tags": {"SS": ["x", "y"]},
        "b": {"B": "AP8="},
    },
}
CHANGE: Document = {
    "operation": "change",
    "key": {"id": "u1"},
    "before": {"email": s("a@x.io")},
    "after": {"email": s("b@x.io"), "nick": None},
}
DELETE: Document = {"operation": "delete", "key": {"id": "u1"}, "before": {"email": s("a@x.io")}}
STORED = {"age": {"N": "36.0"}, "tags": {"SS": ["y", "x"]}, "b": {"B": b"\x00\xff"}}
ADA = record(email=s("a@x.io"), **STORED)
BOB = record(email=s("b@x.io"), age={"N": "1"})
W, D, U = "as-wanted", "differs", "unclear"

CASES = [
    ("create, its own success", DESIGN, CREATE, [ADA, lock("a@x.io")], "already-done", [W, W]),
    ("create, never written", DESIGN, CREATE, [None, None], "not-done", [D, D]),
    (
        "create, taken by another",
        DESIGN,
        CREATE,
        [None, lock("a@x.io", "ACCT#u2")],
        "not-done",
        [D, D],
    ),
    (
        "create, the lock is another's",
        DESIGN,
        CREATE,
        [ADA, lock("a@x.io", "ACCT#u2")],
        "not-done",
        [W, D],
    ),
    (
        "create, changed since",
        DESIGN,
        CREATE,
        [{**ADA, "age": {"N": "37"}}, lock("a@x.io")],
        "not-done",
        [D, W],
    ),
    (
        "create, an attribute more",
        DESIGN,
        CREATE,
        [{**ADA, "x": s("")}, lock("a@x.io")],
        "not-done",
        [D, W],
    ),
    ("create without owners", BARE, CREATE, [ADA, lock("a@x.io", None)], "already-done", [W, W]),
    (
        "change, its own success",
        DESIGN,
        CHANGE,
        [BOB, lock("b@x.io"), None],
        "already-done",
        [W, W, W],
    ),
    (
        "change, the old value claimed since",
        DESIGN,
        CHANGE,
        [BOB, lock("b@x.io"), lock("a@x.io", "ACCT#u2")],
        "already-done",
        [W, W, W],
    ),
    ("change, not written", DESIGN, CHANGE, [ADA, None, lock("a@x.io")], "not-done", [D, D, D]),
    (
        "change, an attribute not removed",
        DESIGN,
        CHANGE,
        [{**BOB, "nick": s("b")}, lock("b@x.io"), None],
        "not-done",
        [D, W, W],
    ),
    (
        "change, the record is gone",
        DESIGN,
        CHANGE,
        [None, lock("b@x.io"), None],
        "not-done",
        [D, W, W],
    ),
    (
        "change without owners, the old value claimed since",
        BARE,
        CHANGE,
        [BOB, lock("b@x.io", None), lock("a@x.io", None)],
        "cannot-tell",
        [W, W, U],
    ),
    ("delete, its own success", DESIGN, DELETE, [None, None], "already-done", [W, W]),
    ("delete, not written", DESIGN, DELETE, [ADA, lock("a@x.io")], "not-done", [D, D]),
    ("too few items", DESIGN, CREATE, [ADA], "cannot-tell", []),
]


@pytest.mark.parametrize(
    ("design", "change", "stored", "verdict", "stands"),
    [row[1:] for row in CASES],
    ids=[row[0] for row in CASES],
)
def test_stored_items_are_compared_with_what_was_wanted(
    design: Document,
    change: Document,
    stored: list[Document | None],
    verdict: str,
    stands: list[str],
) -> None:
    request = plan({"design": design, "changes": [change]}).request
    standing = already_done(request, stored)
    assert (standing.verdict, list(standing.slots)) == (verdict, stands)


def test_the_comparison_as_a_document() -> None:
    request = plan({"design": BARE, "changes": [DELETE]}).request
    assert already_done(request, [None, None]).as_document() == {
        "verdict": "already-done",
        "message": "Already done: everything stands as this transaction leaves it.",
        "hint": "Nothing is left to send. Nothing is taken: what was met is its own success.",
        "slots": [{"slot": 0, "stands": "as-wanted"}, {"slot": 1, "stands": "as-wanted"}],
    }


def update(expression: str) -> list[Document]:
    values = {":a": s("x"), ":b": {"N": "2"}}
    body = {"TableName": "t", "Key": {"pk": s("k")}, "UpdateExpression": expression}
    return [
        {
            "Update": {
                **body,
                "ExpressionAttributeValues": values,
                "ExpressionAttributeNames": {"#n": "name"},
            }
        }
    ]


ITEM = {"pk": s("k"), "name": s("x"), "n": {"N": "2.0"}}
UPDATES = [
    ("SET #n = :a, n = :b", "already-done"),
    ("set #n = :a REMOVE gone, missing SET n = :b", "already-done"),
    ("SET #n = :b", "not-done"),
    ("REMOVE #n", "not-done"),
    ("SET n = n + :b", "cannot-tell"),
    ("SET #n = if_not_exists(#n, :a)", "cannot-tell"),
    ("SET #n = :a ADD n :b", "cannot-tell"),
    ("SET profile.#n = :a", "cannot-tell"),
    ("SET #n = :undefined", "cannot-tell"),
    ("nonsense", "cannot-tell"),
]


@pytest.mark.parametrize(("expression", "verdict"), UPDATES)
def test_updates_are_judged_only_where_their_effect_is_plain(expression: str, verdict: str) -> None:
    assert already_done(update(expression), [ITEM]).verdict == verdict


def test_checks_alone_tell_nothing() -> None:
    check = {"TableName": "t", "Key": {"pk": s("k")}, "ConditionExpression": "attribute_exists(pk)"}
    standing = already_done([{"ConditionCheck": check}], [ITEM])
    assert (standing.verdict, standing.slots) == ("cannot-tell", ("checked",))


EQUAL = [
    ({"N": "100"}, {"N": "1e2"}, True),
    ({"N": "-0"}, {"N": "0"}, True),
    ({"N": "1"}, {"S": "1"}, False),
    ({"NS": ["1", "2"]}, {"NS": ["2.0", "1"]}, True),
    ({"SS": ["a"]}, {"SS": ["a", "b"]}, False),
    ({"BS": ["AA=="]}, {"BS": [b"\x00"]}, True),
    ({"L": [{"N": "1"}, {"S": "a"}]}, {"L": [{"N": "1.0"}, {"S": "a"}]}, True),
    ({"L": [{"N": "1"}, {"N": "2"}]}, {"L": [{"N": "2"}, {"N": "1"}]}, False),
    ({"M": {"a": {"BOOL": True}}}, {"M": {"a": {"BOOL": True}}}, True),
    ({"M": {"a": {"BOOL": True}}}, {"M": {"a": {"BOOL": False}}}, False),
    ({"BOOL": True}, {"N": "1"}, False),
    ({"NULL": True}, {"NULL": True}, True),
    ({"L": []}, {"M": {}}, False),
    ({"X": "a"}, {"X": "a"}, False),
    (None, None, False),
]


@pytest.mark.parametrize(("one", "other", "equal"), EQUAL, ids=repr)
def test_values_are_compared_as_dynamodb_compares_them(
    one: object, other: object, *, equal: bool
) -> None:
    assert (same_value(one, other), same_value(other, one)) == (equal, equal)


plain = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["S", "N", "L", "M", "PK"]), inner)
    ),
)


@given(plain, st.lists(st.none() | st.dictionaries(st.text(), plain), max_size=2))
def test_comparing_never_raises(request_: object, stored: list[Document | None]) -> None:
    assert already_done(request_, stored).verdict == "cannot-tell"


@given(st.lists(st.dictionaries(st.text(), plain, max_size=3), min_size=2, max_size=2))
def test_comparing_hostile_items_never_raises(stored: list[Document | None]) -> None:
    request = plan({"design": DESIGN, "changes": [CREATE]}).request
    assert already_done(request, stored).verdict == "not-done"
