"""Formats what another policy would change of past sessions; commands without their secrets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from laconic.record.decisions import as_logged
from laconic.report.screen import Screen
from laconic.report.table import Cell, table
from laconic.report.text import counted, visible
from laconic.sessions.comparison import Comparison

_MOST = 20


def report(found: Comparison, screen: Screen) -> Iterator[str]:
    yield f"{counted(found.commands, 'command')} in {counted(found.sessions, 'session')}"
    before, after = found.per_hundred(0), found.per_hundred(1)
    yield f"prompts per 100 commands: {before:.1f} before, {after:.1f} after ({found.rise:+.1f})"
    share = 100 * found.changed / found.commands
    yield f"verdicts that change: {found.changed:,} ({share:.1f} %)"
    rows: list[list[str | Cell]] = [
        [f"{count:,}", change.before.said, change.after.said, _one_line(change.command),
         visible(change.reason)]
        for change, count in found.changes.most_common(_MOST)
    ]  # fmt: skip
    if rows:
        yield ""
        yield from table(
            [["times", "before", "after", "command", "why"], *rows], "><<<<", screen, shrink=(4, 3)
        )
    if len(found.changes) > _MOST:
        yield f"… and {len(found.changes) - _MOST:,} other commands: --json has all"


def _one_line(command: str) -> str:
    return visible(" ".join(as_logged(command).split()))


def to_json(found: Comparison) -> dict[str, Any]:
    return {
        "version": 1,
        "sessions": found.sessions,
        "commands": found.commands,
        "prompts_per_100": {"before": found.per_hundred(0), "after": found.per_hundred(1)},
        "changed": found.changed,
        "changes": [
            {
                "command": as_logged(change.command),
                "before": change.before.said,
                "after": change.after.said,
                "reason": change.reason,
                "times": count,
            }
            for change, count in found.changes.most_common()
        ],
    }
