"""laconic version: print the version."""

from __future__ import annotations

import argparse

from laconic import __version__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There is nothing to choose."""


def main(args: argparse.Namespace) -> int:
    del args
    print(f"laconic {__version__}")
    return 0
