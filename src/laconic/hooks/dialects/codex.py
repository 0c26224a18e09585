"""The dialect of Codex: Claude Code's, read strictly, where a rewrite has to say allow.

That allow grants nothing: approval, sandbox and rules come after it and see the new command.
"""

from __future__ import annotations

from laconic.agents.load import AFTER, PERMISSION
from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import behavior, permission, specific, updated
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome

_NO_STATUS = "[laconic: Codex does not tell the exit status]\n"


def write(call: HookCall, response: Response) -> Reply:
    if call.event.kind == PERMISSION:
        return Reply(specific(call, decision=behavior(call, response)))
    if call.event.kind == AFTER:
        # It replaces the output, and the turn goes on.
        reason = response.text.removesuffix("\n") + f"\n{_NO_STATUS}"
        return Reply({"continue": False, "stopReason": "compacted", "reason": reason})
    if response.outcome is Outcome.DENIED:
        return Reply(specific(call, **permission(response)))
    return Reply(specific(call, permissionDecision="allow", **updated(call, response)))


def output(call: HookCall) -> Output | None:
    """Return what the command wrote; this event also comes after a failure, without its status."""
    given = call.data.get("tool_response")
    return Output(given) if isinstance(given, str) else None
