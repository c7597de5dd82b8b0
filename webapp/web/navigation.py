"""The pages, and the frame that every page has.

Rule: a page that exists is one row of ``PAGES``; the frame is one frozen view. The reason: a link
to a page that is not there is a broken promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from flask import current_app, request

from webapp.web.assets import Assets
from webapp.web.settings import Settings
from webapp.web.texts import lazy_gettext


class Page(NamedTuple):
    """One page: the endpoint of its view function, and its name in the navigation."""

    endpoint: str
    name: str


PAGES = (
    Page("transaction.page", lazy_gettext("Transaction")),
    Page("expressions.page", lazy_gettext("Expressions")),
    Page("table.page", lazy_gettext("Tables")),
    Page("check.page", lazy_gettext("Check")),
    Page("explain.page", lazy_gettext("Explain")),
    Page("race.page", lazy_gettext("Race")),
    Page("reference.page", lazy_gettext("Reference")),
)

THEMES = {
    "": lazy_gettext("Automatic"),
    "light": lazy_gettext("Light"),
    "dark": lazy_gettext("Dark"),
}
THEME_COOKIE = "theme"
YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Where:
    """Where a run would go: the endpoint's name and its address."""

    name: str
    place: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds every page; a part of one needs little of it."""

    here: str
    theme: str
    settings: Settings
    assets: Assets

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages there are."""
        return PAGES

    @property
    def targets(self) -> tuple[Where, ...]:
        """Where a run would go."""
        return tuple(
            Where(name, short_place(target.endpoint.place))
            for name, target in self.settings.targets.items()
        )


def frame(theme: str | None = None) -> Frame:
    """The frame of the page that is being answered; ``theme`` is one that was chosen just now."""
    held = current_app.extensions
    return Frame(
        here=request.endpoint or "",
        theme=known_theme(request.cookies.get(THEME_COOKIE) if theme is None else theme),
        settings=held["lockwright"],
        assets=held["assets"],
    )


def known_theme(chosen: str | None) -> str:
    """The colours that were chosen; "", the system's, for anything unknown."""
    return chosen if chosen in THEMES else ""


def short_place(place: str) -> str:
    """An address without its scheme."""
    return place.partition("://")[2] or place
