"""Names that a line gives another meaning: aliases, and programs that `hash` puts in their place.

https://www.gnu.org/software/bash/manual/html_node/Aliases.html
https://www.gnu.org/software/bash/manual/html_node/Bourne-Shell-Builtins.html (hash)
https://zsh.sourceforge.io/Doc/Release/Zsh-Modules.html#The-zsh_002fparameter-Module
"""

from __future__ import annotations

from collections.abc import Iterator

from laconic.knowledge.arguments import Argument
from laconic.shell.ast import Assignment, Command, Script, Word
from laconic.shell.words import literal, text

_TABLES = frozenset("BASH_ALIASES BASH_CMDS aliases galiases commands".split())


class Meanings:
    """The code that names may stand for. What is no text of the line asks where it is given."""

    def __init__(self, script: Script) -> None:
        self._source = script.source
        self._given: dict[str, list[tuple[int, str]]] = {}
        for command in script.nodes_of(Command):
            for name, code in _given_by(command):
                self._given.setdefault(name, []).append((command.start, code))

    def of(self, command: Command) -> list[Argument]:
        """What a command may be instead of the program of its name."""
        name = literal(command.words[0]) if command.words else None
        if name is None or name not in self._given:
            return []
        rest = text(self._source[command.words[0].end : command.end].decode("latin-1"))
        return [
            Argument(code + rest, command.start, command.end)
            for start, code in self._given[name]
            if start < command.start
        ]


def _given_by(command: Command) -> Iterator[tuple[str, str]]:
    for assignment in command.assignments:
        yield from _element(assignment)
    words = [_text(word) for word in command.words]
    while words[:1] in (["command"], ["builtin"]):
        del words[0]
    if words[:1] == ["hash"] and any(word.startswith("-") and "p" in word for word in words):
        operands = [word for word in words[1:] if not word.startswith("-")]
        yield from ((name, operands[0]) for name in operands[1:])
    elif words[:1] in (["alias"], ["hash"]):
        for word in words[1:]:
            name, equals, code = word.partition("=")
            if equals:
                yield name, code


def _text(word: Word | Assignment) -> str:
    return literal(word) or ""


def _element(assignment: Assignment) -> Iterator[tuple[str, str]]:
    if assignment.name in _TABLES and assignment.index is not None:
        code = literal(assignment.value) if isinstance(assignment.value, Word) else None
        yield assignment.index.text.strip("'\""), code or ""
