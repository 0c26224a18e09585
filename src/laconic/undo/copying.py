"""Copies of files: as a clone where the file system can share blocks, else byte by byte."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from fcntl import ioctl

from laconic.undo.entry import FIFO, FILE, LINK, Entry, open_to_read

_FICLONE = 0x40049409  # man 2 ioctl_ficlone
_ATTEMPTS = 3
BLOCK = 512
_CHUNK = 1 << 20
_cannot_clone: set[int] = set()  # file systems that copies are made from
CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW


class MovingError(OSError):
    """A file was written to each time it was copied."""


def copy(source: str, target: str) -> None:
    """Copy the content of a regular file, for the owner alone; holes stay holes."""
    for _ in range(_ATTEMPTS):
        reader = open_to_read(source)
        try:
            writer = os.open(target, CREATE, 0o600)
            try:
                was = os.fstat(reader)
                _fill(reader, writer, was)
                now = os.fstat(reader)
            finally:
                os.close(writer)
        finally:
            os.close(reader)
        if (was.st_mtime_ns, was.st_size) == (now.st_mtime_ns, now.st_size):
            return
    raise MovingError(errno.EBUSY, "is being written to", source)


def copy_piece(source: str, start: int, size: int, target: str) -> None:
    """Copy a part of a file to a new one, for the owner alone."""
    reader = open_to_read(source)
    try:
        writer = os.open(target, CREATE, 0o600)
        try:
            transfer(reader, writer, start, start + size)
        finally:
            os.close(writer)
    finally:
        os.close(reader)


def _fill(reader: int, writer: int, status: os.stat_result) -> None:
    if status.st_size == 0 or _cloned(reader, writer, status.st_dev):
        return
    if status.st_blocks * BLOCK < status.st_size and hasattr(os, "SEEK_DATA"):
        _fill_with_holes(reader, writer, status.st_size)
    else:
        transfer(reader, writer, 0, status.st_size)


def _cloned(reader: int, writer: int, device: int) -> bool:
    if device in _cannot_clone:
        return False
    try:
        ioctl(writer, _FICLONE, reader)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EXDEV, errno.ENOTTY, errno.EINVAL):
            _cannot_clone.add(device)
        return False
    return True


def _fill_with_holes(reader: int, writer: int, size: int) -> None:
    os.ftruncate(writer, size)
    at = 0
    while at < size:
        try:
            start = os.lseek(reader, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # a hole up to the end
                return
            raise
        at = min(os.lseek(reader, start, os.SEEK_HOLE), size)
        os.lseek(writer, start, os.SEEK_SET)
        transfer(reader, writer, start, at)


def transfer(reader: int, writer: int, start: int, end: int) -> None:
    """Copy a range; never more than was there at the beginning, because the file may grow."""
    while start < end:
        try:
            # copy_file_range() refuses other file systems; sendfile() does not.
            count = os.sendfile(writer, reader, start, end - start)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.ENOTSOCK):
                raise
            count = os.write(writer, os.pread(reader, min(_CHUNK, end - start), start))
        if count == 0:
            return
        start += count


def link(source: str, target: str) -> bool:
    """Make a hard link; tell whether that was possible.

    Only for commands that unlink or rename a file: one that writes in place would write ours, too.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        return False
    return True


def make(entry: Entry, source: str, target: str, start: int | None = None) -> None:
    """Make a new file, link or pipe as an entry says, dressed.

    source: the file that has its content; start: where in it that begins, if it is not all of it.
    """
    if entry.kind == FILE and start is not None:
        copy_piece(source, start, entry.size, target)
    elif entry.kind == FILE:
        copy(source, target)
    elif entry.kind in (LINK, FIFO):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(target)
        if entry.kind == LINK:
            os.symlink(entry.target, target)
        else:
            os.mkfifo(target, 0o600)
    dress(target, entry)


def dress(path: str, entry: Entry) -> None:
    """Set owner, mode, attributes and time. Times come last, because the others change them."""
    with contextlib.suppress(PermissionError):
        os.chown(path, *entry.owner, follow_symlinks=False)
    if entry.kind != LINK:
        _set_attributes(path, entry)  # before the mode, which may forbid it
        os.chmod(path, entry.mode)
    os.utime(path, ns=(entry.modified_ns, entry.modified_ns), follow_symlinks=False)


def _set_attributes(path: str, entry: Entry) -> None:
    if sys.platform == "darwin":  # Python has no calls for it there
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(path, follow_symlinks=False):
            if name not in entry.attributes:
                os.removexattr(path, name, follow_symlinks=False)
    for name, value in entry.attributes.items():
        with contextlib.suppress(OSError):
            os.setxattr(path, name, bytes.fromhex(value), follow_symlinks=False)
