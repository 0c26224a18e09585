"""Google ADK: `App(…, plugins=[guard(gate)])`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.adk.flows.llm_flows.functions import REQUEST_CONFIRMATION_FUNCTION_CALL_NAME
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from laconic.library.gate import Gate
from laconic.library.tool_call import ToolCall


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
        approved = None if answer is None else answer.confirmed is True
        if not await call.astart(approved):
            return {"error": call.refusal(approved)}
        tool_args.update(call.rewritten)
        return None

    async def after_tool_callback(self, *, tool_context: Any, result: Any, **_: Any) -> Any:
        call = self.gate.call(tool_context.function_call_id)
        if call is None or result in (*_refusals(call), _waiting(call)):
            return None  # this comes after refusals, too
        if isinstance(result, dict) and isinstance(result.get("result"), str):
            return {**result, "result": await call.afinish(result["result"])}
        shown = await call.afinish(result)
        return {"result": shown} if isinstance(shown, str) else None

    async def before_model_callback(self, *, llm_request: Any, **_: Any) -> None:
        self.gate.look_at({name: _schema(tool) for name, tool in llm_request.tools_dict.items()})
        if note := self.gate.take_reminders():
            content = types.Content(role="user", parts=[types.Part(text=note)])
            llm_request.contents.append(content)


def answers(event: Any, ask: Callable[[str, str], bool]) -> list[types.Part]:
    """Have a person answer what an event requests: the parts of the next message.

    ask: gets the command and the reason, and says whether it may run.
    """
    made = []
    for call in event.get_function_calls():
        why = call.name == REQUEST_CONFIRMATION_FUNCTION_CALL_NAME and _payload(call)
        if why:
            said = {"confirmed": ask(why["command"], why["reason"]) is True}
            response = types.FunctionResponse(id=call.id, name=call.name, response=said)
            made.append(types.Part(function_response=response))
    return made


def _payload(request: Any) -> dict[str, str]:
    """What our plugin says in a request; nothing of one that is another's."""
    payload = request.args["toolConfirmation"].get("payload")
    is_ours = isinstance(payload, dict) and payload.keys() == {"command", "reason"}
    return payload if is_ours else {}


def _schema(tool: Any) -> object:
    told = tool._get_declaration()  # noqa: SLF001 - there is no other way
    return told and (told.parameters_json_schema or told.parameters.model_dump(mode="json"))


def _refusals(call: ToolCall) -> list[dict[str, str]]:
    return [{"error": call.refusal(approved)} for approved in (None, False)]


def _waiting(call: ToolCall) -> dict[str, str]:
    return {"status": "it waits for a person", "reason": call.message}
