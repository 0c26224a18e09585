"""laconic dashboard: serve what laconic saved, asked and denied as a live page on this machine."""

from __future__ import annotations

import argparse
import time
from typing import Any

from laconic.cli import times
from laconic.page import read
from laconic.page.serve import Dashboard
from laconic.settings.load import process_environment, read_directories


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01")


def main(args: argparse.Namespace) -> int:
    state, environ = read_directories().state, process_environment()

    def data() -> dict[str, Any]:
        now = time.time()
        since = times.since(args.since, now) if args.since else 0.0
        return read.read(state, environ, now=now, since=since)

    data()  # what is wrong with the records is said here, not in the browser
    with Dashboard(data, lambda: read.stamp(state)) as server:
        print(f"{server.url}\nopen it in a browser on this machine; Ctrl-C ends it", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
