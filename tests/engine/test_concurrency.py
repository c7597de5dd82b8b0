"""Many clients at once: whoever wins, the table holds exactly one lock for each live value."""

from __future__ import annotations

import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from tests.engine.designs import FOLDED, rule
from tests.engine.model import Json, Model, Same, record_key, same_item
from tests.engine.sequences import by_key, make_tables, named_anew, remove_tables, stored_items
from tests.samples import unique
from webapp.answers import Answer, Committed, Rejected
from webapp.core import documents
from webapp.core.failures.explain import explain
from webapp.core.planning.plan import Plan
from webapp.core.problems import Refused
from webapp.gateway import Gateway

CLIENTS = 8
ROUNDS = 40
IDS = ["1", "2", "3", "4", "5", "6"]
NAMES = ["ada", "Ada", "grace", "joan", "mary"]
LOST = {"taken", "exists", "missing-or-changed", "held-by-another", "conflict", "throttled"}
# Records that were read at different times may contradict each other.
CONTRADICTED = {"held-twice", "claimed-twice"}

Values = dict[str, Json | None]
OWNED = {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK", "owner": "owner"}


@pytest.fixture(params=["with owner", "without owner"])
def accounts(request: pytest.FixtureRequest, gateway: Gateway) -> Iterator[Json]:
    """A design whose tables are there: a required e-mail, a user name, a set of aliases."""
    document = named_anew(
        unique(
            rule("EMAIL", "email", normalize=FOLDED, required=True),
            rule("HANDLE", "username"),
            rule("HANDLE", "aliases"),
            lock=OWNED | {"owner": "owner" if request.param == "with owner" else None},
        )
    )
    make_tables(gateway, document)
    yield document
    remove_tables(gateway, document)


# --- one client --------------------------------------------------------------------------------


@dataclass
class Client:
    """Reads records, changes some of them as one transaction, and goes on whatever came of it."""

    gateway: Gateway
    design: Json
    chance: random.Random
    meeting: threading.Barrier
    written: list[Plan] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)

    def work(self) -> Client:
        """Start with all the others, and do all rounds."""
        self.meeting.wait(timeout=60)
        for _ in range(ROUNDS):
            self._submit(self._changes())
        return self

    def _submit(self, changes: list[Json]) -> None:
        document = {"design": self.design, "changes": changes, "token": str(uuid.uuid4())}
        try:
            plan = documents.plan(document)
        except Refused as refused:
            self.ended.update({one.code for one in refused.problems})
            return
        answer = self.gateway.send(plan.text)
        self.ended[verdict(plan, answer)] += 1
        if isinstance(answer, Committed):
            self.written.append(plan)

    def _changes(self) -> list[Json]:
        one, other = self.chance.sample(IDS, 2)
        mine, theirs = self._read(one), self._read(other)
        if mine is None:
            return [{"operation": "create", "key": {"id": one}, "item": self._new_values()}]
        if theirs is None:
            return [self.chance.choice([self._delete, self._change])(one, mine)]
        several: list[Callable[[str, Values, str, Values], list[Json]]]
        several = [self._swap, self._hand_over, self._both]
        return self.chance.choice(several)(one, mine, other, theirs)

    def _read(self, number: str) -> Values | None:
        key = record_key(self.design, {"id": number})
        item = self.gateway.get(self.design["table"], key)
        return item and {name: item.get(name) for name in ("email", "username", "aliases")}

    def _new_values(self) -> Json:
        """Values for a new record, none of which contradict each other."""
        email, username, alias = (self.chance.choice(NAMES) for _ in range(3))
        return {
            "email": {"S": email},
            "username": {"S": username},
            "aliases": {"SS": sorted({alias, username})},
        }

    def _change(self, number: str, before: Values) -> Json:
        names = self.chance.sample(sorted(before), self.chance.randint(1, 3))
        new = self._new_values()
        return changed(number, before, {name: new[name] for name in names})

    def _delete(self, number: str, before: Values) -> Json:
        return {"operation": "delete", "key": {"id": number}, "before": before}

    def _swap(self, one: str, mine: Values, other: str, theirs: Values) -> list[Json]:
        names = ["email"] if self.chance.random() < 0.5 else ["username", "aliases"]
        return [
            changed(one, mine, {name: theirs[name] for name in names}),
            changed(other, theirs, {name: mine[name] for name in names}),
        ]

    def _hand_over(self, one: str, mine: Values, other: str, theirs: Values) -> list[Json]:
        given = {name: mine[name] for name in ("username", "aliases")}
        return [changed(one, mine, dict.fromkeys(given)), changed(other, theirs, given)]

    def _both(self, one: str, mine: Values, other: str, theirs: Values) -> list[Json]:
        return [self._delete(one, mine), self._change(other, theirs)]


def changed(number: str, before: Values, after: Values) -> Json:
    """The change of one record."""
    return {"operation": "change", "key": {"id": number}, "before": before, "after": after}


def verdict(plan: Plan, answer: Answer) -> str:
    """What came of a plan, in one word."""
    if isinstance(answer, Committed):
        return "committed"
    assert isinstance(answer, Rejected), answer
    assert answer.code == "TransactionCanceledException", answer
    return explain(plan.slots, answer.error).verdict


# --- what must stand in the end ----------------------------------------------------------------


def standing(gateway: Gateway, document: Json, ids: list[str]) -> tuple[Model, set[object]]:
    """A model with the records that stand in the table, and the places of all its items."""
    items = stored_items(gateway, document)
    model = Model(document)
    for number in ids:
        key = record_key(document, {"id": number})
        for _, item in items:
            if key.items() <= item.items():
                attributes = {name: value for name, value in item.items() if name not in key}
                model.write({"id": number}, attributes)
    assert by_key(document, items) == model.items()
    return model, set(model.items())


def balance(plans: list[Plan]) -> Counter[tuple[str, Same]]:
    """How often each item was put, less how often it was deleted."""
    counts: Counter[tuple[str, Same]] = Counter()
    for plan in plans:
        for slot in plan.slots:
            counts[slot.table, same_item(slot.key)] += {"Put": 1, "Delete": -1}.get(slot.action, 0)
    return counts


def test_8_clients_at_once_leave_one_lock_for_each_live_value(
    accounts: Json, gateway: Gateway
) -> None:
    meeting = threading.Barrier(CLIENTS)
    clients = [
        Client(gateway, accounts, random.Random(number), meeting) for number in range(CLIENTS)
    ]
    with ThreadPoolExecutor(CLIENTS) as pool:
        for work in [pool.submit(client.work) for client in clients]:
            work.result()
    ended = sum((client.ended for client in clients), Counter[str]())
    assert ended.keys() <= {"committed"} | LOST | CONTRADICTED
    assert ended["committed"] > 0
    assert any(ended[lost] for lost in LOST)
    _, places = standing(gateway, accounts, IDS)
    left = balance([plan for client in clients for plan in client.written])
    assert left == {place: 1 if place in places else 0 for place in left}
    assert places <= left.keys()


def test_B03_of_20_creates_of_one_email_at_once_exactly_1_succeeds(
    accounts: Json, gateway: Gateway
) -> None:
    ids = [f"u{number}" for number in range(20)]
    meeting = threading.Barrier(len(ids))

    def create(number: str) -> str:
        item = {"email": {"S": "same@x.test"}, "username": {"S": number}}
        change = {"operation": "create", "key": {"id": number}, "item": item}
        plan = documents.plan({"design": accounts, "changes": [change]})
        meeting.wait(timeout=60)
        return verdict(plan, gateway.send(plan.text))

    with ThreadPoolExecutor(len(ids)) as pool:
        ended = Counter(pool.map(create, ids))
    assert ended["committed"] == 1
    assert ended["taken"] + ended["conflict"] == 19
    model, places = standing(gateway, accounts, ids)
    assert len(model.records) == 1
    assert len(places) == 3
