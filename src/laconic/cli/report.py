"""laconic report: write what laconic saved, asked and denied as one page of HTML."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from typing import Any

from laconic.cli import times
from laconic.cli.main import complain
from laconic.errors import LaconicError
from laconic.files import make_private, write_private
from laconic.page.read import read
from laconic.page.render import page
from laconic.report.screen import is_watched
from laconic.report.text import counted
from laconic.settings.load import process_environment, read_directories

_NAME = "report.html"
_SCREENS = {"DISPLAY", "WAYLAND_DISPLAY"}
_OPENERS = ("open",) if sys.platform == "darwin" else ("xdg-open", "wslview")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--html", metavar="FILE", type=Path, help="write it there, do not open it")
    parser.add_argument("--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="DIR",
        type=Path,
        help="of the machines whose files are in it",
    )


def main(args: argparse.Namespace) -> int:
    environ, state_dir = process_environment(), read_directories().state
    path = _target(args.html) if args.html else state_dir / _NAME
    now = time.time()
    since = times.since(args.since, now) if args.since else 0.0
    data = _read(args.source, environ, now, since)
    if data["note"]:
        complain(data["note"])
    text = page(data).encode()
    if not args.html:
        make_private(path.parent)
    write_private(path, text)
    told = [counted(data["totals"][f"{noun}s"], noun) for noun in ("run", "decision", "session")]
    print(f"{args.html or path}: {', '.join(told)} ({-(-len(text) // 1024):,} KB)")
    if not args.html and is_watched(sys.stdout, environ):
        _open(path, environ)
    return 0


def _read(
    source: Path | None, environ: Mapping[str, str], now: float, since: float
) -> dict[str, Any]:
    if source is None:
        return read(read_directories().state, environ, now=now, since=since)
    from laconic.page.many import read_many  # noqa: PLC0415 - it needs what may not be installed

    return read_many(source, now=now, since=since)


def _target(path: Path) -> Path:
    """Return the place to write to: where links lead, and only in place of a file."""
    target = path.resolve()
    if not target.parent.is_dir():
        raise LaconicError(f"{target.parent}: there is no such directory")
    if target.exists() and not target.is_file():
        raise LaconicError(f"{path}: is not a file")
    return target


def _open(path: Path, environ: Mapping[str, str]) -> None:
    """Show it in the browser of a person who has a screen; else it is enough to name the file."""
    found = (which(name, path=environ.get("PATH")) for name in _OPENERS)
    opener = next(filter(None, found), "")
    if not opener or (opener.endswith("xdg-open") and not _SCREENS & environ.keys()):
        print(f"open it in a browser: {path.as_uri()}")
        return
    null = subprocess.DEVNULL
    words = [opener, str(path)]
    subprocess.Popen(words, stdin=null, stdout=null, stderr=null, start_new_session=True)  # noqa: S603 - the system's opener, and a file of ours
