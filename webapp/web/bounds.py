"""How large a form can be.

Rule: a form of more rows or controls than a page can show is refused whole, before it is read; a
button or a file that would make one leaves the form as it is. The reason: every row costs some
kilobytes of page and the time to write them, and one form without end keeps the server from
everybody else. The bounds lie above what a transaction of 100 actions needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from werkzeug.exceptions import RequestEntityTooLarge

from webapp.core.limits import ACTIONS
from webapp.core.problems import Problem, Refused, Text, register

HINT = "The form stays as it was. The JSON API and the command line take larger documents."
register(
    {
        "form-records": Text("A form takes {limit:,} records, and this makes {count:,}.", HINT),
        "form-actions": Text("A form takes {limit:,} actions, and this makes {count:,}.", HINT),
        "form-rules": Text("A form takes {limit:,} rules, and this makes {count:,}.", HINT),
        "form-attributes": Text(
            "A form takes {limit:,} rows of attributes, and this makes {count:,}.", HINT
        ),
        "form-rows": Text("A form takes {limit:,} rows, and this makes {count:,}.", HINT),
        "form-controls": Text("A form takes {limit:,} controls, and this makes {count:,}.", HINT),
    }
)

BOUNDS = {
    "form-records": ACTIONS,
    "form-actions": ACTIONS,
    "form-rules": 200,
    "form-attributes": 1_000,
    "form-rows": 2_000,
    "form-controls": 20_000,
}
"""How many of each a form takes; a page at the other bounds sends fewer controls back."""

LISTS = {"changes": "form-records", "actions": "form-actions", "design/unique": "form-rules"}
"""The lists of a form, by the name of their controls."""

LONGEST_NAME = 300


class FormTooLarge(RequestEntityTooLarge):
    """A form that is not read; ``problem`` says of what it holds too many."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def check(code: str, count: int) -> None:
    """Raise ``Refused`` where a form would hold more than it takes of one thing."""
    if count > BOUNDS[code]:
        raise Refused((Problem(code, "", {"count": count, "limit": BOUNDS[code]}),))


def check_names(names: Iterable[str]) -> None:
    """Raise ``Refused`` where the controls of these names are more than a form takes."""
    rows: set[tuple[str, str]] = set()
    controls = 0
    for controls, name in enumerate(names, 1):  # noqa: B007 - the last number is the count
        rows.update(_rows_of(name[:LONGEST_NAME]))
    counts = Counter(counted for _, counted in rows)
    for code in BOUNDS:
        check(code, counts[code] if code != "form-controls" else controls)


def refuse_sent(names: Iterable[str]) -> None:
    """The same for a request that nothing else can be said of. Raises ``FormTooLarge`` (413)."""
    try:
        check_names(names)
    except Refused as refused:
        raise FormTooLarge(refused.problems[0]) from None


def refuse_count(controls: int) -> None:
    """Raise ``FormTooLarge`` for a form of so many controls that they are not looked at."""
    try:
        check("form-controls", controls)
    except Refused as refused:
        raise FormTooLarge(refused.problems[0]) from None


@lru_cache(maxsize=4096)
def _rows_of(name: str) -> tuple[tuple[str, str], ...]:
    """The numbered rows that a control stands in, each with what it counts as.

    The first two operands of a condition come with it and are not counted.
    """
    found = []
    start = 0
    for part in name.split("/"):
        end, outer = start + len(part), name[: max(start - 1, 0)]
        if part.isdecimal() and not (part in {"0", "1"} and outer.endswith("/operands")):
            found.append((name[:end], _counted_as(outer)))
        start = end + 1
    return tuple(found)


def _counted_as(outer: str) -> str:
    usual = "form-attributes" if outer.startswith("changes/") else "form-rows"
    return LISTS.get(outer, usual)
