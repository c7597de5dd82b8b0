"""Plain calls to an engine, and expressions put to it: what it answers, whatever that is."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from webapp.core.aliases import Aliases
from webapp.core.expressions.nodes import Condition, Update
from webapp.core.expressions.render import condition_text, update_text
from webapp.endpoints import LOCAL_KEY_ID, LOCAL_REGION, Endpoint

TABLE = "expressions"
PARTITION = {"S": "P"}
KEY_SCHEMA = [
    {"AttributeName": "PK", "KeyType": "HASH"},
    {"AttributeName": "SK", "KeyType": "RANGE"},
]
ATTRIBUTES = [
    {"AttributeName": "PK", "AttributeType": "S"},
    {"AttributeName": "SK", "AttributeType": "S"},
]
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": f"AWS4-HMAC-SHA256 Credential={LOCAL_KEY_ID}/20260101/{LOCAL_REGION}/dynamodb/"
    "aws4_request, SignedHeaders=host, Signature=none",
}

Item = dict[str, Any]


class Talk:
    """Requests to one engine, on a table of its own with the keys PK and SK."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(str(endpoint.url)).netloc)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def call(self, operation: str, **request: Any) -> tuple[int, Item]:
        """The status and the body of the answer."""
        headers = HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        self._connection.request("POST", "/", json.dumps(request), headers)
        response = self._connection.getresponse()
        text = response.read()
        is_json = text.startswith(b"{")  # moto answers its own faults with a page
        return response.status, json.loads(text) if is_json else {"message": "no answer"}

    def make_table(self) -> None:
        """Make the table, in place of one that is there."""
        self.call("DeleteTable", TableName=TABLE)
        status, body = self.call(
            "CreateTable",
            TableName=TABLE,
            KeySchema=KEY_SCHEMA,
            AttributeDefinitions=ATTRIBUTES,
            BillingMode="PAY_PER_REQUEST",
        )
        assert status == 200, body

    def put(self, name: str, item: Item) -> None:
        """Store an item under its name."""
        status, body = self.call("PutItem", TableName=TABLE, Item=key_of(name) | item)
        assert status == 200, body

    def remove(self, name: str) -> None:
        """Take an item away."""
        status, body = self.call("DeleteItem", TableName=TABLE, Key=key_of(name))
        assert status == 200, body

    def matching(self, condition: Condition) -> frozenset[str] | str:
        """The names of the items for which a condition holds, or the engine's refusal."""
        aliases = Aliases("always", {":PK"})
        text = condition_text(condition, aliases)
        return self.filtered(text, aliases.names, aliases.values)

    def filtered(self, text: str, names: Item, values: Item) -> frozenset[str] | str:
        """The names of the items that a filter lets through, or the engine's refusal."""
        request: Item = {
            "TableName": TABLE,
            "KeyConditionExpression": "PK = :PK",
            "FilterExpression": text,
            "ExpressionAttributeValues": {":PK": PARTITION} | values,
        }
        if names:
            request["ExpressionAttributeNames"] = names
        status, body = self.call("Query", **request)
        if status != 200:
            return str(body.get("message") or body.get("Message"))
        return frozenset(item["SK"]["S"] for item in body["Items"])

    def updated(self, name: str, update: Update) -> Item | str:
        """The item after an update, without its key, or the engine's refusal."""
        aliases = Aliases("always")
        request: Item = {
            "TableName": TABLE,
            "Key": key_of(name),
            "UpdateExpression": update_text(update, aliases),
            "ExpressionAttributeNames": aliases.names,
            "ReturnValues": "ALL_NEW",
        }
        if aliases.values:
            request["ExpressionAttributeValues"] = aliases.values
        status, body = self.call("UpdateItem", **request)
        if status != 200:
            return str(body.get("message") or body.get("Message"))
        return {name: value for name, value in body["Attributes"].items() if name not in key_of("")}


def key_of(name: str) -> Item:
    """The key of the item with this name."""
    return {"PK": PARTITION, "SK": {"S": name}}
