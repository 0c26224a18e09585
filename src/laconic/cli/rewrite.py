"""laconic rewrite: print what would run instead of a command, and why."""

from __future__ import annotations

import argparse
import json
import sys

from laconic import engine
from laconic.cli import source
from laconic.cli.config import warn
from laconic.rewrite.edits import Rewriting
from laconic.settings.load import process_environment, read_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source.add_command(parser)
    parser.add_argument(
        "--verbose", action="store_true", help="say on stderr what decided, for each segment"
    )


def main(args: argparse.Namespace) -> int:
    command = source.read_command(args.command, "rewrite")
    directory = source.directory_at(args.directory)
    settings = read_settings(process_environment(), directory)
    result = engine.rewrite(command, settings)
    warn(settings.problems)
    if args.json:
        print(json.dumps(_to_json(command, result), indent=1))
        return 0
    print(result.text, flush=True)
    if args.verbose or settings.environment.verbose:
        text = command.encode("utf-8", "surrogateescape")
        for note in result.notes:
            segment = text[note.start : note.end].decode("utf-8", "backslashreplace")
            print(f"{note.action}: {note.reason}: {segment}", file=sys.stderr)
    return 0


def _to_json(command: str, result: Rewriting) -> dict[str, object]:
    return {
        "version": 1,
        "command": command,
        "rewritten": result.text,
        "changed": result.text != command,
        "segments": [
            {"start": n.start, "end": n.end, "action": n.action, "reason": n.reason}
            for n in result.notes
        ],
    }
