"""Builds argparse's tree of commands and options; loaded only when it is needed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

from laconic import __version__
from laconic.cli.main import Command
from laconic.errors import UsageError
from laconic.settings.schema import closest

_LIKENESS = 0.7  # options are short: with less, anything is like anything
_ABOUT = "Stands between coding agents and the shell."
_END = """\
laconic alone shows the status; laconic help COMMAND explains a command."""


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises its errors, so that one place prints them all."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Since Python 3.14 help is coloured (https://docs.python.org/3/library/argparse.html#color),
        # without asking whether an agent reads it.
        self.color = False

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"{self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name what was probably meant; argparse alone would list all choices."""
        choices = [str(choice) for choice in action.choices or ()]
        if action.choices is None or value in action.choices:
            return

        what = action.metavar or (action.option_strings or [action.dest])[-1]
        best = closest(str(value), choices)
        hint = f"did you mean: {best}" if best else f"one of: {', '.join(choices)}"
        raise UsageError(f"{what}: there is no {value!r}", hint)

    def hint_for(self, argv: Sequence[str], word: str) -> str:
        """Say what to type instead of an option that does not exist."""
        *_, level = _levels(self, argv)
        known = {name.lstrip("-"): name for name in level._option_string_actions}  # noqa: SLF001 - nothing else lists them
        best = closest(word.partition("=")[0].lstrip("-"), known, _LIKENESS)
        if best and word.startswith("-"):
            return f"did you mean: {known[best]}"
        return f"{level.prog} --help"


def _levels(parser: argparse.ArgumentParser, argv: Sequence[str]) -> Iterator[Any]:
    """Return the parsers that a command line leads through: `laconic`, `laconic config` ..."""
    yield parser
    for action in parser._actions:  # noqa: SLF001 - as above
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for number, word in enumerate(argv):
                if word in action.choices:
                    yield from _levels(action.choices[word], argv[number + 1 :])
                    return


class _Root(Parser):
    """`laconic` itself, whose help has its commands in groups."""

    groups: Mapping[str, Sequence[Command]]

    def format_help(self) -> str:
        width = max(len(each.name) for group in self.groups.values() for each in group)
        lines = ["usage: laconic [--color WHEN] COMMAND ...", "", _ABOUT]
        for title, commands in self.groups.items():
            lines += [
                "",
                f"{title}:",
                *(f"  {each.name:{width}}  {each.help}" for each in commands),
            ]
        lines += ["", "options:"]
        for action in self._get_optional_actions():
            name = ", ".join(action.option_strings)
            lines.append(
                f"  {f'{name} {action.metavar}' if action.metavar else name:{width + 4}}"
                f"  {action.help}"
            )
        return "\n".join([*lines, "", _END, ""])


def add_actions(parser: argparse.ArgumentParser) -> Callable[[str, str], argparse.ArgumentParser]:
    """Add actions to a command; the function that is returned adds one, with its name and help."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=text, description=text, allow_abbrev=False)

    return action


def build_parser(groups: Mapping[str, Sequence[Command]], only: str | None) -> Parser:
    parser = _Root(prog="laconic", description=_ABOUT, allow_abbrev=False)
    parser.groups = groups
    parser.add_argument(
        "--version", action="version", version=f"laconic {__version__}", help="print the version"
    )
    parser.add_argument(
        "--color",
        metavar="WHEN",
        choices=("auto", "always", "never"),
        help="auto (on a terminal), always or never; also after COMMAND",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for command in (each for group in groups.values() for each in group):
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
