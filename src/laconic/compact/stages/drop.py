"""Drops lines by pattern, and keeps only the wanted ones if a filter says which these are."""

from __future__ import annotations

from laconic.compact.masks import any_of, both, union, without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Patterns

_STEP = 4  # chunks to begin with, then twice as many: so the time is that of one pass
_FEWEST = 3  # lines that a mark replaces


def drop(left: Mask, lines: Lines, patterns: Patterns, held: Mask) -> Mask:
    return without(left, without(patterns.mask(lines), held)) if patterns else left


def keep(left: Mask, lines: Lines, patterns: Patterns, held: Mask) -> Mask:
    return both(left, union(patterns.mask(lines), held)) if patterns else left


def from_ends(
    stay: Callable[[range], Mask], total: int, pinned: Mask, head: int, tail: int
) -> Mask:
    """The lines that stay, looked for from both ends of the chunks, as far as they may be shown.

    If a long middle has no pinned line, only a mark is shown for it, wherever lines are left around
    it: then none stays there. stay: returns the lines of some chunks that stay.
    """
    front, back, chunks, step = b"", b"", range(total), _STEP
    while chunks and front.count(1) < head + _FEWEST:
        front += stay(chunks[:step])
        chunks, step = chunks[step:], 2 * step
    step = _STEP
    while chunks and back.count(1) < tail + _FEWEST:
        back = stay(chunks[-step:]) + back
        chunks, step = chunks[:-step], 2 * step
    start, stop = len(front), len(pinned) - len(back)
    before, behind = pinned[:start].rfind(1) + 1, pinned[stop:].find(1)
    is_marked = front.count(1, before) >= _FEWEST and 1 in back[: behind if behind >= 0 else None]
    if chunks and (any_of(pinned[start:stop]) or not is_marked):
        return front + stay(chunks) + back
    return front + bytes(stop - start) + back
