"""Conditions and updates about which DynamoDB and the engines are of one mind, and items for them.

An attribute always has one type here and may be missing; ``mixed_trees`` goes further, where only
MiniStack is faithful. What is left out stands in ``test_expression_differences``.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests.core.expression_trees import groups, value_of
from tests.engine.talk import Item
from webapp.core.expressions import nodes
from webapp.core.expressions.evaluate import holds
from webapp.core.expressions.paths import Path

NUMBERS = ("0", "1", "2", "-1", "1.5", "10", "99999999999999999999999999999999999999")
HUGE = {"N": NUMBERS[-1]}
TEXTS = ("", "a", "ab", "b", "é", "\U0001f600", "10")
BINARIES = ("AA==", "AAE=", "/w==", "AQ==")


def some(values: tuple[str, ...], chance: random.Random) -> list[str]:
    """One or two different ones."""
    return chance.sample(values, chance.randint(1, 2))


def items_for_all(count: int = 24) -> dict[str, Item]:
    """Items in which an attribute always has one type, and is missing now and then."""
    chance = random.Random(1815)
    made = {}
    for number in range(count):
        whole: Item = {
            "n": {"N": chance.choice(NUMBERS)},
            "s": {"S": chance.choice(TEXTS)},
            "b": {"B": chance.choice(BINARIES)},
            "flag": {"BOOL": chance.random() < 0.5},
            "nothing": {"NULL": True},
            "ss": {"SS": some(TEXTS[1:], chance)},
            "ns": {"NS": some(NUMBERS, chance)},
            "bs": {"BS": some(BINARIES, chance)},
            "l": {"L": [{"N": chance.choice(NUMBERS)} for _ in range(chance.randint(0, 2))]},
            "m": {"M": {"x": {"N": chance.choice(NUMBERS)}, "e.mail": {"S": "a"}}},
        }
        made[f"item-{number:02}"] = {
            name: value for name, value in whole.items() if chance.random() < 0.8
        }
    return made


ITEMS = items_for_all()

TYPE_OF: dict[str, str] = {
    "n": "N",
    "s": "S",
    "b": "B",
    "flag": "BOOL",
    "nothing": "NULL",
    "ss": "SS",
    "ns": "NS",
    "bs": "BS",
}
PATHS = {name: Path((name,)) for name in (*TYPE_OF, "l", "m", "absent")} | {
    "x": Path(("m", "x")),
    "mail": Path(("m", "e.mail")),
    "first": Path(("l", 0)),
}
ORDERED = {"n": "N", "s": "S", "b": "B", "x": "N", "first": "N", "mail": "S"}


def wires_of(tag: str) -> st.SearchStrategy[Item]:
    """Typed JSON of one type."""
    if tag in MEMBERS:
        chosen = st.lists(st.sampled_from(MEMBERS[tag]), min_size=1, max_size=2, unique=True)
        return chosen.map(lambda found: {tag: found})
    return st.sampled_from(SCALARS[tag]).map(lambda content: {tag: content})


MEMBERS = {"SS": TEXTS[1:], "NS": NUMBERS, "BS": BINARIES}
SCALARS: dict[str, tuple[Any, ...]] = {
    "N": NUMBERS,
    "S": TEXTS,
    "B": BINARIES,
    "BOOL": (True, False),
    "NULL": (True,),
}


def literal(tag: str) -> st.SearchStrategy[nodes.Literal]:
    """A value of the type."""
    return wires_of(tag).map(lambda wire: nodes.Literal(value_of(wire)))


def number(least: int, most: int) -> st.SearchStrategy[nodes.Literal]:
    """A whole number."""
    return st.integers(least, most).map(lambda n: nodes.Literal(value_of({"N": str(n)})))


ORDERS = st.sampled_from(["<", "<=", ">", ">="])
EQUALITIES = st.sampled_from(["=", "<>"])


def with_own_value(name: str) -> st.SearchStrategy[nodes.Condition]:
    """Equality and IN of an attribute with values of its type."""
    path, own = PATHS[name], literal(TYPE_OF[name])
    several = st.lists(own, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(nodes.Comparison, EQUALITIES, st.just(path), own),
        several.map(lambda values: nodes.In(path, values)),
    )


def in_order(name: str) -> st.SearchStrategy[nodes.Condition]:
    """Order and BETWEEN of an attribute with values of its type."""
    path, own = PATHS[name], literal(ORDERED[name])
    return st.one_of(
        st.builds(nodes.Comparison, ORDERS, st.just(path), own),
        st.tuples(own, own).map(lambda bounds: nodes.Between(path, *sorted_bounds(*bounds))),
    )


def sorted_bounds(one: nodes.Literal, other: nodes.Literal) -> tuple[nodes.Literal, nodes.Literal]:
    """Two bounds with the lower one first."""
    return (one, other) if holds(nodes.Comparison("<=", one, other), {}) else (other, one)


def exists(name: str) -> nodes.Condition:
    return nodes.Test("attribute_exists", (PATHS[name],))


existence: st.SearchStrategy[nodes.Condition] = st.builds(
    lambda op, name: nodes.Test(op, (PATHS[name],)),
    st.sampled_from(["attribute_exists", "attribute_not_exists"]),
    st.sampled_from(list(PATHS)),
)
types: st.SearchStrategy[nodes.Condition] = st.builds(
    lambda name, tag: nodes.Test(
        "attribute_type", (PATHS[name], nodes.Literal(value_of({"S": tag})))
    ),
    st.sampled_from(list(TYPE_OF)),
    st.sampled_from(["S", "N", "SS", "L", "M"]),
)
beginnings: st.SearchStrategy[nodes.Condition] = literal("S").map(
    lambda prefix: nodes.Test("begins_with", (PATHS["s"], prefix))
)
lengths: st.SearchStrategy[nodes.Condition] = number(0, 3).map(
    lambda length: nodes.junction(
        "and", [exists("s"), nodes.Comparison("<=", nodes.Size(PATHS["s"]), length)]
    )
)
typed_conditions: st.SearchStrategy[nodes.Condition] = st.one_of(
    st.sampled_from([name for name in TYPE_OF if name != "nothing"]).flatmap(with_own_value),
    st.sampled_from(list(ORDERED)).flatmap(in_order),
    existence,
    types,
    beginnings,
    lengths,
)
memberships: st.SearchStrategy[nodes.Condition] = st.sampled_from(
    [("s", "S"), ("ss", "S"), ("ns", "N"), ("bs", "B"), ("l", "N")]
).flatmap(lambda pair: literal(pair[1]).map(lambda m: nodes.Test("contains", (PATHS[pair[0]], m))))

any_literal = st.sampled_from([*TYPE_OF.values()]).flatmap(literal)
ordered_literal = st.sampled_from(["N", "S", "B"]).flatmap(literal)
some_paths = st.sampled_from([*TYPE_OF, "absent", "x", "first"]).map(lambda name: PATHS[name])
sizes: st.SearchStrategy[nodes.Operand] = st.sampled_from(
    ["s", "b", "ss", "ns", "bs", "l", "m"]
).map(lambda name: nodes.Size(PATHS[name]))
several_literals = st.lists(any_literal, min_size=1, max_size=4).map(tuple)
mixed_conditions: st.SearchStrategy[nodes.Condition] = st.one_of(
    st.builds(nodes.Comparison, EQUALITIES, some_paths, any_literal),
    st.builds(nodes.Comparison, ORDERS, some_paths, ordered_literal),
    st.builds(nodes.In, some_paths, several_literals),
    st.builds(nodes.Between, some_paths, ordered_literal, st.just(PATHS["n"])),
    st.builds(nodes.Comparison, st.sampled_from(["=", "<>", "<", ">="]), sizes, number(0, 3)),
    st.builds(
        lambda name, member: nodes.Test("contains", (PATHS[name], member)),
        st.sampled_from(["s", "ss", "ns", "bs", "l", "m", "absent"]),
        any_literal,
    ),
    ORDERS.map(
        lambda op: nodes.junction(
            "and", [exists("n"), exists("x"), nodes.Comparison(op, PATHS["n"], PATHS["x"])]
        )
    ),
)


def trees_of(leaves: st.SearchStrategy[nodes.Condition]) -> st.SearchStrategy[nodes.Condition]:
    """Groups of conditions; never a NOT directly in a NOT, which moto cannot read."""
    return st.recursive(
        leaves,
        lambda inner: (
            groups(inner)
            | inner.filter(lambda tree: not isinstance(tree, nodes.Not)).map(nodes.Not)
        ),
        max_leaves=6,
    )


typed_trees = trees_of(typed_conditions)
typed_trees_with_members = trees_of(typed_conditions | memberships)
mixed_trees = trees_of(mixed_conditions)


@st.composite
def typed_updates(draw: st.DrawFn) -> nodes.Update:
    """An update whose actions touch different attributes, each with values of its type."""
    names = draw(st.lists(st.sampled_from(list(ACTIONS)), min_size=1, max_size=4, unique=True))
    return nodes.update([draw(ACTIONS[name]) for name in names])


small = number(-50, 50)
one_list = nodes.Literal(value_of({"L": [{"S": "new"}, {"N": "7"}]}))
number_or_path = (
    small
    | st.sampled_from([PATHS["n"], PATHS["x"]])
    | st.builds(nodes.IfNotExists, st.sampled_from([PATHS["absent"], PATHS["n"]]), small)
)
ACTIONS: dict[str, st.SearchStrategy[Any]] = {
    "n": st.builds(
        lambda op, left, right: nodes.Set(Path(("total",)), nodes.Arithmetic(op, left, right)),
        st.sampled_from(["plus", "minus"]),
        number_or_path,
        number_or_path,
    ),
    "s": st.sampled_from([PATHS["s"], PATHS["absent"], PATHS["l"]]).map(
        lambda path: nodes.Set(Path(("copy",)), path)
    ),
    "s-or": st.builds(
        lambda path, value: nodes.Set(Path(("kept",)), nodes.IfNotExists(path, value)),
        st.sampled_from([PATHS["s"], PATHS["absent"]]),
        literal("S"),
    ),
    "l": st.sampled_from(
        [
            nodes.Set(Path(("list",)), nodes.ListAppend(PATHS["l"], one_list)),
            nodes.Set(Path(("list",)), nodes.ListAppend(one_list, PATHS["l"])),
            nodes.Set(
                Path(("list",)), nodes.ListAppend(nodes.IfNotExists(PATHS["l"], one_list), one_list)
            ),
        ]
    ),
    "m": st.sampled_from(
        [
            nodes.Set(Path(("m", "y")), one_list),
            nodes.Set(Path(("m", "x")), PATHS["n"]),
            nodes.Remove(Path(("m", "x"))),
            nodes.Remove(Path(("m", "e.mail"))),
        ]
    ),
    "flag": st.just(nodes.Remove(PATHS["flag"])),
    "ss": st.one_of(
        literal("SS").map(lambda value: nodes.Add(PATHS["ss"], value)),
        literal("SS").map(lambda value: nodes.Delete(PATHS["ss"], value)),
    ),
    "bs": literal("BS").map(lambda value: nodes.Delete(PATHS["bs"], value)),
    "count": small.map(lambda value: nodes.Add(Path(("count",)), value)),
    "n+": small.map(lambda value: nodes.Add(PATHS["n"], value)),
    "wrong": small.map(lambda value: nodes.Add(PATHS["s"], value)),
}
start = st.sampled_from(
    [item for item in ITEMS.values() if item.get("m", {}).get("M", {}).get("x") not in (None, HUGE)]
)
"""Items to change, without a number of 38 digits: engines round a sum that DynamoDB refuses."""
