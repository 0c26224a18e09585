"""Formats questions, each with the line that would end it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from laconic.report.dates import from_iso
from laconic.report.screen import Screen
from laconic.report.text import visible
from laconic.sessions.question import Question

_INDENT = "  "


def asked(questions: Sequence[Question], screen: Screen) -> Iterator[str]:
    """Yield a command, why it asked, and what to type, on a line each.

    What is to be typed is never cut, so that it can be copied.
    """
    for question in questions:
        row = question.row
        at = from_iso(str(row.get("time", "")))
        command = " ".join(visible(str(row.get("command", ""))).split())
        times = f"  ({question.times:,} times)" if question.times > 1 else ""
        head = f"{at}  "
        yield head + screen.paint(screen.fit(command, len(head) + len(times)), "ask") + times
        told = visible(str(row.get("reason", "")))
        yield _INDENT + screen.paint(screen.fit(told, len(_INDENT)), "dim")
        yield from (f"{_INDENT}{line}" for line in _ending(question))


def _ending(question: Question) -> Iterator[str]:
    ending = question.ending
    if ending is None:
        return
    for line in ending.lines:
        yield f"to end it: {visible(line)}"
    if ending.place:
        yield f"       in: {visible(ending.place)}"
    if ending.why:
        yield f"({ending.why})"
