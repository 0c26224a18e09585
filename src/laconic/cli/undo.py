"""laconic undo: take back what a command changed."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time

from laconic.box.plan import directory_of
from laconic.box.rolling import Rolling
from laconic.cli.main import complain
from laconic.errors import LaconicError, UsageError
from laconic.hooks.shell_writes import hold_line, take_line
from laconic.letters import spelled
from laconic.report import undo as report
from laconic.report.screen import screen
from laconic.report.text import visible
from laconic.secrets.redact import redact
from laconic.settings.environ import is_person
from laconic.settings.load import current_directory, process_environment, read_settings
from laconic.undo.analysis import project_of
from laconic.undo.keep import Keep
from laconic.undo.plan import plan_undo
from laconic.undo.reach import located
from laconic.undo.restore import ConflictError, recover, undo
from laconic.undo.store import KEPT, LAST, MissingError, Store, store_for

_MOST_LINES = 20  # of the difference that stands in the way


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", nargs="?", default=LAST, help="from --list; default: last"
    )
    parser.add_argument("path", metavar="PATH", nargs="*", help="take back only these")
    parser.add_argument("--list", action="store_true", help="list what can be undone")
    parser.add_argument("--diff", action="store_true", help="print what would change, and stop")
    parser.add_argument("--force", action="store_true", help="also where a file has changed since")
    parser.add_argument("--yes", action="store_true", help="do not ask at a terminal")
    parser.add_argument(
        "--hold",
        action="store_true",
        help="keep what a line will change; a hook writes this before a line that is asked about",
    )
    parser.add_argument("--json", action="store_true", help="with --list: print JSON lines")


def main(args: argparse.Namespace) -> int:
    if args.hold:
        return _hold(args.id)
    store = store_for(read_settings())
    with store.lock():
        recover(store)
    _finish_box(store)
    if args.list:
        return _list(store, as_json=args.json)
    if args.json:
        raise UsageError("--json goes with --list", "laconic undo --list --json")
    keep = _find(store, args.id)
    here = str(current_directory() or "/")
    only = [spelled(located(os.path.join(here, path))) for path in args.path]  # noqa: PTH118
    if args.diff:
        print(redact("\n".join(report.diff_lines(plan_undo(keep, only)))))
        return 0
    return _undo(store, keep, only, force=args.force, is_sure=args.yes)


def _finish_box(store: Store) -> None:
    """Find out what a command in the box has destroyed, if nobody has looked since it ended."""
    project = os.path.realpath(project_of(str(current_directory() or "/")))
    state_dir = read_settings().directories.state_dir
    with contextlib.suppress(OSError):
        Rolling(directory_of(state_dir, project), project).finish(store, is_late=True)


def _find(store: Store, keep_id: str) -> Keep:
    try:
        return store.find(keep_id) if keep_id != LAST else _find_last(store)
    except MissingError as error:
        if keep_id != LAST and os.path.lexists(keep_id):
            hint = f"laconic undo last {visible(keep_id)} takes back only that"
            raise MissingError(error.message, hint) from error
        raise


def _find_last(store: Store) -> Keep:
    """Return the last command of this project: what ran elsewhere is not meant without its id."""
    here = project_of(str(current_directory() or "/"))
    keep = store.last(lambda directory: project_of(directory) == here)
    if keep is not None:
        return keep
    newest = store.find(LAST)
    where = visible(newest.about.directory)
    raise MissingError(
        f"nothing of this project can be undone; the last command ran in {where}",
        f"laconic undo {newest.id}",
    )


def _hold(name: str) -> int:
    """Keep what the line that runs next will change; whatever goes wrong, it runs."""
    said = ""
    with contextlib.suppress(OSError, LaconicError):
        settings, directory = read_settings(), current_directory()
        line = take_line(settings.directories.state_dir, name)
        if line and directory:
            said = hold_line(line, str(directory), process_environment(), settings)
    print(said, end="", file=sys.stderr)
    return 0


def _list(store: Store, *, as_json: bool) -> int:
    rows = report.rows(store.keeps())
    for damaged in store.damaged():
        complain(damaged.message, damaged.hint)
    if not show_rows(rows, as_json=as_json):
        complain("there is nothing to undo", KEPT)
    return 0


def show_rows(rows: list[dict[str, object]], *, as_json: bool) -> bool:
    """Print keeps as JSON lines, or for a person; False if that person would see nothing."""
    if as_json:
        for row in rows:
            print(json.dumps(row))
    elif rows:
        print("\n".join(report.lines(rows, screen=screen())))
    return as_json or bool(rows)


def _undo(store: Store, keep: Keep, only: list[str], *, force: bool, is_sure: bool) -> int:
    made = plan_undo(keep, only)
    if not made.steps:
        what = " ".join(map(visible, (os.path.relpath(path) for path in only))) or "everything"
        print(f"nothing to do: {what} is as it was before {visible(keep.about.command)}")
        return 0
    by = f", {keep.about.agent}" if keep.about.agent else ""
    age = report.age(time.time() - keep.time)
    print(f"undo {keep.id}: {visible(keep.about.command)}  ({age} ago{by})")
    print("\n".join(report.plan_lines(made)))
    if made.conflicts and not force:
        lines = list(report.diff_lines(made, made.conflicts))
        if (more := len(lines) - _MOST_LINES) > 0:
            lines[_MOST_LINES:] = [f"[{more} more lines: laconic undo {keep.id} --diff]"]
        print(redact("\n".join(lines)))
    elif not is_sure and is_person(process_environment()) and not _is_confirmed():
        raise LaconicError("nothing was changed")
    sys.stdout.flush()
    try:
        again = undo(store, keep, only, force=force)
    except ConflictError as error:
        raise LaconicError(error.message, error.hint) from error
    print(f"done; laconic undo {again} takes this back")
    return 0


def _is_confirmed() -> bool:
    sys.stdout.flush()
    try:
        return input("Do it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
