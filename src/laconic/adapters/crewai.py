"""CrewAI: `guard(gate)`, once for all crews of the process."""

from __future__ import annotations

from typing import Any

from crewai.hooks import (
    register_after_tool_call_hook,
    register_before_llm_call_hook,
    register_before_tool_call_hook,
)

from laconic.library.ask_user import answer
from laconic.library.gate import Gate
from laconic.library.tool_call import ToolCall


def guard(gate: Gate) -> None:
    """Register hooks; the gate's `ask` asks, or else CrewAI does at the terminal."""
    calls: dict[int, tuple[ToolCall, str]] = {}  # by the arguments, which both hooks are given
    shown: list[dict[str, str]] = []

    def before(context: Any) -> bool | None:
        """False blocks the tool; None lets it run, and so does an exception."""
        try:
            calls.pop(id(context.tool_input), None)
            call = gate.hook(dict(context.tool_input), tool=context.tool_name, call_id=None)
            if call is None:
                return None
            approved = _answer(gate, call, context)
            runs = call.start(approved)
            calls[id(context.tool_input)] = call, "" if runs else call.refusal(approved)
            if runs:
                context.tool_input.update(call.rewritten)
        except Exception:  # noqa: BLE001 - the tool must not run
            return False
        return None if runs else False

    def after(context: Any) -> str | None:
        """Its text replaces the tool's; it is also called for a tool that was blocked."""
        call, refusal = calls.pop(id(context.tool_input), (None, ""))
        if call is None:
            return None
        text = refusal or call.finish(context.tool_result)
        return text if isinstance(text, str) else None

    def remind(context: Any) -> None:
        tools = getattr(context.agent, "tools", None) or ()
        gate.look_at({tool.name: tool.args_schema.model_json_schema() for tool in tools})
        while shown:
            last = shown.pop()
            if last in context.messages:
                context.messages.remove(last)
        if note := gate.take_reminders():
            shown.append({"role": "user", "content": note})
            context.messages.append(shown[0])

    register_before_tool_call_hook(before)
    register_after_tool_call_hook(after)
    register_before_llm_call_hook(remind)


def _answer(gate: Gate, call: ToolCall, context: Any) -> bool | None:
    if call.verdict != "ask":
        return None
    if gate.ask is not None:
        return answer(gate.ask, call.envelope)
    said = context.request_human_input(f"{call.command}\n{call.message}", "Type yes to run it:")
    return bool(said.strip().lower() == "yes")
