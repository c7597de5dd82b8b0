"""Interleaved timing: each round runs every competitor once, in turn."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median

Job = Callable[[], object]
ROUNDS = 41
LEAST_SECONDS = 0.004


def repeats_for(job: Job) -> int:
    """How often to repeat a job in one round so that the clock's step does not matter."""
    repeats = 1
    while True:
        if seconds_of(job, repeats) >= LEAST_SECONDS:
            return repeats
        repeats *= 2


def seconds_of(job: Job, repeats: int) -> float:
    """Processor seconds that ``repeats`` runs of a job take together, whatever else runs."""
    started = time.process_time()
    for _ in range(repeats):
        job()
    return time.process_time() - started


def microseconds(jobs: Mapping[str, Job], rounds: int = ROUNDS) -> dict[str, float]:
    """The median time of one run of each job, in microseconds, from interleaved rounds."""
    repeats = {name: repeats_for(job) for name, job in jobs.items()}
    times: dict[str, list[float]] = {name: [] for name in jobs}
    gc.collect()
    for _ in range(rounds):
        for name, job in jobs.items():
            times[name].append(seconds_of(job, repeats[name]) / repeats[name] * 1e6)
    return {name: median(found) for name, found in times.items()}


def show(title: str, found: Mapping[str, float], baseline: str, unit: str = "µs") -> None:
    """Print the medians with their ratio to the ``baseline``."""
    print(f"\n{title}  (baseline: {baseline})")
    for name, value in found.items():
        print(f"  {name:<58} {value:>10,.1f} {unit}  {value / found[baseline]:>7.2f} ×")
