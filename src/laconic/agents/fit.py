"""Cuts a response down to what an agent can do: no ask becomes deny, never a silent allow."""

from __future__ import annotations

from laconic.agents.load import BEFORE
from laconic.agents.values import Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.agents.values import HookCall


def fitted(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> Response:
    """Give what can be said of it. cannot_ask: `deny`, or `defer` to say nothing instead of ask."""
    can = call.event.can
    if any(name in environ for name in call.agent.not_asked_with):
        can -= {"ask"}  # an agent in a mode in which it takes an ask for a yes
    answer, reason = _answer(response, call, cannot_ask, can)
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
    response: Response, call: HookCall, cannot_ask: str, can: frozenset[str]
) -> tuple[str | None, str]:
    answer, reason = response.answer, response.reason
    if answer is None or answer in can:
        return answer, reason if answer else ""
    # Before a prompt that comes anyway, silence is the question.
    if answer == "ask" and call.event.kind == BEFORE and cannot_ask == "deny":
        return "deny", f"{reason} ({call.agent.title} cannot ask: let the user run it, or allow it)"
    if answer == "deny":
        return "deny", reason
    return None, ""
