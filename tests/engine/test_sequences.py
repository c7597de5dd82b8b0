"""Whatever clients try, the table holds exactly one lock for each live value."""

from __future__ import annotations

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.engine.designs import CASES
from tests.engine.sequences import BOUNDS, machine
from tests.engine.wrongs import wrongs_of
from webapp.gateway import Gateway


@pytest.mark.parametrize("name", CASES)
def test_every_step_of_a_random_sequence_does_what_the_model_foresees(
    name: str, gateway: Gateway, table: str
) -> None:
    known = wrongs_of(gateway, table)
    run_state_machine_as_test(machine(gateway, CASES[name], known), settings=BOUNDS)
