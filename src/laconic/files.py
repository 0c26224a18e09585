"""Find and read files that may be hostile, and write files that belong to the user alone."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH102, PTH105, PTH108, PTH112, PTH118, PTH120, PTH208
from __future__ import annotations

import contextlib
import os
import stat

from laconic.errors import FileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

LIMIT = 128 * 1024
_MOST_PARENTS = 100
_FILE_TYPE, _FILE, _LINK = 0o170000, 0o100000, 0o120000

# As os.path.lexists, which takes twice as long; a hook looks for a dozen files.
if os.access in os.supports_follow_symlinks:

    def is_there(path: str) -> bool:
        return os.access(path, os.F_OK, follow_symlinks=False)
else:
    is_there = os.path.lexists


class Existing(dict[str, bool]):
    """Whether paths are there that one decision asks for; each is looked up once."""

    def __missing__(self, path: str) -> bool:
        exists = self[path] = is_there(path)
        return exists


class RealPaths(dict[str, str]):
    """The real paths that one decision asks for, again and again; each is looked up once.

    spelled: the letters that a path has, where names in other letters are the same. shared: those
    of files that have another name, too.
    """

    def __init__(self, spelled: Callable[[str], str] | None = None) -> None:
        self._spelled = spelled
        self._plain: set[str] = set()
        self.shared: set[str] = set()

    def __missing__(self, path: str) -> str:
        real = real_path(path, self._plain, self.shared)
        if self._spelled is not None:
            real = self._spelled(real)
        self[path] = real
        if real != path:
            real_path(real, self._plain, self.shared)
        return real


def real_path(path: str, plain: set[str] | None = None, shared: set[str] | None = None) -> str:
    """Return what os.path.realpath does, but faster if the path has no links, as most have not.

    plain: paths that are known not to be links; those that are found are added, and to shared the
    path itself if it is that of a file with several names.
    """
    if path[:1] != "/" or path[-1] == "/" or "//" in path or "/." in path:
        return os.path.realpath(path)
    plain = set() if plain is None else plain
    end = 0
    try:
        while end >= 0:
            end = path.find("/", end + 1)
            part = path if end < 0 else path[:end]
            if part in plain:
                continue
            found = os.lstat(part)
            kind = found.st_mode & _FILE_TYPE
            if kind == _LINK:
                return os.path.realpath(path)
            if kind == _FILE and found.st_nlink > 1 and shared is not None:
                shared.add(part)
            plain.add(part)
    except FileNotFoundError:
        return path  # there is nothing below it either
    except OSError:
        return os.path.realpath(path)
    return path


def folded(text: str) -> str:
    """A name as file systems compare it that ignore case, and signs that nobody sees.

    Which letters are the same, and which signs count for nothing, differs from one to the other:
    here are those of ext4 and macOS. https://docs.kernel.org/filesystems/ext4/directory.html,
    https://github.com/git/git/blob/master/utf8.c (`next_hfs_char`)
    """
    if text.isascii():
        return text.lower()
    from unicodedata import category, normalize  # noqa: PLC0415 - few names need it

    seen = (char for char in text if category(char) != "Cf" and not "\ufe00" <= char <= "\ufe0f")
    return normalize("NFD", normalize("NFD", "".join(seen)).casefold())


def may_ignore_case(directory: str) -> bool:
    """Tell whether a directory, or what is in it, may also be found by other letters."""
    above, _, name = directory.rpartition("/")
    other = name.swapcase()
    if other != name and is_there(f"{above}/{other}"):
        return True
    return is_there(f"{directory}/.GIT")  # ext4 has such directories in others


def home(environ: Mapping[str, str]) -> str:
    """Return the home directory; without one, a path that does not exist, so nothing is read."""
    directory = environ.get("HOME", "")
    if directory.startswith("/"):
        return directory
    import pwd  # noqa: PLC0415 - a process without HOME is rare

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/nonexistent"


def encoded(text: str) -> bytes:
    """Return the bytes that a text was read from, also where they are not UTF-8: PEP 383."""
    return text.encode("utf-8", "surrogateescape")


def upwards(directory: str, most: int = _MOST_PARENTS) -> Iterator[str]:
    """Return a directory and those above it, the nearest first; at most so many."""
    for _ in range(most):
        yield directory
        above = os.path.dirname(directory)
        if above == directory:
            return
        directory = above


def names_in(directory: str) -> list[str]:
    """Return the names in a directory; none if it cannot be read."""
    try:
        return os.listdir(directory)
    except OSError:
        return []


@contextlib.contextmanager
def open_handle(path: str | Path, flags: int, inside: int | None = None) -> Iterator[int]:
    """Open a file for as long as a block takes; one that it creates belongs to the user alone.

    inside: the handle of the directory that the path starts from.
    """
    handle = os.open(path, flags, 0o600, dir_fd=inside)
    try:
        yield handle
    finally:
        os.close(handle)


def read_file(path: str | Path, limit: int = LIMIT) -> bytes:
    """Return the content of a regular file of at most `limit` bytes; FileError for all else.

    The file is opened without waiting: a pipe in place of a file must not stop us.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    try:
        return _read_regular(handle, path, limit)
    finally:
        os.close(handle)


def _read_regular(handle: int, path: str | Path, limit: int) -> bytes:
    mode = os.fstat(handle).st_mode
    if stat.S_ISDIR(mode):
        raise FileError(f"{path}: is a directory, expected a file")
    if not stat.S_ISREG(mode):
        raise FileError(f"{path}: is not a regular file")
    try:
        with os.fdopen(handle, "rb", closefd=False) as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    if len(data) > limit:
        raise FileError(f"{path}: is larger than {limit // 1024} KB")
    return data


def write_private(path: str | Path, data: bytes) -> None:
    """Replace `path` in one step; only the owner can read it (0600 in directories of 0700)."""
    folder, name = os.path.split(path)
    # Named by process id, so that no two processes share it and a dead one leaves at most one.
    draft = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        make_private(folder)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(draft, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise FileError(f"{path}: cannot be written: {reason(error)}") from error


def make_private(directory: str | Path) -> None:
    """Make a directory, and those above it that are missing, for the owner alone."""
    if not os.path.isdir(directory):
        make_private(os.path.dirname(directory) or ".")
        with contextlib.suppress(FileExistsError):
            os.mkdir(directory, mode=0o700)


def hash_of(data: bytes) -> str:  # FNV-1a; client/paths.c does the same
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:x}"


def reason(error: OSError) -> str:
    """Return the system's words for an error, without number and path."""
    return (error.strerror or str(error)).lower()
