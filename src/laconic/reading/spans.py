"""Parts of a text, and whether a place is in one of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate


class Spans:
    """Starts and ends, which may overlap. A text may have many: they are not looked at in turn."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))

    def __bool__(self) -> bool:
        return bool(self._starts)

    def cover(self, place: int) -> bool:
        """Tell whether one of them holds the place."""
        before = bisect_right(self._starts, place)
        return before > 0 and self._ends[before - 1] > place

    def begin_in(self, start: int, end: int) -> bool:
        """Tell whether one of them begins between the two places."""
        return bisect_left(self._starts, start) < bisect_left(self._starts, end)
