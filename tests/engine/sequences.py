"""Random sequences of transactions, each compared with the model before and after it is sent.

Rule: whatever a client believes of the records, a plan is refused, cancelled or committed exactly
as the model foresees: all problems, all slots, all failing fields; and after every step the whole
table is what the model says. The reason: a lock that leaks or is lost shows steps later, elsewhere.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.strategies import DataObject, SearchStrategy

from tests.engine.designs import HOLDS_NOTHING, PLAIN, TOO_LONG, Case
from tests.engine.model import (
    Foreseen,
    Json,
    Model,
    Problem,
    Same,
    Step,
    key_attributes,
    lock_table,
    record_key,
    same,
    same_item,
)
from webapp.answers import Answer, Committed, Rejected
from webapp.core import documents
from webapp.core.failures.explain import explain
from webapp.core.planning.plan import Plan
from webapp.core.problems import Refused
from webapp.gateway import Gateway

CANCELLED = "TransactionCanceledException"
EXPRESSIONS = ("ConditionExpression", "UpdateExpression")
PLACEHOLDERS = ("ExpressionAttributeNames", "ExpressionAttributeValues")
BELIEFS = ["true"] * 5 + ["outdated"] * 2 + ["respelled", "invented", "unknown"]

_PROFILE = settings()
_IS_LONG = _PROFILE.max_examples > 100
BOUNDS = settings(
    _PROFILE,
    max_examples=_PROFILE.max_examples // 10,
    stateful_step_count=60 if _IS_LONG else 20,
    derandomize=not _IS_LONG,
    suppress_health_check=list(HealthCheck),
)

_numbers = itertools.count(1)


def named_anew(design: Json) -> Json:
    """The design with table names that no other test uses."""
    suffix = f"{os.getpid()}.{next(_numbers)}"
    own = design["lock"].get("table")
    lock = design["lock"] | ({"table": own | {"name": f"{own['name']}-{suffix}"}} if own else {})
    return design | {"table": f"{design['table']}-{suffix}", "lock": lock}


def tables_of(design: Json) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The names of a design's tables, with the names and types of their keys."""
    for table in {one["table"]: one for one in (design, lock_table(design))}.values():
        yield table["table"], [(key["name"], key["type"]) for key in key_attributes(table)]


def make_tables(gateway: Gateway, design: Json) -> None:
    """Make the tables of a design."""
    for name, keys in tables_of(design):
        gateway.create_table(name, *keys)


def remove_tables(gateway: Gateway, design: Json) -> None:
    """Remove them."""
    for name, _ in tables_of(design):
        gateway.delete_table(name)


def stored_items(gateway: Gateway, design: Json) -> list[tuple[str, Json]]:
    """Every item that stands in the tables of a design, with its table."""
    return [
        (name, item)
        for name, _ in tables_of(design)
        for page in gateway.pages("Scan", {"TableName": name, "ConsistentRead": True})
        for item in page["Items"]
    ]


def by_key(design: Json, items: Sequence[tuple[str, Json]]) -> dict[tuple[str, Same], Same]:
    """Items by table and key; the same shape as the model's."""
    names = {table: [name for name, _ in keys] for table, keys in tables_of(design)}
    return {
        (table, same_item({name: item[name] for name in names[table]})): same_item(item)
        for table, item in items
    }


class Sequences(RuleBasedStateMachine):
    """Clients that believe this and that change the records of one design, step by step."""

    gateway: Gateway
    case: Case
    wrongs: frozenset[str]

    @initialize(
        owner=st.sampled_from([None, "owner", "held by"]),
        alias=st.sampled_from(["needed", "always"]),
    )
    def make_table(self, owner: str | None, alias: str) -> None:
        design = named_anew(self.case.design)
        lock = design["lock"] | {"owner": owner}
        self.design = design | {"lock": lock, "alias": alias}
        self.model = Model(self.design, self.case.secret, self.wrongs)
        self.read: dict[Same, Json] = {}
        self.past: list[tuple[Json, Json]] = []
        self.last: list[Json] = []
        make_tables(self.gateway, self.design)

    def teardown(self) -> None:
        if hasattr(self, "design"):
            remove_tables(self.gateway, self.design)

    # --- steps ---

    @rule(data=st.data())
    def create(self, data: DataObject) -> None:
        self.submit(data, [self._create(data)])

    @rule(data=st.data())
    def change(self, data: DataObject) -> None:
        self.submit(data, [self._change(data)])

    @rule(data=st.data())
    def delete(self, data: DataObject) -> None:
        self.submit(data, [self._delete(data)])

    @rule(data=st.data())
    def several(self, data: DataObject) -> None:
        kinds = st.sampled_from([self._create, self._change, self._delete])
        chosen = data.draw(st.lists(kinds, min_size=2, max_size=4), label="kinds")
        self.submit(data, [one(data) for one in chosen])

    @precondition(lambda self: len(self.model.records) > 1)
    @rule(data=st.data())
    def swap(self, data: DataObject) -> None:
        """Two records exchange some of their values."""
        one, other = self._two_live(data)
        names = self._some_names(data)
        values = [self._believed(key, "true", data) for key in (one, other)]
        self.submit(
            data,
            [
                _changed(key, before, {name: values[1 - number].get(name) for name in names})
                for number, (key, before) in enumerate(zip((one, other), values, strict=True))
            ],
        )

    @precondition(lambda self: len(self.model.records) > 1)
    @rule(data=st.data())
    def hand_over(self, data: DataObject) -> None:
        """One record gives values up, another takes them; either may be named first."""
        one, other = self._two_live(data)
        names = self._some_names(data)
        mine, theirs = (self._believed(key, "true", data) for key in (one, other))
        leaving = self._after(data, names)
        changes = [
            _changed(one, mine, leaving),
            _changed(other, theirs, {name: mine.get(name) for name in names}),
        ]
        self.submit(data, data.draw(st.permutations(changes), label="order"))

    @precondition(lambda self: self.model.records)
    @rule(data=st.data())
    def replace(self, data: DataObject) -> None:
        """One record goes, a new one comes with its values."""
        key = self._live(data)
        stored = self.model.of(key) or {}
        before = self._believed(key, "true", data)
        item = {name: value for name, value in stored.items() if name in self.case.attributes}
        create = {"operation": "create", "key": self._key(data), "item": item}
        changes = [{"operation": "delete", "key": key, "before": before}, create]
        self.submit(data, data.draw(st.permutations(changes), label="order"))

    @precondition(lambda self: self._overtaken())
    @rule(data=st.data())
    def outdated_form(self, data: DataObject) -> None:
        """A form from when a record had a value that by now is another record's."""
        key, item = data.draw(st.sampled_from(self._overtaken()), label="overtaken")
        before = {name: item.get(name) for name in self.case.attributes}
        delete = {"operation": "delete", "key": key, "before": before}
        change = _changed(key, before, self._after(data, sorted(self.case.attributes)))
        self.submit(data, [data.draw(st.sampled_from([delete, change]), label="form")])

    @precondition(lambda self: self.last)
    @rule(data=st.data())
    def send_again(self, data: DataObject) -> None:
        """The form of the last step is sent once more, whatever became of it."""
        self.submit(data, self.last)

    @rule(data=st.data())
    def older_record(self, data: DataObject) -> None:
        """A record from before the locks, with values that hold none, was in the table already."""
        key, names = self._key(data), self._some_names(data)
        item = {name: data.draw(HOLDS_NOTHING | TOO_LONG, label=name) for name in names}
        if self.model.of(key) is None and not self.model.held_by(item):
            self.model.write(key, item)
            whole = record_key(self.design, key) | item
            put = {"Put": {"TableName": self.design["table"], "Item": whole}}
            text = json.dumps({"TransactItems": [put]}).encode()
            assert isinstance(self.gateway.send(text), Committed)
            self._compare_table()

    # --- what a client says ---

    def _create(self, data: DataObject) -> Json:
        values = {**self.case.attributes, **PLAIN}
        item = {
            name: value
            for name, one in values.items()
            if (value := data.draw(_maybe(one), label=name)) is not None
        }
        return {"operation": "create", "key": self._key(data), "item": item}

    def _change(self, data: DataObject) -> Json:
        key = self._likely_live(data)
        before = self._believed(key, data.draw(st.sampled_from(BELIEFS), label="belief"), data)
        return _changed(key, before, self._after(data, self._some_names(data, PLAIN)))

    def _delete(self, data: DataObject) -> Json:
        key = self._likely_live(data)
        belief = data.draw(st.sampled_from(BELIEFS), label="belief")
        return {"operation": "delete", "key": key, "before": self._believed(key, belief, data)}

    def _believed(self, key: Json, belief: str, data: DataObject) -> Json:
        """What a client believes of the attributes that may be guarded, having read some of it."""
        read = self.read.get(same_item(record_key(self.design, key)), {})
        known = {
            name: _as_read(value, read.get(name))
            for name, value in self._belief(key, belief, data).items()
        }
        respelling = belief == "respelled"
        return {name: v and _respelled(v) for name, v in known.items()} if respelling else known

    def _belief(self, key: Json, belief: str, data: DataObject) -> Json:
        stored = self.model.of(key) or {}
        name = data.draw(st.sampled_from(sorted(self.case.attributes)), label="doubtful")
        known = {one: stored.get(one) for one in self.case.attributes}
        match belief:
            case "outdated":
                older = [item for past, item in self.past if past == key and item != stored] or [{}]
                item = data.draw(st.sampled_from(older), label="older")
                return {one: item.get(one) for one in self.case.attributes}
            case "invented":
                return known | {name: data.draw(_maybe(self._values(name)), label=name)}
            case "unknown":
                del known[name]
        return known

    def _after(self, data: DataObject, names: Sequence[str]) -> Json:
        if self.past and data.draw(st.integers(0, 3), label="somebody's") == 3:
            _, item = data.draw(st.sampled_from(self.past), label="whose")
            return {name: item.get(name) for name in names}
        return {name: data.draw(_maybe(self._values(name)), label=name) for name in names}

    def _values(self, name: str) -> SearchStrategy[Json]:
        values = {**PLAIN, **self.case.attributes}[name]
        return st.one_of(values, values, values, HOLDS_NOTHING)

    def _some_names(self, data: DataObject, more: Any = ()) -> list[str]:
        names = st.sampled_from([*self.case.attributes, *more])
        return data.draw(st.lists(names, min_size=1, max_size=3, unique=True), label="names")

    # --- whom it is about ---

    def _key(self, data: DataObject) -> Json:
        key: Json = data.draw(self.case.keys, label="key")
        return key

    def _likely_live(self, data: DataObject) -> Json:
        if self.past and data.draw(st.integers(0, 9), label="live") < 9:
            return self._live(data)
        return self._key(data)

    def _live(self, data: DataObject) -> Json:
        live = [key for key, _ in self.past if self.model.of(key) is not None]
        return data.draw(st.sampled_from(live), label="live") if live else self._key(data)

    def _overtaken(self) -> list[tuple[Json, Json]]:
        """Records as they were when they held a lock that is another record's now."""
        owners = self.model.locks()
        return [
            (key, item)
            for key, item in self.past[-20:]
            if {owners.get(lock) for lock in self.model.held_by(item)}
            - {None, same_item(record_key(self.design, key))}
        ]

    def _two_live(self, data: DataObject) -> tuple[Json, Json]:
        one, other = self._live(data), self._live(data)
        return one, other

    # --- what must come of it ---

    def submit(self, data: DataObject, changes: list[Json]) -> None:
        """Plan and send a change set; problems, slots, reasons and table are as foreseen."""
        self.last = changes
        showing = data.draw(st.booleans(), label="return existing")
        foreseen = self.model.foresee(changes)
        document = {"design": self.design, "changes": changes, "return_existing": showing}
        plan = _planned(document, self.case.secret)
        if not isinstance(plan, Plan):
            assert plan == foreseen.problems
            return
        assert not foreseen.problems
        assert [
            _as_step(slot.as_document(0), foreseen, n) for n, slot in enumerate(plan.slots)
        ] == (foreseen.steps)
        _compare_placeholders(plan)
        answer = self.gateway.send(plan.text)
        if foreseen.failing:
            self._compare_reasons(plan, answer, foreseen, showing=showing)
        else:
            assert isinstance(answer, Committed), answer
            self.past += [(c["key"], self.model.of(c["key"]) or {}) for c in changes]
            self.model.apply(changes)
            self.past += [(c["key"], self.model.of(c["key"]) or {}) for c in changes]
        self._compare_table()

    def _compare_reasons(
        self, plan: Plan, answer: Answer, foreseen: Foreseen, *, showing: bool
    ) -> None:
        assert isinstance(answer, Rejected), answer
        assert answer.code == CANCELLED, answer
        explained = explain(plan.slots, answer.error, self.design["lock"].get("owner"))
        found = {
            finding.planned.slot: (finding.cause, finding.planned.fields)
            for finding in explained.slots
        }
        assert found == {
            number: (step.fails, step.fields) for number, step in foreseen.failing.items()
        }
        if showing:
            self._compare_shown(explained.slots, foreseen)

    def _compare_shown(self, findings: Sequence[Any], foreseen: Foreseen) -> None:
        """The item that a guard met is the one that stands."""
        standing = self.model.items()
        for finding in findings:
            step = foreseen.steps[finding.planned.slot]
            shown = finding.existing
            assert standing.get((step.table, step.key)) == (same_item(shown) if shown else None)

    def _compare_table(self) -> None:
        items = stored_items(self.gateway, self.design)
        stored = by_key(self.design, items)
        self.read = {
            key: item
            for (table, key), (_, item) in zip(stored, items, strict=True)
            if table == self.design["table"]
        }
        assert len(stored) == len(items)
        assert stored == self.model.items()


def _planned(document: Json, secret: str) -> Plan | set[Problem]:
    """The plan of a document that comes in as JSON text, or why it is refused."""
    text = json.dumps(document).encode()
    try:
        return documents.plan(documents.read_json(text), secret=secret or None)
    except Refused as refused:
        return {(one.code, one.path) for one in refused.problems}


def _changed(key: Json, before: Json, after: Json) -> Json:
    return {"operation": "change", "key": key, "before": before, "after": after}


def _maybe(values: SearchStrategy[Json]) -> SearchStrategy[Json | None]:
    return st.one_of(values, values, values, st.none())


def _as_read(value: Json | None, read: Json | None) -> Json | None:
    """A believed value; one that equals what was read is spelled as it was read.

    Without this MiniStack fails guards that DynamoDB does not: it compares the members of number
    and binary sets by their text, and an Update stores numbers as they were spelled.
    """
    return read if value and read and same(value) == same(read) else value


def _respelled(value: Json) -> Json:
    """An equal value, spelled otherwise where its type has a second spelling."""
    match value:
        case {"N": text}:
            return {"N": text if "e" in text.lower() else f"0{text.lstrip('+-')}e0"}
        case {"SS": members} | {"NS": members} | {"BS": members}:
            return {next(iter(value)): members[::-1]}
        case _:
            return value


def _compare_placeholders(plan: Plan) -> None:
    """What is defined is used and what is used is defined: no engine here judges all of it."""
    for action in plan.request["TransactItems"]:
        (content,) = action.values()
        expressions = " ".join(content.get(name, "") for name in EXPRESSIONS)
        defined = [content[name] for name in PLACEHOLDERS if name in content]
        assert all(defined)
        assert set(re.findall(r"[#:]\w+", expressions)) == {one for row in defined for one in row}


def _as_step(slot: Json, foreseen: Foreseen, number: int) -> Step:
    """A planned slot in the model's words; whether it fails shows only when it is sent."""
    fails = foreseen.steps[number].fails if number < len(foreseen.steps) else None
    return Step(
        slot["purpose"],
        slot["change"],
        slot["table"],
        same_item(slot["key"]),
        slot["constraint"],
        tuple(slot["fields"]),
        fails,
    )


def machine(gateway: Gateway, case: Case, wrongs: frozenset[str]) -> type[Sequences]:
    """The machine of one case on one engine with its known wrongs."""
    members = {"gateway": gateway, "case": case, "wrongs": wrongs}
    return type("SequencesOfCase", (Sequences,), members)
