"""Looking at an endpoint: what it has of a design's tables, and the one that was asked for.

Rule: a look is made anew for each page and keeps nothing; what could not be had is a trouble beside
what could. The reason: whoever may describe a table need not be allowed to list them all, and an
endpoint that does not answer must not be asked again and again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webapp.answers import Trouble, Unavailable
from webapp.catalog import Catalog, described, expires_by
from webapp.core.planning.design import Design
from webapp.core.planning.tables import (
    DesignTable,
    RealTable,
    compare,
    read_table,
    remarks,
    tables_of,
)
from webapp.core.problems import Problem, Refused
from webapp.core.tablenames import is_table_name
from webapp.core.values import ROOT, Where
from webapp.web.result import Result
from webapp.web.settings import Target

AT = Where(ROOT, "design")
"""Where the design stands in the document that a draft is written as."""

ONE_OPERATION = frozenset({"access-denied", "read-rejected"})
"""Troubles of one operation or table; any other is the endpoint's, and ends the look."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a form asked for: the draft that travels along, the endpoint, the table."""

    result: Result
    target: Target | None
    table: str = ""
    other: str = ""
    made: tuple[str, ...] | None = None
    trouble: Trouble | None = None

    @property
    def design(self) -> Design | None:
        """The draft's design, where it is in order."""
        planner = self.result.planner
        return planner.design if planner else None

    @property
    def wanted(self) -> tuple[DesignTable, ...]:
        """The tables of the design."""
        return tables_of(self.design, AT) if self.design else ()

    @property
    def is_misnamed(self) -> bool:
        """Whether the name that was typed cannot be that of a table."""
        return bool(self.other) and not is_table_name(self.other)


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen.

    ``found`` maps the names of the design's tables to their descriptions, ``None`` for one that is
    not there; it is empty where nobody could tell. ``table`` is the one that was asked for.
    """

    names: tuple[str, ...] = ()
    unlisted: Trouble | None = None
    found: Mapping[str, dict[str, Any] | None] = field(default_factory=dict)
    table: RealTable | None = None
    expires_by: str | None = None
    remarks: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    trouble: Trouble | None = None


def look(catalog: Catalog, wanted: tuple[DesignTable, ...], asked: str) -> Sight:
    """List the tables, describe those that a design wants, and the one that is asked for.

    Without one (``""``) the first that the design wants is taken. Never raises for the endpoint.
    """
    names: tuple[str, ...] = ()
    unlisted = trouble = None
    found: dict[str, dict[str, Any] | None] = {}
    chosen = Sight()
    try:
        names, unlisted = _list(catalog)
        found = described(catalog, (table.name for table in wanted))
        chosen = _look_at(catalog, asked or _first(found))
    except Unavailable as unavailable:
        trouble = unavailable.trouble
    return Sight(
        names,
        unlisted,
        found,
        chosen.table,
        chosen.expires_by,
        chosen.remarks,
        chosen.problems,
        trouble or chosen.trouble,
    )


def _list(catalog: Catalog) -> tuple[tuple[str, ...], Trouble | None]:
    try:
        return tuple(catalog.tables()), None
    except Unavailable as unavailable:
        if unavailable.trouble.code in ONE_OPERATION:
            return (), unavailable.trouble
        raise


def _first(found: Mapping[str, dict[str, Any] | None]) -> str:
    """The first table of the design that is there; "" for none."""
    return next((name for name, description in found.items() if description is not None), "")


def _look_at(catalog: Catalog, name: str) -> Sight:
    if not name:
        return Sight()
    try:
        table = read_table(catalog.describe(name))
    except Refused as refused:
        return Sight(problems=refused.problems)
    attribute = expires_by(catalog, name)
    return Sight(table=table, expires_by=attribute, remarks=remarks(table, attribute))


def differences(asked: Asked, sight: Sight) -> tuple[Problem, ...]:
    """Where the design differs from its tables; nothing where they could not be described."""
    if asked.design is None or not sight.found:
        return ()
    return compare(asked.design, sight.found, AT)


def misfits(catalog: Catalog, design: Design) -> tuple[Problem, ...]:
    """Where a design differs from the tables of an endpoint; nothing where nobody can tell."""
    try:
        found = described(catalog, (table.name for table in tables_of(design, AT)))
    except Unavailable:
        return ()
    return compare(design, found, AT)
