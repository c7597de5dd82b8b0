"""The reference: everything from the tables, and a search that can be linked to."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import htmx
from tests.web.reading import Controls
from webapp.core.expressions.operators import OPERATORS
from webapp.core.limits import LIMITS
from webapp.core.reserved import WORDS


def found(page: str) -> tuple[list[str], list[str]]:
    """The terms of the lists, and the reserved words."""
    terms = re.findall(r"<dt>(?:<code>)?(.*?)(?:</code>)?</dt>", page)
    return [unescape(term) for term in terms], re.findall(r"<li><code>(\w+)</code></li>", page)


def test_every_operator_limit_and_reserved_word_is_there(client: FlaskClient) -> None:
    page = client.get("/reference")
    terms, words = found(page.text)
    assert page.status_code == 200
    assert words == sorted(WORDS)
    assert len(terms) == len(OPERATORS) + len(LIMITS)
    assert all(any(row.token in term for term in terms) for row in OPERATORS.values())
    assert "614 entries" in page.text
    assert all(row.rule in unescape(page.text) for row in OPERATORS.values())


SEARCHES = {
    "a function": ("begins_with", ["begins_with(path, value)"], []),
    "a limit by its number": ("4,096", ["4,096 bytes"], []),
    "a reserved word": ("statu", [], ["STATUS"]),
    "two words": ("append front", ["list_append(first, second)"], []),
    "nothing": ("no such thing here", [], []),
}


@pytest.mark.parametrize(("search", "terms", "words"), SEARCHES.values(), ids=SEARCHES.keys())
def test_a_search_finds_by_all_its_words(
    client: FlaskClient, search: str, terms: list[str], words: list[str]
) -> None:
    page = client.get("/reference", query_string={"q": search})
    assert found(page.text) == (terms, words)
    assert Controls(page.text).pairs["q"] == search


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("Status", "“Status” is reserved: it needs a placeholder."),
        ("remove", "“remove” is reserved: it needs a placeholder."),
        ("email", "“email” is not reserved."),
    ],
)
def test_a_name_is_told_to_be_reserved_or_not(client: FlaskClient, name: str, verdict: str) -> None:
    assert verdict in client.get("/reference", query_string={"q": name}).text


def test_htmx_gets_what_was_found(client: FlaskClient) -> None:
    part = client.get("/reference?q=size", headers=htmx("found"))
    assert part.text.lstrip().startswith('<div id="found"')


@pytest.mark.parametrize("search", ["<script>alert(1)</script>", "\x00", "x" * 100_000, "%"])
def test_a_strange_search_is_answered(client: FlaskClient, search: str) -> None:
    page = client.get("/reference", query_string={"q": search})
    assert page.status_code == 200
    assert "<script>alert" not in page.text
