"""One request to DynamoDB and its answer, as the texts they are.

Rule: what goes over the wire is the text that was given, byte for byte, and what comes back is the
service's own JSON. boto3's low-level client signs, connects and finds credentials and addresses;
its documented events put the text in, bound the answer and hand it out:

- ``before-call``: the body is the given text. So a token is never filled in behind our back, a
  number is never turned into another, and binary stays the base64 text of typed JSON. Engines
  that compare a repeated request with its token byte by byte see the same bytes.
- ``before-send``: the answer is read up to a limit of bytes and seconds, its length and checksum
  are compared, a redirect is an answer, never followed, and a refusal by AWS is read without the
  credentials that it repeats.
- ``before-parse``: botocore sees an empty object in place of the answer, which it would turn into
  Python values, or fail over when its shape is not DynamoDB's.
- ``after-call``: the answer's text is handed out.

botocore's own retries are off: see ``webapp.attempts``. So is its debug log, which holds session
tokens.
"""

from __future__ import annotations

import functools
import logging
import os
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
import botocore.exceptions as failures
import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.httpsession import URLLib3Session
from botocore.utils import get_environ_proxies
from urllib3.exceptions import HTTPError

from webapp.endpoints import LOCAL_KEY_ID, LOCAL_SECRET, Endpoint
from webapp.gateway.credentials import (
    CREDENTIAL_FAILURES,
    find_key_id,
    hide_credentials,
    shown,
)

logging.getLogger("botocore").setLevel(logging.INFO)

METHODS: Mapping[str, str] = {
    "BatchGetItem": "batch_get_item",
    "CreateTable": "create_table",
    "DeleteItem": "delete_item",
    "DeleteTable": "delete_table",
    "DescribeTable": "describe_table",
    "DescribeTimeToLive": "describe_time_to_live",
    "GetItem": "get_item",
    "ListTables": "list_tables",
    "PutItem": "put_item",
    "Query": "query",
    "Scan": "scan",
    "TransactGetItems": "transact_get_items",
    "TransactWriteItems": "transact_write_items",
    "UpdateItem": "update_item",
}
_MEGABYTE = 1024 * 1024
_ITEM_BYTES = 4 * _MEGABYTE
"""An item has at most 400 KB; in JSON a control character of one byte takes six."""
ANSWER_BYTES: Mapping[str, int] = {
    "CreateTable": _MEGABYTE,
    "DeleteItem": _ITEM_BYTES,
    "DeleteTable": _MEGABYTE,
    "DescribeTable": _MEGABYTE,
    "DescribeTimeToLive": _MEGABYTE,
    "GetItem": _ITEM_BYTES,
    "GetCallerIdentity": 64 * 1024,
    "ListTables": _MEGABYTE,
    "PutItem": _ITEM_BYTES,
    "UpdateItem": _ITEM_BYTES,
}
"""The longest answers that are read to these operations; the others answer with many items."""
QUICK_READS = frozenset({"DescribeTable", "DescribeTimeToLive", "GetItem", "ListTables"})
"""What looks at little and is answered at once where it is answered at all."""
_CHUNK_BYTES = 65536
_MOST_DIGITS = 20
OK = 200
_CONFIG = Config(
    # The text is sent as it is: botocore has nothing to check in it.
    parameter_validation=False,
    retries={"total_max_attempts": 1},
    # A place that is shown as AWS is AWS, whatever AWS_ENDPOINT_URL says.
    ignore_configured_endpoint_urls=True,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one attempt (seconds, bytes) and of all at once (connections kept open)."""

    connect_seconds: float = 3.0
    read_seconds: float = 10.0
    look_seconds: float = 3.0
    answer_bytes: int = 32 * 1024 * 1024
    connections: int = 64


_ASIDE = Limits(read_seconds=3.0, connections=1)
"""Bounds of what is asked by the way and need not be known."""


class AnswerLost(Exception):
    """The request went out, and what came back is not a whole answer; the text says why."""


class SettingsBroken(Exception):
    """The way to the service cannot be taken as it is set; the text says why."""


class AnswerTooLarge(Exception):
    """The answer was longer than the limit, which the text tells, and was not read to its end."""


@dataclass(frozen=True, slots=True)
class Response:
    """What the service answered: its HTTP status and the text of the body."""

    status: int
    text: bytes


class Wire:
    """The connections to one endpoint. Safe to share between threads; connects when first used."""

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        self.endpoint = endpoint
        self.limits = limits
        self._making = threading.Lock()
        self._key_id = LOCAL_KEY_ID if endpoint.is_local else ""

    def call(self, operation: str, text: bytes) -> Response:
        """Send the text of one request, once. ``operation`` is a key of ``METHODS``.

        Raises what ``find_key_id`` and botocore raise for credentials and connections,
        ``AnswerLost`` and ``AnswerTooLarge``; an answer with an error status is returned like any
        other.
        """
        if not self.endpoint.is_local:
            self._key_id = find_key_id(self._session)
        try:
            answer = getattr(self._client, METHODS[operation])(text=text)
        except failures.ClientError as error:
            answer = error.response
        return Response(answer["ResponseMetadata"]["HTTPStatusCode"], answer["text"])

    @property
    def key_id(self) -> str:
        """The access key id that was used last, as it is shown: its end for AWS; "" for none."""
        return self._key_id if self.endpoint.is_local else shown(self._key_id)

    def forget_credentials(self) -> None:
        """Look for credentials anew before the next request: a person may have signed in again."""
        if self.endpoint.is_local:
            return
        with self._making:
            for name in ("_made_client", "_session", "_told_account"):
                self.__dict__.pop(name, None)

    @property
    def account(self) -> str | None:
        """The AWS account's number, asked of STS once; ``None`` where that fails or is local."""
        if self.endpoint.is_local:
            return None
        try:
            self._key_id = find_key_id(self._session)
        except CREDENTIAL_FAILURES:
            return None
        return self._told_account

    @functools.cached_property
    def _told_account(self) -> str | None:
        try:
            client = self._session.client("sts", config=_CONFIG)
            transport = self._transport(client.meta.endpoint_url, _ASIDE)
            client.meta.events.register("before-send.sts", transport.send)
            return str(client.get_caller_identity()["Account"])
        except Exception:  # noqa: BLE001 - asked by the way: nothing depends on it
            return None

    @functools.cached_property
    def _session(self) -> Any:
        if self.endpoint.is_local:
            return _session_without_settings(self.endpoint.region)
        return boto3.Session(profile_name=self.endpoint.profile, region_name=self.endpoint.region)

    @property
    def _client(self) -> Any:
        with self._making:
            return self._made_client

    @functools.cached_property
    def _made_client(self) -> Any:
        client = self._session.client(
            "dynamodb",
            endpoint_url=self.endpoint.url,
            config=_CONFIG,
        )
        events = client.meta.events
        events.register("before-parameter-build.dynamodb", _take_text)
        events.register("before-call.dynamodb", _send_text)
        transport = self._transport(client.meta.endpoint_url, self.limits)
        events.register("before-send.dynamodb", transport.send)
        events.register("before-parse.dynamodb", _leave_unread)
        events.register("after-call.dynamodb", _keep_text)
        return client

    def _transport(self, url: str, limits: Limits) -> _Transport:
        bundle = None if self.endpoint.is_local else os.environ.get("AWS_CA_BUNDLE")
        proxies = {} if self.endpoint.is_local else get_environ_proxies(url)

        def session(read_seconds: float) -> URLLib3Session:
            return URLLib3Session(
                verify=bundle or True,
                proxies=proxies,
                timeout=(limits.connect_seconds, read_seconds),
                max_pool_connections=limits.connections,
                socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            )

        return _Transport(session, limits, hides_credentials=not self.endpoint.is_local)


def _session_without_settings(region: str) -> Any:
    """A session with dummy keys that reads none of the user's AWS profiles and files."""
    nothing = {
        "profile": (None, None, None, None),
        "config_file": (None, None, os.devnull, None),
        "credentials_file": (None, None, os.devnull, None),
    }
    return boto3.Session(
        botocore_session=botocore.session.Session(nothing),
        aws_access_key_id=LOCAL_KEY_ID,
        aws_secret_access_key=LOCAL_SECRET,
        region_name=region,
    )


class _Transport:
    """Sends a signed request and reads its answer within the limits."""

    def __init__(
        self, session: Callable[[float], Any], limits: Limits, *, hides_credentials: bool
    ) -> None:
        self._session = functools.cache(session)  # one pool of connections for each patience
        self._limits = limits
        self._hides_credentials = hides_credentials

    def send(self, request: AWSPreparedRequest, event_name: str, **_: object) -> AWSResponse:
        """Answer the ``before-send`` event with the whole answer of the service.

        The event's name ends in that of the operation.

        Raises what botocore raises, ``SettingsBroken``, ``AnswerLost`` and ``AnswerTooLarge``.
        """
        request.stream_output = True  # leaves the body to be read here, within the limits
        operation = event_name.rpartition(".")[2]
        seconds = self._seconds(operation)
        answer = self._sent(request, seconds)
        own = ANSWER_BYTES.get(operation, self._limits.answer_bytes)
        try:
            body = self._read(answer.raw, min(own, self._limits.answer_bytes), seconds)
        except HTTPError as error:
            raise AnswerLost(f"it broke off ({type(error).__name__})") from error
        _check_whole(body, answer.headers)
        if self._hides_credentials and answer.status_code != OK:
            body = hide_credentials(body, request.headers)
        return AWSResponse(answer.url, answer.status_code, answer.headers, _Body(body))

    def _seconds(self, operation: str) -> float:
        limits = self._limits
        looks = operation in QUICK_READS
        return min(limits.read_seconds, limits.look_seconds) if looks else limits.read_seconds

    def _sent(self, request: AWSPreparedRequest, seconds: float) -> Any:
        """The beginning of the answer. An address that cannot be read is never told whole."""
        try:
            return self._session(seconds).send(request)
        except failures.HTTPClientError as error:
            if isinstance(error.kwargs.get("error"), ValueError):
                raise SettingsBroken("the address of the proxy cannot be read.") from None
            raise

    def _read(self, raw: Any, most: int, seconds: float) -> bytes:
        try:
            body = self._within_limits(raw, most, seconds)
        except Exception:
            raw.close()  # what is left of it must not be taken for the next answer
            raise
        raw.release_conn()
        return body

    def _within_limits(self, raw: Any, most: int, seconds: float) -> bytes:
        deadline = time.monotonic() + seconds
        body = bytearray()
        while chunk := raw.read1(_CHUNK_BYTES):
            body += chunk
            if len(body) > most:
                raise AnswerTooLarge(f"{most:,}")
            if time.monotonic() > deadline:
                raise AnswerLost("it came too slowly")
        return bytes(body)


@dataclass(frozen=True, slots=True)
class _Body:
    """The body of an answer that was read, in the shape ``AWSResponse`` wants."""

    content: bytes

    def stream(self) -> Iterator[bytes]:
        yield self.content


def _check_whole(body: bytes, headers: Mapping[str, str]) -> None:
    length = _number(headers.get("content-length", ""))
    if length not in {None, len(body)}:
        raise AnswerLost(f"{len(body):,} of {length:,} bytes came")
    if _number(headers.get("x-amz-crc32", "")) not in {None, zlib.crc32(body)}:
        raise AnswerLost("its checksum is wrong")


def _number(header: str) -> int | None:
    """The number in a header, if it is one; of absurdly many digits only the first ones."""
    return int(header[:_MOST_DIGITS]) if header.isascii() and header.isdecimal() else None


def _take_text(params: dict[str, Any], context: dict[str, Any], **_: object) -> None:
    """Answer ``before-parameter-build``: the text takes the place of all parameters."""
    context["text"] = params.pop("text")


def _send_text(params: dict[str, Any], context: dict[str, Any], **_: object) -> None:
    """Answer ``before-call``: the request's body is the text."""
    params["body"] = context["text"]


def _leave_unread(response_dict: dict[str, Any], **_: object) -> None:
    """Answer ``before-parse``: there is nothing to parse."""
    response_dict["body"] = b"{}"


def _keep_text(http_response: AWSResponse, parsed: dict[str, Any], **_: object) -> None:
    """Answer ``after-call``: the answer's text goes with what was parsed."""
    parsed["text"] = http_response.content
