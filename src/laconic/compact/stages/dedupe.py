"""Makes one line of equal neighbours, with their number; blank lines stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, compress, count
from operator import eq, not_

from laconic.compact.lines import is_one_line
from laconic.compact.masks import added, any_of, indexes, mask_of, union, without
from laconic.compact.result import MADE, Shown, numbers_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row

_RUN = pattern(b"\1\0*\2")  # a line and the next that is equal to it, with lines that are not left


class Marks(Mapping[int, Shown]):
    """What is written in place of lines, by their indexes; made when it is asked for.

    Of the thousands of repeated lines in a large output, few are shown.
    """

    def __init__(
        self,
        left: Mask,
        again: Mask,
        marks: Mapping[int, Shown],
        compared: Callable[[int], str],
    ) -> None:
        self._left, self._again, self._marks, self._compared = left, again, marks, compared
        self._firsts = without(left, again)
        self._marked = mask_of(marks, len(left))

    def __getitem__(self, row: int) -> Shown:
        end = self._end(row)
        if not self._repeats(row, end):
            return self._marks[row]
        text = f"{self._compared(row)} (x{self._left.count(1, row, end)})"
        return Shown(MADE, text, self._numbers(row, end))

    def __contains__(self, row: object) -> bool:
        return isinstance(row, int) and (row in self._marks or self._repeats(row, self._end(row)))

    def __iter__(self) -> Iterator[int]:
        runs = _RUN.finditer(added(self._left, self._again))
        return iter(sorted({*self._marks, *(run.start() for run in runs)}))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _end(self, row: int) -> int:
        """Where the next line begins that is not equal to this one."""
        end = self._firsts.find(1, row + 1)
        return len(self._firsts) if end < 0 else end

    def _repeats(self, row: int, end: int) -> bool:
        return self._firsts[row] == 1 and self._again.find(1, row + 1, end) >= 0

    def _numbers(self, row: int, end: int) -> Sequence[int]:
        """The numbers of the raw lines that are written as one."""
        last = self._left.rfind(1, row, end)
        if self._marked.find(1, row, end) < 0 and self._left.find(0, row, last) < 0:
            return range(row + 1, last + 2)
        members = compress(count(row), self._left[row:end])
        rows: list[Row] = [self._marks.get(member, member) for member in members]
        return [number for one in rows for number in numbers_of(one)]


def dedupe(
    left: Mask,
    marks: Mapping[int, Shown],
    lines: Lines,
    changing: Mask = b"",
    changed: Callable[[str], str] = str,
) -> tuple[Mask, Mapping[int, Shown]]:
    """Return the lines that are left, and what is written in place of some of them.

    marks: what is written in place of lines already. changing: lines that are compared as they are
    changed to.
    """
    texts = lines.texts
    changing = changing or bytes(len(left))

    def compared(row: int) -> str:
        if row in marks:
            return marks[row].text
        return changed(texts[row]) if changing[row] else texts[row]

    again = _again(left, marks, lines, changing, changed)
    return without(left, again), Marks(left, again, marks, compared)


def _again(
    left: Mask,
    marks: Mapping[int, Shown],
    lines: Lines,
    changing: Mask,
    changed: Callable[[str], str],
) -> Mask:
    """The lines that are left and equal to the one that is left before them, and not blank."""
    found = []
    others = union(changing, mask_of(marks, len(left)))
    before: str | None = None
    for number, first in enumerate(lines.firsts):
        chunk, total = lines.chunks[number], lines.counts[number]
        there = left[first : first + total]
        is_other = any_of(others[first : first + total])
        is_whole = not is_other and 0 not in there
        if is_whole and before is not None and is_one_line(chunk, before, total):
            found.append(there)
            continue
        texts = lines.split(number)
        texts = texts if 0 not in there else list(compress(texts, there))
        if is_other:
            rows = compress(count(first), there)
            texts = [
                marks[row].text if row in marks else changed(text) if changing[row] else text
                for row, text in zip(rows, texts, strict=True)
            ]
        found.append(_spread(_repeated(texts, before), there))
        before = texts[-1] if texts else before
    return b"".join(found)


def _repeated(texts: list[str], before: str | None) -> Mask:
    """The texts that are equal to the one before them and not blank."""
    same = bytes(map(eq, texts, chain([before], texts)))
    if all(map(str.strip, compress(texts, same))):
        return same
    return without(same, bytes(map(not_, map(str.strip, texts))))


def _spread(mask: Mask, there: Mask) -> Mask:
    """A mask of some lines as one of all, of which these are there."""
    if len(mask) == len(there):
        return mask
    return (
        mask_of(compress(indexes(there), mask), len(there)) if any_of(mask) else bytes(len(there))
    )
