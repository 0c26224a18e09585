"""Makes one line of equal neighbours, with their number: `(x12)`."""

from __future__ import annotations

from array import array
from itertools import chain, compress, count
from operator import eq

from laconic.compact.masks import mask_of, without
from laconic.compact.result import MADE, Shown, numbers_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row

_RUN = pattern(b"\0\1\1*")  # a line, and those that are equal to it


def dedupe(
    left: Mask,
    marks: Mapping[int, Shown],
    lines: Lines,
    written: Callable[[int, str], str] | None = None,
) -> tuple[Mask, dict[int, Shown]]:
    """Return the lines that are left, and what is written in place of some of them.

    marks: what is written in place of lines already. written: how others are compared, by their
    index and text, if not as they are.
    """
    rows = array("I", compress(count(), left)) if 0 in left else range(len(left))
    again = _again(left, marks, lines, written)
    gone, made, texts = bytearray(again), dict(marks), lines.texts
    for run in _RUN.finditer(again):
        start, end = run.span()
        first = rows[start]
        text = marks[first].text if first in marks else texts[first]
        text = written(first, text) if written and first not in marks else text
        if text.strip():
            numbers = _numbers(rows[start:end], marks)
            made[first] = Shown(MADE, f"{text} (x{end - start})", numbers)
        else:
            gone[start:end] = bytes(end - start)
    is_whole = isinstance(rows, range)
    going = bytes(gone) if is_whole else mask_of(compress(rows, gone), len(left))
    return without(left, going), made


def _again(
    left: Mask,
    marks: Mapping[int, Shown],
    lines: Lines,
    written: Callable[[int, str], str] | None,
) -> Mask:
    """For each line that is left: 1 if it is equal to the one before it."""
    found = []
    before: Sequence[str | None] = []
    for number, first in enumerate(lines.firsts):
        there = left[first : first + lines.counts[number]]
        texts = lines.split(number)
        texts = list(compress(texts, there)) if 0 in there else texts
        if written or marks:
            rows = compress(count(first), there)
            texts = [
                marks[row].text if row in marks else written(row, text) if written else text
                for row, text in zip(rows, texts, strict=True)
            ]
        found.append(bytes(map(eq, texts, chain(before or [None], texts))))
        before = texts[-1:] or before
    return b"".join(found)


def _numbers(members: Sequence[int], marks: Mapping[int, Shown]) -> Sequence[int]:
    """The numbers of the raw lines for which these rows stand."""
    if not marks and members[-1] - members[0] == len(members) - 1:
        return range(members[0] + 1, members[-1] + 2)
    rows: list[Row] = [marks.get(row, row) for row in members]
    return [number for row in rows for number in numbers_of(row)]
