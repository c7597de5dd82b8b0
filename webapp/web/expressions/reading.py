"""Reading a pasted request or expression back into the form.

Rule: a request replaces the form, a bare expression only the expression of its kind; what cannot be
read is shown with a caret at its character, and the form stays as it was. The reason: a person
brings an expression from code and wants to go on with it here, never to lose what stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from webapp.core.expressions import builder
from webapp.core.expressions.builder import Parsed
from webapp.core.expressions.operations import OPERATIONS, TRANSACTIONS
from webapp.core.expressions.operators import KINDS, Kind
from webapp.core.expressions.places import TextProblem
from webapp.core.jsontext import read_json
from webapp.core.problems import Problem, Problems, Refused
from webapp.web import bounds
from webapp.web.expressions.filling import fill, fill_kind
from webapp.web.expressions.outline import Outline, read_outline
from webapp.web.texts import say

KIND_WORDS: Mapping[str, Kind] = {
    "SET": "update",
    "REMOVE": "update",
    "ADD": "update",
    "DELETE": "update",
}


@dataclass(frozen=True, slots=True)
class Pasted:
    """What stands in the part of the form for reading back."""

    text: str = ""
    kind: str = ""
    names: str = ""
    values: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A problem of what was pasted; ``caret`` shows its place in an expression ("")."""

    place: str
    message: str
    hint: str
    caret: str


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The form after reading, and what is wrong with what was pasted."""

    outline: Outline
    marks: tuple[Mark, ...] = ()
    is_read: bool = False


def pasted_of(outline: Outline) -> Pasted:
    """What was pasted; text areas keep it as it was typed."""
    here = outline.at("pasted")
    given = here.text_at("kind")
    kind = given if given in {*KINDS, *OPERATIONS, *TRANSACTIONS} else ""
    return Pasted(here.text or "", kind, here.text_at("names"), here.text_at("values"))


def read_back(outline: Outline, operation: str) -> ReadBack:
    """The form with what was pasted in it."""
    pasted = pasted_of(outline)
    try:
        document = _document(pasted, operation)
        parsed = builder.parse(document)
        filled = _filled(outline, parsed, document, operation)
        bounds.check_names(name for name, _ in filled.pairs())
    except Refused as refused:
        return ReadBack(outline, tuple(map(mark_of, refused.problems)))
    marks = tuple(map(mark_of, (*parsed.problems, *parsed.warnings)))
    return ReadBack(filled, marks, is_read=True)


def mark_of(problem: Problem) -> Mark:
    """A problem as it is shown under the pasted text."""
    said = say(problem)
    caret = problem.caret if isinstance(problem, TextProblem) else ""
    return Mark(problem.path, said.message, said.hint, caret)


def _document(pasted: Pasted, operation: str) -> object:
    """What the core reads: a request, named or not, or one expression with its maps."""
    is_json = pasted.text.lstrip()[:1] in {"{", "["}
    if pasted.kind in KINDS or not is_json:
        kind = pasted.kind if pasted.kind in KINDS else _kind_of(pasted.text, operation)
        names, values = _map(pasted.names, "/names"), _map(pasted.values, "/values")
        text = pasted.text.strip()
        return {"kind": kind, "expression": text, "names": names, "values": values}
    request = read_json(pasted.text)
    return {"operation": pasted.kind, "request": request} if pasted.kind else request


def _kind_of(text: str, operation: str) -> Kind:
    """The kind of a bare expression: an update by its verb, else what the operation has."""
    words = text.split(maxsplit=1)
    verb = KIND_WORDS.get(words[0].upper()) if words else None
    if verb:
        return verb
    kinds = OPERATIONS[operation].kinds if operation in OPERATIONS else ("condition",)
    return next((kind for kind in ("filter", "condition") if kind in kinds), "filter")


def _map(text: str, at: str) -> Any:
    if not text.strip():
        return None
    try:
        return read_json(text)
    except Refused as refused:
        problems = Problems(replace(p, path=at + p.path) for p in refused.problems)
        raise Refused(problems) from refused


def _filled(outline: Outline, parsed: Parsed, document: object, operation: str) -> Outline:
    kind = document.get("kind") if isinstance(document, dict) else None
    if kind is None:
        return _kept(outline, read_outline(fill(parsed.document)))
    has_kind = operation in TRANSACTIONS or kind in OPERATIONS[operation].kinds
    if not has_kind:
        operation = next(name for name, row in OPERATIONS.items() if kind in row.kinds)
    part = outline.with_at(f"actions/0/{kind}", None).with_at("operation", Outline(operation))
    new = read_outline([*part.pairs(), *fill_kind(kind, parsed.document)])
    return new.numbered()


def _kept(outline: Outline, filled: Outline) -> Outline:
    """The new form with what was pasted, and the sample, of the old one."""
    for name in ("sample", "pasted"):
        if name in outline.inner:
            filled = filled.with_at(name, outline.at(name))
    return filled.numbered()
