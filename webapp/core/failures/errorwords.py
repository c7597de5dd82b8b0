"""An error told in words: the lines of the AWS CLI, exception texts of SDKs, sentences of logs.

Rule: a text is searched for names and lists of the closed sets only; lists of reasons that
contradict each other are no list. The reason: a reason that is read at the wrong position would
name the wrong field.
(API_TransactWriteItems, "Cancellation reason codes".)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from webapp.core.failures.embedded import MAX_TEXT
from webapp.core.failures.serviceerror import (
    CANCELLED,
    ERRORS,
    REASONS,
    Reason,
    ServiceError,
    reason_code,
)

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


def read_plain(text: str) -> ServiceError:
    """Read words: the first known name in them, and the reasons if they list them."""
    text = text[:MAX_TEXT]
    reasons = reasons_in_text(text)
    name = name_in(text) or (CANCELLED if reasons else "")
    return ServiceError(name, text.strip(), reasons, _status_in(text))


def with_words_around(read: ServiceError, text: str) -> ServiceError:
    """A cancelled transaction whose reasons stand only as members in the text (Java, Rust)."""
    if read.name != CANCELLED or read.reasons:
        return read
    return ServiceError(read.name, read.message, _reasons_as_members(text[:MAX_TEXT]), read.status)


_CANCELLED_TEXT = re.compile(r"\bTransaction cancell?ed, please refer", re.IGNORECASE)


def name_in(text: str) -> str:
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


def reasons_in_text(text: str) -> tuple[Reason, ...] | None:
    """The bracketed list of reasons in a text; ``None`` if there is none or they differ."""
    found = [
        tuple(Reason(reason_code(code.strip().strip("\"'"))) for code in match[1].split(","))
        for match in _LIST.finditer(text[:MAX_TEXT])
        if _is_list_of_reasons(match)
    ]
    return agreed(list(found))


def _is_list_of_reasons(match: re.Match[str]) -> bool:
    """Whether a bracketed list is one of reasons: it says so, or it holds only known codes."""
    codes = {code.strip().strip("\"'") for code in match[1].split(",")}
    said = match.string[max(0, match.start() - 20) : match.start()].rstrip().endswith("reasons")
    return said or codes <= REASONS.keys()


def _reasons_as_members(text: str) -> tuple[Reason, ...] | None:
    """The reasons of ``CancellationReason(Code=None), …`` and its like; ``None`` if none."""
    start = text.lower().find("cancellation")
    codes = _CODE_MEMBER.findall(text, max(start, 0))
    return tuple(Reason(reason_code(code)) for code in codes) or None


def agreed(lists: Sequence[tuple[Reason, ...] | None]) -> tuple[Reason, ...] | None:
    """Choose of several lists of reasons the one that says most, if all say the same codes."""
    given = [reasons for reasons in lists if reasons]
    codes = {tuple(reason.code for reason in reasons) for reasons in given}
    return max(given, key=_told) if len(codes) == 1 else None


def _told(reasons: tuple[Reason, ...]) -> int:
    return sum(bool(reason.message) + bool(reason.item) for reason in reasons)
