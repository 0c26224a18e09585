"""laconic err: show the errors and warnings of a command, with the lines around them."""

from __future__ import annotations

from laconic.cli import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run.add_arguments(parser, (run.RAW,))


def direct(argv: list[str]) -> int:
    return run.run_as("err", argv)
