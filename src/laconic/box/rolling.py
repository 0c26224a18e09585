"""Keeps a copy of what matters in a project, so that what boxed code destroys can be taken back.

Before a command runs in the box, what has changed since the last time is copied; when it has ended,
what it removed or changed becomes a keep of `laconic undo`. Kept are the history, and what is
neither a cache nor large. git never writes its objects in place, so they are hard links.
"""

from __future__ import annotations

import contextlib
import fcntl
import marshal
import os
import stat
import time
from os.path import basename, dirname, exists, join, lexists

from laconic.errors import LaconicError
from laconic.files import make_private
from laconic.undo.copying import copy
from laconic.undo.entry import DIRECTORY, FILE, LINK, Entry, of_status
from laconic.undo.keep import DATA, MANIFEST, About, Keep, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from laconic.undo.store import Store

    # By path: the time of its last change, and its entry.
    Known = dict[str, tuple[int, list[Any]]]

_FOLDER = "kept"  # of the directory of a box
JOURNALS = "open"  # there, too: one file for each box that is open
_NEVER = 1 << 63
_MOST_FILES, _MOST_BYTES, _LARGEST = 5_000, 256 << 20, 1 << 20
# What tools make again, in any directory of a project.
_MADE = frozenset(
    "node_modules bower_components target build dist out .venv venv .tox .nox __pycache__ .next"
    " .nuxt .svelte-kit .turbo .parcel-cache .gradle .mypy_cache .pytest_cache .ruff_cache"
    " .hypothesis coverage htmlcov .terraform .dart_tool Pods DerivedData .cache .eggs".split()
)
_LEFT_OUT_OF_GIT = frozenset(("modules", "worktrees", "lfs", "index.lock"))


class Rolling:
    """The copy of one project; directory: that of its box."""

    def __init__(self, directory: str, project: str) -> None:
        self._place, self._project = join(directory, _FOLDER), project
        self._known: Known = {}
        self._count = self._bytes = 0

    def renew(self, command: str) -> None:
        """Copy what has changed since the last time; command: the one that is about to run."""
        make_private(join(self._place, DATA))
        with self._lock() as is_free:
            if not is_free:
                return
            self._read()
            found: Known = {}
            with contextlib.suppress(_TooMuchError):
                for path, status in self._files():
                    self._take(path, status, found)
            if found != self._known:
                self._forget(found)
                self._write(found)
            with open(join(self._place, "command"), "wb") as file:
                file.write(os.fsencode(command))

    def finish(self, store: Store, *, is_late: bool = False) -> str:
        """Have a keep of what the last command removed or changed; return its id, or nothing.

        is_late: the command may have ended long ago. What has changed since then is not its doing.
        """
        if not exists(join(self._place, "command")):
            return ""
        with self._lock() as is_free:
            if not is_free:
                return ""
            self._read()
            return self._finish(store, self._end() if is_late else _NEVER)

    # -- the files

    @contextlib.contextmanager
    def _lock(self) -> Iterator[bool]:
        handle = os.open(join(self._place, "lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield True
        except BlockingIOError:
            yield False
        finally:
            os.close(handle)

    def _read(self) -> None:
        with (
            contextlib.suppress(OSError, ValueError, EOFError, TypeError),
            open(join(self._place, "known"), "rb") as file,
        ):
            self._known = marshal.load(file)  # noqa: S302 - written by ourselves, for us alone

    def _write(self, found: Known) -> None:
        path = join(self._place, "known")
        with open(f"{path}.new", "wb") as file:
            marshal.dump(found, file)
        os.replace(f"{path}.new", path)

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield what is kept: git's own files first, then those of the project."""
        git = join(self._project, ".git")
        if os.path.isdir(git) and not os.path.islink(git):
            yield git, os.lstat(git)
            yield from self._below(git, _LEFT_OUT_OF_GIT)
        for seen, found in enumerate(self._below(self._project, _MADE | {".git"})):
            if seen == _MOST_FILES:
                raise _TooMuchError
            yield found

    def _below(self, top: str, left_out: frozenset[str]) -> Iterator[tuple[str, os.stat_result]]:
        stack = [top]
        while stack:
            try:
                with os.scandir(stack.pop()) as entries:
                    listed = list(entries)
            except OSError:
                continue
            for one in listed:
                if one.name in left_out:
                    continue
                with contextlib.suppress(OSError):
                    status = one.stat(follow_symlinks=False)
                    yield one.path, status
                    if stat.S_ISDIR(status.st_mode):
                        stack.append(one.path)

    def _take(self, path: str, status: os.stat_result, found: Known) -> None:
        known = self._known.get(path)
        is_directory = stat.S_ISDIR(status.st_mode)
        if known and (known[0] == status.st_ctime_ns or is_directory):
            found[path] = known
            return
        entry = of_status(path, status)
        if entry.kind == FILE:
            is_object = "/.git/objects/" in path and basename(path)[:4] != "tmp_"
            if known and is_object:
                found[path] = known  # a link to it moves the time of its last change
                return
            if not self._copy(path, entry, is_object=is_object):
                return
            changed = os.lstat(path).st_ctime_ns if is_object else status.st_ctime_ns
            entry.changed_ns = changed
            found[path] = changed, entry.row()
        elif entry.kind in (LINK, DIRECTORY):
            found[path] = status.st_ctime_ns, entry.row()

    def _copy(self, path: str, entry: Entry, *, is_object: bool) -> bool:
        entry.data = f"{time.time_ns():x}-{self._count}"
        self._count += 1
        target = join(self._place, DATA, entry.data)
        if is_object:
            with contextlib.suppress(OSError):
                os.link(path, target)
                return True
        if entry.size > _LARGEST or self._bytes + entry.size > _MOST_BYTES:
            return False
        self._bytes += entry.size
        with contextlib.suppress(OSError):
            copy(path, target)
            return True
        return False

    def _forget(self, found: Known) -> None:
        """Remove the copies that nobody needs any more."""
        needed = {row[9] for _, row in found.values()}
        for _, row in self._known.values():
            if row[9] and row[9] not in needed:
                with contextlib.suppress(OSError):
                    os.unlink(join(self._place, DATA, row[9]))

    # -- the keep

    def _end(self) -> int:
        """Return when the last box ended: as it ends, its journal goes out of the directory."""
        journals = join(dirname(self._place), JOURNALS)
        return _NEVER if os.listdir(journals) else os.lstat(journals).st_mtime_ns

    def _finish(self, store: Store, end: int) -> str:
        path = join(self._place, "command")
        try:
            with open(path, "rb") as file:
                command = os.fsdecode(file.read())
            os.unlink(path)
        except OSError:
            return ""
        lost = dict(self._lost(end))
        return self._keep(lost, command, store) if lost else ""

    def _lost(self, end: int) -> Iterator[tuple[str, list[Any]]]:
        """Yield what is gone, or changed until the end; git's own files only if it is broken."""
        git = join(self._project, ".git")
        is_broken = not all(exists(join(git, name)) for name in ("HEAD", "objects", "refs"))
        for path, (changed, row) in self._known.items():
            if path.startswith(f"{git}/"):
                if is_broken and not lexists(path):
                    yield path, row
                continue
            try:
                status = os.lstat(path)
            except OSError:
                yield path, row
                continue
            if changed != status.st_ctime_ns <= end and row[0] != DIRECTORY:
                yield path, row

    def _keep(self, lost: dict[str, list[Any]], command: str, store: Store) -> str:
        now = time.time()
        size = sum(row[5] for row in lost.values() if row[9])
        place = store.new_path(size, now)
        os.makedirs(join(place, DATA), 0o700)
        before: dict[str, list[Any]] = {}
        for number, (path, row) in enumerate(lost.items()):
            own = list(row)
            if row[9]:
                with contextlib.suppress(OSError):
                    os.link(join(self._place, DATA, row[9]), join(place, DATA, str(number)))
                    own[9] = str(number)
                    before[path] = own
            else:
                before[path] = own
            above = dirname(path)
            while above not in before and len(above) > len(self._project):
                if above in self._known and not lexists(above):
                    before[above] = list(self._known[above][1])
                above = dirname(above)
        from laconic.secrets.redact import redact  # noqa: PLC0415 - not after most commands

        about = About(redact(command), self._project)
        manifest = {
            "command": about.command, "directory": about.directory, "of": "", "agent": "",
            "session": "", "notes": [], "timed": [], "time": now, "places": [], "left_out": [],
            "stores": [join(self._project, ".git/objects")], "before": before, "flat": {},
        }  # fmt: skip
        write(join(place, MANIFEST), manifest)
        with contextlib.suppress(LaconicError, OSError):
            if Keep(place).finish():
                return place.rpartition("-")[2]
        from laconic.undo.store import remove_tree  # noqa: PLC0415 - nothing had changed

        remove_tree(place)
        return ""


class _TooMuchError(Exception):
    """A project has more files than are kept; its history is kept in any case."""
