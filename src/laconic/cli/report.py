"""laconic report: write what laconic saved, asked and denied as one page of HTML."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from laconic.cli import when
from laconic.cli.main import complain
from laconic.errors import LaconicError
from laconic.files import write_private
from laconic.page.read import read
from laconic.page.render import page
from laconic.settings.load import process_environment, read_directories

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--html", metavar="FILE", type=Path, required=True, help="write it there")
    parser.add_argument("--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01")


def main(args: argparse.Namespace) -> int:
    path = _target(args.html)
    now = time.time()
    since = when.since(args.since, now) if args.since else 0.0
    data = read(read_directories().state, process_environment(), now=now, since=since)
    if data["note"]:
        complain(data["note"])
    text = page(data).encode()
    write_private(path, text)
    totals = data["totals"]
    print(
        f"{args.html}: {totals['runs']:,} runs, {totals['decisions']:,} decisions, "
        f"{totals['sessions']:,} sessions ({-(-len(text) // 1024):,} KB)"
    )
    return 0


def _target(path: Path) -> Path:
    """Return the place to write to: where links lead, and only in place of a file."""
    target = path.resolve()
    if not target.parent.is_dir():
        raise LaconicError(f"{target.parent}: there is no such directory")
    if target.exists() and not target.is_file():
        raise LaconicError(f"{path}: is not a file")
    return target
