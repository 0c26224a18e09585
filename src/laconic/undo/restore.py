"""Carries out an undo: all or nothing, also when it is killed half-way, and itself undoable.

First, everything that can fail for want of room or permission is done beside the real files: the
present state is kept, and every file that comes back is made and dressed in a staging directory.
Then the journal is written. From then on each step can be repeated, and the next laconic that finds
the journal finishes the work.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Sequence
from typing import Any

from laconic.errors import LaconicError
from laconic.letters import spelled
from laconic.undo.checks import BlockedError, ConflictError, check_copy, check_parent, check_plan
from laconic.undo.copying import copy, dress, make
from laconic.undo.entry import DIRECTORY, FILE, Entry, Looker, look
from laconic.undo.keep import JOURNAL, About, DamagedError, Keep, UnfinishedError
from laconic.undo.keep import write as write_json
from laconic.undo.opened import WRITE, Opened, close, opened
from laconic.undo.plan import DRESS, REMOVE, Plan, Step, folders_of, plan_opened
from laconic.undo.reach import COPY, METADATA, Place, Reach
from laconic.undo.store import Held, MissingError, Store
from laconic.undo.survey import survey

__all__ = ["BlockedError", "ConflictError", "apply", "recover", "undo"]
_STAGE = ".laconic-undo-"
_STAGED = "staged"  # names the staging directories outside, so that none is left behind


def undo(store: Store, keep: Keep, only: Sequence[str] = (), *, force: bool = False) -> str:
    """Take back what a command changed; return the id of the keep that takes this back, or ""."""
    return apply(store, keep, only, force=force)


def apply(
    store: Store,
    keep: Keep,
    only: Sequence[str] = (),
    *,
    force: bool = False,
    about: About | None = None,
) -> str:
    """Make everything as a keep has it; return the id of the keep that takes this back, or "".

    about: what the new keep is about, if the one that is applied is not the keep of a command.
    """
    with store.lock():
        recover(store)
        if keep.is_running:
            raise BlockedError(f"the command of {keep.id} is still running")
        with opened(folders_of(keep), WRITE) as doors:
            return _apply(store, keep, only, doors, about, force=force)


def _apply(
    store: Store,
    keep: Keep,
    only: Sequence[str],
    doors: Opened,
    about: About | None,
    *,
    force: bool,
) -> str:
    """Do it; doors: the directories that are open meanwhile."""
    try:
        made = plan_opened(keep, only, doors)
    except PermissionError as error:
        raise BlockedError(f"nothing was changed: {error.filename}: may not be read") from error
    check_plan(made, force=force)
    if not made.steps:
        if about is None:
            _mark(store, keep, "", only)
        return ""
    held = None
    try:
        held = _keep_present(store, made, about, doors)
        journal = _stage(made, held)
        journal["only"], journal["opened"] = list(only), doors.modes
        keep.put_back_objects()
        write_json(os.path.join(held.path, JOURNAL), journal, sync=True)
    except OSError as error:
        if held is not None:
            held.drop()
        where = f"{error.filename}: " if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        raise BlockedError(f"nothing was changed: {where}{reason}") from error
    doors.modes = {}  # the journal closes them
    _forward(held.path, journal)
    if about is None:
        _mark(store, keep, held.keep_id, only)
    _forget(held.path)
    held.close()
    return held.keep_id


def recover(store: Store) -> list[str]:
    """Finish every undo that was interrupted; the caller has the store's lock."""
    finished = []
    for path in store.paths():
        if not os.path.exists(os.path.join(path, JOURNAL)):
            _remove_stages(path)
            continue
        with contextlib.suppress(
            OSError, DamagedError, UnfinishedError
        ):  # the next one tries again
            again = Keep(path)
            journal = again.read(JOURNAL)
            _forward(path, journal)
            with contextlib.suppress(MissingError):
                _mark(store, store.find(journal["of"]), again.id, journal["only"])
            _forget(path)
            finished.append(again.id)
    return finished


def _forget(path: str) -> None:
    """Remove the journal last: as long as it is there, the work is repeated."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(path, _STAGED))
    os.unlink(os.path.join(path, JOURNAL))


def _remove_stages(path: str) -> None:
    """Remove what an undo left behind that was killed before its journal was written."""
    if os.path.exists(os.path.join(path, _STAGED)) and not Keep(path).is_running:
        for directory in Keep(path).read(_STAGED):
            if os.path.basename(directory).startswith(_STAGE):
                shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(path, ignore_errors=True)


def _keep_present(store: Store, made: Plan, mine: About | None, doors: Opened) -> Held:
    """Keep what is there now, so that the undo can be undone."""
    reach = Reach()
    looker = Looker()
    for step in made.steps:
        # A directory that goes takes with it only what the command has made: each is a step.
        if looker.is_here(step.path):
            is_folder = step.before is not None and step.before.kind == DIRECTORY
            is_dressed = step.action == DRESS and is_folder
            reach.put(Place(step.path, how=METADATA if is_dressed else COPY))
    # A store that this undo brings back as a whole goes again with its repository.
    reach.stores = {one for one in made.keep.stores if os.path.isdir(os.path.dirname(one))}
    about = made.keep.about
    if mine is None:
        mine = About(f"undo {made.keep.id}: {about.command}", about.directory, of=made.keep.id)
    surveyed = survey(reach)
    for path, entry in (*surveyed.before.items(), *surveyed.flat.items()):
        doors.correct(path, entry)
    for step in made.steps:  # those behind a link that the command has made
        surveyed.before.setdefault(step.path, None)
    for path in _times(made):
        entry = look(path)
        if path not in surveyed.before and entry is not None:
            doors.correct(path, entry)
            surveyed.flat[path] = entry
            mine.timed.append(path)
    return store.keep(reach, surveyed, mine)


# -- beside the real files -------------------------------------------------------------------------


def _stage(made: Plan, held: Held) -> dict[str, Any]:
    """Make everything that comes back, ready to be renamed; return the journal."""
    stages = _Stages(held)
    rows: list[list[str]] = []
    try:
        for number, step in enumerate(made.steps):
            check_parent(step)
            staged = ""
            entry = step.before
            if entry is not None and step.action != DRESS and entry.kind != DIRECTORY:
                staged = os.path.join(stages.near(step.path), str(number))
                _make(step, entry, made.keep, staged)
            rows.append([step.action, step.path, staged])
    except BaseException:  # also Ctrl-C: no half-made stage stays
        stages.remove()
        raise
    return {
        "of": made.keep.id,
        "steps": rows,
        "before": {step.path: step.before and step.before.row() for step in made.steps},
        "stages": list(stages.directories.values()),
        "times": stages.times | _times(made),
        # directories above that are gone, and come back
        "folders": {p: entry.row() for p, entry in made.keep.flat.items() if look(p) is None},
    }


def _make(step: Step, entry: Entry, keep: Keep, staged: str) -> None:
    if step.text is not None:
        with open(staged, "wb") as file:
            file.write(step.text)
        dress(staged, entry)
        return
    check_copy(step.path, entry, keep)
    source, start = keep.data(entry)
    make(entry, source, staged, start)


class _Stages:
    """One staging directory for each file system that files come back to.

    The keep itself serves where it can, so that nothing appears in the project.
    """

    def __init__(self, held: Held) -> None:
        self._held = held
        self.directories: dict[int, str] = {}
        self._outside: list[str] = []
        self.times: dict[str, int] = {}  # of directories that a stage was made in
        self._make(os.path.join(held.path, "stage"))

    def near(self, path: str) -> str:
        above = os.path.dirname(path)
        while not os.path.isdir(above):
            above = os.path.dirname(above)
        status = os.stat(above)
        if status.st_dev not in self.directories:
            self.times[above] = status.st_mtime_ns
            directory = os.path.join(above, f"{_STAGE}{self._held.keep_id}")
            self._outside.append(directory)
            write_json(os.path.join(self._held.path, _STAGED), self._outside)
            self._make(directory)
        return self.directories[status.st_dev]

    def _make(self, directory: str) -> None:
        os.mkdir(directory, 0o700)
        self.directories[os.stat(directory).st_dev] = directory

    def remove(self) -> None:
        for directory in self.directories.values():
            shutil.rmtree(directory, ignore_errors=True)
        for path, time_ns in self.times.items():
            with contextlib.suppress(OSError):
                os.utime(path, ns=(time_ns, time_ns))


def _times(made: Plan) -> dict[str, int]:
    """Return the times of directories that are ours to set back.

    A directory that somebody else has worked in since the command keeps its time.
    """
    keep, paths = made.keep, {step.path for step in made.steps}
    touched = {os.path.dirname(path) for path in paths}
    gone = {path for path in keep.flat if look(path) is None}
    parents = {os.path.dirname(path) for path in (*keep.before, *gone)} | keep.timed
    times = {}
    for path, entry in keep.flat.items():
        if path in parents and _is_left(path, keep):
            times[path] = entry.modified_ns
    for path, before in keep.before.items():
        if before is None or before.kind != DIRECTORY:
            continue
        if path in touched or path in paths or _is_left(path, keep):
            times[path] = before.modified_ns
    return times


def _is_left(path: str, keep: Keep) -> bool:
    """Tell whether a directory has the time that the command has left."""
    now = look(path)
    return now is not None and now.modified_ns == keep.flat_after.get(path)


# -- the real files --------------------------------------------------------------------------------


def _forward(path: str, journal: dict[str, Any]) -> None:
    """Do what the journal says. Every step may have been done already."""
    steps = journal["steps"]
    before = {
        where: Entry.from_row(row) if row else None for where, row in journal["before"].items()
    }
    Opened().open(journal.get("opened", ()), WRITE)  # after a kill they may be closed again
    for action, where, _ in sorted(steps, key=lambda row: row[1], reverse=True):  # deepest first
        _clear(action, where, before[where])
    for action, where, staged in steps:
        _put(action, where, staged, before[where])
    for stage in journal["stages"]:
        shutil.rmtree(stage, ignore_errors=True)
    _dress_directories(journal, before)
    close(
        {where: mode for where, mode in journal.get("opened", {}).items() if not before.get(where)}
    )
    Keep(path).finish()


def _clear(action: str, path: str, before: Entry | None) -> None:
    """Remove what the command made, and what is in the way of another kind of thing."""
    now = look(path)
    if now is None or not _has_real_parent(path):
        return
    is_other_kind = before is not None and (before.kind == DIRECTORY) != (now.kind == DIRECTORY)
    if action == REMOVE or is_other_kind:
        if now.kind != DIRECTORY:
            os.unlink(path)
            return
        try:
            os.rmdir(path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise  # a directory with things in it that the command did not make stays


def _put(action: str, path: str, staged: str, before: Entry | None) -> None:
    if before is None or not _has_real_parent(path):
        return
    if action == DRESS:
        if before.kind != DIRECTORY:
            dress(path, before)
    elif before.kind == DIRECTORY:
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
    elif os.path.lexists(staged):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if _is_shared(path, before):
            copy(staged, path)
            dress(path, before)
        else:
            _replace(staged, path, before)


def _is_shared(path: str, before: Entry) -> bool:
    """Tell whether a file has other names and was written in place: they come back with it."""
    now = look(path)
    return (
        before.kind == FILE and before.links > 1 and now is not None and now.inode == before.inode
    )


def _replace(staged: str, path: str, before: Entry) -> None:
    if spelled(path) != path:  # else it would keep the letters that it has now
        os.unlink(path)
    try:
        os.replace(staged, path)
    except OSError as error:
        if error.errno != errno.EXDEV:  # the same file system may be mounted twice
            raise
        near = f"{os.path.dirname(path)}/{_STAGE}file"
        if before.kind == FILE:
            copy(staged, near)
            dress(near, before)
        else:
            make(before, "", near)
        os.replace(near, path)
        os.unlink(staged)


def _dress_directories(journal: dict[str, Any], before: dict[str, Entry | None]) -> None:
    times: dict[str, int] = journal["times"]
    for path in sorted({*before, *times, *journal["folders"]}, reverse=True):
        was, now = before.get(path), look(path)
        if now is None or now.kind != DIRECTORY:
            continue
        if was is not None and was.kind == DIRECTORY:
            dress(path, was)
        elif path in journal["folders"]:
            dress(path, Entry.from_row(journal["folders"][path]))
        elif path in times:
            os.utime(path, ns=(times[path], times[path]))


def _has_real_parent(path: str) -> bool:
    parent = os.path.dirname(path)
    return os.path.realpath(parent) == parent


def _mark(store: Store, keep: Keep, by: str, only: Sequence[str]) -> None:
    """Note that a keep was undone, or, after the undo of an undo, that it is not any more."""
    if only:
        return
    if keep.about.of:
        with contextlib.suppress(LaconicError):
            store.mark_undone(store.find(keep.about.of), "")
    store.mark_undone(keep, by or keep.id)
