"""What a problem is called in the form, where the core's text names members of a document.

Rule: a problem whose words are those of the JSON (``after``, ``null``, a constraint) has a row here
in the words of the page (Becomes, removed, a rule), and records and rules are counted from 1, as
the page counts them; every other problem keeps the core's text. The reason: who fills in a form has
never seen the document that it is written as.
"""

from __future__ import annotations

from collections.abc import Mapping

from webapp.core.problems import Problem, Text
from webapp.web.texts import Said, gettext, say

IN_FORM: Mapping[str, Text] = {
    "change-empty": Text(
        "Nothing changes yet.",
        "Give at least one attribute a value under “Becomes”, or choose “removed” there.",
    ),
    "before-unknown": Text(
        "What “{name}” is now is not said, and its lock cannot follow without it.",
        "Give its value under “Now”, or choose “absent” there if the record does not have it.",
    ),
    "required-missing": Text("“{name}” is required by the rule {namespace}.", "Give it a value."),
    "key-part-missing": Text("The key needs a value for “{name}”.", "Give it under “{name}”."),
    "key-too-long": Text(
        "The {role} key has {count:,} bytes; DynamoDB allows {limit:,}.",
        "Shorten it, or let the rule write a digest of the value into the lock’s key.",
    ),
    "nothing-unique": Text("Nothing is protected: there is no rule yet.", "Add a rule."),
    "constraint-twice": Text("This rule is the same as rule {other}.", "Remove one of them."),
    "attribute-twice": Text("“{name}” stands twice in one rule.", "Keep one of them."),
    "namespace-shared": Text(
        "“{namespace}” is used by two rules that differ in {difference}.",
        "Rules of one namespace need the same number of attributes, the same spelling rules and "
        "the same digest; or give each its own namespace.",
    ),
    "types-mixed": Text(
        "{namespace} gets values of type {tag} and of type {other}, which would share locks.",
        "Rules of one namespace need values of one type.",
    ),
    "claimed-twice": Text(
        "Record {one} and record {other} claim one lock of {namespace}.",
        "Give one of them another value.",
    ),
    "held-twice": Text(
        "Record {one} and record {other} cannot both have held one lock of {namespace}.",
        "Load both records again: at least one value under “Now” is out of date.",
    ),
    "record-twice": Text(
        "Record {one} and record {other} are the same record.",
        "Make them one: DynamoDB refuses two actions on one item.",
    ),
    "lock-table-same": Text(
        "“{name}” is the records’ own table.",
        "Name another table, or leave the locks in the table of the records.",
    ),
    "secret-missing": Text(
        "{namespace} uses HMAC-SHA-256, and the server was started without a secret.",
        "Start Lockwright with the secret in LOCKWRIGHT_SECRET; it is never stored.",
    ),
}


COUNTED_FROM_ZERO = frozenset({"claimed-twice", "held-twice", "record-twice"})
"""The problems that name two records by their places in the document."""


def say_in_form(problem: Problem) -> Said:
    """The texts of a problem in the words of the form."""
    text = IN_FORM.get(problem.code)
    if text is None:
        return say(problem)
    params = dict(problem.params)
    if problem.code in COUNTED_FROM_ZERO:
        params |= {name: int(str(params[name])) + 1 for name in ("one", "other")}
    return Said(gettext(text.message).format_map(params), gettext(text.hint).format_map(params))
