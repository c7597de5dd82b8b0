"""The README cannot lie: its worked example is run, and what it names exists."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from webapp import local
from webapp.cli import main
from webapp.core import documents
from webapp.endpoints import LOCAL_KEY_ID, LOCAL_REGION, LOCAL_SECRET
from webapp.web.navigation import PAGES
from webapp.web.openapi import openapi

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


def test_the_library_is_used_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request, _ = blocks("json")
    (tmp_path / "request.json").write_text(request, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    [example] = blocks("python")
    exec(compile(example, "README", "exec"), {})
    assert "['record', 'claim', 'claim'] 6" in capsys.readouterr().out


def test_the_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    assert set(re.findall(r"make (\w+)", README)) <= targets


def test_its_commands_are_those_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = set(re.findall(r"^ {4}(\w+)", capsys.readouterr().out, re.MULTILINE))
    assert set(re.findall(r"`lockwright (\w+)", README)) == commands


def test_its_routes_are_those_of_the_api() -> None:
    routes = set(re.findall(r"`POST (/api/v1/[\w/]+)`", README))
    assert routes == {path for path, item in openapi()["paths"].items() if "post" in item}


def test_its_pages_are_those_of_the_navigation() -> None:
    [row] = re.findall(r"^\| page \|.*$", README, re.MULTILINE)
    assert [name for name in re.findall(r"\*(\w+)\*", row) if name != "Run"] == [
        str(page.name) for page in PAGES
    ]


def test_the_local_engine_is_where_and_as_it_says() -> None:
    assert f"http://{local.HOST}:{local.PORT}" in README
    assert f"`{local.FOLDER}/state`" in README
    assert f"AWS_ACCESS_KEY_ID={LOCAL_KEY_ID} AWS_SECRET_ACCESS_KEY={LOCAL_SECRET}" in README
    assert f"--region {LOCAL_REGION}" in README


def test_the_files_it_names_exist() -> None:
    named = re.findall(r"`(webapp/[\w/.]+)`", README) + re.findall(r"\]\(([\w/.]+)\)", README)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
