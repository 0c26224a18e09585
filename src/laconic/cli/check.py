"""laconic check: say whether a command may run; exit status 0 allow, 10 ask, 20 deny."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from laconic import engine
from laconic.cli import source
from laconic.cli.config import warn
from laconic.record.decisions import OWN
from laconic.report.explain import summary, to_json
from laconic.report.screen import screen

if TYPE_CHECKING:
    import argparse

_STATUS = {"allow": 0, "ask": 10, "deny": 20}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source.add_arguments(parser)


def main(args: argparse.Namespace) -> int:
    request, settings = source.read_request(args, "check")
    decision = engine.decide(
        request.command, request.cwd, settings, environ=request.environ, use_up_exceptions=True
    )
    request.agent = OWN
    engine.record(request, decision, settings)
    warn((*settings.problems, *decision.problems))
    if args.json:
        facts = {"version": 1, "answer": engine.answer(decision, settings)}
        print(json.dumps({**facts, **to_json(decision, request.command)}, indent=1))
    else:
        print("\n".join(summary(decision, screen())))
    return _STATUS[decision.verdict.word]
