"""Formats decisions of the log: on a terminal over two lines where they do not fit on one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from laconic.record.decisions import OWN, outcome
from laconic.report.dates import from_iso
from laconic.report.screen import Screen
from laconic.report.table import Cell, table
from laconic.report.text import columns, visible

Row = Mapping[str, Any]

_WIDE = 140  # from here on there is room for command and reason on one line
_VERDICT = 5
# What the agent's transcript says of it.
_THEN = {"ran": "it ran", "refused": "a person said no"}


def lines(rows: Sequence[Row], screen: Screen) -> Iterator[str]:
    """Yield the decisions, each on a line, or on two where the terminal is narrow."""
    if screen.width is None:
        yield from map(_line, rows)
    elif screen.width >= _WIDE:
        cells: list[list[str | Cell]] = [
            [_time(row), _verdict(row), _text(row, "agent"), _command(row), _why(row)]
            for row in rows
        ]
        yield from table(cells, "<<<<<", screen, shrink=(3, 4)) if cells else ()
    else:
        for row in rows:
            yield from _two_lines(row, screen)


def _two_lines(row: Row, screen: Screen) -> Iterator[str]:
    verdict = _verdict(row)
    head = f"{_time(row)}  "
    used = columns(head) + _VERDICT + 2
    painted = screen.paint(f"{verdict.text:{_VERDICT}}", verdict.style)
    yield f"{head}{painted}  {screen.fit(_command(row), used)}"
    agent = _text(row, "agent")
    told = f"{agent}: {_why(row)}" if agent not in ("", OWN) else _why(row)
    yield "  " + screen.paint(screen.fit(told, 2), "dim")


def _line(row: Row) -> str:
    """Everything on one line, for programs and files."""
    rule, effects = _text(row, "rule"), visible(" ".join(map(str, row.get("effects", ()))))
    told = f"{rule}; {effects}" if effects else rule  # older lines have none
    reason = _text(row, "reason")
    why = f": {reason}" if reason and row.get("verdict") != "allow" else ""
    told = f"({told}){why}{_ways_back(row)}"
    return f"{_time(row)}  {_verdict(row).text:{_VERDICT}}  {_command(row)}  {told}"


def _why(row: Row) -> str:
    """Say the rule, the reason and the effects; a reason that begins with the name says it once."""
    effects = ", ".join(map(str, row.get("effects", ())))
    rule, reason = _text(row, "rule"), _text(row, "reason")
    reason = reason.removeprefix(f"{rule.replace('/', ' ')}: ")
    return f"{rule}: {reason}" + visible(f" [{effects}]" * bool(effects)) + _ways_back(row)


def _ways_back(row: Row) -> str:
    told = [_THEN.get(str(row.get("then")), "")]
    told += [f"laconic undo {visible(str(name))}" for name in row.get("undo", ())]
    return "".join(f"  ({text})" for text in told if text)


def _time(row: Row) -> str:
    return visible(from_iso(str(row.get("time", ""))))


def _verdict(row: Row) -> Cell:
    where = " in the box" if row.get("box") is True else ""
    answer = outcome(row)
    return Cell(visible(answer) + where, answer)


def _command(row: Row) -> str:
    return visible(str(row.get("command", "")))


def _text(row: Row, key: str) -> str:
    return visible(str(row.get(key, "")))
