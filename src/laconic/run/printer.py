"""Writes to our own stdout and stderr; a reader that has gone away is not an error."""

from __future__ import annotations

import os
import select

from laconic.run.spool import BOTH, ERR, OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Mask(Protocol):
        """Masks secrets in an output; found: how many so far."""

        found: int

        def again(self) -> Mask: ...
        def mask(self, data: bytes, number: int) -> bytes: ...
        def feed(self, data: bytes, number: int) -> bytes: ...
        def held(self, number: int) -> int: ...
        def rest(self, number: int) -> bytes: ...


NUMBERS = {BOTH: 1, OUT: 1, ERR: 2}
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Printer:
    """The destination of output.

    gone: descriptors that nobody reads any more. written: bytes of the output so far. mask: masks
    the secrets in them; None if no agent reads them.
    """

    is_silent = False

    def __init__(self) -> None:
        self.gone: set[int] = set()
        self._failed: set[int] = set()
        self.written = 0
        self.mask: Mask | None = None

    def write(self, stream: str, data: bytes) -> None:
        number = NUMBERS[stream]
        self.written += len(data)
        self._put(number, self.mask.feed(data, number) if self.mask else data)

    def say(self, stream: str, line: bytes) -> bool:
        """Write a line of ours, which has no secrets; False in the middle of a line of theirs."""
        number = NUMBERS[stream]
        if self.mask and self.mask.held(number):
            return False
        self.written += len(line)
        self._put(number, line)
        return True

    def finish(self) -> None:
        """Write what is held until the end of its line."""
        if self.mask:
            for number in (1, 2):
                self._put(number, self.mask.rest(number))

    def _put(self, number: int, data: bytes) -> None:
        view = memoryview(data)
        while view and number not in self.gone | self._failed:
            try:
                view = view[os.write(number, view) :]
            except BlockingIOError:
                _wait_for(number)
            except BrokenPipeError:
                self.gone.add(number)
            except OSError:  # perhaps the reader's disk is full; that must not end the command
                self._failed.add(number)

    def watch(self, poll: select.poll) -> None:
        """Register with a poll, which tells when a reader goes away (POLLERR in man 2 poll)."""
        for number in {1, 2} - self.gone:
            poll.register(number, 0)

    def note(self, number: int, event: int) -> None:
        """Note what a poll reports about a reader."""
        if number in (1, 2) and event & _GONE:
            self.gone.add(number)


class Collector(Printer):
    """Collects everything by descriptor instead of printing it."""

    is_silent = True

    def __init__(self) -> None:
        super().__init__()
        self.collected = {1: bytearray(), 2: bytearray()}

    def _put(self, number: int, data: bytes) -> None:
        self.collected[number] += data

    def watch(self, poll: select.poll) -> None:
        """Do nothing: nobody reads before the end."""


def _wait_for(number: int) -> None:
    """Wait until a descriptor is writable that another process has made non-blocking."""
    poll = select.poll()
    poll.register(number, select.POLLOUT)
    poll.poll()
