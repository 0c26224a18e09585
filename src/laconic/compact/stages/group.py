"""Makes one line of all lines that share what a pattern captures, wherever they stand."""

from __future__ import annotations

from collections import defaultdict

from laconic.compact.result import MADE, Row, Shown
from laconic.compact.stages.template import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Groups, Pattern


def group(rows: list[Row], lines: Lines, pattern: Pattern, show: str, held: Mask) -> list[Row]:
    """The made line takes the place of the first; a line without fellows stays as it is."""
    left = {row for row in rows if isinstance(row, int) and not held[row]}
    members: dict[Groups, list[int]] = defaultdict(list)
    for row, groups in pattern.captures(lines):
        if row in left:
            members[groups].append(row)
    made: dict[Row, Row] = {}
    gone: set[Row] = set()
    for groups, found in members.items():
        if len(found) > 1:
            made[found[0]] = _made(pattern.values(groups), found, lines, show)
            gone.update(found[1:])
    return [made.get(row, row) for row in rows if row not in gone] if made else rows


def _made(values: dict[str, str], found: list[int], lines: Lines, show: str) -> Shown:
    known = {**values, "count": str(len(found)), "line": lines.texts[found[0]].strip()}
    return Shown(MADE, fill(show, known), [row + 1 for row in found])
