"""The picture of a race: where each bar and each mark stands.

Rule: the page draws one row for each sign-up and the same time at the same place in every way;
places along the time are percentages and heights are pixels. The reason: a picture that is as wide
as its column needs no script and no style of its own, and its letters stay readable on a phone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webapp.race import WAYS, Heat, Lane, Race, Step

TOP = 24
FOOT = 22
# From so many sign-ups on, a row is that high (pixels).
ROW_HEIGHTS = ((0, 15.0), (41, 9.0), (81, 5.0), (121, 3.4))
NUMBERED_FROM_HEIGHT = 12.0
TICKS = 4
STEPS_OF_TICKS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a row: what it stands for, and its beginning and length in percent."""

    kind: str
    x: str
    end: str
    width: str


@dataclass(frozen=True, slots=True)
class Row:
    """One sign-up: its middle in pixels, its bars, and the marks at their ends (kind, place)."""

    number: int
    end: str
    y: float
    bars: tuple[Bar, ...]
    marks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on the axis."""

    x: str
    label: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The picture of one way. ``first`` is where the first account was written.

    ``mark`` is half the size of a mark and ``bar`` the height of a bar, in pixels; ``gap`` says
    whether the time before the first account is drawn as the time in which nobody can be seen.
    """

    way: str
    height: float
    top: float
    foot: float
    row_height: float
    mark: float
    bar: float
    rows: tuple[Row, ...]
    ticks: tuple[Tick, ...]
    first: str
    first_label: str
    is_first_late: bool
    gap: bool

    @property
    def is_numbered(self) -> bool:
        """Whether a row is high enough for its number."""
        return self.row_height >= NUMBERED_FROM_HEIGHT


def scale_of(race: Race, heats: tuple[Heat, ...]) -> float:
    """The milliseconds from one end of the pictures to the other, for all ways of a race."""
    return max(1.0, race.gap_ms * 2.0, *(heat.last_ms for heat in heats)) * 1.03


def timeline_of(heat: Heat, race: Race, scale: float) -> Timeline:
    """The picture of one way, as wide as ``scale`` milliseconds."""
    height = row_height(race.sign_ups)
    foot = TOP + height * race.sign_ups
    first = heat.first_written_ms
    return Timeline(
        way=heat.way,
        height=round(foot + FOOT, 1),
        top=TOP,
        foot=round(foot, 1),
        row_height=height,
        mark=round(min(max(height * 0.36, 2.0), 4.2), 2),
        bar=round(min(height * 0.6, 5.5), 2),
        rows=tuple(_row(lane, height, scale) for lane in heat.lanes(race.sign_ups)),
        ticks=tuple(_ticks(scale)),
        first="" if first is None else _percent(first, scale),
        first_label="" if first is None else f"{first:.0f} ms",
        is_first_late=first is not None and first > scale / 2,
        gap=WAYS[heat.way].looks,
    )


def row_height(sign_ups: int) -> float:
    """How high the row of one sign-up is, in pixels."""
    return next(high for least, high in reversed(ROW_HEIGHTS) if sign_ups >= least)


def _row(lane: Lane, height: float, scale: float) -> Row:
    middle = round(TOP + (lane.number - 0.5) * height, 2)
    return Row(lane.number, lane.end, middle, tuple(_bars(lane, scale)), tuple(_marks(lane, scale)))


def _bars(lane: Lane, scale: float) -> Iterator[Bar]:
    if lane.look and lane.write:
        yield _bar("thinks", lane.look.ended_ms, lane.write.began_ms, scale)
    for step in filter(None, (lane.look, lane.write)):
        yield _bar(step.kind, step.began_ms, step.ended_ms, scale)


def _bar(kind: str, began: float, ended: float, scale: float) -> Bar:
    places = (_percent(ms, scale) for ms in (began, ended, ended - began))
    return Bar(kind, *places)


def _marks(lane: Lane, scale: float) -> Iterator[tuple[str, str]]:
    if lane.look and (lane.write or not lane.end):
        yield lane.look.answer, _percent(lane.look.ended_ms, scale)
    last: Step | None = lane.write or lane.look
    if last and lane.end:
        yield lane.end, _percent(last.ended_ms, scale)


def _ticks(scale: float) -> Iterator[Tick]:
    step = next(size for size in _tick_sizes() if scale / size <= TICKS)
    for number in range(int(scale / step) + 1):
        at = number * step
        if at < scale * 0.94:
            yield Tick(_percent(at, scale), f"{at:,} ms" if at else "0")


def _tick_sizes() -> Iterator[int]:
    return (base * 10**power for power in range(7) for base in STEPS_OF_TICKS)


def _percent(ms: float, scale: float) -> str:
    return f"{100 * ms / scale:.2f}%"
