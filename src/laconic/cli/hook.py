"""laconic hook: answer the hook of an agent; this module exists for `laconic hook --help`."""

from __future__ import annotations

import argparse

from laconic.agents.load import hooked
from laconic.hooks import hook


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="AGENT", help=", ".join(hooked()))
    parser.add_argument(
        "event",
        metavar="EVENT",
        nargs="?",
        default="",
        help="the event, for agents that do not send its name",
    )
    parser.add_argument("--escalate-deny", action="store_true", help="ask in place of a denial")


def main(args: argparse.Namespace) -> int:
    return hook.main([args.agent, args.event, *["--escalate-deny"] * args.escalate_deny])
