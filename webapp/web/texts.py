"""The core's texts in the visitor's language.

Rule: a problem is translated by its code and its parameters, never by its English sentence; what
was given stands in the sentence as text and is not read as a template again. The reason: the core
knows no language, and one table of sources serves every catalogue.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

import flask_babel
from flask import Flask
from markupsafe import Markup, escape

from webapp.answers import TROUBLES, Trouble
from webapp.core.problems import TEXTS, Problem
from webapp.core.sayings import Saying

SOURCE = "en"
_spoken: ContextVar[Translations | None] = ContextVar("spoken", default=None)


class Translations(Protocol):
    """A catalogue of one language."""

    def gettext(self, message: str) -> str:
        """The text in that language."""
        ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The form of the text for ``n``."""
        ...


def speak(app: Flask) -> None:
    """Choose the visitor's language once for each request, and let templates speak it.

    Templates escape what a text says together with what stands in it, so no text is marked safe.
    """
    babel = flask_babel.Babel(app, default_locale=SOURCE)
    app.jinja_env.globals.update(_=gettext, gettext=gettext, ngettext=ngettext, tell=tell)
    with app.app_context():
        languages = {str(locale) for locale in babel.list_translations()}
    if languages > {SOURCE}:
        app.before_request(_choose_language)


def _choose_language() -> None:
    spoken = str(flask_babel.get_locale())
    _spoken.set(None if spoken == SOURCE else flask_babel.get_translations())


class Lazy(str):
    """A text of a table: it is translated each time that it is shown."""

    __slots__ = ()

    def __str__(self) -> str:
        """The text in the visitor's language."""
        return _found(str.__str__(self))

    def __format__(self, how: str) -> str:
        """The text in the visitor's language, in an f-string."""
        return format(str(self), how)

    def __html__(self) -> Markup:
        """The text in the visitor's language, in a template."""
        return escape(str(self))


def lazy_gettext(text: str) -> Lazy:
    """``text`` for a table that is made once, translated where it is shown."""
    return Lazy(text)


def _found(text: str) -> str:
    spoken = _spoken.get()
    return text if spoken is None else spoken.gettext(text)


def _counted(one: str, many: str, num: int) -> str:
    spoken = _spoken.get()
    if spoken is None:
        return one if num == 1 else many
    return spoken.ngettext(one, many, num)


def gettext(text: str, **params: object) -> str:
    """``text`` in the visitor's language, with ``%(name)s`` filled in."""
    return _found(text) % params if params else _found(text)


def ngettext(one: str, many: str, num: int) -> str:
    """``one`` or ``many`` as the visitor's language counts ``num`` (``%(num)s`` in the text)."""
    return _counted(one, many, num) % {"num": num}


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


def tell(text: str) -> str:
    """A text of the core, with the texts that stand in it."""
    if not isinstance(text, Saying) or _spoken.get() is None:
        return text
    parts = [_told(part) for part in text.parts]
    return _found(text.template).format(*parts, **{n: _told(p) for n, p in text.params.items()})


def _told(part: object) -> object:
    return tell(part) if isinstance(part, str) else part


def say_trouble(trouble: Trouble) -> Said:
    """The texts of a trouble with an endpoint."""
    text = TROUBLES[trouble.code]
    return Said(
        gettext(text.message).format_map(trouble.params),
        gettext(text.hint).format_map(trouble.params),
    )
