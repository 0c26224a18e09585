"""laconic box: run a command in the box of this project, or show what the box allows."""

from __future__ import annotations

import json

from laconic.box.launch import open_box, project_of
from laconic.box.plan import make_plan
from laconic.cli.main import complain
from laconic.cli.run import report
from laconic.errors import LaconicError
from laconic.report.text import visible
from laconic.run.execute import execute, is_transparent
from laconic.run.launcher import typed_name
from laconic.run.options import RAW, Flag, read_flags
from laconic.run.task import Task
from laconic.settings.environ import environment
from laconic.settings.load import current_directory, read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from laconic.box.plan import Plan

NO_BOX = 125  # as timeout, env and chroot say that they themselves failed
_JSON = Flag("--json", "with `show`: print JSON")
_SHOW = "show"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for flag in (RAW, _JSON):
        parser.add_argument(flag.name, action="store_true", help=flag.help)
    text = "the command as it is typed; or `show`, to see what the box allows"
    parser.add_argument("command", nargs="+", metavar="COMMAND", help=text)


def direct(argv: list[str]) -> int:
    if argv[:1] == [_SHOW] and argv[1:] in ([], [_JSON.name]):
        return _show(as_json=len(argv) > 1)
    values, command = read_flags("box", argv, (RAW,))
    task = Task(command)
    task.is_raw = bool(values["--raw"])
    return run_boxed(task)


def run_boxed(task: Task) -> int:
    """Run a task in the box; if there can be none, say why, and do not run it."""
    environ, cwd = environment(), here()
    launcher = typed_name(environ)
    # A process that becomes the command cannot say afterwards what the box refused.
    told = f"{launcher} run --outside {task.command}" if is_transparent(task, environ) else ""
    try:
        project = task.project or project_here()
        settings = read_settings(environ, project if task.project else cwd)
        is_elsewhere = bool(task.project)
        opened = open_box(
            project, cwd, settings, environ, told, words=task.argv, is_elsewhere=is_elsewhere
        )
    except LaconicError as error:
        complain(f"the command was not run: {error.message}", error.hint)
        return NO_BOX
    except OSError as error:
        complain(f"the command was not run: there is no box: {error}")
        return NO_BOX
    task.box = opened.words
    task.notice = lambda status, out, err: opened.notice(status, out, err, task.command, launcher)
    return execute(task, report)


def here() -> str:
    return str(current_directory() or "")


def project_here() -> str:
    """Return the project that the current directory is in; LaconicError if there is none."""
    return project_of(here(), environment())


def _show(*, as_json: bool) -> int:
    environ = environment()
    plan = make_plan(project_here(), read_settings(environ, here()), environ)
    if as_json:
        print(json.dumps({"version": 1, **_document(plan)}, indent=1))
    else:
        _print(plan)
    return 0


def _document(plan: Plan) -> dict[str, object]:
    return {
        "project": plan.project,
        "network": "host" if plan.has_network else "none",
        "write": plan.write,
        "guarded": plan.guarded,
        "guarded_links": plan.links,
        "guarded_missing": plan.missing,
        "pinned": plan.pinned,
        "hidden": plan.hidden,
        "shown": plan.shown,
        "variables_dropped": plan.dropped,
        "directory": plan.directory,
    }


def _print(plan: Plan) -> None:
    def table(title: str, paths: list[str]) -> None:
        print(f"{title}:" if paths else f"{title}: nothing")
        for path in paths:
            print(f"  {visible(path)}")

    network = "the network as it is" if plan.has_network else "no network but its own loopback"
    print(f"The box of {visible(plan.project)} has {network}.")
    table("can be written", [*plan.write, "its own home and temporary directories"])
    table("can be read only, because it decides what runs later", [*plan.guarded, *plan.links])
    print(f"must not come into being: {len(plan.missing)} more of that kind")
    table("cannot be read", plan.hidden)
    table("variables that are taken out", plan.dropped)
    print("Everything else can be read, and not written.")
