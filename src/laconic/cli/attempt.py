"""laconic try: run a command in the box and show what it would change; nothing is changed."""

from __future__ import annotations

import argparse
import json
import sys

from laconic.box.attempt import begin, tries
from laconic.cli.box import NO_BOX, here, project_here
from laconic.cli.main import complain
from laconic.cli.run import report as report_fault
from laconic.cli.undo import show_rows
from laconic.errors import LaconicError
from laconic.report import attempt as report
from laconic.report import undo as undo_report
from laconic.run.execute import execute
from laconic.run.launcher import typed_name
from laconic.run.options import RAW, Flag, read_flags
from laconic.run.task import Task
from laconic.settings.environ import environment
from laconic.settings.load import read_settings
from laconic.undo.around import about_run
from laconic.undo.keep import Keep
from laconic.undo.plan import plan_undo

_JSON = Flag("--json", "print the changes as JSON, or with --list what is listed")
_LIST = Flag("--list", "list what was tried, and was neither kept nor dropped")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for flag in (RAW, _JSON, _LIST):
        parser.add_argument(flag.name, action="store_true", help=flag.help)
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the command as it is typed")


def direct(argv: list[str]) -> int:
    if argv in ([_LIST.name], [_LIST.name, _JSON.name], [_JSON.name, _LIST.name]):
        return _list(as_json=_JSON.name in argv)
    values, command = read_flags("try", argv, (RAW, _JSON))
    task = Task(command)
    task.is_raw, task.is_awaited = bool(values["--raw"]), True
    return _try(task, as_json=bool(values["--json"]))


def _try(task: Task, *, as_json: bool) -> int:
    environ, cwd = environment(), here()
    try:
        attempt = begin(project_here(), cwd, read_settings(environ, cwd), environ)
    except LaconicError as error:
        complain(f"the command was not run: {error.message}", error.hint)
        return NO_BOX
    except OSError as error:
        complain(f"the command was not run: it cannot be tried: {error}")
        return NO_BOX
    opened, launcher = attempt.box, typed_name(environ)
    task.box = opened.words
    task.notice = lambda status, out, err: opened.notice(status, out, err, task.command, launcher)
    try:
        status = execute(task, report_fault)
    except BaseException:  # also Ctrl-C: what was tried is forgotten
        attempt.drop()
        raise
    kept = attempt.finish(about_run(task.command, cwd, environ))
    _tell(kept, launcher, as_json=as_json)
    return status


def _tell(tried: Keep | None, launcher: str, *, as_json: bool) -> None:
    """Say what would change, on stderr: stdout is the command's."""
    made = plan_undo(tried) if tried is not None else None
    if as_json:
        notes = tried.about.notes if tried else []
        about = {"version": 1, "id": tried.id if tried else "", "never_kept": notes}
        print(json.dumps(about | {"changes": report.rows(made) if made else []}), file=sys.stderr)
        return
    if made is None:
        print("[laconic: the command would change nothing]", file=sys.stderr)
        return
    print(f"[laconic: nothing was changed; {made.keep.id} would:", file=sys.stderr)
    print("\n".join((*report.lines(made), *report.diff(made))), file=sys.stderr)
    name = made.keep.id
    print(f"{launcher} keep {name} does this, drop {name} forgets it]", file=sys.stderr)


def _list(*, as_json: bool) -> int:
    rows = undo_report.rows(tries(read_settings()).keeps(), "can be kept")
    if not show_rows(rows, as_json=as_json):
        complain("nothing was tried", "laconic try npm install")
    return 0
