"""laconic explain: print why a command may or may not run, part by part."""

from __future__ import annotations

import argparse
import json

from laconic import engine
from laconic.cli import source
from laconic.cli.config import warn
from laconic.contain import look
from laconic.report.explain import tree
from laconic.report.screen import screen
from laconic.report.text import visible


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source.add_arguments(parser)


def main(args: argparse.Namespace) -> int:
    request, settings = source.read_request(args, "explain")
    decision = engine.decide(request.command, request.cwd, settings, environ=request.environ)
    shown, run = look(request, decision, settings)
    warn((*settings.problems, *decision.problems))
    if args.json:
        box = {"box": shown.in_box, "run": run} if run else {}
        print(json.dumps({"version": 1, **decision.to_dict(request.command), **box}, indent=1))
    else:
        runs = ["", f"runs: {visible(run)}"] if run else []
        print("\n".join((*tree(shown, request.command, screen()), *runs)))
    return 0
