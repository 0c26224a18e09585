"""The small files of a keep, one after another in one file.

Creating a file takes the file system longer than copying fifty kilobytes. The entry of a file says
where its content is: `pack:OFFSET`. Large files, which a file system may clone, have their own.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

from laconic.undo.copying import BLOCK, CREATE, MovingError, transfer
from laconic.undo.entry import Entry, open_to_read

PACK = "pack"
LARGEST = 128 << 10
_MARK = f"{PACK}:"
_ATTEMPTS = 3
_WASTE = 1 << 20  # as many bytes may lie there unused


def start_of(data: str) -> int | None:
    """Return where in the pack a content begins; None if it has a file of its own."""
    return int(data[len(_MARK) :]) if data.startswith(_MARK) else None


class Pack:
    """The file while it is written; it is made when the first content comes."""

    def __init__(self, folder: str) -> None:
        self._folder, self._at, self._writer = folder, 0, -1

    def add(self, source: str) -> str:
        """Copy the content of a file; return where it is, or "" if it needs a file of its own."""
        for _ in range(_ATTEMPTS):
            reader = open_to_read(source)
            try:
                was = os.fstat(reader)
                if was.st_size > LARGEST or was.st_blocks * BLOCK < was.st_size:
                    return ""  # it has grown, or it has holes that are to stay holes
                self._open()
                os.lseek(self._writer, self._at, os.SEEK_SET)
                transfer(reader, self._writer, 0, was.st_size)
                now = os.fstat(reader)
            finally:
                os.close(reader)
            if (was.st_mtime_ns, was.st_size) == (now.st_mtime_ns, now.st_size):
                data = f"{_MARK}{self._at}"
                self._at += was.st_size
                return data
        raise MovingError(errno.EBUSY, "is being written to", source)

    def _open(self) -> None:
        if self._writer < 0:
            self._writer = os.open(os.path.join(self._folder, PACK), CREATE, 0o600)

    def close(self) -> None:
        if self._writer >= 0:
            os.close(self._writer)


def shrink(folder: str, unused: Iterable[Entry], kept: Iterable[Entry]) -> None:
    """Free the room of contents that nobody needs any more.

    unused: of the pack. kept: those that stay where they are, in the pack or not.
    """
    waste = sum(entry.size for entry in unused)
    pieces = [(start, one.size) for one in kept if (start := start_of(one.data)) is not None]
    path = os.path.join(folder, PACK)
    if not pieces:
        os.unlink(path)
    elif waste > _WASTE:
        _rewrite(path, sorted(pieces))


def _rewrite(path: str, pieces: list[tuple[int, int]]) -> None:
    """Write it anew with a hole for all that is not one of these pieces."""
    reader = open_to_read(path)
    try:
        writer = os.open(f"{path}.new", CREATE, 0o600)
        try:
            for start, size in pieces:
                os.lseek(writer, start, os.SEEK_SET)
                transfer(reader, writer, start, start + size)
        finally:
            os.close(writer)
    finally:
        os.close(reader)
    os.replace(f"{path}.new", path)
