"""LangChain and LangGraph: `create_agent(…, middleware=[guard(gate)])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import SystemMessage, ToolMessage
from langgraph.types import interrupt

if TYPE_CHECKING:
    from laconic.library.call import Call
    from laconic.library.gate import Gate


class guard(AgentMiddleware):  # noqa: N801 - it is used like the functions of the other adapters
    """A middleware; `interrupt` asks, and `Command(resume=True)` is a yes. It needs a checkpointer.

    A graph without an agent takes its two functions:
    `ToolNode(…, wrap_tool_call=guarded.wrap_tool_call, awrap_tool_call=guarded.awrap_tool_call)`.
    """

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self.gate = gate

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        tool = request.tool_call
        call = self.gate.hook(tool["args"], tool=tool["name"], call_id=tool["id"])
        if call is None:
            return handler(request)
        if not call.start(_answer(call)):
            return _refusal(call, tool)
        result = handler(_rewritten(call, request))
        if isinstance(result, ToolMessage):
            result = result.model_copy(update={"content": call.finish(result.content)})
        return result

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        tool = request.tool_call
        call = await self.gate.ahook(tool["args"], tool=tool["name"], call_id=tool["id"])
        if call is None:
            return await handler(request)
        if not await call.astart(_answer(call)):
            return _refusal(call, tool)
        result = await handler(_rewritten(call, request))
        if isinstance(result, ToolMessage):
            result = result.model_copy(update={"content": await call.afinish(result.content)})
        return result

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(self._reminded(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(self._reminded(request))

    def _reminded(self, request: Any) -> Any:
        note = self.gate.take_reminders()
        more = [SystemMessage(note)] if note else []
        return request.override(messages=[*request.messages, *more])


def _answer(call: Call) -> bool | None:
    """Interrupt the graph until a person has answered; what comes before is done again then."""
    if call.verdict != "ask":
        return None
    return interrupt({"command": call.command, "reason": call.message}) is True


def _rewritten(call: Call, request: Any) -> Any:
    return request.override(tool_call={**request.tool_call, "args": call.rewritten})


def _refusal(call: Call, tool: Any) -> Any:
    return ToolMessage(call.message, tool_call_id=tool["id"], name=tool["name"], status="error")
