"""The place where keeps are: makes them, finds them, and limits how much they take."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import time
from bisect import bisect
from collections.abc import Callable, Iterator

from laconic.errors import LaconicError
from laconic.files import make_private, open_handle, write_private
from laconic.settings.load import Settings
from laconic.undo.copying import copy, link
from laconic.undo.declined import are_as_they_were, as_they_are
from laconic.undo.entry import look
from laconic.undo.keep import (
    DATA,
    JOURNAL,
    MANIFEST,
    UNDONE,
    About,
    DamagedError,
    Keep,
    UnfinishedError,
    is_locked,
    size_on_disk,
    write,
)
from laconic.undo.pack import LARGEST, Pack
from laconic.undo.reach import COPY, HARD_LINK, Reach
from laconic.undo.survey import LIMIT_BYTES, Survey, TooMuchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "undo"
DAYS = 14
_DAY_S = 86400
_ALPHABET = "abcdefghjkmnopqrstuvwxyz23456789"  # without i and l, which look like 1
_ID_LENGTH = 5
_LOCK = "lock"
_NAME_PARTS = 3  # time, size and id
_YOUNG_S = 60
KEPT_WHATEVER_AGE = 20
LAST = "last"
KEPT = "laconic keeps what agents destroy; for a command of your own: laconic run --undo COMMAND"
_DOUBT = "doubt"  # the last commands of which not all was kept
_MOST_DOUBTS = 20


def store_for(settings: Settings, folder: str = FOLDER) -> Store:
    """Return the store within the bounds that `[undo]` of the settings says."""
    bounds = settings.config.undo
    limit_bytes = bounds.store_mb << 20
    return Store(settings.directories.state_dir, limit_bytes, bounds.store_days, folder)


class MissingError(LaconicError):
    """There is no such keep."""


class Held:
    """A keep whose command is about to run, or runs; it counts as running while this is open."""

    def __init__(self, path: str, handle: int) -> None:
        self.path, self._handle = path, handle
        self.keep_id = path.rpartition("-")[2]

    def finish(self) -> Keep | None:
        """Write down what the command changed; None if that is nothing, and the keep is gone."""
        try:
            keep = Keep(self.path)
            changed = keep.finish()
            if not changed:
                shutil.rmtree(self.path, ignore_errors=True)
        finally:
            self.close()
        return keep if changed else None

    def drop(self) -> None:
        """Remove the keep: the command did not run."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.close()

    def close(self) -> None:
        os.close(self._handle)


class Store:
    """All keeps in a state directory."""

    def __init__(
        self,
        state_dir: str | os.PathLike[str],
        limit_bytes: int = LIMIT_BYTES,
        days: int = DAYS,
        folder: str = FOLDER,
    ) -> None:
        self.directory = os.path.join(os.fspath(state_dir), folder)
        self.limit_bytes, self.days = limit_bytes, days

    # -- before the run

    def keep(self, reach: Reach, surveyed: Survey, about: About, now: float | None = None) -> Held:
        """Keep what was surveyed. Raises OSError or TooMuchError, and then nothing is kept."""
        now = time.time() if now is None else now
        self._make_room(surveyed.size, now)
        path = self.new_path(
            sum(e.size for path in surveyed.ways if (e := surveyed.before[path])), now
        )
        os.mkdir(path, 0o700)
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            _fill(path, surveyed)
            _describe(path, reach, surveyed, about, now)
        except BaseException:  # also Ctrl-C: no half-made keep stays
            shutil.rmtree(path, ignore_errors=True)
            os.close(handle)
            raise
        return Held(path, handle)

    def new_path(self, size: int = 0, now: float | None = None) -> str:
        """Make up a name that says when it was made and how much it may take."""
        now = time.time() if now is None else now
        make_private(self.directory)
        keep_id = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))
        return os.path.join(self.directory, f"{_stamp(now)}-{size:x}-{keep_id}")

    def concerns(self, path: object) -> bool:
        """Tell whether a path is our directory, or above or below it."""
        name = f"{path}/"
        return f"{self.directory}/".startswith(name) or name.startswith(f"{self.directory}/")

    # -- finding

    def paths(self) -> list[str]:
        """Return the directories of all keeps, the oldest first."""
        try:
            names = os.listdir(self.directory)
        except OSError:
            return []
        found = sorted(name for name in names if name.count("-") == _NAME_PARTS - 1)
        # What is of the future was made before the clock was set back.
        future = bisect(found, _stamp(time.time() + _YOUNG_S))
        found = found[future:] + found[:future]
        return [os.path.join(self.directory, name) for name in found]

    def keeps(self) -> Iterator[Keep]:
        """Return all keeps that can be read, the newest first."""
        for path in reversed(self.paths()):
            with contextlib.suppress(DamagedError, UnfinishedError):
                yield Keep(path)

    def damaged(self) -> Iterator[DamagedError]:
        """Say which keeps cannot be read."""
        for path in self.paths():
            try:
                Keep(path)
            except DamagedError as error:
                yield error
            except UnfinishedError:
                pass

    def find(self, keep_id: str) -> Keep:
        """Find a keep by its id, or by `last`: the newest command that was not undone yet.

        Raises DamagedError if it cannot be read: an older one is not what is meant.
        """
        if keep_id == LAST:
            if (newest := self.last()) is None:
                raise MissingError("there is nothing to undo", KEPT)
            return newest
        for path in reversed(self.paths()):
            if path.endswith(f"-{keep_id}"):
                with contextlib.suppress(UnfinishedError):
                    return Keep(path)
        raise MissingError(f"nothing is kept under {keep_id!r}", "laconic undo --list")

    def last(self, is_here: Callable[[str], bool] = bool) -> Keep | None:
        """Return the newest command that was not undone yet; is_here: whether a directory counts.

        Raises MissingError if what ran last there was not kept.
        """
        found = None
        for path in reversed(self.paths()):
            with contextlib.suppress(UnfinishedError):
                keep = Keep(path)
                is_open = not (keep.about.of or keep.undone_by or keep.is_running)
                if not is_open or not is_here(keep.about.directory):
                    continue
                if keep.changed is not None or keep.changes():  # else it did not run
                    found = keep
                    break
        self._refuse_last(found, is_here)
        return found

    def note_doubt(
        self, held: Held | None, about: About, refusal: str, asked: Reach | None = None
    ) -> None:
        """Write down that not all of what a command changes is kept, for whoever wants it back.

        asked: what it changes if it runs at all, which its hook does not know.
        """
        row = {
            "time": time.time(),
            "command": about.command,
            "directory": about.directory,
            "keep": held.keep_id if held is not None else "",
            "reason": refusal or "; ".join(about.notes),
        }
        if asked is not None:
            row["asked"] = as_they_are(asked)
        rows = [*self._doubts(), row][-_MOST_DOUBTS:]
        with contextlib.suppress(LaconicError, OSError):
            write_private(os.path.join(self.directory, _DOUBT), json.dumps(rows).encode())

    def _doubts(self) -> list[dict[str, Any]]:
        try:
            with open(os.path.join(self.directory, _DOUBT), "rb") as file:
                rows = json.load(file)
        except (OSError, ValueError):
            return []
        return rows if isinstance(rows, list) else []

    def _refuse_last(self, keep: Keep | None, is_here: Callable[[str], bool]) -> None:
        """Raise MissingError if what ran last is not what would be taken back, but was not kept.

        keep: the newest command that can be taken back.
        """
        for row in reversed(self._doubts()):
            try:
                command, reason, at = str(row["command"]), str(row["reason"]), float(row["time"])
                known, where = str(row["keep"]), str(row["directory"])
            except (KeyError, TypeError, ValueError):
                continue
            if keep is not None and (known or at <= keep.time):
                continue
            if not is_here(where) or are_as_they_were(row.get("asked")):
                continue  # it ran elsewhere, or nobody let it run
            if known and any(path.endswith(f"-{known}") for path in self.paths()):
                return  # it was undone
            if keep is None:
                said = "changed nothing that was kept; not kept" if known else "cannot be undone"
                raise MissingError(f"{command}: {said}: {reason}", "laconic undo --list")
            hint = f"laconic undo {keep.id} takes back what ran before it: {keep.about.command}"
            raise MissingError(f"{command}: cannot be undone: {reason}", hint)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Let one undo work at a time."""
        make_private(self.directory)
        name = os.path.join(self.directory, _LOCK)
        with open_handle(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC) as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    # -- bounds

    def _make_room(self, wanted: int, now: float) -> None:
        """Remove keeps that are too old, then the oldest until there is room."""
        if wanted > self.limit_bytes:
            raise TooMuchError(f"more than {self.limit_bytes >> 20} MB would have to be kept")
        paths = self.remove_old(now)
        total = wanted + sum(_size_at_most(path) for path in paths)
        if total <= self.limit_bytes:
            return
        sizes = {path: _size(path) for path in paths}
        total = wanted + sum(sizes.values())
        for path in paths:
            if _is_abandoned(path, now) and self._remove(path):
                total -= sizes.pop(path)
        for path, size in sizes.items():
            if total <= self.limit_bytes:
                return
            if self._remove(path):
                total -= size

    def remove_old(self, now: float) -> list[str]:
        """Remove keeps that are too old; return the paths of the others."""
        paths = self.paths()
        oldest = _stamp(now - self.days * _DAY_S)
        # The newest few stay: a clock that runs ahead would make all of them old.
        few = KEPT_WHATEVER_AGE if self.days else 0
        while len(paths) > few and os.path.basename(paths[0]) < oldest:
            self._remove(paths.pop(0))
        return paths

    def _remove(self, path: str) -> bool:
        """Remove a keep, unless its command runs or an undo of it has begun."""
        if is_locked(path) or os.path.exists(os.path.join(path, JOURNAL)):
            return False
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(path, MANIFEST))  # first, so that half a keep never counts
        remove_tree(path)
        return True

    def purge(self, keep_ids: list[str] | None = None, before: float | None = None) -> list[int]:
        """Remove all keeps, those with an id, or those before a time; return their sizes."""
        sizes = []
        bound = None if before is None else _stamp(before)
        for path in self.paths():
            name = os.path.basename(path)
            is_wanted = keep_ids is None or name.rpartition("-")[2] in keep_ids
            if is_wanted and (bound is None or name < bound):
                size = _size(path)
                if self._remove(path):
                    sizes.append(size)
        return sizes

    def mark_undone(self, keep: Keep, by: str) -> None:
        if by:
            write(os.path.join(keep.path, UNDONE), by)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(keep.path, UNDONE))


def remove_tree(path: str) -> None:
    """Remove a directory of ours with all that is in it, directories that are closed included."""
    for directory, folders, _ in os.walk(path):
        for name in folders:
            one = os.path.join(directory, name)
            with contextlib.suppress(OSError):
                if not os.path.islink(one):
                    os.chmod(one, 0o700)
    shutil.rmtree(path, ignore_errors=True)


def _fill(path: str, surveyed: Survey) -> None:
    """Copy the content of every file that has to be kept."""
    folder = os.path.join(path, DATA)
    os.mkdir(folder, 0o700)
    pack = Pack(folder)
    try:
        for number, (source, way) in enumerate(surveyed.ways.items()):
            entry = surveyed.before[source]
            assert entry is not None
            own = os.path.join(folder, str(number))
            if way not in (COPY, HARD_LINK):
                continue
            if way == HARD_LINK and entry.links == 1 and link(source, own):
                now = look(source)  # a link moves the change time
                entry.changed_ns = now.changed_ns if now else entry.changed_ns
            elif entry.size <= LARGEST and (packed := pack.add(source)):
                entry.data = packed
                continue
            else:
                copy(source, own)
            entry.data = str(number)
    finally:
        pack.close()


def _describe(path: str, reach: Reach, surveyed: Survey, about: About, now: float) -> None:
    manifest = {
        "command": about.command,
        "directory": about.directory,
        "of": about.of,
        "agent": about.agent,
        "session": about.session,
        "notes": about.notes,
        "timed": about.timed,
        "time": now,
        "places": [place.row() for place in reach.places.values()],
        "left_out": surveyed.left_out,
        "stores": list(reach.stores),
        "before": {where: entry and entry.row() for where, entry in surveyed.before.items()},
        "flat": {where: entry.row() for where, entry in surveyed.flat.items()},
    }
    write(os.path.join(path, MANIFEST), manifest)


def _size(path: str) -> int:
    """Return what a keep takes on the disk; a file that still has another link takes nothing."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(os.path.join(path, DATA)) as entries:
        for one in entries:
            status = one.stat(follow_symlinks=False)
            total += size_on_disk(status) if status.st_nlink == 1 else 0
    return total


def _size_at_most(path: str) -> int:
    """Read from a keep's name what it took at first; it only shrinks, when unchanged files go."""
    with contextlib.suppress(ValueError, IndexError):
        return int(os.path.basename(path).split("-")[1], 16)
    return 0


def _stamp(seconds: float) -> str:
    return f"{int(max(seconds, 0) * 1e6):016x}"


def _is_abandoned(path: str, now: float) -> bool:
    """Tell whether a laconic died before the keep was complete."""
    is_young = os.path.basename(path) > _stamp(now - _YOUNG_S)  # it may not be locked yet
    return not is_young and not os.path.exists(os.path.join(path, MANIFEST))
