"""laconic hook: answer the hook of an agent; for people, who do not call it, its help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.hooks import hook
from laconic.hooks.load import hooked

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="AGENT", help=", ".join(hooked()))
    parser.add_argument(
        "event", metavar="EVENT", nargs="?", default="", help="where the agent does not name it"
    )


def main(args: argparse.Namespace) -> int:
    return hook.main([args.agent, args.event])
