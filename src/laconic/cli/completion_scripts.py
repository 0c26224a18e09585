"""Writes completions for bash, zsh and fish.

The scripts are in data/, where `@paths@` and the like stand for its words. Values that change
(ids, names of filters) are asked of `laconic completions --values KIND`. After `laconic run` the
shell completes the rest as a line of its own.

https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html
https://zsh.sourceforge.io/Doc/Release/Completion-System.html
https://fishshell.com/docs/current/completions.html
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from laconic.cli.completion_values import KINDS
from laconic.shell.words import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from laconic.cli.completions import Level, Word

_DATA = Path(__file__).parent / "data"
_ASKED = frozenset(KINDS)
_PLACES = frozenset(("files", "directories"))
_ASK = "|".join(f"@{kind}" for kind in sorted(_ASKED))


def _marked(kind: str) -> str:
    """Tell a kind of value from a word: there is a command `filters`, too."""
    return f"@{kind}" if kind in _ASKED | _PLACES else kind


def _script(shell: str, tree: Sequence[Level], **parts: str) -> str:
    """The script of a shell with the words of laconic in the place of their names.

    paths: the commands; running: those that run another program; taking: their options that take a
    value.
    """
    commands = [level for level in tree if level.is_command]
    taking = sorted({option for level in commands for option in level.values})
    parts["paths"] = "|".join(f'"{level.path}"' for level in tree if level.path)
    parts["running"] = "|".join(level.path for level in commands)
    parts["taking"] = (" " if shell == "fish" else "|").join(taking)
    parts["ask"] = _ASK
    script = (_DATA / f"completions.{shell}").read_text("utf-8").rstrip("\n")
    for name, text in parts.items():
        script = script.replace(f"@{name}@", text)
    return script


def _kinds(tree: Sequence[Level]) -> Iterable[tuple[str, str]]:
    """Return the kind of value that follows a path with an option."""
    for level in tree:
        for option, kind in level.values.items():
            yield f"{level.path} {option}".strip(), _marked(kind)


# -- bash ------------------------------------------------------------------------------------------


def bash(tree: Sequence[Level]) -> str:
    words = "\n".join(
        f'        "{level.path}") words="{" ".join(word.text for word in level.words)}"'
        f'; kind="{_marked(level.operand)}" ;;'
        for level in tree
    )
    kinds = "\n".join(f'        "{place}") words="{kind}" ;;' for place, kind in _kinds(tree))
    return _script("bash", tree, words=words, kinds=kinds)


# -- zsh -------------------------------------------------------------------------------------------


def zsh(tree: Sequence[Level]) -> str:
    words = "\n".join(
        f'        "{level.path}") entries=({" ".join(map(_zsh_word, level.words))})'
        f"; kind={quoted(_marked(level.operand))} ;;"
        for level in tree
    )
    kinds = "\n".join(
        f'        "{place}") entries=(); kind={quoted(kind)} ;;' for place, kind in _kinds(tree)
    )
    return _script("zsh", tree, words=words, kinds=kinds)


def _zsh_word(word: Word) -> str:
    return quoted(f"{word.text}:{word.help}")


# -- fish ------------------------------------------------------------------------------------------


def fish(tree: Sequence[Level]) -> str:
    values = {option for level in tree for option in level.values}
    lines = _script("fish", tree, all=" ".join(sorted(values)))
    return "\n".join([lines, "complete -c laconic -f", *_fish_lines(tree)])


def _fish_lines(tree: Sequence[Level]) -> Iterable[str]:
    running = " ".join(level.path for level in tree if level.is_command)
    yield (f"complete -c laconic -n {quoted(f'__laconic_in {running}')} -a '(__laconic_command)'")
    for level in tree:
        at = quoted(f"__laconic_at {level.path}".strip())
        deep = quoted(f"__laconic_in {quoted(level.path)}") if level.path else at
        for word in level.words:
            option = word.text.lstrip("-")
            flag = {0: f"-a {word.text}", 1: f"-s {option}", 2: f"-l {option}"}
            kind = flag[len(word.text) - len(option)]
            value = _fish_values(level.values[word.text]) if word.text in level.values else ""
            where = deep if word.text.startswith("-") else at
            needs = f" -r {value}".rstrip() if word.text in level.values else ""
            about = quoted(word.help)
            yield f"complete -c laconic -n {where} {kind}{needs} -d {about}"
        if level.operand and not level.is_command:
            yield f"complete -c laconic -n {deep} {_fish_values(level.operand)}"


def _fish_values(kind: str) -> str:
    """Say where values come from; files are what fish completes unless -f is given."""
    if kind in _ASKED:
        return f"-f -a '(__laconic_values {kind})'"
    if kind == "directories":
        return "-f -a '(__fish_complete_directories)'"
    if kind == "files":
        return "-F"
    return f"-f -a {quoted(kind)}" if kind else "-f"
