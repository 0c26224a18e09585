"""Makes one line of all lines that share what a pattern captures, wherever they are."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from itertools import compress, count

from laconic.compact.masks import both, indexes, without
from laconic.compact.patterns import rows_of
from laconic.compact.result import MADE, Shown
from laconic.compact.stages.template import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Columns, Groups, Pattern


def group(
    left: Mask, lines: Lines, pattern: Pattern, show: str, counted: Mask | None = None
) -> tuple[Mask, dict[int, Shown]]:
    """Return the lines that go, and the made ones by the first of their lines, which they replace.

    left: the lines that may be grouped. A line that shares its captures with no other stays.
    counted: these and the lines that stay as they are, which are counted as well.
    """
    staying = Counter(_captures(pattern, lines, without(counted or left, left)))
    made: dict[int, Shown] = {}
    gone = bytearray(len(lines))
    for key, parts in _members(left, lines, pattern).items():
        numbers = array("I", [row + 1 for part in parts for row in part])
        if len(numbers) > 1:
            first = numbers[0] - 1
            total = len(numbers) + staying[key]
            made[first] = _made(pattern.values(key), numbers, lines, show, total)
            _mark(gone, parts)
            gone[first] = 0
    return bytes(gone), made


def _members(left: Mask, lines: Lines, pattern: Pattern) -> dict[Groups, list[Sequence[int]]]:
    """The lines that may be grouped, by what is captured in them."""
    classes = pattern.classes(lines)
    if classes is not None:
        masks = {key: both(left, mask) for key, mask in classes.items()}
        return {key: [array("I", compress(count(), mask))] for key, mask in masks.items()}
    members: dict[Groups, list[Sequence[int]]] = defaultdict(list)
    for found, columns in pattern.captured(lines):
        _add(members, found, columns, left)
    return members


def _add(
    members: dict[Groups, list[Sequence[int]]],
    found: Sequence[int],
    columns: Columns,
    left: Mask,
) -> None:
    """Add the lines of one chunk to those that have the same captures."""
    is_left = left.find(0, found[0], found[-1] + 1) < 0
    if is_left and all(column.count(column[0]) == len(column) for column in columns):
        members[tuple(column[0] for column in columns)].append(found)
        return
    keys = rows_of(columns, len(found))
    if not is_left:
        free = list(map(left.__getitem__, found))
        found, keys = list(compress(found, free)), compress(keys, free)
    parts: dict[Groups, list[int]] = defaultdict(list)
    for rows, row in zip(map(parts.__getitem__, keys), found, strict=True):
        rows.append(row)
    for key, rows in parts.items():
        members[key].append(rows)


def _mark(gone: bytearray, parts: list[Sequence[int]]) -> None:
    for part in parts:
        if isinstance(part, range):
            gone[part.start : part.stop] = b"\1" * len(part)
        else:
            for row in part:
                gone[row] = 1


def _captures(pattern: Pattern, lines: Lines, rows: Mask) -> Iterator[Groups]:
    """Return what the pattern captures in each of these lines, which are few."""
    for text in lines.at(indexes(rows)).values():
        if match := pattern.search(text):
            yield match.groups()


def _made(
    values: dict[str, str], numbers: Sequence[int], lines: Lines, show: str, total: int
) -> Shown:
    line, last = (lines.texts[number - 1].strip() for number in (numbers[0], numbers[-1]))
    known = {"count": str(total), "line": line, "last": last}
    return Shown(MADE, fill(show, {**values, **known}), numbers)
