"""Makes the value of the page for many machines, by SQL on the table of `laconic export`.

Rows come from other machines, so their texts may be hostile, as those of commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from laconic import __version__
from laconic.errors import LaconicError
from laconic.export.identity import Identity
from laconic.export.parquet import opened
from laconic.export.rows import decided
from laconic.export.table import Row
from laconic.page.collect import monday
from laconic.record import decisions
from laconic.replay import prices
from laconic.report.dates import local
from laconic.report.text import visible

_MOST_ROWS = 500  # of each table
_MOST_BARS = 92  # with more days there is a bar for each week
_MOST_DAYS = 1500
_LONGEST = 200
_MICRO = 1_000_000
_NOBODY = {"policy": "none"}
_DECIDED = "kind = 'decision'"
_RAN = "kind IN ('run', 'recall')"
_SAVED = "would_ask AND outcome = 'allow'"
_KINDS = {
    "team": "team",
    "project": "project",
    "agent": "agent",
    "week": "CAST(date_trunc('week', day) AS DATE)",
    "policy": "policy",
}


def read_many(directory: Path, *, now: float, since: float = 0) -> dict[str, Any]:
    """Return the value of the page for all below a directory: Parquet files, and logs."""
    if not directory.is_dir():
        raise LaconicError(f"{directory}: there is no such directory")
    files = sorted(directory.rglob("*.parquet"))
    logs = sorted({path.parent for path in directory.rglob("decisions.jsonl*")})
    if not files and not logs:
        hint = f"laconic export --parquet {directory}/NAME.parquet, on each machine"
        raise LaconicError(f"{directory}: there is no Parquet file or log in it", hint)
    with opened(files, _of_logs(logs, directory, now, since)) as table:
        table.execute("DELETE FROM decisions WHERE time < make_timestamp(?)", [int(since * _MICRO)])
        return _collect(table, now=now, since=since)


def _of_logs(logs: Sequence[Path], directory: Path, now: float, since: float) -> Iterator[Row]:
    """Yield the rows of logs; each directory is that of one machine, and of one person.

    Databases beside them are not opened, as nobody knows what is in them.
    """
    for place in logs:
        name = str(place.relative_to(directory))
        who = Identity(name, "", name.encode()[-64:])
        log = decisions.of_agents(decisions.read(place, since))
        project_of = partial(who.hash, "project")  # what its directories are called is not ours
        yield from decided(log, who, project_of, now=now, with_commands=False)


def _collect(table: Any, *, now: float, since: float) -> dict[str, Any]:
    first, last, days = _one(table, "SELECT min(day), max(day), count(DISTINCT day) FROM decisions")
    today = date.fromisoformat(local(now)[:10])
    first, last = first or today, last or today
    bars, unit = _bars(table, first, last)
    teams, people, machines = _one(
        table,
        "SELECT count(DISTINCT team), count(DISTINCT person), count(DISTINCT machine)"
        " FROM decisions",
    )
    asked = _asked(table)
    return {
        "version": 1,
        "laconic": __version__,
        "made": local(now),
        "since": local(since) if since else "",
        "note": "",
        "first": str(first),
        "last": str(last),
        "many": {"teams": teams, "people": people, "machines": machines},
        "totals": {**_totals(table), "days": days, "asked_rows": asked[1]},
        "unit": unit,
        "bars": bars,
        "changes": [],
        "groups": [row for kind, name in _KINDS.items() for row in _group(table, kind, name)],
        "asked": asked[0],
        "filters": [],
        "sessions": [],
        "recalls": [],
        "runs": [],
    }


def _sum(condition: str) -> str:
    return f"coalesce(sum(CASE WHEN {condition} THEN 1 ELSE 0 END), 0)"


_SUMS = {
    "runs": _sum("kind = 'run'"),
    "input": "coalesce(sum(input_tokens), 0)",
    "output": "coalesce(sum(output_tokens), 0)",
    "decisions": _sum(_DECIDED),
    "questions": _sum(f"{_DECIDED} AND question"),
    "denied": _sum(f"{_DECIDED} AND outcome = 'deny'"),
}
_TOTALS = _SUMS | {
    "recalls": _sum("kind = 'recall'"),
    "recalled": "coalesce(sum(CASE WHEN kind = 'recall' THEN output_tokens END), 0)",
    "allowed": _sum(f"{_DECIDED} AND outcome = 'allow'"),
    "asked": _sum(f"{_DECIDED} AND outcome = 'ask'"),
    "left": _sum(f"{_DECIDED} AND outcome = 'left'"),
    "ran": _sum(f"{_DECIDED} AND question AND followed = 'ran'"),
    "refused": _sum(f"{_DECIDED} AND question AND followed = 'refused'"),
    "prompts": _sum(f"{_DECIDED} AND would_ask"),
    "prompts_saved": _sum(f"{_DECIDED} AND {_SAVED}"),
    "unchecked": _sum("kind = 'unchecked'"),
    "sessions": "count(DISTINCT CASE WHEN session <> '' THEN session END)",
    "priced": "count(DISTINCT CASE WHEN saved_microdollars IS NOT NULL THEN session END)",
}
_BARS = {
    "runs": _SUMS["runs"],
    "input": _SUMS["input"],
    "output": _SUMS["output"],
    "decisions": _SUMS["decisions"],
    "saved": _sum(f"{_DECIDED} AND {_SAVED}"),
    "allow": _sum(f"{_DECIDED} AND outcome = 'allow' AND NOT would_ask"),
    "left": _TOTALS["left"],
    "ask": _TOTALS["asked"],
    "deny": _SUMS["denied"],
}
_EXACT = f"coalesce(bool_and(CASE WHEN {_RAN} THEN exact END), true)"
_DOLLARS = "sum(saved_microdollars)"


def _totals(table: Any) -> dict[str, Any]:
    *sums, exact, micro = _one(
        table, f"SELECT {', '.join(_TOTALS.values())}, {_EXACT}, {_DOLLARS} FROM decisions"
    )
    found = dict(zip(_TOTALS, map(int, sums), strict=True))
    return found | {
        "exact": bool(exact),
        "dollars": None if micro is None else int(micro) / _MICRO,
        "prices": prices.date(),
        "checks": 0,
        "hiding": 0,
        "recalled_runs": 0,
    }


def _bars(table: Any, first: date, last: date) -> tuple[list[dict[str, Any]], str]:
    """Return a row for each day, without gaps, or for each week; a week is named by its Monday."""
    first = max(first, last - timedelta(days=_MOST_DAYS))
    days = [str(first + timedelta(days=n)) for n in range((last - first).days + 1)]
    unit = "week" if len(days) > _MOST_BARS else "day"
    names = {day: monday(day) if unit == "week" else day for day in days}
    sums: dict[str, Counter[str]] = {name: Counter() for name in names.values()}
    found = table.execute(f"SELECT day, {', '.join(_BARS.values())} FROM decisions GROUP BY day")
    for day, *counts in found.fetchall():
        if str(day) in names:
            sums[names[str(day)]].update(dict(zip(_BARS, map(int, counts), strict=True)))
    return [{"day": name} | {k: counts[k] for k in _BARS} for name, counts in sums.items()], unit


def _group(table: Any, kind: str, name: str) -> list[dict[str, Any]]:
    found = table.execute(
        f"SELECT {name}, {', '.join(_SUMS.values())}, {_EXACT}, {_DOLLARS},"
        f" count(DISTINCT person) FROM decisions GROUP BY 1 ORDER BY 5 DESC, 1 LIMIT {_MOST_ROWS}"
    )
    rows = []
    for value, *sums, exact, micro, people in found.fetchall():
        counts = dict(zip(_SUMS, map(int, sums), strict=True))
        dollars = None if micro is None else int(micro) / _MICRO
        shown = {"kind": kind, "name": _text(str(value)) or _NOBODY.get(kind, ""), "people": people}
        rows.append({**shown, **counts, "exact": bool(exact), "dollars": dollars})
    return rows


def _asked(table: Any) -> tuple[list[dict[str, Any]], int]:
    """Return what was asked about or denied, by rule, the most frequent first, and how many."""
    found = table.execute(
        f"""
        SELECT outcome = 'deny', rule, effects, count(*),
            {_sum("followed = 'ran'")}, {_sum("followed = 'refused'")},
            count(DISTINCT person), count(DISTINCT team), max(day), count(*) OVER ()
        FROM decisions WHERE {_DECIDED} AND (question OR outcome = 'deny')
        GROUP BY 1, 2, 3 ORDER BY 4 DESC, 2, 3 LIMIT {_MOST_ROWS}
        """
    ).fetchall()
    names = ("times", "ran", "refused", "people", "teams")
    rows = [
        {
            "verdict": "deny" if is_denied else "ask",
            "rule": _text(rule),
            "effects": _text(effects),
            **dict(zip(names, map(int, counts), strict=True)),
            "last": str(last),
        }
        for is_denied, rule, effects, *counts, last, _ in found
    ]
    return rows, found[0][-1] if found else 0


def _one(table: Any, query: str) -> tuple[Any, ...]:
    found: tuple[Any, ...] = table.execute(query).fetchone()
    return found


def _text(text: str) -> str:
    return visible(text[:_LONGEST])
