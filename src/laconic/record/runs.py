"""Records a run; called for every command, so it loads neither sqlite3 nor other slow modules."""

from __future__ import annotations

from laconic.record.hosts import capped, limit_of
from laconic.record.journal import append, microseconds, new_row_id, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

_LONGEST = 4000


class Run:
    """A command that laconic ran.

    program: with its subcommand, `git status`. filter_id: the filter that compacted the output, ""
    for none. raw_tokens, raw_chars: all that it wrote. piped_tokens: what its own `| tail -5` would
    have left, None without one. shown_tokens: what was printed, notice included. exact: the tokens
    are counted, not estimated. pipe_override: the pipe's own result was smaller and was printed.
    raw_id: the kept copy, "" for none.
    """

    def __init__(
        self,
        command: str,
        *,
        program: str = "",
        filter_id: str = "",
        status: int | None = None,
        duration_ms: int = 0,
        raw_bytes: int = 0,
        raw_chars: int = 0,
        raw_tokens: int = 0,
        piped_tokens: int | None = None,
        shown_tokens: int = 0,
        exact: bool = False,
        pipe_override: bool = False,
        project: str = "",
        agent: str = "",
        session: str = "",
        raw_id: str = "",
    ) -> None:
        self.command, self.program, self.filter_id = command, program, filter_id
        self.status, self.duration_ms = status, duration_ms
        self.raw_bytes, self.raw_chars, self.raw_tokens = raw_bytes, raw_chars, raw_tokens
        self.piped_tokens, self.shown_tokens = piped_tokens, shown_tokens
        self.exact, self.pipe_override = exact, pipe_override
        self.project, self.agent, self.session, self.raw_id = project, agent, session, raw_id


def record_run(state_dir: str | os.PathLike[str], run: Run, now: float | None = None) -> bool:
    """Record a run, its command without secrets; False if that is not possible. Never raises."""
    try:
        row = row_of(run, now)
    except Exception:  # noqa: BLE001 - a command must not fail because nobody can write it down
        return False
    return append(state_dir, "runs", row)


def row_of(run: Run, now: float | None = None) -> dict[str, Any]:
    """Build the row of the table `runs`."""
    from laconic.secrets.redact import redact  # noqa: PLC0415 - loads the parser

    limit = limit_of(run.agent)
    asked = run.raw_tokens if run.piped_tokens is None else run.piped_tokens
    read_without = capped(asked, run.raw_tokens, run.raw_chars, limit)
    read_with = capped(run.shown_tokens, run.raw_tokens, run.raw_chars, limit)
    # We cannot know which part the agent would have read, so a share is an estimate.
    is_share = (read_without, read_with) != (asked, run.shown_tokens)
    return {
        "id": new_row_id(),
        "time": microseconds(now),
        "command": plain(_clipped(redact(run.command))),
        "program": plain(_clipped(redact(run.program))),
        "filter": plain(run.filter_id),
        "status": run.status,
        "duration_ms": run.duration_ms,
        "raw_bytes": run.raw_bytes,
        "raw_tokens": run.raw_tokens,
        "piped_tokens": run.piped_tokens,
        "shown_tokens": run.shown_tokens,
        "input_tokens": read_without,
        "output_tokens": read_with,
        "exact": int(run.exact and not is_share),
        "pipe_override": int(run.pipe_override),
        "project": plain(run.project),
        "agent": plain(run.agent),
        "session": plain(run.session),
        "raw_id": run.raw_id,
    }


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
