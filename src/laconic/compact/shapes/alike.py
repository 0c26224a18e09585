"""What is printed again and again: blocks below other heads, and the items of lists.

None of it depends on a tool. Neighbouring blocks are alike if all their lines but the first are the
same: the lines are shown once, below the first head, and the other heads follow.
"""

from __future__ import annotations

from itertools import groupby

from laconic.compact.result import WHOLE, Shown, numbers_of
from laconic.compact.shapes.rows import made, placed, text_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FEWEST, _LONGEST = 3, 16  # blocks that are alike, and lines of one
_SAYS = pattern(r"\w\w")
_SHORTEST = 16  # characters of what is told once
_ITEM = pattern(r"\s*[*+\u2022-] +(?=\S)")
_PAIR = pattern(r"\S.{6,}? (?:->|=>|\u2192|:) (?=\S+$)")  # what has one of several names
_NAME = pattern(r"[^\s,;:]+(?=[,;:]? )")  # of an item, before what is said of it
_FEWEST_ITEMS, _MANY_ITEMS = 4, 10


def rounds(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Tell neighbouring blocks of as many lines once, if their heads alone differ."""
    if asked.is_answer:
        return rows
    said = [text_of(row, texts).strip() for row in rows]
    found: list[Row] = []
    pos = 0
    while pos < len(rows):
        size, many = _run_at(pos, said)
        if not many:
            found.append(rows[pos])
            pos += 1
            continue
        found += _told_once(rows[pos : pos + size * many], size, texts)
        pos += size * many
    return found


def _run_at(pos: int, said: list[str]) -> tuple[int, int]:
    """How many lines a block that begins here has, and how many blocks follow; 0 if it is none."""
    first = said[pos + 1] if pos + 1 < len(said) else ""
    if not said[pos] or not first or said[pos] == first:
        return 0, 0
    for size in range(2, _LONGEST + 1):
        if pos + size + 1 >= len(said):
            return 0, 0
        if said[pos + size + 1] != first or said[pos + size] == first:
            continue
        body = said[pos + 1 : pos + size]
        many = 1
        while said[(at := pos + many * size) + 1 : at + size] == body and said[at]:
            many += 1
        told = "".join(body)
        if many >= _FEWEST and len(told) >= _SHORTEST and _SAYS.search(told):
            return size, many
    return 0, 0


def _told_once(rows: list[Row], size: int, texts: Texts) -> list[Row]:
    """The first block, and the heads of the others, or their number if all are the same."""
    heads = rows[::size]
    numbers = [sorted({n for row in rows[at::size] for n in numbers_of(row)}) for at in range(size)]
    body: list[Row] = [
        Shown(_kind_of(rows[at::size]), text_of(rows[at], texts), numbers[at])
        for at in range(1, size)
        if text_of(rows[at], texts).strip()
    ]
    head = text_of(heads[0], texts)
    if len({text_of(row, texts).strip() for row in heads}) == 1:
        return [
            Shown(_kind_of(heads), f"{head} [x{len(heads)}, with all below]", numbers[0]),
            *body,
        ]
    said = made(f"[the same below each of these {len(heads) - 1}]", [numbers_of(heads[1])[0] - 1])
    return [heads[0], *body, said, *heads[1:]]


def _kind_of(rows: list[Row]) -> str:
    """The kind of a row that stands for all of these, which say the same."""
    kinds = {row.kind for row in rows if not isinstance(row, int)}
    return WHOLE if not kinds else kinds.pop() if len(kinds) == 1 else "made"


def items(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Write the words of a list in one line; of what a failure lists, the names are enough."""
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for mark, group in groupby(rows, lambda row: _mark_of(row, texts, asked)):
        if not mark:
            continue
        run = [row for row in group if isinstance(row, int)]
        said = [texts[index][len(mark) :].rstrip() for index in run]
        if len(run) < _FEWEST_ITEMS:
            continue
        if not any(" " in text for text in said):
            instead[run[0]] = [whole(mark + " ".join(said), run)]
            gone.update(run)
        elif asked.status and not asked.is_answer and len(run) >= _MANY_ITEMS:
            names = [match[0] if (match := _NAME.match(text)) else "" for text in said]
            if all(names):
                instead[run[0]] = [made(f"{mark}{' '.join(names)} [names only]", run)]
                gone.update(run)
    return placed(rows, instead, gone)


def _mark_of(row: Row, texts: Texts, asked: Asked) -> str:
    """What begins an item of a list that says nothing wrong, up to its first word."""
    if not isinstance(row, int) or (asked.status and asked.pinned[row]):
        return ""
    match = _ITEM.match(texts[row]) or _PAIR.match(texts[row])
    return match[0] if match else ""
