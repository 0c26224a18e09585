"""Shows the lines of a command without a filter while it still runs.

The first lines as they come, then every diagnostic, with marks for the gaps. All later lines wait
for the end, so that lines are never shown out of order.
"""

from __future__ import annotations

from laconic.compact.bound import attempt
from laconic.compact.diagnostics import diagnostics
from laconic.compact.lines import read_lines
from laconic.compact.notice import gap
from laconic.compact.stages.clean import clean

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


_HEAD_LINES, _HEAD_BYTES = 100, 8 * 1024
_MOST_SHOWN = 24 * 1024  # bytes of diagnostics; after that everything waits for the end
_MOST_READ = 512 << 10  # bytes per tick that patterns search
MOST_COPIED = 4 << 20  # bytes per tick that are only copied; this is faster than commands write
_TICK_S = 0.5  # time limit for the new lines of a tick
SHORT = 200  # bytes between two shown lines that are shown as well
_MOST_KEPT = 256 << 10  # as much as the tokenizer counts of an output


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

    def tick(self) -> bool:
        """Print what is certain by now; False if a filter failed and everything must wait."""
        if self._is_done:
            return True
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
        self._read = 0  # bytes looked at
        self._waiting = 0  # lines since the last one that was shown
        self._shown = 0
        self._seen = 0  # how far the output had come at the last tick

    def _follow(self) -> None:
        if not self._waiting and self.lines < _HEAD_LINES and self.end < _HEAD_BYTES:
            self._head()
        else:
            self._rest()

    def _head(self) -> None:
        data = self._new(self.end)[:_HEAD_BYTES]
        lines = data.split(b"\n")
        whole = b"".join(line + b"\n" for line in lines[:-1][: _HEAD_LINES - self.lines])
        if not whole and len(data) == _HEAD_BYTES:
            self._is_done = True  # a line as long as the head is decided at the end
        # A line that carriage returns overwrite is not certain before its end.
        if b"\r" in whole.replace(b"\r\n", b"\n"):
            self._is_done = True
            return
        self._print(_without_colours(whole), len(whole), is_next=True)
        self.end += len(whole)
        self.lines += whole.count(b"\n")
        if not whole and self._seen == self.end + len(data) and b"\r" not in data:
            self._print(
                data, len(data), is_next=True
            )  # perhaps a question that waits for an answer
            self.end += len(data)
        self._seen = self.end + len(data) - len(whole)
        self._read = self.end

    def _rest(self) -> None:
        data = self._new(self._read)
        data = data[: data.rfind(b"\n") + 1]
        texts = data.decode("utf-8", "surrogateescape").split("\n")[:-1]
        found = diagnostics(texts)
        offset = self._read
        for pos, line in enumerate(data.split(b"\n")[:-1]):
            offset += len(line) + 1
            if pos in found and b"\r" not in line:
                self._show(line, offset)
            else:
                self._waiting += 1
        self._read = offset

    def _show(self, line: bytes, end: int) -> None:
        if self._is_done:
            return
        start = end - len(line) - 1
        between = b""
        if self._waiting and start - self.end <= SHORT:  # not longer than the mark and the notice
            between = self._output.spool.read(self._stream, self.end, start)
        elif self._waiting:
            between = f"{gap(self._waiting)}\n".encode()
            self.hidden += self._waiting
        shown = _without_colours(between + line + b"\n")
        self._print(shown, end - self.end, is_next=not self.hidden)
        self.lines += self._waiting + 1
        self.end, self._waiting = end, 0
        self._shown += len(line)
        self._is_done = self._shown > _MOST_SHOWN


def _without_colours(data: bytes) -> bytes:
    """Whole lines, without what only a terminal needs."""
    if b"\x1b" not in data:
        return data
    return clean(read_lines(data), is_text=True).text.encode("utf-8", "surrogateescape") + b"\n"
