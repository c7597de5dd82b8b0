"""What an answer can come to: the tables of causes, their consequences and their texts.

Rule: one row per cause decides the verdict, whether the same may be sent again and what is said to
whom; the order of the rows decides which of several causes a person must act on first. The reason:
page, API and command line must never disagree about "taken" and "try again", and another language
needs only another table. (Developer Guide, "Error handling with DynamoDB"; API reference,
TransactWriteItems.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Cause(NamedTuple):
    """One row: the contract's ``verdict``, what to ``send`` next, and three texts.

    ``send`` is ``again`` where the same can succeed (with the same token), ``anew`` where the plan
    must be changed (with a new token), ``no`` where nothing is left to send. ``{name}`` stands for
    a parameter.
    """

    verdict: str
    send: str
    message: str
    hint: str
    tell_user: str

    @property
    def retry(self) -> bool:
        """Whether sending the same again can succeed."""
        return self.send == "again"


_OUR_MISTAKE = "This could not be saved because of a mistake on our side. Nothing was changed."
_TRY_LATER = "This could not be saved just now. Please try again in a moment."
_NOT_SURE = "We cannot say yet whether this was saved. Please wait a moment before you try again."
_FAILED = "This could not be saved. Nothing was changed."

CAUSES: Final[Mapping[str, Cause]] = {
    # Causes of slots, in the order in which a person must act on them.
    "invalid-action": Cause(
        "invalid",
        "anew",
        "Nothing was written: DynamoDB refused the form of slot {slots}.",
        (
            "Correct the action and send the transaction with a new token; as it is, it can "
            "never succeed."
        ),
        _OUR_MISTAKE,
    ),
    "collection-too-large": Cause(
        "invalid",
        "anew",
        (
            "Nothing was written: an item collection would outgrow 10 GB, the limit of a table "
            "with local indexes."
        ),
        "Move items of this partition key elsewhere; sending again cannot help.",
        _OUR_MISTAKE,
    ),
    "access-denied": Cause(
        "invalid",
        "anew",
        "Nothing was written: these credentials may not do this.",
        (
            "Grant dynamodb:PutItem, UpdateItem, DeleteItem and ConditionCheckItem on the table,"
            " as far as the plan uses them."
        ),
        _OUR_MISTAKE,
    ),
    "missing-or-changed": Cause(
        "missing-or-changed",
        "anew",
        "Nothing was written: the record is missing, or was changed since it was read.",
        ("Read the record again, and make the change anew from what is stored now."),
        "Somebody changed this in the meantime. Please look at it again before you save.",
    ),
    "missing": Cause(
        "missing-or-changed",
        "anew",
        "Nothing was written: the record does not exist.",
        "It was deleted, or its key was never written. Create it, or check the key.",
        "This does not exist any more.",
    ),
    "exists": Cause(
        "exists",
        "anew",
        "Nothing was written: a record with this key exists already.",
        "Choose another key, or change the record that exists.",
        "This exists already.",
    ),
    "held-by-another": Cause(
        "held-by-another",
        "anew",
        "Nothing was written: another record holds the lock of {what}.",
        (
            "Read the record and the lock again: what is stored differs from what the plan was "
            "made from."
        ),
        "Somebody changed this in the meantime. Please look at it again before you save.",
    ),
    "taken": Cause(
        "taken",
        "anew",
        "Nothing was written. Taken: {what}.",
        "Ask for another value.",
        "Already in use: {what}. Please choose something else.",
    ),
    "condition-failed": Cause(
        "unknown",
        "anew",
        "Nothing was written: the condition of slot {slots} was not met.",
        (
            "What the condition is for cannot be told from the request; give the plan with its "
            "slots."
        ),
        _FAILED,
    ),
    "unknown-reason": Cause(
        "unknown",
        "anew",
        "Nothing was written: slot {slots} failed for a reason that has no known meaning here.",
        "Look up the code in the documentation of the service that gave it.",
        _FAILED,
    ),
    "throttled": Cause(
        "throttled",
        "again",
        "Nothing was written: more was asked of the table than it may do at a time.",
        "Wait, longer each time, and send the same again with the same token.",
        _TRY_LATER,
    ),
    "conflict": Cause(
        "conflict",
        "again",
        "Nothing was written: another write touched the same item at the same moment.",
        "Send the same again with the same token; nothing is known to be taken.",
        _TRY_LATER,
    ),
    # Causes of whole answers.
    "committed": Cause(
        "committed",
        "no",
        "The transaction was committed.",
        "Nothing is left to do.",
        "Saved.",
    ),
    "in-progress": Cause(
        "in-progress",
        "again",
        "An earlier sending with this token is still being carried out.",
        (
            "Wait and send the same again with the same token; a new token could meet its own "
            "success as a conflict."
        ),
        "This is still being saved. Please wait a moment.",
    ),
    "token-mismatch": Cause(
        "token-mismatch",
        "anew",
        "The plan changed after it was sent: its token belongs to another content.",
        "Look at the stored state, then make a new token for the plan as it is now.",
        "This was changed after it was sent. Please look at what is saved before you try again.",
    ),
    "no-such-table": Cause(
        "invalid",
        "anew",
        "Nothing was written: there is no such table, or it is not ready.",
        "Check table name, Region, account and endpoint; a table just made takes a moment.",
        _OUR_MISTAKE,
    ),
    "invalid-request": Cause(
        "invalid",
        "anew",
        "Nothing was written: the request was refused for its form: {said}",
        (
            "Correct the request; as it is, it can never succeed. Its check (lint) names every"
            " fault and its place."
        ),
        _OUR_MISTAKE,
    ),
    "credentials": Cause(
        "invalid",
        "anew",
        "Nothing was written: the credentials were not accepted ({error}).",
        "Renew or set the credentials, check the clock and the Region, then send the same again.",
        _OUR_MISTAKE,
    ),
    "not-dynamodb": Cause(
        "invalid",
        "anew",
        "Nothing was written: what answered does not know TransactWriteItems.",
        "Check the endpoint: it must be DynamoDB or an engine that has transactions.",
        _OUR_MISTAKE,
    ),
    "not-a-transaction": Cause(
        "unknown",
        "anew",
        (
            "This is the answer to a single write; a transaction is answered with "
            "TransactionCanceledException."
        ),
        "Give the error of the TransactWriteItems call that the plan belongs to.",
        _FAILED,
    ),
    "outcome-unknown": Cause(
        "unknown",
        "again",
        "No answer says whether the transaction was committed ({error}).",
        (
            "Send the same again with the same token within ten minutes. Later, or without a "
            "token, compare what is stored with what was wanted first."
        ),
        _NOT_SURE,
    ),
    "not-sent": Cause(
        "unknown",
        "again",
        "The service could not be reached ({error}).",
        "Check the endpoint and the network, then send the same again.",
        _TRY_LATER,
    ),
    "no-reasons": Cause(
        "unknown",
        "anew",
        (
            "Nothing was written. The cause is not known: the answer names no reason that can be"
            " relied on."
        ),
        (
            "Give the whole error: in boto3 e.response, in the JavaScript SDK v3 the error with "
            "CancellationReasons."
        ),
        _FAILED,
    ),
    "reasons-do-not-fit": Cause(
        "unknown",
        "anew",
        (
            "Nothing was written. The cause is not known: {reasons} reasons do not fit the "
            "plan's {actions} actions and their guards."
        ),
        "Give the error and the plan of one and the same call.",
        _FAILED,
    ),
    "not-understood": Cause(
        "unknown",
        "anew",
        "The cause is not known: {said}",
        (
            "Give the error as the SDK shows it: in boto3 e.response, in the JavaScript SDK v3 "
            "the error with CancellationReasons."
        ),
        _NOT_SURE,
    ),
}

SENDS: Final[Mapping[str, str]] = {
    "again": "Yes: exactly the same, with the same token.",
    "anew": "Not as it is: put this right first. The changed plan has a token of its own.",
    "no": "No: nothing is left to send.",
}
"""Whether to send again, and with which token."""

PRECEDENCE: Final = {cause: rank for rank, cause in enumerate(CAUSES)}

MEANINGS: Final[Mapping[str, str]] = {
    "invalid-action": "DynamoDB refused the form of this action: {said}",
    "collection-too-large": "The item collection of this key would outgrow 10 GB.",
    "access-denied": "The credentials may not do this: {said}",
    "missing-or-changed": (
        "The record {key} does not exist, or {fields} {has} changed since it was read."
    ),
    "missing": "The record {key} does not exist.",
    "changed": "{fields} {has} changed in the record {key} since it was read.",
    "exists": "A record with the key {key} exists already.",
    "held-by-another": "Another record holds the lock of {fields}.",
    "held-by": "The record {owner} holds the lock of {fields}.",
    "taken": "{fields} {is_} taken.",
    "taken-by": "{fields} {is_} taken by the record {owner}.",
    "taken-by-itself": "{fields} {is_} taken already by the record of this change, {owner}.",
    "condition-failed": "The condition on {key} was not met.",
    "unknown-reason": "{code}: {said}",
    "throttled": "The table was too busy to judge {fields}: nothing is known to be taken.",
    "conflict": (
        "Another write touched {fields} at the same moment: nothing is known to be taken."
    ),
}
"""What a cause means at one slot; rows beyond the causes say more where more is known."""

NOTES: Final[Mapping[str, str]] = {
    "also-transient": (
        "Slot {transient} met a passing conflict or limit as well, but sending the same again "
        "would still fail."
    ),
    "perhaps-done": (
        "An earlier sending may have succeeded: compare what is stored with what was wanted."
    ),
}
"""What is added to the hint of a cause."""
