"""The ports of servers in boxes of one project: each door writes down its own, for the other boxes.

A box has a loopback of its own, so the server that one command has left running would not be there
for the next one. The place where it is written down is out of reach of what runs in boxes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable
from os.path import basename, dirname, join

FOLDER = "ports"  # of the directory of a box
_ALL_BYTES = 1024  # written at once, so that nobody reads a part


class Board:
    """Where one door writes; who has locked the file still stands there."""

    def __init__(self, journal: str) -> None:
        self.directory = dirname(dirname(journal))
        self._handle = _locked(join(self.directory, FOLDER, basename(journal)))

    def write(self, ports: Iterable[int]) -> None:
        text = " ".join(str(port) for port in sorted(ports))
        os.pwrite(self._handle, text.encode().ljust(_ALL_BYTES), 0)


def _locked(path: str) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:  # else somebody took it for one that was left behind
            return handle
        os.close(handle)


def published(directory: str) -> set[int]:
    """Return the ports of all servers in the boxes of a project; directory: that of its boxes."""
    found: set[int] = set()
    try:
        names = os.listdir(join(directory, FOLDER))
    except OSError:
        return found
    for path in (join(directory, FOLDER, name) for name in names):
        with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found.update(map(int, file.read().split()))
            else:
                os.unlink(path)  # it was left behind
    return found
