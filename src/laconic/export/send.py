"""Sends what an endpoint has not taken yet: first the sums, then decisions, if they are wanted.

Each is marked as taken only after the receiver said so. What it took without our hearing of it is
sent again: sums are the same then, and decisions have ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from laconic.export import otlp
from laconic.export.cursor import Cursor
from laconic.export.leaving import Leaving, leaving
from laconic.export.sums import add_decision, add_runs
from laconic.export.unsent import Line, names, unsent
from laconic.record import queries
from laconic.record.database import reading
from laconic.settings.config import Export

Post = Callable[[str, bytes], str]

_MOST_AT_ONCE = 1000


class Sent(NamedTuple):
    """How much was taken, and what there is to say about it."""

    sums: int
    decisions: int
    notes: tuple[str, ...]


def send(
    state_dir: Path,
    cursor: Cursor,
    export: Export,
    about: Mapping[str, str],
    post: Post,
    keep: Callable[[], None],
    now: float,
) -> Sent:
    """Send what is new.

    post: takes a path and a body, and returns a complaint. keep: writes the cursor down.
    """
    notes = _sum_up(state_dir, cursor, now)
    body = otlp.metrics(cursor.counters, about, since=cursor.since, now=now)
    if cursor.counters:
        notes.append(post(otlp.METRICS_PATH, body))
    keep()
    count = 0
    if export.decisions:
        notes.append(_gone(state_dir, cursor.sent, "sent"))
        for lines, batch in _batches(state_dir, cursor, with_command=export.commands):
            if batch:
                notes.append(post(otlp.LOGS_PATH, otlp.logs(batch, about, now=now)))
            _move(cursor.sent, lines)
            keep()
            count += len(batch)
    return Sent(len(cursor.counters), count, tuple(dict.fromkeys(filter(None, notes))))


def _sum_up(state_dir: Path, cursor: Cursor, now: float) -> list[str]:
    """Bring the sums up to date; return notes."""
    notes = [_gone(state_dir, cursor.summed, "counted")]
    first, lines = now, []
    for line in unsent(state_dir, cursor.summed):
        lines.append(line)
        row = leaving(line.row) if line.row is not None else None
        if row is not None:
            add_decision(cursor.counters, row)
            first = min(first, row.time)
    _move(cursor.summed, lines)
    with reading(state_dir) as (connection, note):
        notes.append(note)
        add_runs(cursor.counters, cursor.days, queries.gain(connection, 0, "daily", "agent"))
    cursor.since = cursor.since or first
    return notes


def _gone(state_dir: Path, places: dict[str, int], done: str) -> str:
    """Forget files that are gone; say so if lines may be gone that nobody had read."""
    present = set(names(state_dir))
    is_lost = bool(places) and not present & places.keys()
    for name in places.keys() - present:
        del places[name]
    return f"decisions may be gone from the log that were never {done}" if is_lost else ""


def _batches(
    state_dir: Path, cursor: Cursor, *, with_command: bool
) -> Iterator[tuple[list[Line], list[Leaving]]]:
    """Yield lines of the log, so many at once, and what of them leaves."""
    lines = unsent(state_dir, dict(cursor.sent))
    while some := list(islice(lines, _MOST_AT_ONCE)):
        rows = (leaving(each.row, with_command=with_command) for each in some if each.row)
        yield some, [row for row in rows if row is not None]


def _move(places: dict[str, int], lines: list[Line]) -> None:
    places.update((line.name, line.end) for line in lines)
