"""The dialect of Claude Code, which many agents have copied: hookSpecificOutput.

https://code.claude.com/docs/en/hooks
"""

from __future__ import annotations

from laconic.agents.load import AFTER, BEFORE, PERMISSION
from laconic.hooks.response import Output, Reply
from laconic.types import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from laconic.hooks.call import HookCall
    from laconic.hooks.response import Response

_EVENTS = {BEFORE: "PreToolUse", PERMISSION: "PermissionRequest", AFTER: "PostToolUse"}
# With one of these, the text is not all that the command wrote.
_NOT_PLAIN = ("isImage", "interrupted", "persistedOutputPath", "backgroundTaskId")


def write(call: HookCall, response: Response) -> Reply:
    if call.event.kind == PERMISSION:
        return Reply(specific(call, decision=behavior(call, response)))
    if call.event.kind == AFTER:
        return Reply(specific(call, updatedToolOutput=_replaced(call, response)))
    return Reply(specific(call, **permission(response), **updated(call, response)))


def specific(call: HookCall, **keys: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": _EVENTS[call.event.kind], **keys}}


def permission(response: Response) -> dict[str, str]:
    """Return the decision, or nothing: a rewrite alone must not approve the command."""
    word = response.outcome.word
    return {"permissionDecision": word, "permissionDecisionReason": response.reason} if word else {}


def updated(call: HookCall, response: Response, key: str = "updatedInput") -> dict[str, Any]:
    return {key: call.input_with(response.commands)} if response.commands else {}


def behavior(call: HookCall, response: Response) -> dict[str, Any]:
    if response.outcome is Outcome.ALLOWED:
        return {"behavior": "allow", **updated(call, response)}
    return {"behavior": "deny", "message": response.reason}


def _replaced(call: HookCall, response: Response) -> Any:
    """Return the output in the shape in which it came; any other would be ignored."""
    assert response.output is not None
    given: Any = call.data.get("tool_response")
    if isinstance(given, str):
        return response.text
    return {**given, "stdout": response.output["out"], "stderr": response.output["err"]}


def output(call: HookCall) -> Output | None:
    """Return what the command wrote; this event comes after a success only."""
    given: Any = call.data.get("tool_response")
    if isinstance(given, str):
        return Output(given)
    if not isinstance(given, dict) or any(given.get(key) for key in _NOT_PLAIN):
        return None
    out, err = given.get("stdout", ""), given.get("stderr", "")
    if not isinstance(out, str) or not isinstance(err, str):
        return None
    # Claude Code counts a `grep` that finds nothing as a success.
    return Output(out, err, None if given.get("returnCodeInterpretation") else 0)
