"""From a document to the controls of the form: what was read back, loaded or shown as an example.

Rule: whatever a document says stands in the plainest control that holds it exactly, and reading the
form again gives the same document. The reason: a request that was pasted to be looked at must not
be changed by looking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from webapp.core.expressions.operations import SETTINGS, TRANSACTIONS
from webapp.core.expressions.operators import KINDS, OPERATORS, Kind
from webapp.core.expressions.paths import Path
from webapp.core.jsontext import pretty
from webapp.core.problems import Problems, Refused, Text, register
from webapp.core.values import ROOT, read_typed
from webapp.web.draft import ON, Cell
from webapp.web.expressions.form import (
    COMPUTED,
    CONDITIONS,
    GROUPS,
    MAPS,
    TRANSACTION_SETTINGS,
)
from webapp.web.expressions.outline import Pair
from webapp.web.rows import cell_of

register(
    {
        "form-too-deep": Text(
            "The expression is nested {limit} levels deep or more: too deep for this form.",
            "Use “lockwright parse”, or the JSON API, for it.",
        ),
    }
)

DEEPEST = 24

Document = Mapping[str, Any]


def fill(document: Document) -> list[Pair]:
    """The controls of a document that the core can read. Raises ``Refused`` for one too deep."""
    operation = str(document["operation"])
    pairs = [("operation", operation)]
    if operation in TRANSACTIONS:
        pairs += _settings(document, "", TRANSACTION_SETTINGS)
        for number, action in enumerate(document["actions"]):
            pairs += _part(action, f"actions/{number}")
        return pairs
    return [*pairs, *_part(document, "actions/0")]


def fill_kind(kind: Kind, document: Document, part: str = "actions/0") -> list[Pair]:
    """The controls of one expression, and of the placeholders for names that come with it."""
    return [*_expression(kind, document[kind], f"{part}/{kind}"), *_names(document, part)]


def _part(document: Document, name: str) -> Iterator[Pair]:
    yield f"{name}/operation", str(document["operation"])
    yield from _settings(document, f"{name}/", ("table", "index", "alias", *SETTINGS))
    for role in ("partition_key", "sort_key"):
        for member, text in (document.get(role) or {}).items():
            yield f"{name}/{role}/{member}", text
    if document.get("partition_key") and not document.get("sort_key"):
        yield f"{name}/sort_key/type", ""
    for member in MAPS:
        yield from _attributes(document.get(member) or {}, f"{name}/{member}")
    for kind in KINDS:
        if document.get(kind) is not None:
            yield from _expression(kind, document[kind], f"{name}/{kind}")
    yield from _names(document, name)


def _settings(document: Document, name: str, members: Iterable[str]) -> Iterator[Pair]:
    for member in dict.fromkeys(members):
        value = document.get(member)
        if value is not None:
            yield name + member, str(value).lower() if isinstance(value, bool) else str(value)


def _attributes(attributes: Mapping[str, Any], name: str) -> Iterator[Pair]:
    for number, (attribute, value) in enumerate(attributes.items()):
        yield f"{name}/{number}/name", attribute
        yield from _typed(value, f"{name}/{number}")


def _typed(document: object, name: str) -> Iterator[Pair]:
    """A typed value: the controls ``type`` and ``value`` under a name."""
    value = read_typed(document, ROOT, Problems())
    tag, cell = cell_of(value) if value is not None else _unread(document)
    yield f"{name}/type", tag
    yield f"{name}/value", cell.text
    yield f"{name}/value/given", cell.given
    yield f"{name}/value/truth", cell.truth


def _unread(document: object) -> tuple[str, Cell]:
    """What is no valid value, as typed JSON."""
    return "JSON", Cell(pretty(document))


def _names(document: Document, name: str) -> Iterator[Pair]:
    given = document.get("expression_attribute_names") or {}
    for number, (token, attribute) in enumerate(given.items()):
        yield f"{name}/names/{number}/token", token
        yield f"{name}/names/{number}/name", attribute


def _expression(kind: Kind, tree: Any, name: str) -> Iterator[Pair]:
    if kind in CONDITIONS:
        yield from _root(tree, name)
    elif kind == "update":
        for number, action in enumerate(tree):
            yield from _action(action, f"{name}/{number}")
    else:
        for number, path in enumerate(tree):
            yield f"{name}/{number}", _path(path)


def _root(tree: Document, name: str) -> Iterator[Pair]:
    """The whole of an expression, which the form holds as a group."""
    if tree["op"] in GROUPS or (tree["op"] == "not" and tree["arg"]["op"] in GROUPS):
        yield from _condition(tree, name, 0)
    else:
        yield f"{name}/op", "and"
        yield from _condition(tree, f"{name}/0", 0)


def _condition(tree: Document, name: str, depth: int) -> Iterator[Pair]:
    _check_depth(depth)
    if tree["op"] == "not":
        yield f"{name}/not", ON
        tree = tree["arg"]
    match tree["op"]:
        case "not":
            yield f"{name}/op", "and"
            yield from _condition(tree, f"{name}/0", depth + 1)
        case "and" | "or":
            yield f"{name}/op", tree["op"]
            for number, member in enumerate(tree["args"]):
                yield from _condition(member, f"{name}/{number}", depth + 1)
        case op:
            yield f"{name}/op", op
            for number, operand in enumerate(_operands(tree)):
                yield from _operand(operand, f"{name}/operands/{number}", depth)


def _check_depth(depth: int) -> None:
    if depth >= DEEPEST:
        problems = Problems()
        problems.add("form-too-deep", "", limit=DEEPEST)
        raise Refused(problems)


def _operands(tree: Document) -> Iterator[Document]:
    """The operands of a condition in the order of its slots, each spelled out."""
    short = {"left": "path", "right": "value"}
    for slot in OPERATORS[tree["op"]].slots:
        name = slot.name if slot.name in tree else short[slot.name]
        given = tree[name]
        if slot.accepts == "operands":
            yield from (_spelled("value", member) for member in given)
        else:
            yield _spelled("path" if name == "path" else "value", given)


def _spelled(kind: str, given: Any) -> Document:
    """An operand that was written short, as ``{"path": …}`` or ``{"value": …}``."""
    if isinstance(given, dict) and given.keys() & {"path", "value", "size"}:
        return given
    return {"path": given} if isinstance(given, (list, str)) else {kind: given}


def _operand(operand: Document, name: str, depth: int) -> Iterator[Pair]:
    """An operand, or what SET assigns."""
    ((kind, given),) = ((k, v) for k, v in operand.items() if k != "as")
    match kind, given:
        case "size", dict() if "path" not in given:
            yield f"{name}/kind", "size_value"
            yield from _literal(_spelled("value", given), name)
        case "value", _:
            yield f"{name}/kind", "value"
            yield from _literal(operand, name)
        case (("path" | "size"), _):
            yield f"{name}/kind", kind
            yield f"{name}/path", _path(given["path"] if isinstance(given, dict) else given)
        case op, [first, second]:
            yield from _computed(op, (first, second), name, depth)


def _literal(operand: Document, name: str) -> Iterator[Pair]:
    yield from _typed(operand["value"], name)
    yield f"{name}/as", operand.get("as", "")


def _computed(op: str, parts: tuple[Any, Any], name: str, depth: int) -> Iterator[Pair]:
    _check_depth(depth)
    yield f"{name}/kind", op
    if op == "if_not_exists":
        yield f"{name}/path", _path(parts[0])
    else:
        yield from _operand(_assigned(parts[0]), f"{name}/first", depth + 1)
    yield from _operand(_assigned(parts[1]), f"{name}/second", depth + 1)


def _action(action: Document, name: str) -> Iterator[Pair]:
    verb = next(verb for verb in ("set", "remove", "add", "delete") if verb in action)
    yield f"{name}/verb", verb
    yield f"{name}/path", _path(action[verb])
    given = action.get("to", action.get("value"))
    if given is not None:
        yield from _operand(_assigned(given), f"{name}/to", 0)


def _assigned(given: Document) -> Document:
    return given if given.keys() & set(COMPUTED) else _spelled("value", given)


def _path(path: str | Sequence[str | int]) -> str:
    return path if isinstance(path, str) else Path(tuple(path)).text
