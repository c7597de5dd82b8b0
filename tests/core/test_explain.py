"""Explaining failures: by slot, all at once, and never a wrong field."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.failures.causes import CAUSES, MEANINGS, PRECEDENCE
from webapp.core.failures.explain import explain
from webapp.core.failures.savedslots import FAILED
from webapp.core.failures.serviceerror import ERRORS, REASONS

Document = dict[str, Any]


def key(partition: str, sort: str = "LOCK") -> Document:
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def record(action: str = "Put", failure: str = "exists", **more: object) -> Document:
    return {
        "slot": 0,
        "action": action,
        "purpose": "record",
        "change": 0,
        "table": "accounts",
        "key": key("ACCT#u1", "PROFILE"),
        "constraint": None,
        "fields": [],
        "if_condition_fails": {"code": failure, "message": ""},
        **more,
    }


def lock(slot: int, field: str, purpose: str = "claim", guard: str | None = "taken") -> Document:
    return {
        "slot": slot,
        "action": "Put" if purpose == "claim" else "Delete",
        "purpose": purpose,
        "change": 0,
        "table": "accounts",
        "key": key(f"UNIQ#{field.upper()}#a"),
        "constraint": field.upper(),
        "fields": [field],
        "if_condition_fails": {"code": guard, "message": ""} if guard else None,
    }


CREATE = [record(), lock(1, "email"), lock(2, "username")]
CHANGE = [
    record("Update", "missing-or-changed", fields=["email"]),
    lock(1, "email"),
    lock(2, "email", "release", "held-by-another"),
]


def cancelled(*codes: str, **items: Document) -> Document:
    """What botocore's ``e.response`` holds; ``slot1=item`` gives the item returned for slot 1."""
    reasons: list[Document] = [{"Code": code} for code in codes]
    for name, item in items.items():
        reasons[int(name.removeprefix("slot"))]["Item"] = item
    text = (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        f"[{', '.join(codes)}]"
    )
    return {
        "Message": text,
        "Error": {"Code": "TransactionCanceledException", "Message": text},
        "CancellationReasons": reasons,
        "ResponseMetadata": {"HTTPStatusCode": 400},
    }


def test_b69_a_taken_email_is_named_with_slot_and_texts() -> None:
    answer = cancelled("None", "ConditionalCheckFailed", "None")
    said = "email is taken."
    assert explain(CREATE, answer).as_document() == {
        "verdict": "taken",
        "retry": False,
        "same_token": False,
        "cause": "taken",
        "error": "TransactionCanceledException",
        "fields": {"email": [{"code": "taken", "message": said, "slot": 1, "change": 0}]},
        "slots": [
            {
                "slot": 1,
                "code": "ConditionalCheckFailed",
                "meaning": said,
                "existing": None,
                "cause": "taken",
                "owner": None,
                "action": "Put",
                "purpose": "claim",
                "change": 0,
                "table": "accounts",
                "key": key("UNIQ#EMAIL#a"),
                "constraint": "EMAIL",
                "fields": ["email"],
            }
        ],
        "message": "Nothing was written. Taken: email.",
        "hint": "Ask for another value.",
        "tell_user": "Already in use: email. Please choose something else.",
    }


F, OK, BUSY, SLOW = (
    "ConditionalCheckFailed",
    "None",
    "TransactionConflict",
    "ThrottlingError",
)

BY_SLOT = [
    ("B69 record exists", CREATE, [F, OK, OK], "exists", {"PK": ["exists"], "SK": ["exists"]}),
    (
        "B69 record and markers fail at once",
        CREATE,
        [F, F, F],
        "exists",
        {"PK": ["exists"], "SK": ["exists"], "email": ["taken"], "username": ["taken"]},
    ),
    ("both taken", CREATE, [OK, F, F], "taken", {"email": ["taken"], "username": ["taken"]}),
    ("conflict is not taken", CREATE, [OK, BUSY, OK], "conflict", {"email": ["conflict"]}),
    ("throttling is not taken", CREATE, [OK, SLOW, OK], "throttled", {"email": ["throttled"]}),
    (
        "throughput is not taken",
        CREATE,
        [OK, "ProvisionedThroughputExceeded", OK],
        "throttled",
        {"email": ["throttled"]},
    ),
    (
        "taken before conflict",
        CREATE,
        [OK, BUSY, F],
        "taken",
        {"email": ["conflict"], "username": ["taken"]},
    ),
    (
        "throttling before conflict",
        CREATE,
        [OK, BUSY, SLOW],
        "throttled",
        {"email": ["conflict"], "username": ["throttled"]},
    ),
    (
        "our mistake before taken",
        CREATE,
        [OK, "ValidationError", F],
        "invalid",
        {"email": ["invalid"], "username": ["taken"]},
    ),
    (
        "collection limit",
        CREATE,
        ["ItemCollectionSizeLimitExceeded", OK, OK],
        "invalid",
        {"PK": ["invalid"], "SK": ["invalid"]},
    ),
    ("access", CREATE, [OK, "AccessDenied", OK], "invalid", {"email": ["invalid"]}),
    ("duplicate item", CREATE, [OK, "DuplicateItem", OK], "unknown", {"email": ["unknown"]}),
    ("unknown code", CREATE, [OK, "Moonstruck", OK], "unknown", {"email": ["unknown"]}),
    (
        "taken before unknown",
        CREATE,
        [OK, "Moonstruck", F],
        "taken",
        {"email": ["unknown"], "username": ["taken"]},
    ),
    (
        "stale form",
        CHANGE,
        [F, OK, OK],
        "missing-or-changed",
        {"email": ["missing-or-changed"]},
    ),
    (
        "stale form, and the new value is taken",
        CHANGE,
        [F, F, OK],
        "missing-or-changed",
        {"email": ["missing-or-changed", "taken"]},
    ),
    ("lock of another", CHANGE, [OK, OK, F], "held-by-another", {"email": ["held-by-another"]}),
    ("all well", CREATE, [OK, OK, OK], "unknown", {}),
    ("too few reasons", CREATE, [OK, F], "unknown", {}),
    ("too many reasons", CREATE, [OK, F, OK, OK], "unknown", {}),
    (
        "a condition where the plan has none",
        [record(), lock(1, "email", "release", None)],
        [OK, F],
        "unknown",
        {},
    ),
    (
        "a condition where the plan says there is none",
        [record(), {**lock(1, "email", "release", "held-by-another"), "guard": {"code": "none"}}],
        [OK, F],
        "unknown",
        {},
    ),
]


@pytest.mark.parametrize(
    ("slots", "codes", "verdict", "fields"),
    [row[1:] for row in BY_SLOT],
    ids=[row[0] for row in BY_SLOT],
)
def test_verdict_and_fields(
    slots: list[Document], codes: list[str], verdict: str, fields: dict[str, list[str]]
) -> None:
    explanation = explain(slots, cancelled(*codes))
    found = {name: [note.code for note in notes] for name, notes in explanation.fields.items()}
    assert (explanation.verdict, found) == (verdict, fields)
    assert explanation.retry is (verdict in {"conflict", "throttled"})


def test_a_conflict_beside_a_taken_value_is_no_reason_to_retry() -> None:
    explanation = explain(CREATE, cancelled(OK, BUSY, F))
    assert (explanation.retry, explanation.hint, explanation.tell_user) == (
        False,
        (
            "Ask for another value. Slot 1 met a passing "
            "conflict or limit as well, but sending the same again would still fail."
        ),
        "Already in use: username. Please choose something else.",
    )


def test_every_business_cause_is_told_to_the_user() -> None:
    assert explain(CREATE, cancelled(F, F, F)).tell_user == (
        "This exists already. Already in use: email, username. Please choose something else."
    )


def test_fields_of_a_combination_are_all_named() -> None:
    slots = [record(), {**lock(1, "tenant"), "fields": ["tenant", "email"]}]
    explanation = explain(slots, cancelled(OK, F))
    said = "tenant and email are taken."
    assert {name: [n.message for n in notes] for name, notes in explanation.fields.items()} == {
        "tenant": [said],
        "email": [said],
    }


U2 = key("ACCT#u2", "PROFILE")
OWNED = {**key("UNIQ#EMAIL#a"), "owner": {"M": U2}}
OWNERS = [
    ("B81 the one map that is a key", OWNED, None, U2),
    ("B81 the attribute the design names", {**OWNED, "by": {"M": key("ACCT#u3")}}, "owner", U2),
    ("two maps that are keys", {**OWNED, "by": {"M": key("ACCT#u3")}}, None, None),
    ("a map that is no key", {"PK": {"S": "x"}, "meta": {"M": {"a": {"BOOL": True}}}}, None, None),
    ("a lock without owner", key("UNIQ#EMAIL#a"), None, None),
    ("an owner that is no map", {**key("x"), "owner": {"S": "ACCT#u2"}}, "owner", None),
    ("an empty map", {**key("x"), "owner": {"M": {}}}, "owner", None),
    ("a map with three members", {"o": {"M": {**U2, "x": {"S": "1"}}}}, None, None),
]


@pytest.mark.parametrize(
    ("item", "attribute", "owner"), [row[1:] for row in OWNERS], ids=[row[0] for row in OWNERS]
)
def test_owner_of_the_blocking_lock(
    item: Document, attribute: str | None, owner: Document | None
) -> None:
    (finding,) = explain(CREATE, cancelled(OK, F, OK, slot1=item), attribute).slots
    assert (finding.existing, finding.owner) == (item, owner)


HERE = "ACCT#u1 / PROFILE"
CHANGED = f"The record {HERE} does not exist, or email has changed since it was read."
PLAIN = [record("Update", "missing-or-changed", guard={"code": "exists", "message": ""})]
MET = [
    ("B81 owner shown", CREATE, 1, OWNED, "email is taken by the record ACCT#u2 / PROFILE."),
    ("B81 not asked for", CREATE, 1, None, "email is taken."),
    ("release", CHANGE, 2, OWNED, "The record ACCT#u2 / PROFILE holds the lock of email."),
    ("changed", CHANGE, 0, U2, f"email has changed in the record {HERE} since it was read."),
    ("missing or changed", CHANGE, 0, None, CHANGED),
    ("missing", PLAIN, 0, None, f"The record {HERE} does not exist."),
    ("exists", CREATE, 0, None, f"A record with the key {HERE} exists already."),
]


@pytest.mark.parametrize(
    ("slots", "slot", "item", "meaning"), [row[1:] for row in MET], ids=[row[0] for row in MET]
)
def test_the_item_that_was_met_says_more(
    slots: list[Document], slot: int, item: Document | None, meaning: str
) -> None:
    codes = [F if number == slot else OK for number in range(len(slots))]
    answer = cancelled(*codes, **({f"slot{slot}": item} if item else {}))
    assert [finding.meaning for finding in explain(slots, answer).slots] == [meaning]


def test_a_lock_held_by_the_record_of_the_change_hints_at_an_earlier_success() -> None:
    item = {**key("UNIQ#EMAIL#a"), "owner": {"M": key("ACCT#u1", "PROFILE")}}
    explanation = explain(CREATE, cancelled(F, F, OK, slot1=item))
    assert (explanation.verdict, explanation.tell_user) == ("exists", "This exists already.")
    assert explanation.slots[1].meaning == (
        "email is taken already by the record of this change, ACCT#u1 / PROFILE."
    )
    assert explain(CREATE, cancelled(OK, F, BUSY, slot1=item)).message.endswith("Taken: email.")
    assert explanation.hint.endswith(
        "An earlier sending may have succeeded: compare what is stored with what was wanted."
    )


WHOLE = [
    ("B74", "IdempotentParameterMismatchException", "token-mismatch", False),
    ("B75", "TransactionInProgressException", "in-progress", True),
    ("table", "ResourceNotFoundException", "invalid", False),
    ("form", "ValidationException", "invalid", False),
    ("access", "AccessDeniedException", "invalid", False),
    ("credentials", "UnrecognizedClientException", "invalid", False),
    ("throttling", "ThrottlingException", "throttled", True),
    ("throughput", "ProvisionedThroughputExceededException", "throttled", True),
    ("limit", "RequestLimitExceeded", "throttled", True),
    ("service", "InternalServerError", "unknown", True),
    ("time-out", "ReadTimeoutError", "unknown", True),
    ("not sent", "EndpointConnectionError", "unknown", True),
    ("single write", "ConditionalCheckFailedException", "unknown", False),
    ("conflict", "TransactionConflictException", "conflict", True),
    ("unheard of", "MoonstruckException", "unknown", False),
    ("cancelled without reasons", "TransactionCanceledException", "unknown", False),
]


@pytest.mark.parametrize(
    ("name", "verdict", "again"), [row[1:] for row in WHOLE], ids=[row[0] for row in WHOLE]
)
def test_errors_of_the_whole_request(name: str, verdict: str, *, again: bool) -> None:
    explanation = explain(CREATE, {"Error": {"Code": name, "Message": "m"}})
    assert (explanation.verdict, explanation.retry, explanation.same_token) == (
        verdict,
        again,
        again,
    )
    assert (explanation.fields, explanation.slots) == ({}, ())


def test_b74_a_mismatch_is_explained_and_asks_for_a_look_and_a_new_token() -> None:
    explanation = explain(CREATE, {"Error": {"Code": "IdempotentParameterMismatchException"}})
    assert (explanation.message, explanation.hint) == (
        "The plan changed after it was sent: its token belongs to another content.",
        "Look at the stored state, then make a new token for the plan as it is now.",
    )


def test_b75_in_progress_means_wait_and_send_the_same() -> None:
    explanation = explain(CREATE, {"__type": "x#TransactionInProgressException"})
    assert (explanation.retry, explanation.same_token) == (True, True)
    assert explanation.hint.startswith("Wait and send the same again with the same token")


def test_success_is_told_as_success() -> None:
    explanation = explain(CREATE, {"ResponseMetadata": {"HTTPStatusCode": 200}})
    assert (explanation.verdict, explanation.message) == (
        "committed",
        "The transaction was committed.",
    )


def test_without_a_plan_a_failed_condition_has_no_meaning_but_a_conflict_has() -> None:
    assert explain(None, "[None, ConditionalCheckFailed]").verdict == "unknown"
    assert [f.planned.slot for f in explain(None, "[None, ConditionalCheckFailed]").slots] == [1]
    assert explain(None, "[None, TransactionConflict]").verdict == "conflict"


UNREADABLE = [
    ("numbers out of order", [lock(1, "email"), lock(0, "username")]),
    ("a number twice", [lock(0, "email"), lock(0, "username")]),
    ("no objects", ["email", "username"]),
    ("no list", {"slots": []}),
    ("empty", []),
]


@pytest.mark.parametrize("slots", [row[1] for row in UNREADABLE], ids=[r[0] for r in UNREADABLE])
def test_slots_that_cannot_be_matched_name_no_field(slots: object) -> None:
    explanation = explain(slots, cancelled(OK, F))
    assert (explanation.cause, explanation.fields) == ("reasons-do-not-fit", {})


def test_tables_are_closed() -> None:
    verdicts = {
        "committed", "taken", "exists", "missing-or-changed", "held-by-another", "conflict",
        "throttled", "token-mismatch", "in-progress", "invalid", "unknown",
    }  # fmt: skip
    assert {cause.verdict for cause in CAUSES.values()} == verdicts
    assert {*ERRORS.values()} - {"cancelled"} <= CAUSES.keys()
    assert {*REASONS.values(), *FAILED} - {"none"} <= CAUSES.keys() & ({"none"} | MEANINGS.keys())
    assert {cause.send for cause in CAUSES.values()} == {"again", "anew", "no"}


def test_what_can_be_sent_again_ranks_below_what_a_person_must_change() -> None:
    of_slots = [cause for cause in PRECEDENCE if cause in MEANINGS]
    again = [CAUSES[cause].retry for cause in of_slots]
    assert again == sorted(again)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)
codes = st.sampled_from([*REASONS, "Moonstruck"])


@given(plain, plain)
def test_nothing_raises(slots: object, error: object) -> None:
    assert explain(slots, error).as_document()["verdict"]


@given(st.lists(codes, min_size=1, max_size=6))
def test_only_failed_conditions_are_ever_called_taken(found: list[str]) -> None:
    explanation = explain(CREATE, cancelled(*found))
    for finding in explanation.slots:
        assert (finding.cause in FAILED) is (finding.reason.code == F)
        assert len(found) == len(CREATE)
