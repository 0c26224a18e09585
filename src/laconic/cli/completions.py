"""laconic completions: print the completions for your shell, made from the argparse tree."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from laconic.cli.main import build_parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Word(NamedTuple):
    text: str
    help: str


class Level(NamedTuple):
    """The words that can follow a command path such as `config show`."""

    path: str
    words: tuple[Word, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=sorted(_SHELLS), help="which shell")


def main(args: argparse.Namespace) -> int:
    print(_SHELLS[args.shell](list(levels(build_parser()))))
    return 0


def levels(parser: argparse.ArgumentParser, path: str = "") -> Iterator[Level]:
    words: list[Word] = []
    children: list[tuple[str, argparse.ArgumentParser]] = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            words += [Word(name, helps.get(name, "")) for name in action.choices]
            children += action.choices.items()
        else:
            names = action.option_strings or [str(choice) for choice in action.choices or ()]
            words += [Word(name, action.help or "") for name in names]
    yield Level(path, tuple(words))
    for name, child in children:
        yield from levels(child, f"{path} {name}".strip())


def _bash(tree: list[Level]) -> str:
    paths = "|".join(f'"{level.path}"' for level in tree if level.path)
    cases = "\n".join(
        f'        "{level.path}") words="{" ".join(word.text for word in level.words)}" ;;'
        for level in tree
    )
    return f"""\
_laconic() {{
    local path="" words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{path:+$path }}${{COMP_WORDS[i]}}" in
            {paths}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$path" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _laconic laconic"""


def _zsh(tree: list[Level]) -> str:
    paths = "|".join(f'"{level.path}"' for level in tree if level.path)
    cases = "\n".join(
        f'        "{level.path}") entries=({" ".join(map(_zsh_word, level.words))}) ;;'
        for level in tree
    )
    return f"""\
#compdef laconic
_laconic() {{
    local where="" word
    local -a entries
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        case "${{where:+$where }}$word" in
            {paths}) where="${{where:+$where }}$word" ;;
        esac
    done
    case "$where" in
{cases}
    esac
    _describe laconic entries || _files
}}
if [[ "${{funcstack[1]}}" == _laconic ]]; then _laconic "$@"; else compdef _laconic laconic; fi"""


def _zsh_word(word: Word) -> str:
    return _single_quoted(f"{word.text}:{word.help}")


def _fish(tree: list[Level]) -> str:
    lines = [
        "function __laconic_at",
        '    set -l seen (string match --invert -- "-*" (commandline -opc)[2..])',
        '    test "$seen" = "$argv"',
        "end",
    ]
    for level in tree:
        for word in level.words:
            option = word.text.lstrip("-")
            flag = {0: f"-f -a {word.text}", 1: f"-s {option}", 2: f"-l {option}"}
            kind = flag[len(word.text) - len(option)]
            at = _single_quoted(f"__laconic_at {level.path}".strip())
            lines.append(f"complete -c laconic -n {at} {kind} -d {_single_quoted(word.help)}")
    return "\n".join(lines)


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_SHELLS: dict[str, Callable[[list[Level]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
