"""A page into which documents are pasted: what stands in its text areas, and what they come to.

Rule: a page says which text areas it has and what it finds in them; everything else is said here,
once. What was pasted stands there again as it was, and the answer is made anew from it. The reason:
a paste must fare alike on every page, whatever it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Response, request

from webapp.core.problems import Problem
from webapp.web import htmx
from webapp.web.examples import Example
from webapp.web.explanation import ExplanationView
from webapp.web.forms import sent
from webapp.web.navigation import Frame, frame
from webapp.web.pasted import Pasted, notes_under, notices_at
from webapp.web.report import ReportView
from webapp.web.responses import respond
from webapp.web.result import Notice
from webapp.web.texts import ngettext

Texts = Mapping[str, str]
"""What stands in the text areas, by their names, exactly as it was pasted."""


@dataclass(frozen=True, slots=True)
class Result:
    """The right side of the page: what was found, or what is missing or cannot be read."""

    bar: str
    is_ready: bool = False
    problems: tuple[Notice, ...] = ()
    open: tuple[Notice, ...] = ()
    found: ReportView | ExplanationView | None = None


@dataclass(frozen=True, slots=True)
class View:
    """Everything the page shows."""

    frame: Frame
    texts: Texts
    result: Result
    notes: Mapping[str, str]
    cleared: tuple[str, ...]
    examples: tuple[Example, ...]
    focus: str | None
    is_posted: bool
    is_update: bool
    said_before: str

    @property
    def is_one_line(self) -> bool:
        """Whether the text in the first area could be laid out in lines."""
        first = next(iter(self.texts.values()))
        return "\n" not in first.strip() and len(first) > 80


@dataclass(frozen=True, slots=True)
class PastingPage:
    """One such page: its name, the labels of its text areas, and what is said while it is empty.

    The first text area is the one that has to be filled; ``wanted`` asks for it.
    """

    name: str
    labels: Mapping[str, str]
    empty: str
    wanted: str

    @property
    def first(self) -> str:
        """The name of the text area that has to be filled."""
        return next(iter(self.labels))

    def pasted(self) -> dict[str, str]:
        """What stands in the text areas of the form that was sent."""
        return {name: sent_text(name) for name in self.labels}

    def area(self, control: str, texts: Texts, member: str) -> Pasted:
        """A text area whose text is the ``member`` of the document that the core reads."""
        return Pasted(control, str(self.labels[control]), texts[control], member)

    def blank(self) -> tuple[Texts, Result]:
        """The page as it is before anything is pasted."""
        return dict.fromkeys(self.labels, ""), Result(str(self.empty))

    def missing(self) -> Result:
        """That the first text area has to be filled."""
        wanted = Notice(self.first, str(self.labels[self.first]), str(self.wanted), "")
        return Result(str(self.empty), open=(wanted,))

    def shown(self, texts: Texts, result: Result, examples: tuple[Example, ...] = ()) -> Response:
        """The page, or the part that htmx asked for."""
        parts = {
            "result": f"partials/{self.name}_update.html",
            "work": f"partials/{self.name}_form.html",
        }
        status = 422 if result.problems or result.open else 200
        view = self._view(texts, result, examples)
        return respond(view, f"pages/{self.name}.html", parts, status)

    def _view(self, texts: Texts, result: Result, examples: tuple[Example, ...]) -> View:
        notes = notes_under(result.problems)
        return View(
            frame=frame(sent()),
            texts=texts,
            result=result,
            notes=notes,
            cleared=tuple(name for name in sent().cleared(notes) if name in self.labels),
            examples=examples,
            focus=None if texts[self.first] else self.first,
            is_posted=request.method == "POST",
            is_update=htmx.wanted_part(request) == "result",
            said_before=sent().text("said"),
        )


def sent_text(name: str) -> str:
    """What a text area holds; a browser sends line ends as CR LF, a text area has LF."""
    return sent().text(name).replace("\r\n", "\n")


def refused(areas: Sequence[Pasted], problems: Sequence[Problem]) -> Result:
    """What is wrong with what was pasted, each problem at its text area and line."""
    bar = ngettext("%(num)s problem", "%(num)s problems", len(problems))
    return Result(bar, problems=notices_at(areas, problems))
