"""What an undo would do, path by path: what was there, what the command left, what is there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from laconic.files import upwards
from laconic.git.index import meaning
from laconic.undo import refs
from laconic.undo.entry import (
    DIRECTORY,
    FILE,
    OTHER,
    Entry,
    Looker,
    has_same_content,
    is_alike,
    is_untouched,
    look,
)
from laconic.undo.keep import Keep, describe
from laconic.undo.opened import Opened, opened
from laconic.undo.reach import is_below

# Put the kept content there; make what is no longer there; remove what the command made; set mode,
# owner, time and attributes of what has its content already.
RESTORE, CREATE, REMOVE, DRESS = "restore", "create", "remove", "dress"


class Step:
    """One path that an undo changes.

    before: what it brings back, None to remove. text: its content, if that was not kept as a file.
    """

    def __init__(
        self, action: str, path: str, before: Entry | None, now: Entry | None = None
    ) -> None:
        self.action, self.path, self.before, self.now = action, path, before, now
        self.text: bytes | None = None

    def __repr__(self) -> str:
        return f"Step({self.action}, {self.path!r})"


class Plan:
    """All steps, and the paths among them that somebody has changed since the command ran.

    moved: paths whose directory is reached through a symbolic link now; they are never written.
    """

    def __init__(self, keep: Keep) -> None:
        self.keep = keep
        self.steps: list[Step] = []
        self.conflicts: list[str] = []
        self.moved: list[str] = []


def plan_undo(keep: Keep, only: Sequence[str] = ()) -> Plan:
    """Compare everything that the command changed with what is there now.

    only: take back nothing but these paths and what is below them.
    """
    with opened(folders_of(keep)) as made:
        return plan_opened(keep, only, made)


def folders_of(keep: Keep) -> set[str]:
    """Return the directories that an undo has to look into, or to write."""
    changed = keep.finish()
    folders = {os.path.dirname(path) for path in changed}
    return folders | {path for path, entry in changed.items() if entry and entry.kind == DIRECTORY}


def plan_opened(keep: Keep, only: Sequence[str], doors: Opened) -> Plan:
    """Plan while directories that are closed to us are open."""
    made = Plan(keep)
    looker = Looker()
    changed = keep.finish()
    for path, after in sorted(changed.items()):
        if only and not is_below(path, only):
            continue
        if not looker.is_here(path) and not _comes_back_with(path, keep, only):
            made.moved.append(path)
            continue
        step, is_conflict = _compare(keep, path, after, looker, doors)
        if step is not None:
            made.steps.append(step)
            if is_conflict:
                made.conflicts.append(path)
    for repository in keep.refs:
        _settle_refs(made, repository, list(only))
    return made


def _settle_refs(made: Plan, repository: str, only: list[str]) -> None:
    """Bring refs back by their names, where their files are not as the command left them."""
    keep = made.keep
    names = keep.refs[repository]
    own = {step.path for step in made.steps if refs.is_file_of(step.path, repository, names)}
    is_as_left = own.isdisjoint(made.conflicts)
    if is_as_left and (only or refs.would_come_back(keep, repository, own)):
        return
    made.steps = [step for step in made.steps if step.path not in own]
    made.conflicts = [path for path in made.conflicts if path not in own]
    for change in refs.by_name(keep, repository, only):
        now = look(change.path)
        action = REMOVE if change.entry is None else CREATE if now is None else RESTORE
        step = Step(action, change.path, change.entry, now)
        step.text = change.text
        made.steps.append(step)
        if change.is_conflict:
            made.conflicts.append(change.path)


def _comes_back_with(path: str, keep: Keep, only: Sequence[str]) -> bool:
    """Tell whether the undo itself puts a directory in place of the link that is above a path."""
    for above in upwards(os.path.dirname(path)):
        if os.path.islink(above):
            before = keep.before.get(above)
            is_wanted = not only or is_below(above, only)
            return before is not None and before.kind == DIRECTORY and is_wanted
    return True  # it is not there, and comes back


def _compare(
    keep: Keep, path: str, after: Entry | None, looker: Looker, doors: Opened
) -> tuple[Step | None, bool]:
    """Return what is to be done at a path, and whether somebody else has changed it."""
    before, now = keep.before.get(path), looker.look(path)
    doors.correct(path, now)
    if before is not None and before.kind == OTHER:
        return None, False
    if now is not None and now.kind == FILE:
        describe(now, path)
    is_content_there = (
        before is not None
        and now is not None
        and before.kind == now.kind
        and (before.kind != FILE or keep.is_kept_content(before, now))
        and before.target == now.target
    )
    if before is None:
        if now is None:
            return None, False
        step = Step(REMOVE, path, None, now)
    elif now is None:
        step = Step(CREATE, path, before)
    elif is_content_there:
        is_timed = before.kind != DIRECTORY or keep.is_touched(path)
        is_time_equal = not is_timed or before.modified_ns == now.modified_ns
        if is_alike(before, now) and is_time_equal:
            return None, False
        step = Step(DRESS, path, before, now)
    else:
        step = Step(RESTORE, path, before, now)
    if after is not None and now is not None and after.data and after.digest != now.digest:
        after.meaning, now.meaning = meaning(keep.data(after)[0]), meaning(path)
    return step, not _is_as_left(after, now)


def _is_as_left(after: Entry | None, now: Entry | None) -> bool:
    """Tell whether what is there now is what the command left."""
    if is_untouched(after, now):
        return True
    if after is None or now is None or not is_alike(after, now):
        return False
    return now.kind != FILE or has_same_content(after, now)
