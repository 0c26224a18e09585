"""Finds the shell that the host uses, and the command inside `bash -lc '...'`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from os.path import isabs

from laconic.files import is_there
from laconic.knowledge.arguments import Argument, evaluate
from laconic.knowledge.traits import shells
from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.ast import Command, Redirect, Script
from laconic.shell.walk import commands
from laconic.shell.words import literal

SHELL_VARIABLE = "LACONIC_CODEBUDDY_SHELL"
_DEEPEST = 5
_OURS = pattern(r"laconic(?:-py)?(?:\.(?:exe|cmd|bat|ps1))?")
_PYTHONS = pattern(r"(?:python|pypy)[0-9.]*(?:\.exe)?|py(?:\.exe)?")
_NODES = pattern(r"(?:node|bun|deno)(?:js)?(?:\.exe)?")
_SCRIPT = pattern(
    r"(?:.*[/\\])?[^/\\]*laconic[^\s]*\.[cm]?js|.*[/\\][^/\\]*laconic[^/\\]*[/\\].*\.[cm]?js"
)
_TEXT = pattern(r"\blaconic(?:-py)?(?:\.\w+)?['\"]?\s+(?:wrap|run|err|test|summary)\b")


def host_shell(asked: str, environ: Mapping[str, str]) -> str | None:
    """Return the shell for a command: as asked for, by the variables, bash, sh; None if none.

    A name is looked up on the PATH; a shell that is missing or cannot be executed is skipped.
    """
    wanted = (asked, environ.get(SHELL_VARIABLE, ""), environ.get("SHELL", ""), "bash", "sh")
    path = os.get_exec_path(environ)
    return next((found for name in wanted if (found := _usable(name.strip(), path))), None)


def _usable(name: str, path: Sequence[str]) -> str | None:
    if not name:
        return None
    candidates = [name] if "/" in name else [f"{directory}/{name}" for directory in path]
    for candidate in candidates:
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):  # noqa: PTH113
            return candidate
    return None


class Inner:
    """The command inside a command line.

    command: the text that the innermost shell runs; None without a shell. arguments: those of its
    only command; empty if it has several commands, or is dynamic.
    """

    def __init__(self, command: str | None, arguments: list[Argument]) -> None:
        self.command, self.arguments = command, arguments


def unwrap(argv: Sequence[str]) -> Inner:
    """Unwrap `SHELL -c 'line'` (also -lc, -l -c), also when nested."""
    line: str | None = None
    words = list(argv)
    for _ in range(_DEEPEST):
        inside = _line_of(words)
        if inside is None:
            break
        line = inside
        arguments = sole_command(line)
        texts = [argument.text for argument in arguments if argument.is_static]
        if not arguments or len(texts) < len(arguments):
            return Inner(line, arguments)
        words = [text or "" for text in texts]
    return Inner(line, arguments_of(words))


def arguments_of(words: Sequence[str]) -> list[Argument]:
    return [Argument(word, 0, 0) for word in words]


def sole_command(line: str) -> list[Argument]:
    """Return the arguments of a line that is one simple command whose output reaches the reader."""
    try:
        script = parse(line.encode("utf-8", "surrogateescape"))
    except ParseError:
        return []
    command = _sole(script)
    if command is None or not all(map(_joins_streams, command.redirects)):
        return []
    return evaluate(command.words, {})


def last_commands(line: str) -> list[list[Argument]]:
    """Return the arguments of every command of a line whose output may reach the reader."""
    try:
        script = parse(line.encode("utf-8", "surrogateescape"))
    except ParseError:
        return []
    return [
        evaluate(found.command.words, {})
        for found in commands(script)
        if found.command.words and not found.context.feeds_pipe
    ]


def is_wrapped(line: str) -> bool:
    """Tell whether laconic already runs any command of a line, by whatever name it is called.

    The whole line is searched: a wrapped command after `cd x &&` must not be wrapped again.
    Text that cannot be parsed counts as wrapped when it looks so.
    """
    try:
        script = parse(line.encode("utf-8", "surrogateescape"))
    except ParseError:
        return _TEXT.search(line) is not None
    return any(_is_ours([literal(w) or "" for w in c.command.words]) for c in commands(script))


def _is_ours(words: Sequence[str]) -> bool:
    name = re.split(r"[/\\]", words[0])[-1] if words else ""
    if _OURS.fullmatch(name):
        return True
    if _PYTHONS.fullmatch(name):
        return ("-m", "laconic") in pairwise(words)
    if _NODES.fullmatch(name):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        return _SCRIPT.fullmatch(script) is not None
    inside = _line_of(words)
    return inside is not None and is_wrapped(inside)


def _line_of(words: Sequence[str]) -> str | None:
    """Return the line in `SHELL [options] -c line`; further words are its parameters."""
    for pos, word in enumerate(words[1:], 1):
        if not re.fullmatch(r"-[A-Za-z]+|--[a-z-]+", word):
            return None
        if not word.startswith("--") and "c" in word:
            is_line = pos + 1 < len(words) and _is_shell(words[0])
            return words[pos + 1] if is_line else None
    return None


def _is_shell(path: str) -> bool:
    return re.split(r"[/\\]", path)[-1].removesuffix(".exe") in shells()


def _joins_streams(redirect: Redirect) -> bool:
    """Tell whether a redirect is like `2>&1`, which involves no file."""
    target = literal(redirect.target) if redirect.heredoc is None else None
    return redirect.operator == ">&" and target in ("1", "2")


def _sole(script: Script) -> Command | None:
    items = script.body.items
    if len(items) != 1 or len(items[0].pipelines) != 1:
        return None
    if any(mark is not None and mark.text == "&" for mark in script.body.separators):
        return None
    pipeline = items[0].pipelines[0]
    command = pipeline.commands[0]
    is_alone = len(pipeline.commands) == 1 and not pipeline.negations
    return command if is_alone and isinstance(command, Command) and command.words else None


def usable_shell(asked: object, environ: Mapping[str, str]) -> str:
    """Return the shell that takes the command with -lc, or "" where there is none.

    A tool that asks for another kind of shell means another language; a path where nothing is
    means none, and the next shell in the list counts.
    """
    wanted = asked if isinstance(asked, str) else ""
    is_missing = isabs(wanted) and not is_there(wanted)
    if wanted and _name(wanted) not in shells() and not is_missing:
        return ""
    shell = host_shell(wanted, environ) or ""
    return shell if isabs(shell) and _name(shell) in shells() else ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]
