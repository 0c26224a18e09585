"""Looks at the file system for one plan, and at nothing twice."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from functools import cache
from os.path import basename, dirname, islink, join, lexists, realpath

from laconic.files import may_ignore_case
from laconic.patterns import compile_written

Stamp = tuple[int, int, int, int] | None  # device, inode and times; None: it is not there
_ANY = "*"
_COARSE_NS = 50_000_000
_FEW = 4  # names that are looked for one by one: a directory may have thousands


class Names:
    """A list of paths below a directory, sorted so that each directory is read once.

    exact: what follows a name. written: patterns, and what follows them. is_whole: a path of the
    list ends here.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self.exact: dict[str, Names] = {}
        self.written: list[tuple[re.Pattern[str], Names]] = []
        self.is_whole = False
        for path in paths:
            self.add(path.split("/"))
        ends = [(one, below) for one, below in self.written if below.is_whole and not below.exact]
        if len(ends) > 1:  # one pattern for all of them is faster
            others = [pair for pair in self.written if pair not in ends]
            whole = "|".join(f"(?:{one.pattern})" for one, _ in ends)
            self.written = [*others, (compile_written(whole), ends[0][1])]

    def add(self, parts: list[str]) -> None:
        """Add a path, by the names that it consists of."""
        first, *rest = parts
        if _ANY in first:
            below = next((b for one, b in self.written if one.pattern == _regex(first)), None)
            if below is None:
                below = Names()
                self.written.append((compile_written(_regex(first)), below))
        else:
            below = self.exact.setdefault(first, Names())
        if rest:
            below.add(rest)
        else:
            below.is_whole = True


@cache
def _regex(written: str) -> str:
    """Translate a pattern as glob does: `*` does not stand for the dot that a name begins with."""
    whole = ".*".join(map(re.escape, written.split(_ANY)))
    return rf"(?!\.){whole}\Z" if written[0] == _ANY else rf"{whole}\Z"


class Look:
    """What is known of the file system; it holds for one plan.

    visited: the directories that were looked into, and their stamps from before that.
    """

    def __init__(self) -> None:
        self.visited: dict[str, Stamp] = {}
        self._names: dict[str, frozenset[str] | None] = {}
        self._real: dict[str, str] = {"/": "/"}
        self._entered: dict[str, bool] = {"/": True}

    def names(self, directory: str) -> frozenset[str] | None:
        """Return what is in a directory; None if it may be entered, but not listed."""
        if directory not in self._names:
            try:
                self._names[directory] = frozenset(os.listdir(directory))
            except (FileNotFoundError, NotADirectoryError):
                self._names[directory] = frozenset()
            except OSError:
                self._names[directory] = None
        return self._names[directory]

    def exists(self, path: str) -> bool:
        """Tell whether something has this path, a link that leads nowhere included."""
        names = self.names(dirname(path))
        return lexists(path) if names is None else basename(path) in names

    def matching(self, base: str, wanted: Names) -> Iterator[str]:
        """Yield the paths of a list below a directory that exist."""
        if base not in self.visited:
            self.visited[base] = _stamp(base)
        is_short = len(wanted.exact) <= _FEW and not wanted.written
        if is_short or may_ignore_case(base):
            known = [name for name in wanted.exact if lexists(join(base, name))]
        else:
            names = self.names(base)
            known = [name for name in wanted.exact if names is None or name in names]
        for name in known:
            yield from self._below(base, name, wanted.exact[name])
        for one, below in wanted.written:
            for name in filter(one.match, self.names(base) or ()):
                yield from self._below(base, name, below)

    def _below(self, base: str, name: str, wanted: Names) -> Iterator[str]:
        path = join(base, name)
        if wanted.is_whole:
            yield path
        if wanted.exact or wanted.written:
            yield from self.matching(path, wanted)

    def real(self, path: str) -> str:
        """Return what os.path.realpath does."""
        known = self._real.get(path)
        if known is None:
            above, name = path.rpartition("/")[::2]
            if not path.startswith("/") or name in ("", ".", ".."):
                return realpath(path)
            known = join(self.real(above or "/"), name)
            known = realpath(known) if islink(known) else known
            self._real[path] = known
        return known

    def can_enter(self, directory: str) -> bool:
        """Tell whether our user could enter a directory without any privileges.

        In the box, root has none, and cannot pass the closed directories of others.
        """
        if directory not in self._entered:
            self._entered[directory] = self.can_enter(dirname(directory)) and _is_open(directory)
        return self._entered[directory]


_known: dict[tuple[str, Names], tuple[dict[str, Stamp], list[str]]] = {}


def matching(base: str, wanted: Names) -> list[str]:
    """Return the paths of a list below a directory; a server remembers them.

    Whatever comes into a directory or leaves it changes the stamp of the directory. Files have the
    time of a clock that is a few milliseconds coarse, so younger stamps are not relied on.
    """
    known = _known.get((base, wanted))
    if known and all(_stamp(one) == stamp for one, stamp in known[0].items()):
        return known[1]
    look = Look()
    paths = list(look.matching(base, wanted))
    latest = time.time_ns() - _COARSE_NS
    if all(stamp is None or max(stamp[2:]) < latest for stamp in look.visited.values()):
        _known[base, wanted] = look.visited, paths
    return paths


def _stamp(directory: str) -> Stamp:
    try:
        status = os.stat(directory)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _is_open(directory: str) -> bool:
    if os.geteuid() != 0:
        return os.access(directory, os.X_OK)
    try:
        status = os.stat(directory)
    except OSError:
        return False
    bit = stat.S_IXUSR if status.st_uid == 0 else stat.S_IXOTH
    bit = stat.S_IXGRP if status.st_uid != 0 and status.st_gid == 0 else bit
    return bool(status.st_mode & bit)
