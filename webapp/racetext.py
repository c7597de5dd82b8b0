"""The race as text, for a terminal.

Rule: one line is one sign-up and one column the same time in every way, so that the three ways can
be compared by eye; what a mark means is said once, above. The reason: the picture on the page must
not be the only way to see it.
"""

from __future__ import annotations

from collections.abc import Iterator

from webapp.race import (
    BOUNDS,
    EMAIL,
    FREE,
    READ,
    STATES,
    TAKEN,
    VERDICTS,
    WAYS,
    WRITE,
    WRITTEN,
    Heat,
    Lane,
    Report,
    Step,
)

COLUMNS = 64
MARKS = {"first": "A", "another": "+", "taken": "x", "failed": "!", "": " "}
LEGEND = (
    "? looks   . thinks   = writes   A the first account   + one more account   "
    "x told “taken”   ! failed"
)


def write_report(report: Report) -> str:
    """The whole report: what was done, and for each way the accounts and the timeline."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    race = report.race
    yield (
        f"{race.sign_ups} sign-ups for {EMAIL} at once, "
        f"{race.gap_ms:,} ms between look and write on average, seed {race.seed}"
    )
    yield f"at {report.place}. {STATES[report.state]}"
    if report.trouble:
        yield f"{report.trouble.message} {report.trouble.hint}"
    if report.left:
        yield f"The scratch table {report.left} could not be removed."
    if report.heats:
        yield f"\n{LEGEND}"
    per_column = max(heat.last_ms for heat in report.heats) / COLUMNS if report.heats else 0.0
    for heat in report.heats:
        yield from _heat_lines(heat, race.sign_ups, per_column or 1.0)


def _heat_lines(heat: Heat, sign_ups: int, per_column: float) -> Iterator[str]:
    way = WAYS[heat.way]
    yield f"\n{way.name} ({'a guarantee' if way.is_guarantee else 'no guarantee'})"
    yield f"  {way.does}"
    for lane in heat.lanes(sign_ups):
        yield f"  {lane.number:>{len(str(BOUNDS['sign_ups'].high))}} {_drawn(lane, per_column)}"
    yield f"  {counts(heat)}"
    if heat.verdict:
        yield f"  {owners(heat)} {VERDICTS[heat.verdict]}"


def counts(heat: Heat) -> str:
    """Who was told what, in one line."""
    said = [
        f"{heat.count(READ, FREE)} told “free”" if WAYS[heat.way].looks else "",
        f"{heat.count(READ, TAKEN) + heat.count(WRITE, TAKEN)} told “taken”",
        f"{heat.count(WRITE, WRITTEN)} wrote",
        f"{heat.failed} failed" if heat.failed else "",
    ]
    return ", ".join(filter(None, said))


def owners(heat: Heat) -> str:
    """How many accounts own the address in the end."""
    one = heat.accounts == 1
    return f"{heat.accounts} account{'' if one else 's'} own{'s' if one else ''} {EMAIL}."


def _drawn(lane: Lane, per_column: float) -> str:
    row = [" "] * (COLUMNS + 2)
    if lane.look and lane.write:
        _fill(row, lane.look.ended_ms, lane.write.began_ms, per_column, ".")
    for step, sign in ((lane.look, "?"), (lane.write, "=")):
        if step:
            _fill(row, step.began_ms, step.ended_ms, per_column, sign)
    last: Step | None = lane.write or lane.look
    if last and lane.end:
        row[int(last.ended_ms / per_column) + 1] = MARKS[lane.end]
    return "".join(row).rstrip()


def _fill(row: list[str], began: float, ended: float, per_column: float, sign: str) -> None:
    for column in range(int(began / per_column), int(ended / per_column) + 1):
        row[column] = sign
