"""What a table must hold: a plain model that shares nothing with the core.

Rule: everything is worked out from the documents that a person writes, by other means than the
core's (``decimal``, character categories, sets compared whole), and nothing of ``webapp`` is
imported. The reason: a model that asks the core what is unique can only agree with it.

The whole truth are the live records. Which locks must stand, which document is refused and which
slots of a transaction fail all follow from them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

Json = dict[str, Any]
Same = Hashable

PARTITION_BYTES = 2048
SORT_BYTES = 1024


# --- values ------------------------------------------------------------------------------------


def plain_number(text: str) -> str:
    """A number's digits without exponent, sign of zero or idle zeros."""
    digits = format(Decimal(text), "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits.removeprefix("+"))
    digits = digits.lstrip("0") or "0"
    digits = f"0{digits}" if digits.startswith(".") else digits
    return digits if digits == "0" else sign + digits


def same(value: Mapping[str, Any]) -> Same:
    """What is equal for DynamoDB is equal here: numbers by value, binary by bytes, sets as sets."""
    ((tag, content),) = value.items()
    match tag:
        case "N":
            return tag, plain_number(content)
        case "B":
            return tag, base64.b64decode(content)
        case "SS" | "NS" | "BS":
            return tag, frozenset(same({tag[0]: member}) for member in content)
        case "L":
            return tag, tuple(same(member) for member in content)
        case "M":
            return tag, same_item(content)
        case _:
            return tag, content


def same_item(item: Mapping[str, Any]) -> Same:
    """What makes two items, or two keys, equal."""
    return frozenset((name, same(value)) for name, value in item.items())


def _is_white(character: str) -> bool:
    """The Unicode property White_Space: separators, and six control characters."""
    return unicodedata.category(character)[0] == "Z" or character in "\t\n\v\f\r\x85"


def _trimmed(text: str) -> str:
    dropped = itertools.dropwhile(_is_white, text)
    backwards = itertools.dropwhile(_is_white, reversed(list(dropped)))
    return "".join(reversed(list(backwards)))


NORMALIZERS: Mapping[str, Callable[[str], str]] = {
    "trim": _trimmed,
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "casefold": str.casefold,
}


def normalized(text: str, steps: Sequence[str]) -> str:
    """The text that all spellings of a value come to, by ``steps`` in the one fixed order."""
    ordered = [step for step in NORMALIZERS if step in steps]
    again = text
    for step in ordered:
        again = NORMALIZERS[step](again)
    return again if again == text else normalized(again, steps)


PARTS: Mapping[str, Callable[[str, Sequence[str]], str]] = {
    "S": normalized,
    "N": lambda content, _: plain_number(content),
    "B": lambda content, _: base64.b64encode(base64.b64decode(content)).decode(),
}


def parts_of(value: Mapping[str, Any] | None, steps: Sequence[str]) -> list[str] | None:
    """The protected texts of a value, empty ones too; ``None`` for what cannot be protected."""
    if value is None:
        return []
    ((tag, content),) = value.items()
    if tag in PARTS:
        return [PARTS[tag](content, steps)]
    if tag in {"SS", "NS", "BS"}:
        return [PARTS[tag[0]](member, steps) for member in content]
    return None


# --- what is unique ----------------------------------------------------------------------------


class Lock(NamedTuple):
    """One unique thing: a namespace and the normalised value, part by part."""

    namespace: str
    parts: tuple[str, ...]


def attributes_of(rule: Json) -> list[str]:
    """All attributes that a rule depends on, its own first."""
    return list(dict.fromkeys([*rule["attributes"], *rule.get("only_when", {})]))


def applies(rule: Json, record: Mapping[str, Any]) -> bool:
    """Whether a conditional rule holds locks for a record."""
    for name, allowed in rule.get("only_when", {}).items():
        value = record.get(name)
        if value is None or same(value) not in [same(_typed(one)) for one in allowed]:
            return False
    return True


def _typed(document: object) -> Json:
    match document:
        case dict():
            return document
        case bool():
            return {"BOOL": document}
        case str():
            return {"S": document}
        case _:
            return {"N": str(document)}


def locks_of(rule: Json, record: Mapping[str, Any]) -> list[Lock]:
    """The locks a record holds under one rule, in the order of its values."""
    if not applies(rule, record):
        return []
    steps = rule.get("normalize", [])
    choices = [list(filter(None, parts_of(record.get(a), steps) or [])) for a in rule["attributes"]]
    return list(
        dict.fromkeys(Lock(rule["namespace"], parts) for parts in itertools.product(*choices))
    )


# --- keys --------------------------------------------------------------------------------------


def _quoted(part: str) -> str:
    return re.sub("[%#]", lambda found: f"%{ord(found[0]):02X}", part)


def _key_value(kind: str, text: str) -> Json:
    match kind:
        case "N":
            return {"N": plain_number(text)}
        case "B":
            return {"B": base64.b64encode(text.encode()).decode()}
        case _:
            return {"S": text}


def key_attributes(table: Json) -> list[Json]:
    """The key attributes of a table: partition key, then sort key."""
    return [table["partition_key"], *filter(None, [table.get("sort_key")])]


def _part_text(part: object) -> str:
    value = _typed(part)
    return plain_number(value["N"]) if "N" in value else str(value.get("S"))


def record_key(design: Json, parts: Mapping[str, Any]) -> Json:
    """The key of the record that a change's ``key`` names."""
    key: Json = {}
    templates = [design["record"]["partition"], design["record"].get("sort")]
    for attribute, template in zip(key_attributes(design), templates, strict=False):
        alone = re.fullmatch(r"\{(\w+)\}", template)
        if alone and isinstance(parts[alone[1]], dict) and "B" in parts[alone[1]]:
            data = base64.b64decode(parts[alone[1]]["B"])
            key[attribute["name"]] = {"B": base64.b64encode(data).decode()}
            continue
        text = re.sub(r"\{(\w+)\}", lambda found: _part_text(parts[found[1]]), template)
        key[attribute["name"]] = _key_value(attribute["type"], text)
    return key


def lock_table(design: Json) -> Json:
    """The table in which the locks stand, in the shape of a design's own members."""
    own = design["lock"].get("table")
    return {**own, "table": own["name"]} if own else design


def lock_key(design: Json, lock: Lock, secret: str = "") -> Json:
    """The key that a lock must have."""
    rule = next(rule for rule in design["unique"] if rule["namespace"] == lock.namespace)
    several = len(lock.parts) > 1
    text = "#".join(map(_quoted, lock.parts)) if several else lock.parts[0]
    match rule.get("digest"):
        case "sha256":
            text = hashlib.sha256(text.encode()).hexdigest()
        case "hmac-sha256":
            text = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    key: Json = {}
    templates = [design["lock"]["partition"], design["lock"].get("sort")]
    for attribute, template in zip(key_attributes(lock_table(design)), templates, strict=False):
        filled = template.replace("{namespace}", lock.namespace).replace("{value}", text)
        key[attribute["name"]] = _key_value(attribute["type"], filled)
    return key


LOOSE = {"L": "lists by their members", "M": "maps by their members"}
"""The types whose values an engine may take for equal whatever they hold (see ``wrongs``)."""


# --- what is foreseen --------------------------------------------------------------------------


class Step(NamedTuple):
    """One slot as it must be planned; ``fails`` is what its failed condition means, if it fails."""

    purpose: str
    change: int
    table: str
    key: Same
    constraint: str | None
    fields: tuple[str, ...]
    fails: str | None


class Held(NamedTuple):
    """By which change and rule a lock is held, and through which attributes."""

    change: int
    rule: int
    fields: tuple[str, ...]


Holders = dict[Lock, Held]
Problem = tuple[str, str]


@dataclass
class Foreseen:
    """What must come of a document: its problems (code, path), or else its slots."""

    problems: set[Problem] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)

    @property
    def failing(self) -> dict[int, Step]:
        """The slots that fail, by position."""
        return {number: step for number, step in enumerate(self.steps) if step.fails}


@dataclass
class Model:
    """The live records of one design, by what makes their keys equal.

    ``wrongs`` are the comparisons that the engine is known to answer unlike DynamoDB.
    """

    design: Json
    secret: str = ""
    wrongs: frozenset[str] = frozenset()
    records: dict[Same, Json] = field(default_factory=dict)
    keys: dict[Same, Json] = field(default_factory=dict)

    @property
    def rules(self) -> list[Json]:
        """The design's rules, in order."""
        rules: list[Json] = self.design["unique"]
        return rules

    def of(self, parts: Mapping[str, Any]) -> Json | None:
        """The attributes of a live record; ``None`` when there is none."""
        return self.records.get(same_item(record_key(self.design, parts)))

    def write(self, parts: Mapping[str, Any], attributes: Json | None) -> None:
        """Make a record what it has become; ``None`` when it is gone."""
        key = record_key(self.design, parts)
        if attributes is None:
            del self.records[same_item(key)]
            return
        self.records[same_item(key)] = attributes
        self.keys[same_item(key)] = key

    def apply(self, changes: Iterable[Json]) -> None:
        """Carry out a committed change set."""
        for change in changes:
            self.write(change["key"], image(change, self.of(change["key"]) or {}))

    def held_by(self, record: Json) -> list[Lock]:
        """The locks that a record holds; a value that is too long for a key has none."""
        held = dict.fromkeys(lock for rule in self.rules for lock in locks_of(rule, record))
        return [lock for lock in held if not self._is_too_long(lock)]

    def locks(self) -> dict[Lock, Same]:
        """Every lock that must stand, and the key of its record."""
        found: dict[Lock, Same] = {}
        for key, record in self.records.items():
            for lock in self.held_by(record):
                assert lock not in found, f"two live records hold {lock}"
                found[lock] = key
        return found

    def items(self) -> dict[tuple[str, Same], Same]:
        """Every item that must stand, by table and key."""
        table, locks = self.design["table"], lock_table(self.design)["table"]
        owner = self.design["lock"].get("owner")
        found: dict[tuple[str, Same], Same] = {}
        for key, record in self.records.items():
            found[table, key] = same_item({**self.keys[key], **record})
        for lock, holder in self.locks().items():
            item = lock_key(self.design, lock, self.secret)
            at = locks, same_item(item)
            assert at not in found, f"{lock} has the key of another item"
            stored = {owner: {"M": self.keys[holder]}} if owner else {}
            found[at] = same_item({**item, **stored})
        return found

    def foresee(self, changes: Sequence[Json]) -> Foreseen:
        """What must come of a change set, by the records as they are now."""
        foreseen = Foreseen(set(self._problems(changes)))
        if not foreseen.problems:
            foreseen.steps = [*self._record_steps(changes), *self._lock_steps(changes)]
        return foreseen

    # --- problems ---

    def _problems(self, changes: Sequence[Json]) -> Iterator[Problem]:
        keys: set[Same] = set()
        for number, change in enumerate(changes):
            key = same_item(record_key(self.design, change["key"]))
            if key in keys:
                yield "record-twice", f"/changes/{number}/key"
            keys.add(key)
            yield from self._problems_of(number, change)
        for number, rule, lock in self._holders(changes, before_of)[1]:
            if self._is_too_long(lock):
                continue  # no record can have held it
            yield "held-twice", f"/changes/{number}/before/{_escaped(rule['attributes'][0])}"
        for number, rule, _ in self._holders(changes, after_of)[1]:
            yield "claimed-twice", _place(number, changes[number], rule["attributes"][0])
        yield from self._problems_of_long_values(changes)

    def _problems_of_long_values(self, changes: Sequence[Json]) -> Iterator[Problem]:
        """A value that no lock could have is not written; one that is stored may stay or go."""
        before, after = self._holders(changes, before_of)[0], self._holders(changes, after_of)[0]
        for lock, held in after.items():
            change = changes[held.change]
            written = not _named(change).keys().isdisjoint(held.fields)
            if self._is_too_long(lock) and (written or lock not in before):
                yield "key-too-long", _place(held.change, change, held.fields[0])

    def _problems_of(self, number: int, change: Json) -> Iterator[Problem]:
        touched = self._touched(change)
        for name in self._guarded(change):
            if change["operation"] != "create" and name not in change.get("before", {}):
                yield "before-unknown", f"/changes/{number}/before/{_escaped(name)}"
        for rule in touched:
            for name in rule["attributes"]:
                code = _fault(rule, name, change)
                if code:
                    yield code, _place(number, change, name)
        for name in self._of_other_type(change):
            yield "types-mixed", _place(number, change, name)

    def _of_other_type(self, change: Json) -> Iterator[str]:
        """The new values that share a namespace with a value of another type."""
        named, after = _named(change), after_of(change)
        for namespace in {rule["namespace"] for rule in self.rules}:
            rules = [rule for rule in self.rules if rule["namespace"] == namespace]
            for names in zip(*(rule["attributes"] for rule in rules), strict=True):
                stored_first = [*(n for n in names if n not in named), *filter(named.get, names)]
                kinds = {name: _kind(after[name]) for name in stored_first if name in after}
                kinds = {name: kind for name, kind in kinds.items() if kind}
                first = next(iter(kinds.values()), "")
                yield from (n for n, kind in kinds.items() if n in named and kind != first)

    def _is_too_long(self, lock: Lock) -> bool:
        limits = zip(
            key_attributes(lock_table(self.design)), (PARTITION_BYTES, SORT_BYTES), strict=False
        )
        key = lock_key(self.design, lock, self.secret)
        return any(_size(key[attribute["name"]]) > limit for attribute, limit in limits)

    # --- slots ---

    def _touched(self, change: Json) -> list[Json]:
        """The rules whose locks a change may move: those of a namespace go together."""
        if change["operation"] != "change":
            return self.rules
        named = {
            rule["namespace"]
            for rule in self.rules
            if not change["after"].keys().isdisjoint(attributes_of(rule))
        }
        return [rule for rule in self.rules if rule["namespace"] in named]

    def _guarded(self, change: Json) -> tuple[str, ...]:
        names = [name for rule in self._touched(change) for name in attributes_of(rule)]
        return () if change["operation"] == "create" else tuple(dict.fromkeys(names))

    def _record_steps(self, changes: Sequence[Json]) -> Iterator[Step]:
        for number, change in enumerate(changes):
            guarded = self._guarded(change)
            key = same_item(record_key(self.design, change["key"]))
            fails = self._record_fails(change, guarded)
            yield Step("record", number, self.design["table"], key, None, guarded, fails)

    def _record_fails(self, change: Json, guarded: Sequence[str]) -> str | None:
        stored = self.of(change["key"])
        if change["operation"] == "create":
            return None if stored is None else "exists"
        if stored is None:
            return "missing-or-changed" if guarded else "missing"
        before = change["before"]
        changed = any(not self._passes(stored.get(name), before[name]) for name in guarded)
        return "missing-or-changed" if changed else None

    def _passes(self, stored: Json | None, believed: Json | None) -> bool:
        """Whether an attribute is as its guard demands."""
        if stored is None and believed == {"NULL": True}:
            return "NULL and missing apart" in self.wrongs
        if stored is None or believed is None:
            return stored is believed
        for tag, wrong in LOOSE.items():
            if wrong in self.wrongs and tag in stored and tag in believed:
                return True
        return same(stored) == same(believed)

    def _lock_steps(self, changes: Sequence[Json]) -> Iterator[Step]:
        table = lock_table(self.design)["table"]
        keys = [same_item(record_key(self.design, change["key"])) for change in changes]
        owners, owned = self.locks(), bool(self.design["lock"].get("owner"))
        loose = LOOSE["M"] in self.wrongs
        for move in self._moves(changes):
            key = same_item(lock_key(self.design, move.lock, self.secret))
            owner, fails = owners.get(move.lock), None
            ours = owner == keys[move.previous] or (loose and owner is not None)
            match move.purpose:
                case "claim" if owner is not None:
                    fails = "taken"
                case "release" if owned and owner is not None and not ours:
                    fails = "held-by-another"
                case "transfer" if not ours:
                    fails = "held-by-another"
            yield Step(
                move.purpose, move.change, table, key, move.lock.namespace, move.fields, fails
            )

    def _moves(self, changes: Sequence[Json]) -> list[_Move]:
        before, after = self._holders(changes, before_of)[0], self._holders(changes, after_of)[0]
        owned = bool(self.design["lock"].get("owner"))
        moves = []
        before = {lock: held for lock, held in before.items() if not self._is_too_long(lock)}
        for lock, held in after.items():
            if self._is_too_long(lock):
                continue
            previous = before.get(lock)
            if previous is None:
                moves.append(_Move(held.change, held.rule, "claim", lock, held.fields, held.change))
            elif previous.change != held.change and owned:
                moves.append(
                    _Move(held.change, held.rule, "transfer", lock, held.fields, previous.change)
                )
        for lock, held in before.items():
            if lock not in after:
                moves.append(
                    _Move(held.change, held.rule, "release", lock, held.fields, held.change)
                )
        return sorted(moves, key=lambda m: (m.change, m.rule, m.purpose == "release"))

    def _holders(
        self, changes: Sequence[Json], side: Callable[[Json], Json]
    ) -> tuple[Holders, list[tuple[int, Json, Lock]]]:
        """Who holds which lock on one side of a change set, and who claims another's."""
        holders: Holders = {}
        contradictions: list[tuple[int, Json, Lock]] = []
        for number, change in enumerate(changes):
            touched = self._touched(change)
            for index, rule in enumerate(self.rules):
                for lock in locks_of(rule, side(change)) if rule in touched else []:
                    held = holders.setdefault(lock, Held(number, index, ()))
                    if held.change != number:
                        contradictions.append((number, rule, lock))
                        continue
                    fields = tuple(dict.fromkeys([*held.fields, *rule["attributes"]]))
                    holders[lock] = Held(number, held.rule, fields)
        return holders, contradictions


class _Move(NamedTuple):
    change: int
    rule: int
    purpose: str
    lock: Lock
    fields: tuple[str, ...]
    previous: int


def before_of(change: Json) -> Json:
    """A record before its change, as far as the change knows it."""
    known: Json = change.get("before", {})
    return known


def after_of(change: Json) -> Json:
    """A record after its change, as far as the change knows it."""
    return image(change, before_of(change)) or {}


def image(change: Json, stored: Json) -> Json | None:
    """What a change makes of a stored record."""
    match change["operation"]:
        case "create":
            return dict(change["item"])
        case "delete":
            return None
        case _:
            after = {**stored, **change["after"]}
            return {name: value for name, value in after.items() if value is not None}


def _named(change: Json) -> Json:
    """The attributes that a change writes or removes."""
    named: Json = change.get("item") or change.get("after") or {}
    return named


def _place(number: int, change: Json, name: str) -> str:
    """Where a value stands: in ``before`` where the change leaves it as it was."""
    kept = name in before_of(change) and name not in _named(change)
    member = "item" if change["operation"] == "create" else "after"
    return f"/changes/{number}/{'before' if kept else member}/{_escaped(name)}"


def _fault(rule: Json, name: str, change: Json) -> str | None:
    """What forbids the new value of one attribute of a rule."""
    if change["operation"] == "delete" or (
        change["operation"] == "change" and name not in change["after"]
    ):
        return None
    value = _named(change).get(name)
    if value is None or "NULL" in value:
        return "required-missing" if rule.get("required") else None
    parts = parts_of(value, rule.get("normalize", []))
    if parts is None:
        return "protected-type"
    return None if all(parts) else "protected-empty"


def _kind(value: Json | None) -> str:
    """The type of a value's protected parts; empty for what cannot be protected."""
    tag = next(iter(value or {}), "")
    return tag[0] if tag in {"S", "N", "B", "SS", "NS", "BS"} else ""


def _size(value: Json) -> int:
    ((tag, content),) = value.items()
    return len(base64.b64decode(content)) if tag == "B" else len(content.encode())


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
