"""Any document is built, read or refused: golden documents with something else put somewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.expressions.builder import expression, parse
from webapp.core.expressions.sentences import explain, inline_text
from webapp.core.jsontext import Digits
from webapp.core.problems import Refused

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "cases" / "expression-requests.json").read_text()
)
WORDS = (
    "op",
    "path",
    "value",
    "args",
    "as",
    "S",
    "N",
    "SS",
    "size",
    "set",
    "to",
    "=",
    "a=:b",
    "#n",
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 500),
    st.floats(allow_nan=False),
    st.just(Digits("1.5")),
    st.sampled_from(WORDS),
    st.text(max_size=5),
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn, member: str) -> Any:
    """A golden document in which one to three places hold something else, or nothing."""
    document = draw(st.sampled_from(CASES))[member]
    for _ in range(draw(st.integers(1, 3))):
        document = _mutated(draw, document)
    return document


def _mutated(draw: st.DrawFn, node: Any) -> Any:
    if not node or not isinstance(node, (dict, list)) or draw(st.integers(0, 9)) == 0:
        return draw(anything)
    if isinstance(node, list):
        index = draw(st.integers(0, len(node) - 1))
        return [*node[:index], _mutated(draw, node[index]), *node[index + 1 :]]
    name = draw(st.sampled_from(list(node)))
    if draw(st.integers(0, 9)) == 0:
        return {other: member for other, member in node.items() if other != name}
    return node | {name: _mutated(draw, node[name])}


def told(refused: Refused) -> None:
    """Every problem of a refusal can be said, and names a place."""
    assert refused.problems
    for problem in refused.problems:
        assert orjson.dumps(problem.as_document())


@given(mutated("document") | anything)
def test_any_document_is_built_or_refused(document: Any) -> None:
    try:
        built = expression(document)
    except Refused as refused:
        told(refused)
        return
    assert orjson.dumps(built.as_document())
    for request in built.read:
        for tree in request.trees.values():
            assert explain(tree)
            assert inline_text(tree)


@given(mutated("request") | anything)
def test_any_request_is_read_or_refused(document: Any) -> None:
    try:
        parsed = parse(document)
    except Refused as refused:
        told(refused)
        return
    assert orjson.dumps(parsed.as_document())
    if not parsed.problems and parsed.document.get("operation"):
        again = expression(parsed.document)
        assert parse({"operation": again.operation, "request": again.request}).problems == ()
