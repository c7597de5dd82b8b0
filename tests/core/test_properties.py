"""Properties that every plan has, whatever design and change set it is made for."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from hypothesis import assume, event, given, target
from hypothesis import strategies as st

from tests.core.test_plan import item_size
from tests.samples import DESIGN, LOCK, Json
from webapp.core import documents, jsontext
from webapp.core.limits import ACTIONS, EXPRESSION_BYTES, ITEM_BYTES
from webapp.core.planning.plan import Plan
from webapp.core.problems import Refused

# Few names and values, so that records meet; reserved, odd and colliding names among them.
NAMES = ["email", "name", "Status", "a-b", "a b", "email_before", "é", "#a", ":v", "x" * 300]
WORDS = ["ada", "Ada", " ada ", "a#b", "a%23b", "", "é", "e\u0301", "None", "{value}", "\u200b"]
NUMERALS = ["1", "1.0", "0100e-2", "-0", "2"]

SCALARS = st.one_of(
    st.sampled_from(WORDS).map(lambda text: {"S": text}),
    st.sampled_from(NUMERALS).map(lambda text: {"N": text}),
    st.sampled_from(["AQ==", "AR==", ""]).map(lambda text: {"B": text}),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(lambda m: {"SS": m}),
    st.sampled_from([{"NULL": True}, {"BOOL": True}, {"L": [{"S": "a"}]}, {"M": {}}]),
)
TEXTS = st.sampled_from(WORDS).map(lambda text: {"S": text})
VALUES = TEXTS | TEXTS | SCALARS
STEPS = st.lists(st.sampled_from(["trim", "nfc", "nfkc", "casefold"]), max_size=3)


@st.composite
def rules(draw: st.DrawFn) -> list[Json]:
    """Constraints; those of one namespace are alike, as a design demands."""
    made: list[Json] = []
    for namespace in draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=3, unique=True)):
        common: Json = {"namespace": namespace, "normalize": draw(STEPS)}
        if draw(st.integers(0, 5)) == 0:
            common["digest"] = draw(st.sampled_from(["sha256", "hmac-sha256"]))
        width = draw(st.sampled_from([1, 1, 2]))
        for _ in range(draw(st.sampled_from([1, 1, 2]))):
            attributes = st.lists(
                st.sampled_from(NAMES), min_size=width, max_size=width, unique=True
            )
            rule = {**common, "attributes": draw(attributes)}
            if draw(st.integers(0, 3)) == 0:
                rule["only_when"] = {draw(st.sampled_from(NAMES)): draw(st.just(["ada", 1]))}
            made.append(rule)
    return made


LAYOUTS: list[Json] = [
    {},
    {"lock": {**LOCK, "owner": "owner"}},
    {"lock": {**LOCK, "owner": "Status"}, "alias": "always"},
    {
        "sort_key": None,
        "record": {"partition": "ACCT#{id}"},
        "lock": {"partition": "{namespace}#{value}", "owner": "o-w"},
    },
    {"lock": {**LOCK, "partition": "UNIQ#{namespace}", "sort": "{value}"}},
    {
        "partition_key": {"name": "key", "type": "B"},
        "sort_key": {"name": "SK", "type": "N"},
        "record": {"partition": "ACCT#{id}", "sort": "1"},
        "lock": {**LOCK, "sort": "0"},
    },
    {
        "lock": {
            "partition": "{namespace}#{value}",
            "owner": "owner",
            "table": {"name": "locks", "partition_key": {"name": "lock", "type": "S"}},
        }
    },
]


def images(present: bool = False) -> st.SearchStrategy[Json]:
    values = VALUES if present else VALUES | st.none()
    return st.dictionaries(st.sampled_from(NAMES), values, max_size=6)


def whole() -> st.SearchStrategy[Json]:
    """An image in which every name is known."""
    return st.fixed_dictionaries({name: VALUES | st.none() for name in NAMES})


@st.composite
def changes(draw: st.DrawFn, record: str) -> Json:
    key = {"id": record}
    operation = draw(st.sampled_from(["create", "change", "change", "delete"]))
    before = draw(whole() | whole() | images())
    match operation:
        case "create":
            return {"operation": operation, "key": key, "item": draw(images(present=True))}
        case "change":
            after = draw(images().filter(bool))
            return {"operation": operation, "key": key, "before": before, "after": after}
        case _:
            return {"operation": operation, "key": key, "before": before}


@st.composite
def requests(draw: st.DrawFn) -> Json:
    records = draw(st.lists(st.sampled_from("1234"), min_size=1, max_size=3, unique=True))
    return {
        "design": {**DESIGN, **draw(st.sampled_from(LAYOUTS)), "unique": draw(rules())},
        "changes": [draw(changes(record)) for record in records],
        "return_existing": draw(st.booleans()),
        "secret": "pepper",
    }


def made(request: Json) -> Plan:
    """The plan of a request; a request that is refused is none to look at."""
    try:
        plan = documents.plan(request)
    except Refused as refused:
        event(f"refused: {refused.problems[0].code}")
        assume(False)
        raise
    target(float(len(plan.slot_fields)), label="slots")
    return plan


def actions(plan: Plan) -> list[tuple[str, Json]]:
    return [next(iter(action.items())) for action in plan.request["TransactItems"]]


EXPRESSIONS = ("UpdateExpression", "ConditionExpression")


def no_item_stands_twice_in_a_plan(request: Json, plan: Plan) -> None:
    items = Counter((slot.table, repr(slot.key)) for slot in plan.slots)
    assert max(items.values()) == 1
    assert len(plan.slots) == len(actions(plan)) <= ACTIONS


def every_placeholder_that_is_defined_is_used_and_the_other_way_round(
    request: Json, plan: Plan
) -> None:
    for _, action in actions(plan):
        text = " ".join(action.get(member, "") for member in EXPRESSIONS)
        for sign, member in (("#", "ExpressionAttributeNames"), (":", "ExpressionAttributeValues")):
            defined = action.get(member)
            assert defined is None or defined
            assert set(re.findall(rf"{sign}[A-Za-z0-9_]+", text)) == set(defined or ())
        names = list(action.get("ExpressionAttributeNames", {}).values())
        assert len(names) == len(set(names))


def every_expression_has_its_guard_and_fits(request: Json, plan: Plan) -> None:
    owned = request["design"]["lock"]["owner"]
    for (verb, action), slot in zip(actions(plan), plan.slots, strict=True):
        for member in EXPRESSIONS:
            assert len(action.get(member, "x").encode()) in range(1, EXPRESSION_BYTES + 1)
        assert ("UpdateExpression" in action) == (verb == "Update")
        unguarded = slot.purpose == "release" and owned is None
        assert ("ConditionExpression" in action) != unguarded
        returns = "ReturnValuesOnConditionCheckFailure" in action
        assert returns == (request["return_existing"] and not unguarded)


def slots_are_in_order_records_first(request: Json, plan: Plan) -> None:
    slots = plan.slots
    records = [slot.change for slot in slots if slot.purpose == "record"]
    assert records == list(range(len(request["changes"])))
    assert [slot.purpose for slot in slots[: len(records)]] == ["record"] * len(records)
    locks = [(slot.change, slot.purpose == "release") for slot in slots[len(records) :]]
    assert [change for change, _ in locks] == sorted(change for change, _ in locks)
    for slot in slots[len(records) :]:
        assert slot.fields
        assert slot.constraint in {rule["namespace"] for rule in request["design"]["unique"]}


def planning_is_deterministic(request: Json, plan: Plan) -> None:
    again = documents.plan(documents.read_json(jsontext.write(request)))
    assert (plan.text, plan.as_document()) == (again.text, again.as_document())
    assert jsontext.write(plan.request) == plan.text


def the_budget_of_what_is_put_is_exact(request: Json, plan: Plan) -> None:
    for (verb, action), size in zip(actions(plan), plan.sizes, strict=True):
        if verb == "Put":
            assert item_size(action["Item"]) == size <= ITEM_BYTES
    creating = all(change["operation"] == "create" for change in request["changes"])
    assert plan.budget.lower_bound is not creating
    assert plan.budget.bytes == sum(plan.sizes)


def values_reach_the_request_as_they_were_given(request: Json, plan: Plan) -> None:
    for change, (verb, action) in zip(request["changes"], actions(plan), strict=False):
        after = change.get("item") or change.get("after") or {}
        wanted = [value for value in after.values() if value is not None]
        if verb == "Put":
            stored = [value for name, value in action["Item"].items() if name in after]
        else:
            stored = list(action.get("ExpressionAttributeValues", {}).values())
        assert jsontext.write(stored[: len(wanted)]) == jsontext.write(wanted)


PROMISES = [
    no_item_stands_twice_in_a_plan,
    every_placeholder_that_is_defined_is_used_and_the_other_way_round,
    every_expression_has_its_guard_and_fits,
    slots_are_in_order_records_first,
    planning_is_deterministic,
    the_budget_of_what_is_put_is_exact,
    values_reach_the_request_as_they_were_given,
]


@pytest.fixture(scope="module")
def validate() -> Callable[[Json], str]:
    """The faults that botocore finds in a request."""
    model = ServiceModel(Loader().load_service_model("dynamodb", "service-2"))
    shape = model.operation_model("TransactWriteItems").input_shape
    return lambda request: ParamValidator().validate(request, shape).generate_report()


@given(asked=requests())
def test_every_plan_keeps_its_promises(validate: Callable[[Json], str], asked: Json) -> None:
    unchanged = copy.deepcopy(asked)
    plan = made(asked)
    for promise in PROMISES:
        promise(asked, plan)
    assert validate(plan.request) == ""
    assert asked == unchanged


# --- anything at all ------------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["create", "typed", "S", "trim", "{id}", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def damaged(draw: st.DrawFn) -> Json:
    """A request in which one to three members, at any depth, are something else."""
    request = copy.deepcopy(draw(requests()))
    for _ in range(draw(st.integers(1, 3))):
        here: Any = request
        while True:
            steps = list(here) if isinstance(here, dict) else list(range(len(here)))
            if not steps:
                break
            step = draw(st.sampled_from(steps))
            inner = here[step]
            if not isinstance(inner, (dict, list)) or not inner or draw(st.integers(0, 3)) == 0:
                here[step] = draw(ANYTHING)
                break
            here = inner
    return request


def answer_to(document: object) -> Json:
    try:
        return documents.plan(document).as_document()
    except Refused as refused:
        return refused.as_document()


def outcome(document: object) -> None:
    """Plan a document; a refusal is complete, can be written, and has words for everything."""
    answer = answer_to(document)
    assert jsontext.write(answer)
    assert answer.keys() >= {"request"} or answer["problems"]
    for problem in answer.get("problems", []):
        assert problem["message"]
        assert problem["hint"]
        assert re.fullmatch(r"(/.*)?", problem["path"], re.DOTALL)


@given(damaged())
def test_a_damaged_request_is_planned_or_refused(document: Json) -> None:
    outcome(document)


@given(ANYTHING)
def test_anything_is_planned_or_refused(document: Any) -> None:
    outcome(document)
    outcome({"design": document, "changes": [document]})
    outcome({"design": DESIGN, "changes": [document]})
    outcome({"design": DESIGN, "changes": [{"operation": "create", "key": document}]})
    outcome({"design": {**DESIGN, "lock": document}, "changes": document})
