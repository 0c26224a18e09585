"""laconic stats: print how often filtered output was recalled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.cli.main import complain
from laconic.record import queries
from laconic.record.database import reading
from laconic.record.step_back import StepBack
from laconic.report import recalls as report
from laconic.settings.load import read_directories

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="WHAT", required=True)
    actions.add_parser("recalls", help="list the filters whose hidden lines were recalled")


def main(args: argparse.Namespace) -> int:
    del args  # there is one kind so far
    with reading(read_directories().state) as (connection, note):
        rows = queries.recalls(connection)
    if note:
        complain(note)
    stepped = StepBack(read_directories().state).stepped()
    print("\n".join([*report.lines(rows), *report.stepped_lines(stepped)]))
    return 0
