"""Sees through programs that only run another one: the inner command decides, the outer is kept."""

from __future__ import annotations

from functools import cache

from laconic.knowledge.traits import inner, named, shells
from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.ast import Command, Literal, Quoted, Word
from laconic.shell.words import flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Library
    from laconic.rewrite.from_config import LocalWrapper
    from laconic.shell.ast import Assignment

MAX_DEPTH = 10
# A program cannot start what is part of the shell, so `laconic run` is inserted after it.
BUILTINS = frozenset(("command",))
# Builtins that print nothing.
SILENT = frozenset(("cd", "export", "set", "unset", "umask", "true", ":", "ulimit"))
GENERIC = "generic"  # in place of the id of a filter
_OF_LINE = pattern(r"-[elux]*c[elux]*")  # -c, perhaps with others that change nothing that is shown


@cache
def line_shells() -> frozenset[str]:
    """Those that read a line as bash does, as far as it matters which programs it runs."""
    return shells("sh", "bash", "zsh", "ksh")


@cache
def wrappers() -> frozenset[str]:
    """The first words of all of them; what a local wrapper is, the configuration says."""
    return BUILTINS.union(path.partition(" ")[0] for path in named("transparent"))


def shell_line(arguments: list[Argument]) -> str | None:
    """The text that a shell is given to run as its only argument: `bash -lc 'text'`."""
    texts = [argument.text for argument in arguments]
    if len(texts) != 3 or None in texts:  # noqa: PLR2004 - shell, -c, text
        return None
    name, option, line = (text or "" for text in texts)
    is_line = name.rsplit("/", 1)[-1] in line_shells() and _OF_LINE.fullmatch(option) is not None
    return line if is_line else None


def sequence(line: str) -> list[Command | None]:
    """The commands of a line one after another, without those that write into a pipe.

    None stands for what is not a simple command, and for one in the background.
    """
    try:
        body = parse(line.encode("utf-8", "surrogateescape")).body
    except ParseError:
        return [None]
    if any(mark is not None and mark.text == "&" for mark in body.separators):
        return [None]
    last = [pipeline.commands[-1] for item in body.items for pipeline in item.pipelines]
    every = [c for item in body.items for pipeline in item.pipelines for c in pipeline.commands]
    if not all(isinstance(command, Command) for command in every):
        return [None]
    return [command if isinstance(command, Command) else None for command in last]


def base_name(word: Word | Assignment) -> str:
    """The last part of a path, which may be known where the whole is not: `~/bin/ssh`."""
    if not isinstance(word, Word):
        return ""
    name = ""
    for part, _ in reversed(flat(word.parts)):
        if not isinstance(part, Literal | Quoted) or part.value is None:
            return ""
        _, slash, tail = part.value.rpartition("/")
        name = tail + name
        if slash:
            break
    return name


def inner_start(
    arguments: list[Argument], local: tuple[LocalWrapper, ...], library: Library
) -> tuple[int, list[Argument]]:
    """Where `laconic run` belongs, and the innermost command whose output it will be."""
    while arguments and arguments[0].text in BUILTINS:
        following = arguments[1:]
        if not following or following[0].leading.startswith("-") or not following[0].is_static:
            return arguments[0].start, []
        arguments = following
    innermost = arguments
    for _ in range(MAX_DEPTH):
        wrapped = _inside(innermost, local, library)
        if wrapped is None:
            break
        innermost = wrapped
    return (arguments[0].start if arguments else 0), innermost


def _inside(
    arguments: list[Argument], local: tuple[LocalWrapper, ...], library: Library
) -> list[Argument] | None:
    if not arguments or not arguments[0].is_static:
        return None
    name = (arguments[0].text or "").rsplit("/", 1)[-1]
    for wrapper in local:
        if wrapper.command == name and (behind := _behind_marker(arguments, wrapper)):
            return behind
    return inner(arguments, "transparent", library)


def _behind_marker(arguments: list[Argument], wrapper: LocalWrapper) -> list[Argument] | None:
    words = [argument.text for argument in arguments]
    if wrapper.subcommands and words[1:2] and words[1] not in wrapper.subcommands:
        return None
    marker = next((pos for pos, word in enumerate(words) if pos and word in wrapper.markers), None)
    return arguments[marker + 1 :] if marker is not None else None
