"""laconic purge: remove the raw output of commands that laconic keeps, and what undo keeps."""

from __future__ import annotations

import argparse
import time

from laconic.box.attempt import tries
from laconic.cli import times
from laconic.record.collect import collect
from laconic.record.store import MissingError, Store, is_id
from laconic.record.sweep import purge
from laconic.settings.environ import environment
from laconic.settings.load import read_directories, read_settings
from laconic.undo.store import Store as Keeps

_MEGABYTE = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="*", help="only these, as in the notices")
    parser.add_argument("--older", metavar="SPAN", help="only what is older: 2h, 7d")


def main(args: argparse.Namespace) -> int:
    store = Store(read_directories().state)
    collect(store.state_dir, environment())  # else the next command would bring it back
    keeps = Keeps(read_directories().state)
    paths = (*keeps.paths(), *tries(read_settings()).paths())
    known = {path.rpartition("-")[2] for path in paths}
    for raw_id in args.id:
        if raw_id not in known and (not is_id(raw_id) or not store.has(raw_id)):
            raise MissingError(f"no output is kept under {raw_id!r}", "laconic history")
    before = time.time() - times.seconds(args.older) if args.older else None
    removed = purge(store, args.id or None, before)
    count, size = len(removed), sum(found.size for found in removed)
    outputs = "1 output" if count == 1 else f"{count:,} outputs"
    print(f"removed {outputs}, {_shown(size)}, from {store.directory}")
    sizes = keeps.purge(args.id or None, before)
    if sizes:
        commands = "1 command" if len(sizes) == 1 else f"{len(sizes):,} commands"
        print(f"removed what could undo {commands}, {_shown(sum(sizes))}, from {keeps.directory}")
    tried = tries(read_settings()).purge(args.id or None, before)
    if tried:
        commands = "1 command" if len(tried) == 1 else f"{len(tried):,} commands"
        print(f"removed what {commands} that you tried would have changed")
    left = len({path.name.partition(".")[0] for path in store.directory.glob("[!.]*")})
    if left:
        print(f"{left:,} are still there")
    return 0


def _shown(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= _MEGABYTE else f"{size:,} bytes"
