"""The golden cases: plan requests with their whole plans, or with the problems that refuse them.

Each file of ``tests/cases/plans`` is one case: ``name``, ``why``, ``request`` (a plan request), and
``plan`` (the plan document) or ``problems`` (code and path of each). They are used in every
direction: by the core, over HTTP, from the command line and in the browser.

``python -m tests.golden`` writes the answers anew, to be read in the difference.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webapp.core import documents, jsontext
from webapp.core.problems import Refused

FOLDER = Path(__file__).parent / "cases" / "plans"


@dataclass(frozen=True, slots=True)
class Case:
    """One golden case; exactly one of ``plan`` and ``problems`` is given."""

    name: str
    why: str
    request: dict[str, Any]
    plan: dict[str, Any] | None
    problems: list[dict[str, str]] | None

    @property
    def text(self) -> str:
        """The request as JSON text."""
        return json.dumps(self.request, ensure_ascii=False)


def _read(path: Path) -> Case:
    members = json.loads(path.read_text(encoding="utf-8"))
    return Case(
        members["name"],
        members["why"],
        members["request"],
        members.get("plan"),
        members.get("problems"),
    )


CASES = [_read(path) for path in sorted(FOLDER.glob("*.json"))]
PLANNED = [case for case in CASES if case.plan is not None]
REFUSED = [case for case in CASES if case.problems is not None]


def name_of(case: Case) -> str:
    """The case's name, for the ids of parametrised tests."""
    return case.name


def case(name: str) -> Case:
    """The case of that name."""
    return next(each for each in CASES if each.name == name)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the core answers to a request now: ``plan``, or ``problems`` with code and path."""
    try:
        return {"plan": documents.plan(documents.read_json(json.dumps(request))).as_document()}
    except Refused as refused:
        problems = [{"code": each.code, "path": each.path} for each in refused.problems]
        return {"problems": problems}


def write(name: str, why: str, request: dict[str, Any]) -> None:
    """Write the file of a case with the present answer."""
    document = {"name": name, "why": why, "request": request, **answer(request)}
    (FOLDER / f"{name}.json").write_text(jsontext.pretty(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in CASES:
        write(each.name, each.why, each.request)
