"""Gives a command in the box the temporary files that it names, although /tmp is its own.

They are copied in before it runs, and what is new under a name of the line is copied out when it
has ended: plain files, and directories of them, and no link is followed on either side. What was
there before is changed only if an earlier command of this box has made it. The same goes for what
is made under a name that a variable has; it is not copied in, as the line may not have named it.
A Python environment is neither: where one is named, it can be read, and /tmp is empty otherwise.
All else that a command writes there stays in the box, and lasts as long as the box of the project.
Where the project itself is below /tmp, it lasts as long as the command: what one has left behind
must not lead the mounts of the next one astray.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from os.path import basename, dirname, isdir, join, lexists, normpath, realpath
from shutil import rmtree

from laconic.box.places import is_below
from laconic.box.plan import TEMPORARY, Plan
from laconic.errors import FileError
from laconic.files import make_private, read_file, upwards, write_private
from laconic.patterns import pattern
from laconic.reading.secret_files import is_secret

Stamp = list[int] | None  # what tells one state of a file from another; None: it is not there

_NAMED = pattern(r"(?<![\w./~@%+-])(?:/var)?/tmp/[\w./@%+-]*[\w@%+-]")
_MOST_NAMED = 32
_MOST_BYTES = 64 << 20
_MOST_FILES = 1_000  # of a directory that is copied out
_MOST_REMEMBERED = 256
# What makes a directory an environment, https://docs.python.org/3/library/venv.html, and its parts.
_SIGNS = ("pyvenv.cfg", "bin/python")
_ENVIRONMENT = ("pyvenv.cfg", "bin", "lib", "lib64")
FRESH = "fresh"  # in the directory of a box: temporary directories of single commands
_BROUGHT = "brought"  # in the directory of a box: what it has made outside, and its state then
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def named(words: Iterable[str]) -> list[str]:
    """Return the temporary paths that words name, also somewhere in the text of a script."""
    paths = (normpath(one[0]) for word in words for one in _NAMED.finditer(word))
    return [path for path in dict.fromkeys(paths) if _place_of(path)][:_MOST_NAMED]


def named_by(variables: Mapping[str, str]) -> list[str]:
    """Return the temporary paths that are values of variables, and not there yet."""
    found = (normpath(value) for value in variables.values() if _NAMED.fullmatch(value))
    return [path for path in found if _place_of(path) and not lexists(path)][:_MOST_NAMED]


def _place_of(path: str) -> str:
    return next((place for place in TEMPORARY if is_below(path, place) and path != place), "")


def environments(paths: Iterable[str]) -> list[str]:
    """Return what the Python environments consist of that these temporary paths are in.

    They hold links, and more than can be copied in, so that the box shows them as they are. What
    else lies beside that is not shown.
    """
    found = dict.fromkeys(top for path in paths if (top := _environment_of(path)))
    parts = (join(top, part) for top in found for part in _ENVIRONMENT)
    return [path for path in parts if realpath(path) == path and lexists(path)]


def _environment_of(path: str) -> str:
    """Return the environment of our own that a temporary path is in, or nothing."""
    place = _place_of(path)
    for top in upwards(path):
        if not place or top == place:
            return ""
        is_complete = all(lexists(join(top, part)) for part in _SIGNS)
        if is_complete and realpath(top) == top and os.lstat(top).st_uid == os.geteuid():
            return top
    return ""


def is_shared(path: str, shown: Iterable[str]) -> bool:
    """Tell whether a command in the box finds the same file there as outside, or makes it there.

    shown: what the box shows as it is, also below the temporary directories.
    """
    is_part = any(is_below(path, one) or is_below(one, path) for one in shown)
    if not _place_of(path) or is_part or is_secret(path) or _is_in_project(path):
        return False
    above = dirname(path)
    if realpath(above) != above:
        return False
    try:
        status = os.lstat(path)
    except OSError:
        return isdir(above)
    return stat.S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES


def _is_in_project(path: str) -> bool:
    """Tell whether it is in a project below a temporary directory, whose box this is not."""
    place = _place_of(path)
    above = (one for one in upwards(path) if is_below(one, place) and one != place)
    return any(lexists(join(one, name)) for one in above for name in (".git", ".laconic"))


def make_own(plan: Plan, paths: Iterable[str]) -> None:
    """Make a temporary directory for one command that names files there, beside what is shown."""
    shown = (*plan.shown, *plan.write, plan.user_home)
    for place in {_place_of(path) for path in paths if is_shared(path, shown)}:
        if any(is_below(one, place) for one in shown):
            plan.own_places[place] = join(plan.directory, FRESH, os.urandom(6).hex())
            make_private(join(plan.directory, FRESH))
            make_private(plan.own_places[place])
            for path in (*shown, *(one.lower for one in plan.overlays), *plan.read_only):
                if is_below(path, place):  # what is mounted needs a place there
                    _make_place(plan.own_places[place] + path[len(place) :], path)


def _make_place(own: str, path: str) -> None:
    if isdir(path):
        os.makedirs(own, 0o700, exist_ok=True)
    else:
        os.makedirs(dirname(own), 0o700, exist_ok=True)
        os.close(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def remove_own(own_places: Mapping[str, str]) -> None:
    """Remove the temporary directories of one command, when its box has ended."""
    for path in own_places.values():
        if basename(dirname(path)) == FRESH:
            from laconic.undo.store import remove_tree  # noqa: PLC0415 - most commands have none

            remove_tree(path)


def bring_in(plan: Plan, paths: Iterable[str]) -> list[tuple[str, Stamp, Stamp]]:
    """Copy in what is there; return each path, with its state outside and in the box."""
    found: list[tuple[str, Stamp, Stamp]] = []
    remembered = _remembered(plan.directory)
    for path in paths:
        if not is_shared(path, (*plan.shown, *plan.write, plan.user_home)):
            continue
        with contextlib.suppress(OSError), _own_parent(plan.own_places, path) as handle:
            try:
                _copy(os.open(path, _READ), basename(path), handle)
            except FileNotFoundError:
                if path in remembered:  # it was brought out, and somebody has removed it there
                    _remove(basename(path), handle)
            found.append((path, _stamp(path), _stamp(basename(path), handle)))
    return found


def bring_out(
    directory: str,
    own_places: Mapping[str, str],
    named_ones: Iterable[tuple[str, Stamp, Stamp]],
) -> list[tuple[str, str]]:
    """Copy out what a command has made or changed; return what has to stay in the box, and why.

    directory: that of the box. own_places: what it has in place of the real ones. named_ones: what
    `bring_in` has returned.
    """
    remembered = _remembered(directory)
    staying: list[tuple[str, str]] = []
    is_new = False
    for path, outside, inside in named_ones:
        with contextlib.suppress(OSError), _own_parent(own_places, path) as handle:
            now = _stamp(basename(path), handle)
            if now is None or now == inside:
                continue
            is_ours = outside is not None and remembered.get(path) == outside == _stamp(path)
            if realpath(dirname(path)) != dirname(path) or not (outside is None or is_ours):
                staying.append((path, "it was there before"))
                continue
            if not _fits(basename(path), handle, _Room()):
                staying.append((path, "it is too large to be copied out"))
                continue
            above = os.open(dirname(path), _DIRECTORY)
            try:
                if is_ours:
                    os.unlink(basename(path), dir_fd=above)
                _copy_out(basename(path), handle, above)
            finally:
                os.close(above)
            if (made := _stamp(path)) is not None:
                remembered.pop(path, None)
                remembered[path], is_new = made, True
    if is_new:
        kept = dict(list(remembered.items())[-_MOST_REMEMBERED:])
        with contextlib.suppress(OSError):
            write_private(join(directory, _BROUGHT), json.dumps(kept).encode())
    return staying


def _remembered(directory: str) -> dict[str, Stamp]:
    with contextlib.suppress(FileError, ValueError):
        found = json.loads(read_file(join(directory, _BROUGHT), _MOST_BYTES))
        return found if isinstance(found, dict) else {}
    return {}


def _stamp(name: str, handle: int | None = None) -> Stamp:
    try:
        found = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:
        return None
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


class _Room:
    """How much may still be copied out under one name."""

    def __init__(self) -> None:
        self.files, self.bytes = _MOST_FILES, _MOST_BYTES

    def has(self, size: int) -> bool:
        self.files, self.bytes = self.files - 1, self.bytes - size
        return self.files >= 0 and self.bytes >= 0


def _fits(name: str, source: int, room: _Room) -> bool:
    """Tell whether there is room for all that would be copied out."""
    status = os.stat(name, dir_fd=source, follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode):
        return not stat.S_ISREG(status.st_mode) or room.has(status.st_size)
    if not room.has(0):
        return False
    inner = os.open(name, _DIRECTORY, dir_fd=source)
    try:
        return all(_fits(one, inner, room) for one in os.listdir(inner))
    except OSError:
        return False
    finally:
        os.close(inner)


def _copy_out(name: str, source: int, target: int) -> None:
    """Copy a plain file, or a directory of them, from one directory into another; no links."""
    status = os.stat(name, dir_fd=source, follow_symlinks=False)
    if stat.S_ISREG(status.st_mode):
        _copy(os.open(name, _READ, dir_fd=source), name, target, replaces=False)
    elif stat.S_ISDIR(status.st_mode):
        os.mkdir(name, 0o700, dir_fd=target)
        inner = os.open(name, _DIRECTORY, dir_fd=source)
        made = os.open(name, _DIRECTORY, dir_fd=target)
        try:
            for one in os.listdir(inner):
                with contextlib.suppress(OSError):
                    _copy_out(one, inner, made)
            os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
        finally:
            os.close(inner)
            os.close(made)


def _remove(name: str, handle: int) -> None:
    try:
        os.unlink(name, dir_fd=handle)
    except IsADirectoryError:
        rmtree(name, ignore_errors=True, dir_fd=handle)


@contextlib.contextmanager
def _own_parent(own_places: Mapping[str, str], path: str) -> Iterator[int]:
    """Open, in the box's own place, the directory that a path is in; make it if necessary."""
    place = _place_of(path)
    handle = os.open(own_places[place], os.O_RDONLY | os.O_DIRECTORY)
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


def _copy(source: int, name: str, handle: int, *, replaces: bool = True) -> None:
    """Copy an open plain file into a directory, in the place of what is there; close it."""
    try:
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return
        with contextlib.suppress(FileNotFoundError):
            if replaces:
                os.unlink(name, dir_fd=handle)
        made = os.open(name, _NEW, 0o600, dir_fd=handle)
        try:
            at = 0
            while at < status.st_size and (sent := os.sendfile(made, source, at, status.st_size)):
                at += sent
            os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
        finally:
            os.close(made)
    finally:
        os.close(source)
