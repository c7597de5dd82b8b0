"""The core's texts in the visitor's language.

Rule: a problem is translated by its code and its parameters, never by its English sentence; what
was given stands in the sentence as text and is not read as a template again. The reason: the core
knows no language, and one table of sources serves every catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass

import flask_babel

from webapp.answers import TROUBLES, Trouble
from webapp.core.problems import TEXTS, Problem

lazy_gettext = flask_babel.lazy_gettext


def gettext(text: str, **params: object) -> str:
    """``text`` in the visitor's language, with ``%(name)s`` filled in."""
    return str(flask_babel.gettext(text, **params))


def ngettext(one: str, many: str, num: int) -> str:
    """``one`` or ``many`` as the visitor's language counts ``num`` (``%(num)s`` in the text)."""
    return str(flask_babel.ngettext(one, many, num))


@dataclass(frozen=True, slots=True)
class Said:
    """What is wrong and what to do, in the visitor's language."""

    message: str
    hint: str


def say(problem: Problem) -> Said:
    """The texts of a problem."""
    text = TEXTS[problem.code]
    return Said(
        gettext(text.message).format_map(problem.params),
        gettext(text.hint).format_map(problem.params),
    )


def say_trouble(trouble: Trouble) -> Said:
    """The texts of a trouble with an endpoint."""
    text = TROUBLES[trouble.code]
    return Said(
        gettext(text.message).format_map(trouble.params),
        gettext(text.hint).format_map(trouble.params),
    )
