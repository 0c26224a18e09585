"""Formats what laconic saved as text, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from laconic.report.table import table
from laconic.report.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from laconic.record.queries import Gain

_BAR = 40


def summary(total: Gain) -> Iterator[str]:
    est = unit(total.exact)
    share = f" ({percent(total)})" if total.input_tokens else ""
    yield "laconic gain summary"
    yield f"  total runs:     {total.runs:,}"
    yield f"  input tokens:   {total.input_tokens:,}{est}"
    yield f"  output tokens:  {total.output_tokens:,}{est}"
    yield f"  tokens saved:   {total.saved_tokens:,}{est}{share}"
    yield (
        f"  pipe preferred: {total.pipe_preferred:,} {_runs(total.pipe_preferred)} "
        "(pipe output was smaller than filter)"
    )
    if total.recalls:
        times = "once" if total.recalls == 1 else f"{total.recalls:,} times"
        yield f"  recalled:       {times}, {total.recalled_tokens:,}{est} of the output tokens"


def grouped(
    names: Sequence[str], rows: Sequence[Gain], total: Gain, *, bars: bool
) -> Iterator[str]:
    """Yield a table: the keys, the sums, and, if asked for, a bar for what was saved."""
    est = unit(total.exact)
    head = [*names, "runs", f"input{est}", f"output{est}", f"saved{est}", ""]
    last = ["total", *[""] * (len(names) - 1), *_sums(total)]
    body = [[*(shown(key) for key in row.keys), *_sums(row)] for row in rows]
    align = "<" * len(names) + ">" * 5
    if bars:
        longest = max((abs(row.saved_tokens) for row in rows), default=0)
        body = [
            [*line, bar(row.saved_tokens, longest)] for line, row in zip(body, rows, strict=True)
        ]
        head, last, align = [*head, ""], [*last, ""], f"{align}<"
    yield from table([head, *body, last], align)


def shown(key: str) -> str:
    return visible(key) or "(none)"


def bar(value: int, longest: int) -> str:
    """Draw a value to scale; a loss is drawn with another character than a saving."""
    length = -(-abs(value) * _BAR // longest) if longest else 0
    return ("█" if value > 0 else "-") * length


def to_json(names: Sequence[str], rows: Sequence[Gain], total: Gain) -> str:
    document: dict[str, Any] = {"version": 1, "total": fields(total)}
    if names:
        document["by"] = list(names)
        document["rows"] = [dict(zip(names, row.keys, strict=True)) | fields(row) for row in rows]
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


def _sums(row: Gain) -> list[str]:
    numbers = (row.runs, row.input_tokens, row.output_tokens, row.saved_tokens)
    return [*(f"{number:,}" for number in numbers), percent(row)]


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
