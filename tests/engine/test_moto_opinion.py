"""Two engines, two opinions: moto judges the sequences too, and what each gets wrong is known.

moto is asked by one client at a time: it copies all tables for a transaction and puts them back
when it is cancelled, which undoes what others have written meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.engine import wrongs
from tests.engine.designs import CASES
from tests.engine.sequences import BOUNDS, machine
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway

IS_MINISTACK = not os.environ.get("LOCKWRIGHT_TEST_ENDPOINT")


@pytest.fixture(scope="module")
def moto(moto_engine: Endpoint) -> Gateway:
    """The way to moto."""
    return Gateway(moto_engine)


@pytest.fixture
def moto_table(moto: Gateway) -> Iterator[str]:
    """A fresh table in moto."""
    moto.create_table("opinions", ("PK", "S"), ("SK", "S"))
    yield "opinions"
    moto.delete_table("opinions")


@pytest.mark.parametrize("name", CASES)
def test_moto_agrees_with_the_model_on_every_step_of_a_random_sequence(
    name: str, moto: Gateway, moto_table: str
) -> None:
    known = wrongs.wrongs_of(moto, moto_table)
    fewer = settings(BOUNDS, max_examples=BOUNDS.max_examples // 2)
    run_state_machine_as_test(machine(moto, CASES[name], known), settings=fewer)


def test_moto_compares_values_as_it_is_known_to(moto: Gateway, moto_table: str) -> None:
    assert wrongs.wrongs_of(moto, moto_table) == wrongs.KNOWN["moto"]


def test_the_engine_compares_values_as_it_is_known_to(gateway: Gateway, table: str) -> None:
    known = wrongs.KNOWN["ministack"]
    found = wrongs.wrongs_of(gateway, table)
    assert found == known if IS_MINISTACK else found <= known


@pytest.mark.parametrize("name", wrongs.REQUESTS)
def test_moto_answers_a_wrong_request_as_it_is_known_to(
    name: str, moto: Gateway, moto_table: str
) -> None:
    asked = wrongs.REQUESTS[name]
    assert wrongs.answer_to(moto, moto_table, asked) == asked.moto


@pytest.mark.parametrize("name", wrongs.REQUESTS)
def test_the_engine_answers_a_wrong_request_as_it_is_known_to(
    name: str, gateway: Gateway, table: str
) -> None:
    asked = wrongs.REQUESTS[name]
    known = {asked.ministack} if IS_MINISTACK else {asked.ministack, asked.dynamodb}
    assert wrongs.answer_to(gateway, table, asked) in known
