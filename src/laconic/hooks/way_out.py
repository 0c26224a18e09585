"""What a person types to let a command pass that laconic asks about."""

from __future__ import annotations

from laconic import engine
from laconic.rewrite.edits import quoted
from laconic.shell import ParseError, parse
from laconic.shell.walk import command_at
from laconic.shell.words import literal
from laconic.types import HARD, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.settings.load import Settings
    from laconic.types import Decision

_LONGEST_SHOWN = 200


def way_out(decision: Decision, request: engine.Request, settings: Settings) -> str:
    """Return a rule that is certain to allow it, else an exception; nothing if neither can."""
    if decision.verdict is not Verdict.ASK or decision.firm:
        return ""
    rule = _rule(decision, request.command)
    found = engine.decide_with_rule(request, settings, rule) if rule else None
    if found is not None and found.verdict is Verdict.ALLOW:
        return f"laconic allow --always {quoted(rule)}"
    command = request.command
    is_short = len(command) <= _LONGEST_SHOWN and command.isprintable()
    return f"laconic allow {quoted(command) if is_short else '…'} --for 30m"


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
    return " ".join(shown_word(word or "") for word in words)


def shown_word(word: str) -> str:
    """Return a word as a person types it, in quotes where it needs them."""
    is_plain = word.replace("-", "").replace("_", "").replace("/", "").replace(".", "").isalnum()
    return word if is_plain and word.isascii() else quoted(word)
