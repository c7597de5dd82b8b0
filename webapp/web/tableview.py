"""What the page of the tables shows: one frozen view of what was asked for and what was seen.

Rule: a fact of a table is shown in words with what it means here, and a difference at the field of
the design that has to follow. The reason: the page is read by somebody whose transaction was
refused, and who sees neither the table nor the Region that was really asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.core.planning.create_table import Recipe, Surroundings, recipes
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.planning.tables import RealTable
from webapp.core.problems import Problem
from webapp.endpoints import LOCAL_KEY_ID, LOCAL_SECRET, Endpoint
from webapp.web.choices import KEY_TYPES
from webapp.web.draft import pairs_of
from webapp.web.forms import sent
from webapp.web.labels import label_of
from webapp.web.navigation import Frame, frame
from webapp.web.result import Notice, size_text
from webapp.web.result import view_of as shown_by_form
from webapp.web.settings import Target, settings
from webapp.web.sight import Asked, Sight
from webapp.web.taking import with_keys, with_lock_keys
from webapp.web.texts import Said, gettext, ngettext, say, say_trouble
from webapp.web.whereabouts import account_text, identity_of

MOST_LISTED = 1_000

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """An endpoint or a table that can be chosen; ``tag`` says what it is."""

    name: str
    tag: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tables are; "" for what is not known."""

    name: str
    place: str
    region: str
    account: str
    key_id: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the design fits, in a headline and a notice at each field that does not."""

    headline: str
    tone: str
    notices: tuple[Notice, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """A table in words: (name, text) pairs, what is worth knowing, the draft with its keys."""

    name: str
    rows: Pairs
    remarks: tuple[Said, ...]
    taken: Pairs
    taken_for_locks: Pairs


@dataclass(frozen=True, slots=True)
class View:
    """Everything the page shows."""

    frame: Frame
    carried: Pairs
    is_brought: bool
    endpoints: tuple[Choice, ...]
    place: Place | None
    names: tuple[Choice, ...]
    unshown: int
    unlisted: Said | None
    chosen: str
    other: str
    note: str
    troubles: tuple[Said, ...]
    needed: Pairs
    verdict: Verdict | None
    made: str
    missing: int
    may_make: bool
    facts: Facts | None
    recipes: tuple[Recipe, ...]


def view_of(asked: Asked, sight: Sight, problems: tuple[Problem, ...]) -> View:
    """The view of a look, with the ``problems`` that the design has with what was seen."""
    names = sight.names[:MOST_LISTED]
    target, own = asked.target, [table.name for table in asked.wanted]
    chosen = sight.table.name if sight.table else ""
    missing = [problem.code for problem in problems].count("table-absent")
    return View(
        frame=frame(sent()),
        carried=tuple(pairs_of(asked.result.draft)),
        is_brought="design/table" in sent(),
        endpoints=_endpoints(asked),
        place=_place(target) if target else None,
        names=tuple(
            Choice(name, gettext("in the design") if name in own else "", name == chosen)
            for name in names
        ),
        unshown=len(sight.names) - len(names),
        unlisted=say_trouble(sight.unlisted) if sight.unlisted else None,
        chosen=chosen,
        other=asked.other,
        note=_note(asked),
        troubles=tuple(_troubles(sight)),
        needed=tuple((table.name, _keys_text(table.schema)) for table in asked.wanted),
        verdict=_verdict(asked, sight, problems),
        made=_made_text(asked.made),
        missing=missing,
        may_make=missing > 0 and target is not None and _has_button(target),
        facts=_facts(asked, sight),
        recipes=recipes_of(asked) if asked.design else (),
    )


def _troubles(sight: Sight) -> Iterable[Said]:
    """What forbids to show a table: the endpoint's trouble, a description that nobody can read."""
    if sight.trouble is not None:
        yield say_trouble(sight.trouble)
    yield from map(say, sight.problems)


def _endpoints(asked: Asked) -> tuple[Choice, ...]:
    return tuple(
        Choice(name, target.endpoint.place, target is asked.target)
        for name, target in settings().targets.items()
    )


def _place(target: Target) -> Place:
    endpoint, identity = target.endpoint, identity_of(target)
    return Place(
        name=endpoint.name,
        place=endpoint.url or "",
        region=endpoint.region,
        account=account_text(identity),
        key_id=identity.key_id,
    )


def _note(asked: Asked) -> str:
    if not asked.is_misnamed:
        return ""
    said = say(Problem("table-name", "", {"given": asked.other[:80]}))
    return f"{said.message} {said.hint}"


def _made_text(made: tuple[str, ...] | None) -> str:
    if made is None:
        return ""
    if not made:
        return gettext("Nothing was made: the tables were there already.")
    return gettext("Made: %(names)s.", names=", ".join(made))


def _verdict(asked: Asked, sight: Sight, problems: tuple[Problem, ...]) -> Verdict | None:
    """What is to be said of the design; nothing where its tables could not be looked at."""
    if asked.design is None:
        shown = shown_by_form(asked.result)
        unfit = (*shown.problems, *shown.open)
        notices = tuple(notice for notice in unfit if notice.control.startswith("design/"))
        return Verdict(gettext("The design is not in order yet"), "unsure", notices)
    if asked.target is None or not sight.found:
        return None
    if problems:
        notices = tuple(_notice(problem, asked) for problem in problems)
        return Verdict(_headline(problems), "bad", notices, _remedy(asked, problems))
    return Verdict(gettext("The design fits"), "good")


def _headline(problems: tuple[Problem, ...]) -> str:
    count = len(problems)
    if all(problem.code == "table-absent" for problem in problems):
        return ngettext("The table is not there", "%(num)s tables are not there", count)
    return ngettext(
        "The design differs in %(num)s place", "The design differs in %(num)s places", count
    )


def _remedy(asked: Asked, problems: tuple[Problem, ...]) -> str:
    """Why a table that is surely there may not be seen: other Region, other keys."""
    if asked.target is None or all(problem.code != "table-absent" for problem in problems):
        return ""
    place = _place(asked.target)
    where = {"place": asked.target.endpoint.place, "region": place.region, "key_id": place.key_id}
    if not asked.target.endpoint.is_local:
        return gettext(
            "Looked for at %(place)s with key id %(key_id)s: a table of another Region or account "
            "is not seen from there.",
            **where,
        )
    return gettext(
        "Looked for at %(place)s with Region %(region)s and key id %(key_id)s. A local engine "
        "keeps separate tables for each Region and key id: use these in your other tools too, or "
        "start the engine with its shared store (DynamoDB Local: the option sharedDb).",
        **where,
    )


def _notice(problem: Problem, asked: Asked) -> Notice:
    control = asked.result.written.control(problem.path) or ""
    said = say(problem)
    return Notice(control, label_of(control, asked.result.draft), said.message, said.hint)


def _facts(asked: Asked, sight: Sight) -> Facts | None:
    if sight.table is None:
        return None
    draft, table = asked.result.draft, sight.table
    taken, for_locks = with_keys(draft, table), with_lock_keys(draft, table)
    return Facts(
        name=table.name,
        rows=tuple(_rows(table, sight.expires_by, is_counted_late=not _is_local(asked))),
        remarks=tuple(say(remark) for remark in sight.remarks),
        taken=tuple(pairs_of(taken)) if taken.table != draft.table else (),
        taken_for_locks=tuple(pairs_of(for_locks))
        if draft.locks.own_table and for_locks.locks.table != draft.locks.table
        else (),
    )


def _is_local(asked: Asked) -> bool:
    return asked.target is not None and asked.target.endpoint.is_local


def _rows(
    table: RealTable, expires_by: str | None, *, is_counted_late: bool
) -> Iterable[tuple[str, str]]:
    yield gettext("Status"), table.status
    yield gettext("Partition key"), _key_text(table.schema.partition)
    sort = table.schema.sort
    yield gettext("Sort key"), _key_text(sort) if sort else gettext("none")
    for index in table.indexes:
        keys = ", ".join(map(_key_text, index.keys))
        kind = gettext("Global index") if index.kind == "global" else gettext("Local index")
        yield kind, f"{index.name}: {keys}"
    yield gettext("Capacity"), _capacity(table)
    if table.items is not None and table.size is not None:
        held = _size(table.items, table.size)
        late = gettext("%(held)s, counted every few hours", held=held)
        yield gettext("Holds"), late if is_counted_late else held
    if expires_by:
        yield gettext("Time to live"), expires_by


def _capacity(table: RealTable) -> str:
    if table.units is None:
        return gettext("on demand")
    reads, writes = table.units
    return gettext(
        "provisioned: %(reads)s read units, %(writes)s write units", reads=reads, writes=writes
    )


def _size(items: int, size: int) -> str:
    counted = ngettext("%(num)s item", "%(num)s items", items)
    return f"{counted}, {size_text(size)}"


def _keys_text(schema: KeySchema) -> str:
    return ", ".join(map(_key_text, schema.attributes))


def _key_text(key: KeyAttribute) -> str:
    return f"{key.name} ({KEY_TYPES.get(key.type, key.type)})"


def recipes_of(asked: Asked) -> tuple[Recipe, ...]:
    """The ways to make the tables of the design at the endpoint, or anywhere without one.

    Where a button makes them, at local endpoints, the ways are those of other places.
    """
    if asked.target is None or _has_button(asked.target):
        return recipes(asked.wanted, Surroundings())
    endpoint = asked.target.endpoint
    deploy_at = Surroundings() if endpoint.is_local else None
    return recipes(asked.wanted, _surroundings(endpoint), deploy_at)


def _has_button(target: Target) -> bool:
    """Whether tables can be made at an endpoint from here: a local one that may be written to."""
    return target.endpoint.is_local and settings().may_write(target)


def _surroundings(endpoint: Endpoint) -> Surroundings:
    """Options with which the AWS CLI sees the very tables that Lockwright sees there."""
    region = ("--region", endpoint.region)
    if endpoint.url is None:
        return Surroundings(
            (*region, *(("--profile", endpoint.profile) if endpoint.profile else ()))
        )
    keys = {"AWS_ACCESS_KEY_ID": LOCAL_KEY_ID, "AWS_SECRET_ACCESS_KEY": LOCAL_SECRET}
    return Surroundings(("--endpoint-url", endpoint.url, *region), keys)
