"""Trying the operation on an item that somebody pasted.

Rule: the answers are the core's, for the request that is shown; the item is read as typed JSON when
all its values are typed, else as plain JSON, and ``null`` is an item that does not exist. The
reason: an item is at hand in either form, and whether a condition holds is best seen on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from webapp.core.expressions.applying import apply
from webapp.core.expressions.evaluate import Item, holds
from webapp.core.expressions.nodes import as_condition, as_update
from webapp.core.expressions.operations import Request
from webapp.core.expressions.operators import Kind
from webapp.core.jsontext import pretty, read_json
from webapp.core.problems import Problem, Problems, Refused, Text, excerpt, register
from webapp.core.values import ROOT, TAGS, read_plain, read_typed
from webapp.web.highlight import MOST_SHOWN, highlighted
from webapp.web.texts import gettext, lazy_gettext, say

register(
    {
        "form-sample": Text(
            "{given} is no item.",
            "Paste an object of attributes, as typed or plain JSON, or null for no item.",
        ),
    }
)

NO_CODE = Markup()


@dataclass(frozen=True, slots=True)
class Sample:
    """An item, or ``None`` for one that does not exist."""

    item: Item | None


@dataclass(frozen=True, slots=True)
class Trial:
    """What one expression says of the item: in words, good or bad, and the item it leaves."""

    kind: Kind
    said: str
    tone: str
    hint: str = ""
    after: Markup = NO_CODE


ANSWERS = {
    ("key_condition", True): lazy_gettext("The Query reads this item."),
    ("key_condition", False): lazy_gettext("The Query does not read this item."),
    ("filter", True): lazy_gettext("The filter keeps this item."),
    ("filter", False): lazy_gettext("The filter drops this item; reading it is paid for."),
    ("condition", True): lazy_gettext("The condition holds: it is written."),
    ("condition", False): lazy_gettext("The condition does not hold: nothing is written."),
}


def read_sample(text: str) -> Sample | None:
    """The item that a text spells; ``None`` for a blank one. Raises ``Refused``."""
    if not text.strip():
        return None
    document = read_json(text)
    if document is None:
        return Sample(None)
    if isinstance(document, dict) and document.keys() == {"Item"}:
        document = document["Item"]
    problems = Problems()
    if not isinstance(document, dict):
        problems.add("form-sample", "", given=excerpt(document))
    item = {} if problems else _item(document, problems)
    problems.refuse()
    return Sample(item)


def _item(document: Mapping[str, Any], problems: Problems) -> Item:
    read = read_typed if all(map(_is_typed, document.values())) else read_plain
    values = {name: read(value, ROOT, problems) for name, value in document.items()}
    return {name: value.wire for name, value in values.items() if value is not None}


def _is_typed(value: object) -> bool:
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)) in TAGS


def try_on(request: Request, sample: Sample) -> tuple[Trial, ...]:
    """What each expression of a request says of the item."""
    trials = []
    for kind, tree in request.trees.items():
        if kind == "update":
            trials.append(_updated(request, sample))
        elif kind != "projection":
            is_true = holds(as_condition(tree), sample.item or {})
            tone = "good" if is_true else "bad"
            trials.append(Trial(kind, gettext(ANSWERS[kind, is_true]), tone))
    return tuple(trials)


def _updated(request: Request, sample: Sample) -> Trial:
    key = {name: value.wire for name, value in request.maps["key"].items()}
    after = apply(as_update(request.trees["update"]), sample.item, key)
    if isinstance(after, Problem):
        said = say(after)
        return Trial("update", said.message, "bad", said.hint)
    code = highlighted(pretty(after)[:MOST_SHOWN])
    return Trial("update", gettext("The update leaves this item:"), "good", after=code)


def faults(refused: Refused) -> tuple[Problem, ...]:
    """The problems of a sample that cannot be read, at its control."""
    return tuple(Problem(p.code, "/sample", p.params) for p in refused.problems)
