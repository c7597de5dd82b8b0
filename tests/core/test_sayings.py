"""A saying is a text for whoever reads it, and can still be said in another language."""

from __future__ import annotations

import json

from webapp.core.sayings import Saying, together


def test_a_saying_is_its_english_text_wherever_a_text_may_stand() -> None:
    saying = Saying("{what} {0} taken.", "is", what="email")
    assert saying == "email is taken."
    assert json.dumps({"message": saying}) == '{"message": "email is taken."}'
    assert {"email is taken.": 1}[saying] == 1


def test_a_saying_keeps_its_template_and_what_stands_in_it() -> None:
    size = Saying("the size of {0}", "“tags”")
    saying = Saying("{0} is greater than {1}", size, "2")
    assert (saying.template, saying.parts) == ("{0} is greater than {1}", (size, "2"))
    assert saying == "the size of “tags” is greater than 2"


def test_what_stands_in_a_saying_is_not_read_as_a_template() -> None:
    assert Saying("Taken: {what}.", what="{slots}") == "Taken: {slots}."


def test_sayings_stand_together() -> None:
    assert together([Saying("One."), Saying("Two.")]) == "One. Two."
    assert together([], ", ") == ""
