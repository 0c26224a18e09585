"""What is looked at before an undo changes anything, so that it is done whole or not at all."""

from __future__ import annotations

import errno
import os

from laconic.errors import LaconicError
from laconic.undo.entry import DIRECTORY, FILE, Entry
from laconic.undo.keep import Keep
from laconic.undo.plan import Plan, Step


class ConflictError(LaconicError):
    """Files were changed after the command; plan: what would have been done."""

    def __init__(self, message: str, hint: str, made: Plan) -> None:
        super().__init__(message, hint)
        self.plan = made


class BlockedError(LaconicError):
    """It cannot be done: no room, no permission, or a directory is a link now. Nothing changed."""


def check_plan(made: Plan, *, force: bool) -> None:
    if made.moved:
        raise BlockedError(f"{made.moved[0]}: a directory above it is a symbolic link now")
    if force or not made.conflicts:
        _check_way(made)
    if made.conflicts and not force:
        count = len(made.conflicts)
        files = made.conflicts[0] if count == 1 else f"{count} files"
        keep_id = made.keep.id
        raise ConflictError(
            f"{files} changed after the command",
            f"laconic undo {keep_id} --force overwrites it, and can be undone itself;"
            f" laconic undo {keep_id} PATH takes back only a part",
            made,
        )


def _check_way(made: Plan) -> None:
    """Refuse where something is in the way that the undo itself does not take away."""
    steps = {step.path: step for step in made.steps}
    for step in made.steps:
        if step.before is None:
            continue
        if step.before.kind != DIRECTORY and step.now is not None and step.now.kind == DIRECTORY:
            for name in os.listdir(step.path):
                inner = steps.get(os.path.join(step.path, name))
                if inner is None or inner.before is not None:
                    reason = "is a directory now that has something in it"
                    raise BlockedError(f"nothing was changed: {step.path} {reason}")
        above = os.path.dirname(step.path)
        while above not in steps and not os.path.lexists(above):
            above = os.path.dirname(above)
        if above not in steps and not os.path.isdir(above):
            raise BlockedError(f"nothing was changed: {above} is not a directory now")


def check_copy(path: str, entry: Entry, keep: Keep) -> None:
    """Refuse a copy that is not what was kept: a damaged one, a hard link that was written to."""
    if entry.kind != FILE:
        return
    copy, start = keep.data(entry)
    size = os.stat(copy).st_size
    is_short = size != entry.size if start is None else size < start + entry.size
    if is_short or not keep.is_whole(path, entry):
        raise OSError(errno.EIO, "the kept copy is damaged", path)


def check_parent(step: Step) -> None:
    """Refuse before anything has changed, where a directory may not be written."""
    parent = os.path.dirname(step.path)
    if os.path.isdir(parent) and not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "may not be written", parent)
