"""What came of sending a request: plain, frozen data.

Rule: an answer says what is *known*. The service refused it, it never got there, or nobody knows:
these are different types, because a person must do different things. Texts are rows of a table,
code -> what happened and what to do, so that another language needs only another table; a refusal
by the service keeps the service's whole answer as it came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.core.problems import Text

_PLACE = "{endpoint} ({place}, Region {region})"
_WHERE = "{endpoint} ({place}, Region {region}, key id {key_id})"

TROUBLES: Mapping[str, Text] = {
    "connection-refused": Text(
        "Nothing answers at " + _WHERE + ".",
        "Start the engine, or check the address that was given for {endpoint} at start.",
    ),
    "connection-timeout": Text(
        "No connection to " + _WHERE + " within {seconds} seconds.",
        "Check the network and the address that was given for {endpoint} at start.",
    ),
    "aws-not-reached": Text(
        _PLACE + " cannot be reached: {detail}",
        "Check the network (a VPN, a firewall, HTTPS_PROXY where a proxy is wanted) and that there "
        "is a Region {region}. Nothing was written.",
    ),
    "proxy-failed": Text(
        "The proxy on the way to " + _PLACE + " did not lead there: {detail}.",
        "Check HTTPS_PROXY and NO_PROXY; status 407 wants the proxy's user name and password in "
        "HTTPS_PROXY. Then start Lockwright again. Nothing was written.",
    ),
    "not-trusted": Text(
        "There is no trusted connection to " + _PLACE + ": {detail}",
        "Check the certificates (AWS_CA_BUNDLE), what stands in between and the computer's clock. "
        "A local engine may want http instead of https. Nothing was written.",
    ),
    "no-credentials": Text(
        "There are no AWS credentials for " + _PLACE + ".",
        "Sign in (aws sso login, aws login, aws configure) and try again, or start Lockwright "
        "with AWS_PROFILE set.",
    ),
    "profile-missing": Text(
        "The profile of endpoint {endpoint} does not exist: {detail}",
        "Name a profile of ~/.aws/config, or leave it out to use the default credentials.",
    ),
    "credentials-broken": Text(
        "The credentials for " + _PLACE + " cannot be had: {detail}",
        "Sign in again (aws sso login, aws login, aws configure), then try again.",
    ),
    "credentials-expired": Text(
        "The credentials for " + _WHERE + " have expired.",
        "Sign in again, then try again; nothing was written.",
    ),
    "credentials-refused": Text(
        "The credentials were refused by " + _WHERE + ".",
        "Check the key, the computer's clock and that the account has this Region enabled; nothing "
        "was written. "
        "Local engines take key ids of letters and digits only.",
    ),
    "settings-broken": Text(
        "The AWS settings for " + _PLACE + " cannot be used: {detail}",
        "Correct them in the environment or in ~/.aws/config, then start Lockwright again; nothing "
        "was written.",
    ),
    "access-denied": Text(
        "These credentials may not do that at " + _WHERE + ": {detail}",
        "Let their policy allow {leave}; nothing was written.",
    ),
    "table-missing": Text(
        "There is no such table at " + _WHERE + ": {detail}.",
        "Make the table, or check its name and the Region. A local engine keeps separate tables "
        "for each Region and key id: use these in your other tools too, or start the engine with "
        "its shared store (DynamoDB Local: the option sharedDb).",
    ),
    "table-not-ready": Text(
        "The table {table} at " + _WHERE + " is still being made or changed.",
        "Wait some seconds until it is active, then try again.",
    ),
    "not-dynamodb": Text(
        "What answered at " + _WHERE + " does not speak as DynamoDB does: {detail}",
        "Check that the address given for {endpoint} is DynamoDB's and nothing else's.",
    ),
    "operation-unknown": Text(
        "What answers at " + _WHERE + " does not know {operation}.",
        "Use an engine, or a newer version of it, that has DynamoDB's transactions: DynamoDB "
        "Local, MiniStack and LocalStack have. Nothing was written.",
    ),
    "answer-too-large": Text(
        "The answer of " + _WHERE + " was longer than {detail} bytes and was not read.",
        "Check that the address given for {endpoint} is DynamoDB's and nothing else's.",
    ),
    "answer-lost": Text(
        "The request went to " + _WHERE + ", but no whole answer came back: {detail}",
        "Whether it was written is not known. Look at the record and its locks before you go on.",
    ),
    "in-progress": Text(
        "The same request is still being worked on at " + _WHERE + ".",
        "Wait some seconds, then send the same plan again with the same token: "
        "it is not written twice.",
    ),
    "read-rejected": Text(
        _WHERE + " refused to answer: {detail}",
        "Check the table's name and keys.",
    ),
    "not-sent": Text(
        "Nothing was sent to " + _WHERE + ".",
        "It was stopped before the first attempt.",
    ),
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why something could not be had from an endpoint: stable ``code`` and parameters."""

    code: str
    params: Mapping[str, object]

    @property
    def message(self) -> str:
        """What happened and where, in English."""
        return TROUBLES[self.code].message.format_map(self.params)

    @property
    def hint(self) -> str:
        """What to do about it, in English."""
        return TROUBLES[self.code].hint.format_map(self.params)

    def as_document(self) -> dict[str, str]:
        """The trouble as a JSON object, shaped like a problem without its path."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class Unavailable(Exception):
    """A read could not be answered; ``trouble`` says why and what to do."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        super().__init__(trouble.message)


@dataclass(frozen=True, slots=True)
class Committed:
    """The whole transaction was written. ``body`` is the service's answer (consumed capacity)."""

    body: Mapping[str, Any]
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Rejected:
    """The service said no and wrote nothing in the last attempt.

    ``error`` is the service's whole answer: ``{"Error": {"Code": …, "Message": …},
    "CancellationReasons": […]}`` with items in typed JSON. ``trouble`` is set when the cause is the
    endpoint (credentials, missing table) and not the plan. ``after_unknown`` warns that an earlier
    attempt of the same request may have been written: the refusal can be its own success.
    """

    code: str
    error: Mapping[str, Any]
    status: int
    attempts: int = 1
    trouble: Trouble | None = None
    after_unknown: bool = False

    @property
    def reasons(self) -> tuple[Mapping[str, Any], ...]:
        """The cancellation reasons by slot; none when the service gave none."""
        return tuple(self.error.get("CancellationReasons") or ())


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The request never got to the service: nothing was written."""

    trouble: Trouble
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Unknown:
    """The request went out and its fate is not known, also not after the attempts allowed."""

    trouble: Trouble
    attempts: int = 1


Answer = Committed | Rejected | Unreachable | Unknown
