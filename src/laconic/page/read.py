"""Reads what the page shows: the records, the log of decisions, and transcripts of its sessions."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic import __version__
from laconic.engine import outcome
from laconic.page import collect
from laconic.page.collect import Decided, Recorded, Told
from laconic.record import activity, decisions, queries
from laconic.record.database import reading
from laconic.replay.flow import asks
from laconic.report.dates import local
from laconic.sessions import find
from laconic.sessions.values import Step
from laconic.settings.load import read_settings
from laconic.types import EFFECTS, Decision, Effect, Outcome, Verdict

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from laconic.record.activity import SessionRuns
    from laconic.sessions.find import Transcript

_MOST_TRANSCRIPTS = 64 << 20  # bytes of the newest; a page should be there in seconds


def read(
    state_dir: str | os.PathLike[str], environ: Mapping[str, str], *, now: float, since: float = 0
) -> dict[str, Any]:
    """Return the value that the page shows: what happened since then."""
    allows = _allows(environ)
    with reading(state_dir) as (connection, note):
        sessions, session_count = activity.sessions(connection, since, collect.MOST_SESSIONS)
        runs = queries.history(connection, collect.MOST_RUNS)
        recorded = Recorded(
            by_day=queries.gain(connection, since, "daily"),
            by_filter=queries.gain(connection, since, by="filter"),
            hidden=activity.hidden(connection, since),
            sessions=sessions,
            session_count=session_count,
            recalls=activity.newest_recalls(connection, since, collect.MOST_RECALLS),
            runs=[run for run in runs if _is_since(run, since)],
            decisions=[_decided(row, allows) for row in decisions.read(state_dir, since)],
            told=_told(sessions, environ),
        )
    return collect.collect(
        recorded,
        version=__version__,
        now=local(now),
        since=local(since) if since else "",
        note=note,
    )


def _is_since(run: Mapping[str, Any], since: float) -> bool:
    at: int = run["time"]
    return at >= since * 1_000_000


# -- decisions -------------------------------------------------------------------------------------


def _allows(environ: Mapping[str, str]) -> bool:
    """Tell whether agents are told that a command may run; some profiles leave that to them."""
    allowed = Decision(Verdict.ALLOW, "", "")
    return outcome(allowed, read_settings(environ, "/")) is Outcome.ALLOWED


def _decided(row: Mapping[str, Any], allows: bool) -> Decided:
    """Read a line of the log; older lines lack some of it."""
    words = row.get("effects")
    effects = tuple(map(str, words)) if isinstance(words, list) else ()
    time = datetime.fromisoformat(row["time"]).isoformat()
    fields = (str(row.get(key, "")) for key in ("verdict", "rule", "reason", "agent", "command"))
    verdict, rule, reason, agent, command = fields
    is_prompt = agent != decisions.OWN and _is_prompt(agent, command, effects)
    is_saved = is_prompt and allows and verdict == "allow"
    return Decided(time, verdict, effects, rule, reason, agent, command, is_prompt, is_saved)


@lru_cache(maxsize=1 << 16)
def _is_prompt(agent: str, command: str, effects: tuple[str, ...]) -> bool:
    """Tell whether the agent asks by itself, in its usual mode and without rules of the user's.

    Effects that this laconic does not know are not reads, whatever they are.
    """
    found = Effect.READS
    for word in effects:
        found |= EFFECTS.get(word, Effect.UNKNOWN)
    return asks(agent, Step(command, "/"), found, ())


# -- transcripts -----------------------------------------------------------------------------------


def _told(
    sessions: Sequence[SessionRuns], environ: Mapping[str, str]
) -> dict[tuple[str, str], Told]:
    """Read the transcripts that are named after these sessions, the newest first."""
    found: dict[tuple[str, str], Told] = {}
    known = {each.session: each.agent for each in sessions}
    left = _MOST_TRANSCRIPTS
    for transcript in find.find(environ) if known else ():
        for session in _named(transcript, known):
            left -= transcript.size
            if left < 0:
                return found
            told = _read_transcript(transcript)
            if told:
                found[known[session], session] = told
    return found


def _named(transcript: Transcript, known: Mapping[str, str]) -> Iterator[str]:
    """Return the session whose id is the end of the file's name, as in rollout-2026-11-15-<id>."""
    stem = transcript.path.stem
    for length in {len(session) for session in known}:
        if stem[-length:] in known:
            yield stem[-length:]


@lru_cache(maxsize=512)
def _read_transcript(transcript: Transcript) -> Told | None:
    """Read a file once, as long as it does not change."""
    for _, sessions in find.read([transcript]):
        for session in sessions:
            commands = sum(1 for step in session.steps if step.command.strip())
            return Told(tuple(model for model in session.usage if model), commands)
    return None


# -- changes ---------------------------------------------------------------------------------------


def stamp(state_dir: str | os.PathLike[str]) -> tuple[tuple[str, int, int], ...]:
    """Return a value that changes when something was recorded: sizes and times of the files."""
    stamps = []
    for pattern in ("records.db*", "runs.journal*", "decisions.jsonl*"):
        for path in sorted(Path(state_dir).glob(pattern)):
            try:
                status = path.stat()
            except OSError:
                continue  # it was renamed just now, and has another name next time
            stamps.append((path.name, status.st_size, status.st_mtime_ns))
    return tuple(stamps)
