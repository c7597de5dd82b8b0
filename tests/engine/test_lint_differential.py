"""Lint and its peers agree: what it calls valid is taken, and what it refuses is refused.

Peers are botocore's validator and the local engine (see ``peers``). Where the engine takes what
DynamoDB refuses, the case stands in the table of ``lenient`` with its evidence; everything else is
a disagreement.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.lenient import BY_VALUE, LENIENT, Fault, request_of
from tests.engine.peers import ALONE_SUFFIX, Peers
from tests.engine.transaction_faults import make
from tests.engine.transaction_maker import TABLES
from webapp.core.expressions.places import TextProblem
from webapp.core.linting.lint import lint
from webapp.core.problems import Problem, Refused
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway

DESCRIBED = [shape.described(name) for name, shape in TABLES.items()]
ABOUT_VALUES = frozenset({"type-name", "in-too-many", "between-types"})
"""Faults of an expression that lie in what its placeholders stand for."""

CHUNK = 100
REQUESTS = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 1_000
"""`make fuzz` asks for the long profile."""


@pytest.fixture(scope="module")
def peers(engine: Endpoint, gateway: Gateway) -> Iterator[Peers]:
    """The peers of lint, with the tables of the comparison."""
    names = [(name + suffix, s) for name, s in TABLES.items() for suffix in ("", ALONE_SUFFIX)]
    for name, shape in names:
        index = ("by-index", shape.listed) if shape.listed else None
        gateway.create_table(name, shape.partition, shape.sort, index=index)
    with contextlib.closing(Peers(engine)) as asked:
        yield asked
    for name, _ in names:
        gateway.delete_table(name)


def problems_of(request: object) -> list[Problem]:
    try:
        return [fault.problem for fault in lint(request, table=DESCRIBED).problems]
    except Refused as refused:
        return list(refused.problems)


def faults_of(request: object) -> list[Fault]:
    """What lint finds, as the table of leniences names it."""
    return [_fault(problem, request) for problem in problems_of(request)]


def _fault(problem: Problem, request: object) -> Fault:
    tokens = problem.path.split("/")
    member = tokens[4] if len(tokens) > 4 and tokens[1] == "TransactItems" else ""
    if problem.code == "item-twice":
        return Fault(problem.code, "", "" if _is_same_text(problem, request) else BY_VALUE)
    return Fault(problem.code, member, _about(problem))


def _about(problem: Problem) -> str:
    if problem.code == "operand-type":
        return f"{problem.params['operator']} {problem.params['tag']}"
    if isinstance(problem, TextProblem) and problem.code not in ABOUT_VALUES:
        return problem.span.text
    return ""


def _is_same_text(problem: Problem, request: Any) -> bool:
    """Whether the keys of the two actions are spelled the same."""
    slots = (int(problem.path.split("/")[2]), problem.params["other"])
    one, other = (next(iter(request["TransactItems"][slot].values())) for slot in slots)
    names = (one.get("Key") or other.get("Key") or {}).keys()
    keys = [body.get("Key") or body.get("Item") for body in (one, other)]
    return all(keys[0].get(name) == keys[1].get(name) for name in names or keys[0])


def disagreement(number: int, peers: Peers) -> str:
    """How lint and its peers differ on a request, "" where they agree or the reason is known."""
    request = make(number)
    found = faults_of(request)
    refusals = peers.refusals(request)
    if not found and refusals:
        return f"{number}: lint finds nothing, but {refusals[0]}"
    unknown = [fault for fault in found if fault not in LENIENT]
    if found and not refusals and unknown:
        return f"{number}: all take it, but lint finds {unknown}"
    return ""


def disagreements(numbers: range, peers: Peers) -> list[str]:
    return [said for number in numbers if (said := disagreement(number, peers))]


@pytest.mark.parametrize("start", range(0, REQUESTS, CHUNK))
def test_lint_and_its_peers_agree_on_generated_requests(start: int, peers: Peers) -> None:
    assert disagreements(range(start, start + CHUNK), peers) == []


def test_the_requests_are_of_every_sort() -> None:
    made = [make(number) for number in range(1_000)]
    valid = [request for request in made if not problems_of(request)]
    codes = {problem.code for request in made for problem in problems_of(request)}
    assert 350 < len(valid) < 650
    assert len(codes) > 60
    assert len({json.dumps(request, sort_keys=True, default=str) for request in made}) > 990


@pytest.mark.parametrize("fault", LENIENT, ids=lambda fault: " ".join(fault)[:60])
def test_a_known_difference_is_one(fault: Fault, peers: Peers) -> None:
    request = request_of(LENIENT[fault])
    assert fault in faults_of(request)
    assert peers.refusals(request) == []
