"""Gives a box what it can use of the user's caches, next to the cache that it has of its own.

Caches that are only read are links. npm writes its index even when it only reads from its cache
(https://github.com/npm/cacache compacts an entry when it looks for it), so the box has a copy of
that, and a link to the contents. A command in the box can put links into its cache, so none is
followed here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from os.path import isdir, join

from laconic.box.plan import Plan
from laconic.files import open_handle

OWN = ".cache"
# Caches that are only read, and that would take long to fill again.
_READ = frozenset((
    "ms-playwright", "puppeteer", "Cypress", "electron", "node-gyp", "huggingface", "torch",
    "pre-commit", "nltk_data", "coursier",
))  # fmt: skip
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CONTENT, _INDEX = "content-v2", "index-v5"  # of cacache, since npm 7
_STAMP = "seeded"
_MOST_FILES = 20_000
_MOST_BYTES = 8 << 20


def fill(plan: Plan) -> None:
    """Fill the cache of a box where something is missing; what is there already stays."""
    user = join(plan.user_home, ".cache")
    with open_handle(join(plan.directory, "home", OWN), _DIRECTORY) as handle:
        for name in _READ.intersection(_names(user)).difference(os.listdir(handle)):
            with contextlib.suppress(OSError):
                os.symlink(join(user, name), name, dir_fd=handle)
        if not plan.has_network:
            with contextlib.suppress(OSError):
                _fill_npm(join(plan.user_home, ".npm"), handle)


def _fill_npm(user: str, cache: int) -> None:
    """Copy npm's index where it has changed, and link to the contents."""
    stamp = _stamp(user)
    if not stamp:
        return
    with _below(cache, "npm") as npm, _below(npm, "_cacache") as store:
        with contextlib.suppress(OSError):
            if os.readlink(_STAMP, dir_fd=npm) == stamp:
                return
        with contextlib.suppress(FileExistsError):
            os.symlink(join(user, "_cacache", _CONTENT), _CONTENT, dir_fd=store)
        with _below(store, _INDEX) as index:
            _copy_index(join(user, "_cacache", _INDEX), index)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_STAMP, dir_fd=npm)
        os.symlink(stamp, _STAMP, dir_fd=npm)


def _stamp(user: str) -> str:
    """Say which state a cache of npm's is in; nothing if there is none.

    npm writes to `tmp` before it writes to the cache, and a log for every call.
    """
    times = []
    for name in ("_cacache/tmp", f"_cacache/{_INDEX}", f"_cacache/{_CONTENT}", "_logs"):
        try:
            times.append(str(os.stat(join(user, name)).st_mtime_ns))
        except OSError:
            times.append("")
    return " ".join(times) if times[1] and times[2] else ""


def _copy_index(user: str, index: int) -> None:
    """Copy what is new: the index has two levels of directories."""
    count = 0
    for first in _names(user):
        with _below(index, first) as upper:
            for second in _names(join(user, first)):
                with _below(upper, second) as lower:
                    for name in _names(join(user, first, second)):
                        count += 1
                        if count > _MOST_FILES:
                            return
                        with contextlib.suppress(OSError):
                            _copy(join(user, first, second, name), lower, name)


def _copy(source: str, target: int, name: str) -> None:
    status = os.lstat(source)
    with contextlib.suppress(FileNotFoundError):
        if os.lstat(name, dir_fd=target).st_mtime_ns >= status.st_mtime_ns:
            return
        os.unlink(name, dir_fd=target)
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        data = file.read(_MOST_BYTES)
    with os.fdopen(os.open(name, _NEW, 0o600, dir_fd=target), "wb") as file:
        file.write(data)


@contextlib.contextmanager
def _below(handle: int, name: str) -> Iterator[int]:
    """Open a directory in another one, and make it if it is not there."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=handle)
    opened = os.open(name, _DIRECTORY, dir_fd=handle)
    try:
        yield opened
    finally:
        os.close(opened)


def _names(directory: str) -> list[str]:
    return os.listdir(directory) if isdir(directory) else []
