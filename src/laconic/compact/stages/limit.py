"""Cuts what is still too much: long lines, then the middle.

A pinned line is never cut, unless there are too many to read: then they are counted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from contextlib import suppress
from itertools import accumulate, compress, count, islice, takewhile

from laconic.compact.masks import backwards, indexes, positions, union, without
from laconic.compact.notice import gap
from laconic.compact.result import (
    GAP,
    MADE,
    SHORT,
    WHOLE,
    Row,
    Shown,
    numbers_of,
    shortened,
    texts_of,
)
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from laconic.compact.hits import Hits
    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.result import RowTexts

    T = TypeVar("T")

MOST_PINNED = 12_000  # tokens; beyond it pinned lines are counted instead of shown
_PINNED_HEAD = 0.7  # the first mistake is often the cause of the others
_FEW = 500  # pinned lines whose cost is of no interest
_SMALL = 2  # lines whose mark would cost as much as they do
_BLOCK = 32  # lines whose cost is estimated together
_MARK = f"{gap(100)}\n"  # of lines that are left out, which costs as much for any number
_GAP = pattern(rb"\0{%d,}" % (_SMALL + 1))  # in a mask: so many lines that do not belong to it


def clip(text: str, width: int) -> str:
    """Shorten a line beyond the width: its beginning and end stay, and a mark between them."""
    if not width or len(text) <= width:
        return text
    end = width // 4
    mark = f" [... {len(text) - width} characters hidden] "
    # the mark has a length too
    return min(text, f"{text[: width - end]}{mark}{text[len(text) - end :]}", key=len)


def clip_rows(
    rows: list[Row], texts: RowTexts, width: int, pinned: Mask, hits: Hits | None = None
) -> list[Row]:
    """The same rows; lines beyond the width are shortened unless they are pinned.

    hits: of a search, around which its lines are cut.
    """
    written = texts_of(rows, texts)
    if not width or max(map(len, written), default=0) <= width:
        return rows
    pairs = zip(rows, written, strict=True)
    cut = hits.clip if hits else clip
    return [
        shortened(row, text, cut(text, width)) if isinstance(row, int) and not pinned[row] else row
        for row, text in pairs
    ]


class Excess:
    """Pinned lines that are too many: all lines from first to last are cut.

    Both are pinned; the mark takes the place of the first. count: how many of them are pinned.
    """

    __slots__ = ("count", "first", "last")

    def __init__(self, first: int, last: int, count: int) -> None:
        self.first, self.last, self.count = first, last, count

    @property
    def mark(self) -> Shown:
        return gap_row(range(self.first + 1, self.last + 2), self.count)

    def hollowed(self, lines: Lines) -> Lines:
        """Return as many lines, empty where whole chunks are cut: no stage looks at these."""
        first = bisect_left(lines.firsts, self.first)
        return lines.without(range(first, bisect_right(lines.firsts, self.last) - 1))

    def left_of(self, mask: Mask) -> Mask:
        """The mask without the lines that are cut."""
        gap = bytes(self.last - self.first)
        return mask[: self.first + 1] + gap + mask[self.last + 1 :]


def find_excess(pinned: Mask, lines: Lines, again: Mask = b"") -> Excess | None:
    """Find the pinned lines beyond the bound; None if all can be shown.

    again: those of them that are not written, because they repeat the line before.
    """
    again = again or bytes(len(pinned))
    every, pinned = pinned, without(pinned, again)
    total = pinned.count(1)
    if total <= _FEW:
        return None
    most = int(MOST_PINNED * _PINNED_HEAD)
    head = count_within(priced(_texts_at(compress(count(), pinned), lines, every), most), most)
    most = MOST_PINNED - most
    tail = count_within(priced(_texts_at(backwards(pinned), lines, every), most), most)
    if head + tail >= total:
        return None
    first = next(islice(compress(count(), pinned), head, None))
    last = next(islice(backwards(pinned), tail, None))
    behind = again.find(0, last + 1)
    end = len(every) if behind < 0 else behind  # the lines that repeat the last are cut with it
    return Excess(first, end - 1, every.count(1, first, end))


def _texts_at(indexes: Iterator[int], lines: Lines, pinned: Mask) -> Iterator[list[str]]:
    """The texts of lines, in blocks; a mark precedes one where the lines before it are left out."""
    while some := list(islice(indexes, 8 * _BLOCK)):
        texts = lines.at(sorted(some))
        marks = (_MARK if pinned.find(1, max(i - _SMALL - 1, 0), i) < 0 else "" for i in some)
        yield from _blocks([f"{mark}{texts[i]}" for mark, i in zip(marks, some, strict=True)])


def _blocks(rows: list[T]) -> Iterator[list[T]]:
    return (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK))


def limit(rows: list[Row], head: int, tail: int, pinned: Mask) -> list[Row]:
    """Keep the first and the last lines, and between them the pinned ones."""
    if not (head or tail) or len(rows) <= head + tail + 1:
        return rows
    return with_gaps(rows, pinned_among(rows, pinned), head, tail)


def window(
    left: Mask, marks: Mapping[int, Shown], budget: int, share: float, pinned: Mask
) -> list[Row]:
    """Make rows of the lines that are left, without those that cannot fit by their number alone.

    Few lines cost less than two tokens, so later stages need not look at what fit() would cut
    anyway. marks: rows that replace a line.
    """
    head, tail = ends_of(budget, share)
    if not budget or left.count(1) <= head + tail + 1:
        return with_marks(indexes(left), marks)
    first = list(islice(compress(count(), left), head))
    last = list(islice(backwards(left), tail))[::-1]
    between = rows_between(left, marks, range(first[-1] + 1, last[0]), pinned)
    return with_marks((*first, *between, *last), marks)


def ends_of(budget: int, share: float) -> tuple[int, int]:
    """How many lines at the beginning and at the end may fit into the budget."""
    most = budget // 2
    return int(most * share) + 1, int(most * (1 - share)) + 1


def with_marks(rows: Iterable[Row], marks: Mapping[int, Shown]) -> list[Row]:
    """The same rows, with marks in place of their lines."""
    found = list(rows)
    if len(marks) > _SMALL:
        return [marks.get(row, row) if isinstance(row, int) else row for row in found]
    for row, mark in marks.items():  # of which there is mostly one at most
        with suppress(ValueError):
            found[found.index(row)] = mark
    return found


def rows_between(left: Mask, marks: Mapping[int, Shown], part: range, wanted: Mask) -> list[Row]:
    """The wanted lines of a part, and marks for the others that are left there."""
    shown = union(left, wanted)
    rows: list[Row] = []
    start = part.start
    for between in _GAP.finditer(wanted, part.start, part.stop):
        first, end = between.span()
        rows += compress(range(start, first), shown[start:first])
        if left.count(1, first, end) > _SMALL:
            last = left.rfind(1, first, end)
            number = _last_number(marks[last]) if last in marks else last + 1
            rows.append(gap_row(range(left.find(1, first) + 1, number + 1)))
        else:
            rows += positions(left, first, end)
        start = end
    rows += compress(range(start, part.stop), shown[start : part.stop])
    return rows


def fit(
    rows: list[Row],
    shorten: Callable[[list[Row]], list[Row]],
    texts: RowTexts,
    budget: int,
    share: float,
    pinned: Mask,
) -> list[Row]:
    """Shorten lines, and keep what fits into the budget of tokens, a share of it at the beginning.

    Only what is kept is shortened: of a large output that is a small part.
    """

    def written(order: list[Row]) -> Iterator[list[str]]:
        return (texts_of(shorten(block), texts) for block in _blocks(order))

    if not budget:
        return shorten(rows)
    kept = pinned_among(rows, pinned)
    left = budget - estimate("\n".join(texts_of(compress(rows, kept), texts)))
    if left < 0:
        return shorten(with_gaps(rows, kept, 0, 0))
    forward = priced(written(rows), budget)
    if count_within(forward, budget) < len(rows):
        most = int(left * (1 - share))
        tail = count_within(priced(written(rows[::-1]), most), most)
        rows = with_gaps(rows, kept, count_within(forward, int(left * share)), tail)
    return shorten(rows)


def priced(blocks: Iterator[list[str]], budget: int) -> list[tuple[int, list[str]]]:
    """Blocks of lines, each with its cost, up to the first beyond the budget."""
    found: list[tuple[int, list[str]]] = []
    for block in blocks:
        cost = estimate("\n".join([*block, ""]))
        found.append((cost, block))
        budget -= cost
        if budget < 0:
            break
    return found


def count_within(blocks: list[tuple[int, list[str]]], budget: int) -> int:
    """How many lines, from the first on, cost no more than the budget together."""
    taken = 0
    for cost, block in blocks:
        if cost > budget:
            costs = accumulate(estimate(f"{text}\n") for text in block)
            return taken + sum(1 for _ in takewhile(budget.__ge__, costs))
        budget -= cost
        taken += len(block)
    return taken


def pinned_among(rows: list[Row], pinned: Mask) -> Mask:
    """The rows that are pinned; a line made of several is pinned if one of them is."""
    if 1 not in pinned:
        return bytes(len(rows))
    return bytes(
        [pinned[row] if isinstance(row, int) else _stands_for_pinned(row, pinned) for row in rows]
    )


def _stands_for_pinned(row: Shown, pinned: Mask) -> bool:
    numbers = row.numbers
    if isinstance(numbers, range):
        return pinned.find(1, numbers.start - 1, numbers.stop - 1) >= 0
    return any(pinned[number - 1] for number in numbers)


def with_gaps(rows: list[Row], kept: Mask, head: int, tail: int) -> list[Row]:
    """The first and the last rows, those to be kept between them, and marks for the others."""
    last = max(head, len(rows) - tail)
    wanted = bytearray(b"\1" * head + kept[head:last] + b"\1" * (len(rows) - last))
    for pos in _heading(rows, last):
        wanted[pos] = 1
    gaps = list(_GAP.finditer(wanted))
    left = bytearray(b"\1" * len(rows))
    for between in gaps:
        left[between.start() : between.end()] = bytes(between.end() - between.start())
    told = {number for row in compress(rows, left) for number in _told(row)}
    found: list[Row] = []
    behind = 0
    for between in gaps:
        found += rows[behind : between.start()]
        hidden = rows[between.start() : between.end()]
        numbers = _numbers(hidden, rows[between.end() : between.end() + 1])
        if any(number in numbers for number in told):
            numbers = [number for number in numbers if number not in told]
        found += [gap_row(numbers)] if numbers else []
        behind = between.end()
    return found + rows[behind:]


def _told(row: Row) -> Sequence[int]:
    """The raw lines of which a row says all, or the most; a shape may have moved it."""
    return () if isinstance(row, int) or row.kind in (MADE, GAP) else row.numbers


def _heading(rows: list[Row], pos: int) -> Iterator[int]:
    """The position of the heading without which the row cannot be understood, that of its tree."""
    row = rows[pos] if pos < len(rows) else 0
    if isinstance(row, int) or row.kind not in (SHORT, WHOLE):
        return
    for before in range(pos - 1, -1, -1):
        found = rows[before]
        if isinstance(found, int) or found.kind not in (SHORT, WHOLE, MADE):
            return
        if found.kind == MADE:
            if row.numbers[0] in found.numbers:
                yield before
            return


def gap_row(numbers: Sequence[int], pinned: int = 0) -> Shown:
    """The mark for raw lines that go; pinned: how many of them should not."""
    return Shown(GAP, gap(len(numbers), pinned), numbers)


def _numbers(rows: list[Row], following: list[Row]) -> Sequence[int]:
    """Return the raw lines that rows represent, and those between them, which were dropped.

    following: what stands below them; the lines above it go with a row that tells of several.
    """
    is_folded = any(not isinstance(row, int) for row in rows)
    end = following[0] + 1 if is_folded and following and isinstance(following[0], int) else 0
    return range(numbers_of(rows[0])[0], max(_last_number(rows[-1]) + 1, end))


def _last_number(row: Row) -> int:
    last = numbers_of(row)
    is_block = last[-1] - last[0] == len(last) - 1
    return last[-1] if is_block else last[0]
