"""Formats what can be undone, what an undo would do, and how files differ."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from difflib import unified_diff
from typing import Any

from laconic.errors import FileError
from laconic.files import read_file
from laconic.report.screen import Screen
from laconic.report.table import table
from laconic.report.text import visible
from laconic.undo.analysis import project_of
from laconic.undo.entry import DIRECTORY, FILE, LINK, Entry
from laconic.undo.keep import Keep
from laconic.undo.plan import CREATE, DRESS, REMOVE, RESTORE, Plan, Step

_LARGEST = 1 << 20
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_SHOWN = 20
# What the files in `.git` are to a person; a word that ends in a blank is followed by the rest.
_GIT_NAMES = (
    ("index", "index"),
    ("refs/heads/", "branch "),
    ("refs/tags/", "tag "),
    ("refs/remotes/", "remote branch "),
    ("refs/stash", "stash"),
    ("refs/notes/", "notes"),
    ("logs", "logs"),
    ("packed-refs", "packed refs"),
    ("config", "configuration"),
    ("objects", "objects"),
    ("modules", "submodules"),
    ("worktrees", "work trees"),
    ("HEAD", "HEAD"),
    ("", "state"),
)
_MOST_GIT_NAMES = 6


def rows(keeps: Iterable[Keep], waiting: str = "can be undone") -> list[dict[str, Any]]:
    """Return each keep as values, for a table or for JSON; waiting: what is said of the others."""
    values = []
    for keep in keeps:
        changed = None if keep.is_running else keep.finish()
        if changed is not None and not changed:
            continue
        state = "running" if changed is None else "undone" if keep.undone_by else waiting
        values.append(
            {
                "id": keep.id,
                "time": keep.time,
                "command": keep.about.command,
                "directory": keep.about.directory,
                "project": project_of(keep.about.directory),
                "agent": keep.about.agent,
                "files": sum(_is_own_file(path, keep) for path in changed or ()),
                "git": any(map(is_git, changed or ())),
                "size": keep.size,
                "state": state,
                "undoes": keep.about.of,
                "notes": keep.about.notes,
            }
        )
    return values


def lines(
    found: list[dict[str, Any]], now: float | None = None, screen: Screen | None = None
) -> Iterator[str]:
    """Yield one line for each keep; with the project where they are of several."""
    is_mixed = len({row["project"] for row in found}) > 1
    now = time.time() if now is None else now
    cells = [
        [
            row["id"],
            age(now - row["time"]),
            _count(row["files"], has_git=row["git"]),
            _size(row["size"]),
            row["state"],
            *([visible(row["project"])] if is_mixed else []),
            visible(row["command"]),
        ]
        for row in found
    ]
    yield from table(cells, "<>>><" + "<" * (1 + is_mixed), screen, shrink=(5 + is_mixed,))


def _count(files: int, *, has_git: bool) -> str:
    if not files and has_git:
        return "git"
    count = "1 file" if files == 1 else f"{files:,} files"
    return f"{count}, git" if has_git else count


def _size(size: int) -> str:
    for unit, length in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if size >= length:
            return f"{size / length:.1f} {unit}"
    return f"{size} B"


def age(seconds: float) -> str:
    for unit, length in (("d", _DAY), ("h", _HOUR), ("min", _MINUTE)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(int(seconds), 0)} s"


def _is_own_file(path: str, keep: Keep) -> bool:
    """Tell whether something changed is a file in the work tree, not a directory or git's own."""
    kinds = _kind((keep.changed or {}).get(path)), _kind(keep.before.get(path))
    return not is_git(path) and (kinds[0] or kinds[1]) != DIRECTORY


def plan_lines(made: Plan, *, limit: int = _SHOWN) -> Iterator[str]:
    """Yield what an undo would do, git's own files as one line."""
    own = [step for step in made.steps if not is_git(step.path)]
    for step in own[:limit]:
        mark = "  (changed since)" if step.path in made.conflicts else ""
        slash = "/" if DIRECTORY in (_kind(step.before), _kind(step.now)) else ""
        verb, what = (RESTORE, f"{_dress(step)} of ") if step.action == DRESS else (step.action, "")
        yield f"  {verb:8} {what}{shown(step.path, made)}{slash}{mark}"
    if len(own) > limit:
        yield f"  … and {len(own) - limit:,} more"
    if len(made.steps) > len(own):
        mark = "  (changed since)" if any(map(is_git, made.conflicts)) else ""
        yield f"  restore  git's {_of_git(step.path for step in made.steps)}{mark}"
    for note in made.keep.about.notes:
        yield f"  not kept: {visible(note)}"


def _of_git(paths: Iterable[str]) -> str:
    """Name what changes in the directories of git: index, branch x, stash, logs."""
    found: dict[str, None] = {}
    for path in filter(is_git, paths):
        name = path.partition("/.git/")[2]
        for start, word in _GIT_NAMES:
            if name.startswith(start):
                rest = name[len(start) :]
                found[f"{word}{visible(rest)}" if word.endswith(" ") else word] = None
                break
    names = list(found)
    more = len(names) - _MOST_GIT_NAMES
    return ", ".join((*names[:_MOST_GIT_NAMES], *([f"{more} more"] if more > 0 else [])))


def is_git(path: str) -> bool:
    return "/.git/" in path


def shown(path: str, made: Plan) -> str:
    directory = made.keep.about.directory
    relative = os.path.relpath(path, directory)
    return visible(path if relative.startswith("../../") else relative)


def diff_lines(made: Plan, only: Iterable[str] | None = None, word: str = "undo") -> Iterator[str]:
    """Yield unified differences from what is there now to what would be there after the undo.

    word: what is printed before the names of what would be there.
    """
    wanted = None if only is None else set(only)
    for step in made.steps:
        if wanted is None or step.path in wanted:
            yield from _difference(step, made, word)


def _difference(step: Step, made: Plan, word: str) -> Iterator[str]:
    name = shown(step.path, made)
    if step.action == DRESS:
        yield f"{name}: {_dress(step)}"
        return
    now = _text(step.now, lambda _: read_file(step.path, _LARGEST))
    before = _text(
        step.before,
        lambda entry: made.keep.content(entry, _LARGEST) if step.text is None else step.text,
    )
    if now is None or before is None:
        verb = {REMOVE: "removed", CREATE: "created"}.get(step.action, "restored")
        yield f"{name}: would be {verb} (not text)"
        return
    new = "/dev/null" if step.action == REMOVE else f"{word}/{name}"
    old = "/dev/null" if step.action == CREATE else f"now/{name}"
    if step.action in (CREATE, REMOVE) and DIRECTORY in (_kind(step.before), _kind(step.now)):
        return  # what is in it has lines of its own
    lines = unified_diff(now.splitlines(), before.splitlines(), old, new, lineterm="")
    yield from (visible(line) for line in lines)


def _kind(entry: Entry | None) -> str:
    return "" if entry is None else entry.kind


def _dress(step: Step) -> str:
    """Say what of a file is restored if its content stays: `mode 0644 -> 0600`."""
    now, before = step.now, step.before
    assert now is not None
    assert before is not None
    parts = []
    if now.mode != before.mode:
        parts.append(f"mode {now.mode:04o} -> {before.mode:04o}")
    if now.owner != before.owner:
        parts.append("owner {}:{} -> {}:{}".format(*now.owner, *before.owner))
    if now.attributes != before.attributes:
        parts.append("attributes")
    if now.modified_ns != before.modified_ns:
        parts.append("time")
    return ", ".join(parts)


def _text(entry: Entry | None, read: Callable[[Entry], bytes]) -> str | None:
    """Return the content of a file, None if it is not text; read: how to get it."""
    if entry is None or entry.kind == DIRECTORY:
        return ""
    if entry.kind == LINK:
        return f"link to {entry.target}\n"
    if entry.kind != FILE or entry.size > _LARGEST:
        return None
    try:
        data = read(entry)
    except (FileError, OSError):
        return None
    return None if b"\0" in data else data.decode("utf-8", "surrogateescape")
