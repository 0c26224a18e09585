"""Refs of git by what they mean: git moves them from files of their own to `packed-refs`.

A ref is the file of its name, else a line of packed-refs: man 1 git-pack-refs. When git has packed
them, the files look different and the refs are the same. So what a command has made of refs is
written down by name, and brought back by name where the files are no longer as it left them.
"""

from __future__ import annotations

import os
import time

from laconic.undo.entry import FILE, Entry, look
from laconic.undo.reach import is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from laconic.undo.keep import Keep

PACKED = "packed-refs"
_MOST_BYTES = 64 << 20

# For each repository, by the names of refs: what they were, and what the command left; None if they
# were not there.
Refs = dict[str, dict[str, tuple[str | None, str | None]]]


def place_of(path: str) -> tuple[str, str] | None:
    """Return the git directory and the name of the ref that a file has; packed-refs has all."""
    at = path.find("/refs/")
    while at >= 0:
        if _is_repository(path[:at]):
            return path[:at], path[at + 1 :]
        at = path.find("/refs/", at + 1)
    directory, _, name = path.rpartition("/")
    return (directory, PACKED) if name == PACKED and _is_repository(directory) else None


def repository_of(path: str) -> str:
    """Return the git directory of a ref, a log or packed-refs; "" if a path is none of these."""
    directory, log, _ = path.rpartition("/logs/refs/")
    if log and _is_repository(directory):
        return directory
    place = place_of(path)
    return place[0] if place else ""


def _is_repository(directory: str) -> bool:
    return os.path.isdir(f"{directory}/objects") and os.path.isfile(f"{directory}/HEAD")


def is_lock(name: str) -> bool:
    return name.endswith(".lock")


# -- after the run ---------------------------------------------------------------------------------


def moved_refs(keep: Keep, changed: Mapping[str, Entry | None]) -> Refs:
    """Say what became of the refs whose files a command has changed."""
    files: dict[str, set[str]] = {}
    for path, after in changed.items():
        before = keep.before.get(path)
        place = place_of(path) if FILE in (_kind(before), _kind(after)) else None
        if place is not None and not is_lock(path):
            files.setdefault(place[0], set()).add(place[1])
    found: Refs = {}
    for repository, written in files.items():
        packed = read_file(f"{repository}/{PACKED}")
        is_packed_changed = PACKED in written
        was_packed = _before(keep, f"{repository}/{PACKED}") if is_packed_changed else packed
        names = written - {PACKED}
        if is_packed_changed:
            names |= _names_that_differ(was_packed, packed)
        moved = {}
        for name in names:
            path = f"{repository}/{name}"
            loose = read_file(path)
            was_loose = _before(keep, path) if name in written else loose
            was = _value(was_loose, was_packed, name)
            now = _value(loose, packed, name)
            if was != now:
                moved[name] = was, now
        if moved:
            found[repository] = moved
    return found


def _kind(entry: Entry | None) -> str:
    return entry.kind if entry is not None else ""


def _before(keep: Keep, path: str) -> bytes:
    """Return what a file had before the command, which has changed it."""
    entry = keep.before.get(path)
    if entry is None or entry.kind != FILE or not entry.data:
        return b""
    return keep.content(entry, _MOST_BYTES)


def read_file(path: str) -> bytes:
    """Return what is in a file of refs; nothing if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def _value(loose: bytes, packed: bytes, name: str) -> str | None:
    text = loose.strip()
    if not text:
        end = packed.find(b" " + os.fsencode(name) + b"\n")
        text = packed[packed.rfind(b"\n", 0, end) + 1 : end] if end >= 0 else b""
    return os.fsdecode(text) if text else None


def _names_that_differ(one: bytes, other: bytes) -> set[str]:
    lines = set(one.split(b"\n")) ^ set(other.split(b"\n"))
    return {
        os.fsdecode(line.partition(b" ")[2])
        for line in lines
        if b" refs/" in line and line[:1] not in b"#^"
    }


# -- for an undo -----------------------------------------------------------------------------------


class RefChange:
    """A file of refs that an undo writes. text: what it gets, None to remove it."""

    def __init__(self, path: str, entry: Entry | None, text: bytes | None) -> None:
        self.path, self.entry, self.text = path, entry, text
        self.is_conflict = False


def is_file_of(path: str, repository: str, names: Mapping[str, object]) -> bool:
    """Tell whether a file has one of these refs, or all that are packed."""
    name = path[len(repository) + 1 :] if path.startswith(f"{repository}/") else ""
    return name == PACKED or name in names


def would_come_back(keep: Keep, repository: str, restored: set[str]) -> bool:
    """Tell whether the refs are as before once these files are as they were."""
    path = f"{repository}/{PACKED}"
    packed = _before(keep, path) if path in restored else read_file(path)
    for name, (was, _) in keep.refs[repository].items():
        path = f"{repository}/{name}"
        loose = _before(keep, path) if path in restored else read_file(path)
        if _value(loose, packed, name) != was:
            return False
    return True


def by_name(keep: Keep, repository: str, only: list[str]) -> Iterator[RefChange]:
    """Return what has to be written so that refs, one by one, are as before."""
    packed = read_file(f"{repository}/{PACKED}")
    gone = {}
    for name, (was, after) in sorted(keep.refs[repository].items()):
        path = f"{repository}/{name}"
        now = _value(read_file(path), packed, name)
        if now == was or (only and not is_below(path, only)):
            continue
        there, text = look(path), None if was is None else os.fsencode(was) + b"\n"
        if text is not None or there is not None:
            change = RefChange(path, _dressed(keep.before.get(path) or there, text), text)
            change.is_conflict = now != after
            yield change
        if was is None and _value(b"", packed, name):
            gone[os.fsencode(name)] = now != after
    if gone:
        path = f"{repository}/{PACKED}"
        text = _without(packed, gone)
        change = RefChange(path, _dressed(look(path), text), text)
        change.is_conflict = any(gone.values())
        yield change


def _dressed(like: Entry | None, text: bytes | None) -> Entry | None:
    """Make the entry of a file that gets a new text, with mode and owner of another."""
    if text is None:
        return None
    mode, owner = (0o644, (os.getuid(), os.getgid()))
    if like is not None and like.kind == FILE:
        mode, owner = like.mode, like.owner
    entry = Entry(FILE, mode, owner, time.time_ns())
    entry.size = len(text)
    return entry


def _without(packed: bytes, names: Mapping[bytes, object]) -> bytes:
    """Leave out lines of packed-refs, with what a tag among them leads to in the next line."""
    kept, is_left_out = [], False
    for line in packed.splitlines(keepends=True):
        if not line.startswith(b"^"):
            is_left_out = line.rstrip(b"\n").partition(b" ")[2] in names and line[:1] != b"#"
        if not is_left_out:
            kept.append(line)
    return b"".join(kept)
