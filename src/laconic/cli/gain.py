"""laconic gain: print how many tokens laconic saved."""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from laconic.cli import times
from laconic.cli.main import complain
from laconic.errors import UsageError
from laconic.record import queries
from laconic.record.database import reading
from laconic.record.queries import Gain
from laconic.replay import prices
from laconic.replay.spending import Spendings, read_spendings
from laconic.report import gain as report
from laconic.report.progress import Progress
from laconic.report.screen import screen
from laconic.sessions import find
from laconic.settings.load import process_environment, read_directories

_PERIOD_NAMES = {"daily": "day", "weekly": "week", "monthly": "month"}
_PERIODS = {name: period for period, name in _PERIOD_NAMES.items()}
_MODEL = "model"  # which the records do not have: transcripts tell it
_GROUPS = ("agent", "session", _MODEL, *queries.GROUPS, *_PERIODS)
_DAYS = 30
_DAY_S = 86400


class Found(NamedTuple):
    """What is reported. dollars: of each row, None where rows have none."""

    rows: list[Gain]
    total: Gain
    dollars: list[float | None] | None = None
    money: report.Money | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    period = parser.add_mutually_exclusive_group()
    period.add_argument("--daily", action="store_true", help="a row for each day")
    period.add_argument("--weekly", action="store_true", help="a row for each week")
    parser.add_argument("--by", choices=_GROUPS, help="a row for each of these")
    parser.add_argument("--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    form.add_argument("--graph", action="store_true", help="draw what was saved; daily by default")


def main(args: argparse.Namespace) -> int:
    period, by = _wanted(args)
    now = time.time()
    since = times.since(args.since, now) if args.since else 0.0
    with reading(read_directories().state) as (connection, note):
        found = _found(connection, since, period, by)
        days = [] if period or by else _last_days(connection, now)
    if note:
        complain(note)
    names = [name for name in (_PERIOD_NAMES.get(period), by) if name]
    here = screen()
    if args.json:
        print(report.to_json(names, found.rows, found.total, found.money, found.dollars))
    elif args.csv:
        print(report.to_csv(names, found.rows, found.total), end="")
    elif names:
        print(
            "\n".join(
                report.grouped(names, found.rows, found.total, here, found.dollars, bars=args.graph)
            )
        )
    else:
        is_drawn = here.width is not None  # a program has no use for a drawing
        print("\n".join(report.summary(found.total, found.money, days if is_drawn else ())))
    return 0


def _wanted(args: argparse.Namespace) -> tuple[str, str]:
    """Return the period and the group; `--by day` is another way to say `--daily`."""
    period = "daily" if args.daily else "weekly" if args.weekly else ""
    by = args.by or ""
    if by in _PERIODS:
        if period not in ("", _PERIODS[by]):
            raise UsageError(f"--{period} or --by {by}?", "leave one of them out")
        period, by = _PERIODS[by], ""
    if args.graph and not period and not by:
        period = "daily"
    return period, by


def _found(connection: sqlite3.Connection, since: float, period: str, by: str) -> Found:
    is_plain = by not in (*queries.RUN_GROUPS, _MODEL)
    if is_plain and (period or by or not _has_transcripts()):
        rows = queries.gain(connection, since, period, by)
        return Found(rows, queries.total(rows))
    sessions = queries.gain(connection, since, "", "session")
    total = queries.total(sessions)
    spent = _spendings([row.keys[0] for row in sessions])
    money = _money(sessions, spent) if spent.found else None
    if not by:
        return Found([total], total, None, money)
    rows = queries.gain(connection, since, period, "session")
    names = {row.keys[-1]: row.keys[-1] for row in rows}
    if by == "agent":
        names = queries.agents(connection)
    elif by == _MODEL:
        names = {session: each.model for session, each in spent.found.items()}
    grouped: dict[tuple[str, ...], list[Gain]] = {}
    saved: dict[tuple[str, ...], float] = {}
    for row in rows:
        key = (*row.keys[:-1], names.get(row.keys[-1], ""))
        grouped.setdefault(key, []).append(row)
        if (dollars := _dollars(row, row.keys[-1], spent)) is not None:
            saved[key] = saved.get(key, 0.0) + dollars
    if by == "agent":  # not every agent names its sessions
        ordered = queries.gain(connection, since, period, by)
    else:
        sums = [queries.total(each)._replace(keys=key) for key, each in grouped.items()]
        ordered = queries.in_order(sums, has_period=bool(period))
    return Found(ordered, total, [saved.get(row.keys) for row in ordered] if money else None, money)


def _has_transcripts() -> bool:
    """Tell whether it is worth while to look at each run for its session."""
    return bool(find.find(process_environment()))


def _spendings(sessions: Sequence[str]) -> Spendings:
    environ = process_environment()
    return read_spendings(sessions, environ, read_directories(environ).cache, Progress())


def _dollars(row: Gain, session: str, spent: Spendings) -> float | None:
    spending = spent.found.get(session)
    return (
        None
        if spending is None or spending.dollars is None
        else row.saved_tokens * spending.dollars
    )


def _money(sessions: Sequence[Gain], spent: Spendings) -> report.Money:
    told = [row for row in sessions if row.keys[0] in spent.found]
    dollars = [_dollars(row, row.keys[0], spent) for row in told]
    priced = [value for value in dollars if value is not None]
    return report.Money(
        sum(priced),
        prices.date(),
        sum(1 for row in sessions if row.keys[0]),
        len(priced),
        sum(spent.found[row.keys[0]].read for row in told),
        sum(row.saved_tokens for row in told),
        spent.unread,
    )


def _last_days(connection: sqlite3.Connection, now: float) -> list[int]:
    saved = {row.keys[0]: row.saved_tokens for row in queries.gain(connection, 0, "daily")}
    return last_days(saved.get, now, _DAYS)


def last_days(saved: Callable[[str, int], int], now: float, count: int) -> list[int]:
    """Return what each of the last days saved, the oldest first."""
    noon = time.mktime((*time.localtime(now)[:3], 12, 0, 0, 0, 0, -1))
    days = (time.localtime(noon - back * _DAY_S) for back in reversed(range(count)))
    return [saved(time.strftime("%Y-%m-%d", day), 0) for day in days]
