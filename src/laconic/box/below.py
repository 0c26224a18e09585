"""Opens what is in a directory that a command can change, and follows no link on the way."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from os.path import basename, dirname

_SEARCHED = getattr(os, "O_PATH", os.O_RDONLY)  # macOS has no O_PATH
_DIRECTORY = _SEARCHED | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def parent_of(root: str, path: str) -> Iterator[int | None]:
    """Open the directory that a path below the root is in; None if there is none."""
    parts = dirname(path)[len(root) :].strip("/").split("/")
    handle: int | None = None
    try:
        handle = os.open(root, _DIRECTORY)
        for part in filter(None, parts):
            below = os.open(part, _DIRECTORY, dir_fd=handle)
            os.close(handle)
            handle = below
    except OSError:
        if handle is not None:
            os.close(handle)
        handle = None
    try:
        yield handle
    finally:
        if handle is not None:
            os.close(handle)


def open_up(root: str, path: str) -> int | None:
    """Let the owner look into a directory and change it; return its mode as it was, if changed."""
    if path == root:
        return None
    with parent_of(root, path) as handle:
        return None if handle is None else _add_rights(basename(path), handle)


def _add_rights(name: str, handle: int) -> int | None:
    try:
        opened = os.open(name, _DIRECTORY, dir_fd=handle)
    except OSError:
        return None
    try:
        mode = stat.S_IMODE(os.fstat(opened).st_mode)
        if mode & stat.S_IRWXU == stat.S_IRWXU:
            return None
        os.chmod(f"/proc/self/fd/{opened}", mode | stat.S_IRWXU)
    except OSError:
        return None
    finally:
        os.close(opened)
    return mode


def close_again(root: str, path: str, mode: int) -> None:
    """Restore the mode of a directory."""
    with parent_of(root, path) as handle, contextlib.suppress(OSError):
        if handle is None:
            return
        opened = os.open(basename(path), _DIRECTORY, dir_fd=handle)
        try:
            os.chmod(f"/proc/self/fd/{opened}", mode)
        finally:
            os.close(opened)
