"""Tells whether a command is typed to run in the box: `laconic run --box pytest`.

The box has to be that of the project, because of the directory or by name; no variable that
laconic itself reads when it makes the box may be set on the line; and nothing else on the line may
open files, because a command in the box could have put a link there.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.places import is_within
from laconic.shell.walk import redirects
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.options import Parsed
    from laconic.reading.call import Call
    from laconic.reading.judge import Judge
    from laconic.shell.ast import Command, Redirect, Script
    from laconic.shell.walk import Occurrence

OURS = frozenset(("laconic", "laconic-py"))
_BESIDE = frozenset(": [ cd echo exit export false printf pwd set sleep test true wait".split())
_FILTERS = frozenset("cat head tail wc sort uniq".split())
# Variables that laconic reads itself when it makes a box, or that say what a box has to hide.
_HEEDED = pattern(
    r"(?:LACONIC|GIT|XDG|LD|DYLD|PYTHON)\w*|TMPDIR"
    r"|\w*(?:PATH|HOME|DIR|FILE|RC|CONFIG|SOCK|CREDENTIALS|AUTHORITY)"
)


def judge_for(call: Call) -> Judge:
    """The judge for the command that a call of laconic runs: another one, if it is put in a box.

    What is to run outside of it is asked about where the profile wants it in the box.
    """
    judge, parsed = call.judge, call.parsed
    say = judge.say
    if not say.has_box:
        return judge
    is_run = call.path[1:] == ("run",)
    if is_run and parsed.has("--outside"):
        return judge.saying(say.outside_the_box(), is_in_box=False)
    is_boxed = call.path[1:] == ("box",) or (is_run and parsed.has("--box"))
    if not is_boxed or not _is_own_box(call, parsed):
        return judge
    return judge.saying(say.in_the_box(), is_in_box=True)


def _is_own_box(call: Call, parsed: Parsed) -> bool:
    """Tell whether it is the box of this project, and nothing else on the line opens files."""
    situation, facts = call.situation, call.judge.facts
    if not situation.boxable or any(map(_HEEDED.fullmatch, situation.prefix_env)):
        return False
    if named := parsed.values("--project"):
        return all(value.text == facts.project for value in named)
    return all(d and is_within(facts.real_path(d), facts.project) for d in situation.directories)


def has_only_boxed(script: Script, occurrences: list[Occurrence]) -> bool:
    """Tell whether nothing on a line opens files but what laconic itself runs."""
    if len(occurrences) > 1 and not all(map(_is_stream, redirects(script))):
        return False
    for one in occurrences:  # a later `cd` may follow a link, too
        is_first = not script.source[: one.command.start].strip()
        if one.command.words and literal(one.command.words[0]) == "cd" and not is_first:
            return False
    return all(_opens_nothing(one.command) for one in occurrences)


def _is_stream(redirect: Redirect) -> bool:
    target = literal(redirect.target) or ""
    is_copy = redirect.operator in (">&", "<&") and target.isdigit()
    return is_copy or redirect.heredoc is not None or target == "/dev/null"


def _opens_nothing(command: Command) -> bool:
    words = [literal(word) or "" for word in command.words] or [":"]
    files = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
    if words[0] == "grep":
        return len(files) == 1
    return words[0] in OURS or words[0] in _BESIDE or (words[0] in _FILTERS and not files)
