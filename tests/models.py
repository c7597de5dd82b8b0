"""The models of the field reports: users, members, assets and credentials."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

FOLDED = ["trim", "nfc", "casefold"]
LOCK: Json = {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK", "owner": "owner"}
KEYS: Json = {
    "partition_key": {"name": "pk", "type": "S"},
    "sort_key": {"name": "sk", "type": "S"},
}
EMAIL: Json = {
    "namespace": "EMAIL",
    "attributes": ["email"],
    "normalize": FOLDED,
    "required": True,
}
USERNAME: Json = {
    "namespace": "USERNAME",
    "attributes": ["username"],
    "normalize": ["casefold"],
    "required": True,
}
PHONE: Json = {"namespace": "PHONE", "attributes": ["phone"], "normalize": ["trim"]}


def users(*rules: Json, table: str = "users", **members: Any) -> Json:
    """Users with a unique e-mail address, user name and, optionally, telephone number."""
    return {
        "version": 1,
        "table": table,
        **KEYS,
        "record": {"partition": "USER#{id}", "sort": "PROFILE"},
        "lock": LOCK,
        "unique": list(rules or (EMAIL, USERNAME, PHONE)),
        **members,
    }


def members(table: str = "members") -> Json:
    """Members with a handle that is unique inside its tenant; the handle's case does not count.

    Normalisation is one for all parts of a constraint, so tenants differ by more than case.
    """
    handle = {"namespace": "MEMBER", "attributes": ["tenant", "handle"], "normalize": ["casefold"]}
    return users(handle, table=table, record={"partition": "MEMBER#{id}", "sort": "PROFILE"})


def assets(table: str = "assets") -> Json:
    """Assets with a numeric badge, in a table with a numeric sort key."""
    return users(
        {"namespace": "BADGE", "attributes": ["badge"]},
        table=table,
        sort_key={"name": "sk", "type": "N"},
        record={"partition": "ASSET#{id}", "sort": "1"},
        lock={**LOCK, "sort": "0"},
    )


def credentials(table: str = "credentials") -> Json:
    """Keys with an exact credential id."""
    return users({"namespace": "CRED", "attributes": ["credId"]}, table=table)


def texts(**values: str | None) -> Json:
    """Attributes with texts as typed values; ``None`` stays null."""
    return {name: None if text is None else {"S": text} for name, text in values.items()}


def create(record: str, **values: str) -> Json:
    """Create a record with texts."""
    return {"operation": "create", "key": {"id": record}, "item": texts(**values)}


def change(record: str, before: Json, **after: str | None) -> Json:
    """Change texts of a record."""
    return {
        "operation": "change",
        "key": {"id": record},
        "before": before,
        "after": texts(**after),
    }


def delete(record: str, **before: str | None) -> Json:
    """Delete a record of which these texts are known."""
    return {"operation": "delete", "key": {"id": record}, "before": texts(**before)}
