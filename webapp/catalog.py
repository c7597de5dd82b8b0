"""What an endpoint knows of its tables: listing, describing, and making those of a design.

Rule: looking writes nothing and is asked of one endpoint at a time; only local endpoints make
tables. That a table is not there is an answer; that nobody answers is ``Unavailable``. The reason:
the first is told at a field of the design, the second is about the place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from webapp.answers import Unavailable
from webapp.core.planning.tables import DesignTable

Json = dict[str, Any]


class Catalog(Protocol):
    """The part of a gateway that knows tables. All that asks the service raises ``Unavailable``."""

    @property
    def account(self) -> str | None:
        """The AWS account's number; ``None`` for local endpoints and where it cannot be had."""
        ...

    @property
    def key_id(self) -> str:
        """The access key id that was used last, as it is shown: its end for AWS; "" for none."""
        ...

    def tables(self) -> list[str]:
        """The names of all tables."""
        ...

    def describe(self, table: str) -> Json:
        """A table's description."""
        ...

    def time_to_live(self, table: str) -> str | None:
        """The attribute by whose time items are deleted; ``None`` when there is none."""
        ...

    def create_table(
        self, table: str, partition: tuple[str, str], sort: tuple[str, str] | None = None
    ) -> bool:
        """Make a table on a local endpoint; false when it is there already."""
        ...


def described(catalog: Catalog, names: Iterable[str]) -> dict[str, Json | None]:
    """The description of each table, ``None`` where there is no such table.

    Raises ``Unavailable``.
    """
    return {name: _description(catalog, name) for name in dict.fromkeys(names)}


def _description(catalog: Catalog, name: str) -> Json | None:
    try:
        return catalog.describe(name)
    except Unavailable as unavailable:
        if unavailable.trouble.code == "table-missing":
            return None
        raise


def make(catalog: Catalog, tables: Iterable[DesignTable]) -> tuple[str, ...]:
    """Make the tables that are not there yet; the names of those that were made.

    Raises ``ValueError`` for AWS and ``Unavailable``.
    """
    return tuple(table.name for table in tables if _make(catalog, table))


def _make(catalog: Catalog, table: DesignTable) -> bool:
    partition, *sort = [(key.name, key.type) for key in table.schema.attributes]
    return catalog.create_table(table.name, partition, *sort)


def expires_by(catalog: Catalog, table: str) -> str | None:
    """The attribute of a table's time to live; ``None`` also where that cannot be had."""
    try:
        return catalog.time_to_live(table)
    except Unavailable:
        return None
