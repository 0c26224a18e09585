"""Looks at everything that a command may change, and refuses what is too much to keep.

Only names and sizes are read here, so the gate can ask whether a command could be undone, and a
refusal comes before the first byte is copied.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

from laconic.errors import LaconicError
from laconic.files import upwards
from laconic.undo.entry import DIRECTORY, FILE, OTHER, Entry, look, of_status
from laconic.undo.reach import COPY, Place, Reach

LIMIT_BYTES = 512 << 20
MOST_ENTRIES = 50_000
# A tree that is kept whole because nobody knows what the command does: only where that is cheap.
CHEAP_BYTES, CHEAP_ENTRIES = 64 << 20, 4_000
_FEW = 1_000
# Directories that a package manager fills again from the lock file beside them.
_REFILLED = {
    "node_modules": (
        "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
        "bun.lockb",
    ),
    "target": ("Cargo.lock",),
    ".venv": ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"),
    "vendor": ("composer.lock", "Gemfile.lock", "go.sum"),
}  # fmt: skip


class TooMuchError(LaconicError):
    """It does not fit, so it is not kept; the message says what does not."""


class Survey:
    """What was there before: an entry for each path, None for a path where nothing is.

    ways: how each file is kept. flat: the directories above, whose mode and time may be needed.
    left_out: directories that are not kept, because a package manager
    fills them again.
    """

    def __init__(self) -> None:
        self.before: dict[str, Entry | None] = {}
        self.flat: dict[str, Entry] = {}
        self.ways: dict[str, str] = {}
        self.left_out: list[str] = []
        self.size = 0


def survey(
    reach: Reach, *, limit_bytes: int = LIMIT_BYTES, most_entries: int = MOST_ENTRIES
) -> Survey:
    """Look at all places; raises TooMuchError if they are more than the limits."""
    surveyed = Survey()

    def note(path: str, entry: Entry | None, how: str) -> None:
        if path in surveyed.before:
            if entry is not None and entry.kind == FILE and surveyed.ways.get(path) != how:
                _keep_by_copy(surveyed, path, entry)
            return
        surveyed.before[path] = entry
        if entry is not None and entry.kind == FILE:
            surveyed.ways[path] = how
            if how == COPY:
                surveyed.size += entry.size
        if surveyed.size > limit_bytes:
            raise TooMuchError(f"more than {limit_bytes >> 20} MB would have to be kept")
        if len(surveyed.before) > most_entries:
            raise TooMuchError(f"more than {most_entries:,} files would have to be kept")

    for place in reach.places.values():
        for one in matches(place):
            visit(one, note, surveyed.left_out)
    parents = {os.path.dirname(path) for path in surveyed.before}
    parents |= {os.path.dirname(place.path) for place in reach.places.values() if place.prefix}
    for parent in parents:
        for path in upwards(parent):
            if path in surveyed.flat or path in surveyed.before:
                break
            entry = look(path)
            if entry is not None and entry.kind == DIRECTORY:
                surveyed.flat[path] = entry
    return surveyed


def _keep_by_copy(surveyed: Survey, path: str, entry: Entry) -> None:
    """Keep it by the way that is always safe, because two places disagree."""
    if surveyed.ways[path] != COPY:
        surveyed.ways[path] = COPY
        surveyed.size += entry.size


def matches(place: Place) -> list[Place]:
    """Return the place itself, or all that its prefix means now."""
    if not place.prefix:
        return [place]
    directory, start = os.path.split(place.path)
    with contextlib.suppress(OSError):
        return [
            Place(
                os.path.join(directory, name), deep=place.deep, how=place.how, skipped=place.skipped
            )
            for name in sorted(os.listdir(directory))
            if name.startswith(start)
        ]
    return []


def visit(
    place: Place,
    note: Callable[[str, Entry | None, str], None],
    left_out: list[str] | None = None,
) -> None:
    """Note what is at a place, and below it if that counts."""
    path = place.path
    entry = look(path)
    if entry is None:
        note(_first_missing(path), None, place.how)
        return
    if entry.kind == OTHER:
        return  # devices and sockets hold nothing that could be put back
    is_tree = place.deep and entry.kind == DIRECTORY
    if is_tree and left_out is not None and is_refilled(path):
        left_out.append(path)
        return
    note(path, entry, place.how)
    if is_tree:
        for below, status in _below(path, place.skipped, left_out):
            child = of_status(below, status)
            if child.kind != OTHER:
                note(below, child, place.how)


def _first_missing(path: str) -> str:
    """Return the topmost directory that the command would have to make."""
    parent = os.path.dirname(path)
    while parent != path and not os.path.lexists(parent):
        path, parent = parent, os.path.dirname(parent)
    return path


def _below(
    top: str, skipped: frozenset[str], left_out: list[str] | None
) -> Iterator[tuple[str, os.stat_result]]:
    todo = [top]
    while todo:
        directory = todo.pop()
        try:
            entries = sorted(os.scandir(directory), key=lambda one: one.name)
        except PermissionError:
            continue  # what we cannot list, the command cannot remove
        except (FileNotFoundError, NotADirectoryError):
            continue
        for one in entries:
            if one.path in skipped:
                continue
            try:
                status = one.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if one.is_dir(follow_symlinks=False):
                if left_out is not None and is_refilled(one.path):
                    left_out.append(one.path)
                    continue
                todo.append(one.path)
            yield one.path, status


def is_refilled(path: str) -> bool:
    """Tell whether a directory is large and a package manager fills it again."""
    parent, name = os.path.split(path)
    locks = _REFILLED.get(name)
    if locks is None or not any(os.path.isfile(os.path.join(parent, lock)) for lock in locks):
        return False
    count = 0
    for _, _, files in os.walk(path):
        count += len(files)
        if count > _FEW:
            return True
    return False
