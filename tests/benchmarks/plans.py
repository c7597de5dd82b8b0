"""Building and serialising plans, next to their JSON, to plans by hand, and to PynamoDB."""

from __future__ import annotations

import json
import tracemalloc
from decimal import Decimal
from statistics import mean
from typing import Any

from boto3.dynamodb.types import TypeSerializer
from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.connection import Connection
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from tests.benchmarks.rounds import Job, microseconds, show
from webapp.core import documents

DESIGN: dict[str, Any] = {
    "version": 1,
    "table": "accounts",
    "partition_key": {"name": "PK", "type": "S"},
    "sort_key": {"name": "SK", "type": "S"},
    "record": {"partition": "ACCT#{id}", "sort": "PROFILE"},
    "lock": {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK"},
    "unique": [
        {"namespace": "EMAIL", "attributes": ["email"], "normalize": ["trim", "nfc", "casefold"]},
        {"namespace": "HANDLE", "attributes": ["username"], "normalize": ["casefold"]},
    ],
}
ADA: dict[str, Any] = {"email": {"S": "ada@lovelace.io"}, "username": {"S": "ada"}}
COUNTESS: dict[str, Any] = {"email": {"S": "countess@lovelace.io"}, "username": {"S": "countess"}}
PLAIN: dict[str, Any] = {
    "name": {"S": "Ada Lovelace"},
    "born": {"N": "1815"},
    "active": {"BOOL": True},
    "tags": {"SS": ["analyst", "poet"]},
    "address": {"M": {"city": {"S": "London"}, "house": {"N": "12"}}},
    "notes": {"L": [{"S": "first"}, {"NULL": True}]},
}
KEY = {"id": "a1f9c3"}
CHANGES: dict[str, dict[str, Any]] = {
    "create": {"operation": "create", "key": KEY, "item": {**ADA, **PLAIN}},
    "change": {"operation": "change", "key": KEY, "before": ADA, "after": {**COUNTESS, **PLAIN}},
    "delete": {"operation": "delete", "key": KEY, "before": {**ADA, **PLAIN}},
}


def request_document(operation: str) -> dict[str, Any]:
    """The plan request of the worked example with six more plain attributes."""
    return {"design": DESIGN, "changes": [CHANGES[operation]]}


# By hand: what a careful developer writes for this one table, without any check.

PYTHON_ADA: dict[str, Any] = {"email": "ada@lovelace.io", "username": "ada"}
PYTHON_COUNTESS: dict[str, Any] = {"email": "countess@lovelace.io", "username": "countess"}
PYTHON_PLAIN: dict[str, Any] = {
    "name": "Ada Lovelace",
    "born": Decimal(1815),
    "active": True,
    "tags": {"analyst", "poet"},
    "address": {"city": "London", "house": Decimal(12)},
    "notes": ["first", None],
}
_serialize = TypeSerializer().serialize
_RECORD = {"PK": {"S": "ACCT#a1f9c3"}, "SK": {"S": "PROFILE"}}


def _lock(namespace: str, value: str) -> dict[str, Any]:
    return {"PK": {"S": f"UNIQ#{namespace}#{value.strip().casefold()}"}, "SK": {"S": "LOCK"}}


def _put(item: dict[str, Any]) -> dict[str, Any]:
    condition = "attribute_not_exists(PK)"
    return {"Put": {"TableName": "accounts", "Item": item, "ConditionExpression": condition}}


def _drop(key: dict[str, Any]) -> dict[str, Any]:
    return {"Delete": {"TableName": "accounts", "Key": key}}


def by_hand_create() -> str:
    """A create with boto3's TypeSerializer and json.dumps."""
    item = {**_RECORD}
    for name, value in {**PYTHON_ADA, **PYTHON_PLAIN}.items():
        item[name] = _serialize(value)
    email, handle = _lock("EMAIL", PYTHON_ADA["email"]), _lock("HANDLE", PYTHON_ADA["username"])
    return json.dumps({"TransactItems": [_put(item), _put(email), _put(handle)]})


def by_hand_change() -> str:
    """A change of both protected attributes and the six plain ones."""
    values: dict[str, Any] = {}
    parts = []
    names = {}
    for name, value in {**PYTHON_COUNTESS, **PYTHON_PLAIN}.items():
        names[f"#{name}"] = name
        values[f":{name}"] = _serialize(value)
        parts.append(f"#{name} = :{name}")
    guards = ["attribute_exists(PK)"]
    for name, value in PYTHON_ADA.items():
        values[f":{name}_before"] = _serialize(value)
        guards.append(f"#{name} = :{name}_before")
    update = {
        "TableName": "accounts",
        "Key": _RECORD,
        "UpdateExpression": "SET " + ", ".join(parts),
        "ConditionExpression": " AND ".join(guards),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    actions = [{"Update": update}]
    for namespace, name in (("EMAIL", "email"), ("HANDLE", "username")):
        actions.append(_put(_lock(namespace, PYTHON_COUNTESS[name])))
        actions.append(_drop(_lock(namespace, PYTHON_ADA[name])))
    return json.dumps({"TransactItems": actions})


def by_hand_delete() -> str:
    """A delete with its guard and both releases."""
    values = {f":{name}": _serialize(value) for name, value in PYTHON_ADA.items()}
    delete = {
        "TableName": "accounts",
        "Key": _RECORD,
        "ConditionExpression": "attribute_exists(PK) AND email = :email AND username = :username",
        "ExpressionAttributeValues": values,
    }
    email, handle = _lock("EMAIL", PYTHON_ADA["email"]), _lock("HANDLE", PYTHON_ADA["username"])
    return json.dumps({"TransactItems": [{"Delete": delete}, _drop(email), _drop(handle)]})


BY_HAND: dict[str, Job] = {
    "create": by_hand_create,
    "change": by_hand_change,
    "delete": by_hand_delete,
}


class Account(Model):
    """The worked example as a PynamoDB model, its locks in the same table."""

    class Meta:
        """Where the table would be."""

        table_name = "accounts"
        region = "us-east-1"
        host = "http://127.0.0.1:1"
        aws_access_key_id = "local"
        aws_secret_access_key = "local"

    PK = UnicodeAttribute(hash_key=True)
    SK = UnicodeAttribute(range_key=True)
    email = UnicodeAttribute(null=True)
    username = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    born = NumberAttribute(null=True)
    active = BooleanAttribute(null=True)
    tags = UnicodeSetAttribute(null=True)
    address: MapAttribute[str, Any] = MapAttribute(null=True)  # type: ignore[no-untyped-call]
    notes: ListAttribute[Any] = ListAttribute(null=True)


class Unsent(Connection):
    """A connection that builds requests and sends nothing."""

    def dispatch(self, operation_name: str, operation_kwargs: dict[str, Any]) -> Any:
        """Give the finished request back as an answer without content."""
        self.request = operation_kwargs
        return {}


_UNSENT = Unsent(region="us-east-1", host="http://127.0.0.1:1")
_PYNAMO_PLAIN: dict[str, Any] = {
    **PYTHON_PLAIN,
    "born": 1815,
    "address": {"city": "London", "house": 12},
}


def _account(**values: Any) -> Account:
    return Account("ACCT#a1f9c3", "PROFILE", **values)


def _marker(namespace: str, value: str) -> Account:
    return Account(f"UNIQ#{namespace}#{value.strip().casefold()}", "LOCK")


def pynamo_create() -> None:
    """The create, built by PynamoDB."""
    free = Account.PK.does_not_exist()
    with TransactWrite(connection=_UNSENT) as transaction:
        transaction.save(_account(**PYTHON_ADA, **_PYNAMO_PLAIN), condition=free)
        transaction.save(_marker("EMAIL", PYTHON_ADA["email"]), condition=free)
        transaction.save(_marker("HANDLE", PYTHON_ADA["username"]), condition=free)


def pynamo_change() -> None:
    """The change, built by PynamoDB."""
    free = Account.PK.does_not_exist()
    new = {**PYTHON_COUNTESS, **_PYNAMO_PLAIN}
    same = (Account.email == PYTHON_ADA["email"]) & (Account.username == PYTHON_ADA["username"])
    with TransactWrite(connection=_UNSENT) as transaction:
        actions = [getattr(Account, name).set(value) for name, value in new.items()]
        transaction.update(_account(), actions=actions, condition=Account.PK.exists() & same)
        for namespace, name in (("EMAIL", "email"), ("HANDLE", "username")):
            transaction.save(_marker(namespace, PYTHON_COUNTESS[name]), condition=free)
            transaction.delete(_marker(namespace, PYTHON_ADA[name]))


def pynamo_delete() -> None:
    """The delete, built by PynamoDB."""
    same = (Account.email == PYTHON_ADA["email"]) & (Account.username == PYTHON_ADA["username"])
    with TransactWrite(connection=_UNSENT) as transaction:
        transaction.delete(_account(), condition=Account.PK.exists() & same)
        transaction.delete(_marker("EMAIL", PYTHON_ADA["email"]))
        transaction.delete(_marker("HANDLE", PYTHON_ADA["username"]))


PYNAMO: dict[str, Job] = {
    "create": pynamo_create,
    "change": pynamo_change,
    "delete": pynamo_delete,
}

OURS = "lockwright: plan and text, every check on"
DUMPS = "(a) json.dumps of the finished request"
HAND = "(b) by hand, TypeSerializer and json.dumps, unchecked"
PEER = "(c) PynamoDB, not sent"
WHOLE = "lockwright: JSON plan request to plan text"


def whole_way(text: bytes) -> bytes:
    """From a JSON plan request to the plan's text, as the API goes."""
    plan = documents.plan_quickly(text)
    assert plan is not None, "a request that must be read exactly is measured as the quick way"
    return plan.text


def jobs(operation: str) -> dict[str, Job]:
    """The competitors of one operation."""
    document = request_document(operation)
    ready = documents.read_request(document)
    finished = ready.plan().request
    text = json.dumps(document).encode()
    return {
        DUMPS: lambda: json.dumps(finished),
        OURS: lambda: ready.plan().text,
        HAND: BY_HAND[operation],
        PEER: PYNAMO[operation],
        WHOLE: lambda: whole_way(text),
    }


def operations() -> None:
    """Create, change and delete, each beside its competitors, and the means of the three."""
    found = {operation: microseconds(jobs(operation)) for operation in CHANGES}
    for operation, times in found.items():
        show(f"{operation}, eight attributes", times, DUMPS)
    names = next(iter(found.values()))
    means = {name: mean(times[name] for times in found.values()) for name in names}
    show("mean of the three operations", means, DUMPS)


def _many(count: int) -> Job:
    rules: list[Any] = [
        {"namespace": f"N{n}", "attributes": [f"attribute{n}"]} for n in range(count)
    ]
    item = {f"attribute{n}": {"S": f"value number {n}"} for n in range(count)}
    change: dict[str, Any] = {"operation": "create", "key": KEY, "item": item}
    design: dict[str, Any] = {**DESIGN, "unique": rules}
    return documents.read_request({"design": design, "changes": [change]}).plan


def growth() -> None:
    """A create with 1 to 99 protected attributes: the time for each is the same."""
    found = microseconds(
        {f"{count} protected attributes": _many(count) for count in (1, 10, 33, 99)}
    )
    each = {f"{name}, for each": time / int(name.split()[0]) for name, time in found.items()}
    show("growth of a create", {**found, **each}, "1 protected attributes")


def memory() -> None:
    """Bytes that one kept plan of the worked example takes."""
    ready = documents.read_request(request_document("create"))
    tracemalloc.start()
    plans = [ready.plan() for _ in range(1000)]
    held = tracemalloc.get_traced_memory()[0] / len(plans)
    tracemalloc.stop()
    text = float(len(plans[0].text))
    show("memory of one plan", {"its JSON text": text, "the plan": held}, "its JSON text", "bytes")


def main() -> None:
    """Print all of it."""
    operations()
    growth()
    memory()
