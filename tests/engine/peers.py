"""What the peers of lint say of a transaction: the SDK's own validator, and the engine.

A request is refused when any of them refuses it for its form: botocore's validator of parameters
before it is sent, the engine as a transaction, or the engine when one of its actions is sent alone
(the rules of an action are the same, and the engine checks them better there).
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import botocore.session
from botocore.validate import ParamValidator

from webapp.endpoints import LOCAL_KEY_ID, Endpoint

Json = dict[str, Any]

ALONE = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
ALONE_SUFFIX = "-alone"
STORED = (
    "The conditional request failed",
    "The provided expression refers to an attribute that does not exist in the item",
    "The document path provided in the update expression is invalid for update",
    "An operand in the update expression has an incorrect data type",
)
"""Refusals that depend on the stored item, whatever the form of the request."""


class Peers:
    """Asks botocore's validator and a local engine. Not safe to share between threads."""

    def __init__(self, endpoint: Endpoint) -> None:
        assert endpoint.url is not None
        parts = urlsplit(endpoint.url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        self._region = endpoint.region
        model = botocore.session.get_session().get_service_model("dynamodb")
        self._shape = model.operation_model("TransactWriteItems").input_shape

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def refusals(self, request: object) -> list[str]:
        """Every refusal of the request for its form, with who says it; none when all accept it."""
        return [said for said in self._answers(request) if said]

    def _answers(self, request: object) -> Iterator[str]:
        yield self.said_by_sdk(request)
        yield self.said_by_engine("TransactWriteItems", request)
        for name, action in _alone(request):
            yield self.said_by_engine(name, action | _other_table(action))

    def said_by_sdk(self, request: object) -> str:
        """What botocore's validator says; "" when it has nothing to say."""
        report = ParamValidator().validate(request, self._shape)
        return f"SDK: {report.generate_report()}" if report.has_errors() else ""

    def said_by_engine(self, operation: str, request: object) -> str:
        """What the engine says of the form of a request; "" when it takes it."""
        status, answer = self.send(operation, request)
        said = answer.get("message") or answer.get("Message") or ""
        reasons = answer.get("CancellationReasons") or [{"Code": "Whole", "Message": said}]
        faults = [
            reason
            for reason in reasons
            if reason["Code"] != "None" and not str(reason.get("Message", "")).startswith(STORED)
        ]
        return (
            f"{operation}: {answer.get('__type')} {said} {faults}"
            if status != 200 and faults
            else ""
        )

    def send(self, operation: str, request: object) -> tuple[int, Json]:
        """Send a request as it is; status and body of the answer."""
        scope = f"{LOCAL_KEY_ID}/20260101/{self._region}/dynamodb/aws4_request"
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}",
        }
        body = json.dumps(request).encode("utf-8", "surrogatepass")
        self._connection.request("POST", "/", body, headers)
        response = self._connection.getresponse()
        text = response.read()
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"message": text.decode("utf-8", "replace")}
        return response.status, answer if isinstance(answer, dict) else {}


def _other_table(action: Json) -> Json:
    """The table for actions alone: what the transaction has stored must not meet them."""
    table = action.get("TableName")
    return {"TableName": table + ALONE_SUFFIX} if isinstance(table, str) and table else {}


def _alone(request: object) -> Iterator[tuple[str, Json]]:
    """The actions of a request as requests of their own."""
    items = request.get("TransactItems") if isinstance(request, dict) else None
    for item in items if isinstance(items, list) else []:
        for kind, name in ALONE.items():
            if isinstance(item, dict) and isinstance(item.get(kind), dict):
                yield name, item[kind]
        check = item.get("ConditionCheck") if isinstance(item, dict) else None
        if isinstance(check, dict):
            yield "DeleteItem", check
