"""laconic history: print the last runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from laconic.cli.main import complain
from laconic.errors import UsageError
from laconic.record import queries
from laconic.record.database import reading
from laconic.record.store import Store
from laconic.record.sweep import adopt
from laconic.report import history as report
from laconic.settings.load import read_directories

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", type=int, default=20, metavar="N", help="how many; default: 20")
    parser.add_argument("--json", action="store_true", help="print JSON lines, times in UTC")


def main(args: argparse.Namespace) -> int:
    if args.n < 0:
        raise UsageError("-n takes a number from 0", "laconic history -n 50")
    state_dir = read_directories().state
    adopt(Store(state_dir))
    with reading(state_dir) as (connection, note):
        runs = queries.history(connection, args.n)
    if note:
        complain(note)
    if args.json:
        for run in runs:
            print(json.dumps(run | {"time": report.utc(int(str(run["time"])))}))
    elif runs:
        print("\n".join(report.lines(runs)))
    elif args.n and not note:
        complain("no run is recorded yet", "laconic run git status")
    return 0
