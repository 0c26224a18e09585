"""Runs programs without the rights, the network and the processes of the one who tests."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = 65534
_DYING_SECONDS = 5
_USER = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs")
_NAMESPACES = ("--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")


class Isolation(NamedTuple):
    """The words in front of a program, and whether they shut it off from network and processes."""

    words: tuple[str, ...]
    is_closed: bool


@cache
def isolation() -> Isolation | None:
    """The best that this machine permits; None where programs would run as root."""
    closed: tuple[str, ...]
    if os.geteuid() != 0:
        closed = ("unshare", "--user", "--map-current-user", *_NAMESPACES)
        return Isolation(closed, True) if _works(closed) else Isolation((), False)
    closed = ("unshare", *_NAMESPACES, *_USER)
    if _works(closed):
        return Isolation(closed, True)
    return Isolation(_USER, False) if _works(_USER) else None


def _works(words: tuple[str, ...]) -> bool:
    if shutil.which(words[0]) is None:
        return False
    return subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0


def spawn(words: list[str], cwd: Path, environment: dict[str, str], seconds: float) -> None:
    """Run a program until it ends or the time is over, and wait until its children are gone.

    What they print is read: some programs do less when their output goes to /dev/null.
    """
    guard = isolation()
    assert guard is not None
    output, given = os.pipe()
    process = subprocess.Popen(
        [*guard.words, *words],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=given,
        stderr=given,
        pass_fds=(given,),  # for children that close the standard streams
        start_new_session=True,
    )
    os.close(given)
    _read_until(output, time.monotonic() + seconds)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _read_until(output, time.monotonic() + _DYING_SECONDS)
    os.close(output)


def _read_until(stream: int, deadline: float) -> None:
    """Read until nobody can write any more."""
    while (left := deadline - time.monotonic()) > 0:
        if select.select([stream], [], [], left)[0] and not os.read(stream, 1 << 16):
            return
