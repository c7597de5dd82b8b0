"""Text areas that hold JSON: read like any document, with problems told by their lines.

Rule: a pasted text is a member of the document that the core reads, so a problem's pointer leads to
its text area and, inside it, to a line. The reason: a person sees the text that was pasted and
knows nothing of pointers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from webapp.core.jsontext import read_json
from webapp.core.lines import lines_of
from webapp.core.problems import Problem, Refused
from webapp.web.result import Notice
from webapp.web.texts import gettext, say


class Pasted(NamedTuple):
    """A text area: its control, its label, its text, and the member that the text is."""

    control: str
    label: str
    text: str
    member: str

    @property
    def is_blank(self) -> bool:
        """Whether nothing was pasted."""
        return not self.text.strip()

    @property
    def at(self) -> str:
        """The pointer of the member in the document that the core reads."""
        return f"/{self.member}"


def read_pasted(pasted: Pasted, problems: list[Problem]) -> dict[str, Any]:
    """The member that a text area gives; {} for a blank one, or for no JSON with that noted."""
    if pasted.is_blank:
        return {}
    try:
        return {pasted.member: read_json(pasted.text)}
    except Refused as refused:
        problems.extend(Problem(p.code, pasted.at + p.path, p.params) for p in refused.problems)
        return {}


def notices_at(areas: Sequence[Pasted], problems: Sequence[Problem]) -> tuple[Notice, ...]:
    """The problems with their text areas and lines; one that stands nowhere has neither."""
    places = {area.member: (area, lines_in(area, problems)) for area in areas}
    return tuple(_notice(problem, places.get(_member(problem))) for problem in problems)


def lines_in(area: Pasted, problems: Iterable[Problem]) -> Mapping[str, int]:
    """By the paths of problems the lines they stand on in a text area, beyond its whole."""
    inner = {p.path.removeprefix(area.at): p.path for p in problems if _member(p) == area.member}
    inner.pop("", None)
    lines = lines_of(area.text, inner) if inner else {}
    return {path: lines[within] for within, path in inner.items() if within in lines}


def _member(problem: Problem) -> str:
    """The member of the document that a problem stands in."""
    return problem.path.split("/")[1] if problem.path else ""


def _notice(problem: Problem, place: tuple[Pasted, Mapping[str, int]] | None) -> Notice:
    said = say(problem)
    if place is None:
        return Notice("", "", said.message, said.hint)
    area, lines = place
    line = problem.params.get("line") or lines.get(problem.path)
    label = gettext("%(label)s, line %(line)s", label=area.label, line=line) if line else area.label
    return Notice(area.control, label, said.message, said.hint)


def notes_under(notices: Iterable[Notice]) -> Mapping[str, str]:
    """What stands under each text area: all its problems."""
    notes: dict[str, list[str]] = {}
    for notice in notices:
        notes.setdefault(notice.control, []).append(f"{notice.message} {notice.hint}".strip())
    return {control: "\n".join(said) for control, said in notes.items() if control}
