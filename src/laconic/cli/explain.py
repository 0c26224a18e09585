"""laconic explain: print why a command may or may not run, part by part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from laconic import engine
from laconic.cli import source
from laconic.cli.config import warn
from laconic.report.explain import to_json, tree
from laconic.report.screen import screen

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source.add_arguments(parser)


def main(args: argparse.Namespace) -> int:
    request, settings = source.read_request(args, "explain")
    decision = engine.decide(request.command, request.cwd, settings, environ=request.environ)
    warn((*settings.problems, *decision.problems))
    if args.json:
        print(json.dumps({"version": 1, **to_json(decision, request.command)}, indent=1))
    else:
        print("\n".join(tree(decision, request.command, screen())))
    return 0
