"""Identifies our server: the names of its files, and whether the files it loaded have changed.

client/paths.c computes the same names; change both.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH102, PTH116, PTH118, PTH120
from __future__ import annotations

import os
import stat
import sys
from os.path import dirname, isabs, join, realpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    class Peer(Protocol):
        def getsockopt(self, level: int, name: int, size: int, /) -> bytes: ...


PROGRAM = "laconic-py"


def find_program() -> str:
    """Return the Python program of this installation, or an empty string."""
    for directory in (dirname(realpath(sys.argv[0])), realpath(dirname(sys.executable))):
        path = join(directory, PROGRAM)
        if os.access(path, os.X_OK):
            return path
    return ""


def base_path(program: str, environ: Mapping[str, str]) -> str:
    """Return the common prefix of the server's file paths; raises OSError if there is no place.

    There is one server per installed version and mount namespace: a container must not be answered
    from outside.
    """
    status = os.stat(program)
    seconds = status.st_mtime_ns // 1_000_000_000
    views = (_file_number("/"), _file_number("/proc/self/ns/mnt"))
    numbers = (status.st_ino, status.st_size, seconds, *views)
    identity = os.fsencode(program) + b"".join(n.to_bytes(8, "little") for n in numbers)
    return join(runtime_directory(environ), _hash(identity))


def runtime_directory(environ: Mapping[str, str]) -> str:
    """Return the directory of the socket, created if missing; OSError if it is not ours alone."""
    base, name = environ.get("XDG_RUNTIME_DIR", ""), "laconic"
    if not isabs(base) or not is_private(base):
        base, name = environ.get("TMPDIR", ""), f"laconic-{os.geteuid()}"
        base = base if isabs(base) else "/tmp"  # noqa: S108 - what is in there must be ours alone
    path = f"{base}/{name}"
    if not is_private(path):
        os.mkdir(path, 0o700)
    if not is_private(path):
        raise PermissionError(path)
    return path


def is_private(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    is_own = status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return stat.S_ISDIR(status.st_mode) and is_own


def _hash(identity: bytes) -> str:  # FNV-1a
    value = 0xCBF29CE484222325
    for byte in identity:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:x}"


def _file_number(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


_SO_PEERCRED = 17  # on Linux (man 7 unix); on macOS, LOCAL_PEERCRED is 1 (man 4 unix)
_SOL_SOCKET = 1


def is_own_peer(connected: Peer) -> bool:
    """Tell whether the process at the other end belongs to our own user."""
    if sys.platform == "linux":
        credentials = connected.getsockopt(_SOL_SOCKET, _SO_PEERCRED, 12)  # process, user, group
    else:
        credentials = connected.getsockopt(0, 1, 76)  # struct xucred: its version, the user
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()


# -- what the server has loaded --------------------------------------------------------------------

Stamps = dict[str, tuple[int, int, int]]


def stamps(paths: list[str]) -> Stamps:
    """Return what distinguishes each file from another one in its place."""
    stamps_of: Stamps = {}
    for path in paths:
        try:
            status = os.stat(path)
            stamps_of[path] = status.st_ino, status.st_size, status.st_mtime_ns
        except OSError:
            stamps_of[path] = 0, 0, 0
    return stamps_of


def loaded_files() -> list[str]:
    """Return the files of our loaded modules, and the directories of our data."""
    files = [getattr(module, "__file__", None) for module in tuple(sys.modules.values())]
    root = dirname(dirname(__file__))
    modules = [path for path in files if path and path.startswith(f"{root}/")]
    data = [folder for folder, _, _ in os.walk(root) if "/data" in folder]
    return [sys.executable, *modules, *data, *_data_files(data)]


def _data_files(folders: list[str]) -> list[str]:
    return [entry.path for folder in folders for entry in os.scandir(folder) if entry.is_file()]
