"""A worker of the server: a process that does one thing after the other.

Because it is a process and not a thread, a timer can stop it in the middle of an endless pattern
match, it delays no other call, and it is replaced when it has grown or failed. While the command of
a client runs, it does something else: what attends to a command is a generator, which gets each
frame that the client sends.
"""

from __future__ import annotations

import _socket
import contextlib
import faulthandler
import gc
import os
import select
import signal
import socket
import sys
import threading
import time

from laconic import __version__
from laconic.machine.processes import resident_bytes
from laconic.server import wire
from laconic.server.board import BUSY, HELD, IDLE, Board
from laconic.server.peer import is_equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from types import FrameType
    from typing import Any

    Steps = Generator[None, tuple[bytes, bytes], None]
    Handler = Callable[["Connection", wire.ClientCall], Steps | None]

SPARE = 1  # workers that wait for a call; others are made when calls wait
IDLE_S = 10  # how long one waits before it looks whether it is needed
LIMIT_BYTES = 32 << 20  # of a request; a hook reads at most half of it
SOON_S = 0.03  # after which the server looks whether somebody waits for a busy worker
_BURST_S = 0.01  # the same, if it was busy with one call after the other
_MOST_HELD = 64  # commands that run meanwhile; each takes four descriptors
_READ_S = 5.0  # the time that a client has to send its request
_STUCK_S = 30.0  # for a worker that does not even react to its timer
_TICK_S = 1.0
_MOST_CALLS = 50_000
_CALLS_TO_COLLECT = 64
_MOST_GROWTH = 64 << 20
_MOST_KEPT = 12 << 20  # that a worker has grown by when no client waits


# What Python says of a program before it starts one: https://docs.python.org/3/library/audit_events.html
_STARTS = frozenset(
    ("os.exec", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "subprocess.Popen")
)


class OutOfTimeError(BaseException):
    """A call took longer than it may; the worker ends after the answer."""


class StartsProgramError(BaseException):
    """A call would start a program; the client does that itself, as whom and where it is."""


class Connection:
    """A connection to a client; frames and signs of life are never mixed up."""

    def __init__(self, connected: _socket.socket | PlainLine, board: Board, server: int) -> None:
        self._socket, self._lock, self.board = connected, threading.Lock(), board
        self.server = server  # its process id; if it has died, our parent is another process
        self.is_at_work = False
        self.since = time.monotonic()
        self.deadline: float | None = self.since + _READ_S

    @property
    def process(self) -> int:
        """The process at the other end; 0 if it is not known."""
        if isinstance(self._socket, PlainLine):
            return self._socket.process
        if sys.platform != "linux":
            return 0
        known = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 4)
        return int.from_bytes(known, sys.byteorder)

    @property
    def number(self) -> int:
        """The descriptor; -1 once it is closed."""
        return self._socket.fileno()

    def receive(self, *, patiently: bool = False) -> tuple[bytes, bytes]:
        """Return the next frame; patiently: a command runs, and may take any time."""
        self.is_at_work = False
        self.deadline = None if patiently else time.monotonic() + _READ_S
        received = wire.receive(self._socket, LIMIT_BYTES)
        self.deadline, self.since, self.is_at_work = None, time.monotonic(), True
        return received

    def send(self, frame: bytes) -> None:
        with self._lock:
            self.is_at_work = False
            self._socket.sendall(frame)

    def close(self) -> None:
        self._socket.close()

    def tick(self, now: float) -> None:
        """Send a sign of life; give up on a client that does not send its request."""
        if self.deadline is not None and now > self.deadline:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        elif self.is_at_work and now - self.since > _TICK_S / 2:
            self.reassure()

    def reassure(self, *, is_asked: bool = False) -> None:
        """Send a sign of life; is_asked: the client waits, though we have not read its frame."""
        with self._lock, contextlib.suppress(OSError):
            if self.is_at_work or is_asked:
                self._socket.send(wire.reply(wire.Kind.AT_WORK), socket.MSG_DONTWAIT)


class Held:
    """A client whose command runs, and what attends to that."""

    def __init__(self, connection: Connection, steps: Steps) -> None:
        self.connection, self.steps = connection, steps


class Worker:
    """The loop of one process; handlers: what to do for each kind of call.

    wanted: a pipe by which the server is told to look whether more workers are needed. server: one
    that is closed when the server ends.
    """

    def __init__(
        self,
        listener: socket.socket,
        board: Board,
        place: int,
        wanted: int,
        server: int,
        handlers: Mapping[bytes, Handler],
    ) -> None:
        self._listener, self._board, self._place, self._wanted = listener, board, place, wanted
        self._server, self._handlers = server, handlers
        self._poll, self._second, self._exclusively = _poll()
        self._number = listener.fileno()
        self._is_listening = False
        self._held: dict[int, Held] = {}
        self._parent, self._size = os.getppid(), resident_bytes()
        self._connection: Connection | None = None
        self._calls = 0
        self._since = 0.0  # when it had nothing to do
        self.must_end = False

    def run(self) -> None:
        """Serve until told to end."""
        signal.signal(signal.SIGALRM, _on_timer)
        # Also in the middle of a pattern match, a timer lets the server know that this takes time.
        signal.set_wakeup_fd(self._wanted, warn_on_full_buffer=False)
        # The timer is for this thread: a signal that another thread gets does not wake it up.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        threading.Thread(target=self._tick_forever, daemon=True).start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        sys.addaudithook(refuse_programs)
        gc.disable()  # garbage is collected when no client waits
        self._poll.register(self._server, 0)  # closed is told in any case
        while self._listen() or self._held:
            for number in self._wait():
                if number == self._server:
                    self._poll.unregister(number)
                    self.must_end = True
                elif number in self._held:
                    self._go_on(self._held[number])
                elif number == self._number and self._is_listening:
                    self._accept()

    def _listen(self) -> bool:
        """Listen for calls, or not any more, or not while many commands run; tell which."""
        self.must_end = self.must_end or self._calls >= _MOST_CALLS or self._is_orphan()
        may_listen = not self.must_end and len(self._held) < _MOST_HELD
        if may_listen and not self._is_listening:
            self._poll.register(self._number, select.POLLIN | self._exclusively)
        elif self._is_listening and not may_listen:
            self._poll.unregister(self._number)
            self._tell_server()
        self._is_listening = may_listen
        return may_listen

    def _wait(self) -> list[int]:
        """Wait for something to do, and return the descriptors that have it."""
        ready = self._poll.poll(0)
        if not ready:
            self._board.mark(self._place, IDLE if self._is_listening else HELD)
            ready = self._poll.poll(IDLE_S * self._second)
            self._since = time.monotonic()
            if not ready and self._board.count(IDLE) > SPARE:
                self.must_end = True
        elif time.monotonic() - self._since > _BURST_S:
            self._tell_server()
        return [number for number, _ in ready]

    def _tell_server(self) -> None:
        """Have the server look whether other workers are needed."""
        with contextlib.suppress(OSError):  # it has been told often enough, or has ended
            os.write(self._wanted, b"+")

    def _accept(self) -> None:
        """Accept the next connection, unless another worker was faster.

        What `socket.socket` adds would take a tenth of the time that a hook takes.
        """
        try:
            handle, _ = self._listener._accept()  # type: ignore[attr-defined]  # noqa: SLF001
        except OSError as error:
            self.must_end = self.must_end or not isinstance(error, BlockingIOError)
            return
        self._board.mark(self._place, BUSY)
        self._board.add_call(self._place)
        self._calls += 1
        connected = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, handle)
        if sys.platform != "linux":  # where it has this from the listener
            connected.setblocking(True)
        if is_equal(connected):
            self._serve(Connection(connected, self._board, self._parent), None)
        else:
            connected.close()
        self._tidy_up()

    def _go_on(self, held: Held) -> None:
        """Hand the next frame of a client whose command runs to what attends to it."""
        self._board.mark(self._place, BUSY)
        self._serve(held.connection, held.steps)
        self._tidy_up()

    def _serve(self, connection: Connection, held: Steps | None) -> None:
        """Do what a client wants next; held: what attends to its command, if that runs already."""
        steps, goes_on = held, False
        self._connection = connection
        try:
            if held is None:
                steps = answer(connection, self._handlers)
                goes_on = steps is not None and _in_time(steps, None)
            else:
                goes_on = _in_time(held, connection.receive())
        except (OSError, wire.WireError):
            pass  # the client has gone or sends nonsense; it works without us
        except StartsProgramError:
            with contextlib.suppress(OSError):
                connection.send(wire.reply(wire.Kind.COLD))
        except OutOfTimeError:
            self.must_end = True
        except Exception:  # noqa: BLE001 - the client does the work itself
            report()
            self.must_end = True
        finally:
            self._connection = None
        if steps is not None and goes_on:
            self._hold(connection, steps)
        else:
            self._release(connection, steps)

    def _hold(self, connection: Connection, steps: Steps) -> None:
        number = connection.number
        if number not in self._held:
            self._poll.register(number, select.POLLIN)
            self._held[number] = Held(connection, steps)
            self._board.note_commands(self._place, len(self._held))

    def _release(self, connection: Connection, steps: Steps | None) -> None:
        if steps is not None:
            with contextlib.suppress(Exception):  # what is left is to be closed
                steps.close()
        if self._held.pop(connection.number, None):
            self._poll.unregister(connection.number)
            self._board.note_commands(self._place, len(self._held))
        connection.close()

    def _tidy_up(self) -> None:
        """Collect garbage now and then; after a large output all of it, or end if that is vain."""
        has_grown = resident_bytes() > self._size + _MOST_KEPT
        if has_grown or self._calls % _CALLS_TO_COLLECT == 0:
            gc.collect()
        if has_grown and resident_bytes() > self._size + _MOST_KEPT:
            self.must_end = True

    def _is_orphan(self) -> bool:
        return os.getppid() != self._parent

    def _tick_forever(self) -> None:
        while True:
            # This watchdog runs without the interpreter, so it also ends an endless match:
            # https://docs.python.org/3/library/faulthandler.html
            faulthandler.dump_traceback_later(_STUCK_S, exit=True, file=2)
            time.sleep(_TICK_S)
            connection = self._connection
            if connection:
                connection.tick(time.monotonic())
                self._reassure()
            if resident_bytes() > self._size + _MOST_GROWTH:
                self.must_end = True

    def _reassure(self) -> None:
        """Tell clients whose commands run, and who have asked meanwhile, that we are busy."""
        held = {number: one.connection for number, one in list(self._held.items())}
        held.pop(self._connection.number if self._connection else -1, None)
        with contextlib.suppress(OSError, ValueError):  # one has been closed
            for number in select.select(list(held), (), (), 0)[0]:
                held[number].reassure(is_asked=True)


def refuse_programs(event: str, _about: tuple[object, ...]) -> None:
    if event in _STARTS:
        raise StartsProgramError


class PlainLine:
    """A connection that is only read and written: a sandbox may refuse all else about sockets.

    process: the one at the other end, 0 if it is not known.
    """

    def __init__(self, handle: int, process: int) -> None:
        self._handle, self.process = handle, process

    def fileno(self) -> int:
        return self._handle

    def recv(self, size: int) -> bytes:
        return os.read(self._handle, size)

    def sendall(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._handle, data) :]

    def send(self, data: bytes, _flags: int) -> None:
        """Send a few bytes, unless nobody has read for long."""
        if select.select((), (self._handle,), (), 0)[1]:
            self.sendall(data)

    def shutdown(self, _how: int) -> None:
        """Give up: this process serves nobody else."""
        os._exit(1)

    def close(self) -> None:
        os.close(self._handle)


def serve_alone(line: PlainLine, handlers: Mapping[bytes, Handler]) -> None:
    """Answer the one client that has handed over a connection, in a separate process."""
    signal.signal(signal.SIGALRM, _on_timer)
    connection = Connection(line, Board(), os.getppid())
    threading.Thread(target=_tick_forever, args=(connection,), daemon=True).start()
    # After a fault the client works without us.
    with contextlib.suppress(OSError, wire.WireError, OutOfTimeError):
        steps = answer(connection, handlers)
        goes_on = steps is not None and advance(steps, None)
        while steps is not None and goes_on:
            goes_on = advance(steps, connection.receive(patiently=True))
    line.close()


def _tick_forever(connection: Connection) -> None:
    while True:
        faulthandler.dump_traceback_later(_STUCK_S, exit=True, file=2)  # as for a worker
        time.sleep(_TICK_S)
        connection.tick(time.monotonic())


def answer(connection: Connection, handlers: Mapping[bytes, Handler]) -> Steps | None:
    """Receive one call and handle it; return what attends to the client's command, if one runs."""
    kind, body = connection.receive()
    call = wire.ClientCall(body)
    handler = handlers.get(kind)
    if handler is None or call.version != __version__:
        connection.send(wire.reply(wire.Kind.COLD))
        return None
    return handler(connection, call)


def advance(steps: Steps, frame: tuple[bytes, bytes] | None) -> bool:
    """Hand over a frame of the client's, none at first; tell whether another one is expected."""
    try:
        if frame is None:
            next(steps)
        else:
            steps.send(frame)
    except StopIteration:
        return False
    return True


def _in_time(steps: Steps, frame: tuple[bytes, bytes] | None) -> bool:
    """The same, and let the server know if it takes time."""
    signal.setitimer(signal.ITIMER_REAL, SOON_S)
    try:
        return advance(steps, frame)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def report() -> None:
    import traceback  # noqa: PLC0415 - seldom

    print(time.strftime("%Y-%m-%d %H:%M:%S"), file=sys.stderr)
    traceback.print_exc()


def _poll() -> tuple[Any, int, int]:
    """What waits for several descriptors, in which units, and how only one worker wakes up.

    If all of them did, each call would go to the one that has waited longest, whose memory is the
    coldest.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # it is not allowed
            return select.epoll(), 1, select.EPOLLEXCLUSIVE
    return select.poll(), 1000, 0


_NEVER = float("inf")
_limit = [_NEVER]  # when the time of a call is up


@contextlib.contextmanager
def time_limit(seconds: float):  # type: ignore[no-untyped-def]  # noqa: ANN201 - loads no typing
    """Raise OutOfTimeError in the block when the time is up; let the server know long before."""
    _limit[0] = time.monotonic() + seconds
    signal.setitimer(signal.ITIMER_REAL, min(seconds, SOON_S))
    try:
        yield
    finally:
        _limit[0] = _NEVER
        signal.setitimer(signal.ITIMER_REAL, 0)


def _on_timer(_number: int, _frame: FrameType | None) -> None:
    left = _limit[0] - time.monotonic()
    if left <= 0:
        raise OutOfTimeError
    if left < _NEVER:
        signal.setitimer(signal.ITIMER_REAL, left)
