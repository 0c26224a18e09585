"""The files of a diffstat by directory, each with the number of its changed lines.

git-diff(1), --stat.
"""

from __future__ import annotations

from laconic.compact.shapes.entries import Entry
from laconic.compact.shapes.listing import regrouped
from laconic.compact.shapes.rows import raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_STAT = pattern(r" ([^\s{}|]+) +\| +(\d+)(?: [+-]+)?")
_FEWEST = 8


def diffstat(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show a diffstat; renames and binary files stay as they are."""
    del asked
    matches = [(i, _STAT.fullmatch(texts[i])) for i in raw_of(rows)]
    entries = [Entry(m[1], i, m[2]) for i, m in matches if m]
    if len(entries) < _FEWEST:
        return rows
    return regrouped(rows, entries, set(), "numbers: changed lines", budget=1200)
