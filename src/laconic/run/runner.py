"""Runs a command to its end, and keeps everything that it writes in the spool.

When the spool is full, its content and everything that follows go directly to our own stdout and
stderr: nothing is lost, and nothing is compacted.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from laconic.run import guard
from laconic.run.drain import PIECE, Drain, Files, FullError, open_pipe
from laconic.run.printer import NUMBERS, Printer
from laconic.run.process import StartError, has_terminal, spawn
from laconic.run.signals import Child
from laconic.run.spool import BOTH, ERR, OUT, Spool

TICK_S = 0.25
_STRAGGLERS_S = 0.1  # for processes that write a moment after the command has ended
_PAUSE_S = 0.01
_NOTICES = "laconic_notices"  # client/client.h has it, too


class Runner:
    """One command.

    printed: how much of each stream was printed as it is, from its beginning. is_raw: the spool is
    full, and everything was or will be printed as it is. is_open: the command has ended, but
    another process still has its output open.
    """

    def __init__(self, spool: Spool, printer: Printer) -> None:
        self.spool, self.printer = spool, printer
        self.printed = dict.fromkeys(spool.handles, 0)
        self.is_raw = self.is_open = False
        self.child: Child
        self._pipes: dict[str, int] = {}
        self._guard: guard.Guard | None = None
        self._drain: Drain | None = None  # replaces the guard when that has died

    def start(
        self, argv: list[str], environ: Mapping[str, str], *, tells_at_once: bool = False
    ) -> None:
        """Start the command; raises StartError if it cannot be started.

        tells_at_once: what makes a box gets our stderr as well, for what nobody should wait for.
        """
        ends = {stream: open_pipe() for stream in self.spool.handles}
        self._pipes = {stream: read for stream, (read, _) in ends.items()}
        self._guard = guard.start(self._pipes, self.spool.handles)
        shares_terminal = has_terminal()
        self.child = Child(shares_terminal=shares_terminal)
        group = None if shares_terminal else self._guard.pid
        names = {1: BOTH, 2: BOTH} if BOTH in ends else {1: OUT, 2: ERR}
        streams = {n: ends[name][1] for n, name in names.items() if name in ends}
        notices = os.dup(2) if tells_at_once else -1
        if tells_at_once:
            os.set_inheritable(notices, True)
            environ = {**environ, _NOTICES: str(notices)}
        try:
            pid = spawn(argv, environ, streams, group)
        except StartError:
            self._guard.release()
            raise
        finally:
            _close(write for _, write in ends.values())
            _close([notices] if tells_at_once else [])
        self.child.started(pid, pid if group is None else -group)
        if shares_terminal:
            self._ask(lambda live: live.watch(pid))

    def wait(self, tick: Callable[[], None]) -> int:
        """Wait until the command ends, with a tick now and then; return its exit status."""
        while self.child.status is None:
            self._turn()
            if not self.is_raw:
                tick()
        deadline = time.monotonic() + _STRAGGLERS_S
        while self._sync() and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
        return self.child.status

    def wait_plainly(self) -> int:
        """Wait without doing anything else, after a fault in wait()."""
        self.child.wait()
        self._sync()
        assert self.child.status is not None
        return self.child.status

    def finish(self) -> None:
        """Release everything; processes that still have the output open may go on writing."""
        if self._drain and self._drain.pipes:
            handles = self.spool.handles
            if self.is_raw:
                handles = dict.fromkeys(handles, os.open(os.devnull, os.O_WRONLY))
            self._guard = guard.start(self._drain.pipes, handles)
        if self._guard:
            self._guard.release()

    # -- while it runs

    def _turn(self) -> None:
        poll = select.poll()
        poll.register(self.child.wakeup, select.POLLIN)
        self.printer.watch(poll)
        if self._guard:
            poll.register(self._guard.answers, select.POLLIN)
        names = {handle: name for name, handle in self._own_pipes().items()}
        for handle in names:
            poll.register(handle, select.POLLIN)
        for handle, event in poll.poll(TICK_S * 1000):
            if handle in names:
                self._move(names[handle])
            elif self._guard and handle == self._guard.answers:
                self._ask(guard.Guard.answer)
            else:
                self.printer.note(handle, event)
        self._stop_reading()
        self.child.check()

    def _stop_reading(self) -> None:
        """If nobody reads our output, let the command get SIGPIPE, as it would without us."""
        for name in [name for name in self._pipes if NUMBERS[name] in self.printer.gone]:
            handle = self._pipes.pop(name)
            if self._drain:
                self._drain.close(name)
            else:
                _close([handle])
                self._ask(partial(guard.Guard.close, stream=name))

    def _sync(self) -> bool:
        """Move what was written so far into the spool; tell whether the output is still open."""
        answers: list[bool] = []
        self._ask(lambda live: answers.append(live.sync()))
        self._move()
        self.is_open = any(answers) or bool(self._own_pipes())
        return self.is_open

    # -- when the guard has died, or the disk is full

    def _ask(self, question: Callable[[guard.Guard], object]) -> None:
        if self._guard is None:
            return
        try:
            question(self._guard)
        except guard.LostError as lost:
            self._guard = None
            self._drain = Drain(self._pipes, Files(self.spool.handles).take)
            if lost.stream:
                self._go_raw(lost.stream, lost.piece)

    def _move(self, stream: str | None = None) -> None:
        """Move what has arrived, of one stream or of all."""
        if self._drain is None:
            return
        try:
            if stream is None:
                self._drain.move_all()
            else:
                self._drain.move(stream)
        except FullError as full:
            self._go_raw(full.stream, full.piece)

    def _go_raw(self, stream: str, piece: bytes) -> None:
        assert self._drain is not None
        self.is_raw = True
        self.print_raw()
        self.printer.write(stream, piece)
        self._drain = Drain(self._drain.pipes, self.printer.write)

    def print_raw(self) -> None:
        """Print everything in the spool that was not printed yet."""
        for stream in self.spool.handles:
            while NUMBERS[stream] not in self.printer.gone:
                start = self.printed[stream]
                piece = self.spool.read(stream, start, start + PIECE)
                if not piece:
                    break
                self.printer.write(stream, piece)
                self.printed[stream] += len(piece)

    def _own_pipes(self) -> dict[str, int]:
        return self._drain.pipes if self._drain else {}


def _close(handles: Iterable[int]) -> None:
    for handle in handles:
        os.close(handle)
