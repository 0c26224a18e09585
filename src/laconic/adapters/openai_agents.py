"""OpenAI Agents SDK: `Agent(…, tools=[guard(gate, run_command)])`."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from laconic.library.modes import KEYS
from laconic.library.when import RuleError

if TYPE_CHECKING:
    from laconic.library.gate import Gate


def guard(gate: Gate, tool: Any) -> Any:
    """The same FunctionTool behind a gate: a command that needs consent interrupts the run."""
    if not set(KEYS) & set(tool.params_json_schema.get("properties", ())):
        raise RuleError(f"{tool.name} has no argument {', '.join(KEYS)} for the command")
    inner, needed = tool.on_invoke_tool, tool.needs_approval

    async def needs_approval(context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        call = await gate.ahook(arguments, call_id=call_id)
        if call is not None and call.verdict == "ask":
            return True
        return bool(await needed(context, arguments, call_id) if callable(needed) else needed)

    async def invoke(context: Any, text: str) -> Any:
        try:
            arguments = json.loads(text or "{}")
        except ValueError:
            return "denied: the arguments are not JSON"
        call = await gate.ahook(arguments, call_id=context.tool_call_id)
        if call is None:
            return await inner(context, text)
        approved = context.is_tool_approved(context.tool_name, context.tool_call_id)
        if not await call.astart(approved is True):
            return call.message
        output = await inner(context, json.dumps(call.rewritten))
        return await call.afinish(output, remind=True)

    return dataclasses.replace(tool, on_invoke_tool=invoke, needs_approval=needs_approval)
