"""Where `cd` and its like lead to: the directories that later commands may run in."""

from __future__ import annotations

from laconic.files import upwards
from laconic.knowledge.arguments import expand
from laconic.shell.ast import Command, DoubleQuoted, Substitution, Word
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.judge import Judge
    from laconic.shell.ast import Node

_TOP_LEVEL = ["git", "rev-parse", "--show-toplevel"]
_GIT_ELSEWHERE = frozenset(
    ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES")
)


def follow_directory(command: Command, judge: Judge) -> None:
    """Have the judge stand where a `cd` leads, too."""
    targets = [
        argument
        for argument in expand(command.words, judge.values)
        if argument.text not in ("command", "builtin")
        and (not argument.leading.startswith("-") or argument.text == "-")
    ]
    target = targets[1] if len(targets) > 1 else None
    last = command.words[-1]
    if target is not None and target.start == last.start and _is_top_level(last):
        target.text = _top_level(judge)
    judge.enter_directory(target)


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


def _top_level(judge: Judge) -> str | None:
    """The work tree around the directory, None if it is not certain which that is."""
    if len(judge.directories) != 1 or not judge.directories[0] or "git" in judge.functions:
        return None
    if not _GIT_ELSEWHERE.isdisjoint((*judge.facts.environment, *judge.changed, *judge.given)):
        return None
    above = upwards(judge.facts.real_path(judge.directories[0]))
    return next((place for place in above if judge.facts.exists(f"{place}/.git")), None)
