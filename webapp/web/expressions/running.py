"""Running an operation: what is sent, and what came back as a table and as JSON.

Rule: exactly the text that is shown is sent; reading takes one press, writing a second one that is
bound to the text of the first. A page of results without items is not the end: only a missing last
key is. The reason: nobody may write by accident what they did not read, and a filter often leaves
a page empty.
Source: Amazon DynamoDB Developer Guide, "Paginating table query results".
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from webapp.answers import Answer, Committed, Rejected, Unknown
from webapp.core.expressions.operations import READS, WRITES
from webapp.core.failures.question import read_question
from webapp.core.jsontext import pretty, write
from webapp.web.board import value_text
from webapp.web.explanation import ExplanationView, explanation_view
from webapp.web.highlight import MOST_SHOWN, highlighted
from webapp.web.settings import Target
from webapp.web.texts import gettext, lazy_gettext, ngettext, say_trouble, tell
from webapp.web.visible import visible

Json = Mapping[str, Any]

MOST_ROWS = 200
MOST_COLUMNS = 16
CONDITION_FAILED = "ConditionalCheckFailedException"

HEADLINES = {
    "PutItem": lazy_gettext("The item is written."),
    "UpdateItem": lazy_gettext("The item is updated."),
    "DeleteItem": lazy_gettext("The item is deleted, or was not there."),
    WRITES: lazy_gettext("Committed: all actions are done, at once."),
}

NO_CODE = Markup()


@dataclass(frozen=True, slots=True)
class Grid:
    """Items as rows: the names of their attributes, and for each item its values in words."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    hidden_columns: int
    hidden_rows: int


@dataclass(frozen=True, slots=True)
class RunView:
    """What came of a run, or what is to be confirmed first.

    ``after`` is the key, as JSON, with which the next page begins; "" when this was the last.
    ``asks`` is the mark of the request that a second press confirms; "" otherwise.
    """

    endpoint: str
    tone: str
    status: int
    headline: str
    hint: str = ""
    grid: Grid | None = None
    code: Markup = NO_CODE
    is_cut: bool = False
    page: int = 1
    after: str = ""
    mark: str = ""
    asks: str = ""
    explained: ExplanationView | None = None


def mark_of(text: bytes, endpoint: str) -> str:
    """What a confirmation or a next page is bound to: the text that is sent, and where."""
    return hashlib.sha256(endpoint.encode() + b"\0" + text).hexdigest()[:16]


def to_confirm(operation: str, target: Target, text: bytes) -> RunView:
    """A write that was asked for and is not sent yet."""
    where = target.endpoint
    headline = gettext(
        "%(operation)s writes to %(name)s (%(place)s).",
        operation=operation,
        name=where.name,
        place=where.place,
    )
    hint = gettext("Nothing was sent yet.")
    return RunView(where.name, "unsure", 200, headline, hint, asks=mark_of(text, where.name))


def run(operation: str, request: Json, target: Target, page: int = 1) -> RunView:
    """Send the request and say what came of it; ``page`` is the number of a page of results."""
    service, text = target.open(), write(request)
    answer = service.send(text) if operation == WRITES else service.ask(operation, text)
    name = target.endpoint.name
    if not isinstance(answer, Committed):
        return _failed(operation, request, answer, name)
    if operation not in READS:
        shown = _shown(answer.body)
        return RunView(name, "good", 200, gettext(HEADLINES[operation]), "", None, *shown)
    return _page(operation, request, answer.body, name, page)


def _page(operation: str, request: Json, body: Json, endpoint: str, page: int) -> RunView:
    items = _items(operation, body)
    last = body.get("LastEvaluatedKey")
    base = {name: value for name, value in request.items() if name != "ExclusiveStartKey"}
    code, is_cut = _shown(body)
    return RunView(
        endpoint,
        "good",
        200,
        _counted(operation, body, items),
        _hint(operation, items, page, is_last=not last),
        _grid(items) if items else None,
        code,
        is_cut,
        page,
        write(last).decode() if last else "",
        mark_of(write(base), endpoint),
    )


def _items(operation: str, body: Json) -> list[Json]:
    match operation:
        case "GetItem":
            return [body["Item"]] if body.get("Item") else []
        case "Query" | "Scan":
            return list(body.get("Items") or ())
        case _:
            answers = body.get("Responses") or ()
            return [answer["Item"] for answer in answers if answer.get("Item")]


def _counted(operation: str, body: Json, items: list[Json]) -> str:
    count = int(body.get("Count", len(items)))
    if operation not in {"Query", "Scan"} and not count:
        return gettext("There is no such item.")
    found = ngettext("%(num)s item", "%(num)s items", count)
    scanned = body.get("ScannedCount", count)
    if scanned == count:
        return found
    return gettext("%(found)s of %(scanned)s that were read", found=found, scanned=scanned)


def _hint(operation: str, items: list[Json], page: int, *, is_last: bool) -> str:
    if operation not in {"Query", "Scan"}:
        return ""
    if is_last:
        return gettext("Page %(page)s, the last.", page=page) if page > 1 else gettext("No more.")
    if not items:
        return gettext("Page %(page)s is empty, and it is not the end: there is more.", page=page)
    return gettext("Page %(page)s; there is more.", page=page)


def _grid(items: list[Json]) -> Grid:
    names = list(dict.fromkeys(name for item in items for name in item))
    shown = names[:MOST_COLUMNS]
    rows = tuple(tuple(_cell(item, name) for name in shown) for item in items[:MOST_ROWS])
    columns = tuple(visible(name) for name in shown)
    return Grid(columns, rows, len(names) - len(shown), max(0, len(items) - MOST_ROWS))


def _cell(item: Json, name: str) -> str:
    return value_text(item[name]) if name in item else ""


def _shown(body: Json) -> tuple[Markup, bool]:
    """The answer as JSON, and whether only its beginning is shown."""
    text = pretty(body) if body else ""
    return highlighted(text[:MOST_SHOWN]), len(text) > MOST_SHOWN


def _failed(operation: str, request: Json, answer: Answer, endpoint: str) -> RunView:
    if isinstance(answer, Rejected) and answer.trouble is None:
        return _refused(operation, request, answer, endpoint)
    trouble = answer.trouble  # type: ignore[union-attr]
    said = say_trouble(trouble)  # type: ignore[arg-type]
    tone = "unsure" if isinstance(answer, Unknown) and operation not in READS else "bad"
    return RunView(endpoint, tone, 502, said.message, said.hint)


def _refused(operation: str, request: Json, answer: Rejected, endpoint: str) -> RunView:
    """A refusal by the service itself: of a condition, of a transaction, or of the request."""
    code, is_cut = _shown({name: v for name, v in answer.error.items() if name != "Error"})
    if answer.code == CONDITION_FAILED:
        headline = gettext("The condition does not hold: nothing was written.")
        return RunView(endpoint, "bad", 409, headline, "", None, code, is_cut)
    if operation == WRITES:
        asked = read_question({"request": dict(request), "error": dict(answer.error)})
        explanation = asked.explanation()
        view = explanation_view(explanation, asked.slots or ())
        said = tell(explanation.message), tell(explanation.hint)
        return RunView(endpoint, "bad", 409, *said, code=code, is_cut=is_cut, explained=view)
    message = f"{answer.code}: {answer.error['Error']['Message']}"
    return RunView(endpoint, "bad", 502, message, "", None, code, is_cut)
