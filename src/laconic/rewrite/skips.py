"""Finds the commands that `[skip] exclude` names, also after programs that only run them."""

from __future__ import annotations

from laconic.knowledge.traits import named
from laconic.patterns import compile_written
from laconic.rewrite.wrappers import wrappers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Library
    from laconic.rewrite.from_config import LocalWrapper

# Programs that run others, but do not hand on what they are given as it is.
_RUNNERS = frozenset("bun corepack doas parallel pipx pkexec sudo uvx watch xargs".split())


def is_excluded(
    entry: str,
    text: str,
    arguments: list[Argument],
    local: tuple[LocalWrapper, ...],
    library: Library,
) -> bool:
    """Tell whether an entry names the command: its first words, or a pattern that begins with ^.

    text: the command as typed, without variables before it. In doubt yes: it then runs as typed.
    """
    inside = list(_commands(arguments, local, library))
    if entry.startswith("^"):
        texts = (text, *(" ".join(words) for words in inside))
        return entry != "^" and any(map(compile_written(entry).search, texts))
    wanted = entry.split()
    return bool(wanted) and any(words[: len(wanted)] == wanted for words in inside)


def _commands(
    arguments: list[Argument], local: tuple[LocalWrapper, ...], library: Library
) -> Iterator[list[str]]:
    """Yield the words of the command, and of each command that a runner before it may run."""
    words = [argument.text or "" for argument in arguments]
    runners = _RUNNERS.union(wrappers(), named("hands-on"), (wrapper.command for wrapper in local))
    is_runner = bool(words) and words[0].rsplit("/", 1)[-1] in runners
    for start in range(len(words) if is_runner else min(1, len(words))):
        name = words[start].rsplit("/", 1)[-1]
        yield [name, *words[start + 1 :]]
        yield _without_global_options(name, arguments[start:], library)


def _without_global_options(name: str, arguments: list[Argument], library: Library) -> list[str]:
    """`git -C x push origin` as `git push origin`."""
    match = library.find(name, arguments[1:])
    if match is None:
        path, behind = [name], arguments[1:]
        while behind and behind[0].leading.startswith("-"):
            behind = behind[1:]
    else:
        path, behind = match.path, match.arguments
        if match.missing is not None:
            behind = behind[behind.index(match.missing) :]
    return [*path, *(argument.text or "" for argument in behind)]
