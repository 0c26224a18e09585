"""laconic check: say whether a command may run; exit status 0 allow, 10 ask, 20 deny.

What an agent's hook would run in the box is allowed, as the hook allows it.
"""

from __future__ import annotations

import argparse
import json

from laconic import engine
from laconic.cli import source
from laconic.cli.config import warn
from laconic.contain import look
from laconic.record.decisions import OWN
from laconic.report.explain import summary
from laconic.report.screen import screen
from laconic.report.text import visible

_STATUS = {"allow": 0, "ask": 10, "deny": 20}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source.add_arguments(parser)


def main(args: argparse.Namespace) -> int:
    request, settings = source.read_request(args, "check")
    decision = engine.decide(
        request.command, request.cwd, settings, environ=request.environ, use_up_allowances=True
    )
    request.agent = OWN
    shown, run = look(request, decision, settings)
    engine.record(request, shown, settings)
    warn((*settings.problems, *decision.problems))
    if args.json:
        facts = {"version": 1, "answer": engine.outcome(shown, settings).word}
        box = {"box": shown.in_box, "run": run} if run else {}
        print(json.dumps({**facts, **shown.to_dict(request.command), **box}, indent=1))
    else:
        print("\n".join((*summary(shown, screen()), *([f"runs: {visible(run)}"] if run else ()))))
    return _STATUS[shown.verdict]
