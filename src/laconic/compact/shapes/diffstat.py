"""The files of a diffstat by directory, each with the number of its changed lines.

git-diff(1), --stat.
"""

from __future__ import annotations

from laconic.compact.shapes.entries import Entry
from laconic.compact.shapes.listing import regrouped
from laconic.compact.shapes.rows import placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_STAT = pattern(r" ([^\s{}|]+) +\| +(\d+)(?: [+-]+)?")
_OTHER = pattern(r" (\S.*?) +\| +(\d+|Bin \d+ -> \d+ bytes|Bin)(?: [+-]+)?")
_FEWEST = 8


def diffstat(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show a diffstat; renames and binary files stay as they are, but for the bars."""
    del asked
    matches = [(i, _STAT.fullmatch(texts[i])) for i in raw_of(rows)]
    entries = [Entry(m[1], i, m[2]) for i, m in matches if m]
    if len(entries) < _FEWEST:
        return rows
    known = {entry.index for entry in entries}
    others = [(i, _OTHER.fullmatch(texts[i])) for i in raw_of(rows) if i not in known]
    rows = placed(rows, {i: [short(f" {m[1]} | {m[2]}", i, texts)] for i, m in others if m}, set())
    return regrouped(rows, entries, set(), "numbers: changed lines", budget=1200)
