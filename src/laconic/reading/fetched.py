"""What a line fetches and then runs: code that nobody knows, wherever in the project it lies.

A file that is fetched, a repository that is cloned, an archive that is unpacked: what runs from
there is not the project's own code, and neither is a build or a test run with such a file in it,
unless the file can only be data.
"""

from __future__ import annotations

import posixpath

from laconic.knowledge.arguments import expand
from laconic.patterns import pattern
from laconic.reading.input_text import opens_output
from laconic.reading.places import is_within, joined
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.reading.call import Call
    from laconic.reading.places import Facts
    from laconic.reading.situation import Situation
    from laconic.shell.ast import Command
    from laconic.types import Decision

# Names of files that build and test tools do not run or load.
_DATA = pattern(
    r".*\.(?:bz2|csv|db|gif|gz|html?|ico|jpe?g|jsonl?|log|md|mp[34]|parquet|pdf|png|sqlite|svg|tar"
    r"|tgz|tsv|txt|wav|webp|woff2?|xlsx?|xz|zip|zst)"
)
_SETTINGS = frozenset("package.json composer.json deno.json tsconfig.json project.json".split())
_FETCHERS = frozenset("aria2c curl http https wget xh".split())


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
