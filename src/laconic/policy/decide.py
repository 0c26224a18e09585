"""The verdict on a command line: in doubt, ask.

Everything that would run counts, wherever it stands: lists, pipelines, substitutions, functions,
loops, here-documents; so do redirects and places where bash evaluates text a second time. The
strictest part decides. What cannot be parsed asks, and what can be read of it may still deny.
"""

from __future__ import annotations

from laconic.policy.bombs import bombs
from laconic.policy.configured import changed_names, exports
from laconic.policy.evaluation import evaluation_findings
from laconic.policy.judge import Judge
from laconic.policy.permissions import apply_to_text
from laconic.policy.redirects import redirect_findings
from laconic.shell import ParseError, parse
from laconic.shell.ast import Assignment, Function, Loop, Node, Word, nodes
from laconic.shell.walk import commands
from laconic.shell.words import literal
from laconic.tools.arguments import evaluate
from laconic.types import Decision, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.configured import Export
    from laconic.policy.places import Facts
    from laconic.policy.rules import Rules
    from laconic.shell.ast import Script
    from laconic.shell.walk import Occurrence
    from laconic.tools.knowledge import Library

MAX_BYTES = 64 * 1024
_MAX_READABLE_LINES = 40
_MAX_POSSIBLE = 16


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


def _decide(command: str, judge: Judge) -> Decision:
    source = command.encode("utf-8", "surrogateescape")
    if len(source) > MAX_BYTES:
        return Decision(
            Verdict.ASK, "too-large", "the command is too large to be judged", 0, len(source)
        )
    try:
        script = parse(source)
    except ParseError as error:
        return _unparsable(command, len(source), error, judge)
    return _judge_script(script, judge)


def _unparsable(command: str, size: int, error: ParseError, judge: Judge) -> Decision:
    """Ask; but a line that can be read on its own and is denied, denies the whole."""
    asks = Decision(
        Verdict.ASK, "unparsable", f"cannot be read: {error.message}", error.offset, size, firm=True
    )
    for line in command.split("\n")[:_MAX_READABLE_LINES]:
        try:
            found = _judge_script(parse(line), judge)
        except ParseError:
            continue
        if found.verdict is Verdict.DENY:
            return Decision(found.verdict, found.rule, found.reason, 0, size, instead=found.instead)
    return asks


def _judge_script(script: Script, judge: Judge) -> Decision:
    found = nodes(script.body)
    functions = [node for node in found if isinstance(node, Function)]
    outer = judge.functions
    judge.functions = outer | {function.name for function in functions}
    for name in _assigned_names(found) & judge.known.keys():
        del judge.known[name]
    judge.possible.update(_possible_values(found, judge))
    parts: list[Decision] = []
    occurrences = commands(script)
    exported = _follow_exports(script, found, occurrences, judge) if judge.rules.gates else []
    for occurrence in occurrences:
        start = occurrence.command.start
        judge.given = {e.name: e.value for e in exported if e.start <= start < e.end}
        context = occurrence.context
        substituted = bool(context.substitution) and not context.assigned
        parts.append(judge.simple(occurrence.command, substituted=substituted))
        _follow_directory(occurrence, judge)
    parts += redirect_findings(script, judge)
    parts += evaluation_findings(script, found)
    parts += bombs(functions, occurrences)
    judge.functions = outer
    return strictest(parts, 0, len(script.source))


def _follow_exports(
    script: Script, found: list[Node], occurrences: list[Occurrence], judge: Judge
) -> list[Export]:
    exported = exports(script, judge)
    judge.changed |= changed_names(found, occurrences, exported)
    return exported


def _follow_directory(occurrence: Occurrence, judge: Judge) -> None:
    words = occurrence.command.words
    if not words or literal(words[0]) not in ("cd", "pushd", "popd", "chdir"):
        return
    targets = [
        argument
        for argument in evaluate(words[1:], judge.known)
        if not argument.leading.startswith("-") or argument.text == "-"
    ]
    judge.enter_directory(targets[0] if targets else None)


def _possible_values(found: list[Node], judge: Judge) -> dict[str, tuple[str, ...]]:
    """All values that the text itself gives to its variables: any of them may be meant."""
    values: dict[str, list[str]] = {}
    for node in found:
        words: tuple[Word, ...] = ()
        if isinstance(node, Assignment) and isinstance(node.value, Word):
            words = (node.value,)
        elif isinstance(node, Loop):
            words = node.words or ()
        for argument in evaluate(words, judge.known):
            if argument.text is not None and isinstance(node, Assignment | Loop):
                values.setdefault(node.name, []).append(argument.text)
    return {name: tuple(dict.fromkeys(given))[:_MAX_POSSIBLE] for name, given in values.items()}


def _assigned_names(found: list[Node]) -> set[str]:
    return {node.name for node in found if isinstance(node, Assignment | Loop) and node.name}
