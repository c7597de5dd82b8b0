"""Generated expressions: trees of every kind, values, items and documents."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from webapp.core.expressions import nodes
from webapp.core.expressions.operators import OPERATORS, operators_of
from webapp.core.expressions.paths import Path
from webapp.core.problems import Problems
from webapp.core.values import Value, Where, read_typed

ODD_NAMES = (
    "e.mail",
    "first-name",
    "a b",
    "tags[0]",
    "_type",
    "2fa",
    "naïve",
    "名",
    'say "hi"',
    "#n",
    ":v",
)
RESERVED_NAMES = ("status", "Name", "size", "and", "SET")
PLAIN_NAMES = ("a", "b", "c", "email", "count_1", "contains")

names = st.sampled_from(PLAIN_NAMES) | st.sampled_from(RESERVED_NAMES + ODD_NAMES)
steps = names | st.integers(0, 3)
paths = st.builds(lambda first, rest: Path((first, *rest)), names, st.lists(steps, max_size=3))


def value_of(wire: dict[str, Any]) -> Value:
    """The valid value that typed JSON spells."""
    problems = Problems()
    value = read_typed(wire, Where(None, "value"), problems)
    assert value is not None, problems
    return value


texts = st.text("ab \u00e9\U0001f600", max_size=3)
number_texts = st.sampled_from(["0", "1", "-1", "1.0", "1e2", "100", "0.1", "-0", "38", "1E+125"])
binaries = st.sampled_from(["", "AA==", "AQ==", "/w==", "AAE="])


def _distinct(tag: str, members: list[str]) -> list[str]:
    kept: list[str] = []
    for member in members:
        if not any(same_member(tag, member, other) for other in kept):
            kept.append(member)
    return kept


def same_member(tag: str, one: str, other: str) -> bool:
    """Whether two members of a set are equal for DynamoDB."""
    problems = Problems()
    read_typed({tag: [one, other]}, Where(None, "set"), problems)
    return bool(problems)


def wires_of(tag: str, contents: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Typed JSON of one type."""
    return contents.map(lambda content: {tag: content})


def sets_of(tag: str, members: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Typed JSON of a set whose members differ."""
    some = st.lists(members, min_size=1, max_size=3)
    return wires_of(tag, some.map(lambda found: _distinct(tag, found)))


FLAT: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "S": wires_of("S", texts),
    "N": wires_of("N", number_texts),
    "B": wires_of("B", binaries),
    "BOOL": wires_of("BOOL", st.booleans()),
    "NULL": wires_of("NULL", st.just(True)),
    "SS": sets_of("SS", texts),
    "NS": sets_of("NS", number_texts),
    "BS": sets_of("BS", binaries),
}
flat = st.one_of(*FLAT.values())
inner = flat | wires_of("L", st.lists(flat, max_size=2))
NESTED: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "L": wires_of("L", st.lists(inner, max_size=2)),
    "M": wires_of("M", st.dictionaries(names, inner, max_size=2)),
}
BY_TAG = FLAT | NESTED
wires = st.one_of(*BY_TAG.values())
items = st.dictionaries(names, wires, max_size=5)


def literals(tags: frozenset[str]) -> st.SearchStrategy[nodes.Literal]:
    """Values of the request, of the given types."""
    fitting = st.one_of(*(BY_TAG[tag] for tag in sorted(tags)))
    return fitting.map(lambda wire: nodes.Literal(value_of(wire)))


def operands(
    tags: frozenset[str], *, paths: st.SearchStrategy[Path] = paths
) -> st.SearchStrategy[nodes.Operand]:
    """Paths, values of the given types, and sizes where a number may stand."""
    sizes = paths.map(nodes.Size) if "N" in tags else st.nothing()
    return st.one_of(paths, literals(tags), sizes)


SINGLE = [
    op
    for op, row in operators_of("condition").items()
    if row.form not in {"junction", "negation", "measure"}
]


@st.composite
def comparisons(draw: st.DrawFn, paths: st.SearchStrategy[Path] = paths) -> nodes.Condition:
    """Any single condition that is well-formed, whether it passes the checks or not."""
    op = draw(st.sampled_from(SINGLE))
    row = OPERATORS[op]
    if row.form == "comparator":
        either = operands(row.slots[0].types, paths=paths)
        return nodes.Comparison(op, draw(either), draw(either))
    if op == "between":
        each = operands(row.slots[0].types, paths=paths)
        return nodes.Between(draw(each), draw(each), draw(each))
    if op == "in":
        any_type = operands(row.slots[1].types, paths=paths)
        return nodes.In(draw(any_type), tuple(draw(st.lists(any_type, min_size=1, max_size=4))))
    return nodes.Test(op, tuple(draw(_slot(slot, paths)) for slot in row.slots))


def _slot(slot: Any, paths: st.SearchStrategy[Path]) -> st.SearchStrategy[nodes.Operand]:
    match slot.accepts:
        case "path":
            return paths
        case "value":
            return st.sampled_from(["S", "N", "M"]).map(lambda t: nodes.Literal(value_of({"S": t})))
        case _:
            return operands(slot.types, paths=paths)


def groups(members: st.SearchStrategy[nodes.Condition]) -> st.SearchStrategy[nodes.Condition]:
    """Conditions joined by AND or OR."""
    several = st.lists(members, min_size=1, max_size=4)
    return st.builds(nodes.junction, st.sampled_from(["and", "or"]), several)


def conditions_over(paths: st.SearchStrategy[Path]) -> st.SearchStrategy[nodes.Condition]:
    """Condition trees of any shape whose paths are drawn from ``paths``."""
    return st.recursive(
        comparisons(paths),
        lambda inner: groups(inner) | st.builds(nodes.Not, inner),
        max_leaves=8,
    )


conditions = conditions_over(paths)


@st.composite
def assigned(draw: st.DrawFn, paths: st.SearchStrategy[Path] = paths) -> nodes.Assigned:
    """Anything that SET may assign."""
    simple = paths | literals(frozenset(OPERATORS["="].slots[0].types))
    choices = st.builds(nodes.IfNotExists, paths, simple)
    lists = (
        paths
        | literals(frozenset({"L"}))
        | st.builds(nodes.IfNotExists, paths, literals(frozenset({"L"})))
    )
    numbers = (
        paths
        | literals(frozenset({"N"}))
        | st.builds(nodes.IfNotExists, paths, literals(frozenset({"N"})))
    )
    return draw(
        st.one_of(
            simple,
            choices,
            st.builds(nodes.ListAppend, lists, lists),
            st.builds(nodes.Arithmetic, st.sampled_from(["plus", "minus"]), numbers, numbers),
        )
    )


@st.composite
def updates(draw: st.DrawFn, paths: st.SearchStrategy[Path] = paths) -> nodes.Update:
    """Updates whose paths may overlap, in normal form."""
    actions: list[nodes.Action] = draw(
        st.lists(
            st.one_of(
                st.builds(nodes.Set, paths, assigned(paths)),
                st.builds(nodes.Remove, paths),
                st.builds(nodes.Add, paths, literals(OPERATORS["add"].slots[1].types)),
                st.builds(nodes.Delete, paths, literals(OPERATORS["delete"].slots[1].types)),
            ),
            min_size=1,
            max_size=5,
        )
    )
    return nodes.update(actions)


projections = st.lists(paths, min_size=1, max_size=5, unique=True).map(tuple)
