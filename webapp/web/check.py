"""The page that checks a transaction which was written by hand or by any SDK.

Rule: what was pasted is checked as it is, by the same function as the API and the command line; a
report that names faults is a good answer, only what is no transaction is refused. The reason: the
person came to be told what is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from flask import Blueprint, Response, request

from webapp.core.jsontext import pretty, read_json
from webapp.core.linting.lint import Report, lint_document
from webapp.core.problems import Problem, Refused
from webapp.web.forms import sent
from webapp.web.pasted import Pasted, read_pasted
from webapp.web.pasting import PastingPage, Result, Texts, refused
from webapp.web.report import report_view
from webapp.web.texts import lazy_gettext

blueprint = Blueprint("check", __name__)

PAGE: Final = PastingPage(
    "check",
    labels={
        "request": lazy_gettext("The transaction"),
        "design": lazy_gettext("The design"),
        "table": lazy_gettext("The table"),
    },
    empty=lazy_gettext("No transaction yet"),
    wanted=lazy_gettext("Paste a TransactWriteItems request, or the list of its actions."),
)
LAY_OUT: Final = "lay-out"
"""The button that lays the transaction out in lines."""

EXAMPLE: Final = """\
{
  "TransactItems": [
    {
      "Put": {
        "TableName": "accounts",
        "Item": {
          "PK": {"S": "ACCT#a1f9c3"},
          "SK": {"S": "PROFILE"},
          "email": {"S": "ada@lovelace.io"},
          "status": {"S": "active"},
          "logins": {"N": 0}
        },
        "ConditionExpression": "attribute_not_exists(PK) AND status <> :gone",
        "ExpressionAttributeValues": {":gone": {"S": "gone"}}
      }
    },
    {
      "Put": {
        "TableName": "accounts",
        "Item": {"PK": {"S": "UNIQ#EMAIL#ada@lovelace.io"}, "SK": {"S": "LOCK"}}
      }
    }
  ]
}"""


@blueprint.get("/check")
def page() -> Response:
    """An empty form, or a worked example with faults of both kinds."""
    texts, result = PAGE.blank()
    if request.args.get("start") == "example":
        texts = {**texts, "request": EXAMPLE}
        result = _result(texts)
    return PAGE.shown(texts, result)


@blueprint.post("/check")
def update() -> Response:
    """The report on what was pasted."""
    texts = PAGE.pasted()
    if sent().text("do") == LAY_OUT:
        texts["request"] = _laid_out(texts["request"])
    return PAGE.shown(texts, _result(texts))


def _laid_out(text: str) -> str:
    """A transaction in lines; as it is where it cannot be read."""
    try:
        return pretty(read_json(text))
    except Refused:
        return text


def _result(texts: Texts) -> Result:
    """The report, or everything that forbids it."""
    problems: list[Problem] = []
    areas = [PAGE.area(name, texts, name) for name in texts]
    report = _report(areas, problems)
    if problems:
        return refused(areas, problems)
    if report is None:
        return PAGE.missing()
    view = report_view(report, areas[0])
    return Result(view.headline, is_ready=report.valid, found=view)


def _report(areas: list[Pasted], problems: list[Problem]) -> Report | None:
    """The report; ``None`` without a transaction, or with what cannot be read noted."""
    document: dict[str, Any] = {}
    for area in areas:
        document |= read_pasted(area, problems)
    if problems or "request" not in document:
        return None
    try:
        return lint_document(document)
    except Refused as refusal:
        problems.extend(p if p.path else replace(p, path="/request") for p in refusal.problems)
        return None
