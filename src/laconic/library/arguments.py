"""Where what a tool is called with holds commands, and the same with another command.

A text or bytes are a command; a list of words is one. In a mapping a command stands under a name
such as `command` or `cmd`, however deep, or where the gate's `tools` say.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from laconic.library.conditions import RuleError
from laconic.run.task import as_word

KEYS = ("command", "cmd", "run")
_SPELLINGS = frozenset(
    """
    argv bashcommand cmd cmdline cmds command commandline commands run script shellcommand
    shellcommands terminalcommand
    """.split()
)
_LINES = frozenset(("cmds", "commands", "shellcommands"))  # each item of such a list is a command
# How the tools of agents name the directory for a command.
DIRECTORY_KEYS = (
    "cwd", "workdir", "working_directory", "working_dir", "workingDirectory", "dir_path",
    "directory",
)  # fmt: skip
# Tools that take a command whatever they call it.
_SHELLS = frozenset(
    """
    bash bashtool cmd commandline execbash execcommand execshell executebash executecommand
    executeshell executeshellcommand localshell powershell pwsh runbash runcommand runinterminal
    runshell runshellcommand runterminalcmd runterminalcommand sh shell shellcommand shellexec
    shelltool terminal terminaltool zsh
    """.split()
)
# What editors of files take as their command, beside a path.
_EDITOR_VERBS = frozenset("create delete insert rename str_replace undo_edit view".split())
_DEPTH = 8

Step = str | int
# Names of tools that run commands, or where the commands are in the arguments of each: `command`,
# `args.line`, `commands[]`. None: the tool runs no commands.
Tools = Iterable[str] | Mapping[str, str | Iterable[str] | None]


class Found(NamedTuple):
    """Commands in a tool's arguments.

    command: the text that counts; place: the way to it in the arguments, None if it was made of
    several words or lines, so that it cannot be another one. others: what might be run as well.
    """

    command: str
    place: tuple[Step, ...] | None = ()
    others: tuple[str, ...] = ()


def declared(tools: Tools) -> dict[str, tuple[str, ...] | None]:
    """The places of commands in the arguments of each tool."""
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        raise RuleError("`tools` must be names, or a mapping from names to places of commands")
    if not isinstance(tools, Mapping):
        return dict.fromkeys(tools, KEYS)
    return {
        name: (places,) if isinstance(places, str) else None if places is None else tuple(places)
        for name, places in tools.items()
    }


def find(arguments: object, tool: str = "", paths: Sequence[str] = ()) -> Found | None:
    """The commands that a tool is called with; None if there are none.

    Raises RuleError for what cannot be judged. tool: its name, if it is not certain that it runs
    commands. paths: where its commands are, if that was declared.
    """
    found = list(_commands(arguments, tool, paths))
    if not found:
        _refuse_unknown(arguments, tool, paths)
        return None
    first, *others = found
    return first._replace(others=(*first.others, *(other.command for other in others)))


def with_command(arguments: object, place: tuple[Step, ...], command: str) -> object:
    """The same arguments with another command; all else is kept, and so is their shape."""
    if not place:
        is_bytes = isinstance(arguments, bytes)
        return command.encode("utf-8", "surrogateescape") if is_bytes else command
    step, *rest = place
    if isinstance(arguments, Mapping):
        return {**arguments, step: with_command(arguments[step], tuple(rest), command)}
    assert isinstance(arguments, list | tuple)
    items = list(arguments)
    items[int(step)] = with_command(items[int(step)], tuple(rest), command)
    return items if isinstance(arguments, list) else tuple(items)


def has_command(schema: object) -> bool:
    """Tell whether the JSON Schema of a tool's arguments has a name where a command is found."""
    if isinstance(schema, list | tuple):
        return any(map(has_command, schema))
    if not isinstance(schema, Mapping):
        return False
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and any(map(_is_spelling, properties)):
        return True
    return any(has_command(part) for part in schema.values())


def is_shell(tool: str) -> bool:
    """Tell whether a tool takes a command, by its name alone."""
    return _normal(tool) in _SHELLS


def directory_of(arguments: object) -> str | None:
    """The directory that a tool is told to run its command in; None if it is not told any.

    Raises for what cannot be judged: two of them, and `~`, which not every tool expands.
    """
    if not isinstance(arguments, Mapping):
        return None
    told = {os.fspath(arguments[key]) for key in DIRECTORY_KEYS if arguments.get(key)}
    if not told:
        return None
    place, *others = told
    if others or not isinstance(place, str) or place.startswith("~"):
        named = ", ".join(sorted(map(repr, told)))
        raise RuleError(f"name one directory, by its path: {named}")
    return place


def _commands(arguments: object, tool: str, paths: Sequence[str]) -> Iterator[Found]:
    if not isinstance(arguments, Mapping):
        yield from _held(arguments, (), is_lines=False)
        return
    if paths:
        for path in paths:
            yield from _at(arguments, path.split("."), ())
        return
    if tool and not is_shell(tool) and _is_editor(arguments):
        return
    found = list(_below(arguments, (), _DEPTH))
    yield from found
    if not found and is_shell(tool):
        yield from _only_text(arguments)


def _below(arguments: object, place: tuple[Step, ...], depth: int) -> Iterator[Found]:
    """The commands under names such as `command`, those of this level first."""
    if depth == 0:
        raise RuleError("the arguments are nested too deep to be looked through")
    if isinstance(arguments, list | tuple):
        for index, item in enumerate(arguments):
            yield from _below(item, (*place, index), depth - 1)
    if not isinstance(arguments, Mapping):
        return
    named = [key for key in arguments if _is_spelling(key)]
    named.sort(key=lambda key: KEYS.index(key) if key in KEYS else len(KEYS))
    for key in named:
        yield from _held(arguments[key], (*place, key), is_lines=_normal(key) in _LINES)
    for key, value in arguments.items():
        if isinstance(value, Mapping | list | tuple):
            yield from _below(value, (*place, key), depth - 1)


def _held(value: object, place: tuple[Step, ...], *, is_lines: bool) -> Iterator[Found]:
    """The command that a value is: a text, words, or the lines of a list."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        yield from [Found(value, place)] if value.strip() else []
        return
    if not isinstance(value, list | tuple) or not value or isinstance(value[0], Mapping):
        return  # what a mapping holds is found there
    if not is_lines and not isinstance(value[0], list | tuple):
        yield Found(_joined(value), None)
        return
    lines = [_joined(item) if isinstance(item, list | tuple) else _text(item) for item in value]
    if len(lines) == 1:
        is_text = isinstance(value[0], str | bytes)
        yield Found(lines[0], (*place, 0) if is_text else None)
    else:
        yield _together(lines)


def _together(lines: Sequence[str]) -> Found:
    """Several lines: one shell may run them all, or each has its own."""
    return Found("\n".join(lines), None, tuple(lines))


def _joined(words: Sequence[object]) -> str:
    return " ".join(as_word(_text(word)) for word in words)


def _text(value: object) -> str:
    if isinstance(value, int | float):
        return str(value)
    try:
        return os.fsdecode(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise RuleError(f"{value!r} is no word of a command") from error


def _at(value: object, steps: Sequence[str], place: tuple[Step, ...]) -> Iterator[Found]:
    """The commands at a declared path: `args.command`, `commands[]`, `steps[].run`."""
    if not steps:
        yield from _held(value, place, is_lines=False)
        return
    step, *rest = steps
    key = step.removesuffix("[]")
    if not isinstance(value, Mapping) or key not in value:
        return
    inner = value[key]
    if key == step:
        yield from _at(inner, rest, (*place, key))
    elif isinstance(inner, list | tuple):
        items = [
            found for n, item in enumerate(inner) for found in _at(item, rest, (*place, key, n))
        ]
        yield from [_together([item.command for item in items])] if len(items) > 1 else items
    else:
        yield from _at(inner, rest, (*place, key))


def _only_text(arguments: Mapping[str, object]) -> Iterator[Found]:
    texts = [key for key, value in arguments.items() if key not in DIRECTORY_KEYS and value]
    texts = [key for key in texts if isinstance(arguments[key], str | bytes | list | tuple)]
    if len(texts) == 1:
        yield from _held(arguments[texts[0]], (texts[0],), is_lines=False)


def _refuse_unknown(arguments: object, tool: str, paths: Sequence[str]) -> None:
    """What a shell would run although nobody has found a command in it is an error."""
    if isinstance(arguments, Mapping):
        if (paths or is_shell(tool)) and _has_text(arguments):
            raise RuleError(f"{tool} has no argument {', '.join(paths or KEYS)}")
    elif not isinstance(arguments, str | bytes | list | tuple | None):
        kind = type(arguments).__name__
        raise RuleError(f"a command is a text, bytes, a list of words or a mapping, not {kind}")


def _has_text(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_has_text(part) for key, part in value.items() if key not in DIRECTORY_KEYS)
    if isinstance(value, list | tuple):
        return any(map(_has_text, value))
    return isinstance(value, str | bytes) and bool(value.strip())


def _is_editor(arguments: Mapping[str, object]) -> bool:
    names_file = any(key in arguments for key in ("path", "old_path", "file_path"))
    return names_file and arguments.get("command") in _EDITOR_VERBS


def _is_spelling(key: object) -> bool:
    """Tell whether a tool may take a command by that name: `shell_command`, `Cmd`, `script`."""
    return _normal(key) in _SPELLINGS


def _normal(name: object) -> str:
    return str(name).lower().replace("_", "").replace("-", "")
