"""What the core says, in a language that puts every sentence of a table into brackets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.test_explain_question import PLAN, TAKEN
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.parse import parse_condition
from webapp.core.expressions.places import Findings
from webapp.core.expressions.sentences import explain as in_sentences
from webapp.core.failures.causes import SENDS
from webapp.core.failures.explain import explain
from webapp.core.sayings import Saying
from webapp.web import texts
from webapp.web.explanation import explanation_view


class Brackets:
    """The catalogue of that language."""

    def gettext(self, message: str) -> str:
        return f"[{message}]"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"[{msgid1 if n == 1 else msgid2}]"


@pytest.fixture
def brackets() -> Iterator[None]:
    """The visitor speaks the language of brackets."""
    token = texts._spoken.set(Brackets())
    yield
    texts._spoken.reset(token)


def test_a_saying_is_told_with_the_sayings_in_it(brackets: None) -> None:
    size = Saying("the size of {0}", "“tags”")
    assert texts.tell(Saying("{0} is {what}", size, what=2)) == "[[the size of “tags”] is 2]"
    assert texts.tell("plain") == "plain"


def test_without_another_language_a_saying_is_its_english_text() -> None:
    assert texts.tell(Saying("Taken: {what}.", what="email")) == "Taken: email."


def test_an_explanation_is_told_by_its_templates(brackets: None) -> None:
    shown = explanation_view(explain(PLAN["slots"], TAKEN))
    assert (shown.message, shown.hint, shown.sending) == (
        "[Nothing was written. Taken: email.]",
        "[[Ask for another value.]]",
        f"[{SENDS['anew']}]",
    )
    assert shown.tell_user == "[[Already in use: email. Please choose something else.]]"
    assert [field.messages for field in shown.fields] == [("[email is taken.]",)]


def test_a_sentence_is_told_by_its_templates(brackets: None) -> None:
    tree = parse_condition("size(a) IN (b, c)", "", Dictionary({}, {}), Findings([], []))
    assert tree is not None
    (found,) = in_sentences(tree)
    assert texts.tell(found.text).startswith("[[the size of “a”]")
    assert texts.tell(found.missing or "") == "[If “a” is missing, this is false.]"
