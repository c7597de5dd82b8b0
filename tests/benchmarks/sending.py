"""Transactions per second through the gateway, next to a bare boto3 loop on the same engine.

The engine is a process of its own and takes most of the time; the processor time of our own process
for one transaction is printed as well, because it does not depend on who else uses the machine.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import boto3
from botocore.config import Config

from tests.benchmarks.rounds import show
from webapp import local
from webapp.answers import Committed
from webapp.endpoints import LOCAL_KEY_ID, LOCAL_SECRET, Endpoint
from webapp.gateway import Gateway
from webapp.runs import outcome_document, read_run
from webapp.sending import Sending

ROUNDS = 9
RUNS = 160
WORKERS = (1, 8)
TABLE = "accounts"
DESIGN = {
    "version": 1,
    "table": TABLE,
    "partition_key": {"name": "PK", "type": "S"},
    "sort_key": {"name": "SK", "type": "S"},
    "record": {"partition": "ACCT#{id}", "sort": "PROFILE"},
    "lock": {"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK"},
    "unique": [
        {"namespace": "email", "attributes": ["email"]},
        {"namespace": "handle", "attributes": ["username"]},
    ],
}

Job = Callable[[str], None]


class Pace(NamedTuple):
    """How quick a job is: transactions per second, and milliseconds of our processor for one."""

    rate: float
    milliseconds: float


def request_of(name: str) -> dict[str, Any]:
    """A create of three guarded items, as new as its name."""
    puts = [
        {
            "Put": {
                "TableName": TABLE,
                "Item": {"PK": {"S": f"{name}#{part}"}, "SK": {"S": "PROFILE"}},
                "ConditionExpression": "attribute_not_exists(PK)",
            }
        }
        for part in ("record", "email", "handle")
    ]
    return {"TransactItems": puts, "ClientRequestToken": name}


def bare(endpoint: Endpoint) -> Job:
    """What a program does without Lockwright: boto3's client and a dict."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=endpoint.url,
        region_name=endpoint.region,
        aws_access_key_id=LOCAL_KEY_ID,
        aws_secret_access_key=LOCAL_SECRET,
        config=Config(max_pool_connections=64),
    )
    return lambda name: client.transact_write_items(**request_of(name))


def through(gateway: Gateway) -> Job:
    """The gateway, with the text made anew for each run."""

    def send(name: str) -> None:
        answer = gateway.send(json.dumps(request_of(name)).encode())
        assert isinstance(answer, Committed), answer

    return send


def whole(gateway: Gateway) -> Job:
    """A whole run: a plan request is read and planned, sent, and its outcome told."""

    def run(name: str) -> None:
        item = {"email": {"S": name}, "username": {"S": name}}
        change = {"operation": "create", "key": {"id": name}, "item": item}
        asked = read_run({"design": DESIGN, "changes": [change], "token": name})
        ended = Sending(asked, gateway).carry_out()
        outcome = outcome_document(asked, ended.answer, ended.standing)
        assert outcome["committed"], outcome

    return run


def pace(job: Job, workers: int, name: str) -> Pace:
    """How quick a job is in one round."""
    names = [f"{name}-{number}" for number in range(RUNS)]
    with ThreadPoolExecutor(workers) as pool:
        started, worked = time.perf_counter(), time.process_time()
        list(pool.map(job, names))
        worked, ended = time.process_time() - worked, time.perf_counter()
        return Pace(RUNS / (ended - started), worked / RUNS * 1000)


def paces(jobs: Mapping[str, Job], workers: int) -> dict[str, Pace]:
    """The medians of each job from interleaved rounds; each round begins with another job."""
    found: dict[str, list[Pace]] = {name: [] for name in jobs}
    for number in range(ROUNDS):
        for name in [*jobs][number % len(jobs) :] + [*jobs][: number % len(jobs)]:
            found[name].append(pace(jobs[name], workers, f"{name}-{workers}-{number}"))
    return {
        name: Pace(median(one.rate for one in all_), median(one.milliseconds for one in all_))
        for name, all_ in found.items()
    }


def compare(workers: int) -> None:
    """Print the paces with that many workers, before an engine that has nothing yet."""
    with (
        tempfile.TemporaryDirectory() as folder,
        local.running(Path(folder), 0, keep=False) as engine,
    ):
        gateway = Gateway(engine.endpoint)
        gateway.create_table(TABLE, ("PK", "S"), ("SK", "S"))
        found = paces(
            {
                "bare": bare(engine.endpoint),
                "gateway": through(gateway),
                "a whole run": whole(gateway),
            },
            workers,
        )
    rates = {name: one.rate for name, one in found.items()}
    times = {name: one.milliseconds for name, one in found.items()}
    show(f"Transactions per second, {workers} workers", rates, "bare", "1/s")
    show(f"Processor time of one, {workers} workers", times, "bare", "ms ")


def main() -> None:
    """Compare for one worker and for eight; the engine gets slower with what it holds."""
    for workers in WORKERS:
        compare(workers)


if __name__ == "__main__":
    main()
