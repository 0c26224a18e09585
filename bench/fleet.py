"""The questions of a team lead on rows of many machines, by DuckDB and ClickHouse alike.

python bench/fleet.py [ROWS]; the rows are made up: 10,000 people in 200 teams for 28 days, some of
whom do much more than others. 10000000 takes minutes, 5 GB of memory and 2 GB of disk.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import laconic.export
from laconic.export.parquet import questions
from laconic.export.table import COLUMNS, type_of

ROWS = 200_000
PEOPLE, TEAMS, DAYS = 10_000, 200, 28
ROUNDS = 3
LOAD = Path(laconic.export.__file__).parent / "data/load"

# `u` is a number of the row that looks random; `p` a person, few of whom have most of the rows.
_MADE = """
WITH numbers AS (
    SELECT range AS i, hash(range) AS u, hash(range + 7777777) AS v,
        CAST(floor(pow((hash(range * 31 + 1) % 1000000) / 1000000.0, 2) * {people}) AS BIGINT) AS p
    FROM range({rows})
), drawn AS (
    SELECT *, u % 100 AS what, v % 1000 AS which, p % {teams} AS t,
        TIMESTAMP '2026-11-02 08:00:00' + to_seconds(CAST(
            (u % {days}) * 86400 + (v // 1000) % 36000 AS BIGINT)) AS moment
    FROM numbers
), kinds AS (
    SELECT *, CASE WHEN what < 70 THEN 'decision' WHEN what < 98 THEN 'run'
            WHEN what < 99 THEN 'recall' ELSE 'unchecked' END AS kind,
        CASE WHEN which < 780 THEN 'reads' WHEN which < 860 THEN 'project-write'
            WHEN which < 920 THEN 'installs' WHEN which < 970 THEN 'sends'
            WHEN which < 995 THEN 'system' ELSE 'destroys' END AS effect
    FROM drawn
), judged AS (
    SELECT *, kind = 'decision' AS d,
        CASE WHEN which < 860 THEN 'allow' WHEN which < 995 THEN 'ask' ELSE 'deny' END AS said
    FROM kinds
)
SELECT
    lower(printf('%016x', u)) AS id, kind, moment AS time, CAST(moment AS DATE) AS day,
    TIMESTAMP '2026-12-01 00:00:00' AS exported, 'team-' || t AS team,
    lower(printf('%016x', hash(p))) AS person, lower(printf('%032x', hash(p + 1))) AS machine,
    lower(printf('%016x', hash(t * 5 + v % 5))) AS project,
    CASE WHEN p % 10 < 6 THEN 'claude-code' WHEN p % 10 < 9 THEN 'codex' ELSE 'gemini' END AS agent,
    lower(printf('%016x', hash(p * 400 + u % {days}))) AS session,
    CASE WHEN d THEN 'toolu_' || lower(printf('%016x', v)) ELSE '' END AS call,
    CASE WHEN NOT d THEN '' WHEN u % {days} < 14 THEN '0.2.0' ELSE '0.3.0' END AS version,
    CAST(17 + (u % {days}) // 14 AS VARCHAR) AS policy,
    CASE WHEN p % 7 = 0 THEN 'work' ELSE 'default' END AS profile,
    CASE WHEN d THEN said WHEN kind = 'unchecked' THEN kind ELSE '' END AS verdict,
    CASE WHEN d THEN said WHEN kind = 'unchecked' THEN kind ELSE '' END AS outcome,
    CASE WHEN d THEN effect ELSE '' END AS effects,
    d AND which >= 920 AS hard,
    CASE WHEN d THEN effect || '/' || v % 60 ELSE '' END AS rule,
    d AND said = 'ask' AS question,
    d AND which >= 700 AS would_ask,
    CASE WHEN d AND said = 'ask' THEN
        CASE WHEN v % 17 = 0 THEN 'refused' ELSE 'ran' END ELSE '' END AS followed,
    d AND v % 11 = 0 AS box, '' AS command,
    CASE WHEN kind = 'run' THEN 'model-' || p % 3 ELSE '' END AS model,
    CASE WHEN kind = 'run' THEN CAST(200 + v % 9000 AS BIGINT) ELSE 0 END AS input_tokens,
    CASE WHEN kind = 'run' THEN CAST(100 + v % 900 AS BIGINT)
        WHEN kind = 'recall' THEN CAST(v % 2000 AS BIGINT) ELSE 0 END AS output_tokens,
    false AS exact,
    CASE WHEN kind = 'run' AND p % 3 < 2 THEN CAST(v % 8000 AS BIGINT) END AS saved_microdollars
FROM judged
"""


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory(prefix="laconic-fleet-") as place:
        folder = Path(place)
        took = timed(lambda: make(folder, rows))
        size = (folder / "rows.parquet").stat().st_size
        print(f"{rows:,} rows, {len(COLUMNS)} columns, made in {took:.1f} s")
        print(f"  Parquet: {size / 1e6:,.1f} MB, {size / rows:.1f} bytes for each")
        found = [engine(folder) for engine in (duckdb, clickhouse)]
    print(f"{'':22}" + "".join(f"{name:>14}" for name, *_ in found))
    print(f"{'load, s':22}" + "".join(f"{load:>14.2f}" for _, load, _, _ in found))
    print(f"{'size, MB':22}" + "".join(f"{size / 1e6:>14,.1f}" for _, _, size, _ in found))
    for name in questions():
        times = "".join(f"{answers[name][0]:>14.2f}" for *_, answers in found)
        same = len({json.dumps(answers[name][1]) for *_, answers in found}) == 1
        count = len(found[0][3][name][1])
        print(f"{name + ', s':22}{times}   {count:,} rows, {'equal' if same else 'DIFFERENT'}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"the most memory of this process: {peak:,} MB")


def make(folder: Path, rows: int) -> None:
    import duckdb as engine  # noqa: PLC0415 - an optional dependency

    made = _MADE.format(rows=rows, people=PEOPLE, teams=TEAMS, days=DAYS)
    columns = ", ".join(f"CAST({name} AS {type_of(name)}) AS {name}" for name in COLUMNS)
    query = f"SELECT {columns} FROM ({made}) ORDER BY team, time"  # noqa: S608 - constants
    with engine.connect(config=_settings(folder)) as connection:
        connection.execute("SET enable_progress_bar = false")
        target = f"'{folder}/rows.parquet' (FORMAT parquet, COMPRESSION zstd)"
        connection.execute(f"COPY ({query}) TO {target}")


def duckdb(folder: Path) -> tuple[str, float, int, dict[str, Any]]:
    import duckdb as engine  # noqa: PLC0415 - as above

    path = folder / "rows.duckdb"
    with engine.connect(str(path), config=_settings(folder)) as connection:
        connection.execute("SET enable_progress_bar = false")
        load = timed(lambda: connection.execute(_loading("duckdb", folder)))
        connection.execute("CHECKPOINT")
        answers = {}
        for name, query in questions().items():
            took, found = best(lambda query=query: connection.execute(query).fetchall())
            answers[name] = took, plain(found)
    return "DuckDB", load, path.stat().st_size, answers


def clickhouse(folder: Path) -> tuple[str, float, int, dict[str, Any]]:
    from chdb.session import Session  # noqa: PLC0415 - as above

    path = folder / "clickhouse"
    with Session(str(path)) as engine:
        engine.query("CREATE DATABASE d ENGINE = Atomic; USE d; SET max_threads = 1;")
        load = timed(lambda: engine.query(_loading("clickhouse", folder)))
        answers = {}
        for name, query in questions().items():
            took, found = best(
                lambda query=query: json.loads(engine.query(query, "JSONCompact").bytes())["data"]
            )
            answers[name] = took, plain(found)
        parts = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'decisions'"
        size = int(str(engine.query(parts, "TSV")))
    return "ClickHouse", load, size, answers


def _settings(folder: Path) -> dict[str, Any]:
    return {"threads": 1, "memory_limit": "4GB", "temp_directory": f"{folder}/spill"}


def _loading(engine: str, folder: Path) -> str:
    return (LOAD / f"{engine}.sql").read_text().replace("DIR", str(folder))


def timed(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    found = None
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - begin)
    return min(times), found


def plain(rows: list[Any]) -> list[list[str | float | None]]:
    """Return rows as numbers, days and words, as the engines write them in their own ways."""
    return [[_plain(value) for value in row] for row in rows]


def _plain(value: Any) -> str | float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


if __name__ == "__main__":
    main()
