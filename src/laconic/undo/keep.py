"""One keep: what was there before a command ran, on disk, and what the command really changed.

A keep is a directory `<time>-<size>-<id>` with these files, all readable by the owner alone:

    manifest   what was there: one row per path; written last, so a keep without it never happened
    data/N     the content of a file
    data/pack  the content of small files, one after another
    after      what the command changed, written when it has ended
    journal    an undo that has begun; it is finished by the next laconic
    undone     the id of the keep that an undo made
    held-objects…  objects of git that only deleted refs held, one file for each repository
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from zlib import crc32

from laconic.errors import LaconicError
from laconic.undo.copying import BLOCK, copy
from laconic.undo.entry import (
    DIRECTORY,
    FILE,
    Entry,
    Looker,
    digest_of,
    is_alike,
    is_untouched,
    look,
    sum_of,
)
from laconic.undo.opened import Opened, opened
from laconic.undo.pack import PACK, shrink, start_of
from laconic.undo.reach import METADATA, Place, is_below
from laconic.undo.refs import moved_refs, repository_of
from laconic.undo.survey import matches, visit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from laconic.undo.refs import Refs

MANIFEST, AFTER, JOURNAL, UNDONE, DATA = "manifest", "after", "journal", "undone", "data"
HELD = "held-objects"
_MOST_REFS_BYTES = 64 << 20
_MOST_DIGESTED = 64 << 20  # of what has no copy, at one look: the next hook call waits for it


class DamagedError(LaconicError):
    """A keep cannot be read; path: its directory."""

    def __init__(self, path: str, name: str, reason: str) -> None:
        cure = f"rm -r {path} forgets what was kept there"
        super().__init__(f"{path}/{name}: is damaged: {reason}", cure)
        self.path = path


class UnfinishedError(LaconicError):
    """A keep has no manifest: it is being made, or whoever made it has died."""


class About:
    """What a keep is about: the command, where and for whom it ran; of: the keep that was undone.

    notes: what is not kept, in words for a person. timed: directories whose time alone is kept.
    """

    def __init__(self, command: str, directory: str, of: str = "") -> None:
        self.command, self.directory, self.of = command, directory, of
        self.agent = self.session = ""
        self.notes: list[str] = []
        self.timed: list[str] = []


class Keep:
    """A keep that can be read.

    before: what was there. changed: what the command left at the paths that it changed; None until
    that is known. flat: directories of which only time and mode count. refs: what became of refs.
    sums: checksums of the copies that are needed, by the paths that they are of.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.id = path.rpartition("-")[2]
        if not os.path.exists(f"{path}/{MANIFEST}"):
            raise UnfinishedError(f"{path}: is not complete")
        self.changed: dict[str, Entry | None] | None = None
        self.flat_after: dict[str, int] = {}
        self.refs: Refs = {}
        self.sums: dict[str, int] = {}
        self._room = 0
        manifest = self.read(MANIFEST)
        try:
            self._take(manifest)
            self._read_after()
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise DamagedError(path, MANIFEST, f"{type(error).__name__} {error}") from error

    def _take(self, manifest: dict[str, Any]) -> None:
        self.about = About(manifest["command"], manifest["directory"], manifest["of"])
        self.about.agent, self.about.session = manifest["agent"], manifest["session"]
        self.about.notes = manifest["notes"]
        self.time: float = manifest["time"]
        self.timed = set(manifest["timed"])
        self.places = [Place.from_row(row) for row in manifest["places"]]
        self.timed |= {os.path.dirname(place.path) for place in self.places if place.prefix}
        self.left_out, self.stores = frozenset(manifest["left_out"]), set(manifest["stores"])
        self.before = _entries(manifest["before"])
        self.flat = {path: Entry.from_row(row) for path, row in manifest["flat"].items()}

    def read(self, name: str) -> Any:
        """Read one of its files."""
        try:
            with open(f"{self.path}/{name}", "rb") as file:
                text, _, told = file.read().partition(b"\n")
            if told and int(told) != crc32(text):
                raise ValueError("its checksum does not match")
            return json.loads(text)
        except (OSError, ValueError) as error:
            raise DamagedError(self.path, name, str(error)) from error

    def _read_after(self) -> None:
        if os.path.exists(f"{self.path}/{AFTER}"):
            after = self.read(AFTER)
            self.changed = _entries(after["changed"])
            self.flat_after = after["flat"]
            self.refs, self.sums = after.get("refs", {}), after.get("sums", {})

    def data(self, entry: Entry) -> tuple[str, int | None]:
        """Return the file that has the content of an entry, and where it begins if in the pack."""
        start = start_of(entry.data)
        return f"{self.path}/{DATA}/{entry.data if start is None else PACK}", start

    def content(self, entry: Entry, most: int) -> bytes:
        """Read the content of an entry, as much as is wanted at most."""
        path, start = self.data(entry)
        with open(path, "rb") as file:
            file.seek(start or 0)
            return file.read(most if start is None else min(most, entry.size))

    @property
    def size(self) -> int:
        """Return the bytes that its copies take, without files that still have another link."""
        total = 0
        with contextlib.suppress(OSError), os.scandir(f"{self.path}/{DATA}") as entries:
            for one in entries:
                status = one.stat(follow_symlinks=False)
                total += size_on_disk(status) if status.st_nlink == 1 else 0
        return total

    @property
    def undone_by(self) -> str:
        try:
            with open(f"{self.path}/{UNDONE}", encoding="utf-8") as file:
                return file.read().strip()
        except OSError:
            return ""

    @property
    def is_running(self) -> bool:
        """Tell whether the command still runs: its laconic holds a lock."""
        return is_locked(self.path)

    # -- after the run

    def finish(self) -> dict[str, Entry | None]:
        """Write down what is different now; copies of what is not are removed."""
        if self.changed is not None:
            return self.changed
        with opened(self._folders()) as doors:
            self.changed = self._finish(doors)
        return self.changed

    def _finish(self, doors: Opened) -> dict[str, Entry | None]:
        changed = self._changes(doors)
        self._hold_objects(changed)
        with contextlib.suppress(OSError):
            self.refs = moved_refs(self, changed)
        self._remove_unused(changed)
        folders = [path for path, entry in self.before.items() if entry and entry.kind == DIRECTORY]
        looked = ((path, look(path)) for path in (*self.flat, *folders))
        for number, (path, now) in enumerate(changed.items()):
            if now is not None and now.kind == FILE and path.endswith("/index"):
                # Reading it takes longer than copying it, so an undo finds out what it means.
                with contextlib.suppress(OSError):
                    copy(path, f"{self.path}/{DATA}/after{number}")
                    now.data = f"after{number}"
        self.flat_after = {path: now.modified_ns for path, now in looked if now}
        rows = {path: entry and entry.row() for path, entry in changed.items()}
        self.sums = {
            path: self._sum(before)
            for path in changed
            if (before := self.before.get(path)) is not None and before.data
        }
        after = {"changed": rows, "flat": self.flat_after, "refs": self.refs, "sums": self.sums}
        write(f"{self.path}/{AFTER}", after)
        return changed

    def _sum(self, entry: Entry) -> int:
        path, start = self.data(entry)
        return sum_of(path, start or 0, None if start is None else entry.size)

    def is_whole(self, path: str, entry: Entry) -> bool:
        """Tell whether the copy of what was at a path is what was kept."""
        return path not in self.sums or self.sums[path] == self._sum(entry)

    def changes(self) -> dict[str, Entry | None]:
        """Return what is different now."""
        with opened(self._folders()) as doors:
            return self._changes(doors)

    def _changes(self, doors: Opened) -> dict[str, Entry | None]:
        changed: dict[str, Entry | None] = {}
        self._room = _MOST_DIGESTED
        for path, now in self._look_again().items():
            doors.correct(path, now)
            before = self.before.get(path)
            if before is None and (now is None or is_below(path, self.stores)):
                continue  # objects of git are never taken away again
            if not self._is_as_before(path, before, now):
                changed[path] = now
        return changed

    def _remove_unused(self, changed: Mapping[str, Entry | None]) -> None:
        """Remove the copies of what the command has not changed."""
        kept, unused = [], []
        for path, before in self.before.items():
            if before is None or not before.data:
                continue
            if path in changed:
                kept.append(before)
            elif start_of(before.data) is not None:
                unused.append(before)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(self.data(before)[0])
        if unused:
            with contextlib.suppress(OSError):
                shrink(f"{self.path}/{DATA}", unused, kept)

    def _hold_objects(self, changed: Mapping[str, Entry | None]) -> None:
        """Keep the objects that only deleted refs held, unless they are too many or unreadable."""
        gone: dict[str, set[bytes]] = {}
        for path in changed:
            before = self.before.get(path)
            is_of_refs = path.endswith("/packed-refs") or "/refs/" in path
            if is_of_refs and before is not None and before.kind == FILE and before.data:
                from laconic.undo import held_objects  # noqa: PLC0415 - few commands delete refs

                repository = repository_of(path)
                text = self.content(before, _MOST_REFS_BYTES) if repository else b""
                names = held_objects.gone_ids(repository, path, text) if repository else ()
                if names:
                    gone.setdefault(repository, set()).update(names)
        for number, (repository, names) in enumerate(gone.items()):
            with contextlib.suppress(Exception):  # the ref itself is kept all the same
                held_objects.write_held(repository, set(names), f"{self.path}/{HELD}{number}")

    def put_back_objects(self) -> None:
        """Put the objects that only deleted refs held back into their repositories."""
        names = [name for name in os.listdir(self.path) if name.startswith(HELD)]
        for name in names:
            from laconic.undo import held_objects  # noqa: PLC0415 - as above

            held_objects.put_back(f"{self.path}/{name}")

    def _folders(self) -> set[str]:
        """Return the directories that the command was to change, and those that are above."""
        kept = {path for path, entry in self.before.items() if entry and entry.kind == DIRECTORY}
        return kept | self.flat.keys()

    def _look_again(self) -> dict[str, Entry | None]:
        entries: dict[str, Entry | None] = dict.fromkeys(self.before)

        def note(path: str, entry: Entry | None, _: str) -> None:
            entries[path] = entry

        looker = Looker()
        for place in self.places:
            place.skipped |= self.left_out
            for one in matches(place):
                if one.path not in self.left_out and looker.is_here(one.path):
                    with contextlib.suppress(PermissionError):
                        visit(one, note)
        for path, before in self.before.items():
            # What the command has made there, with all that is below.
            if before is None and looker.is_here(path):
                with contextlib.suppress(PermissionError):
                    visit(Place(path, deep=True), note)
        for path in [path for path, entry in entries.items() if entry is None]:
            try:
                entries[path] = looker.look(path)  # by a prefix, or below a directory that is gone
            except PermissionError:
                entries[path] = self.before.get(path)  # in a directory that the command has closed
        return entries

    def _is_as_before(self, path: str, before: Entry | None, now: Entry | None) -> bool:
        if is_untouched(before, now):
            return True
        if now is not None and now.kind == FILE and self._is_read(before, now):
            describe(now, path)
        if before is None or now is None or not is_alike(before, now):
            return False
        if before.kind == DIRECTORY and not self.is_touched(path):
            return True  # its time moves with everything that is made in it
        if before.modified_ns != now.modified_ns:
            return False
        return before.kind != FILE or self.is_kept_content(before, now)

    def _is_read(self, before: Entry | None, now: Entry) -> bool:
        """Tell whether to read a file: to compare it with its copy, or if that takes no time.

        What is not read is known by its times alone: an undo asks once somebody has touched it.
        """
        if before is not None and before.data and before.size == now.size:
            return True
        if now.size > self._room:
            return False
        self._room -= now.size
        return True

    def is_touched(self, path: str) -> bool:
        """Tell whether the command itself sets the time of a directory."""
        return any(
            place.path == path and place.how == METADATA and not place.deep for place in self.places
        )

    def is_kept_content(self, before: Entry, now: Entry) -> bool:
        """Tell whether a file has the content that was kept; now: its entry with the digest."""
        if before.size != now.size:
            return False
        if not before.data:
            return True  # the command was not to change it
        if not before.digest:
            path, start = self.data(before)
            before.digest = digest_of(path, start or 0, None if start is None else before.size)
        return bool(before.digest) and before.digest == now.digest


def is_locked(path: str) -> bool:
    """Tell whether a laconic that still runs holds the lock on a directory."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def size_on_disk(status: os.stat_result) -> int:
    """Return the bytes that a file takes on the disk; it may have holes."""
    return min(status.st_size, status.st_blocks * BLOCK)


def describe(entry: Entry, path: str) -> None:
    """Find the digest of a file."""
    entry.digest = entry.digest or digest_of(path)


def _entries(rows: Mapping[str, list[Any] | None]) -> dict[str, Entry | None]:
    return {path: Entry.from_row(row) if row else None for path, row in rows.items()}


def write(path: str, value: object, *, sync: bool = False) -> None:
    """Write JSON and its checksum in one step; sync: it must be on the disk when we return."""
    text = json.dumps(value)  # not json.dump, which does without the C encoder
    handle = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "w", encoding="ascii") as file:
        file.write(f"{text}\n{crc32(text.encode())}\n")
        if sync:
            file.flush()
            os.fsync(handle)
    os.replace(f"{path}.new", path)
