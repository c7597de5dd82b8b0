"""The gateway: sends plans and reads items; the only room that imports boto3.

Rule: it has no rules of its own. It carries texts (``wire``), names what failed by tables
(``failing``) and repeats what may be repeated (``webapp.attempts``); what a transaction should
hold and what a refusal means for a field is the core's knowledge.
"""

from __future__ import annotations

import functools
import itertools
import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from webapp.answers import Answer, Committed, Rejected, Trouble, Unavailable, Unknown, Unreachable
from webapp.attempts import Attempt, Deadline, Policy, Stop, send_until_certain
from webapp.core.expressions.operations import READS
from webapp.core.failures.actions import read_actions
from webapp.endpoints import Endpoint
from webapp.gateway.failing import (
    AWS_TROUBLES,
    CREDENTIAL_TROUBLES,
    FAILURE_KINDS,
    LEAVE,
    SERVICE_TROUBLES,
    TABLE_MISSING,
    detail_of,
    failure_of,
)
from webapp.gateway.members import strange_member
from webapp.gateway.wire import Limits, Response, Wire

__all__ = ["Gateway", "Limits", "Unavailable", "gateway_to"]

Json = dict[str, Any]

MOST_TABLE_PAGES = 100
"""A page of ListTables has up to 100 names; an account has at most 10,000 tables in a Region."""

LOOKS = frozenset({"DescribeTable", "DescribeTimeToLive", "ListTables"})
LOOK_ATTEMPTS = 3
"""Somebody waits in front of a page: a look is given up sooner than a transaction."""

READ_SECONDS = 15.0
"""After this time a read is not repeated; the one under way is waited for."""

MOST_TOLD = 1_000
"""Characters of what a service says that are told with a trouble."""

EXPIRING = frozenset({"ENABLED", "ENABLING"})

_MESSAGE_MEMBERS = frozenset({"__type", "Message", "message"})


def _watch_nothing(_attempt: Attempt) -> None:
    pass


class Gateway:
    """The way to one endpoint. Safe to share between threads; connects when first used."""

    def __init__(
        self, endpoint: Endpoint, limits: Limits | None = None, policy: Policy | None = None
    ) -> None:
        self.endpoint = endpoint
        self._wire = Wire(endpoint, limits or Limits())
        self._policy = policy or Policy(jitter=random.random)

    def send(
        self,
        text: bytes,
        *,
        watch: Callable[[Attempt], None] = _watch_nothing,
        stop: Stop | None = None,
    ) -> Answer:
        """Send exactly this TransactWriteItems request (JSON text), again where that is safe.

        ``watch`` is told of each attempt as it ends; setting ``stop`` ends the attempts. Never
        raises for what the network, the credentials or the service do: the answer says it.
        """
        stop = stop or threading.Event()
        if stop.is_set():
            return Unreachable(self._trouble("not-sent"), attempts=0)
        request = orjson.loads(text)
        has_token = "ClientRequestToken" in request
        answer = self._repeat("TransactWriteItems", text, watch, stop, has_token=has_token)
        if isinstance(answer, Rejected) and answer.code == TABLE_MISSING:
            return replace(answer, trouble=self._table_trouble(request, stop) or answer.trouble)
        return answer

    def ask(self, operation: str, text: bytes) -> Answer:
        """Send exactly this request of an operation on items (JSON text).

        What only reads is repeated like anything that is safe twice; a write only when the service
        said that it wrote nothing. Never raises, like ``send``.
        """
        is_safe_twice = operation in READS
        until = _reading_until(None)
        return self._repeat(operation, text, _watch_nothing, until, has_token=is_safe_twice)

    def get(self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None) -> Json | None:
        """One item by its key, by a consistent read, in typed JSON; ``None`` when there is none.

        Once ``stop`` is set it is read once only. Raises ``Unavailable``.
        """
        request = {"TableName": table, "Key": key, "ConsistentRead": True}
        answer = self._read("GetItem", request, stop)
        item: Json | None = answer.get("Item")
        return item

    def pages(self, operation: str, request: Json) -> Iterator[Json]:
        """The answers of a ``Query`` or ``Scan``, page by page. Raises ``Unavailable``."""
        return self._pages(operation, request, "LastEvaluatedKey", "ExclusiveStartKey")

    def tables(self) -> list[str]:
        """The names of all tables, in the service's order. Raises ``Unavailable``."""
        pages = self._pages("ListTables", {}, "LastEvaluatedTableName", "ExclusiveStartTableName")
        few = itertools.islice(pages, MOST_TABLE_PAGES)
        return [str(name) for page in few for name in self._member(page, "TableNames", list)]

    def describe(self, table: str) -> Json:
        """The table's description as DescribeTable gives it. Raises ``Unavailable``."""
        answer = self._read("DescribeTable", {"TableName": table})
        description: Json = self._member(answer, "Table", dict)
        return description

    def time_to_live(self, table: str) -> str | None:
        """The attribute by whose time items are deleted; ``None`` when there is none.

        Raises ``Unavailable``.
        """
        answer = self._read("DescribeTimeToLive", {"TableName": table})
        found = self._member(answer, "TimeToLiveDescription", dict)
        return found.get("AttributeName") if found.get("TimeToLiveStatus") in EXPIRING else None

    def put(self, table: str, item: Mapping[str, Any]) -> None:
        """Write an item to a local endpoint over whatever is there: no condition, no guarantee.

        Raises ``ValueError`` for AWS and ``Unavailable``.
        """
        self._require_local()
        self._read("PutItem", {"TableName": table, "Item": item})

    def create_table(
        self,
        table: str,
        partition: tuple[str, str],
        sort: tuple[str, str] | None = None,
        *,
        index: tuple[str, tuple[str, str]] | None = None,
    ) -> bool:
        """Make an on-demand table on a local endpoint from (name, type) pairs of its keys.

        ``index`` is the name and the partition key of a global secondary index that projects all.
        False when it is there already. Raises ``ValueError`` for AWS and ``Unavailable``.
        """
        self._require_local()
        request = _new_table(table, partition, sort)
        if index is not None:
            request = _with_index(request, *index)
        answer = self._attempt("CreateTable", _json_text(request))
        if isinstance(answer, Rejected) and answer.code == "ResourceInUseException":
            return False
        self._body_of(answer)
        return True

    def delete_table(self, table: str) -> None:
        """Remove a table of a local endpoint. Raises ``ValueError`` for AWS and ``Unavailable``."""
        self._require_local()
        self._body_of(self._attempt("DeleteTable", _json_text({"TableName": table})))

    @property
    def account(self) -> str | None:
        """The AWS account's number, asked once; ``None`` where it is not to be had."""
        return self._wire.account

    @property
    def key_id(self) -> str:
        """The access key id that was used last, as it is shown: its end for AWS; "" for none."""
        return self._wire.key_id

    def _table_trouble(self, request: Json, stop: Stop) -> Trouble | None:
        """Which table of the request is missing or not ready; ``None`` when none is found."""
        until = _reading_until(stop)
        for table in dict.fromkeys(action.table for action in read_actions(request) or ()):
            if until.is_set():
                return None
            answer = self._attempt("DescribeTable", _json_text({"TableName": table}))
            if isinstance(answer, Rejected) and answer.code == TABLE_MISSING:
                return self._trouble("table-missing", detail=table)
            match answer:
                case Committed({"Table": {"TableStatus": str(status)}}) if status != "ACTIVE":
                    return self._trouble("table-not-ready", table=table)
        return None

    def _require_local(self) -> None:
        if not self.endpoint.is_local:
            raise ValueError("tables are made and removed on local endpoints only")

    def _member(self, answer: Json, name: str, kind: type) -> Any:
        """The member that every answer of DynamoDB to this operation has."""
        value = answer.get(name)
        if not isinstance(value, kind):
            detail = f"its answer has no {name}"
            raise Unavailable(self._trouble("not-dynamodb", detail=detail))
        return value

    def _pages(self, operation: str, request: Json, last: str, start: str) -> Iterator[Json]:
        page = self._read(operation, request)
        yield page
        while page.get(last):
            page = self._read(operation, request | {start: page[last]})
            yield page

    def _read(self, operation: str, request: Json, stop: Stop | None = None) -> Json:
        """The answer to something that may be repeated without a token: twice is like once."""
        text, until = _json_text(request), _reading_until(stop)
        return self._body_of(self._repeat(operation, text, _watch_nothing, until, has_token=True))

    def _body_of(self, answer: Answer) -> Json:
        match answer:
            case Committed(body):
                return dict(body)
            case Rejected(trouble=None, code=code, error=error):
                detail = f"{code}: {error['Error']['Message']}"
                raise Unavailable(self._trouble("read-rejected", detail=detail))
            case Rejected(trouble=Trouble() as trouble) | Unreachable(trouble) | Unknown(trouble):
                raise Unavailable(trouble)
        raise AssertionError(answer)  # pragma: no cover

    def _repeat(
        self,
        operation: str,
        text: bytes,
        watch: Callable[[Attempt], None],
        stop: Stop,
        *,
        has_token: bool,
    ) -> Answer:
        once = functools.partial(self._attempt, operation, text)
        policy = self._policy
        if operation in LOOKS:
            policy = replace(policy, attempts=min(policy.attempts, LOOK_ATTEMPTS))
        return send_until_certain(once, policy, stop, watch, has_token=has_token)

    def _attempt(self, operation: str, text: bytes) -> Answer:
        """Send the text once and say what came of it."""
        try:
            response = self._wire.call(operation, text)
        except FAILURE_KINDS as error:
            _, code, may_have_arrived = failure_of(error)
            if not self.endpoint.is_local:
                code = AWS_TROUBLES.get(code, code)
            trouble = self._trouble(code, detail=detail_of(error))
            return Unknown(trouble) if may_have_arrived else Unreachable(trouble)
        if response.status != 200:
            return self._refusal(operation, response)
        body = _object(response.text)
        if body is None:
            return Unknown(self._trouble("not-dynamodb", detail="its answer is no JSON object"))
        strange = strange_member(body)
        if strange:
            return Unknown(
                self._trouble("not-dynamodb", detail=f"its answer has strange {strange}")
            )
        return Committed(body)

    def _refusal(self, operation: str, response: Response) -> Answer:
        """What an error status says; from 500 on it may have been written all the same."""
        body = _object(response.text) or {}
        code = str(body.get("__type", "")).rpartition("#")[2]
        message = str(body.get("Message", body.get("message", "")))
        detail = f"status {response.status} {code}".strip()
        if response.status >= 500:
            said = f"{detail}: {message[:MOST_TOLD]}" if message else detail
            return Unknown(self._trouble("answer-lost", detail=said))
        if not code:
            return Unreachable(self._trouble("not-dynamodb", detail=detail))
        error = _error_document(code, message, body)
        return Rejected(code, error, response.status, trouble=self._cause(code, operation, message))

    def _cause(self, code: str, operation: str, message: str) -> Trouble | None:
        """The trouble at the endpoint that an error of the service tells of, if it does."""
        known = SERVICE_TROUBLES.get(code)
        if known is None:
            return None
        leave = LEAVE.get(operation, f"dynamodb:{operation}")
        return self._trouble(known, detail=message[:MOST_TOLD], leave=leave, operation=operation)

    def _trouble(self, code: str, **params: object) -> Trouble:
        if code in CREDENTIAL_TROUBLES:
            self._wire.forget_credentials()
        where = {
            "endpoint": self.endpoint.name,
            "place": self.endpoint.url or "AWS",
            "region": self.endpoint.region,
            "key_id": self._wire.key_id or "not known",
            "seconds": f"{self._wire.limits.connect_seconds:g}",
        }
        return Trouble(code, where | params)


@functools.lru_cache(maxsize=64)
def gateway_to(endpoint: Endpoint) -> Gateway:
    """The one gateway to an endpoint, with its connections, for the life of the process."""
    return Gateway(endpoint)


def _reading_until(stop: Stop | None) -> Deadline:
    """When a read is not repeated any more."""
    return Deadline(stop or threading.Event(), READ_SECONDS, time.monotonic)


def _object(text: bytes) -> Json | None:
    """The answer's JSON object; ``None`` when it is none (a page of something else)."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return document if isinstance(document, dict) else None


def _json_text(request: Mapping[str, Any]) -> bytes:
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()


def _error_document(code: str, message: str, body: Json) -> Json:
    """The service's error in the shape of botocore's ``ClientError.response``, items untouched.

    A member that is not as DynamoDB gives it is left out: what failed is told by the code then.
    """
    unread = _MESSAGE_MEMBERS | {name for name in body if strange_member({name: body[name]})}
    members = {name: body[name] for name in body if name not in unread}
    return {"Error": {"Code": code, "Message": message}, **members}


def _new_table(table: str, partition: tuple[str, str], sort: tuple[str, str] | None) -> Json:
    keys = [("HASH", partition)] + ([("RANGE", sort)] if sort else [])
    return {
        "TableName": table,
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for _, (name, kind) in keys
        ],
        "KeySchema": [{"AttributeName": name, "KeyType": role} for role, (name, _) in keys],
        "BillingMode": "PAY_PER_REQUEST",
    }


def _with_index(request: Json, name: str, partition: tuple[str, str]) -> Json:
    attribute, kind = partition
    definition = {"AttributeName": attribute, "AttributeType": kind}
    index = {
        "IndexName": name,
        "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    return request | {
        "AttributeDefinitions": [*request["AttributeDefinitions"], definition],
        "GlobalSecondaryIndexes": [index],
    }
