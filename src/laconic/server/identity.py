"""Identifies our server: the names of its files, and whether the files it loaded have changed.

client/paths.c computes the same names; change both.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH116, PTH118, PTH120
from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from errno import ENAMETOOLONG
from os.path import dirname, isabs, join, realpath

from laconic.files import hash_of, make_private
from laconic.server.peer import own_confinement
from laconic.settings.environ import BASE_VARIABLES, DIRECTORY_VARIABLES

PROGRAM = "laconic-py"
# They say where configuration, records and caches are; a server has those of one set of values.
PLACES = (*BASE_VARIABLES, *DIRECTORY_VARIABLES)
_STATE = (
    ("LACONIC_STATE_DIR", ""), ("XDG_STATE_HOME", "/laconic"), ("HOME", "/.local/state/laconic"),
)  # fmt: skip
_LONGEST = 104  # of the address of a socket on macOS; 108 on Linux (man 7 unix)


def find_program() -> str:
    """Return the Python program of this installation, or an empty string."""
    for directory in (dirname(realpath(sys.argv[0])), realpath(dirname(sys.executable))):
        path = join(directory, PROGRAM)
        if os.access(path, os.X_OK):
            return path
    return ""


def base_path(program: str, environ: Mapping[str, str]) -> str:
    """Return the common prefix of the server's file paths; raises OSError if there is no place.

    There is one server per installed version, confinement and set of directories: nobody is
    answered from outside a container or a sandbox, or by a configuration that is not theirs.
    """
    identity = _identity(program, _file_number("/"), own_confinement(), environ)
    base = join(runtime_directory(environ), identity)
    if len(os.fsencode(f"{base}.sock.{1 << 22}")) >= _LONGEST:  # as daemon.py binds it
        raise OSError(ENAMETOOLONG, os.strerror(ENAMETOOLONG), base)
    return base


def slot_name(program: str, environ: Mapping[str, str]) -> str:
    """Return the name of the pipe by which clients in sandboxes ask: the same in all of them."""
    return f"slot-{_identity(program, 0, b'', environ)}"


def _identity(program: str, root: int, confinement: bytes, environ: Mapping[str, str]) -> str:
    status = os.stat(program)
    numbers = (status.st_ino, status.st_size, status.st_mtime_ns // 1_000_000_000, root)
    places = b"".join(os.fsencode(value) + b"\0" for value in places_of(environ))
    known = os.fsencode(program) + b"".join(n.to_bytes(8, "little") for n in numbers)
    return hash_of(known + confinement + places)


def places_of(environ: Mapping[str, str]) -> list[str]:
    """Return what the environment says about where our files are."""
    return [environ.get(name, "") for name in PLACES]


def runtime_directory(environ: Mapping[str, str]) -> str:
    """Return the directory of the socket, created if missing; OSError if it is not ours alone.

    It is never a temporary one: agents let the programs in their sandboxes write there.
    """
    base = environ.get("XDG_RUNTIME_DIR", "")
    path = f"{base}/laconic"
    if not isabs(base) or not is_private(base) or _is_temporary(base, environ):
        given = ((environ.get(name, ""), tail) for name, tail in _STATE)
        path = next((f"{value}{tail}/run" for value, tail in given if isabs(value)), "")
        if not path or _is_temporary(path, environ):
            raise PermissionError(path)
    make_private(path)
    if not is_private(path):
        raise PermissionError(path)
    return path


def _is_temporary(path: str, environ: Mapping[str, str]) -> bool:
    """Tell whether a path is that of a temporary directory, or below it."""
    places = ("/tmp", environ.get("TMPDIR", ""))  # noqa: S108 - where not to be
    return any(f"{path}/".startswith(f"{place.rstrip('/')}/") for place in places if isabs(place))


def is_private(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    is_own = status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return stat.S_ISDIR(status.st_mode) and is_own


def _file_number(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


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
