"""Compacts an output that somebody else has captured: bytes in, text out, and nothing is kept."""

from __future__ import annotations

from laconic.compact.lines import read_streams
from laconic.compact.notice import notice
from laconic.compact.result import Compaction
from laconic.run.plan import plan_run, view_of
from laconic.run.task import Task
from laconic.settings.load import Settings

# A status that nobody tells is taken for a failure: then every diagnostic stays.
_UNKNOWN_STATUS = 1


def compact_captured(
    data: bytes,
    command: str,
    status: int | None,
    settings: Settings,
    *,
    is_elsewhere: bool = False,
) -> Compaction | None:
    """Compact it by the filter of the command; None if all of it is to be shown.

    is_elsewhere: the command ran on another machine, so that nothing is looked up on this one.
    """
    if settings.environment.disabled or settings.environment.no_filter:
        return None
    task = Task(["sh", "-c", command])
    task.is_wrapped, task.settings, task.is_elsewhere = True, settings, is_elsewhere
    view = view_of(task, settings)[1] if is_elsewhere else plan_run(task, {}).view
    known_status = _UNKNOWN_STATUS if status is None else status
    found = view.compacted(known_status, read_streams(data, b""), spares_alarm=True)
    if found is None:
        return None
    return Compaction(found.text(), tuple(found.dropped), notice(found, ""), view.name)
