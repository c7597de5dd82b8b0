"""The one table of everything an expression can say: comparators, functions, connectives, verbs.

Rule: a row is the whole truth about an operator: how documents and expressions spell it, what its
operands are, in which expressions it may stand, what it yields when an attribute is missing, and
how a sentence says it. Rendering, parsing, checks, select boxes, the reference page and the tests
read this table and nothing else. The reason: a builder that forgets one operator in one place is
worse than one that does not know it.
Sources: Amazon DynamoDB Developer Guide, "Condition and filter expressions, operators, and
functions", "Update expressions" and "Key condition expressions for the Query operation".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from webapp.core.values import MEMBER_TAGS, TAGS

Kind = Literal["key_condition", "filter", "condition", "update", "projection"]
"""The five kinds of expression."""


class ExpressionKind(NamedTuple):
    """One kind of expression: its member in a request, and what it is for."""

    parameter: str
    label: str
    purpose: str


KINDS: Mapping[Kind, ExpressionKind] = {
    "key_condition": ExpressionKind(
        "KeyConditionExpression",
        "key condition",
        "Which part of a table or index a Query reads: one partition, and a range of sort keys.",
    ),
    "filter": ExpressionKind(
        "FilterExpression",
        "filter",
        "Which of the items that were read are returned; what it drops has been read and paid for.",
    ),
    "condition": ExpressionKind(
        "ConditionExpression",
        "condition",
        "What must hold for the stored item, or the write is refused.",
    ),
    "update": ExpressionKind(
        "UpdateExpression", "update", "How an item is changed; what it does not name stays."
    ),
    "projection": ExpressionKind(
        "ProjectionExpression", "projection", "Which attributes of the items are returned."
    ),
}

Form = Literal[
    "comparator",
    "between",
    "in",
    "function",
    "junction",
    "negation",
    "measure",
    "arithmetic",
    "choice",
    "append",
    "verb",
]
"""How an operator is written, and by which kind of node of the tree."""

Accepts = Literal["path", "value", "operand", "operands", "condition", "conditions", "assigned"]
"""What may stand in an operand: ``assigned`` is what SET may assign, with its functions."""


class Slot(NamedTuple):
    """One operand of an operator: its member in a document, what it takes, which literal types."""

    name: str
    accepts: Accepts
    types: frozenset[str] = frozenset(TAGS)


ORDERED = frozenset({"S", "N", "B"})
TEXTUAL = frozenset({"S", "B"})
NUMERIC = frozenset({"N"})
SETS = frozenset(MEMBER_TAGS)
MEASURED = frozenset(TAGS) - {"N", "BOOL", "NULL"}
LISTS = frozenset({"L"})

_CONDITIONS: frozenset[Kind] = frozenset({"filter", "condition"})
_ALL_CONDITIONS: frozenset[Kind] = frozenset({"key_condition", "filter", "condition"})
_UPDATE: frozenset[Kind] = frozenset({"update"})


class Operator(NamedTuple):
    """One row: an operator, function, connective or verb of DynamoDB's expressions.

    ``token`` is its spelling in an expression, ``missing`` what a condition yields when its
    attribute is not there, ``sentence`` and ``label`` are templates of the explanation and the
    select box, ``sort_key`` tells whether a key condition may hold the sort key with it.
    """

    token: str
    form: Form
    slots: tuple[Slot, ...]
    kinds: frozenset[Kind]
    label: str
    sentence: str
    rule: str
    missing: bool | None = None
    sort_key: bool = False


def _comparator(
    token: str, label: str, types: frozenset[str] = frozenset(TAGS), *, is_negative: bool = False
) -> Operator:
    slots = (Slot("left", "operand", types), Slot("right", "operand", types))
    rule = (
        "Values of any type can be equal: numbers by value, sets whatever their order, lists and "
        "maps member by member. Values of different types are never equal."
        if types == frozenset(TAGS)
        else "Only strings, numbers and binary have an order: strings by their UTF-8 bytes, binary "
        "by unsigned bytes. Values of different types have none: the comparison is false."
    )
    kinds = _CONDITIONS if is_negative else _ALL_CONDITIONS
    sentence = "{0} " + label + " {1}"
    return Operator(
        token, "comparator", slots, kinds, label, sentence, rule, is_negative, not is_negative
    )


def _verb(token: str, slots: tuple[Slot, ...], label: str, sentence: str, rule: str) -> Operator:
    return Operator(token, "verb", slots, _UPDATE, label, sentence, rule)


_PATH = Slot("path", "path")
_OPERAND = Slot("path", "operand")

OPERATORS: Mapping[str, Operator] = {
    "=": _comparator("=", "equals"),
    "<>": _comparator("<>", "does not equal", is_negative=True),
    "<": _comparator("<", "is less than", ORDERED),
    "<=": _comparator("<=", "is at most", ORDERED),
    ">": _comparator(">", "is greater than", ORDERED),
    ">=": _comparator(">=", "is at least", ORDERED),
    "between": Operator(
        "BETWEEN",
        "between",
        (
            Slot("path", "operand", ORDERED),
            Slot("low", "operand", ORDERED),
            Slot("high", "operand", ORDERED),
        ),
        _ALL_CONDITIONS,
        "is between",
        "{0} is between {1} and {2}, both included",
        "Both bounds belong to the range. They have one type, and the lower one comes first.",
        missing=False,
        sort_key=True,
    ),
    "in": Operator(
        "IN",
        "in",
        (_OPERAND, Slot("values", "operands")),
        _CONDITIONS,
        "is one of",
        "{0} is one of {1}",
        "1 to 100 values, of any types; true when one of them is equal.",
        missing=False,
    ),
    "attribute_exists": Operator(
        "attribute_exists",
        "function",
        (_PATH,),
        _CONDITIONS,
        "exists",
        "{0} exists",
        "True for any value, NULL and the empty string among them.",
        missing=False,
    ),
    "attribute_not_exists": Operator(
        "attribute_not_exists",
        "function",
        (_PATH,),
        _CONDITIONS,
        "does not exist",
        "{0} does not exist",
        "True when there is no such attribute, or no item at all.",
        missing=True,
    ),
    "attribute_type": Operator(
        "attribute_type",
        "function",
        (_OPERAND, Slot("value", "value", frozenset({"S"}))),
        _CONDITIONS,
        "has the type",
        "{0} has the type {1}",
        "The type is given as a string value: S, N, B, BOOL, NULL, L, M, SS, NS or BS.",
        missing=False,
    ),
    "begins_with": Operator(
        "begins_with",
        "function",
        (Slot("path", "operand", TEXTUAL), Slot("value", "operand", TEXTUAL)),
        _ALL_CONDITIONS,
        "begins with",
        "{0} begins with {1}",
        "For strings and binary; a number has no beginning.",
        missing=False,
        sort_key=True,
    ),
    "contains": Operator(
        "contains",
        "function",
        (_OPERAND, Slot("value", "operand")),
        _CONDITIONS,
        "contains",
        "{0} contains {1}",
        "A string holds a text, binary holds bytes, a set or list holds a member. The operand is "
        "the member, never a set of members.",
        missing=False,
    ),
    "size": Operator(
        "size",
        "measure",
        (Slot("size", "operand", MEASURED),),
        _CONDITIONS,
        "size of",
        "the size of {0}",
        "Characters of a string (UTF-16 units), bytes of binary, members of a set, list or map. "
        "Numbers, Booleans and NULL have none. It stands only where it is compared.",
    ),
    "and": Operator(
        "AND",
        "junction",
        (Slot("args", "conditions"),),
        _ALL_CONDITIONS,
        "all of",
        "all of these hold",
        "Binds tighter than OR.",
    ),
    "or": Operator(
        "OR",
        "junction",
        (Slot("args", "conditions"),),
        _CONDITIONS,
        "at least one of",
        "at least one of these holds",
        "Binds loosest of all.",
    ),
    "not": Operator(
        "NOT",
        "negation",
        (Slot("arg", "condition"),),
        _CONDITIONS,
        "not",
        "this does not hold",
        "Binds tighter than AND. It also turns what a missing attribute yields.",
    ),
    "set": _verb(
        "SET",
        (Slot("set", "path"), Slot("to", "assigned")),
        "set",
        "set {0} to {1}",
        "Writes a value. Every value on the right is read before anything is written; a list index "
        "beyond the end appends.",
    ),
    "remove": _verb(
        "REMOVE",
        (Slot("remove", "path"),),
        "remove",
        "remove {0}",
        "Takes an attribute or list element away; the elements behind it move up.",
    ),
    "add": _verb(
        "ADD",
        (Slot("add", "path"), Slot("value", "value", NUMERIC | SETS)),
        "add",
        "add {1} to {0}",
        "Adds a number, or puts members into a set; what is missing counts as 0 or as empty. "
        "Documented for top-level attributes.",
    ),
    "delete": _verb(
        "DELETE",
        (Slot("delete", "path"), Slot("value", "value", SETS)),
        "delete",
        "delete {1} from {0}",
        "Takes members out of a set; the attribute goes with its last member. Documented for "
        "top-level attributes.",
    ),
    "plus": Operator(
        "+",
        "arithmetic",
        (Slot("left", "assigned", NUMERIC), Slot("right", "assigned", NUMERIC)),
        _UPDATE,
        "plus",
        "{0} plus {1}",
        "One + or − for each SET, outside of functions; both operands are numbers.",
    ),
    "minus": Operator(
        "-",
        "arithmetic",
        (Slot("left", "assigned", NUMERIC), Slot("right", "assigned", NUMERIC)),
        _UPDATE,
        "minus",
        "{0} minus {1}",
        "One + or − for each SET, outside of functions; both operands are numbers.",
    ),
    "if_not_exists": Operator(
        "if_not_exists",
        "choice",
        (_PATH, Slot("otherwise", "assigned")),
        _UPDATE,
        "if it does not exist",
        "{0}, or {1} if that does not exist",
        "The attribute's value if there is one, else the second operand. The first is a path.",
    ),
    "list_append": Operator(
        "list_append",
        "append",
        (Slot("first", "assigned", LISTS), Slot("second", "assigned", LISTS)),
        _UPDATE,
        "list with list appended",
        "the list {0} followed by the list {1}",
        "The members of the first list, then those of the second: put the attribute second to add "
        "at the front. It cannot stand inside itself.",
    ),
}


def operators_of(kind: Kind) -> dict[str, Operator]:
    """Choose the rows that may stand in an expression of the kind, in the table's order."""
    return {op: row for op, row in OPERATORS.items() if kind in row.kinds}


COMPARATORS = frozenset(op for op, row in OPERATORS.items() if row.form == "comparator")
VERBS = tuple(op for op, row in OPERATORS.items() if row.form == "verb")
FUNCTIONS: Mapping[str, str] = {
    row.token: op
    for op, row in OPERATORS.items()
    if row.form in {"function", "measure", "choice", "append"}
}
"""Function names as an expression spells them (in lower case only) and their rows."""

KEYWORDS: Mapping[str, str] = {
    row.token: op for op, row in OPERATORS.items() if row.token.isalpha() and row.token.isupper()
}
"""Words that DynamoDB reads in any letter case, spelled in capitals, and their rows."""
