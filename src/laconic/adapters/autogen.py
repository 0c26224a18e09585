"""AutoGen: `AssistantAgent(…, workbench=guard(gate, [run_command]))`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autogen_core.tools import (
    BaseTool,
    FunctionTool,
    StaticWorkbench,
    TextResultContent,
    ToolResult,
)

from laconic.library.conditions import RuleError
from laconic.library.gate import Gate


class guard(StaticWorkbench):  # noqa: N801 - it is used like the functions of the other adapters
    """A workbench of tools or functions; a call cannot be interrupted, so the gate's `ask` asks."""

    def __init__(self, gate: Gate, tools: Iterable[Any]) -> None:
        own = [_tool(tool) for tool in tools]
        super().__init__(own)
        self.gate = gate
        gate.look_at({tool.name: tool.schema.get("parameters") for tool in own})

    async def call_tool(
        self, name: str, arguments: Any = None, cancellation_token: Any = None, call_id: Any = None
    ) -> Any:
        try:
            given = dict(arguments or {})
            call = await self.gate.ahook(given, tool=name, call_id=call_id or None)
            if call is not None and not await call.aask_and_start():
                return _refusal(name, call.refusal())
        except Exception as fault:  # noqa: BLE001 - it would keep the agent waiting for ever
            return _refusal(name, f"denied: the gate has failed: {fault!r}")
        if call is not None:
            given = call.rewritten
        done = await super().call_tool(name, given, cancellation_token, call_id)
        if call is not None:
            done.result = [
                TextResultContent(content=await call.afinish(part.content, remind=True))
                for part in done.result
            ]
        return done

    def _to_config(self) -> Any:
        """What is made from a dump is a workbench without a gate."""
        raise RuleError("a workbench behind a gate cannot be dumped")


def _tool(tool: Any) -> Any:
    if isinstance(tool, BaseTool):
        return tool
    return FunctionTool(tool, description=tool.__doc__ or "")


def _refusal(name: str, why: str) -> Any:
    return ToolResult(name=name, result=[TextResultContent(content=why)], is_error=True)
