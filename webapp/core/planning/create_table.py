"""How the tables of a design are made: for the AWS CLI, CloudFormation and Terraform.

Rule: every text says the same as the CreateTable request and nothing more than is needed: names,
keys, on-demand capacity, and for templates that the table is kept when the template goes. A name is
data: it is quoted so that no shell, YAML or HCL reads it as anything else. The reason: an attribute
name may hold any character, and what is shown here is pasted into terminals.
Sources: API reference, CreateTable; CloudFormation, AWS::DynamoDB::Table; YAML 1.2, "Double-Quoted
Style"; Terraform language, "Strings and Templates".
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from webapp.core.jsontext import pretty
from webapp.core.planning.keys import KeySchema
from webapp.core.planning.tables import DesignTable

Json = dict[str, Any]

KEY_ROLES = {"partition": "HASH", "sort": "RANGE"}
STACK = "lockwright-tables"
TERRAFORM = "terraform init\nterraform apply"
ROLES = ("records", "locks")
"""What the tables of a design are called in templates and file names, in their order."""


class File(NamedTuple):
    """A file to be kept: its name and its text."""

    name: str
    text: str


class Recipe(NamedTuple):
    """One way to make tables: what it is for, the files it needs, the commands that use them."""

    tool: str
    files: tuple[File, ...]
    commands: str


class Surroundings(NamedTuple):
    """Where commands of the AWS CLI go: its options, and the variables set before it."""

    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = {}


def create_request(table: str, schema: KeySchema) -> Json:
    """The CreateTable request for an on-demand table with these keys."""
    return {
        "TableName": table,
        "AttributeDefinitions": [
            {"AttributeName": key.name, "AttributeType": key.type} for key in schema.attributes
        ],
        "KeySchema": [
            {"AttributeName": key.name, "KeyType": KEY_ROLES[key.role]} for key in schema.attributes
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }


def recipes(
    tables: Sequence[DesignTable], at: Surroundings, deploy_at: Surroundings | None = None
) -> tuple[Recipe, ...]:
    """Every way to make the tables; ``deploy_at`` is where CloudFormation goes, if not the same."""
    return (
        _cli(tables, at),
        _cloudformation(tables, deploy_at or at),
        Recipe("Terraform", (File("tables.tf", _terraform(tables)),), TERRAFORM),
    )


def _cli(tables: Sequence[DesignTable], at: Surroundings) -> Recipe:
    files = tuple(
        File(f"create-{role}.json", pretty(create_request(table.name, table.schema)) + "\n")
        for role, table in zip(ROLES, tables, strict=False)
    )
    commands = "\n".join(
        _aws(at, "dynamodb", "create-table", "--cli-input-json", f"file://{file.name}")
        for file in files
    )
    return Recipe("AWS CLI", files, commands)


def _cloudformation(tables: Sequence[DesignTable], at: Surroundings) -> Recipe:
    file = File("tables.yaml", "\n".join(_yaml_lines(tables)) + "\n")
    deploy = ("cloudformation", "deploy", "--stack-name", STACK, "--template-file", file.name)
    return Recipe("CloudFormation", (file,), _aws(at, *deploy))


def _aws(at: Surroundings, *words: str) -> str:
    variables = [f"{name}={shlex.quote(value)}" for name, value in at.variables.items()]
    return " ".join([*variables, shlex.join(["aws", *words, *at.options])])


def _yaml_lines(tables: Sequence[DesignTable]) -> Iterator[str]:
    yield "Resources:"
    for role, table in zip(ROLES, tables, strict=False):
        yield from (f"  {role.capitalize()}Table:", "    Type: AWS::DynamoDB::Table")
        yield from ("    DeletionPolicy: Retain", "    UpdateReplacePolicy: Retain")
        yield from ("    Properties:", f"      TableName: {quoted(table.name)}")
        yield from ("      BillingMode: PAY_PER_REQUEST", "      AttributeDefinitions:")
        for key in table.schema.attributes:
            yield f"        - AttributeName: {quoted(key.name)}"
            yield f"          AttributeType: {key.type}"
        yield "      KeySchema:"
        for key in table.schema.attributes:
            yield f"        - AttributeName: {quoted(key.name)}"
            yield f"          KeyType: {KEY_ROLES[key.role]}"


def _terraform(tables: Sequence[DesignTable]) -> str:
    blocks = zip(ROLES, tables, strict=False)
    return "\n".join("\n".join(_hcl_lines(role, table)) + "\n" for role, table in blocks)


def _hcl_lines(role: str, table: DesignTable) -> Iterator[str]:
    sort = table.schema.sort
    yield f'resource "aws_dynamodb_table" "{role}" {{'
    yield f"  name         = {_hcl(table.name)}"
    yield '  billing_mode = "PAY_PER_REQUEST"'
    yield f"  hash_key     = {_hcl(table.schema.partition.name)}"
    if sort is not None:
        yield f"  range_key    = {_hcl(sort.name)}"
    for key in table.schema.attributes:
        yield from ("", "  attribute {", f"    name = {_hcl(key.name)}", f'    type = "{key.type}"')
        yield "  }"
    yield from ("", "  lifecycle {", "    prevent_destroy = true", "  }", "}")


def _hcl(text: str) -> str:
    """``text`` as a string of HCL: quoted, and no beginning of a template in it."""
    return quoted(text).replace("${", "$${").replace("%{", "%%{")


def quoted(text: str) -> str:
    """``text`` in double quotes for YAML and HCL alike; what cannot be seen is escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
