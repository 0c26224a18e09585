"""The server: a process that keeps workers ready, and ends when it is idle, outdated or stopped.

It answers no call itself, so no call can harm it, and its workers start no program. Its socket is
bound under a temporary name and then renamed to where clients look, so they find a complete server
or none.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH101, PTH104, PTH106, PTH108, PTH116, PTH208
from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import select
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING

from laconic.record.kept import known
from laconic.server import identity
from laconic.server.board import BUSY, FREE, HELD, IDLE, Board
from laconic.server.start import LOCK_HANDLE, take_lock
from laconic.server.worker import SOON_S, SPARE, Worker, report
from laconic.settings.environ import environment, state_directory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from laconic.server.worker import Handler

UNUSED_S = 30 * 60
_TICK_S = 1.0
_PROCESSORS = os.cpu_count() or 1
_DRAIN_S = 600  # the wait for commands that still run when the server ends
_BACKLOG = 512
_OLD_S = 86400
_PAUSE_S = 10.0  # before what was ended by what it was asked is made anew


class Server:
    """One server and its workers."""

    def __init__(self, base: str, handlers: Mapping[bytes, Handler], idle_s: float) -> None:
        self._socket_path = f"{base}.sock"
        self._handlers, self._idle_s = handlers, idle_s
        self._board = Board()
        self._places: dict[int, int] = {}  # of workers, by process id
        self._slot = 0  # the process that answers clients in sandboxes, where there are any
        self._slot_since = -_PAUSE_S
        self._wanted, self._want = os.pipe()
        self._lives, self._life = os.pipe()
        os.set_blocking(self._want, False)
        self._must_end = ""
        self._listener = _listen(self._socket_path)
        self._socket_stamp = identity.stamps([self._socket_path])
        self._program = [identity.find_program()]
        self._loaded = identity.stamps(identity.loaded_files() + self._program)

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it wakes us up, by the pipe
        signal.set_wakeup_fd(self._want, warn_on_full_buffer=False)
        log(f"ready, process {os.getpid()}")
        active_at = checked_at = time.monotonic()
        calls = -1
        while not self._must_end:
            self._reap()
            while len(self._places) - self._board.count(HELD) < SPARE:
                if not self._add_worker():
                    break
            calls = self._board.calls
            self._wait()
            now = time.monotonic()
            self._answer_the_late()
            if self._board.count(BUSY) + self._board.commands or self._board.calls != calls:
                active_at = now
            if now - active_at > self._idle_s:
                self._must_end = "idle"
            if now - checked_at > _TICK_S:
                checked_at = now
                self._check_loaded()
                self._check_place()
                self._serve_sandboxes()
        self._close()

    def _wait(self) -> None:
        """Wait for a moment, or until a call waits that none of the workers takes: make one then.

        Workers that are merely busy need no help, beyond one for each processor.
        """
        watched: list[int | socket.socket] = [self._wanted]
        if not self._board.count(IDLE):
            watched.append(self._listener)
        calls, ready = self._board.calls, select.select(watched, [], [], _TICK_S)[0]
        if self._wanted in ready:
            os.read(self._wanted, 512)
        if self._listener in ready:
            time.sleep(SOON_S)
            is_stuck = self._board.calls == calls or len(self._places) < _PROCESSORS
            if is_stuck and not self._board.count(IDLE) and self._is_awaited():
                self._add_worker()

    def _is_awaited(self) -> bool:
        return bool(select.select([self._listener], [], [], 0)[0])

    def _answer_the_late(self) -> None:
        """Show a client that has waited in vain that we live: it gives up its call, not us."""
        with contextlib.suppress(OSError):
            os.unlink(f"{self._socket_path}.late")

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._must_end = "asked to"

    # -- is this still the right server?

    def _check_loaded(self) -> None:
        """End if a loaded file was edited in place; after an upgrade clients use another socket."""
        now = identity.stamps(list(self._loaded))
        if now != self._loaded:
            changed = [path for path, stamp in now.items() if stamp != self._loaded[path]]
            self._must_end = f"changed: {changed[0]}"

    def _check_place(self) -> None:
        if identity.stamps([self._socket_path]) != self._socket_stamp:
            self._must_end = "the socket is not ours any more"
        if identity.stamps(self._program) != {p: self._loaded[p] for p in self._program}:
            self._must_end = "installed again"

    # -- workers

    def _add_worker(self) -> bool:
        place = self._board.free_place()
        if place is None:
            return False
        self._board.mark(place, IDLE)
        try:
            pid = os.fork()
        except OSError as error:
            self._board.mark(place, FREE)
            log(f"no worker: {error}")
            return False
        if pid == 0:
            self._become_worker(place)
        self._places[pid] = place
        return True

    def _become_worker(self, place: int) -> None:
        status = 1
        try:
            self._let_go()
            given = (self._listener, self._board, place, self._want, self._lives)
            Worker(*given, self._handlers).run()
            status = 0
        finally:
            os._exit(status)

    def _serve_sandboxes(self) -> None:
        """Have a process answer at the places where sandboxes keep outputs (see slot.py)."""
        environ, now = environment(), time.monotonic()
        if self._slot or sys.platform != "linux" or now - self._slot_since < _PAUSE_S:
            return
        if not known(environ, state_directory(environ)):
            return
        self._slot_since = now
        try:
            self._slot = os.fork()
        except OSError as error:
            log(f"nobody for sandboxes: {error}")
            return
        if self._slot:
            return
        try:
            from laconic.server.slot import serve as wait_for_questions  # noqa: PLC0415 - few have them

            self._let_go()
            self._listener.close()
            name = identity.slot_name(identity.find_program(), environ)
            wait_for_questions(self._lives, name, environ)
        except Exception:  # noqa: BLE001 - clients in sandboxes do without
            report()
        finally:
            os._exit(0)

    def _let_go(self) -> None:
        """Be no server any more, in a process that it has forked."""
        os.close(LOCK_HANDLE)  # only the server holds the lock, as long as it lives
        os.close(self._life)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self._slot:
                    self._slot = 0
                place = self._places.pop(pid, None)
                if place is not None:
                    self._board.mark(place, FREE)

    def _close(self) -> None:
        log(f"ends: {self._must_end}; {self._board.calls} calls")
        if identity.stamps([self._socket_path]) == self._socket_stamp:
            with contextlib.suppress(OSError):
                os.unlink(self._socket_path)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # waiting workers end, busy ones finish
        os.close(self._life)
        os.ftruncate(LOCK_HANDLE, 0)  # the next may start at once
        os.close(LOCK_HANDLE)
        deadline = time.monotonic() + _DRAIN_S
        while self._places and time.monotonic() < deadline:
            time.sleep(0.05)
            self._reap()
        for pid in self._places:
            os.kill(pid, signal.SIGTERM)


def serve(base: str, handlers: Mapping[bytes, Handler], idle_s: float = UNUSED_S) -> bool:
    """Run the server; False if there already is one."""
    if not _has_lock(base):
        return False
    os.closerange(LOCK_HANDLE + 1, 1 << 16)
    os.chdir("/")
    os.umask(0o077)
    with contextlib.suppress(OSError):
        _remove_old(base)
    gc.collect()
    gc.freeze()  # keep loaded objects shared with the workers (gc.freeze in the Python docs)
    Server(base, handlers, idle_s).run()
    return True


def _remove_old(base: str) -> None:
    """Remove what servers of former installations have left, whose locks nobody holds any more."""
    folder, own = os.path.split(base)
    for name in os.listdir(folder):
        stem, _, kind = name.partition(".")
        path = f"{folder}/{stem}"
        if kind != "lock" or stem == own or os.stat(f"{path}.lock").st_mtime > time.time() - _OLD_S:
            continue
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for suffix in ("log", "sock", "sock.late", "lock"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{path}.{suffix}")
        os.close(lock)


def _has_lock(base: str) -> bool:
    """Take the lock, or find that the process that started us has handed it over."""
    try:
        given, named = os.fstat(LOCK_HANDLE), os.stat(f"{base}.lock")
        if (given.st_dev, given.st_ino) == (named.st_dev, named.st_ino):
            fcntl.flock(LOCK_HANDLE, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.set_inheritable(LOCK_HANDLE, False)
            return True
    except OSError:
        pass
    lock = take_lock(base, again=True)
    if lock < 0:
        return False
    if lock != LOCK_HANDLE:
        os.dup2(lock, LOCK_HANDLE, inheritable=False)
        os.close(lock)
    return True


def _listen(path: str) -> socket.socket:
    draft = f"{path}.{os.getpid()}"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(draft)
    listener.bind(draft)
    os.chmod(draft, 0o600)
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    with contextlib.suppress(OSError):
        os.rmdir(path)
    try:
        os.rename(draft, path)
    except OSError:
        os.unlink(draft)
        raise
    return listener


def log(line: str) -> None:
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}", file=sys.stderr, flush=True)
