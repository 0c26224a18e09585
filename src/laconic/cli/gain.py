"""laconic gain: print how many tokens laconic saved."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from laconic.cli import when
from laconic.cli.main import complain
from laconic.record import queries
from laconic.record.database import reading
from laconic.report import gain as report
from laconic.settings.load import read_directories

if TYPE_CHECKING:
    import argparse

_PERIOD_NAMES = {"daily": "day", "weekly": "week"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    period = parser.add_mutually_exclusive_group()
    period.add_argument("--daily", action="store_true", help="a row for each day")
    period.add_argument("--weekly", action="store_true", help="a row for each week")
    parser.add_argument("--by", choices=list(queries.GROUPS), help="a row for each of these")
    parser.add_argument("--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    form.add_argument("--graph", action="store_true", help="draw what was saved; daily by default")


def main(args: argparse.Namespace) -> int:
    period = "daily" if args.daily else "weekly" if args.weekly else ""
    if args.graph and not period and not args.by:
        period = "daily"
    since = when.since(args.since, time.time()) if args.since else 0.0
    with reading(read_directories().state) as (connection, note):
        rows = queries.gain(connection, since, period, args.by or "")
    total = queries.total(rows)
    names = [name for name in (_PERIOD_NAMES.get(period), args.by) if name]
    if note:
        complain(note)
    if args.json:
        print(report.to_json(names, rows, total))
    elif args.csv:
        print(report.to_csv(names, rows, total), end="")
    else:
        grouped = report.grouped(names, rows, total, bars=args.graph)
        print("\n".join(grouped if names else report.summary(total)))
    return 0
