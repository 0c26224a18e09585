"""laconic server: show or stop the server that answers hooks; it starts and ends by itself."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from laconic.errors import LaconicError
from laconic.server import control, wire
from laconic.settings.load import process_environment

_NONE = "no server runs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for name, text, action in (
        ("status", "say whether it runs, since when, and what it has done", _status),
        ("stop", "end it; the next call starts another one", _stop),
        ("log", "print its log", _log),
    ):
        child = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        child.set_defaults(action=action)
        if action is _status:
            child.add_argument("--json", action="store_true", help="print JSON")
    serve = actions.add_parser("serve")  # a call that finds no server starts this
    serve.add_argument("base")
    serve.set_defaults(action=_serve)


def main(args: argparse.Namespace) -> int:
    status: int = args.action(args)
    return status


def _status(args: argparse.Namespace) -> int:
    said = control.ask(wire.Kind.STATUS, process_environment())
    if args.json:
        print(json.dumps({"version": 1, "runs": said is not None, "server": said}))
        return 0 if said else 1
    if said is None:
        print(_NONE)
        return 1
    for name, value in said.items():
        print(f"{name:8} {value}")
    return 0


def _stop(_args: argparse.Namespace) -> int:
    print("stopped" if control.stop(process_environment()) else _NONE)
    return 0


def _log(_args: argparse.Namespace) -> int:
    try:
        path = Path(f"{control.base(process_environment())}.log")
    except OSError as error:
        raise LaconicError(f"there is no place for a server: {error}") from error
    if path.exists():
        sys.stdout.write(path.read_text("utf-8", "replace"))
    return 0


def _serve(args: argparse.Namespace) -> int:
    from laconic.cli.question import answer  # noqa: PLC0415
    from laconic.knowledge.catalog import library  # noqa: PLC0415 - all of these take long to load
    from laconic.server.daemon import serve  # noqa: PLC0415
    from laconic.server.handlers import handlers, warm_up  # noqa: PLC0415

    library()
    warm_up()
    return 0 if serve(args.base, handlers(answer)) else 1
