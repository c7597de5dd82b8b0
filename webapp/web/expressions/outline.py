"""The controls of a form as an outline: a name like ``actions/0/filter/1`` is a place in it.

Rule: an outline can be made from whatever a browser sends and keeps every text; buttons add, remove
and move whole branches without knowing what stands in them. The reason: conditions stand in
conditions to any depth, and a move must take along everything that was typed below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

Pair = tuple[str, str]

LONGEST_NAME = 300
DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Outline:
    """One control's text, if it has one, and the controls whose names begin with its name."""

    text: str | None = None
    inner: dict[str, Outline] = field(default_factory=dict)

    def at(self, name: str) -> Outline:
        """The outline under a relative name; an empty one where there is none."""
        here = self
        for part in name.split("/"):
            here = here.inner.get(part, _NOTHING)
        return here

    def text_at(self, name: str, otherwise: str = "") -> str:
        """The text of the control of a relative name."""
        text = self.at(name).text
        return otherwise if text is None else text

    def rows(self) -> list[str]:
        """The numbers directly below, in order."""
        return sorted((part for part in self.inner if is_number(part)), key=int)

    def pairs(self, name: str = "") -> Iterator[Pair]:
        """The controls with their texts, as a browser sends them."""
        if self.text is not None:
            yield name, self.text
        for part, below in self.inner.items():
            yield from below.pairs(f"{name}/{part}" if name else part)

    def pairs_but(self, name: str, shown: Iterable[str]) -> tuple[Pair, ...]:
        """The controls below that are not ``shown`` and hold a text."""
        known = set(shown)
        rest = {part: below for part, below in self.inner.items() if part not in known}
        return tuple(pair for pair in Outline(None, rest).pairs(name) if pair[1])

    def with_at(self, name: str, branch: Outline | None) -> Outline:
        """A new outline with the branch at a relative name; ``None`` takes away what is there."""
        part, _, rest = name.partition("/")
        below = self.inner.get(part, _NOTHING).with_at(rest, branch) if rest else branch
        inner = {**self.inner, part: below} if below is not None else _without(self.inner, part)
        return replace(self, inner=inner)

    def numbered(self) -> Outline:
        """The same with the rows at each place numbered from 0 without gaps."""
        numbers = {old: str(new) for new, old in enumerate(self.rows())}
        named = {part: below for part, below in self.inner.items() if part not in numbers}
        rows = {new: self.inner[old] for old, new in numbers.items()}
        return replace(
            self, inner={part: below.numbered() for part, below in {**named, **rows}.items()}
        )


_NOTHING = Outline()


def _without(inner: dict[str, Outline], part: str) -> dict[str, Outline]:
    return {name: below for name, below in inner.items() if name != part}


def is_number(part: str) -> bool:
    """Whether a part of a name is the number of a row."""
    return part.isascii() and part.isdecimal() and len(part) < 7


def read_outline(pairs: Iterable[Pair]) -> Outline:
    """The outline of a form. Never fails: names that no form of ours has are left out.

    A browser sends line ends as CR LF; a text area has LF.
    """
    root: dict[str, Outline] = {}
    for name, text in pairs:
        parts = name.split("/")
        if name and len(name) <= LONGEST_NAME and len(parts) <= DEEPEST:
            _enter(root, parts, text.replace("\r\n", "\n"))
    return Outline(None, root)


def _enter(inner: dict[str, Outline], parts: list[str], text: str) -> None:
    *outer, last = parts
    for part in outer:
        below = inner.get(part)
        if below is None:
            below = inner[part] = Outline()
        inner = below.inner
    known = inner.get(last)
    if known is None or known.text is None:
        inner[last] = Outline(text, known.inner if known else {})
