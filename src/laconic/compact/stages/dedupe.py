"""Makes one line of equal neighbours, with their number: `(x12)`."""

from __future__ import annotations

from itertools import compress, count
from operator import eq

from laconic.compact.result import MADE, Row, Shown, numbers_of, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import TextLines


def dedupe(rows: list[Row], texts: TextLines) -> list[Row]:
    written = texts_of(rows, texts)
    kept: list[Row] = []
    behind = 0
    for pos in compress(count(), map(eq, written, written[1:])):
        if pos < behind or not written[pos].strip():
            continue  # one of the neighbours before, or blank
        end = pos + 2
        while end < len(rows) and written[end] == written[pos]:
            end += 1
        numbers = [number for row in rows[pos:end] for number in numbers_of(row)]
        kept += rows[behind:pos]
        kept.append(Shown(MADE, f"{written[pos]} (x{end - pos})", numbers))
        behind = end
    return [*kept, *rows[behind:]]
