"""The page that checks a transaction which was written by hand or by any SDK.

Rule: what was pasted is checked as it is, by the same function as the API and the command line; a
report that names faults is a good answer, only what is no transaction is refused. The reason: the
person came to be told what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from flask import Blueprint, Response, request

from webapp.core.jsontext import pretty, read_json
from webapp.core.linting.lint import Report, lint_document
from webapp.core.problems import Problem, Refused
from webapp.web import htmx
from webapp.web.navigation import THEME_COOKIE, Frame, frame
from webapp.web.pasted import Pasted, notes_under, notices_at, read_pasted
from webapp.web.report import ReportView, report_view
from webapp.web.responses import respond
from webapp.web.result import Notice
from webapp.web.texts import gettext, lazy_gettext, ngettext

blueprint = Blueprint("check", __name__)

PARTS = {"result": "partials/check_update.html", "work": "partials/check_form.html"}
LABELS = {
    "request": lazy_gettext("The transaction"),
    "design": lazy_gettext("The design"),
    "table": lazy_gettext("The table"),
}
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


@dataclass(frozen=True, slots=True)
class Texts:
    """What stands in the form, exactly as it was pasted."""

    request: str = ""
    design: str = ""
    table: str = ""

    @property
    def is_one_line(self) -> bool:
        """Whether the transaction could be laid out in lines."""
        return "\n" not in self.request.strip() and len(self.request) > 80


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The right side of the page: a report, or what is missing or cannot be read."""

    bar: str
    is_ready: bool = False
    problems: tuple[Notice, ...] = ()
    open: tuple[Notice, ...] = ()
    report: ReportView | None = None


@dataclass(frozen=True, slots=True)
class CheckView:
    """Everything the page shows."""

    frame: Frame
    texts: Texts
    result: CheckResult
    notes: Mapping[str, str]
    cleared: tuple[str, ...]
    focus: str | None
    is_posted: bool
    is_update: bool
    said_before: str


@blueprint.get("/check")
def page() -> Response:
    """An empty form, or a worked example with faults of both kinds."""
    if request.args.get("start") == "example":
        return _shown(Texts(EXAMPLE), is_asked=True)
    return _shown(Texts(), is_asked=False)


@blueprint.post("/check")
def update() -> Response:
    """The report on what was pasted."""
    texts = _pasted()
    if request.form.get("do") == LAY_OUT:
        texts = _laid_out(texts)
    return _shown(texts, is_asked=True)


def _pasted() -> Texts:
    """The texts of the form; a browser sends line ends as CR LF, a text area has LF."""
    return Texts(*(request.form.get(name, "").replace("\r\n", "\n") for name in LABELS))


def _laid_out(texts: Texts) -> Texts:
    """The transaction in lines; as it is where it cannot be read."""
    try:
        return replace(texts, request=pretty(read_json(texts.request)))
    except Refused:
        return texts


def _shown(texts: Texts, *, is_asked: bool) -> Response:
    result = _result(texts) if is_asked else CheckResult(gettext("No transaction yet"))
    status = 422 if result.problems or result.open else 200
    return respond(_view(texts, result), "pages/check.html", PARTS, status)


def _result(texts: Texts) -> CheckResult:
    """The report, or everything that forbids it."""
    problems: list[Problem] = []
    areas = _areas(texts)
    report = _report(areas, problems)
    if problems:
        bar = ngettext("%(num)s problem", "%(num)s problems", len(problems))
        return CheckResult(bar, problems=notices_at(areas, problems))
    if report is None:
        return CheckResult(gettext("No transaction yet"), open=(_wanted(),))
    view = report_view(report, areas[0])
    return CheckResult(view.headline, is_ready=report.valid, report=view)


def _areas(texts: Texts) -> tuple[Pasted, ...]:
    return tuple(
        Pasted(name, str(label), getattr(texts, name), name) for name, label in LABELS.items()
    )


def _report(areas: tuple[Pasted, ...], problems: list[Problem]) -> Report | None:
    """The report; ``None`` without a transaction, or with what cannot be read noted."""
    document: dict[str, Any] = {}
    for area in areas:
        document |= read_pasted(area, problems)
    if problems or "request" not in document:
        return None
    try:
        return lint_document(document)
    except Refused as refused:
        problems.extend(p if p.path else replace(p, path="/request") for p in refused.problems)
        return None


def _wanted() -> Notice:
    said = gettext("Paste a TransactWriteItems request, or the list of its actions.")
    return Notice("request", str(LABELS["request"]), said, "")


def _view(texts: Texts, result: CheckResult) -> CheckView:
    notes = notes_under(result.problems)
    noted_before = request.form.get("noted", "").splitlines()
    return CheckView(
        frame=frame(request.form.get(THEME_COOKIE)),
        texts=texts,
        result=result,
        notes=notes,
        cleared=tuple(name for name in noted_before if name in LABELS and name not in notes),
        focus=None if texts.request else "request",
        is_posted=request.method == "POST",
        is_update=htmx.wanted_part(request) == "result",
        said_before=request.form.get("said", ""),
    )
