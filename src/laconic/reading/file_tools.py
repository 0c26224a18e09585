"""Judges what an agent's own tools read, write, run and ask for, as if a command did it.

Secrets and guarded places count; what else a tool does to files is for the agent to ask about.
Where it does not ask (an open mode, the profile guard), so do places outside.
"""

from __future__ import annotations

from collections.abc import Iterable

from laconic.knowledge.arguments import Argument
from laconic.knowledge.knowledge import Branch, Entry, Match
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.judge import Judge
from laconic.reading.sending import address_harm
from laconic.reading.situation import Situation
from laconic.types import HARD, Decision, Effect

RULES = "file-tool"  # what the ids of these rules begin with
READS, WRITES, CHANGES = "reads", "writes", "changes"
RUNS, ASKS = "runs", "asks"  # a command, an address
_ESCAPE = pattern(r"%([0-9A-Fa-f]{2})")
_ENTRY = Entry(RULES, {}, "")
_NO_MATCH = Match(RULES, Branch(), [])


class FileUse:
    """A path and what a tool does there: it reads it, writes it anew, or changes what it reads.

    Or a command that it runs, or an address that it asks. glob: the path is a pattern.
    """

    __slots__ = ("access", "glob", "path")

    def __init__(self, path: str, access: str, *, glob: bool = False) -> None:
        self.path, self.access, self.glob = path, access, glob


def file_findings(
    uses: Iterable[FileUse], judge: Judge, situation: Situation, *, is_open: bool = False
) -> list[Decision]:
    """What speaks against it. is_open: the agent itself asks about nothing."""
    call = Call(_NO_MATCH, _ENTRY, judge, situation, (0, 0))
    for use in uses:
        if use.access == RUNS:
            ran = judge.nested(Argument(use.path, 0, 0), judge.facts.shells, situation)
            call.findings += ran.leaves()
        elif use.access == ASKS:
            if harm := address_harm(use.path):
                call.does(Effect.SYSTEM, "address", harm)
        else:
            _touch(call, use, judge)
    counts = HARD if is_open else HARD & ~Effect.OUTSIDE_WRITE
    return [finding for finding in call.findings if finding.effects & counts]


def _touch(call: Call, use: FileUse, judge: Judge) -> None:
    """What a path may mean: some tools take away the blanks around it."""
    path = _expanded(use.path, judge)
    for text in dict.fromkeys((path, path.strip())):
        argument = Argument(text, 0, 0, glob=use.glob)
        if use.access != WRITES:
            call.reads(argument)
        if use.access != READS:
            call.writes(argument)


def _expanded(path: str, judge: Judge) -> str:
    """Put the home for `~`, as tools do; no shell has done it before. Of an address, its path."""
    if path[:7].lower() == "file://":
        path = _unquoted(path[7:].removeprefix("localhost"))
    return f"{judge.facts.home}{path[1:]}" if path == "~" or path.startswith("~/") else path


def _unquoted(path: str) -> str:
    """The path of an address, `%2e` as a dot."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), path)
