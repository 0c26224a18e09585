"""The queries that look at single runs: sessions, what was hidden, what was recalled of it."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class SessionRuns(NamedTuple):
    """What laconic ran in a session; what was recalled of it is part of the output tokens."""

    agent: str
    session: str
    project: str
    first: int
    last: int
    runs: int
    input_tokens: int
    output_tokens: int
    exact: int
    recalls: int


class HourRuns(NamedTuple):
    """What laconic ran in an hour, as 2026-11-15T09; what was recalled is not part of it."""

    hour: str
    runs: int
    input_tokens: int
    output_tokens: int


class Hidden(NamedTuple):
    """The runs of a filter that hid something, how many of them were recalled, and how often."""

    filter: str
    hiding: int
    recalled_runs: int
    recalls: int


class Recall(NamedTuple):
    """An output that an agent asked for again, and the command that had printed it."""

    time: int
    raw_id: str
    filter: str
    tokens: int
    exact: int
    command: str
    agent: str


class Happened(NamedTuple):
    """A run, or a recall of what a run had hidden, which costs tokens and saves none."""

    is_recall: bool
    id: int
    time: int
    project: str
    agent: str
    session: str
    command: str
    input_tokens: int
    output_tokens: int
    exact: int


def happened(connection: sqlite3.Connection, since: float) -> list[Happened]:
    """Return all runs and recalls, each with the agent and session of the run."""
    rows = connection.execute(
        """
        SELECT 0, id, time, project, agent, session, command, input_tokens, output_tokens, exact
        FROM runs WHERE time >= :since
        UNION ALL
        SELECT 1, recalls.id, recalls.time, recalls.project, coalesce(agent, ''),
            coalesce(session, ''), coalesce(command, ''), 0, tokens, recalls.exact
        FROM recalls LEFT JOIN runs ON runs.id = (
            SELECT id FROM runs WHERE raw_id = recalls.raw_id AND raw_id <> '' LIMIT 1
        )
        WHERE recalls.time >= :since
        """,
        {"since": _stored(since)},
    )
    return [Happened(bool(first), *rest) for first, *rest in rows]


def sessions(
    connection: sqlite3.Connection, since: float, most: int
) -> tuple[list[SessionRuns], int]:
    """Return the sessions of agents, the newest first, and how many there are in all.

    The project is that of the first or last run: SQLite takes other columns from the row of min()
    or max() (https://www.sqlite.org/lang_select.html#bareagg).
    """
    rows = connection.execute(
        """
        SELECT agent, session, project, min(time), max(time), count(*),
            CAST(total(input_tokens) AS INTEGER),
            CAST(total(output_tokens) + total(recalled) AS INTEGER), min(exact), sum(recalls),
            count(*) OVER ()
        FROM (
            SELECT runs.*, coalesce(asked.recalls, 0) AS recalls, coalesce(tokens, 0) AS recalled
            FROM runs LEFT JOIN (
                SELECT raw_id, count(*) AS recalls, total(tokens) AS tokens
                FROM recalls WHERE time >= :since GROUP BY raw_id
            ) AS asked ON runs.raw_id <> '' AND asked.raw_id = runs.raw_id
            WHERE time >= :since AND session <> ''
        )
        GROUP BY agent, session ORDER BY max(time) DESC, session LIMIT :most
        """,
        {"since": _stored(since), "most": most},
    ).fetchall()
    return [SessionRuns(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def by_hour(connection: sqlite3.Connection, since: float) -> list[HourRuns]:
    """Return the sums of each hour, in local time."""
    rows = connection.execute(
        """
        SELECT strftime('%Y-%m-%dT%H', time / 1000000, 'unixepoch', 'localtime'), count(*),
            CAST(total(input_tokens) AS INTEGER), CAST(total(output_tokens) AS INTEGER)
        FROM runs WHERE time >= ? GROUP BY 1
        """,
        (_stored(since),),
    )
    return [HourRuns(*row) for row in rows]


def hidden(connection: sqlite3.Connection, since: float) -> list[Hidden]:
    """Return for each filter the runs that hid something; only their recalls are counted."""
    rows = connection.execute(
        """
        SELECT filter, count(*), count(asked.raw_id), coalesce(sum(recalls), 0)
        FROM runs LEFT JOIN (
            SELECT raw_id, count(*) AS recalls FROM recalls WHERE time >= :since GROUP BY raw_id
        ) AS asked USING (raw_id)
        WHERE time >= :since AND raw_id <> '' GROUP BY filter
        """,
        {"since": _stored(since)},
    )
    return [Hidden(*row) for row in rows]


def newest_recalls(connection: sqlite3.Connection, since: float, most: int) -> list[Recall]:
    """Return the recalls, the newest first; the command is empty if its run is gone."""
    rows = connection.execute(
        """
        SELECT recalls.time, recalls.raw_id, recalls.filter, recalls.tokens, recalls.exact,
            coalesce(max(runs.command), ''), coalesce(max(runs.agent), '')
        FROM recalls LEFT JOIN runs ON runs.raw_id <> '' AND runs.raw_id = recalls.raw_id
        WHERE recalls.time >= ? GROUP BY recalls.id ORDER BY recalls.time DESC LIMIT ?
        """,
        (_stored(since), most),
    )
    return [Recall(*row) for row in rows]


def _stored(seconds: float) -> int:
    return int(seconds * 1_000_000)
