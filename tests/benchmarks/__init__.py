"""Benchmarks: medians and ratios against a named baseline, in one run.

Rounds of the competitors are interleaved, so that a busy machine slows all of them alike; only the
ratios mean anything. Run them with ``make bench``, or one of them with ``make bench ARGS=plans``.
"""
