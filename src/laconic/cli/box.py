"""laconic box: run a command in the box of this project, or look after the box."""

from __future__ import annotations

import argparse
import json
from itertools import groupby
from os.path import dirname, normpath

from laconic.box import written
from laconic.box.inside import is_inside
from laconic.box.launch import open_box, project_of
from laconic.box.plan import Plan, make_plan
from laconic.cli import main as command_line
from laconic.cli.main import complain
from laconic.cli.run import report
from laconic.errors import LaconicError
from laconic.report.text import visible
from laconic.run.execute import execute
from laconic.run.launcher import typed_name
from laconic.run.options import RAW, Flag, read_flags
from laconic.run.task import Task
from laconic.settings.environ import environment
from laconic.settings.load import current_directory, read_settings

_MOST_SHOWN = 6
NO_BOX = 125  # as timeout, env and chroot say that they themselves failed
_JSON = Flag("--json", "with `show`: print JSON")
_YES = Flag("--yes", "with `learn`: do not ask")
_SHOW, _KEEP, _RESET, _LEARN = "show", "keep", "reset", "learn"
_OWN = ([_SHOW], [_KEEP], [_RESET], [_LEARN])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for flag in (RAW, _JSON, _YES):
        parser.add_argument(flag.name, action="store_true", help=flag.help)
    text = (
        "the command as it is typed; or `show`, to see what the box allows; `keep PATH` puts into "
        "the home what a command has written there; `reset` forgets all that is in the box only; "
        "`learn` lets boxes reach the hosts that your package managers fetch from"
    )
    parser.add_argument("command", nargs="+", metavar="COMMAND", help=text)


def direct(argv: list[str]) -> int:
    if argv[:1] in _OWN and argv[1:] in (["-h"], ["--help"]):
        return command_line.main(["box", "--help"])
    if argv[:1] == [_SHOW] and argv[1:] in ([], [_JSON.name]):
        return _show(as_json=len(argv) > 1)
    if argv[:1] == [_KEEP] and len(argv) > 1:
        return _keep(argv[1:])
    if argv == [_RESET]:
        return _reset()
    if argv[:1] == [_LEARN] and argv[1:] in ([], [_YES.name]):
        from laconic.cli import box_learn  # noqa: PLC0415 - for few commands

        return box_learn.run(is_agreed=len(argv) > 1)
    values, command = read_flags("box", argv, (RAW,))
    task = Task(command)
    task.is_raw = bool(values["--raw"])
    return run_boxed(task)


def run_boxed(task: Task) -> int:
    """Run a task in the box; if there can be none, say why, and do not run it."""
    environ, cwd = environment(), here()
    launcher = typed_name(environ)
    outside = f"{launcher} run --outside {task.command}"
    try:
        project = task.project or project_here()
        settings = read_settings(environ, project if task.project else cwd)
        is_elsewhere = bool(task.project)
        opened = open_box(
            project, cwd, settings, environ,
            words=task.argv, outside=outside, is_elsewhere=is_elsewhere,
        )  # fmt: skip
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


def _keep(paths: list[str]) -> int:
    plan = _plan_outside()
    for path in paths:
        written.keep(plan, normpath(f"{here()}/{path}" if path[:1] != "/" else path))
        print(f"{visible(path)} is in the home now")
    return 0


def _reset() -> int:
    plan = _plan_outside()
    size = written.reset(plan)
    print(f"forgot {size / 1e6:.1f} MB that commands have written outside of {plan.project}")
    return 0


def _plan_outside() -> Plan:
    if is_inside():
        raise LaconicError("what is in the box only is looked after outside of it")
    environ = environment()
    return make_plan(project_here(), read_settings(environ, here()), environ)


def _document(plan: Plan) -> dict[str, object]:
    return {
        "project": plan.project,
        "network": "host" if plan.has_network else "listed" if plan.has_hosts else "none",
        "hosts": plan.hosts,
        "ports": plan.ports,
        "write": plan.write,
        "guarded": plan.guarded,
        "guarded_links": plan.links,
        "guarded_missing": plan.missing,
        "pinned": plan.pinned,
        "hidden": plan.hidden,
        "shown": plan.shown,
        "variables_dropped": plan.dropped,
        "home": "overlay" if plan.overlays else "links",
        "written": written.find_written(plan),
        "directory": plan.directory,
    }


def _print(plan: Plan) -> None:
    def table(title: str, paths: list[str]) -> None:
        print(f"{title}:" if paths else f"{title}: nothing")
        for above, names in groupby(sorted(paths), dirname):
            group = list(names)
            is_long = bool(above) and len(group) > _MOST_SHOWN
            shown = [f"{above}/… ({len(group)} names)"] if is_long else group
            for path in shown:
                print(f"  {visible(path)}")

    network = "no network but its own loopback"
    if plan.has_network:
        network = "the network as it is"
    elif plan.hosts or plan.ports:
        network = "a network that leads to what is listed"
    print(f"The box of {visible(plan.project)} has {network}.")
    if not plan.has_network:
        table("hosts that it reaches", plan.hosts)
        table("ports of this machine that it reaches", [str(port) for port in plan.ports])
    table("can be written", [*plan.write, "its own temporary directories"])
    way = "it can be read" if plan.overlays else f"{plan.home_path} has links to it"
    print(f"the home: {way}, and what is written there stays in the box")
    table("written there so far, without caches", written.find_written(plan))
    table("can be read only, because it decides what runs later", [*plan.guarded, *plan.links])
    print(f"cannot be created: {len(plan.missing)} more such files")
    table("cannot be read", plan.hidden)
    table("variables that are taken out", plan.dropped)
    print("Everything else can be read, and not written.")
