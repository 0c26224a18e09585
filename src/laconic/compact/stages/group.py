"""Makes one line of all lines that share what a pattern captures, wherever they stand."""

from __future__ import annotations

from laconic.compact.patterns import values_of
from laconic.compact.result import MADE, Row, Shown
from laconic.compact.stages.template import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from laconic.compact.lines import Lines
    from laconic.compact.patterns import Pattern


def group(
    rows: list[Row], lines: Lines, pattern: Pattern, show: str, held: AbstractSet[int]
) -> list[Row]:
    """The made line takes the place of the first; a line without fellows stays as it is."""
    left = {row for row in rows if isinstance(row, int)}
    left -= held
    members: dict[tuple[str | None, ...], list[int]] = {}
    values: dict[tuple[str | None, ...], dict[str, str]] = {}
    for row, match in pattern.matches(lines):
        if row in left:
            key = match.groups()
            if key not in members:
                members[key], values[key] = [], values_of(match)
            members[key].append(row)
    made: dict[int, Shown | None] = {}
    for key, found in members.items():
        if len(found) > 1:
            known = {**values[key], "count": str(len(found)), "line": lines.texts[found[0]].strip()}
            made.update(dict.fromkeys(found))
            made[found[0]] = Shown(MADE, fill(show, known), tuple(row + 1 for row in found))
    return _replaced(rows, made)


def _replaced(rows: list[Row], made: dict[int, Shown | None]) -> list[Row]:
    if not made:
        return rows
    kept: list[Row] = []
    for row in rows:
        if isinstance(row, Shown) or row not in made:
            kept.append(row)
        elif (line := made[row]) is not None:
            kept.append(line)
    return kept
