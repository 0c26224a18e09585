"""laconic log: print the decisions that were made."""

from __future__ import annotations

import json
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

from laconic.cli import when
from laconic.record import decisions
from laconic.report.text import visible
from laconic.settings.load import read_directories
from laconic.undo.store import Store as Keeps

if TYPE_CHECKING:
    import argparse


_LONGEST_S = 3600  # that a person may think about a question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.add_argument(
        "--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01, 2026-11-01T09:00"
    )


def main(args: argparse.Namespace) -> int:
    since = when.since(args.since, time.time()) if args.since else 0.0
    state_dir = read_directories().state
    rows = list(decisions.read(state_dir, since))
    _name_undoable(rows, Keeps(state_dir))
    for row in rows:
        print(_json(row) if args.json else _line(row))
    return 0


def _name_undoable(rows: list[dict[str, Any]], keeps: Keeps) -> None:
    """Add the ids of what `laconic undo` would take back to the decisions that let it run.

    A keep is made when a command runs, soon after the last decision about a line that has it.
    """
    for keep in keeps.keeps():
        if keep.about.of or keep.undone_by or keep.is_running:
            continue
        for row in reversed(rows):
            at = datetime.fromisoformat(row["time"]).timestamp()
            if at <= keep.time < at + _LONGEST_S and keep.about.command in str(row.get("command")):
                row.setdefault("undo", []).append(keep.id)
                break


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row)


def _line(row: dict[str, Any]) -> str:
    at, verdict, rule = (visible(str(row.get(key, ""))) for key in ("time", "verdict", "rule"))
    effects = visible(" ".join(map(str, row.get("effects", ()))))
    told = f"{rule}; {effects}" if effects else rule  # older lines have none
    ways = "".join(f"  (laconic undo {name})" for name in row.get("undo", ()))
    return f"{at[:19]}  {verdict:5}  {visible(str(row.get('command', '')))}  ({told}){ways}"
