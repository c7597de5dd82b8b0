"""Was it done already? A late retry that meets its own success.

Rule: a transaction whose outcome is unknown is judged by what is stored, never by the failure of
its retry: the record exists *because it was written*, and its locks are taken *by it*. Already done
means that every item stands as the transaction would have left it. The reason: a token is
remembered for ten minutes only, and a person who is told "taken" by their own success chooses
another name for nothing. (API reference, TransactWriteItems, "ClientRequestToken".)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.core.failures.actions import Action, Item, read_actions
from webapp.core.failures.jsonsafe import json_safe
from webapp.core.problems import Problems, Text
from webapp.core.values import MEMBER_TAGS, Value, Where, identity_of, read_typed

VERDICTS: Final[Mapping[str, Text]] = {
    "already-done": Text(
        "Already done: everything stands as this transaction leaves it.",
        "Nothing is left to send. Nothing is taken: what was met is its own success.",
    ),
    "not-done": Text(
        "Not done: what is stored is not what this transaction leaves.",
        "It was never committed, or was changed since. The failure means what it says.",
    ),
    "cannot-tell": Text(
        "It cannot be told whether this was done: what is stored would look the same either way.",
        "Read the record, and decide by what it holds.",
    ),
}
"""What the comparison says, and what to do about it."""

REPEATED: Final = (
    "It was sent before with the same token: if it was written then, nothing was written again."
)
"""What a success says of a sending that may have been the second one."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the stored items say: a row of ``VERDICTS``, and per slot how it stands.

    A slot stands ``as-wanted``, ``differs``, is ``unclear``, or was only ``checked``.
    """

    verdict: str
    slots: tuple[str, ...] = ()

    def as_document(self) -> dict[str, object]:
        """The comparison as a JSON object."""
        slots = [{"slot": slot, "stands": stands} for slot, stands in enumerate(self.slots)]
        return {"verdict": self.verdict, **VERDICTS[self.verdict]._asdict(), "slots": slots}


def already_done(request: object, stored: Sequence[Item | None]) -> Standing:
    """Compare what is stored with what a request wanted. Never raises.

    ``stored`` holds per action, in order, the item under its key (typed JSON, bytes allowed), or
    ``None`` where there is none. A request that cannot be read cannot be told.
    """
    actions = read_actions(request)
    if actions is None or len(actions) != len(stored):
        return Standing("cannot-tell")
    stands = tuple(_stands(action, item) for action, item in zip(actions, stored, strict=True))
    return Standing(_verdict(stands), stands)


def _verdict(stands: Sequence[str]) -> str:
    found = {*stands} - {"checked"}
    if "differs" in found:
        return "not-done"
    return "already-done" if found == {"as-wanted"} else "cannot-tell"


def _stands(action: Action, item: Item | None) -> str:
    match action.kind:
        case "Put":
            return _either(item is not None and same_item(item, action.item))
        case "Update":
            return _stands_updated(action, item)
        case "Delete":
            return _stands_deleted(action, item)
        case _:
            return "checked"


def _either(as_wanted: object) -> str:
    return "as-wanted" if as_wanted else "differs"


def _stands_updated(action: Action, item: Item | None) -> str:
    left = action.assignments
    if item is None:
        return "differs"
    if left is None:
        return "unclear"
    sets = all(
        name in item and same_value(item[name], wanted) for name, wanted in left.sets.items()
    )
    return _either(sets and not left.removes & item.keys())


def _stands_deleted(action: Action, item: Item | None) -> str:
    """A lock may have been claimed by somebody else since it was released."""
    if item is None:
        return "as-wanted"
    if not action.condition:
        return "unclear"
    owned = {name: value for name, value in action.equalities.items() if _is_map(value)}
    return _either(bool(owned) and not any(same_value(item.get(n), v) for n, v in owned.items()))


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping) and "M" in value


def same_item(one: Item, other: Item) -> bool:
    """Whether two items are equal to DynamoDB: numbers by value, sets in any order."""
    return same_value({"M": one}, {"M": other})


def same_value(one: object, other: object) -> bool:
    """Whether two attribute values are equal to DynamoDB; malformed ones are equal to nothing."""
    first, second = _identity(one), _identity(other)
    return first is not None and first == second


def _identity(document: object) -> object:
    value = read_typed(json_safe(document), Where(None, ""), Problems())
    return None if value is None else _identity_of(value)


def _identity_of(value: Value) -> object:
    """What makes two values of any type equal, as a value that can be compared and hashed."""
    match value.tag:
        case "L":
            return "L", tuple(_member_identity(member) for member in value.content)
        case "M":
            return "M", frozenset((name, _member_identity(m)) for name, m in value.content.items())
        case tag if tag in MEMBER_TAGS:
            return tag, frozenset(_member_identity({MEMBER_TAGS[tag]: m}) for m in value.content)
        case tag:
            return tag, identity_of(value)


def _member_identity(document: Mapping[str, Any]) -> object:
    ((tag, _),) = document.items()
    return _identity_of(Value(tag, dict(document), 0))
