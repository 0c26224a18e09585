"""What a line fetches and then runs: code that nobody knows, wherever in the project it lies.

A file that is fetched, a repository that is cloned, an archive that is unpacked: what runs from
there is not the project's own code, and neither is a build or a test run with such a file in it,
unless the file can only be data. What is fetched and run as it comes has an effect of its own.
"""

from __future__ import annotations

import posixpath

from laconic.knowledge.arguments import expand
from laconic.patterns import pattern
from laconic.reading.acts import Verb
from laconic.reading.input_text import opens_output
from laconic.reading.places import is_within, joined
from laconic.reading.project_runners import REPOSITORIES
from laconic.shell.ast import Command, Function, Pipeline
from laconic.shell.words import literal
from laconic.types import Effect, Kind, union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.knowledge.arguments import Argument
    from laconic.reading.call import Call
    from laconic.reading.judge import Judge
    from laconic.reading.places import Facts
    from laconic.reading.situation import ProgramCall, Situation
    from laconic.shell.ast import Node, Script
    from laconic.shell.walk import Occurrence
    from laconic.types import Decision

# Names of files that build and test tools do not run or load.
_DATA = pattern(
    r".*\.(?:bz2|csv|db|gif|gz|html?|ico|jpe?g|jsonl?|log|md|mp[34]|parquet|pdf|png|sqlite|svg|tar"
    r"|tgz|tsv|txt|wav|webp|woff2?|xlsx?|xz|zip|zst)"
)
_SETTINGS = frozenset("package.json composer.json deno.json tsconfig.json project.json".split())
_FETCHERS = frozenset(
    """
    GET aria2c axel curl curlie elinks fetch ftp http https httpie lftp links lwp-download
    lwp-request lynx w3m wget xh xhs
    """.split()
)
GOES_OUT = Effect.DOWNLOADS | Effect.SENDS
# What puts commits into the work tree.
_CHECKS_OUT = Effect.HISTORY | Effect.DISCARDS
_TAKES_COMMITS = frozenset(("fetch", "pull"))
RUNS_TEXT = Effect.UNCLEAR | Effect.INSTALLS
_RUNS_INPUT = frozenset((Kind.STDIN, Kind.INPUT, Kind.DYNAMIC))
_READS_INTO_VARIABLES = frozenset(("mapfile", "read", "readarray"))
_RUNS_TEXT = frozenset((*_RUNS_INPUT, Kind.CODE, Kind.FILE))
_ADDRESS = pattern(rb"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"`|&;<>()]+")
# `https://..`, `git@host:..`, but no path: https://git-scm.com/docs/git-clone#_git_urls
_ELSEWHERE = pattern(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://|[\w.-]+@[\w.-]+:")
_LONGEST = 80
NETWORK = "the network"


def note_fetched(call: Call) -> None:
    """Remember the files that a call writes with what comes from elsewhere."""
    effects, seen, facts = call.effects, call.situation.seen, call.judge.facts
    if call.path[0] in _FETCHERS and not call.written and call.path[0] not in ("curl", "wget"):
        note_unknown(call.arguments, call.situation, facts)
    is_repository = bool(effects & Effect.HISTORY) or call.path[0] in REPOSITORIES
    takes_commits = call.path[0] in REPOSITORIES and not _TAKES_COMMITS.isdisjoint(call.path)
    if takes_commits and _brings_other(call):
        seen.commits = seen.commits or _source(call)
    if not effects & (Effect.PROJECT_WRITE | Effect.GUARDED_WRITE | _CHECKS_OUT):
        return
    if is_repository and not (_brings_other(call) or seen.commits):
        return
    is_fetched = bool(effects & Effect.DOWNLOADS) or not _FETCHERS.isdisjoint(
        call.situation.fed_by()
    )
    source = _source(call) if is_fetched else ""
    if is_repository and seen.commits:
        is_fetched, source = True, seen.commits
    if not is_fetched and (before := {**facts.fetched(), **seen.fetched}):
        named = [t for argument in call.arguments for t in argument.texts if t]
        paths = [joined(cwd, t) for cwd in call.situation.directories for t in named]
        ends = [end for path in paths for end in facts.ends(path)]
        within = (one for one in seen.fetched for end in ends if is_within(end, one))
        known = next((end for end in (*ends, *within) if end in before), None)
        is_fetched = known is not None
        source = before[known] if known is not None else ""
    if is_fetched:
        around = (end for one in call.situation.directories for end in facts.ends(one))
        seen.fetched.update(dict.fromkeys(call.written or around, source))
        facts.fetching.update(dict.fromkeys(call.written, source))


def _brings_other(call: Call) -> bool:
    """Tell whether what comes is another repository's: not the project's own, nor one of here."""
    words = [argument.text or "" for argument in call.arguments]
    is_told = any(_ELSEWHERE.match(word) for word in words)
    is_local = any(word[:1] in (".", "/", "~") for word in words)
    return is_told or ("clone" in call.path and not is_local)


def _source(call: Call) -> str:
    """The address among its words, else the first of the line."""
    source, script = _address_in([a.text or "" for a in call.arguments]), call.situation.script
    return source if source != NETWORK or script is None else _address(script.source)


def note_unknown(arguments: list[Argument], situation: Situation, facts: Facts) -> None:
    """The same for a program that is not known, with an address among its words."""
    words = [argument.text or "" for argument in arguments]
    if not any("://" in word for word in words):
        return
    source = _address_in(words)
    names = {word.partition("=")[2] or word.rstrip("/").rpartition("/")[2] for word in words}
    paths = [word for word in (*words, *names) if word and "://" not in word and word[0] != "-"]
    for cwd in situation.directories:
        for path in paths:
            facts.fetching.update(dict.fromkeys(facts.ends(joined(cwd, path)), source))


def note_redirected(
    command: Command, decision: Decision, situation: Situation, facts: Facts
) -> None:
    """The same for what a command prints to a file."""
    if not decision.effects & Effect.DOWNLOADS and _FETCHERS.isdisjoint(situation.fed_by()):
        return
    targets = tuple(r.target for r in command.redirects if opens_output(r))
    names = [argument.text for argument in expand(targets, situation.values) if argument.text]
    script = situation.script
    source = _address(script.source[command.start : command.end] if script else b"")
    for cwd in situation.directories:
        for name in names:
            fetched = dict.fromkeys(facts.ends(joined(cwd, name)), source)
            situation.seen.fetched.update(fetched)
            facts.fetching.update(fetched)


def is_fetched(path: str, situation: Situation) -> bool:
    """Tell whether the line fetches the file or directory, or code into that directory."""
    return any(
        is_within(path, one) or (is_within(one, path) and _may_be_code(one))
        for one in situation.seen.fetched
    )


def is_within_fetched(path: str, situation: Situation) -> bool:
    """Tell whether it is what the line fetches, or in a directory that it fetches."""
    return any(is_within(path, one) for one in situation.seen.fetched)


def is_brought(paths: set[str], situation: Situation) -> bool:
    """Tell whether one of the files comes from elsewhere, or nobody knows what is in it."""
    seen = situation.seen
    return any(path in seen.unread or is_fetched(path, situation) for path in paths)


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
    if situation.seen.commits:
        fetching += [one for one in occurrences if _reads_commits(one)]
    for one, part in pairs:
        for source in fetching:
            if _runs_output_of(source, one, part, script):
                why = f"runs what it fetches from {_of(source, script)}"
                span = one.command.start, one.command.end
                return [judge.finding(Effect.RUNS_FETCHED, "runs-fetched", why, span)]
    seen, span = situation.seen, (0, len(script.source))
    if seen.ran & seen.fetched.keys():
        address = _of(fetching[0], script) if fetching else NETWORK
        why = f"runs a file that the same line fetches from {address}"
        effects = Effect.INSTALLS | Effect.RUNS_FETCHED
        return [judge.finding(effects, "runs-fetched", why, span)]
    kinds = {leaf.kind for part in parts for leaf in part.leaves() if leaf.effects & Effect.UNCLEAR}
    if not kinds.isdisjoint(_RUNS_TEXT):
        acts = [act for program in seen.programs for act in program.acts]
        read = {end for act in acts for path in act.paths for end in judge.facts.ends(path)}
        read.update(path for one in seen.programs for path in _named(one, judge.facts))
        if any(is_within_fetched(path, situation) for path in read if path not in seen.fetched):
            why = "runs what the same line fetches"
            return [judge.finding(Effect.RUNS_FETCHED, "runs-fetched", why, span)]
    installing = [program for program in seen.programs if _installs(program)]
    named = {path for one in installing for path in (*_named(one, judge.facts), *_around(one))}
    if any(is_within_fetched(path, situation) for path in named):
        why = "installs what the same line fetches"
        effects = Effect.INSTALLS | Effect.RUNS_FETCHED
        return [judge.finding(effects, "runs-fetched", why, span)]
    if seen.ran & seen.written and union(part.effects for part in parts) & Effect.DOWNLOADS:
        reason = "runs a file that the same line fetches"
        return [judge.finding(Effect.INSTALLS, "fetched-code", reason, span)]
    return []


def _reads_commits(one: Occurrence) -> bool:
    """Tell whether it may print what the line has fetched into the repository."""
    words = one.command.words
    return bool(words) and literal(words[0]) in REPOSITORIES


def _installs(program: ProgramCall) -> bool:
    return program.call is not None and bool(program.call.effects & Effect.INSTALLS)


def _around(program: ProgramCall) -> list[str]:
    return [] if program.situation is None else program.situation.directories


def _runs_output_of(source: Occurrence, one: Occurrence, part: Decision, script: Script) -> bool:
    """Tell whether a command runs as code what another one prints."""
    start, end = source.command.start, source.command.end
    if one is source:
        return False
    if any(_is_all_of(leaf, source, script) for leaf in part.leaves()):
        return True
    kinds = {leaf.kind for leaf in part.leaves() if leaf.effects & Effect.UNCLEAR}
    if kinds.isdisjoint(_RUNS_TEXT):
        return False
    texts = (r.heredoc for r in one.command.redirects if r.heredoc is not None)
    is_inside = any(n.start <= start and end <= n.end for n in (one.command, *texts))
    is_fed = one.context.substitution == ">(" and start <= one.command.start <= end
    is_kept = end <= one.command.start and (source.context.assigned or _is_read(source, script))
    if is_inside or is_fed or is_kept:
        return True
    # of all code that is not known only that of a shell is firm
    is_by_shell = any(leaf.kind is Kind.CODE and leaf.firm for leaf in part.leaves())
    inside = [one for one in script.nodes_of(Function) if one.start <= start and end <= one.end]
    names = {function.name for function in inside}
    return (is_by_shell or not kinds.isdisjoint(_RUNS_INPUT)) and any(
        (before.start <= start and end <= before.end) or _calls(before, names, script)
        for before, after in _pipes(script)
        if after.start <= one.command.start and one.command.end <= after.end
    )


def _calls(part: Node, names: set[str], script: Script) -> bool:
    """Tell whether a part of a line calls one of these functions."""
    return bool(names) and any(
        part.start <= one.start and one.end <= part.end and literal(one.words[0]) in names
        for one in script.nodes_of(Command)
        if one.words
    )


def _is_all_of(leaf: Decision, source: Occurrence, script: Script) -> bool:
    """Tell whether the code of an interpreter is nothing but what is fetched: `node -e "$(..)"`."""
    if leaf.kind is not Kind.CODE or not leaf.start <= source.command.start < leaf.end:
        return False
    return not script.source[leaf.start : source.command.start].strip(b'"$(<` ')


def _is_read(source: Occurrence, script: Script) -> bool:
    """Tell whether what it prints becomes the value of a variable: `read x < <(..)`."""
    start, end = source.command.start, source.command.end
    return any(
        literal(node.words[0]) in _READS_INTO_VARIABLES
        and any(r.start <= start and end <= r.end for r in node.redirects)
        for node in script.nodes_of(Command)
        if node.words and node.redirects
    )


def _pipes(script: Script) -> Iterator[tuple[Node, Node]]:
    """What stands anywhere on the left of a pipe, with what reads it."""
    for pipeline in script.nodes_of(Pipeline):
        for pos, after in enumerate(pipeline.commands):
            yield from ((before, after) for before in pipeline.commands[:pos])


def _of(source: Occurrence, script: Script) -> str:
    return _address(script.source[source.command.start : source.command.end])


def _address(text: bytes) -> str:
    found = _ADDRESS.search(text)
    return found[0].decode("utf-8", "replace")[:_LONGEST] if found else NETWORK


def _address_in(words: list[str]) -> str:
    return _address(" ".join(words).encode("utf-8", "replace"))


# -- what was fetched before -----------------------------------------------------------------------


def remembered_findings(
    parts: list[Decision], script: Script, judge: Judge, situation: Situation
) -> list[Decision]:
    """Where a line runs a file that an earlier command has fetched, by its name or as a text."""
    seen, facts = situation.seen, judge.facts
    kinds = {leaf.kind for part in parts for leaf in part.leaves() if leaf.effects & Effect.UNCLEAR}
    paths = set(seen.ran)
    installing = [
        leaf for part in parts for leaf in part.leaves() if leaf.effects & Effect.INSTALLS
    ]
    installs = bool(installing)
    if not kinds.isdisjoint(_RUNS_TEXT) or installs:
        for program in seen.programs:
            acts = [act for act in program.acts if installs or act.verb is Verb.READ]
            paths |= {end for act in acts for path in act.paths for end in facts.ends(path)}
            paths |= set(_named(program, facts)) if installs else set()
    if installs and all(leaf.stays for leaf in installing):
        here = (one.situation.directories for one in seen.programs if one.situation is not None)
        paths.difference_update(*here)  # installed in itself, it is a project like any other
    before = facts.fetched() if paths else {}
    source = next((before[path] for path in sorted(paths) if path in before), None)
    if source is None:
        return []
    why = f"runs what an earlier command has fetched from {source}"
    effects = Effect.INSTALLS | Effect.RUNS_FETCHED
    return [judge.finding(effects, "runs-fetched", why, (0, len(script.source)))]


def _named(program: ProgramCall, facts: Facts) -> Iterator[str]:
    """The paths that the words of a program may be."""
    for cwd in program.situation.directories if program.situation is not None else ():
        for argument in program.arguments[1:]:
            yield from facts.ends(joined(cwd, argument.text)) if argument.text else ()
