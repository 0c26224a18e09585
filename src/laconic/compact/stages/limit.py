"""Cuts what is still too much: long lines, then the middle; a pinned line is never cut."""

from __future__ import annotations

from laconic.compact.notice import gap
from laconic.compact.result import GAP, SHORT, Row, Shown, numbers_of, text_of, texts_of
from laconic.compact.tokens import estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from laconic.compact.lines import Lines


_SMALL = 2  # lines whose mark would cost as much as they do


def clip(rows: list[Row], lines: Lines, width: int, pinned: Collection[int]) -> list[Row]:
    """Shorten lines beyond the width: their beginning and end stay, and a mark between them."""
    if not width or max(map(len, lines.texts), default=0) <= width:
        return rows
    return [
        Shown(SHORT, _clipped(lines.texts[row], width), (row + 1,))
        if isinstance(row, int) and len(lines.texts[row]) > width and row not in pinned
        else row
        for row in rows
    ]


def _clipped(text: str, width: int) -> str:
    """Give the shorter of the text and its two ends: the mark has a length too."""
    end = width // 4
    mark = f" [... {len(text) - width} characters hidden] "
    return min(f"{text[: width - end]}{mark}{text[len(text) - end :]}", text, key=len)


def limit(rows: list[Row], head: int, tail: int, pinned: Collection[int]) -> list[Row]:
    """Keep the first and the last lines, and between them the pinned ones."""
    if not (head or tail) or len(rows) <= head + tail + 1:
        return rows
    last = len(rows) - tail
    kept = pinned_positions(rows, pinned)
    return with_gaps(rows, kept.union(range(head), range(last, len(rows))))


def window(rows: list[Row], budget: int, share: float, pinned: Collection[int]) -> list[Row]:
    """Cut what cannot fit, by the number of lines alone: none costs less than a token.

    So the stages behind need not look at what fit() would cut anyway.
    """
    if not budget or len(rows) <= budget:
        return rows
    return limit(rows, int(budget * share) + 1, int(budget * (1 - share)) + 1, pinned)


def fit(
    rows: list[Row], texts: list[str], budget: int, share: float, pinned: Collection[int]
) -> list[Row]:
    """Keep what fits into the budget of tokens, that share of it from the beginning."""
    if not budget or estimate("\n".join(texts_of(rows, texts))) <= budget:
        return rows
    kept = pinned_positions(rows, pinned)
    left = budget
    if kept:
        left -= estimate("\n".join(text_of(rows[pos], texts) for pos in kept))
    first = _taken(rows, texts, int(left * share), range(len(rows)))
    last = _taken(rows, texts, int(left * (1 - share)), range(len(rows) - 1, -1, -1))
    return with_gaps(rows, kept.union(first, last))


def _taken(rows: list[Row], texts: list[str], budget: int, order: Iterable[int]) -> list[int]:
    taken: list[int] = []
    for pos in order:
        budget -= estimate(text_of(rows[pos], texts)) + 1
        if budget < 0:
            break
        taken.append(pos)
    return taken


def pinned_positions(rows: list[Row], pinned: Collection[int]) -> set[int]:
    """Where pinned lines stand; a line made of several is pinned if one of them is."""
    if not pinned:
        return set()
    return {
        pos
        for pos, row in enumerate(rows)
        if row in pinned
        or (isinstance(row, Shown) and any(number - 1 in pinned for number in row.numbers))
    }


def with_gaps(rows: list[Row], kept: Collection[int]) -> list[Row]:
    """The kept rows, and a mark wherever several others were between them."""
    found: list[Row] = []
    behind = 0
    for pos in (*sorted(pos for pos in kept if 0 <= pos < len(rows)), len(rows)):
        missing = rows[behind:pos]
        found += [gap_row(_numbers(missing))] if len(missing) > _SMALL else missing
        found += rows[pos : pos + 1]
        behind = pos + 1
    return found


def gap_row(numbers: list[int]) -> Shown:
    """The mark for raw lines that go."""
    return Shown(GAP, gap(len(numbers)), tuple(numbers))


def _numbers(rows: list[Row]) -> list[int]:
    """The raw lines of rows; one that a made line and another stand for counts once."""
    numbers = [row + 1 for row in rows if isinstance(row, int)]
    if len(numbers) == len(rows):
        return numbers
    return list(dict.fromkeys(number for row in rows for number in numbers_of(row)))
