"""Leave to write: what a visitor must say before anything is written to AWS.

Rule: local engines are written to at a press; AWS only where the operator allowed it at the start,
and only with the name of every table that is written typed by whoever presses. Reading needs
neither, and a ConditionCheck only reads. The reason: the same button in the same place must not
write to a real table because somebody forgot where they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.core import jsontext
from webapp.core.failures.actions import read_actions
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.endpoints import Endpoint

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
        "confirmations-missing": Text(
            "{endpoint} ({place}) is written to only with the names of all its tables, typed.",
            "Type the names of the tables, {table}, to confirm.",
        ),
        "confirmations-differ": Text(
            "“{given}” are not the tables that this writes to at {endpoint} ({place}).",
            "Type the names of the tables, {table}, to confirm.",
        ),
    }
)


READ_ONLY = frozenset({"ConditionCheck"})
_BETWEEN_NAMES = re.compile(r"[,\s]+")


def check_confirmation(
    endpoint: Endpoint, tables: Sequence[str], given: object, problems: Problems
) -> None:
    """Note at ``/confirm`` what is missing for tables to be written to; nothing for local ones.

    The name of one table is given as it is, several in any order, with commas or blanks between
    them. Without a table nothing confirms.
    """
    if endpoint.is_local or _is_confirmed(tables, given):
        return
    problems.add(
        _code(is_one=len(tables) <= 1, is_missing=not given),
        "/confirm",
        endpoint=endpoint.name,
        place=endpoint.place,
        table=excerpt(", ".join(tables)),
        given=excerpt(given),
    )


def _is_confirmed(tables: Sequence[str], given: object) -> bool:
    if not isinstance(given, str) or not all(tables):
        return False
    if len(tables) == 1:
        return given == tables[0]
    names = _BETWEEN_NAMES.split(given.strip(", \t\n"))
    return bool(tables) and set(names) == set(tables)


def _code(*, is_one: bool, is_missing: bool) -> str:
    if is_one:
        return "confirmation-missing" if is_missing else "confirmation-differs"
    return "confirmations-missing" if is_missing else "confirmations-differ"


def written_tables(text: bytes) -> tuple[str, ...]:
    """The tables that a TransactWriteItems request (JSON text) writes, each once, in its order.

    Those that it reads where it writes none; none for a request that nobody can read.
    """
    actions = read_actions(jsontext.parsed(text)) or ()
    written = [action for action in actions if action.kind not in READ_ONLY]
    return tuple(dict.fromkeys(action.table for action in written or actions))
