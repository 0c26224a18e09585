"""Formats the last runs, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from laconic.report.dates import local_of
from laconic.report.gain import unit
from laconic.report.screen import Screen
from laconic.report.table import Cell, table
from laconic.report.text import visible

_WIDE = 120  # from here on there is room for the command on the same line
_LOST = "(laconic was killed)"
_SANDBOX = "  (in a sandbox)"


def lines(runs: Sequence[Mapping[str, Any]], screen: Screen) -> Iterator[str]:
    """Yield local time, id of the raw output, exit status, tokens, filter and command.

    On a narrow terminal the command is on a line of its own. One that can be taken back says how.
    """
    rows: list[list[str | Cell]] = [
        [
            local_of(run["time"]),
            run["raw_id"] or "-",
            _status(run["status"]),
            f"{run['input_tokens']:,} -> {run['output_tokens']:,}{unit(run['exact'])}",
            visible(run["filter"]) or "-",
            (visible(run["command"]) or _LOST) + _undoable(run) + _SANDBOX * bool(run["sandboxed"]),
        ]
        for run in runs
    ]
    if screen.width is None or screen.width >= _WIDE:
        yield from table(rows, "<<<><<", screen, shrink=(4, 5))
        return
    facts = table([row[:-1] for row in rows], "<<<><", screen, shrink=(4,)) if rows else ()
    for line, row in zip(facts, rows, strict=True):
        yield from (line, "  " + screen.fit(str(row[-1]), 2))


def _status(status: int | None) -> Cell:
    return Cell("exit ?" if status is None else f"exit {status}", "broken" if status else "")


def _undoable(run: Mapping[str, Any]) -> str:
    return f"  (laconic undo {run['undo']})" if run.get("undo") else ""
