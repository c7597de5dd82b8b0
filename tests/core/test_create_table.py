"""The ways to make a design's tables: exact texts, and names that stay names."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.core.test_tables import OWN_TABLE
from tests.samples import DESIGN, Json
from webapp.core import documents
from webapp.core.planning.create_table import Surroundings, create_request, quoted, recipes
from webapp.core.planning.keys import KeyAttribute, KeySchema
from webapp.core.planning.tables import DesignTable, tables_of

AWS = Surroundings(("--region", "eu-west-1", "--profile", "ops; rm -rf /"))
LOCAL = Surroundings(
    ("--endpoint-url", "http://127.0.0.1:8000", "--region", "us-east-1"),
    {"AWS_ACCESS_KEY_ID": "lockwright", "AWS_SECRET_ACCESS_KEY": "lockwright"},
)
RECORDS_REQUEST: Json = {
    "TableName": "accounts",
    "AttributeDefinitions": [
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
LOCKS_REQUEST: Json = {
    "TableName": "locks",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
YAML = """\
Resources:
  RecordsTable:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      TableName: "accounts"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - AttributeName: "PK"
          AttributeType: S
        - AttributeName: "SK"
          AttributeType: S
      KeySchema:
        - AttributeName: "PK"
          KeyType: HASH
        - AttributeName: "SK"
          KeyType: RANGE
"""
HCL = """\
resource "aws_dynamodb_table" "records" {
  name         = "accounts"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "PK"
  range_key    = "SK"

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  lifecycle {
    prevent_destroy = true
  }
}
"""


def tables(design: Json) -> tuple[DesignTable, ...]:
    return tables_of(documents.read_design(design))


def test_the_worked_example_in_every_way() -> None:
    cli, stack, terraform = recipes(tables(DESIGN), LOCAL, Surroundings())
    assert [(f.name, json.loads(f.text)) for f in cli.files] == [
        ("create-records.json", RECORDS_REQUEST)
    ]
    assert cli.commands == (
        "AWS_ACCESS_KEY_ID=lockwright AWS_SECRET_ACCESS_KEY=lockwright "
        "aws dynamodb create-table --cli-input-json file://create-records.json "
        "--endpoint-url http://127.0.0.1:8000 --region us-east-1"
    )
    assert stack.files == (("tables.yaml", YAML),)
    assert stack.commands == (
        "aws cloudformation deploy --stack-name lockwright-tables --template-file tables.yaml"
    )
    assert terraform.files == (("tables.tf", HCL),)
    assert terraform.commands == "terraform init\nterraform apply"


def test_a_lock_table_of_its_own_is_made_beside_it() -> None:
    cli, stack, terraform = recipes(tables(OWN_TABLE), AWS)
    assert [json.loads(file.text) for file in cli.files] == [RECORDS_REQUEST, LOCKS_REQUEST]
    assert [shlex.split(line)[2:5] for line in cli.commands.splitlines()] == [
        ["create-table", "--cli-input-json", "file://create-records.json"],
        ["create-table", "--cli-input-json", "file://create-locks.json"],
    ]
    assert stack.files[0].text.count("Type: AWS::DynamoDB::Table") == 2
    assert "  LocksTable:\n" in stack.files[0].text
    assert terraform.files[0].text.count('resource "aws_dynamodb_table"') == 2
    assert "range_key" not in terraform.files[0].text.partition('"locks"')[2]


def test_B77_what_stands_behind_an_option_is_one_word_whatever_it_holds() -> None:
    cli, stack, _ = recipes(tables(DESIGN), AWS)
    for recipe in (cli, stack):
        assert shlex.split(recipe.commands)[-2:] == ["--profile", "ops; rm -rf /"]


@pytest.mark.parametrize(
    ("name", "in_yaml", "in_hcl"),
    [
        ("é#😀", '"é#😀"', '"é#😀"'),
        ('a"b\\c', r'"a\"b\\c"', r'"a\"b\\c"'),
        ("${x}%{y}", '"${x}%{y}"', '"$${x}%%{y}"'),
        ("a\nb: c", r'"a\u000ab: c"', r'"a\u000ab: c"'),
        ("\u2028\x7f\U000e0001", r'"\u2028\u007f\U000e0001"', r'"\u2028\u007f\U000e0001"'),
        ("no", '"no"', '"no"'),
        ("1.0", '"1.0"', '"1.0"'),
    ],
)
def test_a_key_name_stays_a_name(name: str, in_yaml: str, in_hcl: str) -> None:
    assert quoted(name) == in_yaml
    design = {**DESIGN, "partition_key": {"name": name, "type": "S"}}
    cli, stack, terraform = recipes(tables(design), Surroundings())
    assert json.loads(cli.files[0].text)["KeySchema"][0]["AttributeName"] == name
    assert f"        - AttributeName: {in_yaml}\n" in stack.files[0].text
    assert f"  hash_key     = {in_hcl}\n" in terraform.files[0].text


def test_every_key_type_is_kept() -> None:
    schema = KeySchema(KeyAttribute("n", "N", "partition"), KeyAttribute("b", "B", "sort"))
    assert create_request("t-1", schema)["AttributeDefinitions"] == [
        {"AttributeName": "n", "AttributeType": "N"},
        {"AttributeName": "b", "AttributeType": "B"},
    ]
