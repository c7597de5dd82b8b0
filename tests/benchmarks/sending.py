"""Transactions per second through the gateway, next to a bare boto3 loop on the same engine."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import boto3
from botocore.config import Config

from webapp import local
from webapp.answers import Committed
from webapp.endpoints import LOCAL_KEY_ID, LOCAL_SECRET, Endpoint
from webapp.gateway import Gateway

ROUNDS = 7
RUNS = 300
WORKERS = (1, 8)
TABLE = "accounts"

Job = Callable[[dict[str, Any]], None]


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
    return lambda request: client.transact_write_items(**request)


def through(gateway: Gateway) -> Job:
    """The gateway, with the text made anew for each run."""

    def send(request: dict[str, Any]) -> None:
        answer = gateway.send(json.dumps(request).encode())
        assert isinstance(answer, Committed), answer

    return send


def rate(job: Job, workers: int, name: str) -> float:
    """Transactions per second of one round."""
    requests = [request_of(f"{name}-{number}") for number in range(RUNS)]
    with ThreadPoolExecutor(workers) as pool:
        started = time.perf_counter()
        list(pool.map(job, requests))
        return RUNS / (time.perf_counter() - started)


def rates(jobs: Mapping[str, Job], workers: int) -> dict[str, float]:
    """The median rate of each job from interleaved rounds."""
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for number in range(ROUNDS):
        for name, job in jobs.items():
            found[name].append(rate(job, workers, f"{name}-{workers}-{number}"))
    return {name: median(values) for name, values in found.items()}


def main() -> None:
    """Print the rates for one worker and for eight."""
    with (
        tempfile.TemporaryDirectory() as folder,
        local.running(Path(folder), 0, keep=False) as engine,
    ):
        gateway = Gateway(engine.endpoint)
        gateway.create_table(TABLE, ("PK", "S"), ("SK", "S"))
        jobs = {"bare": bare(engine.endpoint), "gateway": through(gateway)}
        for workers in WORKERS:
            found = rates(jobs, workers)
            print(f"\nTransactions per second, {workers} workers  (baseline: bare boto3)")
            for name, value in found.items():
                print(f"  {name:<58} {value:>10,.0f}     {value / found['bare']:>7.2f} ×")


if __name__ == "__main__":
    main()
