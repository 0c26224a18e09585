"""Makes one line of all lines that share what a pattern captures, wherever they are."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from functools import partial
from itertools import compress

from laconic.compact.lines import Lines
from laconic.compact.masks import Members, classes_of, indexes, without
from laconic.compact.patterns import rows_of
from laconic.compact.result import MADE, Shown
from laconic.compact.stages.template import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Columns, Groups, Pattern

    # The numbers of the lines of each group, how many there are with those that stay, and the mask
    # of all these lines.
    Found: TypeAlias = tuple[Mapping[Groups, Sequence[int]], Mapping[Groups, int], bytearray]


def group(
    left: Mask, lines: Lines, pattern: Pattern, show: str, counted: Mask | None = None
) -> tuple[Mask, dict[int, Shown]]:
    """Return the lines that go, and the made ones by the first of their lines, which they replace.

    left: the lines that may be grouped. A line that shares its captures with no other stays.
    counted: these and the lines that stay as they are, which are counted as well.
    """
    made: dict[int, Shown] = {}
    find = partial(_by_captures, left, lines, pattern, counted or left)
    members, totals, gone = _by_classes(left, lines, pattern, counted or left) or find()
    for key, numbers in members.items():
        first = numbers[0] - 1
        made[first] = _made(pattern.values(key), numbers, lines, show, totals[key])
        gone[first] = 0
    return bytes(gone), made


def _by_classes(left: Mask, lines: Lines, pattern: Pattern, counted: Mask) -> Found | None:
    """The lines that share what is captured in them; None where kinds of lines do not tell it."""
    classes = pattern.classes(lines)
    if classes is None:
        return None
    every = classes_of(classes[0], left)
    large = {key: own for key, own in classes[1].items() if every.count(own) > 1}
    is_shared = bytearray(256)
    for own in large.values():
        is_shared[own] = 1
    known = classes_of(classes[0], counted)
    totals = {key: known.count(own) for key, own in large.items()}
    members = {key: Members(every, own) for key, own in large.items()}
    return members, totals, bytearray(every.translate(is_shared))


def _by_captures(left: Mask, lines: Lines, pattern: Pattern, counted: Mask) -> Found:
    """The same, from a search of all lines."""
    staying = Counter(_captures(pattern, lines, without(counted, left)))
    every: dict[Groups, list[Sequence[int]]] = defaultdict(list)
    for found, columns in pattern.captured(lines):
        _add(every, found, columns, left)
    members: dict[Groups, Sequence[int]] = {}
    gone = bytearray(len(lines))
    for key, parts in every.items():
        numbers = array("I", [row + 1 for part in parts for row in part])
        if len(numbers) > 1:
            members[key] = numbers
            _mark(gone, parts)
    totals = {key: len(numbers) + staying[key] for key, numbers in members.items()}
    return members, totals, gone


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
    texts = lines.at(indexes(rows)).values()
    return (groups for _, groups in pattern.captures(Lines(texts)))


def _made(
    values: dict[str, str], numbers: Sequence[int], lines: Lines, show: str, total: int
) -> Shown:
    line, last = (lines.texts[number - 1].strip() for number in (numbers[0], numbers[-1]))
    known = {"count": str(total), "line": line, "last": last}
    return Shown(MADE, fill(show, {**values, **known}), numbers)
