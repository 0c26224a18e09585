"""Summarises an output that is too large for memory: its ends, and diagnostics between them.

Every byte is read once, a megabyte at a time; only what may be shown is split into lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from laconic.compact.diagnostics import find_diagnostics
from laconic.compact.lines import read_lines
from laconic.compact.masks import indexes
from laconic.compact.notice import gap
from laconic.compact.stages.clean import clean
from laconic.files import encoded
from laconic.run.spool import Spool

LARGE = 16 << 20  # compacting a whole output takes several times its size
_HEAD_LINES, _TAIL_LINES = 30, 60
_MOST_FIRST, _MOST_LAST = 150, 50  # diagnostics from the beginning, and near the end
_NEAR_END = 4 << 20
_PIECE = 1 << 20
_WIDTH = 500
_CONTINUING = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that begin no character
_LONGEST_S = 3.0  # after that only the end is searched for diagnostics


class Window:
    """What is shown of a stream: lines and marks; total and hidden count its lines."""

    def __init__(self, text: str, total: int, hidden: int) -> None:
        self.text, self.total, self.hidden = text, total, hidden


class _Diagnostics:
    """The diagnostics from the beginning, those near the end, and how many there are.

    is_complete: all of the output was searched.
    """

    def __init__(self) -> None:
        self.first: dict[int, bytes] = {}
        self.last: dict[int, bytes] = {}
        self.near_end: list[int] = []
        self.count = 0
        self.is_complete = True
        self._deadline = time.monotonic() + _LONGEST_S

    def look_at(self, piece: bytes, before: int, *, is_near_end: bool) -> None:
        """Search a piece; before: the number of lines before it."""
        if not is_near_end and time.monotonic() > self._deadline:
            self.is_complete = False
            return
        lines = read_lines(piece)
        found = [before + 1 + pos for pos in indexes(find_diagnostics(lines))]
        self.count += len(found)
        wanted = found[-_MOST_LAST:] if is_near_end else found[: _MOST_FIRST - len(self.first)]
        every = lines.texts
        texts = {number: encoded(every[number - before - 1]) for number in wanted}
        if is_near_end:
            self.near_end += found
            self.last = _newest(self.last | texts, _MOST_LAST)
        else:
            self.first |= texts

    def hidden(self, shown: dict[int, bytes]) -> int:
        """Return how many are not shown."""
        near_end = sum(number not in shown for number in self.near_end)
        return self.count - len(self.near_end) - len(self.first) + near_end


def look_through(
    spool: Spool, stream: str, start: int = 0, mask: Callable[[bytes], bytes] = bytes
) -> Window:
    """Search a stream from an offset on; mask: masks secrets in the lines that are shown."""
    size = spool.size(stream)
    head: dict[int, bytes] = {}
    tail: dict[int, bytes] = {}
    diagnostics = _Diagnostics()
    total = 0
    missing: dict[int, int] = {}  # how many characters of very long lines were not looked at
    for end, piece, cut in _pieces(spool, stream, start, size):
        if total == 0:
            lines = piece.removesuffix(b"\n").split(b"\n", _HEAD_LINES)
            head = dict(enumerate(lines[:_HEAD_LINES], 1))
        is_near_end = size - end <= _NEAR_END
        diagnostics.look_at(piece, total, is_near_end=is_near_end)
        if is_near_end:
            lines = piece.removesuffix(b"\n").rsplit(b"\n", _TAIL_LINES)[-_TAIL_LINES:]
            number = total + piece.removesuffix(b"\n").count(b"\n") + 1
            tail = _newest(tail | dict(enumerate(lines, number - len(lines) + 1)), _TAIL_LINES)
        total += piece.count(b"\n")
        if cut:
            missing[total + (not piece.endswith(b"\n"))] = cut
            diagnostics.is_complete = False
    if tail:
        total = max(total, *tail)
    found = head | diagnostics.first | diagnostics.last | tail
    shown = _masked(dict(sorted(found.items())), mask)
    text = "".join(f"{line}\n" for line in _with_gaps(shown, total, diagnostics, missing))
    return Window(text, total, total - len(shown))


def _masked(lines: dict[int, bytes], mask: Callable[[bytes], bytes]) -> dict[int, bytes]:
    """Mask the lines together, because a key has many lines."""
    texts = mask(b"".join(line + b"\n" for line in lines.values())).split(b"\n")
    return dict(zip(lines, texts[:-1], strict=True))


def _newest(lines: dict[int, bytes], count: int) -> dict[int, bytes]:
    return dict(sorted(lines.items())[-count:])


def _pieces(spool: Spool, stream: str, start: int, size: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield whole lines, about a megabyte at a time, where they end, and how many characters are
    missing of the last: of a line that is longer, only its beginning is there.
    """
    rest, missing = b"", 0
    while start < size:
        data = spool.read(stream, start, min(size, start + _PIECE))
        start += len(data)
        if missing or len(rest) >= _PIECE:
            inside, newline, data = data.partition(b"\n")
            missing += len(inside.translate(None, _CONTINUING))
            if newline or start >= size:
                yield start - len(data), rest + newline, missing
                rest, missing = b"", 0
        cut = data.rfind(b"\n") + 1
        if cut or (start >= size and rest + data):
            cut = len(data) if start >= size else cut
            yield start - len(data) + cut, rest + data[:cut], 0
            rest = b""
        rest += data[cut:]


def _with_gaps(
    shown: dict[int, bytes], total: int, diagnostics: _Diagnostics, missing: dict[int, int]
) -> Iterator[str]:
    """Yield the lines, and marks for gaps; one of them counts the diagnostics not shown."""
    hidden, behind = diagnostics.hidden(shown), max(diagnostics.first, default=0)
    expected = 1
    for number, line in (*shown.items(), (total + 1, b"")):
        if number > expected:
            is_theirs = hidden and number > behind
            pinned = hidden if is_theirs else 0
            yield gap(number - expected, pinned, is_exact=diagnostics.is_complete)
            hidden = 0 if is_theirs else hidden
        if number <= total:
            text = "".join(clean(read_lines(line)).texts)
            cut = len(text) - _WIDTH + missing.get(number, 0)
            yield f"{text[:_WIDTH]} [... {cut} characters hidden]" if cut > 0 else text
        expected = number + 1
