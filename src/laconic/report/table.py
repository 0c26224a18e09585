"""Aligns rows in columns of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.report.text import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def table(rows: Sequence[Sequence[str]], align: str) -> Iterator[str]:
    """Yield a line for each row; `align` has `<` or `>` for each column."""
    widths = [max(columns(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell + _blanks(cell, width) if side == "<" else _blanks(cell, width) + cell
            for cell, width, side in zip(row, widths, align, strict=True)
        )
        yield "  ".join(cells).rstrip()


def _blanks(cell: str, width: int) -> str:
    return " " * (width - columns(cell))
