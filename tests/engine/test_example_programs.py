"""The programs of the page that explains, run as they are shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from webapp.core import documents
from webapp.core.failures.question import read_question
from webapp.core.planning.plan import Plan
from webapp.endpoints import Endpoint
from webapp.gateway import Gateway
from webapp.web import create_app
from webapp.web.draft import EXAMPLE
from webapp.web.examples import PROGRAMS, Program
from webapp.web.writing import write

NODE_MODULES = Path(__file__).parent.parent / "node" / "node_modules"
RUNNERS = {".py": sys.executable, ".mjs": "node"}


def shown_program(client: FlaskClient, sdk: str) -> str:
    """The text of a program as a visitor copies it."""
    page = client.get("/explain").text
    [code] = re.findall(rf'<pre [^>]*aria-label="{sdk}"><code>(.*?)</code>', page, re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", code))


def ran(program: Program, folder: Path, engine: Endpoint) -> str:
    """What a program prints, run in ``folder`` against the engine."""
    (folder / "node_modules").symlink_to(NODE_MODULES)
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_ENDPOINT_URL": engine.url or "",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "lockwright",
        "AWS_SECRET_ACCESS_KEY": "lockwright",
    }
    command = [RUNNERS[Path(program.file).suffix], program.file]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def create(table: str, key: str, names: tuple[str, ...]) -> Plan:
    """The worked example, on that table, with that key and only these attributes."""
    asked = write(EXAMPLE).document
    item = {name: asked["changes"][0]["item"][name] for name in names}
    change = {"operation": "create", "key": {"id": key}, "item": item}
    return documents.plan({"design": {**asked["design"], "table": table}, "changes": [change]})


@pytest.mark.parametrize("program", PROGRAMS, ids=[row.sdk for row in PROGRAMS])
def test_B95_each_program_prints_reasons_that_are_explained(
    program: Program, engine: Endpoint, gateway: Gateway, table: str, tmp_path: Path
) -> None:
    text = shown_program(create_app().test_client(), program.sdk)
    assert program.reasons in text
    (tmp_path / program.file).write_text(text, encoding="utf-8")
    gateway.send(create(table, "first", ("email",)).text)
    plan = create(table, "second", ("email", "username"))
    (tmp_path / "transaction.json").write_bytes(plan.text)
    printed = ran(program, tmp_path, engine)
    explanation = read_question({"plan": plan.as_document(), "error": printed}).explanation()
    told = {name: [note.message for note in notes] for name, notes in explanation.fields.items()}
    assert told == {"email": ["email is taken."]}
