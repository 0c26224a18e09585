"""Runs of equal and of similar lines, found from either end of an output, as far as is asked for.

A run is a range of neighbouring lines that are equal or differ only in numbers, or a single line.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import compress, count, pairwise
from operator import eq, ne, not_, or_

from laconic.compact.lines import is_one_line
from laconic.compact.masks import both, without
from laconic.compact.result import MADE, Row, Shown
from laconic.compact.stages.limit import gap_row
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.compact.lines import Lines, TextLines
    from laconic.compact.masks import Mask

_LONG = 6  # similar neighbours from which on only the first and the last are shown
_SHOWN = 3  # rows in place of so many: the two and a mark
_SHORT = 100  # lines that are compared with each other
_MOST_DISTINCT = 60_000  # characters
_MOST_SHAPES = 255
_VARYING = b"0123456789abcdefABCDEF"


def forward_bounds(lines: Lines, single: Mask) -> Iterator[list[int]]:
    """Where runs begin and the last of them ends, from the first on, those of a chunk at a time.

    single: lines that are similar to no other.
    """
    begun: list[int] = []
    shapes = _Shapes()
    for number in range(len(lines.chunks)):
        bounds = begun + _starts(lines, number, single, shapes)
        yield bounds
        begun = bounds[-1:]
    yield [*begun, len(lines)]


def backward_bounds(lines: Lines, single: Mask) -> Iterator[list[int]]:
    """The same from the last on; the runs of a chunk are in order."""
    end = len(lines)
    shapes = _Shapes()
    for number in range(len(lines.chunks) - 1, -1, -1):
        bounds = [*_starts(lines, number, single, shapes), end]
        yield bounds
        end = bounds[0]


def rows_of_runs(bounds: list[int], lines: Lines) -> list[Row]:
    """The rows of all runs between these bounds."""
    rows: list[Row] = []
    for start, stop in pairwise(bounds):
        if stop == start + 1:
            rows.append(start)
        else:
            rows += rows_of_run(range(start, stop), lines)
    return rows


def rows_of_run(run: range, lines: Lines) -> list[Row]:
    """One row for equal lines; of many similar ones the first and the last."""
    if len(run) == 1:
        return [run.start]
    texts = lines.texts
    if _is_repeated(texts, run.start + 1) and _are_equal(run, lines):
        return [row_of_equal(run, lines)]
    rows = _rows_of_short(run, lines) if len(run) <= _SHORT else []
    if len(run) >= _LONG and not 0 < len(rows) <= _SHOWN:
        return [run.start, gap_row(range(run.start + 2, run.stop)), run.stop - 1]
    return rows


def _rows_of_short(run: range, lines: Lines) -> list[Row]:
    """A row for each line and for all that are equal to it."""
    texts = lines.texts
    starts = [pos for pos in run if pos == run.start or not _is_repeated(texts, pos)]
    parts = map(range, starts, [*starts[1:], run.stop])
    return [part.start if len(part) == 1 else row_of_equal(part, lines) for part in parts]


def row_of_equal(run: range, lines: Lines) -> Shown:
    """One row for equal lines, with their number."""
    text = f"{lines.texts[run.start]} (x{len(run)})"
    return Shown(MADE, text, range(run.start + 1, run.stop + 1))


def _are_equal(run: range, lines: Lines) -> bool:
    """Tell whether all lines of a run are the same."""
    text = lines.texts[run.start]
    number = lines.chunk_of(run.start)
    while number < len(lines.chunks) and lines.firsts[number] < run.stop:
        chunk, first = lines.chunks[number], lines.firsts[number]
        if not is_one_line(chunk, text, lines.counts[number]):
            part = lines.split(number)[max(0, run.start - first) : run.stop - first]
            if part.count(text) < len(part):
                return False
        number += 1
    return True


def repeated(lines: Lines, mask: Mask, most: int = _MOST_DISTINCT) -> Mask:
    """The lines of a mask that are equal to the one before them, and not blank.

    Equal lines are both in the mask or both not. They are looked for from both ends, up to so many
    characters of others in the mask, which are more than are ever shown.
    """
    found = bytearray(len(lines))
    for order in (range(len(lines.chunks)), range(len(lines.chunks) - 1, -1, -1)):
        left = most
        for number in order:
            first = lines.firsts[number]
            part = mask[first : first + lines.counts[number]]
            if b"\1\1" not in mask[max(0, first - 1) : first + len(part)]:
                continue
            texts = lines.split(number)
            again = bytes([_is_repeated(lines.texts, first), *map(eq, texts, texts[1:])])
            found[first : first + len(part)] = both(part, again)
            left -= sum(map(len, compress(texts, without(part, again))))
            if left < 0:
                break
        else:
            break
    return bytes(found)


def _is_repeated(texts: TextLines, pos: int) -> bool:
    """Tell whether a line is equal to that before it, and not blank."""
    return 0 < pos < len(texts) and texts[pos] == texts[pos - 1] and bool(texts[pos].strip())


class _Shapes:
    """Numbers the shapes of kinds of lines; 0 where a digit may decide, or there are too many."""

    def __init__(self) -> None:
        self._found: dict[bytes, int] = {}

    def __call__(self, texts: list[bytes]) -> bytes:
        return bytes(map(self._number, texts))

    def _number(self, text: bytes) -> int:
        shape = text.translate(None, _VARYING)
        if not shape or b"/" in text:
            return 0
        number = self._found.setdefault(shape, len(self._found) + 1)
        return number if number < _MOST_SHAPES else 0

    def goes_on(self, lines: Lines, number: int) -> bool:
        """Tell whether all lines of a chunk have the shape of the last line before it."""
        before, there = lines.numbers(number - 1), lines.numbers(number)
        if before is None or there is None:
            return False
        every = lines.kinds.answers(self, there)
        last = lines.kinds.answers(self, before[-1:])
        return last != b"\0" and every.count(last) == len(every)


def _starts(lines: Lines, number: int, single: Mask, known: _Shapes) -> list[int]:
    """Where the runs of a chunk begin."""
    first = lines.firsts[number]
    alone = single[first : first + lines.counts[number]]
    is_free = number > 0 and not single[first - 1] and 1 not in alone
    if is_free and known.goes_on(lines, number):
        return []
    chunk = lines.chunks[number]
    before = lines.chunks[number - 1].rpartition("\n")[2] if number else None
    if before is not None and is_one_line(chunk, before, lines.counts[number]):
        return []
    shape = _shapes(f"\n{before}", [before])[0] if before and not single[first - 1] else b""
    if before and shape and 1 not in alone and _has_one_shape(chunk, shape, before):
        return []
    texts = lines.split(number)
    shapes = [shape, *_shapes(chunk, texts)]
    for pos in compress(count(1), alone):
        shapes[pos] = b""
    differs = map(or_, map(ne, shapes, shapes[1:]), map(not_, shapes[1:]))
    found = compress(count(), differs)
    around = [before, *texts]
    return [first + p for p in found if around[p] != texts[p] or not texts[p].strip()]


def _has_one_shape(chunk: str, shape: bytes, before: str) -> bool:
    """Tell whether all lines of a chunk have the shape of that before, without a step for each."""
    if "/" not in chunk:
        raw = chunk.encode("utf-8", "surrogateescape")
        return raw.translate(None, _VARYING) == (b"\n" + shape) * chunk.count("\n")
    if "/" not in before:
        return False
    start = re.match(" *[^ ]*", before)
    assert start
    if "/" in start[0]:
        return False  # its shape is the whole line
    total = chunk.count("\n")
    if chunk.count(f"\n{start[0]} ") == total:  # lines that differ in numbers are found faster
        raw = f"{before}\0{chunk}".encode("utf-8", "surrogateescape").translate(None, _VARYING)
        plain, _, every = raw.partition(b"\0")
        if every == (b"\n" + plain) * total:
            return True
    rest = before.count(" ") - start[0].count(" ")
    return _lines_with(start[0], rest).fullmatch(chunk) is not None


@lru_cache(maxsize=16)
def _lines_with(start: str, spaces: int) -> re.Pattern[str]:
    """The shape of lines with a path: the first word, and how many spaces follow."""
    line = rf"\n{re.escape(start)}(?=[^\n/]*/)(?: [^ \n]*){{{spaces}}}(?![^\n])"
    return pattern(f"(?:{line})*")


def _shapes(chunk: str, texts: list[str]) -> list[bytes]:
    """Each line without what differs between lines of one kind; an empty shape is like no other.

    Numbers and hexadecimal digits go from all lines at once, which is a hundred times faster than
    to look for them; a line with a path is known by its first word and the number of its words.
    """
    raw = chunk.encode("utf-8", "surrogateescape")
    shapes = raw.translate(None, _VARYING).split(b"\n")[1:]
    for pos, text in enumerate(texts if "/" in chunk else ()):
        if "/" in text:
            words = text.split(None, 1)
            if len(words) > 1 and "/" not in words[0]:
                shapes[pos] = b"%s %d" % (words[0].encode("utf-8", "replace"), text.count(" "))
    return shapes
