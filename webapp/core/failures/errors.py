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

import re
from collections.abc import Iterator, Mapping, Sequence

from webapp.core.failures.embedded import document_in
from webapp.core.failures.errorwords import (
    agreed,
    name_in,
    read_plain,
    reasons_in_text,
    with_words_around,
)
from webapp.core.failures.jsonsafe import json_safe
from webapp.core.failures.serviceerror import (
    CANCELLED,
    ERRORS,
    NO_REASON,
    Reason,
    ServiceError,
    reason_code,
)
from webapp.core.limits import ACTIONS


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
    document = document_in(text.strip())
    if isinstance(document, str):
        text, document = document, document_in(document.strip())
    if isinstance(document, Mapping | list | tuple):
        return read_error(document)
    return with_words_around(read_plain(text), text)


def _read_exception(error: BaseException) -> ServiceError:
    """Read a Python exception: its ``response`` if it has one (botocore), else its text."""
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        return read_error(response)
    said = " ".join(part for part in error.args if isinstance(part, str))
    return read_plain(f"{type(error).__name__}: {said}")


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
    reasons = agreed([*listed, *map(reasons_in_text, messages)])
    known = [name for name in [*names, *map(name_in, messages)] if name in ERRORS]
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
        wrapped = document_in(inner.strip()) if isinstance(inner, str) else inner
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
            return Reason(reason_code(entry))
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
        reason_code(code or NO_REASON),
        _first_text(entry, _MESSAGE_KEYS),
        _item(item) if isinstance(item, Mapping) and item else None,
    )


def _item(item: Mapping[object, object]) -> Mapping[str, object]:
    clean = json_safe(item)
    return clean if isinstance(clean, dict) else {}
