"""Looks through an output that is too large to be held: its ends, and diagnostics between them.

Every byte is read once, a megabyte at a time; lines are made only of what may be shown.
"""

from __future__ import annotations

import time

from laconic.compact.diagnostics import WORDS, is_diagnostic
from laconic.compact.lines import read_lines
from laconic.compact.notice import gap
from laconic.compact.stages.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.run.spool import Spool

LARGE = 16 << 20  # compacting a whole output takes some eight times its size
_HEAD_LINES, _TAIL_LINES = 30, 60
_MOST_FIRST, _MOST_LAST = 150, 50  # diagnostics from the beginning, and near the end
_NEAR_END = 4 << 20
_PIECE = 1 << 20
_WIDTH = 500
_LONGEST_S = 3.0  # then only the end is looked at for diagnostics


class Window:
    """What is shown of a stream: lines and marks; total and hidden count its lines."""

    __slots__ = ("hidden", "text", "total")

    def __init__(self, text: str, total: int, hidden: int) -> None:
        self.text, self.total, self.hidden = text, total, hidden


def look_through(spool: Spool, stream: str, start: int = 0) -> Window:
    """Look through a stream from a byte on."""
    size = spool.size(stream)
    deadline = time.monotonic() + _LONGEST_S
    shown: dict[int, bytes] = {}
    first: dict[int, bytes] = {}
    last: dict[int, bytes] = {}
    tail: dict[int, bytes] = {}
    total = 0
    for end, piece in _pieces(spool, stream, start, size):
        if total == 0:
            shown = dict(enumerate(piece.split(b"\n", _HEAD_LINES)[:_HEAD_LINES], 1))
        count = piece.count(b"\n")
        is_near_end = size - end <= _NEAR_END
        if is_near_end:
            last = _newest(last | _diagnostics(piece, total), _MOST_LAST)
        elif len(first) < _MOST_FIRST and time.monotonic() < deadline:
            found = _diagnostics(piece, total)
            first |= dict(list(found.items())[: _MOST_FIRST - len(first)])
        if is_near_end:
            lines = piece.removesuffix(b"\n").rsplit(b"\n", _TAIL_LINES)[-_TAIL_LINES:]
            number = total + piece.removesuffix(b"\n").count(b"\n") + 1
            tail = _newest(tail | dict(enumerate(lines, number - len(lines) + 1)), _TAIL_LINES)
        total += count
    if tail:
        total = max(total, *tail)
    shown = dict(sorted((shown | first | last | tail).items()))
    text = "".join(f"{line}\n" for line in _with_gaps(shown, total))
    return Window(text, total, total - len(shown))


def _newest(lines: dict[int, bytes], count: int) -> dict[int, bytes]:
    return dict(sorted(lines.items())[-count:])


def _pieces(spool: Spool, stream: str, start: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines, about a megabyte of them at a time, and where they end; a longer line comes in
    parts.
    """
    rest = b""
    while start < size:
        data = rest + spool.read(stream, start, min(size, start + _PIECE))
        start += len(data) - len(rest)
        cut = len(data) if start >= size else data.rfind(b"\n") + 1 or len(data)
        rest = data[cut:]
        yield start - len(rest), data[:cut]


def _diagnostics(piece: bytes, before: int) -> dict[int, bytes]:
    """The lines that are diagnostics by their words, by number."""
    lowered = piece.decode("latin-1").lower()
    starts: set[int] = set()
    for word in map(_as_latin, WORDS):
        offset = lowered.find(word)
        while offset >= 0 and len(starts) <= _MOST_FIRST:
            starts.add(lowered.rfind("\n", 0, offset) + 1)
            end = lowered.find("\n", offset)
            offset = lowered.find(word, end) if end >= 0 else -1
    found: dict[int, bytes] = {}
    for start in sorted(starts):
        line = piece[start:].split(b"\n", 1)[0] if start < len(piece) else b""
        if is_diagnostic(line.decode("utf-8", "surrogateescape")):
            found[before + piece.count(b"\n", 0, start) + 1] = line
    return found


def _as_latin(word: str) -> str:
    return word.encode().decode("latin-1").lower()


def _with_gaps(shown: dict[int, bytes], total: int) -> Iterator[str]:
    expected = 1
    for number, line in shown.items():
        if number > expected:
            yield gap(number - expected)
        text = "".join(clean(read_lines(line)).texts)
        cut = len(text) - _WIDTH
        yield f"{text[:_WIDTH]} [... {cut} characters hidden]" if cut > 0 else text
        expected = number + 1
    if total >= expected:
        yield gap(total - expected + 1)
