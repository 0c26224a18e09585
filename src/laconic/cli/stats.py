"""laconic stats: print how often filtered output was recalled."""

from __future__ import annotations

import argparse
import json

from laconic.cli.main import complain
from laconic.record import queries
from laconic.record.database import reading
from laconic.record.step_back import StepBack
from laconic.report import recalls as report
from laconic.report.screen import screen
from laconic.settings.load import read_directories


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="WHAT", required=True)
    text = "list the filters whose hidden lines were recalled"
    recalls = actions.add_parser("recalls", help=text, description=text, allow_abbrev=False)
    recalls.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    with reading(read_directories().state) as (connection, note):
        rows = queries.recalls(connection)
    if note:
        complain(note)
    stepped = StepBack(read_directories().state, ()).stepped()
    if args.json:
        print(json.dumps(report.to_json(rows, stepped)))
    else:
        print("\n".join([*report.lines(rows, screen()), *report.stepped_lines(stepped)]))
    return 0
