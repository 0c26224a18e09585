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
        call = self.gate.hook(**_asked(request.tool_call))
        given = _given(call, request)
        result = given if isinstance(given, ToolMessage) else handler(given)
        if call is None or result is given or not isinstance(result, ToolMessage):
            return result
        return result.model_copy(update={"content": call.finish(result.content)})

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        call = await self.gate.ahook(**_asked(request.tool_call))
        given = _given(call, request)
        result = given if isinstance(given, ToolMessage) else await handler(given)
        if call is None or result is given or not isinstance(result, ToolMessage):
            return result
        return result.model_copy(update={"content": await call.afinish(result.content)})

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(self._reminded(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(self._reminded(request))

    def _reminded(self, request: Any) -> Any:
        note = self.gate.take_reminders()
        more = [SystemMessage(note)] if note else []
        return request.override(messages=[*request.messages, *more])


def _asked(tool: Any) -> Any:
    return {"arguments": tool["args"], "tool": tool["name"], "call_id": tool["id"]}


def _given(call: Call | None, request: Any) -> Any:
    """The request to go on with, or the message that refuses it."""
    if call is None:
        return request
    tool, said = request.tool_call, None
    if call.verdict == "ask":  # this raises until there is an answer, then all is done again
        said = interrupt({"command": call.command, "reason": call.message}) is True
    if not call.start(said):
        return ToolMessage(call.message, tool_call_id=tool["id"], name=tool["name"], status="error")
    return request.override(tool_call={**tool, "args": call.rewritten})
