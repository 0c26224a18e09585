"""Tables with a heading: what most rows have in a column is said once, beside the heading.

The rows that have it in all of these columns are shown without it, any other row whole: `1/1` and
`Running` say little of each of fifty pods, `CrashLoopBackOff` of one says much.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import made, placed
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

    Split: TypeAlias = Callable[[str], list[str]]

_GAP = pattern(r" {2,}| *\t+ *")
_NAMED = pattern(r"[A-Z%#][\w %#/().:-]*")  # a column
_FEWEST_COLUMNS, _FEWEST_BY_GAPS, _FEWEST_ROWS = 4, 3, 8
_USUAL = 0.6  # of the rows have the same in a column
_ORDINARY = 0.5  # of the rows have all of that
_WORTH = 0.9  # of what the rows cost as they are
_SELDOM, _MOST_RARE = 2, 10  # rows with the same instead of what is usual, and such rows


def columns(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out of the rows of each table what most of them have."""
    instead: dict[int, list[Row]] = {}
    pos = 0
    while pos < len(rows):
        row = rows[pos]
        part = _table_at(row, islice(rows, pos + 1, None), texts) if isinstance(row, int) else None
        if part is None:
            pos += 1
            continue
        split, members = part
        instead |= _told(members, split, texts, asked)
        pos += len(members)
    return placed(rows, instead, set())


def _table_at(first: int, below: Iterable[Row], texts: Texts) -> tuple[Split, list[int]] | None:
    """The heading, if it is one, with the rows below it, and what splits them into columns."""
    head = texts[first].strip()
    names = _GAP.split(head)
    words = head.split()
    if len(names) < _FEWEST_BY_GAPS or len(words) < _FEWEST_COLUMNS:
        return None
    if not all(map(_NAMED.fullmatch, names)):
        return None
    members = [first]
    for row in below:
        if not isinstance(row, int) or not texts[row].strip():
            break
        members.append(row)

    def by_gaps(text: str) -> list[str]:
        return _GAP.split(text.strip())

    def by_words(text: str) -> list[str]:
        return text.split(None, len(words) - 1)

    for split, size in ((by_gaps, len(names)), (by_words, len(words))):
        fitting = [index for index in members if len(split(texts[index])) == size]
        if (
            size >= _FEWEST_COLUMNS
            and fitting[:1] == members[:1]
            and len(fitting) > max(_FEWEST_ROWS, _USUAL * len(members))
        ):
            return split, members
    return None


def _told(members: list[int], split: Split, texts: Texts, asked: Asked) -> dict[int, list[Row]]:
    """What is shown in place of the heading and of the rows that are like most others."""
    names = split(texts[members[0]])
    cells = {index: split(texts[index]) for index in members[1:]}
    cells = {index: own for index, own in cells.items() if len(own) == len(names)}
    usual: dict[int, str] = {}
    ordinary = list(cells)
    rare: set[int] = set()
    for column in range(1, len(names)):
        counts = Counter(own[column] for own in cells.values())
        value, many = counts.most_common(1)[0]
        left = [index for index in ordinary if cells[index][column] == value]
        if many >= _USUAL * len(cells) and len(left) >= _ORDINARY * len(cells):
            usual[column], ordinary = value, left
            rare |= {index for index, own in cells.items() if counts[own[column]] <= _SELDOM}
    ordinary = [index for index in ordinary if not (asked.status and asked.pinned[index])]
    if not usual or len(ordinary) < _FEWEST_ROWS:
        return {}
    kept = [column for column in range(len(names)) if column not in usual]
    said = ", ".join(f"{names[column]} {value}" for column, value in usual.items())
    which = f"rows of {len(kept)} column{'s' if len(kept) > 1 else ''}"
    heading = f"{'  '.join(names[column] for column in kept)} [{which} have: {said}]"
    told = {i: "  ".join(cells[i][column] for column in kept) for i in ordinary}
    before = estimate("\n".join(texts[i] for i in ordinary))
    if estimate("\n".join([heading, *told.values()])) > _WORTH * before:
        return {}
    asked.rare |= rare if len(rare) <= _MOST_RARE else set()
    found: dict[int, list[Row]] = {i: [Shown(SHORT, text, (i + 1,))] for i, text in told.items()}
    return {members[0]: [members[0], made(heading, [members[0]])], **found}
