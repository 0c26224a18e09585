"""Finds blocks of lines; a block stays whole, or only its first lines do."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.branch import Section
    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask


class Blocks:
    """held: lines that stay. cut: ranges (first, last) that are replaced by a mark."""

    __slots__ = ("cut", "held")

    def __init__(self, held: Mask, cut: list[tuple[int, int]]) -> None:
        self.held, self.cut = held, cut


def find_blocks(lines: Lines, sections: tuple[Section, ...]) -> Blocks:
    held = bytearray(len(lines))
    cut: list[tuple[int, int]] = []
    for section in sections:
        starts = section.start.hits(lines)
        ends = section.end.hits(lines) if starts else []
        behind = 0
        for start in starts:
            if start < behind:
                continue  # still inside the block before
            following = bisect_right(ends, start)
            behind = ends[following] if following < len(ends) else len(lines)
            shown = behind if section.lines is None else min(start + section.lines, behind)
            held[start:shown] = b"\1" * (shown - start)
            if shown < behind:
                cut.append((shown, behind - 1))
    return Blocks(bytes(held), sorted(cut))
