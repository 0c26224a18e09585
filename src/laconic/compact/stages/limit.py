"""Cuts what is still too much: long lines, then the middle; a pinned line is never cut."""

from __future__ import annotations

from functools import cache
from itertools import accumulate, chain, compress, count, islice, repeat, takewhile

from laconic.compact.notice import gap
from laconic.compact.result import GAP, MADE, SHORT, Row, Shown, numbers_of, text_of
from laconic.compact.tokens import estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet


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


def limit(rows: list[Row], head: int, tail: int, pinned: AbstractSet[int]) -> list[Row]:
    """Keep the first and the last lines, and between them the pinned ones."""
    if not (head or tail) or len(rows) <= head + tail + 1:
        return rows
    return with_gaps(rows, pinned_positions(rows, pinned), head, tail)


def window(rows: list[Row], budget: int, share: float, pinned: AbstractSet[int]) -> list[Row]:
    """Cut what cannot fit, by the number of lines alone: few cost less than two tokens.

    So the stages behind need not look at what fit() would cut anyway.
    """
    most = budget // 2
    if not budget or len(pinned) > most:  # what is pinned stays anyway
        return rows
    return limit(rows, int(most * share) + 1, int(most * (1 - share)) + 1, pinned)


def fit(
    rows: list[Row],
    shorten: Callable[[Row], Row],
    texts: Sequence[str],
    budget: int,
    share: float,
    pinned: AbstractSet[int],
) -> list[Row]:
    """Shorten lines, and keep what fits into the budget of tokens, a share of it at the beginning.

    Only what is kept is shortened: of a large output that is a small part.
    """
    shorten = cache(shorten)

    def written(order: Iterable[Row]) -> Iterator[str]:
        return (text_of(shorten(row), texts) for row in order)

    if budget and _count_within(written(rows), budget) < len(rows):
        kept = pinned_positions(rows, pinned)
        left = budget - estimate("\n".join(text_of(rows[pos], texts) for pos in kept))
        head = _count_within(written(rows), int(left * share))
        tail = _count_within(written(reversed(rows)), int(left * (1 - share)))
        rows = with_gaps(rows, kept, head, tail)
    return list(map(shorten, rows))


def _count_within(texts: Iterator[str], budget: int) -> int:
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


def pinned_positions(rows: list[Row], pinned: AbstractSet[int]) -> set[int]:
    """Where pinned lines stand; a line made of several is pinned if one of them is."""
    if not pinned:
        return set()
    found = set(compress(count(), map(pinned.__contains__, rows)))
    for pos in compress(count(), map(isinstance, rows, repeat(Shown))):
        if any(number - 1 in pinned for number in numbers_of(rows[pos])):
            found.add(pos)
    return found


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


def gap_row(numbers: Sequence[int]) -> Shown:
    """The mark for raw lines that go."""
    return Shown(GAP, gap(len(numbers)), numbers)


def _numbers(rows: list[Row]) -> Sequence[int]:
    """The raw lines that rows stand for, and those between them, which were dropped before."""
    last = numbers_of(rows[-1])
    is_block = last[-1] - last[0] == len(last) - 1
    return range(numbers_of(rows[0])[0], (last[-1] if is_block else last[0]) + 1)
