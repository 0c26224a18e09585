"""Finds blocks of lines; a block stays whole, or only its first lines do."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.filter import Section
    from laconic.compact.lines import Lines


class Blocks:
    """held: indexes of lines that stay. cut: ranges (first, last) of which only a mark stays."""

    __slots__ = ("cut", "held")

    def __init__(self) -> None:
        self.held: set[int] = set()
        self.cut: list[tuple[int, int]] = []


def find_blocks(lines: Lines, sections: tuple[Section, ...]) -> Blocks:
    blocks = Blocks()
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
            blocks.held.update(range(start, shown))
            if shown < behind:
                blocks.cut.append((shown, behind - 1))
    blocks.cut.sort()
    return blocks
