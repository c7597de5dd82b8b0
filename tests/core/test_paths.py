"""Paths as text, and paths that cannot stand beside each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.expression_trees import paths
from webapp.core.expressions.paths import Path, Step, find_clashes, read_path
from webapp.core.problems import Problems
from webapp.core.values import Where

TEXTS: list[tuple[str, tuple[Step, ...]]] = [
    ("a", ("a",)),
    ("profile.tags[0]", ("profile", "tags", 0)),
    ('profile."e.mail"[0]', ("profile", "e.mail", 0)),
    ("a[0][1].b", ("a", 0, 1, "b")),
    ('"a"."b"', ("a", "b")),
    ('"say ""hi"""', ('say "hi"',)),
    ('"tags[0]"', ("tags[0]",)),
    ("first-name", ("first-name",)),
    ("_type", ("_type",)),
    ("na\u00efve.\u540d", ("na\u00efve", "\u540d")),
    ("a b", ("a b",)),
]


@pytest.mark.parametrize(("text", "steps"), TEXTS, ids=[text for text, _ in TEXTS])
def test_text_spells_the_steps(text: str, steps: tuple[Step, ...]) -> None:
    problems = Problems()
    path = read_path(text, Where(None, "path"), problems)
    assert problems == []
    assert path is not None
    assert path.steps == steps


@pytest.mark.parametrize(
    "text", ["", ".a", "a.", "a..b", "a[", "a[x]", "a[-1]", 'a"b', '"a', "a]", '""', "[0]", "a[0]b"]
)
def test_text_that_is_no_path(text: str) -> None:
    problems = Problems()
    assert read_path(text, Where(None, "path"), problems) is None
    assert len(problems) == 1


@given(st.text(max_size=30))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    problems = Problems()
    path = read_path(text, Where(None, "path"), problems)
    assert (path is None) is bool(problems)


CLASHES = [
    ("a, a", "paths-overlap"),
    ("a.b, a.b", "paths-overlap"),
    ("a, a.b", "paths-overlap"),
    ("a.b, a", "paths-overlap"),
    ("a.b.c.d, a.b", "paths-overlap"),
    ("a[1], a[1][1]", "paths-overlap"),
    ("a.b, a[1]", "paths-conflict"),
    ("a[1], a.b", "paths-conflict"),
    ("a.b.c, a.b[2]", "paths-conflict"),
    ("a, b", None),
    ("a.b, a.c", None),
    ("a[1], a[2]", None),
    ("a.b, a.c[2]", None),
]


@pytest.mark.parametrize(("texts", "code"), CLASHES, ids=[texts for texts, _ in CLASHES])
def test_clash_of_two_paths(texts: str, code: str | None) -> None:
    read = [read_path(text, Where(None, 0), Problems()) for text in texts.split(", ")]
    whole = [path for path in read if path is not None]
    assert [clash[0] for clash in find_clashes(whole)] == ([code] if code else [])


def clash_of(one: Path, other: Path) -> bool:
    """Whether two paths clash, by their definition."""
    for left, right in zip(one.steps, other.steps, strict=False):
        if isinstance(left, int) is not isinstance(right, int):
            return True
        if left != right:
            return False
    return True


@given(st.lists(paths, max_size=6))
def test_clashes_are_found_as_by_comparing_every_pair(found: list[Path]) -> None:
    pairs = [
        clash_of(found[later], found[earlier])
        for later in range(len(found))
        for earlier in range(later)
    ]
    clashes = find_clashes(found)
    assert bool(clashes) is any(pairs)
    assert all(clash_of(path, earlier) for _, path, earlier in clashes)
