"""A filter of twelve conditions rendered and read, next to boto3; how reading grows."""

from __future__ import annotations

from functools import reduce
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionExpressionBuilder

from tests.benchmarks.rounds import Job, microseconds, show
from webapp.core.aliases import Aliases
from webapp.core.expressions import builder
from webapp.core.expressions.checks import check_condition
from webapp.core.expressions.dictionaries import Dictionary
from webapp.core.expressions.nodes import Condition, as_condition
from webapp.core.expressions.parse import parse_condition
from webapp.core.expressions.places import Findings
from webapp.core.expressions.render import condition_text
from webapp.core.expressions.tree_reader import TreeReader
from webapp.core.problems import Problems
from webapp.core.values import Value, Where

CONDITIONS: list[dict[str, Any]] = [
    {"op": "=", "path": "status", "value": {"S": "active"}},
    {"op": "<>", "path": "plan", "value": {"S": "free"}},
    {"op": ">", "path": "visits", "value": {"N": "10"}},
    {"op": ">=", "path": "score", "value": {"N": "7"}},
    {"op": "<", "path": "created", "value": {"S": "2026"}},
    {"op": "<=", "path": "updated", "value": {"S": "2027"}},
    {"op": "between", "path": "age", "low": {"N": "18"}, "high": {"N": "65"}},
    {"op": "in", "path": "city", "values": [{"S": "London"}, {"S": "Paris"}, {"S": "Rome"}]},
    {"op": "begins_with", "path": "name", "value": {"S": "A"}},
    {"op": "contains", "path": "tags", "value": {"S": "vip"}},
    {"op": "attribute_exists", "path": "profile.email"},
    {"op": "attribute_not_exists", "path": "deleted"},
]
FILTER = {"op": "and", "args": CONDITIONS}
SCAN = {"operation": "Scan", "table": "accounts", "filter": FILTER}


def boto3_filter() -> Any:
    """The same twelve conditions as boto3's own tree."""
    return reduce(
        lambda one, other: one & other,
        [
            Attr("status").eq("active"),
            Attr("plan").ne("free"),
            Attr("visits").gt(10),
            Attr("score").gte(7),
            Attr("created").lt("2026"),
            Attr("updated").lte("2027"),
            Attr("age").between(18, 65),
            Attr("city").is_in(["London", "Paris", "Rome"]),
            Attr("name").begins_with("A"),
            Attr("tags").contains("vip"),
            Attr("profile.email").exists(),
            Attr("deleted").not_exists(),
        ],
    )


def tree() -> Condition:
    """The filter as this project's tree."""
    found = TreeReader(Problems()).condition(FILTER, Where(None, "filter"))
    assert found is not None
    return as_condition(found)


def jobs() -> dict[str, Job]:
    """Everything that is measured side by side."""
    ours, theirs, request = tree(), boto3_filter(), builder.expression(SCAN).request
    values = {
        token: Value(next(iter(wire)), wire, 1)
        for token, wire in request["ExpressionAttributeValues"].items()
    }
    dictionary = Dictionary(request["ExpressionAttributeNames"], values)

    def checked_text() -> str:
        check_condition(ours, Findings([], []))
        return condition_text(ours, Aliases())

    return {
        "boto3 ConditionExpressionBuilder, tree to text": lambda: (
            ConditionExpressionBuilder().build_expression(theirs)
        ),
        "Lockwright, tree to text": lambda: condition_text(ours, Aliases()),
        "Lockwright, all checks and tree to text": checked_text,
        "Lockwright, text to tree": lambda: parse_condition(
            request["FilterExpression"], "/filter", dictionary, Findings([], [])
        ),
        "Lockwright, document to request, all checks": lambda: builder.expression(SCAN),
        "Lockwright, request to document, all checks": lambda: builder.parse(request),
    }


def text_of(size: int) -> str:
    """A condition text of about ``size`` characters."""
    parts = ["a < b"]
    while sum(map(len, parts)) + 5 * len(parts) < size - 10:
        parts.append(f"name_{len(parts) % 10} = other")
    return " AND ".join(parts)


def growth() -> dict[str, float]:
    """The time to read texts of growing length."""
    texts = {size: text_of(size) for size in (512, 1024, 2048, 4096)}
    nothing = Dictionary({}, {})
    return microseconds(
        {
            f"{len(text):,} characters": lambda text=text: parse_condition(  # type: ignore[misc]
                text, "/filter", nothing, Findings([], [])
            )
            for text in texts.values()
        }
    )


def main() -> None:
    """Print both tables."""
    baseline = "boto3 ConditionExpressionBuilder, tree to text"
    show("A filter of twelve conditions", microseconds(jobs()), baseline)
    found = growth()
    show("Reading a text, by length", found, next(iter(found)))


if __name__ == "__main__":
    main()
