"""Cuts a response down to what an agent can do: no ask becomes deny, never a silent allow."""

from __future__ import annotations

from laconic.hooks.can_ask import is_unattended
from laconic.hooks.load import BEFORE
from laconic.hooks.values import Response
from laconic.rewrite.edits import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.hooks.values import HookCall

_LONGEST_SHOWN = 200


def fitted(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> Response:
    """Give what can be said of it. cannot_ask: `deny`, or `defer` to say nothing instead of ask."""
    answer, reason = _answer(response, call, cannot_ask, environ)
    commands = response.commands
    if not _can_rewrite(answer, call):
        commands = None
    output = response.output if "replace" in call.event.can else None
    return Response(answer, reason, commands, output)


def _can_rewrite(answer: str | None, call: HookCall) -> bool:
    if "rewrite" not in call.event.can:
        return False
    # The answer to a request for permission is a decision, or there is none.
    has_words = answer is not None or call.event.kind == BEFORE
    return has_words and (answer or "none") in call.agent.rewrite_with


def _answer(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> tuple[str | None, str]:
    answer, reason = response.answer, response.reason
    if answer == "ask":
        return _asked(reason, call, cannot_ask, environ)
    if answer == "deny" or answer in call.event.can:
        return answer, reason
    return None, ""


def _asked(
    reason: str, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> tuple[str | None, str]:
    """Ask, or give the deny that says who can let the command pass, and how."""
    can_ask = "ask" in call.event.can
    if can_ask and not is_unattended(call.agent, environ, call.agents_mode):
        return "ask", reason
    # Before a prompt that comes anyway, silence is the question.
    if call.event.kind != BEFORE or cannot_ask != "deny":
        return None, ""
    why = "nobody is there to ask" if can_ask else f"{call.agent.title} cannot ask"
    return "deny", f"{reason} ({why}; a person can allow it: {_way_out(call)})"


def _way_out(call: HookCall) -> str:
    command = call.commands[0]
    is_short = len(call.commands) == 1 and len(command) <= _LONGEST_SHOWN and command.isprintable()
    return f"laconic allow {quoted(command) if is_short else '…'} --for 30m"
