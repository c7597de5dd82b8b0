"""An error from DynamoDB as one value, and the closed sets of names that it may have.

Rule: a name has the cause that its row gives it, or none that is known. The reason: names that
sound alike mean different things, and a wrong cause sends people the wrong way.
(API reference, TransactWriteItems and "Common errors".)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

CANCELLED: Final = "TransactionCanceledException"
NO_REASON: Final = "None"
CONDITION_FAILED: Final = "ConditionalCheckFailed"

REASONS: Final[Mapping[str, str]] = {
    NO_REASON: "none",
    CONDITION_FAILED: "condition-failed",
    "TransactionConflict": "conflict",
    "ThrottlingError": "throttled",
    "ProvisionedThroughputExceeded": "throttled",
    "ValidationError": "invalid-action",
    "ItemCollectionSizeLimitExceeded": "collection-too-large",
    "AccessDenied": "access-denied",
    "DuplicateItem": "unknown-reason",
}
"""The codes a cancelled transaction gives its actions (API reference, CancellationReason), and the
cause each stands for; what a failed condition means is said by the action's guard."""

ERRORS: Final[Mapping[str, str]] = {
    CANCELLED: "cancelled",
    "TransactionInProgressException": "in-progress",
    "IdempotentParameterMismatchException": "token-mismatch",
    "IdempotentParameterMismatch": "token-mismatch",
    "TransactionConflictException": "conflict",
    "ReplicatedWriteConflictException": "conflict",
    "ProvisionedThroughputExceededException": "throttled",
    "ThrottlingException": "throttled",
    "Throttling": "throttled",
    "RequestLimitExceeded": "throttled",
    "RequestThrottledException": "throttled",
    "TooManyRequestsException": "throttled",
    "LimitExceededException": "throttled",
    "ResourceNotFoundException": "no-such-table",
    "ItemCollectionSizeLimitExceededException": "collection-too-large",
    "ConditionalCheckFailedException": "not-a-transaction",
    "ValidationException": "invalid-request",
    "SerializationException": "invalid-request",
    "ParamValidationError": "invalid-request",
    "UnknownOperationException": "not-dynamodb",
    "AccessDeniedException": "access-denied",
    "AccessDenied": "access-denied",
    "NotAuthorized": "access-denied",
    "OptInRequired": "access-denied",
    "UnrecognizedClientException": "credentials",
    "InvalidSignatureException": "credentials",
    "IncompleteSignatureException": "credentials",
    "SignatureDoesNotMatch": "credentials",
    "MissingAuthenticationTokenException": "credentials",
    "MissingAuthenticationToken": "credentials",
    "InvalidClientTokenId": "credentials",
    "ExpiredTokenException": "credentials",
    "ExpiredToken": "credentials",
    "RequestExpired": "credentials",
    "NoCredentialsError": "credentials",
    "CredentialsProviderError": "credentials",
    "InternalServerError": "outcome-unknown",
    "InternalServerErrorException": "outcome-unknown",
    "InternalFailure": "outcome-unknown",
    "ServiceUnavailable": "outcome-unknown",
    "ServiceUnavailableException": "outcome-unknown",
    "RequestTimeout": "outcome-unknown",
    "RequestTimeoutException": "outcome-unknown",
    "ReadTimeoutError": "outcome-unknown",
    "ReadTimeout": "outcome-unknown",
    "ConnectionClosedError": "outcome-unknown",
    "TimeoutError": "outcome-unknown",
    "NetworkingError": "outcome-unknown",
    "ECONNRESET": "outcome-unknown",
    "ETIMEDOUT": "outcome-unknown",
    "EndpointConnectionError": "not-sent",
    "ConnectTimeoutError": "not-sent",
    "ECONNREFUSED": "not-sent",
    "ENOTFOUND": "not-sent",
}
"""Names by which an error is known, and the cause each stands for: DynamoDB's own (API reference,
"Common errors" and TransactWriteItems), and those of SDKs that got no answer."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one action of a cancelled transaction failed; ``item`` is what it met, if returned."""

    code: str
    message: str = ""
    item: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class ServiceError:
    """What an answer says: the error's ``name`` and ``message`` ("" when not said).

    ``reasons`` has one entry per action, in the order of the actions, or is ``None`` where the
    answer lists none that can be relied on. ``status`` is the HTTP status, if it is known.
    """

    name: str = ""
    message: str = ""
    reasons: tuple[Reason, ...] | None = None
    status: int | None = None


def reason_code(code: str) -> str:
    """The code as it is; only the spellings of "no reason" are one (the wire says ``None``)."""
    return NO_REASON if code.lower() in ("none", "null") else code
