"""laconic summary: show the beginning and the end of an output, and what is wrong in it."""

from __future__ import annotations

from laconic.cli import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run.add_arguments(parser, (run.RAW,))


def direct(argv: list[str]) -> int:
    return run.run_as("summary", argv)
