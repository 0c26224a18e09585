"""Pydantic AI: `Agent(…, capabilities=[guard(gate)])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import ApprovalRequired
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelRequest, SystemPromptPart

if TYPE_CHECKING:
    from laconic.library.gate import Gate


def guard(gate: Gate) -> Any:
    """A capability; to ask a person, the agent's `output_type` must have DeferredToolRequests."""
    hooks = Hooks()
    tools = sorted(gate.tools)

    @hooks.on.before_tool_execute(tools=tools)
    async def before(ctx: Any, /, *, call: Any, tool_def: Any, args: Any) -> Any:  # noqa: ARG001
        ours = await gate.ahook(args, tool=call.tool_name, call_id=call.tool_call_id)
        if ours is None:
            return args
        if ours.verdict == "ask" and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"command": ours.command, "reason": ours.message})
        if not await ours.astart(approved=ctx.tool_call_approved):
            raise ToolFailed(ours.message)
        return ours.rewritten

    @hooks.on.after_tool_execute(tools=tools)
    async def after(ctx: Any, /, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:  # noqa: ARG001
        ours = gate.call(call.tool_call_id)
        return result if ours is None else await ours.afinish(result)

    @hooks.on.before_model_request
    async def remind(ctx: Any, /, request_context: Any) -> Any:  # noqa: ARG001
        if note := gate.take_reminders():
            reminder = ModelRequest(parts=[SystemPromptPart(note)])
            request_context.messages = [*request_context.messages, reminder]
        return request_context

    return hooks
