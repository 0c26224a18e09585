"""What the user's configuration settles of a program's findings, and when a gate is open.

The lists of the configuration name programs and subcommands, and outweigh the profile's table. A
program that the user allows may run with any arguments, but may not send, read secrets, or write
what decides what runs later. A subcommand may run, but options that no table lists, settings before
it and forced pushes still ask, and so does whatever a wrapper or an argument runs.
"""

from __future__ import annotations

from laconic.knowledge.options import parse_options
from laconic.knowledge.traits import named
from laconic.policy.profiles import FIXED
from laconic.types import Decision, Effect, Kind, Source, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.knowledge.arguments import Argument
    from laconic.policy.rules import Rules, SubcommandGate
    from laconic.reading.call import Call
    from laconic.reading.judge import Judge
    from laconic.reading.situation import Situation
    from laconic.settings.managed import Managed

# What a subcommand does, as opposed to what an option or a setting makes of it.
_SUBSTANCE = frozenset((
    Kind.WHOLE, Kind.MODE, Kind.NEEDS, Kind.WRITE, Kind.DELETE, Kind.WORD, Kind.SUBCOMMAND,
    Kind.NETWORK, Kind.CREATE, Kind.ADD, Kind.SET, Kind.VERB, Kind.RECORD,
))  # fmt: skip
# What the name of a subcommand does not settle; that it sends something may be its very purpose.
_NEVER_BY_NAME = FIXED & ~Effect.SENDS


def listed_program(
    rules: Rules,
    judge: Judge,
    arguments: list[Argument],
    span: tuple[int, int],
    situation: Situation,
) -> Decision:
    """A program with its arguments, where a list may deny it or ask about it."""
    name = arguments[0].text or ""
    base = name.rsplit("/", 1)[-1]
    for entry in (base, name):
        if entry in rules.deny:
            reason = f"{entry} is denied by the configuration"
            return _listed(rules, Verdict.DENY, entry, reason, span)
    decision = judge.program(arguments, span, situation)
    is_open = decision.verdict is Verdict.ALLOW or decision.is_soft
    if base in rules.ask and (is_open or _asked_by(rules, base)):
        asks = _listed(rules, Verdict.ASK, base, f"{base} asks by the configuration", span)
        return strictest((asks, decision), *span)
    return decision


def listed_unknown(
    rules: Rules,
    judge: Judge,
    arguments: list[Argument],
    span: tuple[int, int],
    situation: Situation,
) -> Decision | None:
    """A program that is not known: a wrapper of the user's, or one that a list allows."""
    base = (arguments[0].text or "").rsplit("/", 1)[-1]
    floor = rules.wrappers.get(base)
    if floor is None:
        return allowed_by_list(base, Effect.UNKNOWN, span) if base in rules.allow else None
    inner = judge.command(arguments[1:], span, situation)
    if floor == "ask":
        managed = rules.required("wrappers.ask_floor", base)
        why = f"{base} asks by {managed.said if managed else 'the configuration'}"
        asks = Decision(Verdict.ASK, "config/wrapper", why, *span, firm=bool(managed))
        return strictest((asks, inner), *span)
    return inner


def _asked_by(rules: Rules, name: str) -> Managed | None:
    """Return the policy of this machine if that wants to be asked about a program."""
    return rules.required("commands.ask", name) or rules.required("wrappers.ask_floor", name)


def _listed(
    rules: Rules, verdict: Verdict, name: str, reason: str, span: tuple[int, int]
) -> Decision:
    """The answer for a program that a list of the user's configuration names."""
    message, instead = rules.messages.get(name, ""), rules.instead.get(name, "")
    is_ask = verdict is Verdict.ASK
    managed = _asked_by(rules, name) if is_ask else rules.required("commands.deny", name)
    if managed is None:
        rule, reason = f"config/{verdict}", message or reason
        return Decision(verdict, rule, reason, *span, instead=instead, source=Source.LIST)
    reason = reason.replace("the configuration", managed.said)
    reason = f"{reason}: {message}" if message else reason
    return Decision(
        verdict,
        f"policy/{verdict}",
        reason,
        *span,
        instead=instead,
        firm=True,
        source=Source.POLICY,
    )


def allowed_by_list(name: str, effects: Effect, span: tuple[int, int]) -> Decision:
    """The answer for what the user allows; its effects stay."""
    reason = f"{name} is allowed by the configuration"
    return Decision(
        Verdict.ALLOW, "config/allow", reason, *span, effects=effects, source=Source.LIST
    )


def settled(rules: Rules, call: Call, name: str) -> list[Decision]:
    """The findings that remain after the configuration; firm ones and denials always do."""
    program = call.path[0]
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
        managed = (
            rules.managed if rules.managed and _is_required(rules.managed, call.path) else None
        )
        by = managed.said if managed else "the configuration"
        call.ask("config", f"{' '.join(call.path)} asks by {by}", firm=bool(managed))
    gate = rules.gates.get(program)
    if said == "allow" or (gate is not None and _is_open(gate, call)):
        return _about_options(rules, call)
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
    return allowed_by_list(" ".join(call.path), finding.effects, finding.span)


def _said(subcommands: Mapping[str, str], path: tuple[str, ...]) -> str:
    """What the lists say of a path: the longest beginning of it that they name."""
    beginnings = (" ".join(path[:length]) for length in range(len(path), 1, -1))
    return next((subcommands[b] for b in beginnings if b in subcommands), "")


def _is_required(managed: Managed, path: tuple[str, ...]) -> bool:
    """Tell whether the policy lists a subcommand among those that ask."""
    names = {" ".join(path[1:length]) for length in range(2, len(path) + 1)}
    return not names.isdisjoint(managed.lists.get(f"{path[0]}.mutating", ()))


def _about_options(rules: Rules, call: Call) -> list[Decision]:
    if not call.is_parsed and not call.entry.anything:
        reading = call.entry.reading(call.match.everywhere)
        for argument, message in parse_options(call.arguments, reading).problems:
            call.unlisted(Kind.OPTION, message, argument)
    if call.path[:2] == ("git", "push"):
        _ask_if_forced(rules, call)
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


def _ask_if_forced(rules: Rules, call: Call) -> None:
    for argument in call.arguments:
        option = argument.leading.partition("=")[0]
        if option in rules.force_push:
            firm = rules.required("git.force_push_flags", option) is not None
            call.does(Effect.SENDS, "force", "pushes with force", argument, firm=firm)


# -- gates -----------------------------------------------------------------------------------------


def _is_open(gate: SubcommandGate, call: Call) -> bool:
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
