"""laconic drop: forget what a command that was tried would have changed."""

from __future__ import annotations

import argparse

from laconic.cli.keep import add_id, find
from laconic.errors import LaconicError
from laconic.report.text import visible


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_id(parser)


def main(args: argparse.Namespace) -> int:
    store, tried = find(args.id)
    if not store.purge([tried.id]):
        raise LaconicError(f"the command of {tried.id} is still running")
    print(f"forgotten: {visible(tried.about.command)}")
    return 0
