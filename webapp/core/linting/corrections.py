"""Corrected actions: what should stand in place of an action that breaks the pattern.

Rule: a correction is an action that can be pasted as it is; whatever else the action said is kept.
It names the slot it replaces, or none where it has to be added; no action means "leave it out".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.core.aliases import Aliases
from webapp.core.linting.rules_expressions import CONDITION, NAMES, VALUES
from webapp.core.linting.scene import Part

Correction = dict[str, Any]


def replaced(part: Part, body: Mapping[str, Any]) -> Correction:
    """The action of a slot with other members."""
    return {"slot": part.slot.slot, "action": {part.slot.action: dict(body)}}


def left_out(part: Part) -> Correction:
    """The action of a slot taken away."""
    return {"slot": part.slot.slot, "action": None}


def added(kind: str, body: Mapping[str, Any]) -> Correction:
    """An action that is missing."""
    return {"slot": None, "action": {kind: dict(body)}}


def without(part: Part, *names: str) -> dict[str, Any]:
    """An action's members without attributes of its item."""
    item = {name: value for name, value in part.raw["Item"].items() if name not in names}
    return {**part.raw, "Item": item}


def with_absent_key(part: Part, key_name: str) -> dict[str, Any]:
    """A Put with ``attribute_not_exists`` of its partition key as its whole condition."""
    aliases = Aliases()
    guard = f"attribute_not_exists({aliases.name(key_name)})"
    body = {name: value for name, value in part.raw.items() if name not in {NAMES, VALUES}}
    return body | _condition(guard, aliases)


def absent_lock(table: str, key: Mapping[str, Any], key_name: str) -> dict[str, Any]:
    """The members of a Put that claims a lock."""
    aliases = Aliases()
    guard = f"attribute_not_exists({aliases.name(key_name)})"
    return {"TableName": table, "Item": dict(key)} | _condition(guard, aliases)


def owned_release(
    given: Mapping[str, Any], key_name: str, owner: str, record_key: Mapping[str, Any]
) -> dict[str, Any]:
    """The members of a Delete of a lock that is gone already or belongs to the record."""
    aliases = Aliases()
    gone = f"attribute_not_exists({aliases.name(key_name)})"
    name, token = aliases.name(owner), aliases.value(owner, {"M": dict(record_key)})
    kept = {"TableName": given.get("TableName"), "Key": given.get("Key")}
    return kept | _condition(f"{gone} OR {name} = {token}", aliases)


def with_demands(part: Part, *demands: tuple[str, Mapping[str, Any] | None]) -> dict[str, Any]:
    """An action whose condition demands more: a value, or (``None``) that something exists."""
    names, values = part.action.names, part.action.values
    aliases = Aliases(reserved_tokens=[*names, *values])
    texts = [_demand(aliases, name, value) for name, value in demands]
    given = part.action.condition
    own = [f"({given})" if " OR " in given.upper() else given] if given else []
    body = {**part.raw, **_condition(" AND ".join([*own, *texts]), aliases)}
    return body | {
        member: {**before, **more}
        for member, before, more in (
            (NAMES, names, aliases.names),
            (VALUES, values, aliases.values),
        )
        if before or more
    }


def _demand(aliases: Aliases, name: str, value: Mapping[str, Any] | None) -> str:
    if value is None:
        return f"attribute_exists({aliases.name(name)})"
    return f"{aliases.name(name)} = {aliases.value(name, dict(value), '_before')}"


def _condition(text: str, aliases: Aliases) -> dict[str, Any]:
    maps = {NAMES: aliases.names, VALUES: aliases.values}
    return {CONDITION: text} | {member: made for member, made in maps.items() if made}
