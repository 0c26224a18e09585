"""Makes one line of all lines that share what a pattern captures, wherever they are."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from itertools import compress

from laconic.compact.lines import Lines
from laconic.compact.masks import indexes, without
from laconic.compact.patterns import rows_of
from laconic.compact.result import MADE, Shown
from laconic.compact.stages.template import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Groups, Pattern


def group(
    left: Mask, lines: Lines, pattern: Pattern, show: str, counted: Mask | None = None
) -> tuple[Mask, dict[int, Shown]]:
    """Return the lines that go, and the made ones by the first of their lines, which they replace.

    left: the lines that may be grouped. A line that shares its captures with no other stays.
    counted: these and the lines that stay as they are, which are counted as well.
    """
    staying = Lines(lines.at(indexes(without(counted or left, left))).values())
    totals = Counter(groups for _, groups in pattern.captures(staying))
    members = _members(left, lines, pattern)
    made: dict[int, Shown] = {}
    gone = bytearray(len(lines))
    for key, numbers in members.items():
        if len(numbers) > 1:
            first = numbers[0] - 1
            total = len(numbers) + totals[key]
            made[first] = _made(pattern.values(key), numbers, lines, show, total)
            for number in numbers[1:]:
                gone[number - 1] = 1
    return bytes(gone), made


def _members(left: Mask, lines: Lines, pattern: Pattern) -> dict[Groups, Sequence[int]]:
    """The numbers of the lines that have the same captures, a chunk at a time."""
    members: dict[Groups, array[int]] = defaultdict(lambda: array("I"))
    for found, columns in pattern.captured(lines):
        free = list(map(left.__getitem__, found))
        numbers = [row + 1 for row in compress(found, free)]
        if all(column.count(column[0]) == len(column) for column in columns):
            members[tuple(column[0] for column in columns)].extend(numbers)
            continue
        keys = compress(rows_of(columns, len(found)), free)
        for key, number in zip(keys, numbers, strict=True):
            members[key].append(number)
    return dict(members)


def _made(
    values: dict[str, str], numbers: Sequence[int], lines: Lines, show: str, total: int
) -> Shown:
    line, last = (lines.texts[number - 1].strip() for number in (numbers[0], numbers[-1]))
    known = {"count": str(total), "line": line, "last": last}
    return Shown(MADE, fill(show, {**values, **known}), numbers)
