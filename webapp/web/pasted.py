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
    """The problems with their text areas and lines."""
    lines = {area.member: _lines(area, problems) for area in areas}
    areas_by_member = {area.member: area for area in areas}
    return tuple(_notice(problem, areas_by_member, lines) for problem in problems)


def _inner(area: Pasted, problem: Problem) -> str | None:
    """A problem's pointer inside a text area; ``None`` where it stands elsewhere."""
    inner = problem.path.removeprefix(area.at)
    return inner if problem.path.startswith(area.at) and inner[:1] in {"", "/"} else None


def _lines(area: Pasted, problems: Iterable[Problem]) -> Mapping[str, int]:
    wanted = [inner for problem in problems if (inner := _inner(area, problem))]
    return lines_of(area.text, wanted) if wanted else {}


def _notice(
    problem: Problem, areas: Mapping[str, Pasted], lines: Mapping[str, Mapping[str, int]]
) -> Notice:
    said = say(problem)
    member = problem.path.split("/")[1] if problem.path else ""
    area = areas.get(member)
    if area is None:
        return Notice("", "", said.message, said.hint)
    line = problem.params.get("line") or lines[member].get(_inner(area, problem) or "")
    label = gettext("%(label)s, line %(line)s", label=area.label, line=line) if line else area.label
    return Notice(area.control, label, said.message, said.hint)


def notes_under(notices: Iterable[Notice]) -> Mapping[str, str]:
    """What stands under each text area: its problems, each with its line."""
    notes: dict[str, list[str]] = {}
    for notice in notices:
        notes.setdefault(notice.control, []).append(f"{notice.message} {notice.hint}".strip())
    return {control: "\n".join(said) for control, said in notes.items() if control}
