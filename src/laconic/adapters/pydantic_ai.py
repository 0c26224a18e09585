"""Pydantic AI: `Agent(…, capabilities=[guard(gate)])`."""

from __future__ import annotations

from typing import Any

from pydantic_ai import ApprovalRequired
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelRequest, SystemPromptPart

from laconic.library.gate import Gate


def guard(gate: Gate) -> Any:
    """A capability; to ask a person, the agent's `output_type` must have DeferredToolRequests."""
    hooks = Hooks()

    @hooks.on.before_tool_execute
    async def before(ctx: Any, /, *, call: Any, tool_def: Any, args: Any) -> Any:  # noqa: ARG001
        ours = await gate.ahook(args, tool=call.tool_name, call_id=call.tool_call_id)
        if ours is None:
            return args
        if ours.verdict == "ask" and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"command": ours.command, "reason": ours.message})
        if not await ours.astart(approved=ctx.tool_call_approved):
            raise ToolFailed(ours.message)
        return ours.rewritten

    @hooks.on.after_tool_execute
    async def after(ctx: Any, /, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:  # noqa: ARG001
        ours = gate.call(call.tool_call_id)
        return result if ours is None else await ours.afinish(result)

    @hooks.on.before_model_request
    async def remind(ctx: Any, /, request_context: Any) -> Any:  # noqa: ARG001
        tools = request_context.model_request_parameters.function_tools
        gate.look_at({tool.name: tool.parameters_json_schema for tool in tools})
        await _write_down(gate, request_context.messages)
        if note := gate.take_reminders():
            reminder = ModelRequest(parts=[SystemPromptPart(note)])
            request_context.messages = [*request_context.messages, reminder]
        return request_context

    return hooks


async def _write_down(gate: Gate, messages: list[Any]) -> None:
    """Write down what a person has denied: no hook is told of that."""
    for part in getattr(messages[-1], "parts", ()):
        if getattr(part, "outcome", "") == "denied" and (call := gate.call(part.tool_call_id)):
            await call.astart(approved=False)
