"""What it means that a request failed: tables from what botocore and the service say.

Rule: a failure is one of three things, and the tables say which: it never got there, it may have
got there, or the service said no. The reason: only the second leaves doubt about what is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import botocore.exceptions as failures
from botocore.parsers import ResponseParserError

from webapp.attempts import IN_PROGRESS
from webapp.gateway.credentials import CredentialsBroken, CredentialsExpired
from webapp.gateway.wire import AnswerLost, AnswerTooLarge, SettingsBroken


class Failure(NamedTuple):
    """One row: exceptions, the code of the trouble, whether the request may have arrived."""

    kinds: tuple[type[Exception], ...]
    code: str
    may_have_arrived: bool


# The first row that fits counts: botocore's HTTPClientError is the parent of several above it, and
# BotoCoreError of all: what remains is about settings that are read before anything is sent.
FAILURES: tuple[Failure, ...] = (
    Failure((failures.ProfileNotFound,), "profile-missing", may_have_arrived=False),
    Failure(
        (failures.NoCredentialsError, failures.PartialCredentialsError),
        "no-credentials",
        may_have_arrived=False,
    ),
    Failure((CredentialsExpired,), "credentials-expired", may_have_arrived=False),
    Failure(
        (CredentialsBroken, failures.ConfigParseError, failures.InvalidConfigError),
        "credentials-broken",
        may_have_arrived=False,
    ),
    Failure((failures.ConnectTimeoutError,), "connection-timeout", may_have_arrived=False),
    Failure((failures.EndpointConnectionError,), "connection-refused", may_have_arrived=False),
    Failure((failures.ProxyConnectionError,), "proxy-failed", may_have_arrived=False),
    Failure((failures.SSLError,), "not-trusted", may_have_arrived=False),
    Failure((AnswerTooLarge,), "answer-too-large", may_have_arrived=True),
    Failure(
        (AnswerLost, failures.HTTPClientError, ResponseParserError),
        "answer-lost",
        may_have_arrived=True,
    ),
    Failure((SettingsBroken, failures.BotoCoreError), "settings-broken", may_have_arrived=False),
)
FAILURE_KINDS = tuple(kind for row in FAILURES for kind in row.kinds)


def failure_of(error: Exception) -> Failure:
    """The row of an exception that is one of ``FAILURE_KINDS``."""
    return next(row for row in FAILURES if isinstance(error, row.kinds))


# What is told of AWS in place of what is told of an engine.
AWS_TROUBLES: Mapping[str, str] = {
    "connection-refused": "aws-not-reached",
    "connection-timeout": "aws-not-reached",
}
_TUNNEL_STATUS = re.compile(r"Tunnel connection failed: (\d{3})")


def detail_of(error: Exception) -> str:
    """What is told of a failure beside its kind; of a proxy's only its status, if it gave one."""
    if not isinstance(error, failures.ProxyConnectionError):
        return str(error)
    status = _TUNNEL_STATUS.search(str(error.kwargs.get("error")))
    return f"it answered with status {status[1]}" if status else "it cannot be reached"


# Troubles that end when somebody signs in again: the credentials in use are not kept.
CREDENTIAL_TROUBLES = frozenset(
    {
        "credentials-broken",
        "credentials-expired",
        "credentials-refused",
        "no-credentials",
        "profile-missing",
    }
)

TABLE_MISSING = "ResourceNotFoundException"

# Error codes of the service whose cause is the endpoint and not the plan -> code of the trouble.
SERVICE_TROUBLES: Mapping[str, str] = {
    "AccessDeniedException": "access-denied",
    "ExpiredToken": "credentials-expired",
    "ExpiredTokenException": "credentials-expired",
    "IncompleteSignature": "credentials-refused",
    "IncompleteSignatureException": "credentials-refused",
    "InvalidClientTokenId": "credentials-refused",
    "InvalidSignatureException": "credentials-refused",
    "MissingAuthenticationToken": "credentials-refused",
    "MissingAuthenticationTokenException": "credentials-refused",
    TABLE_MISSING: "table-missing",
    "SignatureDoesNotMatch": "credentials-refused",
    "UnknownOperationException": "operation-unknown",
    "UnrecognizedClientException": "credentials-refused",
    IN_PROGRESS: "in-progress",
}

# The permissions of operations that have none of their own name.
LEAVE: Mapping[str, str] = {
    "TransactGetItems": "dynamodb:GetItem",
    "TransactWriteItems": "dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem and "
    "dynamodb:ConditionCheckItem",
}
