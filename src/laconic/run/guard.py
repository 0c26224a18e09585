"""The guard: a process that outlives laconic, so that killing laconic loses and leaves nothing.

It leads the command's process group and moves the output into the spool. When laconic is killed, it
kills the group and keeps what was written. When laconic ends normally while a background process
still has the output open, it goes on moving.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Mapping

from laconic.run.drain import Drain, Files, FullError

# The messages between the two sides: a letter, perhaps with a value, and a newline.
_WATCH, _SYNC, _CLOSE, _RELEASE = b"w", b"s", b"c", b"r"
_OPEN, _ENDED, _FULL = b"o", b"e", b"f"
_DEAF_TO = frozenset(
    "SIGTERM SIGINT SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGPIPE SIGTSTP SIGTTIN SIGTTOU SIGXFSZ".split()
)


class LostError(Exception):
    """The guard has died or given up; piece: what it had read and could not write."""

    def __init__(self, stream: str = "", piece: bytes = b"") -> None:
        super().__init__("the guard is gone")
        self.stream, self.piece = stream, piece


class Guard:
    """Our side of the guard; answers: becomes readable when the guard gives up or dies."""

    def __init__(self, pid: int, control: int, answers: int) -> None:
        self.pid, self._control, self.answers = pid, control, answers

    def watch(self, pid: int) -> None:
        """Name the process to kill if we are killed, if that is not the guard's own group."""
        self._say(_WATCH + b"%d" % pid)

    def sync(self) -> bool:
        """Have everything moved that was written so far; tell whether the output is still open."""
        self._say(_SYNC)
        return self.answer() == _OPEN

    def close(self, stream: str) -> None:
        """Close the guard's end of a pipe, so that its writers learn that nobody reads."""
        self._say(_CLOSE + stream.encode())

    def release(self) -> None:
        """Tell the guard that we end normally, so that it kills nothing."""
        with contextlib.suppress(LostError):
            self._say(_RELEASE)

    def answer(self) -> bytes:
        """Read an answer; raises LostError if it is the last one, or if there is none."""
        said = os.read(self.answers, 1)
        if said in (_OPEN, _ENDED):
            return said
        rest = b""
        while piece := os.read(self.answers, 1 << 16):
            rest += piece
        stream, _, piece = rest.partition(b"\n")
        raise LostError(stream.decode(), piece)

    def _say(self, text: bytes) -> None:
        try:
            os.write(self._control, text + b"\n")
        except OSError:
            self.answer()


def start(pipes: Mapping[str, int], files: Mapping[str, int]) -> Guard:
    """Start the guard; its process id is that of the process group that it leads."""
    control_read, control = os.pipe()
    answers, answers_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            _forget({control_read, answers_write, *pipes.values(), *files.values()})
            _work(Drain(pipes, Files(files).take), control_read, answers_write)
        finally:
            os._exit(0)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)  # parent and child both call it, so that it is set whoever runs first
    os.close(control_read)
    os.close(answers_write)
    return Guard(pid, control, answers)


def _forget(ours: set[int]) -> None:
    """Close everything else, so that the caller does not wait for us, and ignore its signals."""
    for name in _DEAF_TO:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    first = 0
    for handle in (*sorted(ours), 1 << 20):
        os.closerange(first, handle)
        first = handle + 1
    os.chdir("/")


def _work(drain: Drain, control: int, answers: int) -> None:
    target = -os.getpid()
    while True:
        ready = _ready(drain, control)
        try:
            for stream in ready & drain.pipes.keys():
                drain.move(stream)
            if "" not in ready:
                continue
            said = os.read(control, 4096).split(b"\n")
            for word in said[:-1]:
                if word[:1] == _SYNC:
                    drain.move_all()
                    os.write(answers, _OPEN if drain.pipes else _ENDED)
                elif word[:1] == _CLOSE:
                    drain.close(word[1:].decode())
                elif word[:1] == _WATCH:
                    target = int(word[1:])
                else:
                    _linger(drain)
                    return
        except FullError as full:
            os.write(answers, _FULL + full.stream.encode() + b"\n")
            _write_all(answers, full.piece)
            return
        if said == [b""]:
            _avenge(drain, target)
            return


def _ready(drain: Drain, control: int | None = None) -> set[str]:
    """Wait until a pipe can be read; the empty name is the pipe from laconic."""
    poll = select.poll()
    names = {handle: stream for stream, handle in drain.pipes.items()}
    if control is not None:
        names[control] = ""
    for handle in names:
        poll.register(handle, select.POLLIN)
    return {names[handle] for handle, _ in poll.poll()}


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _avenge(drain: Drain, target: int) -> None:
    """Laconic was killed: kill the command, then keep what it has written."""
    with contextlib.suppress(OSError):  # where no process can be started, nobody goes on
        if target < 0 and os.fork():
            return  # we are in the group and die with it; our child goes on
        os.setpgid(0, 0)
    with contextlib.suppress(OSError):
        os.kill(target, signal.SIGKILL)
    _linger(drain)


def _linger(drain: Drain) -> None:
    """Move until nobody has the output open; discard it if there is no room."""
    try:
        while drain.pipes:
            for stream in _ready(drain):
                drain.move(stream)
    except FullError:
        _linger(Drain(drain.pipes, lambda *_: None))
