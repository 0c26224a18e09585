"""Caches on disk what takes long to compute from files, for the next process.

A value is valid while its key matches; the key names everything that it was computed from. The
cache files are next to the compiled modules, or in the user's cache directory; where the machine
has a policy only next to the modules, because what is computed decides what may run. A file that
cannot be read or written, is damaged, or may belong to another user is ignored.

A file has a head and perhaps parts, which are read one by one. The head holds a checksum, its size,
and the key and the value as marshal writes them; with parts, the value says where each of them is.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH103, PTH105, PTH108, PTH118, PTH120
from __future__ import annotations

import contextlib
import marshal
import os
import sys
from _thread import _local, get_ident
from binascii import crc32
from os.path import dirname, join

from laconic import __version__
from laconic.files import is_there, open_handle
from laconic.settings.environ import cache_directory, environment
from laconic.settings.managed import PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Two versions of Python or of laconic may compute different values from the same files. Those of
# Python have files of their own, because two may use one installation at the same time.
_SUFFIX = f"{sys.implementation.cache_tag}-{sys.hexversion:x}.bin"
_OURS = __version__, sys.hexversion
_NUMBER = 4
_OTHERS_WRITE = 0o022
_TO_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
_thread = _local()  # contextvars would take as long to load as a decision


def cached_on_disk(
    name: str, key: Any, compute: Callable[[], Any], *, is_private: bool = False
) -> Any:
    """Return the value cached under the name if its key matches, else compute and cache it.

    Key and value consist of types that marshal supports: strings, bytes, numbers, lists, tuples,
    dicts (https://docs.python.org/3/library/marshal.html). is_private: it was computed from files
    of the user's.
    """
    places = _places(name)[is_private:]
    for _, _, found in _heads(places, key):
        return found
    value = compute()
    _write(places, _head(key, value))
    return value


class Parts:
    """A cached dictionary of bytes; a part is read when it is asked for."""

    def __init__(self, name: str, key: Any, compute: Callable[[], dict[str, bytes]]) -> None:
        self._places, self._key, self._compute = _places(name), key, compute
        self._known: dict[str, bytes] = {}
        for path, start, found in _heads(self._places, key):
            self._path, self._start, self.index = path, start, found
            return
        self._compute_all()

    def _compute_all(self) -> None:
        self.index = self._known = self._compute()
        _write(self._places, _with_parts(self._key, self._known))

    def __getitem__(self, name: str) -> bytes:
        if name not in self._known:
            offset, size, checksum = self.index[name]
            data = _read_at(self._path, self._start + offset, size)
            if crc32(data) == checksum:
                self._known[name] = data
            else:  # damaged, or replaced in the meantime
                self._compute_all()
        return self._known[name]


def stamp(path: str) -> tuple[str, int, int]:
    """Identify a file by size and time, without reading it, as Python does for its .pyc files."""
    status = os.stat(path)  # noqa: PTH116 - as above
    return path, status.st_size, status.st_mtime_ns


# -- files -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def beside_modules_only() -> Iterator[None]:
    """For results that must not depend on who computes them: neither home nor variables count."""
    before = vars(_thread).copy()
    _thread.has_home = False
    try:
        yield
    finally:
        vars(_thread).clear()
        vars(_thread).update(before)


def _places(name: str) -> list[str]:
    folders = [join(dirname(__file__), "__pycache__")]
    if getattr(_thread, "has_home", True) and not is_there(PATH):
        folders.append(_users_folder())
    return [join(folder, f"{name}.{_SUFFIX}") for folder in folders]


def _users_folder() -> str:
    return cache_directory(environment())


def _heads(places: list[str], key: Any) -> Iterator[tuple[str, int, Any]]:
    """Yield the files with a value for this key: the path, the size of the head, the value."""
    for path in places:
        with contextlib.suppress(OSError), open_handle(path, _TO_READ) as handle:
            head = _read_head(handle)
            if head and head[0] == (*_OURS, key):
                yield path, os.lseek(handle, 0, os.SEEK_CUR), head[1]


def _read_at(path: str, offset: int, size: int) -> bytes:
    with contextlib.suppress(OSError), open_handle(path, _TO_READ) as handle:
        return os.pread(handle, size, offset)
    return b""


def _read_head(handle: int) -> tuple[Any, Any] | None:
    """Return key and value; None if the head is damaged or another user could have written it."""
    status = os.fstat(handle)
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & _OTHERS_WRITE:
        return None
    checksum, size = os.read(handle, _NUMBER), os.read(handle, _NUMBER)
    head = os.read(handle, int.from_bytes(size, "big"))
    if crc32(size + head).to_bytes(_NUMBER, "big") != checksum:
        return None
    # Anyone who can write this file can also write a module next to it, or the user's settings.
    try:
        key, value = marshal.loads(head)  # noqa: S302
    except (ValueError, EOFError, TypeError):
        return None
    return key, value


def _head(key: Any, value: Any) -> bytes:
    head = marshal.dumps(((*_OURS, key), value))
    size = len(head).to_bytes(_NUMBER, "big")
    return crc32(size + head).to_bytes(_NUMBER, "big") + size + head


def _with_parts(key: Any, parts: dict[str, bytes]) -> bytes:
    index: dict[str, tuple[int, int, int]] = {}
    offset = 0
    for name, data in parts.items():
        index[name] = offset, len(data), crc32(data)
        offset += len(data)
    return _head(key, index) + b"".join(parts.values())


def _write(places: list[str], data: bytes) -> None:
    for path in places:
        draft = f"{path}.{os.getpid()}.{get_ident()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            os.makedirs(dirname(path), mode=0o700, exist_ok=True)
            handle = os.open(draft, flags, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(draft, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(draft)
        else:
            return
