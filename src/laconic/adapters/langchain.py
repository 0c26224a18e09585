"""LangChain and LangGraph: `create_agent(…, middleware=[guard(gate)])`."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import SystemMessage, ToolMessage
from langgraph.types import interrupt

from laconic.library.gate import Gate
from laconic.library.tool_call import ToolCall


class guard(AgentMiddleware):  # noqa: N801 - it is used like the functions of the other adapters
    """A middleware; `interrupt` asks, and `Command(resume=…)` answers. It needs a checkpointer.

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
        call, approved, said = _answer(call, tool["name"])
        if not call.start(approved):
            return _refusal(call.refusal(approved, said), tool)
        result = handler(_rewritten(call, request))
        if isinstance(result, ToolMessage):
            result = result.model_copy(update={"content": call.finish(result.content)})
        return result

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        tool = request.tool_call
        call = await self.gate.ahook(tool["args"], tool=tool["name"], call_id=tool["id"])
        if call is None:
            return await handler(request)
        call, approved, said = _answer(call, tool["name"])
        if not await call.astart(approved):
            return _refusal(call.refusal(approved, said), tool)
        result = await handler(_rewritten(call, request))
        if isinstance(result, ToolMessage):
            result = result.model_copy(update={"content": await call.afinish(result.content)})
        return result

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(self._reminded(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(self._reminded(request))

    def _reminded(self, request: Any) -> Any:
        tools = [tool for tool in request.tools if not isinstance(tool, dict)]  # the provider's own
        self.gate.look_at({tool.name: {"properties": tool.args} for tool in tools})
        note = self.gate.take_reminders()
        more = [SystemMessage(note)] if note else []
        return request.override(messages=[*request.messages, *more])


def _answer(call: ToolCall, name: str) -> tuple[ToolCall, bool | None, str]:
    """Interrupt the graph until a person has answered; what comes before is done again then.

    The question and the answer have the form of LangChain's HumanInTheLoopMiddleware; True is a
    yes, too. Gives the call as a person has edited it, the answer, and why it is a no.
    """
    if call.verdict != "ask":
        return call, None, ""
    action = {"name": name, "args": call.rewritten, "description": call.message}
    review = {"action_name": name, "allowed_decisions": ["approve", "edit", "reject"]}
    said = interrupt(
        {
            "command": call.command,
            "reason": call.message,
            "action_requests": [action],
            "review_configs": [review],
        }
    )
    if isinstance(said, dict):
        decision = (said.get("decisions") or [said])[0]
        if decision.get("type") == "edit":
            arguments = decision["edited_action"]["args"]
            edited = call.gate.hook(arguments, tool=name, call_id=call.call_id)
            return edited or call, edited is not None, ""
        return call, decision.get("type") == "approve", str(decision.get("message") or "")
    return call, said is True, ""


def _rewritten(call: ToolCall, request: Any) -> Any:
    return request.override(tool_call={**request.tool_call, "args": call.rewritten})


def _refusal(text: str, tool: Any) -> Any:
    return ToolMessage(text, tool_call_id=tool["id"], name=tool["name"], status="error")
