"""What commands in the box of a project have written into the home, which is in the box only.

Caches need no word. Anything else is named once, can be put into the real home, and can be
forgotten. A command can have put links there, so none is followed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from os.path import basename, dirname, join, lexists

from laconic.box.home import FOLDER, TOP, home_of_account
from laconic.box.places import is_below
from laconic.box.plan import Plan
from laconic.errors import LaconicError
from laconic.files import make_private, names_in, open_handle, write_private
from laconic.undo.store import remove_tree

_TOLD = "told"  # in FOLDER: the names that were told, each ended by a NUL
_MOST_LOOKED, _MOST_NAMED = 3000, 3
_MOST_BYTES = 2 << 30
_LEFT_BYTES = _MOST_BYTES * 4 // 5
_OF_BOX = ("over", "home", "tmp", "vartmp")  # of the directory of a box: what commands write


@cache
def cache_names() -> tuple[str, ...]:
    with open(join(dirname(__file__), "data", "caches.txt"), encoding="utf-8") as file:
        return tuple(word for line in file for word in line.partition("#")[0].split())


def is_cache(name: str) -> bool:
    """Tell whether a path below the home is a cache, or in one."""
    parts = name.split("/")
    return any(fnmatchcase("/".join(parts[: one.count("/") + 1]), one) for one in cache_names())


def _leads_to_cache(name: str) -> bool:
    return any(one.startswith(f"{name}/") for one in cache_names())


def find_written(plan: Plan) -> list[str]:
    """Return what was written, below the home: the topmost names that the real one has not.

    A new directory on the way to a cache is looked into.
    """
    found = []
    for upper, lower in _uppers(plan):
        base = plan.user_home if is_below(lower, plan.user_home) else lower
        shown = "~" if base == plan.user_home else base
        found += [f"{shown}/{name}" for name in _walk(upper, lower, lower[len(base) + 1 :], [0])]
    return found


def _uppers(plan: Plan) -> list[tuple[str, str]]:
    account = home_of_account()
    uppers = [
        (one.upper, one.lower)
        for one in plan.overlays
        if is_below(one.lower, plan.user_home) or one.lower == account
    ]
    if plan.has_own_top:
        uppers.append((join(plan.directory, FOLDER, TOP), plan.user_home))
    return uppers


def _walk(upper: str, lower: str, name: str, looked: list[int]) -> Iterator[str]:
    try:
        with os.scandir(upper) as entries:
            listed = sorted(entries, key=lambda one: one.name)
    except OSError:
        return
    for one in listed:
        looked[0] += 1
        own = f"{name}/{one.name}" if name else one.name
        if looked[0] > _MOST_LOOKED or is_cache(own):
            continue
        status = one.stat(follow_symlinks=False)
        there = join(lower, one.name)
        if stat.S_ISDIR(status.st_mode) and (os.path.isdir(there) or _leads_to_cache(own)):
            yield from _walk(one.path, there, own, looked)
        elif not stat.S_ISCHR(status.st_mode):  # which says that something was removed
            yield own


def notice(plan: Plan, launcher: str) -> str:
    """Name what was written and was not told before; nothing if that is nothing."""
    path = join(plan.directory, FOLDER, _TOLD)
    try:
        with open(path, "rb") as file:
            told = set(os.fsdecode(file.read()).split("\0"))
    except OSError:
        told = set()
    found = [name for name in find_written(plan) if name not in told]
    if not found:
        return ""
    with contextlib.suppress(OSError):
        write_private(path, os.fsencode("\0".join((*sorted(told), *found))))
    names = ", ".join(found[:_MOST_NAMED])
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    verb = "was" if len(found) == 1 else "were"
    way = f"{launcher} box keep {found[0]} puts it into the real home"
    text = f"{names}{more} {verb} written in this project's box only; {way}"
    shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
    return f"[laconic: {shown}]\n"


# -- by the user's own word ------------------------------------------------------------------------


def keep(plan: Plan, path: str) -> None:
    """Put into the real home what a command has written there; LaconicError says why not."""
    from laconic.reading.places import is_guarded  # noqa: PLC0415 - not for every command
    from laconic.reading.secret_files import is_secret  # noqa: PLC0415

    homes = (plan.user_home, home_of_account())
    if path in homes or not any(one and is_below(path, one) for one in homes):
        raise LaconicError(f"{path} is not in the home")
    sources = [
        (len(lower), join(upper, path[len(lower) + 1 :]))
        for upper, lower in _uppers(plan)
        if is_below(path, lower) and path != lower
    ]
    source = max(sources, default=(0, ""))[1]
    if not source or not lexists(source):
        raise LaconicError(f"no command has written {path} in the box of {plan.project}")
    if link := next((one for one in (source, *_files(source)) if os.path.islink(one)), ""):
        raise LaconicError(f"{basename(link)} is a symbolic link", "make it yourself")
    inside = [path, *_below(source, path)]
    if bad := next((one for one in inside if is_guarded(one) or is_secret(one)), ""):
        message = f"{bad} decides what programs run later, or holds keys"
        raise LaconicError(message, "look at it, and write it yourself")
    if any(is_below(path, one) or is_below(one, path) for one in plan.hidden):
        raise LaconicError(f"{path} is hidden from the box")
    if lexists(path):
        raise LaconicError(f"{path} is there already", "move it away first")
    if os.path.realpath(dirname(path)) != dirname(path):
        raise LaconicError(f"{dirname(path)} is not a directory of the home")
    os.makedirs(dirname(path), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, path, symlinks=True)
    else:
        shutil.copy2(source, path, follow_symlinks=False)


def _below(source: str, path: str) -> Iterator[str]:
    return (f"{path}{one[len(source) :]}" for one in _files(source))


def _files(source: str) -> Iterator[str]:
    if os.path.islink(source):
        return
    for directory, folders, files in os.walk(source):
        yield from (join(directory, name) for name in (*folders, *files))


def reset(plan: Plan) -> int:
    """Forget all that commands have written outside of the project; return how many bytes."""
    with _alone(plan.directory):
        size = 0
        for name in _OF_BOX:
            path = join(plan.directory, name)
            if os.path.isdir(path):
                size += _size(path)
                gone = f"{path}-gone-{os.urandom(4).hex()}"
                os.rename(path, gone)
                remove_tree(gone)
        return size


@contextlib.contextmanager
def _alone(directory: str) -> Iterator[None]:
    """Hold the gate of a box that nobody is in; LaconicError if somebody is (box/home.c)."""
    over = join(directory, FOLDER)
    make_private(join(over, "in"))
    with open_handle(join(over, "gate"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for name in os.listdir(join(over, "in")):
            if _is_held(join(over, "in", name)):
                message = "a command still runs in this box, perhaps a server"
                raise LaconicError(message, "end it first")
        yield


def _is_held(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


# -- the size --------------------------------------------------------------------------------------


def trim(directory: str) -> None:
    """Remove the oldest caches of a box that has more than it may, unless somebody is in it."""
    over = join(directory, FOLDER)
    if _size(over) <= _MOST_BYTES:
        return
    with contextlib.suppress(LaconicError, OSError), _alone(directory):
        remove_tree(join(over, "aside"))
        left = _size(over)
        for _, path, size in sorted(_caches_in(over)):
            if left <= _LEFT_BYTES:
                return
            remove_tree(path)
            left -= size


def _caches_in(over: str) -> Iterator[tuple[float, str, int]]:
    """Yield the caches in the upper directories, each directory in ~/.cache by itself."""
    tops = [(join(over, "upper"), "")]
    with contextlib.suppress(OSError):
        further = join(over, "further")
        tops += [
            (join(further, name, "upper"), "" if name[0] == "-" else name)
            for name in os.listdir(further)
        ]
    for top, prefix in tops:
        names = [join(".cache", one) for one in names_in(join(top, ".cache"))] + names_in(top)
        for name in names:
            path, own = join(top, name), f"{prefix}/{name}" if prefix else name
            if name != ".cache" and os.path.isdir(path) and is_cache(own):
                yield _newest(path), path, _size(path)


def _newest(path: str) -> float:
    return max((_status(one).st_mtime for one in _files(path)), default=0.0)


def _size(path: str) -> int:
    return sum(_status(one).st_blocks * 512 for one in _files(path))


def _status(path: str) -> os.stat_result:
    try:
        return os.lstat(path)
    except OSError:
        return os.stat_result((0,) * 19)
