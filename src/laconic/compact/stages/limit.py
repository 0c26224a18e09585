"""Cuts what is still too much: long lines, then the middle.

A pinned line is never cut, unless there are more of them than anybody reads: then they are counted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache
from itertools import accumulate, chain, compress, count, islice, takewhile

from laconic.compact.lines import Lines
from laconic.compact.masks import backwards, positions, without
from laconic.compact.notice import gap
from laconic.compact.result import GAP, MADE, SHORT, Row, Shown, numbers_of, text_of
from laconic.compact.tokens import estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from laconic.compact.lines import TextLines
    from laconic.compact.masks import Mask


MOST_PINNED = 12_000  # tokens; beyond it pinned lines are counted instead of shown
_PINNED_HEAD = 0.7  # the first mistake is often the cause of the others
_FEW = 500  # pinned lines whose cost is of no interest
_SMALL = 2  # lines whose mark would cost as much as they do
_BLOCK = 32  # lines whose cost is estimated together


def clip(text: str, width: int) -> str:
    """Shorten a line beyond the width: its beginning and end stay, and a mark between them."""
    if not width or len(text) <= width:
        return text
    end = width // 4
    mark = f" [... {len(text) - width} characters hidden] "
    # the mark has a length too
    return min(text, f"{text[: width - end]}{mark}{text[len(text) - end :]}", key=len)


class Excess:
    """Pinned lines that are too many: all lines from first to last are cut.

    Both are pinned; the mark stands in the place of the first. count: how many of them are pinned.
    """

    __slots__ = ("count", "first", "last")

    def __init__(self, first: int, last: int, count: int) -> None:
        self.first, self.last, self.count = first, last, count

    @property
    def mark(self) -> Shown:
        return gap_row(range(self.first + 1, self.last + 2), self.count)

    def hollowed(self, lines: Lines) -> Lines:
        """As many lines, empty where whole chunks are cut: nobody need look at them."""
        chunks = lines.chunks[:]
        whole = range(
            bisect_left(lines.firsts, self.first), bisect_right(lines.firsts, self.last) - 1
        )
        for number in whole:
            chunks[number] = "\n" * chunks[number].count("\n")
        return Lines.of_chunks(chunks, lines.out_count)

    def left_of(self, mask: Mask) -> Mask:
        """The same lines but those that are cut."""
        gap = bytes(self.last - self.first)
        return mask[: self.first + 1] + gap + mask[self.last + 1 :]


def find_excess(pinned: Mask, texts: TextLines, again: Mask = b"") -> Excess | None:
    """Find what is beyond the bound of all that is pinned; None if all can be shown.

    again: those of them that are not written, because they repeat the line before.
    """
    every, pinned = pinned, without(pinned, again) if again else pinned
    total = pinned.count(1)
    if total <= _FEW:
        return None
    most = int(MOST_PINNED * _PINNED_HEAD)
    head = count_within(map(texts.__getitem__, compress(count(), pinned)), most)
    tail = count_within(map(texts.__getitem__, backwards(pinned)), MOST_PINNED - most)
    if head + tail >= total:
        return None
    first = next(islice(compress(count(), pinned), head, None))
    last = next(islice(backwards(pinned), tail, None))
    return Excess(first, last, every.count(1, first, last + 1))


def limit(rows: list[Row], head: int, tail: int, pinned: Mask) -> list[Row]:
    """Keep the first and the last lines, and between them the pinned ones."""
    if not (head or tail) or len(rows) <= head + tail + 1:
        return rows
    return with_gaps(rows, pinned_positions(rows, pinned), head, tail)


def window(
    left: Mask, marks: Mapping[int, Shown], budget: int, share: float, pinned: Mask
) -> list[Row]:
    """Make rows of the lines that are left, without those that cannot fit by their number alone.

    Few lines cost less than two tokens, so that the stages behind need not look at what fit() would
    cut anyway. marks: rows that stand in place of a line.
    """
    most = budget // 2
    head, tail = int(most * share) + 1, int(most * (1 - share)) + 1
    if not budget or left.count(1) <= head + tail + 1:
        return [marks.get(pos, pos) for pos in compress(count(), left)]
    first = list(islice(compress(count(), left), head))
    last = list(islice(backwards(left), tail))[::-1]
    between = rows_between(left, marks, range(first[-1] + 1, last[0]), pinned)
    return with_marks((*first, *between, *last), marks)


def with_marks(rows: Iterable[Row], marks: Mapping[int, Shown]) -> list[Row]:
    """The same rows, with marks in place of their lines."""
    return [marks.get(row, row) if isinstance(row, int) else row for row in rows]


def rows_between(
    left: Mask, marks: Mapping[int, Shown], part: range, wanted: Mask
) -> Iterator[Row]:
    """The wanted lines of a part, and marks for the others that are left there."""
    start = part.start
    for pos in chain(positions(wanted, part.start, part.stop), [part.stop]):
        if left.count(1, start, pos) > _SMALL:
            last = left.rfind(1, start, pos)
            end = _last_number(marks[last]) if last in marks else last + 1
            yield gap_row(range(left.find(1, start) + 1, end + 1))
        else:
            yield from positions(left, start, pos)
        if pos < part.stop:
            yield pos
        start = pos + 1


def fit(
    rows: list[Row],
    shorten: Callable[[Row], Row],
    texts: TextLines,
    budget: int,
    share: float,
    pinned: Mask,
) -> list[Row]:
    """Shorten lines, and keep what fits into the budget of tokens, a share of it at the beginning.

    Only what is kept is shortened: of a large output that is a small part.
    """
    shorten = cache(shorten)

    def written(order: Iterable[Row]) -> Iterator[str]:
        return (text_of(shorten(row), texts) for row in order)

    if budget and count_within(written(rows), budget) < len(rows):
        kept = pinned_positions(rows, pinned)
        left = budget - estimate("\n".join(text_of(rows[pos], texts) for pos in kept))
        head = count_within(written(rows), int(left * share))
        tail = count_within(written(reversed(rows)), int(left * (1 - share)))
        rows = with_gaps(rows, kept, head, tail)
    return list(map(shorten, rows))


def count_within(texts: Iterator[str], budget: int) -> int:
    """How many lines, from the first on, cost no more than the budget together."""
    taken = 0
    while block := list(islice(texts, _BLOCK)):
        cost = estimate("\n".join([*block, ""]))
        if cost > budget:
            costs = accumulate(estimate(f"{text}\n") for text in block)
            return taken + sum(1 for _ in takewhile(budget.__ge__, costs))
        budget -= cost
        taken += len(block)
    return taken


def pinned_positions(rows: list[Row], pinned: Mask) -> set[int]:
    """Where pinned lines stand; a line made of several is pinned if one of them is."""
    if 1 not in pinned:
        return set()
    return {
        pos
        for pos, row in enumerate(rows)
        if (pinned[row] if isinstance(row, int) else _stands_for_pinned(row, pinned))
    }


def _stands_for_pinned(row: Shown, pinned: Mask) -> bool:
    numbers = row.numbers
    if isinstance(numbers, range):
        return pinned.find(1, numbers.start - 1, numbers.stop - 1) >= 0
    return any(pinned[number - 1] for number in numbers)


def with_gaps(rows: list[Row], kept: Collection[int], head: int = 0, tail: int = 0) -> list[Row]:
    """The first and the last rows, those to be kept between them, and marks for the others."""
    last = max(head, len(rows) - tail)
    wanted = {pos for pos in (*kept, *_heading(rows, last)) if head <= pos < last}
    found = rows[:head]
    behind = head
    for pos in chain(sorted(wanted), [last]):
        if pos - behind > _SMALL:
            found.append(gap_row(_numbers(rows[behind:pos])))
            behind = pos
        found += rows[behind : pos + 1] if pos < last else rows[behind:]
        behind = pos + 1
    return found


def _heading(rows: list[Row], pos: int) -> Iterator[int]:
    """Where the line stands without which the row could not be understood: that of its tree."""
    row = rows[pos] if pos < len(rows) else 0
    if isinstance(row, int) or row.kind != SHORT:
        return
    for before in range(pos - 1, -1, -1):
        found = rows[before]
        if isinstance(found, int) or found.kind not in (SHORT, MADE):
            return
        if found.kind == MADE:
            if row.numbers[0] in found.numbers:
                yield before
            return


def gap_row(numbers: Sequence[int], pinned: int = 0) -> Shown:
    """The mark for raw lines that go; pinned: how many of them should not."""
    return Shown(GAP, gap(len(numbers), pinned), numbers)


def _numbers(rows: list[Row]) -> Sequence[int]:
    """The raw lines that rows stand for, and those between them, which were dropped before."""
    return range(numbers_of(rows[0])[0], _last_number(rows[-1]) + 1)


def _last_number(row: Row) -> int:
    last = numbers_of(row)
    is_block = last[-1] - last[0] == len(last) - 1
    return last[-1] if is_block else last[0]
