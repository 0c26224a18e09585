"""Runs programs without the rights, the network and the processes of the one who tests."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

NOBODY = 65534
_DYING_SECONDS = 5
_STARTING_SECONDS = 20  # on a busy machine: a run that is stopped before it began shows nothing
_MOST_OUTPUT_BYTES = 1 << 20
_USER = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs")
_NAMESPACES = ("--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


class Isolation(NamedTuple):
    """The words before a program, and whether they shut it off from network and processes.

    outer: makes the namespaces, with the rights to prepare them. inner: takes those rights away.
    """

    outer: tuple[str, ...]
    inner: tuple[str, ...]
    is_closed: bool


class Ran(NamedTuple):
    """What a program did: what it printed, what it sent, and the programs that it left running.

    was_stopped: it did not end in time.
    """

    output: bytes
    received: bytes
    left: tuple[str, ...]
    was_stopped: bool


@cache
def isolation() -> Isolation | None:
    """The best that this machine permits; None where programs would run as root."""
    closed: tuple[str, ...]
    if os.geteuid() != 0:
        closed = ("unshare", "--user", "--map-current-user", "--keep-caps", *_NAMESPACES)
        plain = ("setpriv", "--ambient-caps=-all", "--inh-caps=-all", "--no-new-privs")
        if _works((*closed, *plain)):
            return Isolation(closed, plain, is_closed=True)
        return Isolation((), (), is_closed=False)
    closed = ("unshare", *_NAMESPACES)
    if _works((*closed, *_USER)):
        return Isolation(closed, _USER, is_closed=True)
    return Isolation((), _USER, is_closed=False) if _works(_USER) else None


def _works(words: tuple[str, ...]) -> bool:
    if shutil.which(words[0]) is None:
        return False
    return subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0


def spawn(
    words: list[str], cwd: Path, environment: dict[str, str], seconds: float, resolver: Path
) -> Ran:
    """Run a program until it ends or the time is over, and wait until its children are gone.

    What they print is read: some programs do less when their output goes to /dev/null.
    """
    guard = isolation()
    assert guard is not None
    output, given = os.pipe()
    report, told = os.pipe()
    program = [*guard.inner, *words]
    if guard.is_closed:
        supervised = [sys.executable, "-I", _SUPERVISOR, str(told), str(seconds), resolver]
        program = [*guard.outer, *map(str, supervised), *program]
    process = subprocess.Popen(
        program,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=given,
        stderr=given,
        pass_fds=(given, told),  # for children that close the standard streams
        start_new_session=True,
    )
    os.close(given)
    os.close(told)
    deadline = time.monotonic() + seconds + _STARTING_SECONDS
    printed = _read_until(output, deadline)
    was_stopped = time.monotonic() >= deadline
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    printed += _read_until(output, time.monotonic() + _DYING_SECONDS)
    data = _read_until(report, time.monotonic() + _DYING_SECONDS)
    os.close(output)
    os.close(report)
    found = json.loads(data) if data else {"received": "", "left": (), "was_stopped": was_stopped}
    received = found["received"].encode("latin-1")
    return Ran(printed, received, tuple(found["left"]), found["was_stopped"])


def _read_until(stream: int, deadline: float) -> bytes:
    """Read until nobody can write any more; return the first megabyte."""
    found = bytearray()
    while (left := deadline - time.monotonic()) > 0:
        if select.select([stream], [], [], left)[0]:
            data = os.read(stream, 1 << 16)
            if not data:
                break
            found += data[: max(0, _MOST_OUTPUT_BYTES - len(found))]
    return bytes(found)
