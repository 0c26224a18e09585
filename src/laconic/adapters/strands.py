"""Strands Agents: `Agent(…, hooks=[guard(gate)])`."""

from __future__ import annotations

from typing import Any

from strands.hooks import (
    AfterToolCallEvent,
    AgentInitializedEvent,
    BeforeToolCallEvent,
    HookProvider,
)
from strands.middleware import InvokeModelStage

from laconic.library.gate import Gate


class guard(HookProvider):  # noqa: N801 - it is used like the functions of the other adapters
    """Hooks; a command that needs consent interrupts the agent, and the response True is a yes."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    def register_hooks(self, registry: Any, **_: Any) -> None:
        registry.add_callback(AgentInitializedEvent, self.begin)
        registry.add_callback(BeforeToolCallEvent, self.before)
        registry.add_callback(AfterToolCallEvent, self.after)

    def begin(self, event: Any) -> None:
        specs = event.agent.tool_registry.get_all_tools_config()
        self.gate.look_at({name: spec["inputSchema"]["json"] for name, spec in specs.items()})
        event.agent.add_middleware(InvokeModelStage.Input, self.remind)

    async def before(self, event: Any) -> None:
        use = event.tool_use
        call = await self.gate.ahook(use["input"], tool=use["name"], call_id=use["toolUseId"])
        if call is None:
            return
        approved = None
        if call.verdict == "ask":  # this raises until there is an answer, then all is done again
            reason = {"command": call.command, "reason": call.message}
            approved = event.interrupt("laconic", reason=reason) is True
        if await call.astart(approved):
            event.tool_use = {**use, "input": call.rewritten}  # the history keeps the other one
        else:
            event.cancel_tool = call.refusal(approved)

    async def after(self, event: Any) -> None:
        call = self.gate.call(event.tool_use["toolUseId"])
        if call is None or event.cancel_message:
            return
        first, *more = event.result["content"] or [{}]
        shown = await call.afinish(first.get("text"))
        if shown is not None:
            event.result = {**event.result, "content": [{**first, "text": shown}, *more]}

    def remind(self, context: Any) -> Any:
        """Add the reminders to the last message, because the roles of messages must alternate."""
        note = self.gate.take_reminders()
        if not note:
            return context
        *others, last = context.messages
        last = {**last, "content": [*last["content"], {"text": note}]}
        return context.replace(messages=[*others, last])
