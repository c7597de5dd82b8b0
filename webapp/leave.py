"""Leave to write: what a visitor must say before anything is written to AWS.

Rule: local engines are written to at a press; AWS only where the operator allowed it at the start,
and only with the name of the table typed by whoever presses. Reading needs neither. The reason: the
same button in the same place must not write to a real table because somebody forgot where they are.
"""

from __future__ import annotations

from webapp.core import jsontext
from webapp.core.failures.actions import read_actions
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.endpoints import Endpoint
from webapp.runs import Run

register(
    {
        "confirmation-missing": Text(
            "{endpoint} ({place}) is written to only with the table's name, typed.",
            "Type the table's name, {table}, to confirm.",
        ),
        "confirmation-differs": Text(
            "“{given}” is not the table that this writes to at {endpoint} ({place}).",
            "Type the table's name, {table}, to confirm.",
        ),
    }
)


def check_confirmation(endpoint: Endpoint, table: str, given: object, problems: Problems) -> None:
    """Note at ``/confirm`` what is missing for a table to be written to; nothing for local ones."""
    if endpoint.is_local or (table and given == table):
        return
    code = "confirmation-differs" if given else "confirmation-missing"
    problems.add(
        code,
        "/confirm",
        endpoint=endpoint.name,
        place=endpoint.place,
        table=excerpt(table),
        given=excerpt(given),
    )


def first_table(run: Run) -> str:
    """The table whose name confirms a run: that of the first action, the record's; "" for none."""
    actions = read_actions(jsontext.parsed(run.text))
    return actions[0].table if actions else ""
