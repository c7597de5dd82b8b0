"""Tables on real engines: listed, described, compared and made, and the stack that makes them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import boto3
import pytest

from tests.core.test_tables import LOCK_TABLE
from tests.samples import DESIGN, LOCK, Json
from webapp.catalog import described, expires_by, make
from webapp.core import documents
from webapp.core.planning.create_table import Surroundings, create_request, recipes
from webapp.core.planning.design import Design
from webapp.core.planning.tables import compare, read_table, tables_of
from webapp.endpoints import LOCAL_KEY_ID, LOCAL_SECRET, Endpoint
from webapp.gateway import Gateway

_numbers = count(1)


@pytest.fixture(params=["engine", "moto_engine"])
def each_engine(request: pytest.FixtureRequest) -> Gateway:
    """Every engine in turn."""
    endpoint: Endpoint = request.getfixturevalue(request.param)
    return Gateway(endpoint)


def client_of(service: str, endpoint: Endpoint) -> Any:
    """boto3's own client for an engine."""
    return boto3.client(
        service,
        endpoint_url=endpoint.url,
        region_name=endpoint.region,
        aws_access_key_id=LOCAL_KEY_ID,
        aws_secret_access_key=LOCAL_SECRET,
    )


@pytest.fixture
def document() -> Json:
    """A design with a lock table of its own, of names that no other test has."""
    number = next(_numbers)
    table = {**LOCK_TABLE, "name": f"locks-of-{number}"}
    return {
        **DESIGN,
        "table": f"records-of-{number}",
        "partition_key": {"name": "é #1", "type": "S"},
        "lock": {**LOCK, "sort": None, "table": table},
    }


@pytest.fixture
def design(document: Json, each_engine: Gateway) -> Iterator[Design]:
    """That design; its tables are removed at the end."""
    design = documents.read_design(document)
    yield design
    for name in set(each_engine.tables()) & {design.record.table, design.lock.table}:
        each_engine.delete_table(name)


def differences(design: Design, gateway: Gateway) -> list[tuple[str, str]]:
    """Code and path of each difference between a design and the tables of an engine."""
    found = described(gateway, (table.name for table in tables_of(design)))
    return [(problem.code, problem.path) for problem in compare(design, found)]


def test_the_tables_of_a_design_are_missing_made_and_fit(
    design: Design, each_engine: Gateway
) -> None:
    assert differences(design, each_engine) == [
        ("table-absent", "/table"),
        ("table-absent", "/lock/table/name"),
    ]
    wanted = tables_of(design)
    assert make(each_engine, wanted) == tuple(table.name for table in wanted)
    assert differences(design, each_engine) == []
    assert make(each_engine, wanted) == ()
    assert {table.name for table in wanted} <= set(each_engine.tables())


def test_tables_with_other_keys_differ_at_those_keys(design: Design, each_engine: Gateway) -> None:
    each_engine.create_table(design.record.table, ("pk", "S"))
    each_engine.create_table(design.lock.table, ("pk", "N"), ("sk", "S"))
    assert differences(design, each_engine) == [
        ("table-key-name", "/partition_key/name"),
        ("table-sort-key-surplus", "/sort_key"),
        ("table-key-type", "/lock/table/partition_key/type"),
        ("table-sort-key-missing", "/lock/table/sort_key"),
    ]


def test_a_real_description_is_read(design: Design, each_engine: Gateway) -> None:
    make(each_engine, tables_of(design))
    for wanted in tables_of(design):
        table = read_table(each_engine.describe(wanted.name))
        assert (table.name, table.status, table.schema) == (wanted.name, "ACTIVE", wanted.schema)
        assert (table.indexes, table.units, table.items, table.size) == ((), None, 0, 0)
        assert expires_by(each_engine, wanted.name) is None


def test_provisioned_capacity_indexes_and_time_to_live_are_read(
    design: Design, each_engine: Gateway
) -> None:
    name = design.record.table
    client = client_of("dynamodb", each_engine.endpoint)
    client.create_table(
        TableName=name,
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "email", "AttributeType": "S"},
        ],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-email",
                "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
            }
        ],
    )
    specification = {"Enabled": True, "AttributeName": "ttl"}
    client.update_time_to_live(TableName=name, TimeToLiveSpecification=specification)
    table = read_table(each_engine.describe(name))
    assert table.units == (5, 7)
    assert [(index.name, index.kind) for index in table.indexes] == [("by-email", "global")]
    assert expires_by(each_engine, name) == "ttl"


def test_more_tables_than_a_page_of_the_list_are_all_listed(engine: Endpoint) -> None:
    gateway = Gateway(engine)
    names = [f"paged-{number:03}" for number in range(105)]
    for name in names:
        gateway.create_table(name, ("PK", "S"))
    listed = [name for name in gateway.tables() if name.startswith("paged-")]
    for name in names:
        gateway.delete_table(name)
    assert listed == names


def test_the_request_for_the_cli_makes_the_table(design: Design, each_engine: Gateway) -> None:
    client = client_of("dynamodb", each_engine.endpoint)
    for table in tables_of(design):
        client.create_table(**create_request(table.name, table.schema))
    assert differences(design, each_engine) == []


def test_the_stack_of_cloudformation_makes_the_tables(
    document: Json, moto_engine: Endpoint
) -> None:
    design = documents.read_design(document)
    _, stack, _ = recipes(tables_of(design), Surroundings())
    client = client_of("cloudformation", moto_engine)
    client.create_stack(StackName="tables", TemplateBody=stack.files[0].text)
    gateway = Gateway(moto_engine)
    assert differences(design, gateway) == []
    for table in tables_of(design):
        gateway.delete_table(table.name)
