"""Hostile documents: refused or planned, in time and room that grow with the document's size."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.samples import DESIGN, EMAIL, LOCK, Json, change, create, delete, request, unique
from webapp.core import documents, jsontext
from webapp.core.failures.question import read_question
from webapp.core.linting.lint import lint_document
from webapp.core.problems import MOST_PATH_CHARACTERS, MOST_PROBLEMS, Refused

Document = Json | str


def answer(document: Document) -> Json:
    """The plan document, or the refusal; nothing else may come of a document."""
    try:
        read = documents.read_json(document) if isinstance(document, str) else document
        return documents.plan(read).as_document()
    except Refused as refused:
        return refused.as_document()


def email(text: str, steps: tuple[str, ...] = ()) -> Json:
    return request(
        create({"email": {"S": text}}), design=unique({**EMAIL, "normalize": list(steps)})
    )


def constraints(count: int, namespace: str = "N{0}") -> list[Json]:
    return [
        {"namespace": namespace.format(number), "attributes": [f"a{number}"]}
        for number in range(count)
    ]


def lock(**members: Any) -> Json:
    return {**DESIGN, "lock": {**LOCK, **members}}


def record(partition: str) -> Json:
    return {**DESIGN, "record": {"partition": partition, "sort": "PROFILE"}}


def strings(count: int) -> list[str]:
    return [str(number) for number in range(count)]


# Sizes are beyond what is remembered from one request to the next.
ALL_STEPS = ("trim", "nfkc", "casefold")
GROWING: dict[str, tuple[int, Callable[[int], Document]]] = {
    "long-value": (100_000, lambda n: email("\u0430" * n)),
    "long-value-with-surrogates": (100_000, lambda n: email("a\ud800" * n)),
    "long-value-to-normalise": (20_000, lambda n: email("\ufb01 \u0130" * n, ALL_STEPS)),
    "long-run-of-marks": (4_000, lambda n: email("a" + "\u0301\u0316" * n, ALL_STEPS)),
    "many-runs-of-marks": (300, lambda n: email(("a" + "\u0301\u0316" * 20) * n, ALL_STEPS)),
    "blanks-around": (100_000, lambda n: email(" " * n + "a" + "\u3000" * n, ALL_STEPS)),
    "long-number": (50_000, lambda n: request(create({"x": {"N": "1" * n + "x"}}))),
    "long-fraction": (50_000, lambda n: request(create({"x": {"N": "0." + "0" * n + "1"}}))),
    "long-exponent": (50_000, lambda n: request(create({"x": {"N": "1e" + "9" * n}}))),
    "long-base64": (50_000, lambda n: request(create({"x": {"B": "AAAA" * n + "?"}}))),
    "long-key": (100_000, lambda n: request(create({}, "é" * n))),
    "long-template": (50_000, lambda n: request(create({}), design=record("{" * n))),
    "set-of-numbers": (2_000, lambda n: request(create({"x": {"NS": strings(n)}}))),
    "protected-set": (1_000, lambda n: request(create({"email": {"SS": strings(n)}}))),
    "protected-set-twice": (
        500,
        lambda n: request(*(create({"email": {"SS": strings(n)}}, r) for r in "12")),
    ),
    "set-before-and-after": (
        500,
        lambda n: request(
            change({"email": {"SS": strings(n)}}, {"email": {"SS": strings(2 * n)[n // 2 :]}})
        ),
    ),
    "many-attributes": (
        2_000,
        lambda n: request(create({f"a{number}": {"S": ""} for number in range(n)})),
    ),
    "many-changed-attributes": (
        1_000,
        lambda n: request(change({}, {f"a-{number}": {"S": ""} for number in range(n)})),
    ),
    "placeholders-of-one-stem": (
        500,
        lambda n: request(change({}, {"a" * 70 + str(number): {"S": ""} for number in range(n)})),
    ),
    "many-guards": (
        1_000,
        lambda n: request(
            delete({f"a{number}": None for number in range(n)}),
            design=unique(*constraints(n)),
        ),
    ),
    "sets-times-constraints": (
        10,
        lambda n: request(
            create({"a": {"SS": strings(90)}, "b": {"SS": strings(90)}}),
            design=unique(*({"namespace": f"N{i}", "attributes": ["a", "b"]} for i in range(n))),
        ),
    ),
    "constraints-left-alone": (
        100,
        lambda n: request(change({}, {"x": {"S": ""}}), design=unique(*constraints(n))),
    ),
    "many-changes": (200, lambda n: request(*(create({}, str(number)) for number in range(n)))),
    "many-constraints": (400, lambda n: request(create({}), design=unique(*constraints(n)))),
    "many-constraints-of-one-namespace": (
        400,
        lambda n: request(create({}), design=unique(*constraints(n, "ONE"))),
    ),
    "equal-constraints": (400, lambda n: request(create({}), design=unique(*[EMAIL] * n))),
    "many-attributes-of-one-constraint": (
        4_000,
        lambda n: request(create({}), design=unique({"namespace": "N", "attributes": strings(n)})),
    ),
    "many-placeholders": (
        4_000,
        lambda n: request(
            create({}), design=record("".join(f"{{a{number}}}" for number in range(n)))
        ),
    ),
    "many-lock-placeholders": (
        2_000,
        lambda n: request(create({}), design=lock(partition="{namespace}#" * n + "{value}")),
    ),
    "unknown-members": (
        1_000,
        lambda n: {**{f"a{number}": 1 for number in range(n)}, **request(create({}))},
    ),
    "faulty-members": (1_000, lambda n: request(create({"x": {"NS": ["x"] * n}}))),
    "faults-under-a-long-name": (1_000, lambda n: request(create({"n" * n: {"NS": ["x"] * n}}))),
    "members-twice": (
        2_000,
        lambda n: "{" + ",".join(f'"a{number % (n // 2)}":1' for number in range(n)) + "}",
    ),
    "member-twice-under-a-long-name": (
        2_000,
        lambda n: (
            f'{{"{"n" * n}":{{' + ",".join(f'"a{number}":1' for number in range(n)) + ',"a0":1}}'
        ),
    ),
    "deep-json": (200, lambda n: json.dumps(request(create({"x": "@"}))).replace('"@"', "[" * n)),
}
FACTOR = 8
LARGEST_GROWTH = 3 * FACTOR
"""Linear growth is 8, n log n some 10, quadratic growth 64."""


def seconds(work: Callable[[], object]) -> float:
    """Processor time of some work, the better of two."""
    gc.collect()
    gc.disable()
    try:
        return min(_seconds(work) for _ in range(2))
    finally:
        gc.enable()


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def is_linear(small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Whether work that is ``FACTOR`` times as large takes no more than its share."""
    small()
    least = 0.001
    return seconds(large) < LARGEST_GROWTH * max(seconds(small), least)


@pytest.mark.parametrize("name", GROWING)
def test_the_work_grows_with_the_document_and_not_with_its_square(name: str) -> None:
    size, make = GROWING[name]
    small, large = make(size), make(FACTOR * size)
    assert is_linear(lambda: answer(small), lambda: answer(large))


def new(key: str, **members: Any) -> Json:
    """A guarded Put, as a lock or a record is put."""
    item = {"PK": {"S": key}, "SK": {"S": "LOCK"}}
    guard = {"ConditionExpression": "attribute_not_exists(PK)"}
    return {"Put": {"TableName": "accounts", "Item": item, **guard, **members}}


def drop(key: str) -> Json:
    return {"Delete": {"TableName": "accounts", "Key": new(key)["Put"]["Item"]}}


def linted(actions: list[Json], *rules: Json) -> Json:
    return {"request": actions, "design": unique(*rules) if rules else None}


# The small sizes are near the hundred actions that a transaction may have.
LINTED: dict[str, tuple[int, Callable[[int], Json]]] = {
    "records": (100, lambda n: linted([new(f"A#{i}") for i in range(n)])),
    "equal-records": (100, lambda n: linted([new("A")] * n)),
    "locks": (100, lambda n: linted([new(f"UNIQ#EMAIL#{i}") for i in range(n)])),
    "releases": (100, lambda n: linted([drop(f"UNIQ#EMAIL#{i}") for i in range(n)])),
    "faulty-actions": (100, lambda n: linted([new(f"A#{i}", Wrong=1) for i in range(n)])),
    "no-actions": (1_000, lambda n: linted([{}] * n)),
    "rules": (120, lambda n: linted([new("ACCT#1")], *constraints(n))),
    "locks-and-rules": (
        60,
        lambda n: linted([new(f"UNIQ#N{i}#a") for i in range(n)], *constraints(n)),
    ),
    "long-item": (
        1_000,
        lambda n: linted([{"Put": {"Item": {f"a{i}": {"S": "a"} for i in range(n)}}}]),
    ),
}


@pytest.mark.parametrize("name", LINTED)
def test_a_check_grows_with_the_transaction_and_not_with_its_square(name: str) -> None:
    size, make = LINTED[name]
    small, large = make(size), make(FACTOR * size)
    assert is_linear(lambda: lint_document(small), lambda: lint_document(large))


def explained(count: int) -> Json:
    """A question about a cancelled transaction of so many locks."""
    reasons = [{"Code": "ConditionalCheckFailed"}] * count
    error = {"name": "TransactionCanceledException", "CancellationReasons": reasons}
    actions = [new(f"UNIQ#EMAIL#{number}") for number in range(count)]
    return {"error": error, "request": {"TransactItems": actions}}


def test_an_explanation_grows_with_the_transaction_and_not_with_its_square() -> None:
    small, large = explained(500), explained(500 * FACTOR)
    assert is_linear(
        lambda: read_question(small).explanation(), lambda: read_question(large).explanation()
    )


MEGABYTES: dict[str, Callable[[], Document]] = {
    "one-value": lambda: email("x" * 5_000_000),
    "one-unquoted-text": lambda: '{"design": ' + "x" * 5_000_000,
    "one-name": lambda: request(create({"n" * 5_000_000: {"S": ""}})),
    "one-digit-after-the-other": lambda: '{"design": ' + "9" * 5_000_000 + "}",
    "brackets": lambda: "[" * 5_000_000,
    "objects": lambda: '{"a":' * 1_000_000,
    "set": lambda: request(create({"email": {"SS": strings(100_000)}})),
    "set-of-equal-members": lambda: request(create({"x": {"SS": ["a" * 20] * 200_000}})),
    "faults": lambda: request(create({"x": {"L": [{}] * 1_000_000}})),
    "faults-under-a-long-name": lambda: request(
        create({"n" * 2_500_000: {"M": {str(number): {} for number in range(200_000)}}})
    ),
    "members-twice-under-a-long-name": lambda: (
        f'{{"{"n" * 2_500_000}":{{'
        + ",".join(f'"{number}":1,"{number}":1' for number in range(100_000))
        + "}}"
    ),
    "marks": lambda: email("\u0301\u0316" * 300_000, ("nfc",)),
    "changes": lambda: request(*[{}] * 500_000),
    "exponent": lambda: request(create({"x": {"N": "1e" + "9" * 5_000_000}})),
}


@pytest.mark.parametrize("name", MEGABYTES)
def test_megabytes_of_anything_are_refused_in_few_words(name: str) -> None:
    found = answer(MEGABYTES[name]())["problems"]
    assert 0 < len(found) <= MOST_PROBLEMS + 1
    assert sum(len(problem["path"]) for problem in found) <= MOST_PATH_CHARACTERS
    assert all(len(problem["message"] + problem["hint"]) < 600 for problem in found)
    assert jsontext.write(found)


def test_problems_beyond_a_thousand_are_said_to_be_left_out() -> None:
    found = answer(request(create({"x": {"L": [{}] * 5_000}})))["problems"]
    assert len(found) == MOST_PROBLEMS + 1
    assert found[-1]["code"] == "too-many-problems"
    assert found[-1]["message"].startswith("There are more than 1,000 problems")
    exactly = answer(request(create({"x": {"L": [{}] * MOST_PROBLEMS}})))["problems"]
    assert {problem["code"] for problem in exactly} == {"value-tags"}


def nested(levels: int, leaf: Any = None) -> Any:
    document = leaf
    for level in range(levels):
        document = {"S": document} if level % 2 else [document]
    return document


PLACES: dict[str, Callable[[Any], Any]] = {
    "document": lambda deep: deep,
    "design": lambda deep: request(create({}), design=deep),
    "version": lambda deep: request(create({}), design={**DESIGN, "version": deep}),
    "table": lambda deep: request(create({}), design={**DESIGN, "table": deep}),
    "only-when": lambda deep: request(
        create({}), design=unique({**EMAIL, "only_when": {"s": [deep]}})
    ),
    "change": request,
    "operation": lambda deep: request({"operation": deep}),
    "key-part": lambda deep: request(create({}, key={"id": deep})),
    "value": lambda deep: request(create({"x": deep})),
    "content": lambda deep: request(create({"x": {"S": deep}})),
    "number": lambda deep: request(create({"x": {"N": deep}})),
    "null": lambda deep: request(create({"x": {"NULL": deep}})),
    "plain": lambda deep: request(create({"x": deep}), values="plain"),
    "token": lambda deep: request(create({}), token=deep),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("levels", [40, 300, 900, 960, 980, 990, 20_000])
def test_depth_is_no_way_to_break_anything(place: str, levels: int) -> None:
    found = answer(PLACES[place](nested(levels)))
    assert found["problems"]
    assert jsontext.write(found)


@pytest.mark.parametrize("levels", range(960, 1_000))
def test_what_can_just_be_read_can_be_refused(levels: int) -> None:
    text = json.dumps(request(create({"x": {"S": "@"}}))).replace(
        '"@"', "[" * levels + "]" * levels
    )
    (problem,) = answer(text)["problems"]
    assert problem["code"] in {"string-expected", "json-too-deep"}


CURIOUS: dict[str, Any] = {
    "surrogate-member": {**request(create({})), "\ud800": 1},
    "surrogate-table": request(create({}), design={**DESIGN, "table": "\ud800"}),
    "surrogate-namespace": request(create({}), design=unique({**EMAIL, "namespace": "\ud800"})),
    "surrogate-attribute": request(create({}), design=unique({**EMAIL, "attributes": ["\ud800"]})),
    "surrogate-owner": request(create({}), design=lock(owner="\ud800")),
    "surrogate-template": request(create({}), design=lock(partition="\ud800{value}")),
    "surrogate-condition": request(
        create({}), design=unique({**EMAIL, "only_when": {"\ud800": ["\ud800"]}})
    ),
    "surrogate-key-name": request(create({}, key={"\ud800": "a"})),
    "surrogate-key": request(create({}, key={"id": "\ud800"})),
    "surrogate-name": request(create({"\ud800": {"S": "a"}})),
    "surrogate-value": request(create({"x": {"S": "\ud800"}})),
    "surrogate-tag": request(create({"x": {"\ud800": "a"}})),
    "surrogate-operation": request({"operation": "\ud800"}),
    "surrogate-token": request(create({}), token="\ud800"),
    "number-as-member": {**request(create({})), 5: 1},
    "number-as-name": request(create({5: {"S": "a"}})),  # type: ignore[dict-item]
    "number-as-tag": request(create({"x": {5: "a"}})),
    "null-as-name": request(create({None: None})),  # type: ignore[dict-item]
    "huge-integer": request(create({"x": 10**5000}), values="plain"),
    "huge-integer-in-N": request(create({"x": {"N": 10**5000}})),
    "huge-integer-in-S": request(create({"x": {"S": [10**5000]}})),
    "huge-version": request(create({}), design={**DESIGN, "version": 10**5000}),
    "huge-key": request(create({}, key={"id": 10**5000})),
    "infinity": request(create({"x": float("inf")}), values="plain"),
    "bytes": request(create({"x": {"B": b"a"}})),
    "tuple": request(create({"x": {"L": ({"S": "a"},)}})),
    "set": request(create({"x": {"SS": {"a"}}})),
    "null-design": request(create({}), design=None),
    "null-changes": {"design": DESIGN, "changes": None},
}


@pytest.mark.parametrize("name", CURIOUS)
def test_curious_documents_are_refused_in_words_that_can_be_written(name: str) -> None:
    found = answer(CURIOUS[name])["problems"]
    assert found
    assert jsontext.write(found)
    assert all(problem["message"] and problem["hint"] for problem in found)


def test_large_requests_leave_nothing_behind_that_fills_the_memory() -> None:
    from webapp.core.planning import statements  # noqa: PLC0415 - the test looks at its memory

    for number in range(40):
        answer(request(change({}, {f"{'n' * 30_000}{number}-{i}": {"S": ""} for i in range(10)})))
    remembered = statements._remembered
    assert max(len(repr(shape)) for shape in remembered) < 64_000
    assert len(remembered) <= statements.REMEMBERED
