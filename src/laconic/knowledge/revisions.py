"""Substitutions that give names of git's objects: hexadecimal digits, and so never an option.

Names of tags and branches are not among them, because they may begin with a dash, and come with a
repository: after `git update-ref refs/tags/--output=x HEAD`, `git describe --tags` prints that.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern

# Options with which nothing else is printed, nor anything put before it (as --boundary does):
# https://git-scm.com/docs/git-rev-list https://git-scm.com/docs/git-merge-base
# https://git-scm.com/docs/git-rev-parse https://git-scm.com/docs/git-log#_pretty_formats
_COMMITS = (
    r"-\d+|-n|\d+|-n\d+|--max-count=\d+|--skip=\d+|--reverse|--(?:no-)?merges|--first-parent|--all"
    r"|--topo-order|--date-order|--ancestry-path|--(?:max|min)-parents=\d+|--(?:since|until|after"
    r"|before|author|grep)=[^-].*"
)
_OPTIONS = {
    "merge-base": pattern(r"-a|--all|--octopus|--independent|--fork-point"),
    "rev-parse": pattern(r"--short(?:=\d+)?|--verify|-q|--quiet"),
    "rev-list": pattern(rf"{_COMMITS}|--abbrev-commit|--abbrev=\d+"),
    "log": pattern(_COMMITS),
}
_FORMATS = pattern(r"(?:--format=|--pretty=(?:t?format:)?|--pretty=)%[Hh]")
# What lets some of the lines through, and changes none.
_PICKS = {
    "head": pattern(r"-\d+|-n ?\d+|-n|\d+"),
    "tail": pattern(r"-\d+|-n ?\d+|-n|\d+"),
    "sed": pattern(r"-n|(?:\d+|\$)(?:,(?:\d+|\$))?p"),
}


def prints_revisions(commands: list[list[Argument]]) -> bool:
    """Tell whether a pipeline prints names of objects, one on each line, and nothing else.

    commands: their arguments, the program among them.
    """
    first, *others = commands
    if len(first) < 2 or first[0].text != "git":  # noqa: PLR2004 - a subcommand
        return False
    verb = first[1].text or ""
    allowed = _OPTIONS.get(verb)
    if allowed is None:
        return False
    has_format = verb != "log"
    for argument in first[2:]:
        text = argument.text
        if text == "--" or argument.is_revision:
            continue
        if text is None or argument.glob:
            return False
        if _FORMATS.fullmatch(text):
            has_format = True
        elif text.startswith("-") and not allowed.fullmatch(text):
            return False
    return has_format and all(map(_only_picks, others))


def _only_picks(words: list[Argument]) -> bool:
    allowed = _PICKS.get(words[0].text or "")
    return allowed is not None and all(
        word.is_static and allowed.fullmatch(word.text or "") for word in words[1:]
    )
