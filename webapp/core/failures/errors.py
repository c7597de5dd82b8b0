"""An error from DynamoDB, in whatever form people have it, read into one value.

Rule: structure first, text last. The reasons of a cancelled transaction are taken from the list
``CancellationReasons``; only where that is missing are they taken from the list that the message
text carries in brackets. Two lists that contradict each other are no list. The reason: engines
word their messages differently and software wraps them, and a reason that is read at the wrong
position would name the wrong field. Reading never raises, whatever the input: what cannot be
understood is an error without a name.

Forms: ``e.response`` of botocore (mapping, JSON or Python ``repr``), the wire's JSON, errors of
the JavaScript SDK as JSON, the lines of the AWS CLI, exception texts of the Java, Go, .NET and
other SDKs, and a bare list of reasons.
(API_TransactWriteItems, "Cancellation reason codes"; the AWS CLI user guide, "Structured error
output".)
"""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from webapp.core.jsontext import Digits
from webapp.core.limits import ACTIONS

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

MAX_JSON = 16_000_000
MAX_PYTHON = 1_000_000
MAX_TEXT = 1_000_000
MAX_NUMBER = 2**53
MAX_DEPTH = 80
"""DynamoDB nests values 32 levels deep, each level a tag and a value in JSON, plus the envelope."""


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


def read_error(error: object) -> ServiceError:
    """Read an error in any of the forms above. Never raises; unknown text gives an empty name."""
    match error:
        case bytes() | bytearray():
            return read_error(bytes(error).decode("utf-8", "replace"))
        case str():
            return _read_text(error)
        case BaseException():
            return _read_exception(error)
        case Mapping():
            return _read_mapping(error)
        case list() | tuple():
            return _read_reasons_alone(error)
        case _:
            return ServiceError()


def _read_text(text: str) -> ServiceError:
    """Read text: a document, a document inside other text, or plain words."""
    document = _document_of(text.strip())
    if isinstance(document, str):
        text, document = document, _document_of(document.strip())
    if isinstance(document, Mapping | list | tuple):
        return read_error(document)
    return _with_words_around(_read_plain(text), text)


def _read_exception(error: BaseException) -> ServiceError:
    """Read a Python exception: its ``response`` if it has one (botocore), else its text."""
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        return read_error(response)
    said = " ".join(part for part in error.args if isinstance(part, str))
    return _read_plain(f"{type(error).__name__}: {said}")


# --- documents ---------------------------------------------------------------------------------

_NAME_KEYS = ("__type", "Code", "code", "errorType", "errorCode", "name", "Type")
_MESSAGE_KEYS = ("Message", "message", "errorMessage")
_REASON_KEYS = ("CancellationReasons", "cancellationReasons", "cancellation_reasons", "reasons")
_STATUS_KEYS = ("HTTPStatusCode", "httpStatusCode", "statusCode", "StatusCode", "status")
_WRAPPER_KEYS = (
    "Error",
    "error",
    "err",
    "response",
    "cause",
    "exception",
    "body",
    "ResponseMetadata",
    "$metadata",
)
MAX_WRAPPERS = 4


def _read_mapping(document: Mapping[object, object]) -> ServiceError:
    """Read an error document and the documents it wraps, the outermost answer first."""
    levels = list(_levels(document, MAX_WRAPPERS))
    names = [name for level in levels if (name := _short_name(_first_text(level, _NAME_KEYS)))]
    messages = [message for level in levels if (message := _first_text(level, _MESSAGE_KEYS))]
    listed = [_reasons_of(level.get(key)) for level in levels for key in _REASON_KEYS]
    reasons = _agreed([*listed, *map(_reasons_in_text, messages)])
    known = [name for name in [*names, *map(_name_in, messages)] if name in ERRORS]
    return ServiceError(
        next(iter(known + [CANCELLED] * bool(reasons) + names), ""),
        next(iter(messages), ""),
        reasons,
        next((status for level in levels if (status := _status_of(level))), None),
    )


def _levels(document: Mapping[object, object], depth: int) -> Iterator[Mapping[object, object]]:
    """Walk an error document and what it wraps, as documents or as text, the outermost first."""
    yield document
    for key in _WRAPPER_KEYS if depth else ():
        inner = document.get(key)
        wrapped = _document_of(inner.strip()) if isinstance(inner, str) else inner
        if isinstance(wrapped, Mapping):
            yield from _levels(wrapped, depth - 1)
        elif isinstance(inner, str):
            yield {_MESSAGE_KEYS[0]: inner}


def _first_text(document: Mapping[object, object], keys: Sequence[str]) -> str:
    return next((v for key in keys if isinstance(v := document.get(key), str) and v), "")


def _status_of(document: Mapping[object, object]) -> int | None:
    """The HTTP status, where it is a plausible one."""
    numbers = (document.get(key) for key in _STATUS_KEYS)
    return next((n for n in numbers if type(n) is int and 100 <= n <= 599), None)


def _short_name(name: str) -> str:
    """``com.amazonaws.dynamodb.v20120810#ValidationException`` → ``ValidationException``."""
    return re.split(r"[#.:/]", name[-MAX_NAME:].strip())[-1]


MAX_NAME = 300


def _read_reasons_alone(listed: Sequence[object]) -> ServiceError:
    reasons = _reasons_of(listed)
    return ServiceError(CANCELLED, "", reasons) if reasons else ServiceError()


def _reasons_of(listed: object) -> tuple[Reason, ...] | None:
    """The reasons of a list of codes or of documents; ``None`` if any entry is neither."""
    if not isinstance(listed, list | tuple) or len(listed) > ACTIONS:
        return None
    reasons = [_reason_of(entry) for entry in listed]
    return tuple(r for r in reasons if r) if all(reasons) else None


def _reason_of(entry: object) -> Reason | None:
    match entry:
        case None:
            return Reason(NO_REASON)
        case str() if re.fullmatch(r"[A-Za-z]{1,60}", entry):
            return Reason(_reason_code(entry))
        case Mapping():
            return _reason_of_document(entry)
        case _:
            return None


def _reason_of_document(entry: Mapping[object, object]) -> Reason | None:
    code = entry.get("Code", entry.get("code", NO_REASON))
    if not isinstance(code, str | None):
        return None
    item = entry.get("Item", entry.get("item"))
    return Reason(
        _reason_code(code or NO_REASON),
        _first_text(entry, _MESSAGE_KEYS),
        _item(item) if isinstance(item, Mapping) and item else None,
    )


def _reason_code(code: str) -> str:
    """The code as it is; only the spellings of "no reason" are one (the wire says ``None``)."""
    return NO_REASON if code.lower() in ("none", "null") else code


def _item(item: Mapping[object, object]) -> Mapping[str, object]:
    clean = json_safe(item)
    return clean if isinstance(clean, dict) else {}


def json_safe(value: object, depth: int = MAX_DEPTH) -> object:
    """Copy a value as plain JSON: bytes as base64, lone surrogates escaped, other types as text.

    What lies deeper than ``depth`` levels is cut off and stands as "…".
    """
    match value:
        case Mapping() if depth:
            return {str_key(k): json_safe(v, depth - 1) for k, v in value.items()}
        case list() | tuple() | set() | frozenset() if depth:
            return [json_safe(v, depth - 1) for v in value]
        case Mapping() | list() | tuple() | set() | frozenset():
            return "…"
        case _:
            return _json_scalar(value)


def _json_scalar(value: object) -> object:
    match value:
        case None | bool():
            return value
        case int() | float() if abs(value) < MAX_NUMBER:
            return value
        case str() | Digits():
            return well_formed(value if isinstance(value, str) else value.text)
        case bytes() | bytearray():
            return base64.b64encode(value).decode()
        case _:
            return f"({type(value).__name__})"


def str_key(key: object) -> str:
    """A mapping's key as a JSON member name."""
    return well_formed(key) if isinstance(key, str) else f"({type(key).__name__})"


def well_formed(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates stand as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


# --- text that holds a document ----------------------------------------------------------------


def _document_of(text: str) -> object:
    """The JSON or Python value that the text is or carries; ``None`` if it carries none."""
    for read in (_json_of, _python_of, _json_inside):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _json_of(text: str) -> object:
    if len(text) > MAX_JSON:
        raise ValueError("too long")
    return json.loads(text)


MAX_STARTS = 20
_OBJECT = re.compile(r'\{\s*"')


def _json_inside(text: str) -> object:
    """Find the JSON object that carries the reasons inside other text, as log lines have it."""
    end = text.find("CancellationReasons", 0, MAX_TEXT)
    for start in islice(_OBJECT.finditer(text, 0, max(end, 0)), MAX_STARTS):
        with suppress(ValueError, RecursionError):
            return json.JSONDecoder().raw_decode(text, start.start())[0]
    raise ValueError("no document inside")


_PYTHON_TOKEN = re.compile(
    r"""(?P<text>b?'(?:[^'\\]|\\.)*(?:'|\\?\Z)|b?"(?:[^"\\]|\\.)*(?:"|\\?\Z))"""
    r"""|(?P<open>[\[{(])|(?P<close>[\]})])|(?P<plain>[\s,:\w.]+)|(?P<minus>-(?=\d))|(?P<other>.)""",
    re.DOTALL,
)


def _python_of(text: str) -> object:
    """The value of a Python literal: what ``print(e.response)`` shows.

    The text is walked first, so that the parser never sees long or deep input nor an operator.
    """
    if len(text) > MAX_PYTHON or not text.startswith(("{", "[", "(")):
        raise ValueError("not a Python literal")
    depth = 0
    before = ""
    for token in _PYTHON_TOKEN.finditer(text):
        kind = token.lastgroup or "other"
        depth += (kind == "open") - (kind == "close")
        operator = kind == "minus" and token.start() and text[token.start() - 1] not in " ,:[({\n"
        if kind == "other" or operator or depth > MAX_DEPTH or (kind, before) == ("minus", kind):
            raise ValueError("not a plain Python literal")
        before = kind
    value: object = ast.literal_eval(text)
    return value


# --- text --------------------------------------------------------------------------------------

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

_PHRASES: Final = (
    (r"\bParameter validation failed\b", "ParamValidationError"),
    (r"\bRead timeout on endpoint\b", "ReadTimeoutError"),
    (r"\bConnect timeout on endpoint\b", "ConnectTimeoutError"),
    (r"\bCould not connect to the endpoint\b", "EndpointConnectionError"),
    (r"\bConnection was closed before we received a valid response\b", "ConnectionClosedError"),
    (r"\bUnable to locate credentials\b", "NoCredentialsError"),
    (r"\bcontext deadline exceeded\b", "TimeoutError"),
    (r"\bconnection refused\b", "ECONNREFUSED"),
    (r"\bconnection reset\b", "ECONNRESET"),
)
"""Sentences of software that says no name, and the name each stands for."""

_NAME = re.compile(r"\b(?:" + "|".join(sorted(ERRORS, key=len, reverse=True)) + r")\b")
_STATUS = re.compile(r"\bstatus ?code: ?(\d{3})\b|\bHTTP(?:/[\d.]+)? (\d{3})\b", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(\d{3})\b", re.IGNORECASE)
_CODE_WORD = r"[\"']?[A-Za-z]{1,60}[\"']?"
_LIST = re.compile(rf"\[\s*({_CODE_WORD}(?:\s*,\s*{_CODE_WORD}){{0,99}})\s*\]")
_CODE_MEMBER = re.compile(
    r"\bcode\b[\"']?\s*[:=]\s*(?:Some\()?[\"']?(" + "|".join(sorted(REASONS)) + r")\b",
    re.IGNORECASE,
)


def _read_plain(text: str) -> ServiceError:
    """Read words: the first known name in them, and the reasons if they list them."""
    text = text[:MAX_TEXT]
    reasons = _reasons_in_text(text)
    name = _name_in(text) or (CANCELLED if reasons else "")
    return ServiceError(name, text.strip(), reasons, _status_in(text))


def _with_words_around(read: ServiceError, text: str) -> ServiceError:
    """A cancelled transaction whose reasons stand only as members in the text (Java, Rust)."""
    if read.name != CANCELLED or read.reasons:
        return read
    return ServiceError(read.name, read.message, _reasons_as_members(text[:MAX_TEXT]), read.status)


_CANCELLED_TEXT = re.compile(r"\bTransaction cancell?ed, please refer", re.IGNORECASE)


def _name_in(text: str) -> str:
    """Find the first known error name in a text, else the name that its words stand for.

    The text of a cancelled transaction is looked for first: its list may hold other names.
    """
    text = text[:MAX_TEXT]
    if _CANCELLED_TEXT.search(text):
        return CANCELLED
    if found := _NAME.search(text):
        return found[0]
    return next((name for phrase, name in _PHRASES if re.search(phrase, text, re.IGNORECASE)), "")


def _status_in(text: str) -> int | None:
    found = _STATUS.search(text) or _TITLE.search(text)
    return int(next(g for g in found.groups() if g)) if found else None


def _reasons_in_text(text: str) -> tuple[Reason, ...] | None:
    """The bracketed list of reasons in a text; ``None`` if there is none or they differ."""
    found = [
        tuple(Reason(_reason_code(code.strip().strip("\"'"))) for code in match[1].split(","))
        for match in _LIST.finditer(text[:MAX_TEXT])
        if _is_list_of_reasons(match)
    ]
    return _agreed(list(found))


def _is_list_of_reasons(match: re.Match[str]) -> bool:
    """Whether a bracketed list is one of reasons: it says so, or it holds only known codes."""
    codes = {code.strip().strip("\"'") for code in match[1].split(",")}
    said = match.string[max(0, match.start() - 20) : match.start()].rstrip().endswith("reasons")
    return said or codes <= REASONS.keys()


def _reasons_as_members(text: str) -> tuple[Reason, ...] | None:
    """The reasons of ``CancellationReason(Code=None), …`` and its like; ``None`` if none."""
    start = text.lower().find("cancellation")
    codes = _CODE_MEMBER.findall(text, max(start, 0))
    return tuple(Reason(_reason_code(code)) for code in codes) or None


def _agreed(lists: Sequence[tuple[Reason, ...] | None]) -> tuple[Reason, ...] | None:
    """Choose of several lists of reasons the one that says most, if all say the same codes."""
    given = [reasons for reasons in lists if reasons]
    codes = {tuple(reason.code for reason in reasons) for reasons in given}
    return max(given, key=_told) if len(codes) == 1 else None


def _told(reasons: tuple[Reason, ...]) -> int:
    return sum(bool(reason.message) + bool(reason.item) for reason in reasons)
