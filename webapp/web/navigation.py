"""The pages, and the frame that every page has.

Rule: a page that exists is one row of ``PAGES``; the frame is one frozen view. The reason: a link
to a page that is not there is a broken promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from flask import Request, current_app
from flask.globals import request_ctx

from webapp.web.assets import Assets
from webapp.web.forms import Form
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

    asked: Request
    chosen: str | None
    settings: Settings
    assets: Assets

    @property
    def here(self) -> str:
        """The endpoint of the page's view function."""
        return self.asked.endpoint or ""

    @property
    def theme(self) -> str:
        """The colours that were chosen just now or earlier."""
        earlier = self.asked.cookies.get(THEME_COOKIE)
        return known_theme(earlier if self.chosen is None else self.chosen)

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


def frame(form: Form | None = None) -> Frame:
    """The frame of the page that is being answered; ``form`` may hold colours, chosen just now."""
    held = current_app.extensions
    chosen = form.text(THEME_COOKIE) if form and THEME_COOKIE in form else None
    return Frame(request_ctx.request, chosen, held["lockwright"], held["assets"])


def known_theme(chosen: str | None) -> str:
    """The colours that were chosen; "", the system's, for anything unknown."""
    return chosen if chosen in THEMES else ""


def short_place(place: str) -> str:
    """An address without its scheme."""
    return place.partition("://")[2] or place
