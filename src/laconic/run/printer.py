"""Writes to our own stdout and stderr; a reader that went away is no error."""

from __future__ import annotations

import os
import select

from laconic.run.spool import BOTH, ERR, OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Mask(Protocol):
        """What hides secrets in an output; found: how many so far."""

        found: int

        def again(self) -> Mask: ...
        def mask(self, data: bytes, number: int) -> bytes: ...
        def feed(self, data: bytes, number: int) -> bytes: ...
        def held(self, number: int) -> int: ...
        def rest(self, number: int) -> bytes: ...


NUMBERS = {BOTH: 1, OUT: 1, ERR: 2}
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Printer:
    """Where output goes.

    gone: descriptors that nobody reads any more. written: bytes of the output so far. mask: hides
    the secrets in them, None where no agent reads them.
    """

    __slots__ = ("_failed", "gone", "mask", "written")
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

    def finish(self) -> None:
        """Write what waits for the end of its line."""
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

    def _put(self, number: int, data: bytes) -> None:
        self.collected[number] += data

    def watch(self, poll: select.poll) -> None:
        """Nobody reads us before the end."""


def _wait_for(number: int) -> None:
    """Somebody made the descriptor one that does not wait; then we do."""
    poll = select.poll()
    poll.register(number, select.POLLOUT)
    poll.poll()
