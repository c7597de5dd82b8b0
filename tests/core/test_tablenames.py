"""What names a table: its name or its ARN, and nothing that only looks like one."""

from __future__ import annotations

import pytest

from tests.samples import ADA, DESIGN, change, create, plan
from webapp.core.linting.lint import lint
from webapp.core.tablenames import is_table_name, is_table_reference, table_name

ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts"
REFERENCES = {
    "accounts": "accounts",
    "a.b": "a.b",
    "x" * 255: "x" * 255,
    ARN: "accounts",
    "arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/a_b-c.d": "a_b-c.d",
    "arn:aws-cn:dynamodb:cn-north-1:000000000000:table/abc": "abc",
    "arn:aws:dynamodb:ddblocal:000000000000:table/" + "x" * 255: "x" * 255,
}


@pytest.mark.parametrize(("given", "name"), REFERENCES.items())
def test_a_table_is_named_by_its_name_or_by_its_arn(given: str, name: str) -> None:
    assert (is_table_reference(given), table_name(given)) == (True, name)
    assert is_table_name(given) is (given == name)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "ab",
        "a b",
        "x" * 256,
        "accounts\n",
        "arn:aws:dynamodb:x",
        "arn:aws:s3:eu-west-1:123456789012:table/accounts",
        "arn:aws:dynamodb:eu-west-1:12345:table/accounts",
        "arn:aws:dynamodb:eu-west-1:123456789012:table/ab",
        f"{ARN}/index/by-email",
        f"{ARN}\n",
        pytest.param(
            f"arn:aws:dynamodb:{'x' * 1_000}:123456789012:table/accounts", id="too long an ARN"
        ),
    ],
)
def test_what_names_no_table(given: str) -> None:
    assert not is_table_reference(given)
    assert table_name(given) == given


@pytest.mark.parametrize(
    "changes", [[create(ADA)], [change(ADA, {"email": {"S": "new@x"}})]], ids=["create", "change"]
)
@pytest.mark.parametrize("design", [None, DESIGN], ids=["alone", "with its design"])
def test_a_transaction_says_the_same_by_arn_as_by_name(
    changes: list[dict[str, object]], design: object
) -> None:
    request = plan(*changes, token="t").as_document()["request"]
    bodies = [body for item in request["TransactItems"] for body in item.values()]
    assert lint(request, design).as_document()["warnings"] == []
    for body in bodies:
        body["TableName"] = ARN
    assert lint(request, design).as_document() == {"valid": True, "problems": [], "warnings": []}
    for body in bodies:
        body.pop("ConditionExpression", None)
    assert "lock-unguarded" in [a.problem.code for a in lint(request, design).warnings]
