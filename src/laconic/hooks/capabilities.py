"""Cuts a response down to what an agent can do: no ask becomes deny, never a silent allow."""

from __future__ import annotations

from laconic.hooks.can_ask import is_unattended
from laconic.hooks.load import BEFORE
from laconic.hooks.values import Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.hooks.values import HookCall


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
        return _asked(response, call, cannot_ask, environ)
    if answer == "deny" or answer in call.event.can:
        return answer, reason
    return None, ""


def _asked(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> tuple[str | None, str]:
    """Ask, or give the deny that says who can let the command pass, and how."""
    reason, way_out = response.reason, response.way_out
    can_ask = "ask" in call.event.can
    if can_ask and not is_unattended(call.agent, environ, call.agents_mode):
        return "ask", f"{reason}; to allow it: {way_out}" if way_out else reason
    # Before a prompt that comes anyway, silence is the question.
    if call.event.kind != BEFORE or cannot_ask != "deny":
        return None, ""
    why = "nobody is there to ask" if can_ask else f"{call.agent.title} cannot ask"
    how = f"; a person can allow it: {way_out}" if way_out else ""
    return "deny", f"{reason} ({why}{how})"
