"""The doors of the core: JSON documents in, plans out, or all problems.

Rule: a document is read once, completely, and everything wrong with it is said at once. The
browser form, the JSON API, the command line and the library come in here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import orjson
from pydantic import Field

from webapp.core import jsontext, shapes
from webapp.core.limits import ACTIONS
from webapp.core.planning import changes
from webapp.core.planning import design as designs
from webapp.core.planning.changes import AnyChange, Change
from webapp.core.planning.design import Design
from webapp.core.planning.keys import Key
from webapp.core.planning.locks import Known
from webapp.core.planning.plan import Plan, Planner
from webapp.core.problems import Problem, Problems, Refused
from webapp.core.values import ROOT, Value, Where, read_typed

read_json = jsontext.read_json
REMEMBERED_DESIGNS = 256
LARGEST_REMEMBERED = 16 * 1024


class RequestShape(shapes.Shape):
    """A plan request as it is read: the design and each change have shapes of their own."""

    design: Any
    changes: Annotated[list[Any], Field(min_length=1)]
    token: str | None = None
    return_existing: bool = False
    values: Literal["typed", "plain"] = "typed"
    secret: str | None = None


class PlanRequestShape(RequestShape):
    """The plan request document with its changes, for the API's schema."""

    changes: Annotated[list[AnyChange], Field(min_length=1)]


class PlanRequest(NamedTuple):
    """A plan request that was read: a planner, its change set, and what is wrong so far."""

    planner: Planner
    changes: Sequence[Change]
    token: str | None
    return_existing: bool
    problems: Sequence[Problem]

    def plan(self) -> Plan:
        """The plan, or ``Refused`` with all problems, those of the reading first."""
        return self.planner.plan(self.changes, self.token, self.return_existing, self.problems)


def plan(document: object, *, secret: str | None = None) -> Plan:
    """The plan that a plan request document asks for, or ``Refused`` with all its problems.

    ``secret`` is the key of hmac-sha256 digests where the document gives none.
    """
    return read_request(document, secret=secret).plan()


def plan_quickly(text: bytes, *, secret: str | None = None) -> Plan | None:
    """The plan that a plan request's JSON text asks for, or ``None`` where it must be read exactly.

    The quick reader makes floats of some numbers. The core refuses every float, so a request that
    comes to a plan held none; another is read again by ``read_json``, and refused in its own words.
    """
    document = jsontext.read_quickly(text)
    if document is None:
        return None
    try:
        return plan(document, secret=secret)
    except Refused:
        return None


def read_request(document: object, *, secret: str | None = None) -> PlanRequest:
    """The plan request that ``document`` describes, with the problems of its changes.

    Raises ``Refused`` where there is no design, or nothing like a plan request, to go on with.
    """
    problems = Problems()
    checked = shapes.check(RequestShape, document, "", problems)
    shape = checked or shapes.rest(RequestShape, document)
    if shape is not None:
        _check_count(shape, problems)
    planner = None
    if isinstance(document, dict) and "design" in document:
        planner = _planner(document["design"], secret, problems)
    read = [] if shape is None else _read_changes(shape, planner, problems)
    if shape is None or planner is None:
        raise Refused(problems)
    if shape.secret:
        planner = Planner(planner.design, shape.secret)
    return PlanRequest(planner, read, shape.token, shape.return_existing, problems)


def _check_count(shape: RequestShape, problems: Problems) -> None:
    """Refuse at once what has too many changes to be looked at one by one."""
    count = len(shape.changes)
    if count > ACTIONS:
        arithmetic = f"{count:,} for records alone"
        params = {"count": count, "limit": ACTIONS, "arithmetic": arithmetic}
        problems.add("too-many-actions", "/changes", **params)
        problems.refuse()


def _read_changes(shape: RequestShape, planner: Planner | None, problems: Problems) -> list[Change]:
    read = changes.READERS[shape.values]
    names = None if planner is None else frozenset(planner.record_keys.names)
    found: list[Change] = []
    for number, document in enumerate(shape.changes):
        where = Where(Where(ROOT, "changes"), number)
        change = changes.shape_of(document, where, problems)
        if change is not None:
            found.append(changes.read_change(change, names, read, where, problems))
    return found


def read_design(document: object) -> Design:
    """The design that ``document`` describes, or ``Refused`` with all its problems."""
    problems = Problems()
    design = designs.read_design(document, ROOT, problems)
    if design is None:
        raise Refused(problems)
    return design


def lock_keys(
    planner: Planner, index: int, known: Known, *, secret: str | None = None
) -> list[dict[str, Any]]:
    """The lock keys that constraint ``index`` of a design gives for attribute values.

    For showing a rule's effect while it is written; a rule that needs a secret gives none without.
    """
    rule = planner.rules[index]
    if rule.needs_secret and not secret:
        return []
    made = (planner.lock_keys[rule.namespace].key(text) for text in rule.texts(known))
    return [key.wire for key in made if isinstance(key, Key)]


def known_values(values: Mapping[str, object]) -> Known:
    """The values that typed JSON spells, by attribute; those that are refused count as absent."""
    return {name: read_quietly(value) for name, value in values.items()}


def read_quietly(document: object) -> Value | None:
    """The value that typed JSON spells, or ``None`` where it spells none."""
    try:
        return read_typed(document, ROOT, Problems())
    except Refused:
        return None


def _planner(document: object, secret: str | None, problems: Problems) -> Planner | None:
    """The planner of a design, remembered by the design's text where it needs no secret."""
    try:
        text = orjson.dumps(document, option=orjson.OPT_PASSTHROUGH_DATACLASS)
    except (TypeError, ValueError):
        text = b""
    if secret or not text or len(text) > LARGEST_REMEMBERED:
        return _read_planner(document, secret, problems)
    found = _remembered(text)
    if isinstance(found, Planner):
        return found
    problems.extend(found)
    return None


@lru_cache(maxsize=REMEMBERED_DESIGNS)
def _remembered(text: bytes) -> Planner | tuple[Problem, ...]:
    problems = Problems()
    return _read_planner(orjson.loads(text), None, problems) or tuple(problems)


def _read_planner(document: object, secret: str | None, problems: Problems) -> Planner | None:
    design = designs.read_design(document, Where(ROOT, "design"), problems)
    return None if design is None else Planner(design, secret)
