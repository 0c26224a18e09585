"""Passes signals on to a command, and notices when it ends."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
from types import FrameType

from laconic.run.process import exit_status

_TO_GROUP = frozenset((signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT,
                       signal.SIGTSTP, signal.SIGCONT))  # fmt: skip
# All others are passed on to the command itself. The kernel sends these to a thread that has a
# fault, or whose reader has gone, and Python does not say from whom a signal comes. So a thread
# waits for them that has neither: it gets what is sent to the whole process (man 7 signal).
_OF_THREADS = frozenset(
    getattr(signal, f"SIG{name}")
    for name in "PIPE SEGV BUS FPE ILL TRAP SYS XFSZ".split()
    if sys.platform == "linux"
)
_OURS = _OF_THREADS | {
    getattr(signal, f"SIG{name}", 0)
    for name in "KILL STOP CHLD PIPE SEGV BUS FPE ILL TRAP SYS XFSZ".split()
}
# A terminal sends these to the whole foreground group, so the command gets them anyway (man 7
# signal; man 3 termios).
_FROM_TERMINAL = frozenset((signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH))
_STOPPING = frozenset((signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU))
# With a terminal these act on us as on the command: all stop, all continue.
_OF_JOB_CONTROL = _STOPPING | {signal.SIGCONT}


class Child:
    """The command that runs; status: None until it has ended.

    If it has a group of its own (the target is then its negative number, man 2 kill), signals from
    outside are passed on to that whole group.
    """

    def __init__(self, *, shares_terminal: bool) -> None:
        self._shares_terminal = shares_terminal
        self._pending: list[int] = []
        self._blocked: frozenset[int] = frozenset()
        self.pid = self.target = 0
        self.status: int | None = None
        self.received: set[int] = set()
        self.was_interrupted = False
        self.wakeup, written = os.pipe()
        for handle in (self.wakeup, written):
            os.set_blocking(handle, False)
        signal.set_wakeup_fd(written, warn_on_full_buffer=False)
        wanted = signal.valid_signals() - _OURS
        if shares_terminal:
            wanted -= _OF_JOB_CONTROL
        for number in wanted:
            # A signal that the caller ignores (nohup) is ignored by the command as well.
            if signal.getsignal(number) is not signal.SIG_IGN:
                with contextlib.suppress(OSError):  # the C library has some for itself
                    signal.signal(number, self._pass_on)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def started(self, pid: int, target: int) -> None:
        self.pid, self.target = pid, target
        for number in self._pending:
            self._send(number)
        self._watch_for_threads()

    def _watch_for_threads(self) -> None:
        """Have a thread wait for those signals, and for no other: those are to wake us up."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._blocked = _OF_THREADS - before
            if self._blocked:
                _thread.start_new_thread(self._wait_for_signals, ())
        except RuntimeError:  # there is no room for a thread
            self._blocked = frozenset()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, {*before, *self._blocked})

    def _wait_for_signals(self) -> None:
        while self.status is None:
            number = signal.sigwait(self._blocked)
            if self.status is None:
                self._send(number)

    def forget_wakeups(self) -> None:
        """Empty the wake-up pipe, before checking what a signal has changed."""
        try:
            while os.read(self.wakeup, 512):
                pass
        except BlockingIOError:
            pass

    def check(self) -> None:
        """Check whether the command has ended; we never kill it, however long it takes."""
        self.forget_wakeups()
        self.wait(os.WNOHANG)

    def wait(self, options: int = 0) -> None:
        """Take the exit status; without options, wait for it."""
        if self.status is not None:
            return
        pid, status = os.waitpid(self.pid, options)
        if pid:
            self.status = exit_status(status)
            died_of = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            self.was_interrupted = died_of == signal.SIGINT and died_of in self.received
            # What we start from here on has the mask that the command had.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self._blocked)

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        # This is done here and not in the loop, because it runs even while we wait for a reader.
        self.received.add(number)
        if self.pid == 0:
            self._pending.append(number)
        elif self.status is None:
            self._send(number)
        if number in _STOPPING:
            os.kill(os.getpid(), signal.SIGSTOP)

    def _send(self, number: int) -> None:
        if self._shares_terminal and number in _FROM_TERMINAL:
            return
        self._send_to(self.target if number in _TO_GROUP else self.pid, number)

    @staticmethod
    def _send_to(target: int, number: int) -> None:
        with contextlib.suppress(OSError):
            os.kill(target, number)
