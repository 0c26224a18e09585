"""Starts the server in the background, after a call that found none."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH116, PTH123
from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Mapping

from laconic.server.identity import PLACES, base_path, find_program

LOCK_HANDLE = 3
_EVERY_S = 10  # a server that dies at once is not restarted by every call
_LOG_BYTES = 1 << 20
_MOMENT_S = 10
# The only variables that the server takes from the process that starts it: it serves others, too.
# On the PATH it looks for bubblewrap, when it tries whether there can be boxes.
_HEEDED = (*PLACES, "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ")
_FLAGS = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def is_wanted(environ: Mapping[str, str]) -> bool:
    return environ.get("LACONIC_NO_SERVER", "") in ("", "0")


def start(environ: Mapping[str, str], caller: int = 0) -> bool:
    """Start the server unless it runs or was tried a moment ago. Never raises.

    caller: the process that found none, if that is not this one.
    """
    try:
        program = find_program() if is_wanted(environ) else ""
        if not program or _is_for_a_moment(caller or os.getpid()):
            return False
        base = base_path(program, environ)
        lock = take_lock(base)
        if lock < 0:
            return False
        _spawn(program, base, lock, environ)
        os.close(lock)
    except (OSError, ValueError, NotImplementedError):  # no setsid before macOS 10.15
        return False
    return True


def _is_for_a_moment(process: int) -> bool:
    """Tell whether the namespaces that a caller is in were made a moment ago, as for a sandbox.

    One that is made for each command would leave a server, a lock and a log each time.
    """
    if sys.platform != "linux":
        return False  # there are none
    try:
        own = _views(os.getpid())
    except OSError:
        return False  # or they are not told
    now = began = time.clock_gettime(time.CLOCK_BOOTTIME)
    while process:
        try:
            if _views(process) != own:
                break
            with open(f"/proc/{process}/stat", "rb") as file:
                facts = file.read().rpartition(b")")[2].split()
        except PermissionError:
            if os.stat(f"/proc/{process}").st_uid != os.geteuid():
                return False  # what has logged us in
            break
        process, began = int(facts[1]), int(facts[19]) / os.sysconf("SC_CLK_TCK")
    return now - began < _MOMENT_S


def _views(process: int) -> list[int]:
    return [os.stat(f"/proc/{process}/ns/{name}").st_ino for name in ("mnt", "user", "net")]


def take_lock(base: str, *, again: bool = False) -> int:
    """Take the lock that makes its holder the server; -1 if it is not available now."""
    lock = os.open(f"{base}.lock", os.O_RDWR | _FLAGS, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(lock)
        # A time in the future means that the clock was set back.
        is_recent = status.st_size > 0 and 0 <= time.time() - status.st_mtime < _EVERY_S
        if again or not is_recent:
            os.ftruncate(lock, 0)
            os.write(lock, b"started\n")
            return lock
    except BlockingIOError:
        pass
    os.close(lock)
    return -1


def _spawn(program: str, base: str, lock: int, environ: Mapping[str, str]) -> None:
    log = os.open(f"{base}.log", os.O_WRONLY | os.O_APPEND | _FLAGS, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if os.fstat(log).st_size > _LOG_BYTES:
            os.ftruncate(log, 0)
        # The lock is moved first, because its number may be that of one of the others.
        spare = fcntl.fcntl(lock, fcntl.F_DUPFD_CLOEXEC, 64)
        log_spare = fcntl.fcntl(log, fcntl.F_DUPFD_CLOEXEC, 64)
        actions = [
            (os.POSIX_SPAWN_DUP2, nothing, 0),
            (os.POSIX_SPAWN_DUP2, log_spare, 1),
            (os.POSIX_SPAWN_DUP2, log_spare, 2),
            (os.POSIX_SPAWN_DUP2, spare, LOCK_HANDLE),
        ]
        argv = [program, "server", "serve", base]
        own = {name: environ[name] for name in _HEEDED if name in environ}
        os.posix_spawn(program, argv, own, file_actions=actions, setsid=True)
        os.close(spare)
        os.close(log_spare)
    finally:
        os.close(log)
        os.close(nothing)
