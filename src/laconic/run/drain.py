"""Moves what arrives in pipes to its destination, one piece at a time.

A command writes to pipes, as it does under any agent, and not to the spool files: a program that
opens /dev/stderr would truncate a file, and a full disk would make its writes fail.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Mapping

PIECE = 1 << 18
# The capacity of a pipe; if the system refuses it, its default stays (F_SETPIPE_SZ, man 2 fcntl).
CAPACITY = 1 << 20
_SPARE = 256 << 20  # bytes that stay free on the disk
_CHECK_EVERY = 64 << 20
_SET_SIZE = getattr(fcntl, "F_SETPIPE_SZ", None)


class FullError(Exception):
    """A piece could not be written: the disk is full, or nearly so."""

    def __init__(self, stream: str, piece: bytes) -> None:
        super().__init__(stream)
        self.stream, self.piece = stream, piece


class Drain:
    """Pipes that are still open, by stream, and the destination of their pieces."""

    def __init__(self, pipes: Mapping[str, int], take: Callable[[str, bytes], None]) -> None:
        self.pipes, self._take = dict(pipes), take

    def move(self, stream: str) -> int:
        """Move one piece; return its size, 0 if there is none now or the pipe has ended."""
        try:
            piece = os.read(self.pipes[stream], PIECE)
        except BlockingIOError:
            return 0
        if piece:
            self._take(stream, piece)
        else:
            self.close(stream)
        return len(piece)

    def move_all(self) -> None:
        """Move what is in the pipes now; bounded, so that an endless writer cannot block us."""
        for stream in tuple(self.pipes):
            left = CAPACITY
            while left > 0 and stream in self.pipes and (size := self.move(stream)):
                left -= size

    def close(self, stream: str) -> None:
        handle = self.pipes.pop(stream, None)
        if handle is not None:
            os.close(handle)


class Files:
    """Appends pieces to open files; raises FullError when one does not fit."""

    def __init__(self, handles: Mapping[str, int]) -> None:
        self._handles, self._unchecked = handles, 0

    def take(self, stream: str, piece: bytes) -> None:
        handle = self._handles[stream]
        self._unchecked += len(piece)
        if self._unchecked >= _CHECK_EVERY:
            self._unchecked = 0
            if not _has_room(handle):
                raise FullError(stream, piece)
        written = 0
        try:
            while written < len(piece):
                written += os.write(handle, piece[written:] if written else piece)
        except OSError as error:
            raise FullError(stream, piece[written:]) from error


def open_pipe() -> tuple[int, int]:
    """Make a pipe with a large capacity; reading does not block, writing does."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    if _SET_SIZE is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(write, _SET_SIZE, CAPACITY)
    return read, write


def _has_room(handle: int) -> bool:
    found = os.fstatvfs(handle)
    return found.f_bavail * found.f_frsize > _SPARE
