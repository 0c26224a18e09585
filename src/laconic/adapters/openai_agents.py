"""OpenAI Agents SDK: `Agent(…, tools=[guard(gate, run_command)])`."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from agents import (
    FunctionTool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
)

from laconic.library.conditions import RuleError
from laconic.library.gate import Gate


def guard(gate: Gate, tool: FunctionTool) -> FunctionTool:
    """The same FunctionTool behind a gate: a command that needs consent interrupts the run."""
    if not gate.guards(tool.name, tool.params_json_schema):
        raise RuleError(f"{tool.name} has no argument for a command: name it in Gate(tools=…)")
    inner, needed = tool.on_invoke_tool, tool.needs_approval

    async def needs_approval(context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        call = await gate.ahook(arguments, tool=tool.name, call_id=call_id)
        if call is not None and call.verdict == "ask":
            return True
        return bool(await needed(context, arguments, call_id) if callable(needed) else needed)

    async def invoke(context: Any, text: str) -> Any:
        try:
            arguments = json.loads(text or "{}")
        except ValueError:
            return "denied: the arguments are not JSON"
        call = await gate.ahook(arguments, tool=tool.name, call_id=context.tool_call_id)
        if call is None:
            return await inner(context, text)
        approved = context.is_tool_approved(context.tool_name, context.tool_call_id)
        if not await call.astart(approved is True):
            return call.refusal()
        output = await inner(context, json.dumps(call.rewritten))
        return await call.afinish(output, remind=True)

    return dataclasses.replace(tool, on_invoke_tool=invoke, needs_approval=needs_approval)


def guardrail(gate: Gate) -> ToolInputGuardrail[Any]:
    """For `tool_input_guardrails` of a tool: it can refuse a call, and neither rewrite nor ask."""

    async def look(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        context = data.context
        arguments = json.loads(context.tool_arguments or "{}")
        call = await gate.ahook(arguments, tool=context.tool_name, call_id=context.tool_call_id)
        approved = context.is_tool_approved(context.tool_name, context.tool_call_id)
        if call is None or await call.astart(True if approved else None):
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(call.refusal(approved))

    return ToolInputGuardrail(look, name="laconic")
