"""Document paths: where in an item a value stands, like ``profile.tags[0]``.

Rule: a path is a list of names and list indexes, and a name is literal, whatever characters it
holds: ``["e.mail"]`` and ``["e", "mail"]`` are told apart everywhere. In text, a name with odd
characters stands in double quotes (``profile."e.mail"[0]``; a quote inside is doubled). The reason:
an attribute called ``e.mail`` exists in real tables, and a builder that splits it writes elsewhere.
Source: Amazon DynamoDB Developer Guide, "Referring to item attributes when using expressions".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.core.expressions.places import Placed
from webapp.core.limits import NESTING_LEVELS
from webapp.core.problems import Problems, Text, excerpt, register
from webapp.core.values import Where, name_size

register(
    {
        "path-expected": Text(
            "{given} is no path.",
            'Write a list of names and list indexes, like ["profile", "tags", 0], or a text like '
            "profile.tags[0].",
        ),
        "path-empty": Text("A path needs at least an attribute name.", "Give the attribute."),
        "path-starts-with-index": Text(
            "A path begins with an attribute name, not with a list index.",
            "Put the name of the list before [{index}].",
        ),
        "path-step": Text(
            "{given} is neither a name nor a list index.",
            "Names are texts, list indexes are whole numbers from 0.",
        ),
        "path-text": Text(
            "The path “{given}” cannot be read at character {position}.",
            "Separate names by dots, write indexes as [0], and put a name with odd characters in "
            'double quotes, like profile."e.mail"[0].',
        ),
        "path-too-deep": Text(
            "The path has {count} steps; DynamoDB nests at most {limit} levels.", "Shorten it."
        ),
        "paths-overlap": Text(
            "“{one}” and “{other}” overlap: one is the other, or holds it.",
            "Keep one of them; DynamoDB refuses both in one expression.",
        ),
        "paths-conflict": Text(
            "“{one}” and “{other}” cannot both exist: one place is taken as a map and as a list.",
            "Keep the one that fits the item.",
        ),
    }
)

Step = str | int


@dataclass(frozen=True, slots=True)
class Path(Placed):
    """A document path: names and list indexes; the first step is an attribute's name."""

    steps: tuple[Step, ...]

    @property
    def attribute(self) -> str:
        """The top-level attribute that the path leads into."""
        first = self.steps[0]
        return first if isinstance(first, str) else ""

    @property
    def last_name(self) -> str:
        """The innermost name on the path: what a placeholder for its value is called after."""
        last = self.steps[-1]
        if isinstance(last, str):
            return last
        return next(step for step in reversed(self.steps) if isinstance(step, str))

    @property
    def text(self) -> str:
        """The path as text, with odd names in double quotes; ``read_text`` reads it back."""
        written = "".join(_written(step) for step in self.steps)
        return written[1:]


_PLAIN = re.compile(r"[\w-]+")


def _written(step: Step) -> str:
    return f"[{step}]" if isinstance(step, int) else "." + written_name(step)


def written_name(name: str) -> str:
    """One name as a path's text holds it: in double quotes when it has odd characters."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def read_path(document: object, where: Where, problems: Problems) -> Path | None:
    """Read a path, given as a list of steps or as text, or ``None`` with its problems noted."""
    match document:
        case str():
            steps = _steps_of(document, where, problems)
        case list():
            steps = [
                _step(step, Where(where, index), problems) for index, step in enumerate(document)
            ]
        case _:
            problems.add("path-expected", where.pointer(), given=excerpt(document))
            return None
    whole = tuple(step for step in steps if step is not None)
    if len(whole) < len(steps) or not _is_path(whole, where, problems):
        return None
    return Path(whole, at=where)


def _step(step: object, where: Where, problems: Problems) -> Step | None:
    if isinstance(step, str):
        return None if name_size(step, where, problems) is None else step
    if isinstance(step, int) and not isinstance(step, bool) and step >= 0:
        return step
    problems.add("path-step", where.pointer(), given=excerpt(step))
    return None


def _is_path(steps: tuple[Step, ...], where: Where, problems: Problems) -> bool:
    if not steps:
        problems.add("path-empty", where.pointer())
    elif isinstance(steps[0], int):
        problems.add("path-starts-with-index", where.pointer(), index=steps[0])
    elif len(steps) > NESTING_LEVELS:
        problems.add("path-too-deep", where.pointer(), count=len(steps), limit=NESTING_LEVELS)
    else:
        return True
    return False


_INDEX_DIGITS = 9
_STEP = re.compile(
    rf'\[([0-9]{{1,{_INDEX_DIGITS}}})\]|(?:(?:^|(?<=.)\.)(?:"((?:[^"]|"")+)"|([^."\[\]]+)))',
    re.DOTALL,
)


def _steps_of(text: str, where: Where, problems: Problems) -> list[Step | None]:
    """Read the steps of a path's text; an unquoted name may hold anything but ``. [ ] "``."""
    steps: list[Step | None] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            problems.add("path-text", where.pointer(), given=excerpt(text), position=position)
            return [None]
        index, quoted, plain = match.groups()
        name = quoted.replace('""', '"') if quoted is not None else plain
        steps.append(int(index) if index is not None else _step(name, where, problems))
        position = match.end()
    return steps


def find_clashes(paths: Iterable[Path]) -> list[tuple[str, Path, Path]]:
    """Find the paths that DynamoDB refuses beside an earlier one, in linear time.

    Gives ``(code, path, earlier path)`` with code ``paths-overlap`` or ``paths-conflict``.
    """
    root = _Node()
    clashes = []
    for path in paths:
        clash = _enter(root, path)
        if clash is not None:
            clashes.append((clash[0], path, clash[1]))
    return clashes


class _Node:
    """A place that paths lead to: the path that ends here or first went through, and children."""

    __slots__ = ("children", "first", "is_end")

    def __init__(self, first: Path | None = None) -> None:
        self.children: dict[Step, _Node] = {}
        self.first = first
        self.is_end = False


def _enter(root: _Node, path: Path) -> tuple[str, Path] | None:
    """Enter ``path`` into the tree of paths, or name the earlier path that it clashes with."""
    node, is_new = root, False
    for step in path.steps:
        other = next(iter(node.children), step)
        if node.is_end and node.first:
            return "paths-overlap", node.first
        if isinstance(other, int) is not isinstance(step, int):
            return "paths-conflict", node.children[other].first or path
        is_new = step not in node.children
        node = node.children.setdefault(step, _Node(path))
    if not is_new and node.first:
        return "paths-overlap", node.first
    node.is_end = True
    return None
