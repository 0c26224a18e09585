"""Warns of names in the user's lists that laconic does not know: most of them are mistyped."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.knowledge.knowledge import Branch, Library
from laconic.policy.own_rules import words_of
from laconic.settings.config import Config
from laconic.settings.load import defaults
from laconic.settings.schema import closest

# The lists that name programs, and those that name subcommands of one.
_PROGRAMS = ("commands.allow", "commands.ask", "commands.deny", "wrappers.allow_floor",
             "wrappers.ask_floor")  # fmt: skip
_SUBCOMMANDS = ("git.read_only", "git.allowed_with_config", "cargo.safe_subcommands",
                "cargo.allowed_with_config", "kubectl.read_only", "kubectl.mutating",
                "kubectl.allowed_with_config", "gh.read_only", "gh.mutating",
                "gh.allowed_with_config")  # fmt: skip


def unknown_names(config: Config, library: Library) -> Iterator[tuple[str, str, str]]:
    """Return the list, what is wrong with an entry that the user added, and what may be meant."""
    for name in (*_PROGRAMS, *_SUBCOMMANDS):
        table, _, key = name.partition(".")
        own: tuple[str, ...] = getattr(getattr(config, table), key)
        built_in = getattr(getattr(defaults(), table), key)
        for entry in own:
            rule = entry if name in _PROGRAMS else f"{table} {entry}"
            found = None if entry in built_in else complaint(rule, library)
            if found:
                yield name, *found


def complaint(rule: str, library: Library) -> tuple[str, str] | None:
    """Say what laconic does not know of a rule's program and subcommand, and what may be meant."""
    words = words_of(rule) or tuple(rule.split())
    program = words[0] or ""
    if "/" in program:
        return None
    if not library.knows(program):
        return f"{program} is not a command that laconic knows", _meant(program, library.root)
    branch = library.root.words[program]
    word = words[1] if len(words) > 1 else None
    is_plain = word is not None and not word.startswith("-") and bool(branch.words)
    if not is_plain or word is None or branch.child(word) is not None:
        return None
    takes_files = branch.entry is not None and branch.entry.operands is not None
    if takes_files or branch.alternatives:
        return None
    return f"{program} {word} is not a subcommand that laconic knows", _meant(word, branch)


def _meant(word: str, branch: Branch) -> str:
    best = closest(word, branch.words)
    return f'did you mean "{best}"?' if best else ""
