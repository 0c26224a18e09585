"""Sees through programs that only run another one: the inner command decides, the outer is kept."""

from __future__ import annotations

from laconic.knowledge.options import Reading, Spec, parse_options
from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.ast import Command, Literal, Quoted, Word
from laconic.shell.words import flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Library
    from laconic.rewrite.configured import LocalWrapper
    from laconic.shell.ast import Assignment

MAX_DEPTH = 10
# Programs that run a command in the same environment with the same exit status, and how many
# operands come before it. `laconic run` is inserted before the program.
SEEN_THROUGH = dict.fromkeys(
    "nice|stdbuf|ionice|setsid|time|caffeinate|xvfb-run|uv run|npx|bunx|poetry run|pdm run"
    "|pipenv run|hatch run|rye run|pixi run|bundle exec|pnpm exec|yarn exec|npm exec|asdf exec"
    "|dotenv run".split("|"),
    0,
) | {"timeout": 1, "chrt": 1, "taskset": 1, "direnv exec": 1}
# A program cannot start what is part of the shell, so `laconic run` is inserted after it.
BUILTINS = frozenset(("command",))
# The first words of all of them; what a local wrapper is, the configuration says.
WRAPPERS = frozenset(("env", *BUILTINS, *(path.partition(" ")[0] for path in SEEN_THROUGH)))
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
# Builtins that print nothing, and those that change the directory.
SILENT = frozenset(("cd", "export", "set", "unset", "umask", "true", ":", "ulimit"))
MOVES = frozenset(("cd", "pushd", "popd", "chdir"))
GENERIC = "generic"  # in place of the id of a filter
_OF_LINE = pattern(r"-[elux]*c[elux]*")  # -c, perhaps with others that change nothing that is shown


def shell_line(arguments: list[Argument]) -> str | None:
    """The text that a shell is given to run as its only argument: `bash -lc 'text'`."""
    texts = [argument.text for argument in arguments]
    if len(texts) != 3 or None in texts:  # noqa: PLR2004 - shell, -c, text
        return None
    name, option, line = (text or "" for text in texts)
    is_line = name.rsplit("/", 1)[-1] in SHELLS and _OF_LINE.fullmatch(option) is not None
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
    inner = arguments
    for _ in range(MAX_DEPTH):
        wrapped = _inside(inner, local, library)
        if wrapped is None:
            break
        inner = wrapped
    return (arguments[0].start if arguments else 0), inner


def _inside(
    arguments: list[Argument], local: tuple[LocalWrapper, ...], library: Library
) -> list[Argument] | None:
    if not arguments or not arguments[0].is_static:
        return None
    name = (arguments[0].text or "").rsplit("/", 1)[-1]
    for wrapper in local:
        if wrapper.command == name and (behind := _behind_marker(arguments, wrapper)):
            return behind
    if name == "env":
        return _behind_env(arguments)
    return _behind_operands(name, arguments[1:], library)


def _behind_operands(
    name: str, arguments: list[Argument], library: Library
) -> list[Argument] | None:
    """Step over options that the library knows, and operands before the command."""
    words = [argument.text for argument in arguments[:1]]
    for path in (name, f"{name} {words[0]}" if words else name):
        if path not in SEEN_THROUGH:
            continue
        behind = arguments[path.count(" ") :]
        match = library.find(name, arguments)
        reading = Reading(Spec())
        if match is not None and match.entry is not None and " ".join(match.path) == path:
            reading = match.entry.reading(match.everywhere)
        parsed = parse_options(behind, reading, stop_at_operand=True)
        if parsed.problems or len(parsed.rest) <= SEEN_THROUGH[path]:
            return None
        return parsed.rest[SEEN_THROUGH[path] :]
    return None


def _behind_marker(arguments: list[Argument], wrapper: LocalWrapper) -> list[Argument] | None:
    words = [argument.text for argument in arguments]
    if wrapper.subcommands and words[1:2] and words[1] not in wrapper.subcommands:
        return None
    marker = next((pos for pos, word in enumerate(words) if pos and word in wrapper.markers), None)
    return arguments[marker + 1 :] if marker is not None else None


def _behind_env(arguments: list[Argument]) -> list[Argument] | None:
    """`env A=1 cmd`; with options it is left alone."""
    for pos, argument in enumerate(arguments[1:], start=1):
        if argument.leading.startswith("-") or not argument.leading:
            return None
        if "=" not in argument.leading:
            return arguments[pos:]
    return None
