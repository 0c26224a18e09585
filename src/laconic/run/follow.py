"""Shows what a command writes while it still runs.

Without a filter: the first lines as they come, up to the first that says what is wrong. What
follows waits for the end, so that it is shortened as if it had come at once; or for a pause, after
which it is shown as far as there is room for it: a server writes, and waits. A command that is at
work says so from time to time, with the last line that it has written.
"""

from __future__ import annotations

from itertools import takewhile
from time import monotonic as clock

from laconic.compact.bound import attempt
from laconic.compact.diagnostics import diagnostics
from laconic.compact.generic import compact_generic
from laconic.compact.lines import read_lines
from laconic.compact.notice import so_far
from laconic.compact.result import RAW
from laconic.compact.stages.clean import clean
from laconic.patterns import pattern
from laconic.run.printer import NUMBERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from laconic.run.printer import Printer
    from laconic.run.spool import Spool

    class Output(Protocol):
        """The output of a command that runs or has ended, and how much of it was printed.

        printed: how much of each stream was printed as it is, from its beginning. is_open: the
        command has ended, but another process may still write.
        """

        spool: Spool
        is_open: bool

        @property
        def printer(self) -> Printer: ...
        @property
        def printed(self) -> dict[str, int]: ...
        def print_raw(self) -> None: ...


_HEAD_LINES, _HEAD_BYTES = 10, 600
_LOOKED_AT = 16 << 10  # bytes from the beginning that decide what of them is shown early, in time
_AFTER_PAUSE = 1024  # bytes that are shown after pauses, however early
_MOST_READ = 512 << 10  # bytes per tick that patterns search
MOST_COPIED = 4 << 20  # bytes per tick that are only copied; this is faster than commands write
_TICK_S = 0.5  # time limit for the new lines of a tick
SHORT = 200  # bytes between two shown lines that are shown as well
_MOST_KEPT = 256 << 10  # as much as the tokenizer counts of an output
# After which a command may be waiting for somebody who reads what it wrote. A client asks every
# half second: this way it is shown within the two seconds that are promised.
_PAUSE_S = 1.0
_BYTES_PER_S = 40  # that are shown after pauses, in the long run
_MARK_SHARE = 3  # all marks cost at most this part of what is not shown as it is
_MARK_S = 2.0  # before the first mark
_LAST_MARK_S = 60.0  # the longest time from one mark to the next
_TAIL = 8 << 10  # bytes in which the last line is looked for; no key is longer
_WIDTH = 100  # characters of it
_MUCH = 1 << 20  # bytes of which nothing says anything, so that any line stands for them
_SAYING = pattern(r"\w\w|[.FEsxX]{4}")
_DOTS = pattern(rb"[.FEsxX]+")


class Follower:
    """One stream of an output.

    end: the offset after the last line that was shown. lines: how many lines come before it.
    hidden: how many of these were not shown. shown: with a filter, a byte for each of them, 1 if it
    was shown. picked: what was printed after the first hidden line, as far as it is kept.
    rest: what is left, at the end, of the last line that was shown.
    """

    def __init__(self, output: Output, stream: str) -> None:
        self._output, self._stream = output, stream
        self.end = self.lines = self.hidden = 0
        self.rest = b""
        self.picked = b""
        self.shown = bytearray()
        self._is_done = False
        self._certain: list[tuple[bytes, int]] = []  # to be printed in this tick
        self._is_at_start = True  # of a line: what was printed ends with a newline
        self._began = self._spoke = clock()
        self._marked = 0  # how much there was when a mark was printed
        self._marks = 0  # bytes of all marks
        self._mark_after_s = _MARK_S

    def tick(self) -> bool:
        """Print what is certain by now; False if a filter failed and everything must wait."""
        if not self._is_done and not self._show_certain():
            return False
        self._mark()
        return True

    def _show_certain(self) -> bool:
        before = dict(vars(self))
        self._certain = []
        _, problem = attempt(self._follow, 0, _TICK_S)
        if problem:
            vars(self).update(before)
            self._is_done = True
            return False
        # Our reader may take any time, so no time limit interrupts this.
        for data, size in self._certain:
            self._write(data, size)
        return True

    def _mark(self) -> None:
        """Say how far a command has come of which nothing new was shown for a while."""
        size = self._output.spool.size(self._stream)
        if not self._is_at_start or size <= max(self._marked, self.end):
            return
        if clock() - self._spoke < self._mark_after_s:
            return
        last = self._last_line(size)
        line = so_far(last).encode("utf-8", "surrogateescape") + b"\n"
        if not last:
            return
        hidden = size - self._output.printed[self._stream]
        if (self._marks + len(line)) * _MARK_SHARE > hidden:
            return
        if self._output.printer.say(self._stream, line):
            self._mark_after_s = min(2 * self._mark_after_s, _LAST_MARK_S)
            self._spoke, self._marked = clock(), size
            self._marks += len(line)
            self.picked += line

    def _last_line(self, size: int) -> str:
        """The last line that says something; secrets are found in what is around them."""
        data = self._output.spool.read(self._stream, max(0, size - _TAIL), size)
        if mask := self._output.printer.mask:
            data = mask.again().mask(data, NUMBERS[self._stream])
        texts = list(clean(read_lines(data)).texts)
        last = next(filter(_SAYING.search, reversed(texts)), "").strip()
        if not last and size > _MUCH:  # as of `yes`, which ends when nobody reads it any more
            last = texts[-1].strip() if texts else ""
        return last if len(last) <= _WIDTH else f"{last[:_WIDTH]}…"

    def finish(self) -> None:
        """Count the line that was begun as shown: the command has ended."""

    def _follow(self) -> None:
        raise NotImplementedError

    def _new(self, start: int, most: int = _MOST_READ) -> bytes:
        return self._output.spool.read(self._stream, start, start + most)

    def _print(self, data: bytes, size: int, *, is_next: bool) -> None:
        """Queue data for printing, which stands for so many bytes of the output.

        is_next: it follows output of which everything was printed.
        """
        self._certain.append((data, size if is_next else 0))

    def _write(self, data: bytes, size: int) -> None:
        self._output.printer.write(self._stream, data)
        self._is_at_start = data.endswith(b"\n") if data else self._is_at_start
        self._spoke, self._mark_after_s = clock(), _MARK_S
        if size:
            self._output.printed[self._stream] += size
        elif len(self.picked) < _MOST_KEPT:
            self.picked += data


class Everything(Follower):
    """Shows everything, for a command of which every line is wanted."""

    def _follow(self) -> None:
        data = self._new(self._output.printed[self._stream], MOST_COPIED)
        self._print(data, len(data), is_next=True)


class Generic(Follower):
    """Follows a command without a filter."""

    def __init__(self, output: Output, stream: str) -> None:
        super().__init__(output, stream)
        self._is_in_head = True
        self._seen = 0  # how far the output had come at the last tick
        self._grew = self._began  # when it was longer than at the tick before
        self._shown = 0  # bytes that were shown after pauses

    def _follow(self) -> None:
        size = self._output.spool.size(self._stream)
        is_still = size == self._seen
        if not is_still:
            self._seen, self._grew = size, clock()
        if self._is_in_head:
            self._head(is_still=is_still)
        elif is_still and self.end < size and clock() - self._grew >= _PAUSE_S:
            self._show_waiting()

    def _head(self, *, is_still: bool) -> None:
        come = self._new(0, _LOOKED_AT)
        data = come[self.end : self.end + _HEAD_BYTES]
        lines = data.split(b"\n")
        # A line that carriage returns overwrite is not certain before its end.
        if b"\r" in data.replace(b"\r\n", b"\n"):
            self._is_in_head = False
            return
        whole = [line + b"\n" for line in lines[:-1]]
        texts = [line.decode("utf-8", "surrogateescape") for line in lines[:-1]]
        left = min(_HEAD_LINES, _stable(come)) - self.lines
        room = max(0, min(left, *diagnostics(texts), len(whole)))
        self._is_in_head = room == len(whole) and self.end + len(data) < _HEAD_BYTES
        shown = b"".join(whole[:room])
        self._print(_without_colours(shown), len(shown), is_next=True)
        self.end += len(shown)
        self.lines += room
        part = lines[-1]
        # perhaps a question that waits for an answer, or the dots of tests, one for each
        if self._is_in_head and part and ((is_still and not whole) or _DOTS.fullmatch(part)):
            self._print(part, len(part), is_next=True)
            self.end += len(part)

    def _show_waiting(self) -> None:
        """Show what has come before a pause, shortened, if there is room for it by now."""
        data = self._new(self.end)
        is_whole = self.end + len(data) == self._seen
        elapsed = clock() - self._began
        room = _AFTER_PAUSE + int(_BYTES_PER_S * elapsed) - self._shown
        lines = read_lines(data)
        found = compact_generic(lines)
        shown = found.text().encode("utf-8", "surrogateescape") if found else data
        if not is_whole or b"\r" in data or len(shown) > room:
            return
        if found:
            self.hidden += found.hidden
        else:
            shown = _without_colours(shown) if data.endswith(b"\n") else shown
        self._print(shown, len(data), is_next=not self.hidden and not found)
        self._shown += len(shown)
        self.end += len(data)
        self.lines += data.count(b"\n")


def _stable(come: bytes) -> int:
    """Return how many lines from the beginning stay as they are, by what has come so far.

    The first one counts in any case: who writes one line for ever learns that nobody reads it.
    """
    lines = read_lines(come[: come.rfind(b"\n") + 1])
    found = compact_generic(lines)
    if found is None:
        return len(lines)
    rows = (row.kind == RAW and row.numbers[0] == pos for pos, row in enumerate(found.shown, 1))
    return max(1, sum(takewhile(bool, rows)))


def _without_colours(data: bytes) -> bytes:
    """Whole lines, without what only a terminal needs."""
    if b"\x1b" not in data:
        return data
    return clean(read_lines(data), is_text=True).text.encode("utf-8", "surrogateescape") + b"\n"
