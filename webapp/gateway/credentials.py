"""The credentials of an AWS endpoint: found before anything is sent, and shown to nobody.

Rule: credentials are looked for in a step of their own, and only the last four characters of the
access key id are ever told. The reason: finding them runs other people's programs, reads their
files and asks other services, so anything can go wrong there, and whatever does happened before a
request was sent. What a program printed, and what AWS repeats of a request that it refuses (the
canonical string holds the session token), must not get onto a page or into a log.
Source: AWS General Reference, "Signature Version 4: troubleshooting".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import botocore.exceptions as failures
import orjson

SHOWN_CHARACTERS = 4

_IN_HEADER = re.compile(r"[!-~]+")
"""Characters that stand in a header as they are: a blank or a line break comes from copying."""
_SIGNED_BY = re.compile(r"Credential=([^/,\s]+)/")
_PLAIN = (failures.NoCredentialsError, failures.PartialCredentialsError, failures.ProfileNotFound)


class CredentialsBroken(Exception):
    """Credentials could not be had, or cannot be used; the text says why and holds none of them."""


class CredentialsExpired(Exception):
    """What gives the credentials gave some that had expired."""


CREDENTIAL_FAILURES = (failures.BotoCoreError, CredentialsBroken, CredentialsExpired)
"""What is raised where there are no credentials to sign a request with."""


def find_key_id(session: Any) -> str:
    """The whole access key id of credentials that a request can be signed with.

    Raises botocore's errors for no, incomplete and misnamed ones, ``CredentialsBroken`` and
    ``CredentialsExpired``.
    """
    try:
        credentials = session.get_credentials()
        found = credentials.get_frozen_credentials() if credentials else None
    except _PLAIN:
        raise
    except Exception as error:  # noqa: BLE001 - whatever another program or service made of it
        raise _told(error) from None
    if found is None:
        raise failures.NoCredentialsError
    if not all(_IN_HEADER.fullmatch(part) for part in (found.access_key, found.token or "-")):
        raise CredentialsBroken("the access key id or session token holds a blank or a line break.")
    return str(found.access_key)


def shown(key_id: str) -> str:
    """An access key id as people may see it: its last four characters; "" for none."""
    return key_id and f"…{key_id[-SHOWN_CHARACTERS:]}"


def hide_credentials(body: bytes, headers: Mapping[str, Any]) -> bytes:
    """The JSON of a refusal without the credentials that stood in the request's headers."""
    hidden = {found: shown(found) for found in _SIGNED_BY.findall(_text(headers, "Authorization"))}
    token = _text(headers, "X-Amz-Security-Token")
    if token:
        hidden[token] = "…"
    try:
        return orjson.dumps(_without(hidden, orjson.loads(body)))
    except orjson.JSONDecodeError:
        return b""  # no error of DynamoDB: nothing of it is read


def _text(headers: Mapping[str, Any], name: str) -> str:
    """A header of a signed request, whose values are texts or bytes."""
    value = headers.get(name, "")
    return value.decode() if isinstance(value, bytes) else str(value)


def _without(hidden: Mapping[str, str], value: Any) -> Any:
    match value:
        case str():
            for found, instead in hidden.items():
                value = value.replace(found, instead)
            return value
        case list():
            return [_without(hidden, inner) for inner in value]
        case dict():
            return {_without(hidden, name): _without(hidden, value[name]) for name in value}
        case _:
            return value


def _told(error: Exception) -> Exception:
    """What went wrong while credentials were looked for, in words that hold none."""
    if isinstance(error, RuntimeError) and "expired" in str(error):
        return CredentialsExpired()
    return CredentialsBroken(next(_lines(_reason(error)), type(error).__name__))


def _reason(error: Exception) -> str:
    match error:
        case failures.CredentialRetrievalError(kwargs={"provider": "custom-process"}):
            return "the program of credential_process failed; run it by hand to see what it says."
        case failures.ClientError(response={"Error": {"Code": code, "Message": message}}):
            return f"{code}: {message}"
        case failures.BotoCoreError():
            return str(error)
        case OSError(strerror=str(strerror), filename=str(name)):
            return f"{strerror}: {name}"
        case _:
            return f"what should give them gave something else ({type(error).__name__})."


def _lines(text: str) -> Iterator[str]:
    """The lines that say something: AWS puts its own words first, then what it was sent."""
    return (line for line in text.splitlines() if line.strip())
