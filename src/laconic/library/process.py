"""Runs a command for a tool, in any thread: its own process group, no terminal, a time limit.

Output goes into files without names, not into pipes: a process that is left in the background
cannot keep the caller waiting, and no thread has to read.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

TIMED_OUT = 124  # as of timeout(1)
_GRACE_S = 2.0
_MOST = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command has ended; after a signal N the status is 128 + N."""

    status: int
    out: bytes
    err: bytes
    duration_ms: int
    timed_out: bool = False


class Process:
    """A command that can be stopped from another thread."""

    def __init__(
        self, command: str, shell: str, directory: str, variables: Mapping[str, str]
    ) -> None:
        self.command, self.shell = command, shell
        self.directory, self.variables = directory, variables
        self._child: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._files: tuple[int, ...] = ()
        self._lock = threading.Lock()

    @property
    def written(self) -> int:
        """How many bytes it has written so far."""
        with suppress(OSError):  # it has ended meanwhile
            return sum(os.fstat(handle).st_size for handle in self._files)
        return 0

    def run(self, timeout: float | None) -> Ended:
        """Run it to its end; OSError if the shell cannot be started."""
        started = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with self._lock:
                self._files = out.fileno(), err.fileno()
                if self._is_stopped:
                    return Ended(status=128 + signal.SIGTERM, out=b"", err=b"", duration_ms=0)
                self._child = subprocess.Popen(  # noqa: S603 - the gate has let it pass
                    [self.shell, "-c", self.command],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    cwd=self.directory or None,
                    env=dict(self.variables),
                    start_new_session=True,
                )
            timed_out = False
            try:
                status = self._child.wait(timeout)
            except subprocess.TimeoutExpired:
                timed_out = True
                self.stop()
                status = self._child.wait()
            except BaseException:  # also Ctrl-C: the command must not outlive us
                self.stop()
                raise
            self._files = ()
            return Ended(
                status=TIMED_OUT if timed_out else 128 - status if status < 0 else status,
                out=_content(out.fileno()),
                err=_content(err.fileno()),
                duration_ms=round((time.monotonic() - started) * 1000),
                timed_out=timed_out,
            )

    def stop(self) -> None:
        """End the command and what it has started: politely, then by force."""
        with self._lock:
            self._is_stopped = True
            child = self._child
        if child is None:
            return
        _signal(child, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE_S)
        _signal(child, signal.SIGKILL)


def _signal(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def _content(handle: int) -> bytes:
    size = os.fstat(handle).st_size
    return os.pread(handle, min(size, _MOST), 0) if size else b""
