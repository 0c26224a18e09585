"""Microsoft Agent Framework: `Agent(…, middleware=guard(gate))`."""

from __future__ import annotations

from typing import Any

from agent_framework import ChatMiddleware, Content, FunctionMiddleware, Message

from laconic.library.gate import Gate


def guard(gate: Gate) -> list[Any]:
    """Middleware; a command that needs consent ends the run with a request for approval."""
    return [_Functions(gate), _Reminders(gate)]


class _Functions(FunctionMiddleware):
    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    async def process(self, context: Any, call_next: Any) -> None:
        name, metadata = context.function.name, context.metadata
        arguments = dict(context.arguments)
        call = await self.gate.ahook(arguments, tool=name, call_id=metadata["call_id"])
        if call is None:
            await call_next()
            return
        # This is there only when the framework comes back with a person's yes.
        approved = metadata.get("approval_response") is not None
        if call.verdict == "ask" and not approved:
            context.result = _request(name, arguments, call.message, metadata)
            return
        if not await call.astart(approved):
            context.result = call.message
            return
        if call.envelope.changed:
            context.arguments = call.rewritten
        await call_next()
        result = context.result
        if isinstance(result, list) and result and result[0].type == "text":
            first, *more = result
            context.result = [Content.from_text(await call.afinish(first.text)), *more]
        else:
            context.result = await call.afinish(result)


class _Reminders(ChatMiddleware):
    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    async def process(self, context: Any, call_next: Any) -> None:
        tools = (context.options or {}).get("tools") or ()
        self.gate.look_at({tool.name: tool.parameters() for tool in tools})
        if note := self.gate.take_reminders():
            context.messages = [*context.messages, Message(role="system", contents=[note])]
        await call_next()


def _request(name: str, arguments: dict[str, Any], reason: str, metadata: Any) -> Any:
    occurrence = metadata.get("function_call_occurrence_id") or metadata["call_id"]
    call = Content.from_function_call(
        call_id=metadata["call_id"], name=name, arguments=arguments, id=occurrence
    )
    return Content.from_function_approval_request(
        id=occurrence, function_call=call, additional_properties={"reason": reason}
    )
