"""Runs a command without the box, if the gate lets it: `laconic run --outside`.

The gate judges the command as it is. An agent's hook has put the question before the command comes
here; a person at a terminal is asked here, and can have the answer remembered for the project.
"""

from __future__ import annotations

import sys

from laconic import engine
from laconic.box.inside import is_inside
from laconic.cli.allow import remember_outside
from laconic.cli.box import NO_BOX, here
from laconic.cli.main import complain
from laconic.cli.run import report
from laconic.report.text import visible
from laconic.run.execute import execute
from laconic.run.task import Task
from laconic.settings.environ import environment, is_person
from laconic.settings.load import read_settings
from laconic.types import Decision, Verdict


def run_outside(task: Task) -> int:
    """Run a task as it is; 125 if the gate or the person says no."""
    if is_inside():
        complain("the command was not run: nothing leads out of the box", "run it in the box")
        return NO_BOX
    environ, cwd = environment(), here()
    request = engine.Request(task.command, cwd, environ)
    decision = engine.decide_request(request, read_settings(environ, cwd))
    is_asked = decision.verdict is Verdict.ASK and is_person(environ)
    if decision.verdict is Verdict.DENY or (is_asked and not _is_wanted(task.command, decision)):
        complain(f"the command was not run: {decision.reason}", "laconic explain says more")
        return NO_BOX
    return execute(task, report)


def _is_wanted(command: str, decision: Decision) -> bool:
    """Ask the person, with the reason; `a` answers for good, where that is possible."""
    print(f"without the box: {visible(command)}\n{visible(decision.reason)}", file=sys.stderr)
    choices = "[y/N]" if decision.firm else "[y/N/a: always in this project]"
    print(f"Run it? {choices} ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline().strip().lower()
    if answer in ("a", "always") and not decision.firm:
        remember_outside(command)
        return True
    return answer in ("y", "yes")
