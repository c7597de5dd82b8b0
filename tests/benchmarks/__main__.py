"""Run the benchmarks of speed, or those named on the command line (``memory`` takes minutes)."""

from __future__ import annotations

import importlib
import sys

NAMES = ("plans", "expressions", "serving", "sending")


def main(names: list[str]) -> None:
    """Run the benchmarks with these names (all of ``NAMES`` when there are none)."""
    for name in names or NAMES:
        importlib.import_module(f"tests.benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
