"""The README cannot lie: its worked example is run, and what it names exists."""

from __future__ import annotations

import json
import re
from pathlib import Path

from webapp.core import documents

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[str]:
    return [text for name, text in _BLOCKS.findall(README) if name == language]


def test_the_worked_example_gives_the_shown_output() -> None:
    request, shown = blocks("json")
    plan = documents.plan(documents.read_json(request))
    assert plan.pretty() == shown.rstrip("\n")
    assert plan.request == json.loads(shown)


def test_the_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    assert set(re.findall(r"make (\w+)", README)) <= targets


def test_the_files_it_names_exist() -> None:
    named = re.findall(r"`(webapp/[\w/.]+)`", README) + re.findall(r"\]\(([\w/.]+)\)", README)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
