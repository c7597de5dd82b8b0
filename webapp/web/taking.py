"""A real table's keys, taken into the draft of the form.

Rule: only what says where items live is replaced; templates and rules stay as they were typed, and
the core says at their fields what no longer fits. The reason: a template was thought of, a key
layout was looked up.
"""

from __future__ import annotations

from dataclasses import replace

from webapp.core.planning.design import DEFAULT_LOCK_SORT
from webapp.core.planning.tables import RealTable
from webapp.web.draft import Draft, KeyColumn, Keys


def with_keys(draft: Draft, table: RealTable) -> Draft:
    """The draft with the name and the key layout of a table; its records live there then."""
    taken = replace(draft, table=_draft_keys(table))
    return taken if draft.locks.own_table else _with_lock_sort(taken, table)


def with_lock_keys(draft: Draft, table: RealTable) -> Draft:
    """The draft with a table for its locks alone."""
    locks = replace(draft.locks, own_table=True, table=_draft_keys(table))
    return _with_lock_sort(replace(draft, locks=locks), table)


def _draft_keys(table: RealTable) -> Keys:
    sort = table.schema.sort
    return Keys(
        table.name,
        KeyColumn(table.schema.partition.name, table.schema.partition.type),
        KeyColumn(sort.name, sort.type) if sort else KeyColumn("", ""),
    )


def _with_lock_sort(draft: Draft, table: RealTable) -> Draft:
    """The usual sort template of locks in the sort key's type; one that was thought of is kept."""
    templates, sort = draft.locks.templates, table.schema.sort
    if sort is None or templates.sort not in {"", *DEFAULT_LOCK_SORT.values()}:
        return draft
    templates = replace(templates, sort=DEFAULT_LOCK_SORT[sort.type])
    return replace(draft, locks=replace(draft.locks, templates=templates))
