"""laconic test: show the failures of a test run, and its result."""

from __future__ import annotations

from laconic.cli import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run.add_arguments(parser, (run.RAW,))


def direct(argv: list[str]) -> int:
    return run.run_as("test", argv)
