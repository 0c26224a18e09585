"""laconic log: print the decisions that were made."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from laconic.cli import when
from laconic.record import decisions
from laconic.report.text import visible
from laconic.settings.load import read_directories

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.add_argument(
        "--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01, 2026-11-01T09:00"
    )


def main(args: argparse.Namespace) -> int:
    since = when.since(args.since, time.time()) if args.since else 0.0
    for row in decisions.read(read_directories().state, since):
        print(_json(row) if args.json else _line(row))
    return 0


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row)


def _line(row: dict[str, Any]) -> str:
    at, verdict, rule = (visible(str(row.get(key, ""))) for key in ("time", "verdict", "rule"))
    effects = visible(" ".join(map(str, row.get("effects", ()))))
    told = f"{rule}; {effects}" if effects else rule  # older lines have none
    return f"{at[:19]}  {verdict:5}  {visible(str(row.get('command', '')))}  ({told})"
