"""Takes out blank lines that follow another, and those at both ends."""

from __future__ import annotations

from itertools import compress, count, takewhile
from operator import not_

from laconic.compact.masks import any_of, mask_of, without
from laconic.compact.result import texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row, RowTexts


def without_blanks(rows: list[Row], texts: RowTexts, held: Mask, printed: Mask = b"") -> list[Row]:
    """Keep one of neighbouring blank lines, and none at the beginning and the end.

    Lines of blocks are held; what was printed already stays.
    """
    stripped = map(str.strip, texts_of(rows, texts))
    found = compress(count(), map(not_, stripped))
    blank = {pos for pos in found if not _is_held(rows[pos], held)}
    there = {pos for pos in blank if _is_held(rows[pos], printed)} if any_of(printed) else set()
    gone = {pos for pos in blank if pos + 1 in blank or pos + 1 == len(rows)}
    gone.update(takewhile(blank.__contains__, count()))
    gone -= there
    return list(compress(rows, without(b"\1" * len(rows), mask_of(gone, len(rows)))))


def _is_held(row: Row, held: Mask) -> bool:
    return isinstance(row, int) and held[row] == 1
