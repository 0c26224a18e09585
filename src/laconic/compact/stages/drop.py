"""Drops lines by pattern, and keeps only those that are wanted where a filter says which."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from laconic.compact.lines import Lines
    from laconic.compact.patterns import Patterns


def drop(rows: list[int], lines: Lines, patterns: Patterns, held: Collection[int]) -> list[int]:
    hits = set(patterns.hits(lines))
    hits.difference_update(held)
    return [row for row in rows if row not in hits] if hits else rows


def keep(rows: list[int], lines: Lines, patterns: Patterns, held: Collection[int]) -> list[int]:
    if not patterns:
        return rows
    wanted = set(patterns.hits(lines))
    wanted.update(held)
    return [row for row in rows if row in wanted]
