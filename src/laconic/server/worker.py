"""A worker of the server: a process that serves one connection after the other.

Because it is a process and not a thread, a timer can stop it in the middle of an endless pattern
match, it delays no other call, and it is replaced when it has grown or failed.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH123
from __future__ import annotations

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
from laconic.server import wire
from laconic.server.board import BUSY, HELD, IDLE, Board
from laconic.server.peer import is_equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    Handler = Callable[["Connection", wire.ClientCall], None]

SPARE = 2  # workers that wait for a call; one alone would have another made at every call
IDLE_S = 10  # how long one waits before it looks whether it is needed
LIMIT_BYTES = 32 << 20  # of a request; a hook reads at most half of it
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
_PS = "/bin/ps"  # which tells about the caller where there is no /proc


class OutOfTimeError(BaseException):
    """A call took longer than it may; the worker ends after the answer."""


class StartsProgramError(BaseException):
    """A call would start a program; the client does that itself, as whom and where it is."""


class Connection:
    """A connection to a client; frames and signs of life are never mixed up."""

    __slots__ = ("_lock", "_mark", "_socket", "board", "deadline", "is_at_work", "server", "since")

    def __init__(
        self,
        connected: socket.socket,
        board: Board,
        server: int,
        mark: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._socket, self._lock, self.board, self._mark = connected, threading.Lock(), board, mark
        self.server = server  # its process id; if it has died, our parent is another process
        self.is_at_work = False
        self.since = time.monotonic()
        self.deadline: float | None = self.since + _READ_S

    @property
    def process(self) -> int:
        return process_of(self._socket)

    def receive(self, *, patiently: bool = False) -> tuple[bytes, bytes]:
        """Return the next frame; patiently: a command runs, and may take any time."""
        self.is_at_work = False
        self.deadline = None if patiently else time.monotonic() + _READ_S
        if patiently:
            self._mark(HELD)
        received = wire.receive(self._socket, LIMIT_BYTES)
        if patiently:
            self._mark(BUSY)
        self.deadline, self.since, self.is_at_work = None, time.monotonic(), True
        return received

    def send(self, frame: bytes) -> None:
        with self._lock:
            self.is_at_work = False
            self._socket.sendall(frame)

    def tick(self, now: float) -> None:
        """Send a sign of life; give up on a client that does not send its request."""
        if self.deadline is not None and now > self.deadline:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        elif self.is_at_work and now - self.since > _TICK_S / 2:
            with self._lock, contextlib.suppress(OSError):
                if self.is_at_work:
                    self._socket.send(wire.reply(wire.Kind.AT_WORK), socket.MSG_DONTWAIT)


def process_of(connected: socket.socket) -> int:
    """Return the process id at the other end; 0 if it is not known."""
    if sys.platform != "linux":
        return 0
    known = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 4)
    return int.from_bytes(known, sys.byteorder)


class Worker:
    """The loop of one process; handlers: what to do for each kind of call.

    server: a pipe that is closed when the server ends.
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
        self._handlers = handlers
        self._poll = in_turn(listener, server)
        self._parent, self._size = os.getppid(), resident_bytes()
        self._connection: Connection | None = None
        self._calls = 0
        self.must_end = False

    def run(self) -> None:
        """Serve until told to end."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, _out_of_time)
        # The timer is for this thread: a signal that another thread gets does not wake it up.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        threading.Thread(target=self._tick_forever, daemon=True).start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        sys.addaudithook(_refuse_programs)
        gc.disable()  # garbage is collected when no client waits
        while not self.must_end and self._calls < _MOST_CALLS:
            self._board.mark(self._place, IDLE)
            try:
                connected = self._accept()
            except OSError:
                return  # the server ends
            if connected is None:
                if self._board.count(IDLE) > SPARE or self._is_orphan():
                    return
                continue
            self._mark(BUSY)
            self._calls += 1
            with connected:
                self._serve(connected)
            self._tidy_up()
            self.must_end = self.must_end or self._is_orphan()

    def _tidy_up(self) -> None:
        """Collect garbage now and then; after a large output all of it, or end if that is vain."""
        has_grown = resident_bytes() > self._size + _MOST_KEPT
        if has_grown or self._calls % _CALLS_TO_COLLECT == 0:
            gc.collect()
        if has_grown and resident_bytes() > self._size + _MOST_KEPT:
            self.must_end = True

    def _accept(self) -> socket.socket | None:
        """Accept the next connection; None if there was none for a while."""
        while True:
            events = self._poll.poll(IDLE_S) if self._poll else []
            if self._poll and not events:
                return None
            if any(event & select.EPOLLHUP for _, event in events):
                raise ConnectionAbortedError("the server has ended")
            try:
                return self._listener.accept()[0]
            except BlockingIOError:
                if not self._poll:
                    return None
                # else another worker was faster

    def _mark(self, state: int) -> None:
        """Note what we do; have the server look whether others are needed."""
        self._board.mark(self._place, state)
        if not self._board.count(IDLE):
            with contextlib.suppress(BlockingIOError):  # it has been told often enough
                os.write(self._wanted, b"+")

    def _is_orphan(self) -> bool:
        return os.getppid() != self._parent

    def _serve(self, connected: socket.socket) -> None:
        if not is_equal(connected):
            return
        self._connection = Connection(connected, self._board, self._parent, self._mark)
        try:
            self._answer(self._connection)
        except (OSError, wire.WireError):
            pass  # the client has gone or sends nonsense; it works without us
        except StartsProgramError:
            with contextlib.suppress(OSError):
                self._connection.send(wire.reply(wire.Kind.COLD))
        except OutOfTimeError:
            self.must_end = True
        except Exception:  # noqa: BLE001 - the client does the work itself
            report()
            self.must_end = True
        finally:
            self._connection = None

    def _answer(self, connection: Connection) -> None:
        answer(connection, self._handlers)

    def _tick_forever(self) -> None:
        while True:
            # This watchdog runs without the interpreter, so it also ends an endless match:
            # https://docs.python.org/3/library/faulthandler.html
            faulthandler.dump_traceback_later(_STUCK_S, exit=True, file=2)
            time.sleep(_TICK_S)
            connection = self._connection
            if connection:
                connection.tick(time.monotonic())
            if resident_bytes() > self._size + _MOST_GROWTH:
                self.must_end = True


def _refuse_programs(event: str, about: tuple[object, ...]) -> None:
    if event in _STARTS and about[0] != _PS:
        raise StartsProgramError


def serve_alone(handle: int, handlers: Mapping[bytes, Handler]) -> None:
    """Answer the one client that has handed over a connection, in a separate process."""
    signal.signal(signal.SIGALRM, _out_of_time)
    with socket.socket(fileno=handle) as connected:
        connection = Connection(connected, Board(), os.getppid())
        threading.Thread(target=_tick_forever, args=(connection,), daemon=True).start()
        # After a fault the client works without us.
        with contextlib.suppress(OSError, wire.WireError, OutOfTimeError):
            answer(connection, handlers)


def _tick_forever(connection: Connection) -> None:
    while True:
        faulthandler.dump_traceback_later(_STUCK_S, exit=True, file=2)  # as for a worker
        time.sleep(_TICK_S)
        connection.tick(time.monotonic())


def answer(connection: Connection, handlers: Mapping[bytes, Handler]) -> None:
    """Receive one call and handle it."""
    kind, body = connection.receive()
    call = wire.ClientCall(body)
    handler = handlers.get(kind)
    if handler is None or call.version != __version__:
        connection.send(wire.reply(wire.Kind.COLD))
    else:
        handler(connection, call)


def report() -> None:
    import traceback  # noqa: PLC0415 - seldom

    print(time.strftime("%Y-%m-%d %H:%M:%S"), file=sys.stderr)
    traceback.print_exc()


def in_turn(listener: socket.socket, server: int) -> select.epoll | None:
    """Have a connection wake only one free worker, if the system supports that (epoll).

    Otherwise each call would go to the worker that has waited longest, whose memory is the coldest.
    server: a pipe that is closed when the server ends; shutdown() would wake only one waiting
    worker.
    """
    if not hasattr(select, "EPOLLEXCLUSIVE"):
        return None
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN | select.EPOLLEXCLUSIVE)
    poll.register(server, select.EPOLLHUP)
    listener.setblocking(False)
    return poll


@contextlib.contextmanager
def time_limit(seconds: float):  # type: ignore[no-untyped-def]  # noqa: ANN201 - loads no typing
    """Raise OutOfTimeError in the block when the time is up."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTimeError


def resident_bytes() -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError, IndexError):
        return 0
