"""Formats which filters hide lines that are then recalled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from laconic.record.queries import Recalled
from laconic.record.step_back import Stepped
from laconic.report.gain import shown
from laconic.report.screen import Screen
from laconic.report.table import table
from laconic.report.text import visible

# A somewhat arbitrary share: with one recall in ten runs, the hidden lines are often needed.
_TOO_OFTEN = 0.1
_ENOUGH = 3


def lines(rows: Sequence[Recalled], screen: Screen) -> Iterator[str]:
    if not rows:
        yield "nothing was recalled yet"
        return
    head = ["filter", "runs", "hiding", "recalls", "recalled runs"]
    body = [
        [shown(row.filter), *(f"{n:,}" for n in (row.runs, row.hiding, row.recalls)), _rate(row)]
        for row in rows
    ]
    yield from table([head, *body], "<>>>>", screen, shrink=(0,))
    for row in rows:
        if row.filter and row.rate > _TOO_OFTEN and row.recalled_runs >= _ENOUGH:
            name = shown(row.filter)
            yield f"{name} may hide too much; see what it does: laconic filters show {name}"


def stepped_lines(rows: Sequence[Stepped]) -> Iterator[str]:
    """Say which commands were shown as they are, because what was hidden of them was missed."""
    for row in rows:
        times = "once" if row.times == 1 else f"{row.times:,} times"
        where = f" in {visible(row.project)}" if row.project else ""
        yield f"{visible(row.program)}{where} was shown as it is {times}: its lines were asked for"


def to_json(rows: Sequence[Recalled], stepped: Sequence[Stepped]) -> dict[str, Any]:
    return {
        "version": 1,
        "recalls": [{**row._asdict(), "rate": row.rate} for row in rows],
        "shown_raw": [
            {"program": row.program, "project": row.project, "times": row.times} for row in stepped
        ],
    }


def _rate(row: Recalled) -> str:
    return (
        f"{row.recalled_runs:,} ({100 * row.rate:.0f}%)" if row.hiding else f"{row.recalled_runs:,}"
    )
