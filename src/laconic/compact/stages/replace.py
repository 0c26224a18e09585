"""Shortens lines to values captured from them."""

from __future__ import annotations

from laconic.compact.result import SHORT, Row, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from laconic.compact.patterns import Pattern
    from laconic.compact.stages.template import Template


def replace(
    rows: list[Row],
    texts: list[str],
    rules: tuple[tuple[Pattern, Template], ...],
    held: Collection[int],
) -> list[Row]:
    """The first rule that matches a line shortens it; one that would not leaves it as it is."""
    if not rules:
        return rows
    searches = [(pattern.search, template.fill) for pattern, template in rules]
    kept: list[Row] = []
    for row in rows:
        short: Row = row
        if isinstance(row, int) and row not in held:
            for search, fill in searches:
                if match := search(texts[row]):
                    text = fill(match)
                    if len(text) < len(texts[row]):
                        short = Shown(SHORT, text, (row + 1,))
                    break
        kept.append(short)
    return kept
