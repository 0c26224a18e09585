"""Makes one line of all lines that share what a pattern captures, wherever they are."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from itertools import compress

from laconic.compact.lines import Lines
from laconic.compact.masks import both, indexes, without
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
    gone = bytearray(both(pattern.mask(lines), left))
    if gone.count(1) <= 1:
        return bytes(len(left)), {}
    staying = Lines(lines.at(indexes(without(counted or left, left))).values())
    totals = Counter(groups for _, groups in pattern.captures(staying))
    every = _members(left, lines, pattern)
    singles = [numbers[0] - 1 for numbers in every.values() if len(numbers) == 1]
    members = {key: numbers for key, numbers in every.items() if len(numbers) > 1}
    made: dict[int, Shown] = {}
    for key, numbers in members.items():
        first = numbers[0] - 1
        total = len(numbers) + totals[key]
        made[first] = _made(pattern.values(key), numbers, lines, show, total)
    for row in (*singles, *made):
        gone[row] = 0
    return bytes(gone), made


def _members(left: Mask, lines: Lines, pattern: Pattern) -> dict[Groups, array[int]]:
    """The numbers of the lines that have the same captures, a chunk at a time."""
    members: dict[Groups, array[int]] = defaultdict(lambda: array("I"))
    for found, columns in pattern.captured(lines):
        free = left[found[0] : found[-1] + 1]
        is_free = 0 not in free
        free = b"\1" * len(found) if is_free else bytes(map(left.__getitem__, found))
        numbers = map((1).__add__, found if is_free else compress(found, free))
        if all(column.count(column[0]) == len(column) for column in columns):
            members[tuple(column[0] for column in columns)].extend(numbers)
            continue
        keys = compress(rows_of(columns, len(found)), free)
        for numbers_of_key, number in zip(map(members.__getitem__, keys), numbers, strict=True):
            numbers_of_key.append(number)
    return members


def _made(
    values: dict[str, str], numbers: Sequence[int], lines: Lines, show: str, total: int
) -> Shown:
    line, last = (lines.texts[number - 1].strip() for number in (numbers[0], numbers[-1]))
    known = {"count": str(total), "line": line, "last": last}
    return Shown(MADE, fill(show, {**values, **known}), numbers)
