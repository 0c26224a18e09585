"""What a person types to let a command pass that laconic asks about."""

from __future__ import annotations

from laconic import engine
from laconic.hooks import call_log
from laconic.settings.load import Settings
from laconic.shell import ParseError, parse
from laconic.shell.ast import Word
from laconic.shell.walk import command_at
from laconic.shell.words import as_typed, literal, quoted
from laconic.types import HARD, Decision, Verdict

ALWAYS = "laconic allow --always"
UNSHOWN = "…"  # in place of a command that cannot be shown
_LONGEST_SHOWN = 200


def way_out(decision: Decision, request: engine.Request, settings: Settings) -> str:
    """Return a rule that is certain to allow it, else an allowance; nothing if neither can."""
    if decision.verdict is not Verdict.ASK or decision.firm:
        return ""
    rule = _rule(decision, request.command)
    found = engine.decide_with_rule(request, settings, rule) if rule else None
    if found is not None and found.verdict is Verdict.ALLOW:
        return f"{ALWAYS} {quoted(rule)}"
    if found is not None:
        call_log.note_faults(request.environ, request.agent, found)
    if settings.managed and not settings.managed.allowances:
        return ""
    command = request.command
    is_shown = len(command) <= _LONGEST_SHOWN and command.isprintable()
    is_shown = is_shown and not _has_comment(command)  # it speaks to whoever reads it
    return f"laconic allow {quoted(command) if is_shown else UNSHOWN} --for 30m"


def has_several(command: str) -> bool:
    """Tell whether a line has commands one after the other; a pipeline is one."""
    try:
        items = parse(command).body.items
    except ParseError:
        return "\n" in command.strip()
    return len(items) > 1 or any(len(item.pipelines) > 1 for item in items)


def _has_comment(command: str) -> bool:
    """Tell whether a `#` stands in the text that is part of no word."""
    source = command.encode("utf-8", "surrogatepass")
    try:
        words = parse(source).nodes_of(Word)
    except ParseError:
        return b"#" in source
    marks = (at for at, byte in enumerate(source) if byte == ord("#"))
    return any(all(not word.start <= at < word.end for word in words) for at in marks)


def _rule(decision: Decision, command: str) -> str:
    """Return a rule for the command of the line that needs one most; empty if it cannot be named.

    It is for that very command: a `*` would allow what nobody has been asked about, and whoever
    wants that can type it.
    """
    asking = [leaf for leaf in decision.leaves() if leaf.verdict is Verdict.ASK and leaf.effects]
    asking.sort(key=lambda leaf: not leaf.effects & HARD)
    if not asking or len(command) > _LONGEST_SHOWN:
        return ""
    try:
        found = command_at(parse(command), *asking[0].span)
    except ParseError:
        return ""
    words = [literal(word) for word in found.words] if found is not None else []
    if None in words:
        return ""
    rule = " ".join(as_typed(word or "") for word in words)
    return rule if rule.isprintable() else ""
