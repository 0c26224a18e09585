"""Lines that are equal to the one before them, and the row that tells several of them."""

from __future__ import annotations

from itertools import compress
from operator import eq

from laconic.compact.masks import both, without
from laconic.compact.result import MADE, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines, TextLines
    from laconic.compact.masks import Mask

_MOST_DISTINCT = 60_000  # characters


def row_of_equal(run: range, lines: Lines) -> Shown:
    """One row for equal lines, with their number."""
    text = f"{lines.texts[run.start]} (x{len(run)})"
    return Shown(MADE, text, range(run.start + 1, run.stop + 1))


def repeated(lines: Lines, mask: Mask, most: int = _MOST_DISTINCT) -> Mask:
    """The lines of a mask that are equal to the one before them, and not blank.

    Equal lines are both in the mask or both not. They are looked for from both ends, up to so many
    characters of others in the mask, which are more than are ever shown.
    """
    found = bytearray(len(lines))
    for order in (range(len(lines.chunks)), range(len(lines.chunks) - 1, -1, -1)):
        left = most
        for number in order:
            first = lines.firsts[number]
            part = mask[first : first + lines.counts[number]]
            if b"\1\1" not in mask[max(0, first - 1) : first + len(part)]:
                continue
            texts = lines.split(number)
            again = bytes([_is_repeated(lines.texts, first), *map(eq, texts, texts[1:])])
            found[first : first + len(part)] = both(part, again)
            left -= sum(map(len, compress(texts, without(part, again))))
            if left < 0:
                break
        else:
            break
    return bytes(found)


def _is_repeated(texts: TextLines, pos: int) -> bool:
    """Tell whether a line is equal to that before it, and not blank."""
    return 0 < pos < len(texts) and texts[pos] == texts[pos - 1] and bool(texts[pos].strip())
