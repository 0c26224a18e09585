"""laconic help: explain a command, as `--help` after it does."""

from __future__ import annotations

import argparse

from laconic.cli import main as command_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", nargs="*", metavar="COMMAND", help="which one: `gain`, or `config set`"
    )


def main(args: argparse.Namespace) -> int:
    return command_line.main([*args.words, "--help"])
