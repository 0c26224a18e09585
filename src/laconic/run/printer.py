"""Writes to our own stdout and stderr; a reader that went away is no error."""

from __future__ import annotations

import os
import select

from laconic.run.spool import BOTH, ERR, OUT

NUMBERS = {BOTH: 1, OUT: 1, ERR: 2}
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Printer:
    """Where output goes.

    gone: descriptors that nobody reads any more. written: bytes so far.
    """

    __slots__ = ("_failed", "gone", "written")
    is_silent = False

    def __init__(self) -> None:
        self.gone: set[int] = set()
        self._failed: set[int] = set()
        self.written = 0

    def write(self, stream: str, data: bytes) -> None:
        number = NUMBERS[stream]
        self.written += len(data)
        view = memoryview(data)
        while view and number not in self.gone | self._failed:
            try:
                view = view[os.write(number, view) :]
            except BlockingIOError:
                _wait_for(number)
            except BrokenPipeError:
                self.gone.add(number)
            except OSError:  # a full disk behind it, perhaps: no reason to end the command
                self._failed.add(number)

    def watch(self, poll: select.poll) -> None:
        """Have a poll tell when a reader goes away, as a command would learn by SIGPIPE."""
        for number in {1, 2} - self.gone:
            poll.register(number, 0)

    def note(self, number: int, event: int) -> None:
        """Take in what a poll says of a reader."""
        if number in (1, 2) and event & _GONE:
            self.gone.add(number)


class Collector(Printer):
    """Prints nothing, and has it all by descriptor."""

    __slots__ = ("collected",)
    is_silent = True

    def __init__(self) -> None:
        super().__init__()
        self.collected = {1: bytearray(), 2: bytearray()}

    def write(self, stream: str, data: bytes) -> None:
        self.collected[NUMBERS[stream]] += data

    def watch(self, poll: select.poll) -> None:
        """Nobody reads us before the end."""


def _wait_for(number: int) -> None:
    """Somebody made the descriptor one that does not wait; then we do."""
    poll = select.poll()
    poll.register(number, select.POLLOUT)
    poll.poll()
