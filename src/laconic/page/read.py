"""Reads what the page shows: the records, the log of decisions, and transcripts of its sessions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from laconic import __version__
from laconic.page import collect
from laconic.page.collect import Decided, Recorded, Told
from laconic.record import activity, decisions, queries
from laconic.record.activity import SessionRuns
from laconic.record.database import reading
from laconic.record.queries import Gain
from laconic.replay import prices
from laconic.replay.followed import follow
from laconic.replay.questions import asks_usually, is_question, proposed, questions
from laconic.replay.spending import read_spendings
from laconic.report.dates import local
from laconic.sessions import find
from laconic.sessions.find import Transcript
from laconic.settings.load import read_directories
from laconic.types import Verdict

_TEXTS = ("rule", "reason", "agent", "command", "cwd", "mode", "then")
_MOST_TRANSCRIPTS = 64 << 20  # bytes of the newest; a page should be there in seconds


def read(
    state_dir: str | os.PathLike[str], environ: Mapping[str, str], *, now: float, since: float = 0
) -> dict[str, Any]:
    """Return the value that the page shows: what happened since then."""
    log = list(decisions.read(state_dir, since))
    rows = [
        row
        for row in decisions.of_agents(log)
        if decisions.outcome(row) != decisions.UNCHECKED  # there was no decision
    ]
    follow(rows, environ, _MOST_TRANSCRIPTS)
    with reading(state_dir) as (connection, note):
        sessions, session_count = activity.sessions(connection, since, collect.MOST_SESSIONS)
        runs = queries.history(connection, collect.MOST_RUNS)
        recorded = Recorded(
            by_day=queries.gain(connection, since, "daily"),
            by_hour=activity.by_hour(connection, since),
            by_filter=queries.gain(connection, since, by="filter"),
            by_project=queries.gain(connection, since, by="project"),
            by_agent=queries.gain(connection, since, by="agent"),
            by_week=queries.gain(connection, since, "weekly"),
            hidden=activity.hidden(connection, since),
            sessions=sessions,
            session_count=session_count,
            recalls=activity.newest_recalls(connection, since, collect.MOST_RECALLS),
            runs=[run for run in runs if _is_since(run, since)],
            decisions=[_decided(row) for row in rows],
            checks=sum(row.get("agent") == decisions.OWN for row in log),
            told=_told(sessions, environ),
            dollars=_dollars(queries.gain(connection, since, by="session"), environ),
            proposals=proposed(questions(rows), environ),
        )
    return collect.collect(
        recorded,
        version=__version__,
        now=local(now),
        since=local(since) if since else "",
        note=note,
        prices=prices.date(),
    )


def _is_since(run: Mapping[str, Any], since: float) -> bool:
    at: int = run["time"]
    return at >= since * 1_000_000


# -- decisions -------------------------------------------------------------------------------------


def _decided(row: Mapping[str, Any]) -> Decided:
    """Read a line of the log; older lines lack some of it."""
    words = row.get("effects")
    effects = tuple(map(str, words)) if isinstance(words, list) else ()
    time = datetime.fromisoformat(row["time"]).isoformat()
    fields = {key: str(row.get(key, "")) for key in _TEXTS}
    answer = decisions.outcome(row)
    is_prompt = asks_usually(fields["agent"], fields["command"], fields["mode"], effects)
    return Decided(
        time,
        answer,
        effects,
        fields["rule"],
        fields["reason"],
        fields["agent"],
        fields["command"],
        fields["cwd"],
        fields["then"],
        is_prompt=is_prompt,
        is_saved=is_prompt and answer == Verdict.ALLOW,
        is_question=is_question(row),
    )


# -- transcripts -----------------------------------------------------------------------------------


def _told(
    sessions: Sequence[SessionRuns], environ: Mapping[str, str]
) -> dict[tuple[str, str], Told]:
    """Read the transcripts that are named after these sessions, the newest first."""
    found: dict[tuple[str, str], Told] = {}
    known = {each.session: each.agent for each in sessions}
    left = _MOST_TRANSCRIPTS
    for session, transcript in find.of_sessions(known, environ):
        left -= transcript.size
        if left < 0:
            break
        told = _read_transcript(transcript)
        if told:
            found[known[session], session] = told
    return found


def _dollars(rows: Sequence[Gain], environ: Mapping[str, str]) -> dict[str, float]:
    """Return what was not spent in each session whose transcript names a model with a price."""
    sessions = {row.keys[0]: row.saved_tokens for row in rows if row.keys[0]}
    spent = read_spendings(sessions, environ, read_directories(environ).cache).found
    return {
        session: sessions[session] * each.dollars
        for session, each in spent.items()
        if each.dollars is not None
    }


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
