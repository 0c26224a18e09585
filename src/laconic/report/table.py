"""Aligns rows in columns of text, as wide as the screen at most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from laconic.report.screen import Screen, shorten
from laconic.report.text import columns

_GAP = "  "
_NARROWEST = 8  # what is left of a cell that is shortened


class Cell(NamedTuple):
    """A text with a colour. style: one that Screen.paint knows."""

    text: str
    style: str = ""


def table(
    rows: Sequence[Sequence[str | Cell]],
    align: str,
    screen: Screen | None = None,
    shrink: Sequence[int] = (),
) -> Iterator[str]:
    """Yield a line for each row; `align` has `<` or `>` for each column.

    shrink: the columns whose cells are shortened where the screen is too narrow, the widest first.
    """
    screen = screen or Screen()
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    found = [[columns(cell.text) for cell in column] for column in zip(*cells, strict=True)]
    widths = _fitted([max(column) for column in found], screen.width, shrink)
    for row in cells:
        line = "".join(
            _drawn(cell, width, side, screen) + _GAP
            for cell, width, side in zip(row, widths, align, strict=True)
        )
        yield line.rstrip()


def _fitted(widths: list[int], room: int | None, shrink: Sequence[int]) -> list[int]:
    """Take what is too much for the screen from the widest of the columns that may shrink."""
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - room if room is not None else 0
    while excess > 0 and shrink:
        widest = max(shrink, key=lambda number: widths[number])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
        excess -= 1
    return widths


def _drawn(cell: Cell, width: int, side: str, screen: Screen) -> str:
    text = shorten(cell.text, width)
    blanks = " " * (width - columns(text))
    painted = screen.paint(text, cell.style)
    return painted + blanks if side == "<" else blanks + painted
