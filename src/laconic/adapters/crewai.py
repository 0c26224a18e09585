"""CrewAI: `guard(gate)`, once for all crews of the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crewai.hooks import (
    register_after_tool_call_hook,
    register_before_llm_call_hook,
    register_before_tool_call_hook,
)

from laconic.library.asking import answer

if TYPE_CHECKING:
    from laconic.library.call import Call
    from laconic.library.gate import Gate


def guard(gate: Gate) -> None:
    """Register hooks; the gate's `ask` asks, or else CrewAI does at the terminal."""
    calls: dict[int, tuple[Call, bool]] = {}  # by the arguments, which both hooks are given
    shown: list[dict[str, str]] = []

    def before(context: Any) -> bool | None:
        """False blocks the tool; None lets it run, and so does an exception."""
        try:
            calls.pop(id(context.tool_input), None)
            call = gate.hook(dict(context.tool_input), tool=context.tool_name, call_id=None)
            if call is None:
                return None
            runs = call.start(_answer(gate, call, context))
            calls[id(context.tool_input)] = call, runs
            if runs:
                context.tool_input.update(call.rewritten)
        except Exception:  # noqa: BLE001 - the tool must not run
            return False
        return None if runs else False

    def after(context: Any) -> str | None:
        """Its text replaces the tool's; it is also called for a tool that was blocked."""
        call, runs = calls.pop(id(context.tool_input), (None, False))
        if call is None:
            return None
        text = call.finish(context.tool_result) if runs else call.message
        return text if isinstance(text, str) else None

    def remind(context: Any) -> None:
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


def _answer(gate: Gate, call: Call, context: Any) -> bool | None:
    if call.verdict != "ask":
        return None
    if gate.ask is not None:
        return answer(gate.ask, call.envelope)
    said = context.request_human_input(f"{call.command}\n{call.message}", "Type yes to run it:")
    return bool(said.strip().lower() == "yes")
