"""Formats what laconic saved as text, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from laconic.record.queries import Gain
from laconic.report.screen import Screen
from laconic.report.sparkline import sparkline
from laconic.report.table import Cell, table
from laconic.report.text import columns, visible

Line = list[str | Cell]

_BAR, _SHORTEST_BAR = 40, 8
_GAP = 2


class Money(NamedTuple):
    """What the sessions of some runs saved, as far as transcripts tell.

    date: of the prices. sessions, priced: how many there are, and how many have a price. read,
    saved: the tokens that all tools printed in sessions with a transcript, and what laconic saved
    of those. unread: transcripts that there was no time for.
    """

    dollars: float
    date: str
    sessions: int
    priced: int
    read: int
    saved: int
    unread: int = 0

    @property
    def share(self) -> float | None:
        """Of all that tools printed, the part that the agent did not have to read."""
        whole = self.read + self.saved
        return self.saved / whole if whole > 0 else None


def summary(total: Gain, money: Money | None = None, days: Sequence[int] = ()) -> Iterator[str]:
    """Yield the sums. days: what each of the last days saved, for a person to look at."""
    est = unit(total.exact)
    share = f" ({percent(total)})" if total.input_tokens else ""
    yield "laconic gain summary"
    yield f"  total runs:     {total.runs:,}"
    yield f"  input tokens:   {total.input_tokens:,}{est}"
    yield f"  output tokens:  {total.output_tokens:,}{est}"
    yield f"  tokens saved:   {total.saved_tokens:,}{est}{share}"
    if total.pipe_preferred:
        yield (
            f"  pipe preferred: {total.pipe_preferred:,} {_runs(total.pipe_preferred)} "
            "(what the pipe let through was shorter than the summary)"
        )
    if total.recalls:
        times = "once" if total.recalls == 1 else f"{total.recalls:,} times"
        yield f"  recalled:       {times}, {total.recalled_tokens:,}{est} of the output tokens"
    yield from _money(money) if money else ()
    if any(days):
        yield f"  last {len(days)} days:   {sparkline(days)}"


def _money(money: Money) -> Iterator[str]:
    if money.priced:
        known = f"{money.priced:,} of {money.sessions:,} sessions, list prices of {money.date}"
        yield f"  dollars saved:  ${money.dollars:,.2f} est. ({known})"
    if money.share is not None:
        whole = f"{money.read + money.saved:,} est. that the agents' tools printed"
        yield f"  share saved:    {100 * money.share:.1f}% of all {whole}"
    if money.unread:
        again = "laconic gain reads on"
        yield f"  not read yet:   the transcripts of {money.unread:,} sessions; {again}"


def grouped(
    names: Sequence[str],
    rows: Sequence[Gain],
    total: Gain,
    screen: Screen,
    dollars: Sequence[float | None] | None = None,
    *,
    bars: bool,
) -> Iterator[str]:
    """Yield a table: the keys, the sums, and, if asked for, a bar for what was saved.

    dollars: what each row saved, where that is known.
    """
    est = unit(total.exact)
    head: Line = [*names, "runs", f"input{est}", f"output{est}", f"saved{est}", ""]
    last: Line = ["total", *[""] * (len(names) - 1), *_sums(total)]
    body: list[Line] = [[*(shown(key) for key in row.keys), *_sums(row)] for row in rows]
    align = "<" * len(names) + ">" * 5
    if dollars is not None:
        known = [value for value in dollars if value is not None]
        body = [[*line, _dollars(each)] for line, each in zip(body, dollars, strict=True)]
        head, last, align = [*head, "dollars"], [*last, _dollars(sum(known))], f"{align}>"
    shrink = range(len(names))
    if bars:
        longest = max((abs(row.saved_tokens) for row in rows), default=0)
        room = _room([head, *body, last], align, screen, shrink)
        body = [
            [*line, bar(row.saved_tokens, longest, room)]
            for line, row in zip(body, rows, strict=True)
        ]
        head, last, align = [*head, ""], [*last, ""], f"{align}<"
    head = [Cell(str(name), "head") for name in head]
    yield from table([head, *body, last], align, screen, shrink)


def _room(rows: Sequence[Line], align: str, screen: Screen, shrink: Sequence[int]) -> int:
    """Return how long a bar may be beside a table, whose keys are shortened for it."""
    if screen.width is None:
        return _BAR
    narrow = Screen(screen.width - _SHORTEST_BAR - _GAP)
    used = max(columns(line) for line in table(rows, align, narrow, shrink))
    return max(_SHORTEST_BAR, min(_BAR, screen.width - used - _GAP))


def _dollars(value: float | None) -> str:
    return "" if value is None else f"${value:,.2f}"


def shown(key: str) -> str:
    return visible(key) or "(none)"


def bar(value: int, longest: int, room: int = _BAR) -> str:
    """Draw a value to scale; a loss is drawn with another character than a saving."""
    length = -(-abs(value) * room // longest) if longest else 0
    return ("█" if value > 0 else "-") * length


def to_json(
    names: Sequence[str],
    rows: Sequence[Gain],
    total: Gain,
    money: Money | None = None,
    dollars: Sequence[float | None] | None = None,
) -> str:
    document: dict[str, Any] = {"version": 1, "total": fields(total)}
    if money:
        document["money"] = {**money._asdict(), "share": money.share}
    if names:
        document["by"] = list(names)
        document["rows"] = [dict(zip(names, row.keys, strict=True)) | fields(row) for row in rows]
        for row, value in zip(document["rows"], dollars or (), strict=False):
            row["dollars"] = value
    return json.dumps(document, indent=2)


def to_csv(names: Sequence[str], rows: Sequence[Gain], total: Gain) -> str:
    """Write a line for each row, or for the total if there are no groups."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *fields(total)])
    for row in rows if names else [total]:
        writer.writerow([*row.keys, *fields(row).values()])
    return text.getvalue()


def fields(row: Gain) -> dict[str, Any]:
    percent = row.saved_percent
    return {
        "runs": row.runs,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "saved_tokens": row.saved_tokens,
        "saved_percent": None if percent is None else round(percent, 1),
        "pipe_preferred": row.pipe_preferred,
        "recalls": row.recalls,
        "recalled_tokens": row.recalled_tokens,
        "exact": row.exact,
    }


def _sums(row: Gain) -> Line:
    numbers = (row.runs, row.input_tokens, row.output_tokens)
    saved = Cell(f"{row.saved_tokens:,}", style(row.saved_tokens))
    return [*(f"{number:,}" for number in numbers), saved, percent(row)]


def percent(row: Gain) -> str:
    return "" if row.saved_percent is None else f"{row.saved_percent:.1f}%"


def style(saved: int) -> str:
    """Name the colour of a number of saved tokens."""
    return "saved" if saved > 0 else "lost" if saved < 0 else ""


def _runs(count: int) -> str:
    return "run" if count == 1 else "runs"


def unit(exact: object) -> str:
    """Return the suffix that marks an estimated number of tokens."""
    return "" if exact else " est."
