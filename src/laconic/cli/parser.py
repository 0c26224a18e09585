"""Builds argparse's tree of commands and options; loaded only when it is needed."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from laconic import __version__
from laconic.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.cli.main import Command


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises its errors, so that one place prints them all."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"{self.prog} --help")


def build_parser(known: Iterable[Command], only: str | None) -> Parser:
    parser = Parser(
        prog="laconic",
        description="Stands between coding agents and the shell.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"laconic {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in known:
        child = commands.add_parser(
            command.name, help=command.help, description=command.help, allow_abbrev=False
        )
        if only in {None, command.name}:
            module = import_module(f"laconic.cli.{command.module}")
            if command.is_view:
                module.add_view_arguments(child)
            else:
                module.add_arguments(child)
            if not (command.is_direct or command.is_view):
                child.set_defaults(main=module.main)
    return parser
