"""Counts lines, or adds up the numbers in them, before anything is dropped."""

from __future__ import annotations

from functools import reduce
from itertools import chain

from laconic.compact.lines import Lines
from laconic.compact.masks import indexes, union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.patterns import Pattern

_FEW_CHUNKS = 4
_SPARSE = 4


def count_values(lines: Lines, counts: tuple[tuple[str, Pattern], ...]) -> dict[str, str]:
    """A pattern with a group adds up what the group captured; one without counts its lines."""
    if counts and len(lines.chunks) > _FEW_CHUNKS:
        perhaps = reduce(union, (pattern.perhaps(lines) for _, pattern in counts))
        if perhaps.count(1) < len(lines) // _SPARSE:
            lines = Lines(lines.at(indexes(perhaps)).values())
    return {name: str(_number(lines, pattern)) for name, pattern in counts}


def _number(lines: Lines, pattern: Pattern) -> int:
    if not pattern.compiled.groups:
        return pattern.mask(lines).count(1)
    captured = chain.from_iterable(columns[0] for _, columns in pattern.captured(lines))
    return sum(map(int, filter(str.isdecimal, filter(None, captured))))
