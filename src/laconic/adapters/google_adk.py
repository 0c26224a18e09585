"""Google ADK: `App(…, plugins=[guard(gate)])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

if TYPE_CHECKING:
    from laconic.library.call import Call
    from laconic.library.gate import Gate


class guard(BasePlugin):  # noqa: N801 - it is used like the functions of the other adapters
    """A plugin for all agents of an app; a command that needs consent requests a confirmation."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(name="laconic")
        self.gate = gate

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> Any:
        """A result replaces the tool's; None lets the tool run."""
        call_id = tool_context.function_call_id
        call = await self.gate.ahook(dict(tool_args), tool=tool.name, call_id=call_id)
        if call is None:
            return None
        answer = tool_context.tool_confirmation
        if call.verdict == "ask" and answer is None:
            why = {"command": call.command, "reason": call.message}
            tool_context.request_confirmation(hint=call.message, payload=why)
            tool_context.actions.skip_summarization = True
            return _waiting(call)
        if not await call.astart(None if answer is None else answer.confirmed is True):
            return {"error": call.message}
        tool_args.update(call.rewritten)
        return None

    async def after_tool_callback(self, *, tool_context: Any, result: Any, **_: Any) -> Any:
        call = self.gate.call(tool_context.function_call_id)
        if call is None or result in ({"error": call.message}, _waiting(call)):
            return None  # this comes after refusals, too
        if isinstance(result, dict) and isinstance(result.get("result"), str):
            return {**result, "result": await call.afinish(result["result"])}
        shown = await call.afinish(result)
        return {"result": shown} if isinstance(shown, str) else None

    async def before_model_callback(self, *, llm_request: Any, **_: Any) -> None:
        if note := self.gate.take_reminders():
            content = types.Content(role="user", parts=[types.Part(text=note)])
            llm_request.contents.append(content)


def _waiting(call: Call) -> dict[str, str]:
    return {"status": "it waits for a person", "reason": call.message}
