"""laconic untrust: stop trusting a project's files."""

from __future__ import annotations

import argparse
from pathlib import Path

from laconic.cli.trust import add_path as add_arguments
from laconic.cli.trust import project_at
from laconic.errors import LaconicError
from laconic.settings import trust
from laconic.settings.load import read_directories

__all__ = ["add_arguments", "main"]


def main(args: argparse.Namespace) -> int:
    state_dir = read_directories().state
    # A project that no longer exists can still be untrusted.
    gone = Path(args.path).absolute() if args.path else None
    root = (
        gone if gone and trust.find_pin(state_dir, gone) else project_at(args.path, state_dir).root
    )
    if not trust.unpin(state_dir, root):
        raise LaconicError(f"{root}: was not trusted", "laconic trust --list")
    print(f"no longer trusted: {root}")
    return 0
