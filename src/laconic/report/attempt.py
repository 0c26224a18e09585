"""Formats what a command that was tried would change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from laconic.report.table import table
from laconic.report.text import visible
from laconic.report.undo import diff_lines, is_git, shown
from laconic.undo.entry import DIRECTORY, LINK, Entry
from laconic.undo.plan import CREATE, DRESS, REMOVE, RESTORE, Plan, Step

_WORDS = {CREATE: "added", RESTORE: "changed", REMOVE: "deleted", DRESS: "changed"}
_MOST_ROWS, _MOST_LINES = 40, 120


def rows(made: Plan) -> list[dict[str, Any]]:
    """Return each change as values, for a table or for JSON."""
    return [
        {
            "change": _WORDS[step.action],
            "path": shown(step.path, made),
            "before": _values(step.now),
            "after": _values(step.before),
            "conflict": step.path in made.conflicts,
        }
        for step in made.steps
    ]


def _values(entry: Entry | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    values: dict[str, Any] = {"kind": entry.kind, "size": entry.size, "mode": f"{entry.mode:04o}"}
    return values | ({"target": entry.target} if entry.kind == LINK else {})


def lines(made: Plan) -> Iterator[str]:
    """Yield a line for each change, git's own files in one, and what is not kept."""
    own = [step for step in made.steps if not is_git(step.path)]
    cells = [
        [
            f"  {_WORDS[step.action]}",
            shown(step.path, made) + ("/" if DIRECTORY in _kinds(step) else ""),
            _difference(step, "size"),
            _difference(step, "mode"),
            "(changed since)" if step.path in made.conflicts else "",
        ]
        for step in own[:_MOST_ROWS]
    ]
    yield from (line.rstrip() for line in table(cells, "<<>>>"))
    if len(own) > _MOST_ROWS:
        yield f"  … and {len(own) - _MOST_ROWS:,} more"
    if count := len(made.steps) - len(own):
        mark = "  (changed since)" if any(map(is_git, made.conflicts)) else ""
        files = "1 file" if count == 1 else f"{count:,} files"
        yield f"  changed  (git: commits, index, refs and the like, {files}){mark}"
    for note in made.keep.about.notes:
        yield f"  never kept: {visible(note)}"


def diff(made: Plan, limit: int | None = _MOST_LINES) -> Iterator[str]:
    """Yield the differences in the files of the project, not in git's own."""
    own = [step.path for step in made.steps if not is_git(step.path)]
    lines = list(diff_lines(made, own, "try"))
    yield from lines[:limit]
    if limit is not None and len(lines) > limit:
        yield f"… {len(lines) - limit:,} more lines: laconic keep {made.keep.id} --diff"


def _kinds(step: Step) -> set[str]:
    return {entry.kind for entry in (step.before, step.now) if entry is not None}


def _difference(step: Step, what: str) -> str:
    """Return a size or a mode: as it was and as it would be, if these differ."""
    texts = [
        _text(entry, what)
        for entry in (step.now, step.before)
        if entry is not None and not (what == "size" and entry.kind == DIRECTORY)
    ]
    return " -> ".join(dict.fromkeys(texts))


def _text(entry: Entry, what: str) -> str:
    return f"{entry.size:,} B" if what == "size" else f"{entry.mode:04o}"
