"""The queries that reports run on the records, one function each."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from laconic.record.schema import COLUMNS

# 'weekday 0' is the Sunday that ends the week (https://www.sqlite.org/lang_datefunc.html), so the
# day six days earlier is Monday.
PERIODS = {
    "daily": "day",
    "weekly": "date(day, 'weekday 0', '-6 days')",
    "monthly": "substr(day, 1, 7)",
}
GROUPS = {"filter": "filter", "command": "program", "project": "project"}
# What the sums of days do not have, so that each run is looked at.
RUN_GROUPS = {"agent": "agent", "session": "session"}


# The sums of whole days, and single runs and recalls only for the day that the time falls into.
_HAPPENED = """
WITH part AS (
    SELECT day, filter, program, project, exact, last FROM days
    WHERE first < :since AND last >= :since
), happened AS (
    SELECT day, filter, program, project, exact, runs, input_tokens,
        output_tokens + recalled_tokens AS output_tokens, pipe_override, recalls,
        recalled_tokens AS recalled
    FROM days WHERE first >= :since
    UNION ALL
    SELECT day, filter, program, project, exact, 1, input_tokens, output_tokens, pipe_override, 0, 0
    FROM runs JOIN part USING (day, filter, program, project, exact)
    WHERE time BETWEEN :since AND (SELECT max(last) FROM part)
    UNION ALL
    SELECT day, filter, program, project, exact, 0, 0, tokens, 0, 1, tokens
    FROM recalls JOIN part USING (day, filter, program, project, exact)
    WHERE time BETWEEN :since AND (SELECT max(last) FROM part)
)
"""


_RAN = """
WITH happened AS (
    SELECT day, agent, session, exact, 1 AS runs, input_tokens, output_tokens, pipe_override,
        0 AS recalls, 0 AS recalled
    FROM runs WHERE time >= :since
    UNION ALL
    SELECT recalls.day, coalesce(agent, ''), coalesce(session, ''), recalls.exact, 0, 0, tokens, 0,
        1, tokens
    FROM recalls LEFT JOIN runs ON runs.id = (
        SELECT id FROM runs WHERE raw_id = recalls.raw_id AND raw_id <> '' LIMIT 1
    )
    WHERE recalls.time >= :since
)
"""


class Gain(NamedTuple):
    """Sums over runs; the tokens that recalls printed are part of the output tokens."""

    keys: tuple[str, ...]
    exact: bool
    runs: int
    input_tokens: int
    output_tokens: int
    pipe_preferred: int
    recalls: int
    recalled_tokens: int

    @property
    def saved_tokens(self) -> int:
        return self.input_tokens - self.output_tokens

    @property
    def saved_percent(self) -> float | None:
        return 100 * self.saved_tokens / self.input_tokens if self.input_tokens else None


def gain(
    connection: sqlite3.Connection, since: float = 0, period: str = "", by: str = ""
) -> list[Gain]:
    """Sum up by period (`daily` ...), by group (`filter`, `agent` ...), by both, or everything."""
    keys = [PERIODS[period]] if period else []
    keys += [(GROUPS | RUN_GROUPS)[by]] if by else []
    found = connection.execute(
        f"""
        {_RAN if by in RUN_GROUPS else _HAPPENED}
        SELECT {"".join(f"{key}, " for key in keys)} min(exact), total(runs), total(input_tokens),
            total(output_tokens), total(pipe_override), total(recalls), total(recalled)
        FROM happened
        {"GROUP BY " + ", ".join(str(n + 1) for n in range(len(keys))) if keys else ""}
        """,  # noqa: S608 - the keys are the constants above
        {"since": int(since * 1_000_000)},
    )
    rows = []
    for row in found:
        exact, *sums = row[len(keys) :]
        rows.append(Gain(row[: len(keys)], bool(exact), *map(int, sums)))

    return in_order(rows, has_period=bool(period))


def in_order(rows: list[Gain], *, has_period: bool) -> list[Gain]:
    """Sort by period, if there is one, then those that saved most first."""

    def order(row: Gain) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
        return row.keys[:1] if has_period else (), -row.saved_tokens, row.keys

    return sorted(rows, key=order)


def agents(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the agent of each session."""
    rows = connection.execute("SELECT DISTINCT session, agent FROM runs WHERE session <> ''")
    return dict(rows.fetchall())


def total(rows: list[Gain]) -> Gain:
    """Add up rows, however they are grouped."""
    sums = [sum(column) for column in zip(*(row[2:] for row in rows), strict=True)]
    return Gain((), all(row.exact for row in rows), *sums) if rows else Gain((), False, *[0] * 6)


def history(connection: sqlite3.Connection, count: int) -> list[dict[str, object]]:
    """Return the last runs, the oldest of them first."""
    names = COLUMNS["runs"]
    rows = connection.execute(
        f"SELECT {', '.join(names)} FROM runs ORDER BY time DESC, id LIMIT ?",  # noqa: S608 - constants
        (count,),
    )
    return [dict(zip(names, row, strict=True)) for row in rows][::-1]


class Recalled(NamedTuple):
    """How often a filter's runs hid something, and how often that was recalled."""

    filter: str
    runs: int
    hiding: int
    recalls: int
    recalled_runs: int

    @property
    def rate(self) -> float:
        return self.recalled_runs / self.hiding if self.hiding else 0.0


def recalls(connection: sqlite3.Connection) -> list[Recalled]:
    """Return the filters whose hidden lines were recalled, the most recalled first."""
    rows = connection.execute(
        """
        SELECT asked.filter, coalesce(runs, 0), coalesce(hiding, 0), asked.recalls, asked.ids
        FROM (
            SELECT filter, count(*) AS recalls, count(DISTINCT raw_id) AS ids
            FROM recalls GROUP BY filter
        ) AS asked
        LEFT JOIN (
            SELECT filter, sum(runs) AS runs, sum(hiding) AS hiding
            FROM days GROUP BY filter
        ) AS done USING (filter)
        """
    )
    return sorted((Recalled(*row) for row in rows), key=lambda row: (-row.rate, row.filter))


class RunOfOutput(NamedTuple):
    """The run that a raw output comes from."""

    raw_id: str
    time: int
    command: str
    program: str
    filter: str
    project: str
    agent: str
    status: int | None


def source(connection: sqlite3.Connection, raw_id: str) -> RunOfOutput | None:
    """Find the run of an output; for "last", the last run that has one."""
    names = ", ".join(RunOfOutput._fields)
    which = "raw_id <> ''" if raw_id == "last" else "raw_id = ?"
    row = connection.execute(
        f"SELECT {names} FROM runs WHERE {which} ORDER BY time DESC LIMIT 1",  # noqa: S608 - constants
        () if raw_id == "last" else (raw_id,),
    ).fetchone()
    return RunOfOutput(*row) if row else None


def expiry(connection: sqlite3.Connection, raw_id: str) -> tuple[int, str] | None:
    """Return when and why an output was removed."""
    row: tuple[int, str] | None = connection.execute(
        "SELECT time, reason FROM expired WHERE raw_id = ?", (raw_id,)
    ).fetchone()
    return row
