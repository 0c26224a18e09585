"""Drops lines by pattern, and keeps only those that are wanted where a filter says which."""

from __future__ import annotations

from laconic.compact.masks import both, union, without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Patterns


def drop(left: Mask, lines: Lines, patterns: Patterns, held: Mask) -> Mask:
    return without(left, without(patterns.mask(lines), held)) if patterns else left


def keep(left: Mask, lines: Lines, patterns: Patterns, held: Mask) -> Mask:
    return both(left, union(patterns.mask(lines), held)) if patterns else left
