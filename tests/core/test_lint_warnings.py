"""The faults of the pattern: what DynamoDB takes and what harms later, and what mends it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from webapp.core.jsontext import read_json
from webapp.core.linting.lint import Report, lint
from webapp.core.linting.pattern_faults import RULES

Json = dict[str, Any]

TABLE = "accounts"
DESIGN: Json = {
    "version": 1,
    "table": TABLE,
    "partition_key": {"name": "PK", "type": "S"},
    "sort_key": {"name": "SK", "type": "S"},
    "record": {"partition": "ACCT#{id}", "sort": "PROFILE"},
    "lock": {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK", "owner": None},
    "unique": [
        {"namespace": "EMAIL", "attributes": ["email"], "normalize": ["trim", "casefold"]},
        {"namespace": "HANDLE", "attributes": ["username"]},
    ],
}
OWNED: Json = DESIGN | {"lock": DESIGN["lock"] | {"owner": "owner"}}
HMAC: Json = DESIGN | {
    "unique": [{"namespace": "EMAIL", "attributes": ["email"], "digest": "hmac-sha256"}]
}
NEW = "attribute_not_exists(PK)"
ACCOUNT: Json = {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}}
OWNER: Json = {"owner": {"M": ACCOUNT}}


def lock(namespace: str = "EMAIL", value: str = "ada@x.test") -> Json:
    return {"PK": {"S": f"UNIQ#{namespace}#{value}"}, "SK": {"S": "LOCK"}}


def put(item: Json, condition: str | None = NEW, **members: Any) -> Json:
    guard = {} if condition is None else {"ConditionExpression": condition}
    return {"Put": {"TableName": TABLE, "Item": item, **guard, **members}}


def delete(key: Json, condition: str | None = None, **values: Json) -> Json:
    body: Json = {"TableName": TABLE, "Key": key}
    if condition is not None:
        body["ConditionExpression"] = condition
    if values:
        body["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    return {"Delete": body}


def update(expression: str, condition: str | None = None, **values: Json) -> Json:
    (body,) = delete(ACCOUNT, condition, **values).values()
    return {"Update": body | {"UpdateExpression": expression}}


def request(*actions: Json, token: str | None = "t") -> Json:
    return {"TransactItems": list(actions)} | ({"ClientRequestToken": token} if token else {})


def warnings(report: Report) -> list[tuple[str, str]]:
    return [(advice.problem.code, advice.problem.path) for advice in report.warnings]


RECORD = put(ACCOUNT | {"email": {"S": "ada@x.test"}})
CLAIM = put(lock())
ADA, BOB = {"S": "ada@x.test"}, {"S": "bob@x.test"}
CHANGE = update("SET email = :n", "attribute_exists(PK) AND email = :o", n=BOB, o=ADA)
MOVED = [put(lock(value="bob@x.test")), delete(lock())]


def slot(number: int, action: str) -> str:
    return f"/TransactItems/{number}/{action}"


# --- without a design --------------------------------------------------------------------------

GUESSED: list[tuple[str, Json, list[tuple[str, str]]]] = [
    ("whole", request(RECORD, CLAIM), []),
    ("whole-change", request(CHANGE, *MOVED), []),
    (
        "B03-lock-without-a-guard",
        request(RECORD, put(lock(), None)),
        [("lock-unguarded", slot(1, "Put"))],
    ),
    (
        "lock-under-another-guard",
        request(RECORD, put(lock(), "attribute_exists(PK)")),
        [("lock-unguarded", slot(1, "Put"))],
    ),
    (
        "record-without-a-guard",
        request(put(RECORD["Put"]["Item"], None), CLAIM),
        [("record-unguarded", slot(0, "Put"))],
    ),
    ("lone-put-without-a-guard", request(put(ACCOUNT, None)), []),
    (
        "B02-guard-of-a-plain-attribute",
        request(put(ACCOUNT | {"email": ADA}, "attribute_not_exists(email)")),
        [("guard-no-uniqueness", slot(0, "Put"))],
    ),
    (
        "B02-beside-the-right-guard",
        request(put(ACCOUNT | {"email": ADA}, f"{NEW} AND attribute_not_exists(email)")),
        [("guard-no-uniqueness", slot(0, "Put"))],
    ),
    (
        "lock-put-and-deleted",
        request(RECORD, CLAIM, delete(lock())),
        [("lock-renewed", slot(2, "Delete"))],
    ),
    (
        "release-beside-an-unguarded-change",
        request(update("SET email = :n", "attribute_exists(PK)", n=BOB), *MOVED),
        [("release-unguarded", slot(2, "Delete"))],
    ),
    ("release-alone-with-its-claim", request(*MOVED), [("release-unguarded", slot(1, "Delete"))]),
    (
        "change-that-may-create",
        request(update("SET email = :n", n=BOB), *MOVED),
        [("release-unguarded", slot(2, "Delete")), ("update-may-create", slot(0, "Update"))],
    ),
    (
        "owned-lock-deleted-whoever-holds-it",
        request(CHANGE, put(lock(value="bob@x.test") | OWNER), delete(lock())),
        [("release-ownerless", slot(2, "Delete"))],
    ),
    (
        "owned-lock-deleted-by-its-owner",
        request(
            CHANGE,
            put(lock(value="bob@x.test") | OWNER),
            delete(lock(), f"{NEW} OR owner = :w", w=OWNER["owner"]),
        ),
        [],
    ),
    (
        "two-values-joined-by-a-sign-one-holds",
        request(
            put(ACCOUNT | {"tenant": {"S": "a#b"}, "handle": {"S": "ada"}}),
            put(lock("HANDLE", "a#b#ada")),
        ),
        [("lock-ambiguous-key", slot(1, "Put"))],
    ),
    (
        "two-values-joined-safely",
        request(
            put(ACCOUNT | {"tenant": {"S": "acme"}, "handle": {"S": "ada"}}),
            put(lock("HANDLE", "acme#ada")),
        ),
        [],
    ),
    (
        "locks-in-one-partition",
        request(
            put(ACCOUNT | {"email": ADA, "username": {"S": "ada"}}),
            put({"PK": {"S": "UNIQ"}, "SK": {"S": "EMAIL#ada@x.test"}}),
            put({"PK": {"S": "UNIQ"}, "SK": {"S": "USERNAME#ada"}}),
        ),
        [("locks-one-partition", slot(1, "Put"))],
    ),
    (
        "lock-that-expires",
        request(RECORD, put(lock() | {"ttl": {"N": "1700000000"}})),
        [("lock-expires", slot(1, "Put"))],
    ),
    (
        "record-that-expires",
        request(put(RECORD["Put"]["Item"] | {"expiresAt": {"N": "1700000000"}}), CLAIM),
        [("record-expires", slot(0, "Put"))],
    ),
    ("no-token", request(RECORD, CLAIM, token=None), [("token-missing", "")]),
]


@pytest.mark.parametrize(
    ("given", "expected"), [row[1:] for row in GUESSED], ids=[row[0] for row in GUESSED]
)
def test_faults_are_seen_in_the_actions_themselves(
    given: Json, expected: list[tuple[str, str]]
) -> None:
    assert warnings(lint(given)) == expected


# --- with a design -----------------------------------------------------------------------------

DESIGNED: list[tuple[str, Json, Json, list[tuple[str, str]]]] = [
    ("whole", DESIGN, request(RECORD, CLAIM), []),
    ("whole-change", DESIGN, request(CHANGE, *MOVED), []),
    ("B03", DESIGN, request(RECORD, put(lock(), None)), [("lock-unguarded", slot(1, "Put"))]),
    ("create-without-its-lock", DESIGN, request(RECORD), [("claim-missing", slot(0, "Put"))]),
    (
        "change-without-its-locks",
        DESIGN,
        request(CHANGE),
        [("claim-missing", slot(0, "Update")), ("release-missing", slot(0, "Update"))],
    ),
    (
        "change-of-spelling",
        DESIGN,
        request(
            update(
                "SET email = :n",
                "attribute_exists(PK) AND email = :o",
                n={"S": "ADA@x.test"},
                o=ADA,
            )
        ),
        [],
    ),
    (
        "change-that-does-not-say-what-was",
        DESIGN,
        request(update("SET email = :n", "attribute_exists(PK)", n=BOB), MOVED[0]),
        [("record-guard-missing", slot(0, "Update"))],
    ),
    (
        "comparison-below-or-guards-nothing",
        DESIGN,
        request(
            update("SET email = :n", "attribute_exists(PK) OR email = :o", n=BOB, o=ADA), MOVED[0]
        ),
        [("update-may-create", slot(0, "Update")), ("record-guard-missing", slot(0, "Update"))],
    ),
    (
        "added",
        DESIGN,
        request(update("ADD username :n", "attribute_exists(PK)", n={"N": "1"})),
        [("protected-computed", slot(0, "Update"))],
    ),
    (
        "if-not-exists",
        DESIGN,
        request(update("SET email = if_not_exists(email, :n)", "attribute_exists(PK)", n=BOB)),
        [("protected-computed", slot(0, "Update"))],
    ),
    (
        "removed",
        DESIGN,
        request(update("REMOVE email", "attribute_exists(PK) AND email = :o", o=ADA)),
        [("release-missing", slot(0, "Update"))],
    ),
    (
        "plain-attributes",
        DESIGN,
        request(update("SET title = :n", "attribute_exists(PK)", n=BOB)),
        [],
    ),
    (
        "delete-without-its-lock",
        DESIGN,
        request(
            delete(
                ACCOUNT,
                "attribute_exists(PK) AND email = :o AND attribute_not_exists(username)",
                o=ADA,
            )
        ),
        [("release-missing", slot(0, "Delete"))],
    ),
    (
        "delete-that-does-not-say-what-was",
        DESIGN,
        request(delete(ACCOUNT, "attribute_exists(PK)")),
        [("record-guard-missing", slot(0, "Delete"))] * 2,
    ),
    (
        "owned-release-without-the-owner",
        OWNED,
        request(CHANGE, put(lock(value="bob@x.test") | OWNER), delete(lock())),
        [("release-ownerless", slot(2, "Delete"))],
    ),
    ("secret-digests-are-left-alone", HMAC, request(RECORD, CLAIM), []),
]


@pytest.mark.parametrize(
    ("design", "given", "expected"), [row[1:] for row in DESIGNED], ids=[row[0] for row in DESIGNED]
)
def test_with_a_design_every_lock_is_accounted_for(
    design: Json, given: Json, expected: list[tuple[str, str]]
) -> None:
    assert warnings(lint(given, design)) == expected


# --- corrections -------------------------------------------------------------------------------

CORRECTED = [(row[0], None, row[1]) for row in GUESSED] + [
    (f"designed-{row[0]}", row[1], row[2]) for row in DESIGNED
]
CORRECTABLE = [
    (name, design, given)
    for name, design, given in CORRECTED
    if any(advice.corrected for advice in lint(given, design).warnings)
]


def corrected(given: Json, report: Report) -> Json:
    """The request with the first correction that each slot got, and with what is to be added."""
    items: list[Json | None] = copy.deepcopy(given["TransactItems"])
    more: list[Json] = []
    done = set[int]()
    for correction in (made for advice in report.warnings for made in advice.corrected):
        number = correction["slot"]
        if number is None:
            more.append(correction["action"])
        elif number not in done:
            items[number] = correction["action"]
            done.add(number)
    return given | {"TransactItems": [item for item in items if item is not None] + more}


@pytest.mark.parametrize(
    ("design", "given"), [row[1:] for row in CORRECTABLE], ids=[row[0] for row in CORRECTABLE]
)
def test_the_corrected_actions_mend_the_fault(design: Json | None, given: Json) -> None:
    before = lint(given, design)
    after = given
    for _ in range(3):
        after = corrected(after, lint(after, design))
    mended = lint(after, design)
    assert mended.valid
    mendable = {advice.problem.code for advice in before.warnings if advice.corrected}
    assert mendable & {code for code, _ in warnings(mended)} == set()


def test_B03_the_corrected_lock_can_be_pasted() -> None:
    (advice,) = lint(request(RECORD, put(lock(), None))).warnings
    assert advice.as_document() == {
        "code": "lock-unguarded",
        "path": "/TransactItems/1/Put",
        "message": "The lock UNIQ#EMAIL#ada@x.test / LOCK is put without a guard.",
        "hint": "Whoever comes second overwrites the lock of whoever came first, and both hold the "
        "value. Put it under attribute_not_exists(PK).",
        "corrected": [{"slot": 1, "action": CLAIM}],
    }


def test_a_correction_keeps_the_placeholders_that_are_there() -> None:
    given = update("SET email = :n", "#s = :s OR #s = :n", n=BOB, s=ADA)
    given["Update"]["ExpressionAttributeNames"] = {"#s": "status"}
    report = lint(request(given, *MOVED), DESIGN)
    (advice,) = [a for a in report.warnings if a.problem.code == "record-guard-missing"]
    body = advice.corrected[0]["action"]["Update"]
    assert body["ConditionExpression"] == "(#s = :s OR #s = :n) AND email = :email_before"
    assert body["ExpressionAttributeNames"] == {"#s": "status"}
    assert body["ExpressionAttributeValues"].keys() == {":n", ":s", ":email_before"}


# --- our own plans -----------------------------------------------------------------------------

PLANS = [
    (path.stem, case)
    for path in sorted((Path(__file__).parent.parent / "cases" / "plans").glob("*.json"))
    if "plan" in (case := read_json(path.read_text("utf-8")))
]


@pytest.mark.parametrize("case", [case for _, case in PLANS], ids=[name for name, _ in PLANS])
@pytest.mark.parametrize("known", [True, False], ids=["with-design", "without-design"])
def test_a_plan_of_ours_has_no_fault(case: Json, known: bool) -> None:
    design = case["request"]["design"] if known else None
    report = lint(case["plan"]["request"], design)
    assert report.problems == ()
    assert {advice.problem.code for advice in report.warnings} <= {"token-missing"}


def test_warnings_of_every_rule_are_tested() -> None:
    seen = {code for row in GUESSED for code, _ in row[2]}
    assert len(RULES) <= len(seen)


def test_a_hostile_request_is_looked_at_to_the_end() -> None:
    suffixes = "#".join("a" * (number % 7) for number in range(400))
    item = ACCOUNT | {f"a{n}": {"S": suffixes[n:]} for n in range(len(suffixes))}
    locks = [put({"PK": {"S": f"UNIQ#X{n}#{suffixes}"}, "SK": {"S": "LOCK"}}) for n in range(99)]
    report = lint(request(put(item), *locks))
    json.dumps(report.as_document())
    assert [fault.problem.code for fault in report.problems] == ["item-size"]
