"""Claude Agent SDK: `ClaudeSDKClient(guard(gate, options))`."""

from __future__ import annotations

import dataclasses
from typing import Any

from claude_agent_sdk import HookMatcher, PermissionResultAllow, PermissionResultDeny

from laconic.library.ask_user import async_answer
from laconic.library.gate import Gate


def guard(gate: Gate, options: Any) -> Any:
    """The options with hooks; `can_use_tool` asks, or else the gate's `ask`.

    What the gate allows is left to the rules of the options.
    """
    asks = options.can_use_tool is not None or gate.ask is not None

    async def before(data: Any, call_id: str | None, _: Any) -> dict[str, Any]:
        arguments, tool = data["tool_input"], data["tool_name"]
        call = await gate.ahook(arguments, tool=tool, call_id=call_id or "", cwd=data.get("cwd"))
        if call is None:
            return {}
        new = {} if call.rewritten == arguments else {"updatedInput": call.rewritten}
        if call.verdict == "ask" and asks:
            return _said("PreToolUse", decision="ask", reason=call.message, **new)
        if not await call.astart():
            return _said("PreToolUse", decision="deny", reason=call.message)
        return _said("PreToolUse", **new) if new else {}

    async def after(data: Any, call_id: str | None, _: Any) -> dict[str, Any]:
        call, response = gate.call(call_id or ""), data.get("tool_response")
        more: dict[str, Any] = {}
        if call is not None and isinstance(response, dict):
            shown = await call.afinish(response.get("stdout"))
            if shown != response.get("stdout"):
                more["updatedToolOutput"] = {**response, "stdout": shown}
        if note := gate.take_reminders():
            more["additionalContext"] = note
        return _said("PostToolUse", **more) if more else {}

    async def permit(tool: str, arguments: dict[str, Any], context: Any) -> Any:
        call = gate.call(context.tool_use_id or "")
        if options.can_use_tool is not None:
            said = await options.can_use_tool(tool, arguments, context)
        elif call is not None and await async_answer(gate.ask, call.envelope):
            said = PermissionResultAllow(updated_input=arguments)
        else:
            said = PermissionResultDeny(message=f"{tool} needs consent, and nobody has given it")
        yes = isinstance(said, PermissionResultAllow)
        if call is not None and not await call.astart(yes) and yes:
            return PermissionResultDeny(message=call.message)
        return said

    hooks = {event: list(found) for event, found in (options.hooks or {}).items()}
    for event, hook in (("PreToolUse", before), ("PostToolUse", after)):
        matcher = HookMatcher(hooks=[hook], on_failure="block")
        hooks.setdefault(event, []).append(matcher)
    return dataclasses.replace(options, hooks=hooks, can_use_tool=permit if asks else None)


def _said(event: str, *, decision: str = "", reason: str = "", **more: Any) -> dict[str, Any]:
    if decision:
        more |= {"permissionDecision": decision, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": event, **more}}
