"""Puts something between a command and what it writes: overlays, else copies of the directories."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from os.path import isdir, join, relpath

from laconic.box.places import is_below
from laconic.undo.copying import make
from laconic.undo.entry import DIRECTORY, OTHER, Entry, is_untouched, look, of_status
from laconic.undo.reach import Place
from laconic.undo.survey import TooMuchError, visit

_NOT_PLAIN = frozenset(',:\\"\n\t ')  # an option of mount would have to quote them
_PROBE = "--can-overlay"  # box/box.h
_OPAQUE = "user.overlay.opaque"
_OF_OVERLAY = "user.overlay."
_MOST_BYTES, _MOST_ENTRIES = 256 << 20, 20_000  # of a copy, whether it shares blocks or not


class Layer:
    """A writable directory of a trial.

    path: the real one, which stays as it is. merged: what the command sees in its place. upper:
    what it changed, if that is an overlay; else merged is a copy, and copied says what it was.
    """

    def __init__(self, path: str, place: str, number: int) -> None:
        self.path = path
        self.merged = join(place, f"merged{number}")
        self.upper, self.work = join(place, f"upper{number}"), join(place, f"work{number}")
        self.copied: dict[str, Entry] | None = None

    @property
    def words(self) -> list[str]:
        """Return the overlay as box/overlay.c reads it; nothing for a copy."""
        if self.copied is not None:
            return []
        return [self.path, self.upper, self.work, self.merged]

    def prepare(self) -> None:
        for directory in (self.merged, self.upper, self.work):
            os.mkdir(directory, 0o700)

    def copy(self) -> None:
        """Fill merged with a copy; TooMuchError if that is too much."""
        found: dict[str, Entry] = {}
        size = 0

        def note(path: str, entry: Entry | None, _: str) -> None:
            nonlocal size
            if entry is None:
                return
            found[path] = entry
            size += entry.size
            if size > _MOST_BYTES or len(found) > _MOST_ENTRIES:
                limits = f"{_MOST_BYTES >> 20} MB or {_MOST_ENTRIES:,} files"
                raise TooMuchError(f"{self.path} has more than {limits}")

        visit(Place(self.path, deep=True), note)
        for path, entry in found.items():
            if entry.kind == DIRECTORY:
                os.makedirs(self.within(path), 0o700, exist_ok=True)
            else:
                make(entry, path, self.within(path))
        for path, entry in reversed(found.items()):
            if entry.kind == DIRECTORY:
                os.chmod(self.within(path), entry.mode)
        self.copied = {path: one for path in found if (one := look(self.within(path)))}

    def within(self, path: str) -> str:
        """Return where a path below the real directory is in merged."""
        return join(self.merged, relpath(path, self.path)) if path != self.path else self.merged

    def changed(self) -> Iterator[tuple[str, Entry | None, str]]:
        """Yield real paths, what the command left there, None for nothing, and where that is."""
        if self.copied is None:
            yield from self._in_overlay(self.upper, self.path)
        else:
            yield from self._in_copy(self.copied)

    # -- overlays

    def _in_overlay(self, upper: str, real: str) -> Iterator[tuple[str, Entry | None, str]]:
        names = set()
        for one in _listed(upper):
            names.add(one.name)
            path, status = join(real, one.name), one.stat(follow_symlinks=False)
            if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:  # a whiteout
                yield from _gone(path)
                continue
            left = of_status(one.path, status)
            _make_readable(one.path, status)
            is_opaque = left.attributes.get(_OPAQUE) == b"y".hex()
            left.attributes = {
                name: value
                for name, value in left.attributes.items()
                if not name.startswith(_OF_OVERLAY)
            }
            if left.kind == OTHER:
                continue
            yield path, left, one.path
            if left.kind != DIRECTORY:
                if isdir(path) and not os.path.islink(path):
                    yield from _below(path)
                continue
            yield from self._in_overlay(one.path, path)
            if is_opaque and isdir(path) and not os.path.islink(path):
                kept = {entry.name for entry in _listed(one.path)}
                for below in _listed(path):
                    if below.name not in kept:
                        yield from _gone(below.path)

    # -- copies

    def _in_copy(self, copied: dict[str, Entry]) -> Iterator[tuple[str, Entry | None, str]]:
        seen = set()
        stack = [(self.merged, self.path)]
        while stack:
            merged, real = stack.pop()
            for one in _listed(merged):
                path, status = join(real, one.name), one.stat(follow_symlinks=False)
                left = of_status(one.path, status)
                seen.add(path)
                if left.kind == DIRECTORY:
                    _make_readable(one.path, status)
                    stack.append((one.path, path))
                if left.kind != OTHER and not is_untouched(copied.get(path), left):
                    _make_readable(one.path, status)
                    yield path, left, one.path
        for path in copied:
            if path not in seen and path != self.path:
                yield path, None, ""


def merged_path(path: str, layers: Sequence[Layer]) -> str:
    """Return what stands for a path in a trial; the path itself if no layer is over it."""
    for layer in layers:
        if is_below(path, layer.path):
            return layer.within(path)
    return path


def why_not_overlay(helper: str, layers: Sequence[Layer]) -> str:
    """Say why overlays cannot be made of these directories; nothing if they can."""
    import subprocess  # noqa: PLC0415 - it takes seven milliseconds to load

    words = [word for layer in layers for word in layer.words]
    if any(_NOT_PLAIN & set(word) for word in words):
        return "a path has a character that an overlay cannot have"
    done = subprocess.run(  # noqa: S603 - our own
        [helper, _PROBE, *words], env={}, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or f"the trial of an overlay ended with {done.returncode}"


def _listed(directory: str) -> list[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        return sorted(entries, key=lambda one: one.name)


def _gone(path: str) -> Iterator[tuple[str, Entry | None, str]]:
    """Yield a path that the command removed, with all that is below it."""
    yield path, None, ""
    if isdir(path) and not os.path.islink(path):
        yield from _below(path)


def _below(path: str) -> Iterator[tuple[str, Entry | None, str]]:
    for directory, folders, files in os.walk(path):
        for name in (*folders, *files):
            yield join(directory, name), None, ""


def _make_readable(path: str, status: os.stat_result) -> None:
    """Let us read what the command has closed; the mode that it left is known."""
    wanted = stat.S_IRWXU if stat.S_ISDIR(status.st_mode) else stat.S_IRUSR
    is_plain = stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)
    if is_plain and status.st_mode & wanted != wanted:
        os.chmod(path, stat.S_IMODE(status.st_mode) | wanted)
