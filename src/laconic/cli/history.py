"""laconic history: print the last runs."""

from __future__ import annotations

import argparse
import json
from typing import Any

from laconic.cli.main import complain
from laconic.errors import UsageError
from laconic.record import queries
from laconic.record.database import reading
from laconic.report import history as report
from laconic.report.dates import utc
from laconic.report.screen import screen
from laconic.settings.load import read_directories
from laconic.undo.store import Store as Keeps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", type=int, default=20, metavar="N", help="how many; default: 20")
    parser.add_argument("--json", action="store_true", help="print JSON lines, times in UTC")


def main(args: argparse.Namespace) -> int:
    if args.n < 0:
        raise UsageError("-n takes a whole number, 0 or more", "laconic history -n 50")
    state_dir = read_directories().state
    with reading(state_dir) as (connection, note):
        runs = queries.history(connection, args.n)
    if note:
        complain(note)
    _name_undoable(runs, Keeps(state_dir))
    if args.json:
        for run in runs:
            print(json.dumps(run | {"time": utc(int(str(run["time"])))}))
    elif runs:
        print("\n".join(report.lines(runs, screen())))
    elif args.n and not note:
        complain("no run is recorded yet", "at your own terminal: laconic run git status | cat")
    return 0


def _name_undoable(runs: list[dict[str, Any]], keeps: Keeps) -> None:
    """Add the id of what `laconic undo` would take back; a keep is made just before its run."""
    undoable = [keep for keep in keeps.keeps() if not (keep.about.of or keep.undone_by)]
    for run in runs:
        for keep in undoable:
            is_before = keep.time * 1e6 <= run["time"]
            if is_before and keep.about.command == run["command"] and not keep.is_running:
                run["undo"] = keep.id
                undoable.remove(keep)
                break
