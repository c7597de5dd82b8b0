"""The shape of a document: which members, of which JSON types.

Rule: the shape is checked by pydantic models, strictly (no text becomes a number, no unknown member
is skipped), and what it finds becomes problems like any other. The reason: all faults at once, with
their places, and one source for the API's schema. What DynamoDB means by the members is checked
afterwards, in the module of the thing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from webapp.core.problems import Problems, Text, excerpt, json_words, pointer, register
from webapp.core.values import Where

register(
    {
        "member-missing": Text("The member “{name}” is missing.", "Add it."),
        "member-unknown": Text(
            "The member “{name}” is not known here.", "Remove it, or check its spelling."
        ),
        "member-type": Text("{given} is not what stands here: {expected}.", "Write {expected}."),
        "member-choice": Text("{given} is none of the choices.", "Write one of: {expected}."),
        "member-empty": Text("This cannot be empty.", "Give at least one."),
        "member-invalid": Text(
            "{given} cannot stand here: {reason}.", "See the document's schema."
        ),
    }
)

_EXPECTED = {
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "int_type": "an integer",
    "list_type": "a list in [ ]",
    "tuple_type": "a list in [ ]",
    "dict_type": "an object in { }",
    "model_type": "an object in { }",
    "model_attributes_type": "an object in { }",
}


class Shape(BaseModel):
    """A document's shape: strict types, no unknown members, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _given(member: object) -> object:
    if member is None:
        raise PydanticCustomError("missing", "null is nothing")
    return member


Given = Annotated[Any, AfterValidator(_given)]
"""A member of any form that has to be there: null is as good as nothing."""

S = TypeVar("S", bound=BaseModel)


def check(shape: type[S], document: object, at: str | Where, problems: Problems) -> S | None:
    """``document`` as the shape, or ``None`` with every fault noted under its place ``at``."""
    try:
        return shape.model_validate(document)
    except ValidationError as error:
        base = at if isinstance(at, str) else at.pointer()
        for fault in error.errors(include_url=False, include_context=True):
            _note(fault, base, problems)
        return None


def rest(shape: type[S], document: object) -> S | None:
    """``document`` as the shape without the members at fault, for finding what else is wrong.

    ``None`` where it is no object, or where a member that has to be there is at fault.
    """
    if not isinstance(document, dict):
        return None
    try:
        return shape.model_validate(document)
    except ValidationError as error:
        faulty = {fault["loc"][0] for fault in error.errors() if fault["loc"]}
    try:
        return shape.model_validate(
            {name: value for name, value in document.items() if name not in faulty}
        )
    except ValidationError:
        return None


def _note(fault: ErrorDetails, at: str, problems: Problems) -> None:
    path = at + pointer(*fault["loc"])
    name = fault["loc"][-1] if fault["loc"] else ""
    given = excerpt(named(fault["input"]))
    kind = fault["type"]
    context: Mapping[str, Any] = fault.get("ctx", {})
    if kind == "missing":
        problems.add("member-missing", path, name=name)
    elif kind == "extra_forbidden":
        problems.add("member-unknown", path, name=excerpt(str(name)))
    elif kind in _EXPECTED:
        problems.add("member-type", path, given=given, expected=_EXPECTED[kind])
    elif "expected" in context:
        problems.add("member-choice", path, given=given, expected=context["expected"])
    elif kind in {"too_short", "string_too_short"}:
        problems.add("member-empty", path)
    else:
        problems.add("member-invalid", path, given=given, reason=fault["msg"])


def named(given: object) -> str:
    """A given value as a message names it: text in quotes, an object or a list by its kind."""
    match given:
        case str():
            return f"“{given}”"
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            return json_words(given)
