"""laconic keep: do what a command that was tried would have changed."""

from __future__ import annotations

import argparse
import os
import sys

from laconic.box.attempt import keep_attempt, tries
from laconic.box.inside import is_inside
from laconic.errors import LaconicError
from laconic.letters import spelled
from laconic.report import attempt as report
from laconic.settings.load import current_directory, read_settings
from laconic.undo.keep import Keep
from laconic.undo.plan import plan_undo
from laconic.undo.reach import located
from laconic.undo.restore import ConflictError
from laconic.undo.store import LAST, MissingError, Store, store_for


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_id(parser)
    parser.add_argument("path", metavar="PATH", nargs="*", help="only these, and the rest stays")
    parser.add_argument("--diff", action="store_true", help="print what would change, and stop")
    parser.add_argument("--force", action="store_true", help="also where a file has changed since")


def add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", nargs="?", default=LAST, help="as laconic try says it; default: last"
    )


def find(keep_id: str) -> tuple[Store, Keep]:
    """Find what was tried, by its id or `last`."""
    if is_inside():
        raise LaconicError("what was tried is kept outside of the box")
    store = tries(read_settings())
    try:
        return store, store.find(keep_id)
    except MissingError as error:
        what = "nothing was tried" if keep_id == LAST else f"nothing was tried under {keep_id!r}"
        raise LaconicError(what, "laconic try --list") from error


def main(args: argparse.Namespace) -> int:
    _, tried = find(args.id)
    here = str(current_directory() or "/")
    only = [spelled(located(os.path.join(here, path))) for path in args.path]  # noqa: PTH118
    made = plan_undo(tried, only)
    if args.diff:
        print("\n".join((*report.lines(made), *report.diff(made, None))))
        return 0
    if made.conflicts and not args.force:
        print("\n".join(report.lines(made)))
    sys.stdout.flush()
    try:
        done = keep_attempt(store_for(read_settings()), tried, only, force=args.force)
    except ConflictError as error:
        hint = f"laconic keep {tried.id} --diff shows it; --force overwrites, and can be undone"
        raise LaconicError(error.message, hint) from error
    if not done:
        print("nothing to do: everything is as the command would have it")
        return 0
    count = "1 change" if len(made.steps) == 1 else f"{len(made.steps):,} changes"
    print(f"done, {count}; laconic undo {done} takes this back")
    return 0
