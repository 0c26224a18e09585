"""Lets a command in the box read the temporary files that it names, although /tmp is its own.

They are copied in before it runs: plain files only, and no link is followed, on either side. What
the command writes there stays in the box, and lasts as long as the box of the project.
"""

from __future__ import annotations

import contextlib
import os
import stat
from os.path import basename, dirname, isdir, join, normpath, realpath

from laconic.box.places import is_below
from laconic.patterns import pattern
from laconic.reading.secret_files import is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from laconic.box.plan import Plan

# Where the box keeps what it has in place of these.
OWN_PLACES = {"/tmp": "tmp", "/var/tmp": "vartmp"}  # noqa: S108 - places to know, not to use
_NAMED = pattern(r"(?<![\w./~@%+-])(?:/var)?/tmp/[\w./@%+-]*[\w@%+-]")
_MOST_NAMED = 32
_MOST_BYTES = 64 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def named(words: Iterable[str]) -> list[str]:
    """Return the temporary paths that words name, also somewhere in the text of a script."""
    paths = (normpath(one[0]) for word in words for one in _NAMED.finditer(word))
    return [path for path in dict.fromkeys(paths) if _place_of(path)][:_MOST_NAMED]


def _place_of(path: str) -> str:
    return next((place for place in OWN_PLACES if is_below(path, place) and path != place), "")


def can_be_read(path: str, shown: Iterable[str], *, is_made: bool = False) -> bool:
    """Tell whether a command in the box finds the same files there as outside.

    shown: what the box shows below the temporary directories, which it does not keep then. is_made:
    a plain file will be there when the command runs.
    """
    place = _place_of(path)
    if not place or any(is_below(one, place) for one in shown) or is_secret(path):
        return False
    if realpath(dirname(path)) != dirname(path):
        return False
    try:
        status = os.lstat(path)
    except OSError:
        return is_made and isdir(dirname(path))
    return stat.S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES


def bring_in(plan: Plan, paths: Iterable[str]) -> None:
    """Copy in what is there."""
    for path in paths:
        if can_be_read(path, (*plan.shown, *plan.write)):
            with contextlib.suppress(OSError), _own_parent(plan.directory, path) as handle:
                _copy(os.open(path, _READ), basename(path), handle)


@contextlib.contextmanager
def _own_parent(directory: str, path: str) -> Iterator[int]:
    """Open, in the box's own place, the directory that a path is in; make it if necessary."""
    place = _place_of(path)
    handle = os.open(join(directory, OWN_PLACES[place]), os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in path[len(place) + 1 :].split("/")[:-1]:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=handle)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def _copy(source: int, name: str, handle: int) -> None:
    """Copy an open plain file into a directory, in the place of what is there; close it."""
    try:
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=handle)
        made = os.open(name, _NEW, 0o600, dir_fd=handle)
        try:
            left = status.st_size
            while left > 0 and (sent := os.sendfile(made, source, None, left)):
                left -= sent
            os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
        finally:
            os.close(made)
    finally:
        os.close(source)
