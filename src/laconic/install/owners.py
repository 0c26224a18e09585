"""Tells whose hook a command in an agent's settings is: laconic's, or that of a similar tool."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.shell.words import literal

# Names that laconic's hooks have had; the last was CodeBuddy's, before it wrapped.
_VERBS = frozenset(("hook", "codebuddy-pre-tool-use", "codebuddy-post-tool-use"))
_NAMES = frozenset(("laconic", "laconic-py"))
_IN_FRONT = frozenset(("exec", "command", "env", "nice"))
_LEGACY_STATUS = "compacting bash output with laconic"
_COMMAND_KEYS = ("command", "bash", "exec", "linux", "osx")
# Tools that also gate, rewrite or compact commands. Rewrites of two tools do not compose.
RIVALS = ("tokf", "rtk", "cc-toolgate", "tokenjuice", "dippy", "nah")
_ENDING = pattern(r"\.(?:exe|cmd|bat)$")


def is_ours(handler: Mapping[str, Any]) -> bool:
    if handler.get("statusMessage") == _LEGACY_STATUS:
        return True
    return any(_runs_laconic(words) for words in _invocations(handler))


def _runs_laconic(words: list[str]) -> bool:
    while words and _base(words[0]) in _IN_FRONT:
        words = words[1:]
    if words[1:2] == ["-m"] and _base(words[0]).startswith("python"):
        words = words[2:]
    return len(words) > 1 and _base(words[0]) in _NAMES and words[1] in _VERBS


def rival_of(handler: Mapping[str, Any]) -> str:
    """Return the name of the similar tool that a hook belongs to, or nothing."""
    words = (word for invocation in _invocations(handler) for word in invocation)
    return next((name for word in words if (name := rival_named(_base(word)))), "")


def rival_named(base: str) -> str:
    """Return the tool that a program or file belongs to: `rtk`, `rtk-rewrite.sh`."""
    is_of = (name for name in RIVALS if base == name or base.startswith(_joined(name)))
    return next(is_of, "")


def _joined(name: str) -> tuple[str, ...]:
    return tuple(name + mark for mark in "-_.")


def _invocations(handler: Mapping[str, Any]) -> Iterator[list[str]]:
    """Return the words of each command in a handler, a shell's text or a program with arguments."""
    arguments = handler.get("args")
    if isinstance(arguments, list) and isinstance(handler.get("command"), str):
        yield [handler["command"], *(word for word in arguments if isinstance(word, str))]
        return
    action = handler.get("action")  # Kiro's
    for table in (handler, action if isinstance(action, dict) else {}):
        for text in (table.get(key) for key in _COMMAND_KEYS):
            if isinstance(text, str):
                yield from _words(text)


def _words(text: str) -> Iterator[list[str]]:
    source = text.encode("utf-8", "replace")
    try:
        occurrences = commands(parse(source))
    except ParseError:
        return
    for occurrence in occurrences:
        # In `"$HOME"/bin/x` the name of the program is known all the same.
        written = ((word, source[word.start : word.end]) for word in occurrence.command.words)
        yield [literal(word) or raw.decode().strip("\"'") for word, raw in written]


def _base(word: str) -> str:
    """Return the name of a program without its directory and suffix (.exe, .cmd)."""
    return _ENDING.sub("", re.split(r"[/\\]", word)[-1].lower())
