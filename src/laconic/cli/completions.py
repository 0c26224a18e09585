"""laconic completions: print the completions for your shell, made from the argparse tree."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from laconic.cli import completion_scripts as scripts
from laconic.cli.completion_values import KINDS, values
from laconic.cli.main import build_parser
from laconic.errors import UsageError

# What a value is, by its name in the help; below, where a name alone does not say it.
_BY_NAME = {"AGENT": "agents", "KEY": "keys", "DIR": "directories"}
_BY_NAME |= {"FILE": "files", "PATH": "files"}
_BY_PLACE = {
    ("recall", "id"): "outputs",
    ("purge", "id"): "outputs",
    ("undo", "id"): "undo",
    ("keep", "id"): "tried",
    ("drop", "id"): "tried",
    ("filters show", "id"): "filters",
    ("filters test", "id"): "filters",
    ("filters new", "--from"): "outputs",
    ("rules show", "id"): "rules",
    ("run", "--filter"): "filters",
    ("allow", "--remove"): "allowances",
    ("help", "words"): "commands",
    ("trust", "path"): "directories",
    ("untrust", "path"): "directories",
}
_RUNNING = frozenset(("run", "err", "test", "summary", "box", "try"))


class Word(NamedTuple):
    text: str
    help: str


class Level(NamedTuple):
    """What can follow a command path such as `config show`.

    values: of each option that takes one, its kind or its choices, with blanks between. operand:
    the kind of the words that are not options. is_command: those are a command of another program.
    """

    path: str
    words: tuple[Word, ...]
    values: dict[str, str]
    operand: str = ""
    is_command: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", nargs="?", choices=sorted(_SHELLS), help="which shell")
    # What the completions themselves call.
    parser.add_argument("--values", choices=sorted(KINDS), help=argparse.SUPPRESS)


def main(args: argparse.Namespace) -> int:
    if args.values:
        for text, about in values(args.values):
            print(f"{text}\t{about}" if about else text)
        return 0
    if not args.shell:
        raise UsageError("which shell?", f"laconic completions {'|'.join(sorted(_SHELLS))}")
    print(_SHELLS[args.shell](list(levels(build_parser()))))
    return 0


def levels(parser: argparse.ArgumentParser, path: str = "") -> Iterator[Level]:
    words: list[Word] = []
    found: dict[str, str] = {}
    operand = ""
    children: list[tuple[str, argparse.ArgumentParser]] = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            words += [Word(name, helps.get(name, "")) for name in action.choices]
            children += action.choices.items()
        elif action.help != argparse.SUPPRESS:
            names = action.option_strings or [str(choice) for choice in action.choices or ()]
            words += [Word(name, action.help or "") for name in names]
            if action.option_strings and action.nargs != 0:
                found |= dict.fromkeys(names, _kind(path, action))
            elif not action.option_strings and not action.choices:
                operand = operand or _kind(path, action)
    yield Level(path, tuple(words), found, operand, path in _RUNNING)
    for name, child in children:
        yield from levels(child, f"{path} {name}".strip())


def _kind(path: str, action: argparse.Action) -> str:
    if action.choices:
        return " ".join(map(str, action.choices))
    name = (action.option_strings or [action.dest])[-1]
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    return _BY_PLACE.get((path, name), _BY_NAME.get(metavar, ""))


_SHELLS = {"bash": scripts.bash, "zsh": scripts.zsh, "fish": scripts.fish}
