"""Where `cd` and its like lead to: the directories that later commands may run in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from laconic.files import upwards
from laconic.knowledge.arguments import expand
from laconic.patterns import pattern
from laconic.reading.places import Facts
from laconic.reading.situation import Situation
from laconic.shell.ast import (
    AndOr,
    Command,
    Compound,
    DoubleQuoted,
    Function,
    Loop,
    Node,
    Substitution,
    Word,
)
from laconic.shell.words import literal

_SETS_OPTIONS = frozenset("set setopt unsetopt emulate options".split())
_RUNS_TEXT = frozenset("eval source . alias trap".split())
# `-w` and the names are zsh's: https://zsh.sourceforge.io/Doc/Release/Options.html
_PHYSICAL = pattern(r"[-+]\w*[Pw]\w*|(?i:physical|(?:no)?chase(?:links|dots))")
_TOP_LEVEL = ["git", "rev-parse", "--show-toplevel"]
_GIT_ELSEWHERE = frozenset(
    ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES")
)


class Reached:
    """The directories of commands that run only if a `cd` before them worked.

    `cd x && a && b`: a and b run in x. What follows the list may run in either place.
    """

    __slots__ = ("_ends", "_nodes", "_spans")

    def __init__(self, all_nodes: list[Node], facts: Facts) -> None:
        self._nodes = all_nodes
        self._ends: dict[int, int] = {}
        self._spans: list[tuple[int, int, list[str]]] = []
        if "CDPATH" in facts.environment or any(map(_is_repeated, all_nodes)):
            return  # a `cd ..` that runs again leads elsewhere each time
        for node in all_nodes:
            if isinstance(node, AndOr):
                self._ends.update(_chains(node))

    def note(self, command: Command, reached: list[str]) -> None:
        """A `cd` leads here: for certain in what depends on it, perhaps in all that follows."""
        end = self._ends.get(command.start)
        if end is not None and all(reached):
            self._spans.append((command.end, end, reached))
            return
        for start, last, directories in list(self._spans):
            if start <= command.start < last:
                self._spans.append((command.end, last, [*directories, *reached]))

    def at(self, node: Node) -> list[str]:
        """The directories that the node certainly runs in; none if nothing says so."""
        inside = [dirs for start, end, dirs in self._spans if start <= node.start < end]
        return list(inside[-1]) if inside else []

    def follow(self, command: Command, situation: Situation, facts: Facts) -> list[str]:
        """Add the directories that a `cd` leads to, and give them."""
        return _follow(command, situation, facts, lambda: self._goes_by_text(command, situation))

    def _goes_by_text(self, command: Command, situation: Situation) -> bool:
        """Tell whether a `cd` takes `..` away before it follows links, as shells do unless told.

        https://www.gnu.org/software/bash/manual/html_node/Bourne-Shell-Builtins.html#index-cd
        """
        options = _words(command)
        if situation.calls or any(o is None or _PHYSICAL.fullmatch(o) for o in options):
            return False  # whoever runs the shell may have given it the option
        return not any(isinstance(node, Command) and _may_set_it(node) for node in self._nodes)


def _may_set_it(command: Command) -> bool:
    """Tell whether a command may make `cd` follow links: `set -P`, zsh's `setopt CHASE_LINKS`."""
    words = _words(command)
    if not _RUNS_TEXT.isdisjoint(words):
        return True
    return not _SETS_OPTIONS.isdisjoint(words) and any(
        word is None or _PHYSICAL.fullmatch(word.replace("_", "")) for word in words
    )


def _words(command: Command) -> list[str | None]:
    return [literal(word) for word in command.words]


def _is_repeated(node: Node) -> bool:
    is_while = isinstance(node, Compound) and node.kind in ("while", "until")
    return is_while or isinstance(node, Loop | Function)


def _chains(node: AndOr) -> Iterator[tuple[int, int]]:
    """The start of each simple command, and where what depends on its success ends."""
    for position, operator in enumerate(node.operators):
        pipeline = node.pipelines[position]
        is_plain = len(pipeline.commands) == 1 and not pipeline.negations
        is_certain = operator.text == "&&" and is_plain
        if is_certain and all(o.text == "&&" for o in node.operators[position:]):
            yield pipeline.commands[0].start, node.end


def _follow(
    command: Command, situation: Situation, facts: Facts, goes_by_text: Callable[[], bool]
) -> list[str]:
    targets = [
        argument
        for argument in expand(command.words, situation.values)
        if argument.text not in ("command", "builtin")
        and (not argument.leading.startswith("-") or argument.text == "-")
    ]
    target = targets[1] if len(targets) > 1 else None
    last = command.words[-1]
    if target is not None and target.start == last.start and _is_top_level(last):
        target.text = _top_level(situation, facts)
    return situation.enter_directory(target, facts, goes_by_text)


def _is_top_level(word: Node) -> bool:
    """`"$(git rev-parse --show-toplevel)"`, with quotes or without."""
    while isinstance(word, Word | DoubleQuoted) and len(word.parts) == 1:
        word = word.parts[0]
    if not isinstance(word, Substitution) or word.style not in ("$(", "`"):
        return False
    pipelines = [pipeline for item in word.body.items for pipeline in item.pipelines]
    commands = [command for pipeline in pipelines for command in pipeline.commands]
    if len(commands) != 1 or not isinstance(commands[0], Command):
        return False
    only = commands[0]
    is_plain = not (only.assignments or only.redirects)
    return is_plain and [literal(word) for word in only.words] == _TOP_LEVEL


def _top_level(situation: Situation, facts: Facts) -> str | None:
    """The work tree around the directory, None if it is not certain which that is."""
    directories = situation.directories
    if len(directories) != 1 or not directories[0] or "git" in situation.functions:
        return None
    changed = (*facts.environment, *situation.seen.unknown_vars, *situation.exported)
    if not _GIT_ELSEWHERE.isdisjoint(changed):
        return None
    above = upwards(facts.real_path(directories[0]))
    return next((place for place in above if facts.exists(f"{place}/.git")), None)
