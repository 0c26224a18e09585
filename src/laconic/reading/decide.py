"""The verdict on a command line: in doubt, ask.

Everything that would run counts, wherever it is: lists, pipelines, substitutions, functions,
loops, here-documents; so do redirects and places where bash evaluates text a second time. The
strictest part decides. What cannot be parsed asks, and what a shell may run of it counts as well.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument, expand
from laconic.patterns import pattern
from laconic.reading.assignments import heeded_by_code_only
from laconic.reading.boxed import has_only_boxed
from laconic.reading.directories import Reached
from laconic.reading.evaluation import evaluation_findings
from laconic.reading.exports import changed_names, exports, value_of
from laconic.reading.fetched import (
    GOES_OUT,
    RUNS_TEXT,
    fetched_findings,
    note_redirected,
    remembered_findings,
)
from laconic.reading.file_tools import RULES, file_findings
from laconic.reading.functions import bombs, defined_functions
from laconic.reading.input_text import Inputs, named_program, opens_output, written
from laconic.reading.judge import Judge, noted
from laconic.reading.listed_secrets import listed_findings
from laconic.reading.other_shells import dialect_findings
from laconic.reading.places import joined
from laconic.reading.redirects import STANDARD_STREAMS, redirect_findings
from laconic.reading.scope import Scope, binding_findings, changes_directory
from laconic.reading.secret_variables import variable_findings
from laconic.reading.sending import Feeds
from laconic.reading.situation import ProgramCall, Situation, add_new
from laconic.reading.zsh import zsh_findings
from laconic.shell import ParseError, parse, parse_pieces
from laconic.shell.ast import Function, Word
from laconic.shell.walk import commands, evaluations, redirects
from laconic.shell.words import literal
from laconic.types import Decision, Effect, Verdict, strictest, union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from laconic.knowledge.knowledge import Library
    from laconic.reading.exports import Export
    from laconic.reading.file_tools import FileUse
    from laconic.reading.places import Facts
    from laconic.reading.say import Say
    from laconic.shell.ast import Command, Node, Redirect, Script
    from laconic.shell.walk import Occurrence


MAX_BYTES = 64 * 1024
_BASH_LIKE = frozenset(("bash", "zsh"))
# Without any of these in a text, zsh evaluates nothing in it that bash does not: there is no
# expansion or subscript, no quote that may hide a name, no builtin that reads or shifts variables.
_EVALUATED_BY_ZSH = pattern(rb"[$`\[(~+\\'\"]|shift|read|mapfile|getopts")
# Without any of these in a text, no command of it prints a text that the line itself gives.
_PRINTS = pattern(rb"[<'\"\\]|echo|printf|pwd|cat")


def decide(
    command: str,
    library: Library,
    say: Say,
    facts: Facts,
    programs: list[ProgramCall] | None = None,
) -> Decision:
    """Decide on a command line. It never raises: an error in laconic becomes a question.

    programs: a list that gets what the line runs; a caller who passes one calls `forget` later.
    """
    situation = Situation(facts)
    try:
        decision = _decide(command, Judge(library, say, facts, _decide), situation)
        if say.permissions:
            decision = say.line(decision, command)
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        reason = f"laconic failed on this command ({type(fault).__name__}: {fault})"
        size = len(command.encode("utf-8", "replace"))
        failed = Decision(Verdict.ASK, "fault", reason, 0, size, effects=Effect.UNJUDGED)
        decision = noted(failed, situation)
    if programs is None:
        forget(situation.seen.programs)
    else:
        programs += situation.seen.programs
    return decision


def read_line(command: str, library: Library, say: Say, facts: Facts) -> list[ProgramCall]:
    """Read what a line runs and what that does, without a verdict; the first is the shell itself.

    A fault of ours is a doubt about the line.
    """
    programs: list[ProgramCall] = []
    decide(command, library, say, facts, programs)
    return programs


def read_program(
    arguments: list[Argument], library: Library, say: Say, facts: Facts
) -> list[ProgramCall]:
    """The same for a program with its arguments, which no shell reads any more."""
    situation = Situation(facts)
    judge = Judge(library, say, facts, _decide)
    judge.command(arguments, (0, 0), situation)
    return situation.seen.programs


def forget(programs: list[ProgramCall]) -> None:
    """Take apart what refers to each other: without this only the collector would free it."""
    for program in programs:
        if program.call is not None:
            program.call.situation.seen.calls.clear()
        program.call = program.situation = None


def decide_files(
    uses: Iterable[FileUse], library: Library, say: Say, facts: Facts, *, is_open: bool = False
) -> Decision:
    """Decide on what a tool of an agent does to files, as `decide` does. Never raises.

    is_open: the agent itself asks about nothing.
    """
    judge = Judge(library, say, facts, _decide)
    try:
        findings = file_findings(uses, judge, Situation(facts), is_open=is_open)
    except Exception as fault:  # noqa: BLE001 - as above
        reason = f"laconic failed on these files ({type(fault).__name__}: {fault})"
        return Decision(Verdict.ASK, "fault", reason, effects=Effect.UNJUDGED)
    harmless = Decision(Verdict.ALLOW, RULES, "touches neither secrets nor guarded places")
    return strictest(findings, 0, 0) if findings else harmless


def _decide(command: str, judge: Judge, situation: Situation) -> Decision:
    source = command.encode("utf-8", "surrogatepass")  # half a character is refused as one line is
    if len(source) > MAX_BYTES:
        reason, span = "the command is too large to be judged", (0, len(source))
        return noted(judge.finding(Effect.UNJUDGED, "too-large", reason, span), situation)
    try:
        script = parse(source)
    except ParseError as error:
        return _unparsable(source, error, judge, situation)
    return _judge_script(script, judge, situation)


def _unparsable(source: bytes, error: ParseError, judge: Judge, situation: Situation) -> Decision:
    """Ask in every profile and mode; what can be read of it has its effects, and may deny."""
    reason, span = f"cannot be read: {error.message}", (error.offset, len(source))
    asks = judge.finding(Effect.UNJUDGED, "unparsable", reason, span, firm=True)
    found = [noted(asks, situation)]
    for piece in parse_pieces(source):
        decision = _judge_script(piece, judge, situation)
        is_in_place = piece.source == source
        found.append(decision if is_in_place else decision.about(0, len(source)))
    return strictest(found, 0, len(source))


class _Streams:
    """What flows into the commands of a script; few ask, so that it is looked up when they do.

    may_print: a command of it may print a text that the line itself gives.
    """

    __slots__ = ("_feeds", "_inputs", "_script", "_situation", "may_print")

    def __init__(self, script: Script, situation: Situation) -> None:
        self._script, self._situation = script, situation
        self._feeds: Feeds | None = None
        self._inputs: Inputs | None = None
        self.may_print = _PRINTS.search(script.source) is not None

    @property
    def feeds(self) -> Feeds:
        if self._feeds is None:
            self._feeds = Feeds(self._script.nodes(), around=self._situation.is_fed())
        return self._feeds

    @property
    def inputs(self) -> Inputs:
        if self._inputs is None:
            self._inputs = Inputs(self._script.nodes())
        return self._inputs


def _judge_script(script: Script, judge: Judge, outer: Situation) -> Decision:
    all_nodes, occurrences = script.nodes(), commands(script)
    functions = script.nodes_of(Function)
    scope = Scope(script, occurrences, outer)
    sites = evaluations(script, scope.fields)
    scope.follow(script, occurrences, sites, judge.library)
    is_ours = b"laconic" in script.source  # only laconic itself brings a command into the box
    situation = outer.but(
        functions=scope.functions,
        defined=defined_functions(script, occurrences) if functions else {},
        script_depth=len(outer.calls),
        boxable=outer.boxable and not functions and is_ours and has_only_boxed(script, occurrences),
        values=scope.start,
        script=script,
    )
    exported: list[Export] = []
    if judge.say.gates:
        exported = exports(script, situation.values, judge.facts)
        situation.seen.unknown_vars |= changed_names(all_nodes, occurrences, exported)
    reached = Reached(all_nodes, judge.facts) if scope.changes_directory else None
    streams = _Streams(script, situation)
    if b">" in script.source:
        _note_around(script, occurrences, situation, judge.facts)
    decisions = {  # in the order in which they run: what a substitution runs, before what it is in
        id(one): _judge_occurrence(one, exported, scope, streams, reached, judge, situation)
        for one in sorted(occurrences, key=lambda occurrence: occurrence.command.end)
    }
    parts = [decisions[id(one)] for one in occurrences]
    if b"export" in script.source:
        fine = heeded_by_code_only(script, occurrences, parts, judge.facts, situation)
        parts = [_without_exports(part, fine) for part in parts] if fine else parts
    for redirect in redirects(script):
        if _copies_stream(redirect):
            continue
        here = (reached and reached.at(redirect)) or situation.directories
        for values in scope.at(redirect, here):
            place = situation.but(values=values, directories=here)
            parts += redirect_findings(redirect, judge, place)
    effects = union([part.effects for part in parts])
    if effects & GOES_OUT:
        parts = [*fetched_findings(occurrences, parts, script, judge, situation), *parts]
    if situation.seen.ran or effects & RUNS_TEXT:
        parts = [*remembered_findings(parts, script, judge, situation), *parts]
    around = evaluation_findings(sites, all_nodes, script.source, scope.start) if sites else []
    if scope.binders or sites:
        around += binding_findings(scope.binders, sites, judge.facts.environment)
        around += _evaluated_texts(script, all_nodes, judge, situation) if around else []
    around += _findings_of_shells(script, all_nodes, situation.shells)
    around += bombs(functions, occurrences) if functions else []
    around += listed_findings(situation.seen, all_nodes) if situation.seen.reads else []
    around += variable_findings(all_nodes) if b"$" in script.source else []
    if around:
        situation.program.doubts += around
        parts += judge.answered(around)
    return strictest(parts, 0, len(script.source))


def _evaluated_texts(
    script: Script, all_nodes: list[Node], judge: Judge, situation: Situation
) -> list[Decision]:
    """What is hard of substitutions that stand in quoted texts: `x='a[$(rm -rf ~)]'; ((x))`."""
    texts = {literal(node) or "" for node in all_nodes if isinstance(node, Word)}
    span = 0, len(script.source)
    return [
        leaf.about(*span)
        for text in sorted(texts)
        if "$(" in text or "`" in text
        for leaf in judge.hard_of(Argument(f': "{text}"', *span), situation)
    ]


def _without_exports(part: Decision, fine: set[tuple[int, int]]) -> Decision:
    """The same where these exports do no harm."""
    leaves = list(part.leaves())
    dropped = [(one.start, one.end) in fine and one.effects == Effect.UNCLEAR for one in leaves]
    if not any(dropped):
        return part
    kept = [
        one.but(verdict=Verdict.ALLOW, effects=Effect.READS, firm=False) if is_dropped else one
        for one, is_dropped in zip(leaves, dropped, strict=True)
    ]
    return strictest(kept, part.start, part.end)


def _findings_of_shells(
    script: Script, all_nodes: list[Node], shells: frozenset[str]
) -> list[Decision]:
    """What another shell than bash would make of the text."""
    findings = []
    if "zsh" in shells and _EVALUATED_BY_ZSH.search(script.source):
        findings = zsh_findings(all_nodes)
    if not shells <= _BASH_LIKE:
        findings += dialect_findings(script, all_nodes, shells)
    return findings


def _copies_stream(redirect: Redirect) -> bool:
    """`2>&1`: it opens no file."""
    return redirect.operator in ("<&", ">&") and literal(redirect.target) in STANDARD_STREAMS


def _judge_occurrence(
    occurrence: Occurrence,
    exported: list[Export],
    scope: Scope,
    streams: _Streams,
    reached: Reached | None,
    judge: Judge,
    outer: Situation,
) -> Decision:
    """One simple command, for all values that its variables may have: the strictest counts."""
    command, context = occurrence.command, occurrence.context
    directories = (reached and reached.at(command)) or outer.directories
    is_redirected = not all(map(_copies_stream, command.redirects))
    here: dict[str, Any] = {
        "directories": directories,
        "is_fed": lambda: streams.feeds.reach(occurrence),
        "fed_by": lambda: streams.inputs.sources(command) if context.reads_pipe else (),
        "fed_words": lambda: (
            streams.inputs.words(command, scope.start) if context.reads_pipe else []
        ),
        "fed_texts": lambda: scope.input_texts(command),
        "substituted": bool(context.substitution) and not context.assigned,
        "exported": {e.name: e.value for e in exported if e.start <= command.start < e.end},
    }
    cases = []
    for values in scope.at(command, directories):
        prefix_env = {a.name: value_of(a, values) for a in command.assignments}
        given = None
        if is_redirected or (context.reads_pipe and streams.may_print):
            given = streams.inputs.text(command, values, outer.functions)
            here["input_file"] = streams.inputs.file(command, values)
        situation = outer.but(values=values, prefix_env=prefix_env, input_text=given, **here)
        if is_redirected or given is not None:
            _note_texts(command, given, situation, judge.facts)
        cases.append(judge.simple(command, situation))
        if is_redirected:
            note_redirected(command, cases[-1], situation, judge.facts)
        if scope.meanings is not None:
            codes = scope.meanings.of(command)
            cases += (judge.nested(code, situation.shells, situation) for code in codes)
        if reached and changes_directory(occurrence):
            reached.note(command, reached.follow(command, situation, judge.facts))
    add_new(outer.directories, directories)
    if len(cases) == 1:
        return cases[0]
    worst = max(cases, key=lambda case: (case.verdict, not case.is_soft, case.risk, case.firm))
    return worst.but(effects=union(case.effects for case in cases))


def _note_texts(command: Command, given: str | None, situation: Situation, facts: Facts) -> None:
    """Remember what the line puts into files: `cat > x.py <<E`, `echo a > x`, `make > x`."""
    seen, program = situation.seen, named_program(command)
    for target, text, is_more in written(command, given, situation.values, situation.functions):
        for path in _ends(target, situation, facts):
            before: str | None = ""
            if is_more:
                before = seen.texts.get(path, facts.text(path) if facts.exists(path) else "")
            known = None if text is None or before is None else before + text
            seen.note_text(path, known, program)


def _note_around(
    script: Script, occurrences: list[Occurrence], situation: Situation, facts: Facts
) -> None:
    """The same for files that get the output of several commands: `{ a; b; } > x`."""
    own = {id(redirect) for one in occurrences for redirect in one.command.redirects}
    targets = tuple(r.target for r in redirects(script) if id(r) not in own and opens_output(r))
    for target in expand(targets, situation.values) if targets else ():
        for path in _ends(target, situation, facts):
            situation.seen.note_text(path, None, "")


def _ends(target: Argument, situation: Situation, facts: Facts) -> list[str]:
    text, where = target.text or "", situation.directories
    return [end for cwd in where for end in facts.ends(joined(cwd, text))]
