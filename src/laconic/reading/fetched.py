"""What a line fetches and then runs: code that nobody knows, wherever in the project it lies.

A file that is fetched, a repository that is cloned, an archive that is unpacked: what runs from
there is not the project's own code, and neither is a build or a test run with such a file in it,
unless the file can only be data. What is fetched and run as it comes has an effect of its own.
"""

from __future__ import annotations

import posixpath

from laconic.knowledge.arguments import expand
from laconic.patterns import pattern
from laconic.reading.input_text import opens_output
from laconic.reading.places import is_within, joined
from laconic.shell.ast import Pipeline
from laconic.types import Effect, Kind, union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.reading.call import Call
    from laconic.reading.judge import Judge
    from laconic.reading.places import Facts
    from laconic.reading.situation import Situation
    from laconic.shell.ast import Command, Node, Script
    from laconic.shell.walk import Occurrence
    from laconic.types import Decision

# Names of files that build and test tools do not run or load.
_DATA = pattern(
    r".*\.(?:bz2|csv|db|gif|gz|html?|ico|jpe?g|jsonl?|log|md|mp[34]|parquet|pdf|png|sqlite|svg|tar"
    r"|tgz|tsv|txt|wav|webp|woff2?|xlsx?|xz|zip|zst)"
)
_SETTINGS = frozenset("package.json composer.json deno.json tsconfig.json project.json".split())
_FETCHERS = frozenset("aria2c curl http https wget xh".split())
GOES_OUT = Effect.DOWNLOADS | Effect.SENDS
_RUNS_INPUT = frozenset((Kind.STDIN, Kind.INPUT, Kind.DYNAMIC))
_SHELL_CODE = frozenset(f"{shell}/code" for shell in "sh bash dash ksh zsh fish eval".split())
_RUNS_TEXT = frozenset((*_RUNS_INPUT, Kind.CODE, Kind.FILE))
_ADDRESS = pattern(rb"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"`|&;<>()]+")
_LONGEST = 80


def note_fetched(call: Call) -> None:
    """Remember the files that a call writes with what comes from elsewhere."""
    effects = call.effects
    if not effects & Effect.PROJECT_WRITE or effects & Effect.HISTORY:
        return
    seen, facts = call.situation.seen, call.judge.facts
    is_fetched = bool(effects & Effect.DOWNLOADS) or not _FETCHERS.isdisjoint(
        call.situation.fed_by()
    )
    if not is_fetched and seen.fetched:
        named = [t for argument in call.arguments for t in argument.texts if t]
        paths = [joined(cwd, t) for cwd in call.situation.directories for t in named]
        is_fetched = not seen.fetched.isdisjoint(end for path in paths for end in facts.ends(path))
    if is_fetched:
        seen.fetched |= call.written or {
            end for one in call.situation.directories for end in facts.ends(one)
        }


def note_redirected(
    command: Command, decision: Decision, situation: Situation, facts: Facts
) -> None:
    """The same for what a command prints to a file."""
    if not decision.effects & Effect.DOWNLOADS and _FETCHERS.isdisjoint(situation.fed_by()):
        return
    targets = tuple(r.target for r in command.redirects if opens_output(r))
    names = [argument.text for argument in expand(targets, situation.values) if argument.text]
    for cwd in situation.directories:
        for name in names:
            situation.seen.fetched.update(facts.ends(joined(cwd, name)))


def is_fetched(path: str, situation: Situation) -> bool:
    """Tell whether the line fetches the file or directory, or code into that directory."""
    return any(
        is_within(path, one) or (is_within(one, path) and _may_be_code(one))
        for one in situation.seen.fetched
    )


def _may_be_code(path: str) -> bool:
    name = posixpath.basename(path).lower()
    return name in _SETTINGS or _DATA.fullmatch(name) is None


# -- what runs as it comes -------------------------------------------------------------------------


def fetched_findings(
    occurrences: list[Occurrence],
    parts: list[Decision],
    script: Script,
    judge: Judge,
    situation: Situation,
) -> list[Decision]:
    """Where a line runs what it fetches: by a pipe, a substitution, a variable or a file.

    parts: what each of the occurrences does, and then what else does something.
    """
    pairs = list(zip(occurrences, parts, strict=False))
    fetching = [one for one, part in pairs if part.effects & GOES_OUT]
    for one, part in pairs:
        for source in fetching:
            if _runs_output_of(source, one, part, script):
                why = f"runs what it fetches from {_address(source, script)}"
                span = one.command.start, one.command.end
                return [judge.finding(Effect.RUNS_FETCHED, "runs-fetched", why, span)]
    seen, span = situation.seen, (0, len(script.source))
    if seen.ran & seen.fetched:
        address = _address(fetching[0], script) if fetching else "the network"
        why = f"runs a file that the same line fetches from {address}"
        effects = Effect.INSTALLS | Effect.RUNS_FETCHED
        return [judge.finding(effects, "runs-fetched", why, span)]
    if seen.ran & seen.written and union(part.effects for part in parts) & Effect.DOWNLOADS:
        reason = "runs a file that the same line fetches"
        return [judge.finding(Effect.INSTALLS, "fetched-code", reason, span)]
    return []


def _runs_output_of(source: Occurrence, one: Occurrence, part: Decision, script: Script) -> bool:
    """Tell whether a command runs as code what another one prints."""
    start, end = source.command.start, source.command.end
    if one is source or not part.effects & Effect.UNCLEAR:
        return False
    kinds = {leaf.kind for leaf in part.leaves() if leaf.effects & Effect.UNCLEAR}
    if kinds.isdisjoint(_RUNS_TEXT):
        return False
    is_inside = one.command.start <= start and end <= one.command.end
    is_kept = source.context.assigned and end <= one.command.start
    if is_inside or is_kept:
        return True
    is_by_shell = any(leaf.kind is Kind.CODE and leaf.rule in _SHELL_CODE for leaf in part.leaves())
    return (is_by_shell or not kinds.isdisjoint(_RUNS_INPUT)) and any(
        before.start <= start and end <= before.end
        for before, after in _pipes(script)
        if after.start <= one.command.start and one.command.end <= after.end
    )


def _pipes(script: Script) -> Iterator[tuple[Node, Node]]:
    """What stands anywhere on the left of a pipe, with what reads it."""
    for pipeline in script.nodes_of(Pipeline):
        for pos, after in enumerate(pipeline.commands):
            yield from ((before, after) for before in pipeline.commands[:pos])


def _address(source: Occurrence, script: Script) -> str:
    text = script.source[source.command.start : source.command.end]
    found = _ADDRESS.search(text)
    return found[0].decode("utf-8", "replace")[:_LONGEST] if found else "the network"
