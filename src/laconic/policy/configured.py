"""What the user's configuration settles of a call's findings, and when a gate is open.

The lists of the configuration name programs and subcommands, and outweigh the profile's table. A
program that the user allows may run with any arguments, but may not send, read secrets, or write
what decides what runs later. A subcommand may run, but options that no table lists, settings before
it and forced pushes still ask, and so does whatever a wrapper or an argument runs.
"""

from __future__ import annotations

from laconic.knowledge.arguments import expand
from laconic.knowledge.options import parse_options
from laconic.knowledge.traits import named
from laconic.policy.profiles import FIXED
from laconic.shell.ast import Assignment, Command, Loop, Word
from laconic.shell.words import leading, literal
from laconic.types import Decision, Effect, Kind, Source, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from laconic.knowledge.arguments import Values
    from laconic.policy.call import Call
    from laconic.policy.places import Facts
    from laconic.policy.rules import Gate, Rules
    from laconic.policy.situation import Situation
    from laconic.shell.ast import AndOr, Node, Script
    from laconic.shell.walk import Occurrence

# What a subcommand does, as opposed to what an option or a setting makes of it.
_SUBSTANCE = frozenset((
    Kind.WHOLE, Kind.MODE, Kind.NEEDS, Kind.WRITE, Kind.DELETE, Kind.WORD, Kind.SUBCOMMAND,
    Kind.NETWORK, Kind.CREATE, Kind.ADD, Kind.SET, Kind.VERB, Kind.RECORD,
))  # fmt: skip
# What the name of a subcommand does not settle; that it sends something may be its very purpose.
_NEVER_BY_NAME = FIXED & ~Effect.SENDS


def settled(call: Call, name: str) -> list[Decision]:
    """The findings that remain after the configuration; firm ones and denials always do."""
    rules, program = call.judge.rules, call.path[0]
    if name in rules.denied and name not in rules.allow:
        call.findings = [_denied(call, finding) for finding in call.findings]
    if name in rules.undenied:
        call.findings = [_undenied(call, finding) for finding in call.findings]
    if name in rules.allow or program in rules.allow:
        return [_allowed(call, f) if _is_settled(call, f, FIXED) else f for f in call.findings]
    if rules.wrappers.get(name) == "allow":
        return [
            _allowed(call, f) if f.kind is Kind.WHOLE and _is_settled(call, f, FIXED) else f
            for f in call.findings
        ]
    said = _said(rules.subcommands, call.path)
    if said == "ask" and all(f.verdict is Verdict.ALLOW or f.is_soft for f in call.findings):
        call.ask("config", f"{' '.join(call.path)} asks by the configuration")
    gate = rules.gates.get(program)
    if said == "allow" or (gate is not None and _is_open(gate, call)):
        return _about_options(call)
    return call.findings


def _denied(call: Call, finding: Decision) -> Decision:
    """The built-in deny list names it, and this call of it is not known to be harmless.

    A file that it writes asks by its place, as with any program: `dd of=y` is not worse than `> y`.
    """
    is_plain_file = finding.kind is Kind.WRITE and not finding.firm
    if finding.verdict is not Verdict.ASK or call.is_others(finding) or is_plain_file:
        return finding
    reason = f"{finding.reason}; {call.path[0]} is in the list `deny`"
    return finding.but(verdict=Verdict.DENY, reason=reason, parts=())


def _undenied(call: Call, finding: Decision) -> Decision:
    """The user took the program out of the deny list: it asks."""
    if finding.kind is not Kind.WHOLE or call.is_others(finding):
        return finding
    if finding.verdict is not Verdict.DENY:
        return finding
    return finding.but(verdict=Verdict.ASK, parts=(), instead="", firm=False)


def _is_settled(call: Call, finding: Decision, never: Effect) -> bool:
    """Tell a finding on the program itself, which the user may settle, from all others."""
    if finding.firm or finding.verdict is Verdict.DENY or finding.effects & never:
        return False
    return not call.is_others(finding)


def _allowed(call: Call, finding: Decision) -> Decision:
    """The user lets the program do it: what it would do stays."""
    reason = f"{' '.join(call.path)} is allowed by the configuration"
    return Decision(
        Verdict.ALLOW,
        "config/allow",
        reason,
        *finding.span,
        effects=finding.effects,
        source=Source.LIST,
    )


def _said(subcommands: Mapping[str, str], path: tuple[str, ...]) -> str:
    """What the lists say of a path: the longest beginning of it that they name."""
    beginnings = (" ".join(path[:length]) for length in range(len(path), 1, -1))
    return next((subcommands[b] for b in beginnings if b in subcommands), "")


def _about_options(call: Call) -> list[Decision]:
    if call.parsed is None and not call.entry.anything:
        reading = call.entry.reading(call.match.everywhere)
        for argument, message in parse_options(call.arguments, reading).problems:
            call.unlisted(Kind.OPTION, message, argument)
    if call.path[:2] == ("git", "push"):
        _ask_if_forced(call)
    first = call.arguments[0].start if call.arguments else call.span[1]

    def is_substance(finding: Decision) -> bool:
        """Nothing that an option or a setting makes of it."""
        return finding.kind in _SUBSTANCE and not call.span[0] < finding.start < first

    return [
        _allowed(call, finding)
        if _is_settled(call, finding, _NEVER_BY_NAME) and is_substance(finding)
        else finding
        for finding in call.findings
    ]


def _ask_if_forced(call: Call) -> None:
    for argument in call.arguments:
        if argument.leading.partition("=")[0] in call.judge.rules.force_push:
            call.does(Effect.SENDS, "force", "pushes with force", argument)


# -- gates -----------------------------------------------------------------------------------------


def _is_open(gate: Gate, call: Call) -> bool:
    path = call.path
    if gate.subcommands.isdisjoint((" ".join(path[1:]), *path[1:2])) or not gate.environment:
        return False
    if not named("hands-on").issuperset(call.situation.wrappers):
        return False
    environment = call.judge.facts.environment
    return all(_holds(call.situation, environment, *one) for one in gate.environment.items())


def _holds(
    situation: Situation, environment: Mapping[str, str], name: str, values: tuple[str, ...]
) -> bool:
    if name in situation.prefix_env:
        return situation.prefix_env[name] in values
    if name in situation.seen.unknown_vars:
        return False
    if name in situation.exported:
        return situation.exported[name] in values
    value = environment.get(name)
    return value in values if values else bool(value)


def configures_gate(rules: Rules, name: str, value: str | None) -> bool:
    """Tell whether the variable gets a value that the user's configuration names."""
    return any(value in gate.environment.get(name, ()) for gate in rules.gates.values())


def value_of(assignment: Assignment, values: Values) -> str | None:
    """The value that an assignment gives, with the home in place of a tilde; None if not known."""
    if assignment.append or assignment.index is not None:
        return None
    if not isinstance(assignment.value, Word):
        return "" if assignment.value is None else None
    arguments = expand((assignment.value,), values)
    return arguments[0].text if len(arguments) == 1 and not arguments[0].glob else None


class Export:
    """A variable that is certain to be exported for the commands between two offsets."""

    __slots__ = ("assignment", "end", "name", "start", "value")

    def __init__(self, assignment: Assignment, value: str, start: int, end: int) -> None:
        self.assignment, self.name, self.value = assignment, assignment.name, value
        self.start, self.end = start, end


def exports(script: Script, values: Values, facts: Facts) -> list[Export]:
    """The exports that are certain to happen: at the top, without a condition, not in a pipe."""
    certain: list[Export] = []
    for item, separator in zip(script.body.items, script.body.separators, strict=True):
        in_background = separator is not None and separator.text == "&"
        if in_background or any(operator.text == "||" for operator in item.operators):
            continue
        for position, assignment in _exported(item, facts):
            value = value_of(assignment, values)
            end = script.end if position == 0 else item.end
            if value is not None:
                certain.append(Export(assignment, value, assignment.end, end))
    return certain


def _exported(item: AndOr, facts: Facts) -> Iterable[tuple[int, Assignment]]:
    for position, pipeline in enumerate(item.pipelines):
        command = pipeline.commands[0]
        if len(pipeline.commands) > 1 or not isinstance(command, Command):
            continue
        if command.words and literal(command.words[0]) == "export":
            given = [word for word in command.words[1:] if isinstance(word, Assignment)]
        else:
            known = facts.environment
            given = [a for a in command.assignments if not command.words and a.name in known]
        yield from ((position, assignment) for assignment in given)


def changed_names(
    all_nodes: list[Node], occurrences: list[Occurrence], certain: list[Export]
) -> set[str]:
    """Names that may be set, read into or unset in any other way than by those exports."""
    expected = {id(export.assignment) for export in certain}
    in_front = {
        id(assignment)
        for occurrence in occurrences
        if occurrence.command.words
        for assignment in occurrence.command.assignments
    }
    names = {node.name for node in all_nodes if isinstance(node, Loop)}
    for node in all_nodes:
        if isinstance(node, Assignment) and id(node) not in expected | in_front:
            names.add(node.name)
    for occurrence in occurrences:
        words = occurrence.command.words[1:]
        names |= {leading(word).split("=")[0] for word in words if isinstance(word, Word)}
    return names
