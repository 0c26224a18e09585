"""The verdict on a command line: in doubt, ask.

Everything that would run counts, wherever it stands: lists, pipelines, substitutions, functions,
loops, here-documents; so do redirects and places where bash evaluates text a second time. The
strictest part decides. What cannot be parsed asks, and what can be read of it may still deny.
"""

from __future__ import annotations

from laconic.policy.bindings import binding_findings
from laconic.policy.bombs import bombs
from laconic.policy.configured import changed_names, exports
from laconic.policy.dialects import dialect_findings
from laconic.policy.directories import Reached, follow_directory
from laconic.policy.evaluation import evaluation_findings
from laconic.policy.file_tools import RULES, file_findings
from laconic.policy.functions import defined_functions
from laconic.policy.judge import Judge
from laconic.policy.permissions import apply_to_text
from laconic.policy.redirects import redirect_findings
from laconic.policy.scope import Scope, changes_directory
from laconic.policy.secret_variables import variable_findings
from laconic.policy.sending import Feeds
from laconic.policy.zsh import zsh_findings
from laconic.shell import ParseError, parse
from laconic.shell.ast import Function
from laconic.shell.walk import commands, evaluations, redirects
from laconic.types import Decision, Effect, Verdict, strictest, union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.knowledge.knowledge import Library
    from laconic.policy.configured import Export
    from laconic.policy.file_tools import FileUse
    from laconic.policy.places import Facts
    from laconic.policy.rules import Rules
    from laconic.shell.ast import Node, Script
    from laconic.shell.walk import Occurrence

MAX_BYTES = 64 * 1024
_MAX_READABLE_LINES = 40
_BASH_LIKE = frozenset(("bash", "zsh"))


def decide(command: str, library: Library, rules: Rules, facts: Facts) -> Decision:
    """Decide on a command line. Never raises: a fault of ours is a question, too."""
    try:
        decision = _decide(command, Judge(library, rules, facts, _decide))
        if rules.permissions:
            decision = apply_to_text(rules.permissions, decision, command)
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        reason = f"laconic failed on this command ({type(fault).__name__}: {fault})"
        decision = Decision(
            Verdict.ASK, "fault", reason, 0, len(command.encode("utf-8", "replace"))
        )
    return decision


def decide_files(uses: Iterable[FileUse], library: Library, rules: Rules, facts: Facts) -> Decision:
    """Decide on what a tool of an agent does to files, as `decide` does. Never raises."""
    try:
        found = file_findings(uses, Judge(library, rules, facts, _decide))
    except Exception as fault:  # noqa: BLE001 - as above
        reason = f"laconic failed on these files ({type(fault).__name__}: {fault})"
        return Decision(Verdict.ASK, "fault", reason)
    harmless = Decision(Verdict.ALLOW, RULES, "touches neither secrets nor guarded places")
    return strictest(found, 0, 0) if found else harmless


def _decide(command: str, judge: Judge) -> Decision:
    source = command.encode("utf-8", "surrogateescape")
    if len(source) > MAX_BYTES:
        return Decision(
            Verdict.ASK, "too-large", "the command is too large to be judged", 0, len(source)
        )  # even where unclear text may run: nobody has looked for what must not
    try:
        script = parse(source)
    except ParseError as error:
        return _unparsable(command, len(source), error, judge)
    return _judge_script(script, judge)


def _unparsable(command: str, size: int, error: ParseError, judge: Judge) -> Decision:
    """Ask; but a line that can be read on its own and is denied, denies the whole."""
    reason, span = f"cannot be read: {error.message}", (error.offset, size)
    asks = judge.finding(Effect.UNCLEAR, "unparsable", reason, span, firm=True)
    for line in command.split("\n")[:_MAX_READABLE_LINES]:
        try:
            found = _judge_script(parse(line), judge)
        except ParseError:
            continue
        if found.verdict is Verdict.DENY:
            effects = found.effects | Effect.UNCLEAR
            return Decision(
                found.verdict, found.rule, found.reason, 0, size, effects=effects,
                instead=found.instead,
            )  # fmt: skip
    return asks


def _judge_script(script: Script, judge: Judge) -> Decision:
    functions, values, defined = judge.functions, judge.values, (judge.defined, judge.level)
    fed = judge.fed
    judge.level = len(judge.around)
    try:
        return _judge_parts(script, judge)
    finally:
        judge.functions, judge.values, (judge.defined, judge.level) = functions, values, defined
        judge.fed = fed


def _judge_parts(script: Script, judge: Judge) -> Decision:
    found, occurrences = script.nodes(), commands(script)
    functions = [node for node in found if isinstance(node, Function)]
    judge.functions |= {function.name for function in functions}
    judge.defined = defined_functions(script, occurrences) if functions else {}
    scope = Scope(found, occurrences, judge)
    judge.values = scope.start
    sites = evaluations(script, scope.fields)
    scope.follow(script, found, occurrences, sites)
    exported = _follow_exports(script, found, occurrences, judge) if judge.rules.gates else []
    feeds = Feeds(found, around=judge.fed)
    reached = Reached(found, judge)
    parts = _judge_occurrences(occurrences, exported, scope, feeds, reached, judge)
    for redirect in redirects(script):
        usual = reached.stand(redirect, judge)
        for values in scope.at(redirect):
            judge.values = values
            parts += redirect_findings(redirect, judge)
        judge.directories = usual
    around = evaluation_findings(sites, found, script.source, scope.start)
    around += binding_findings(found, sites, judge.facts.environment)
    if "zsh" in judge.shells:
        around += zsh_findings(found)
    if not judge.shells <= _BASH_LIKE:
        around += dialect_findings(script, found, judge.shells)
    around += bombs(functions, occurrences)
    around += judge.listed.findings(found)
    around += variable_findings(found)
    if judge.ran & judge.written and union(part.effects for part in parts) & Effect.DOWNLOADS:
        reason, span = "runs a file that the same line fetches", (0, len(script.source))
        parts.append(judge.finding(Effect.INSTALLS, "fetched-code", reason, span))
    return strictest((*parts, *judge.answered(around)), 0, len(script.source))


def _judge_occurrences(
    occurrences: list[Occurrence],
    exported: list[Export],
    scope: Scope,
    feeds: Feeds,
    reached: Reached,
    judge: Judge,
) -> list[Decision]:
    """In the order in which they run: what a substitution runs, before the `cd` that it is in."""
    running = sorted(occurrences, key=lambda occurrence: occurrence.command.end)
    found = {}
    for one in running:
        judge.fed = feeds.reach(one)
        usual = reached.stand(one.command, judge)
        found[id(one)] = _judge_occurrence(one, exported, scope, reached, judge)
        judge.directories = list(dict.fromkeys([*usual, *judge.directories]))
    return [found[id(one)] for one in occurrences]


def _judge_occurrence(
    occurrence: Occurrence,
    exported: list[Export],
    scope: Scope,
    reached: Reached,
    judge: Judge,
) -> Decision:
    """One simple command, for all values that its variables may have: the strictest counts."""
    command, context = occurrence.command, occurrence.context
    judge.given = {e.name: e.value for e in exported if e.start <= command.start < e.end}
    substituted = bool(context.substitution) and not context.assigned
    cases = []
    for values in scope.at(command):
        judge.values = values
        cases.append(judge.simple(command, substituted=substituted))
        if changes_directory(occurrence):
            reached.note(command, follow_directory(command, judge))
    worst = max(cases, key=lambda case: (case.verdict, not case.is_soft, case.risk, case.firm))
    worst.effects = union(case.effects for case in cases)
    return worst


def _follow_exports(
    script: Script, found: list[Node], occurrences: list[Occurrence], judge: Judge
) -> list[Export]:
    exported = exports(script, judge)
    judge.changed |= changed_names(found, occurrences, exported)
    return exported
