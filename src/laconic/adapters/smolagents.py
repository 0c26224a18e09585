"""smolagents: `guard(gate, agent)`."""

from __future__ import annotations

from typing import Any

from smolagents import ActionStep

from laconic.library.gate import Gate


def guard(gate: Gate, agent: Any) -> Any:
    """Put the agent's tools behind a gate, whose `ask` is called: a step cannot be interrupted."""
    gate.look_at({name: {"properties": tool.inputs} for name, tool in agent.tools.items()})
    for name, tool in agent.tools.items():
        tool.forward = _guarded(gate, name, tool.forward, list(tool.inputs))
    shown: list[tuple[Any, str]] = []

    def remind(step: Any, agent: Any = None) -> None:  # noqa: ARG001
        """Show reminders in one turn: turns are made from the steps, so older ones are removed."""
        while shown:
            last, note = shown.pop()
            last.observations = last.observations.replace(note, "")
        if note := gate.take_reminders():
            step.observations = f"{step.observations or ''}\n{note}"
            shown.append((step, f"\n{note}"))

    agent.step_callbacks.register(ActionStep, remind)
    return agent


def _guarded(gate: Gate, tool: str, forward: Any, names: list[str]) -> Any:
    def guarded(*values: Any, **arguments: Any) -> Any:
        arguments = {**dict(zip(names, values, strict=False)), **arguments}
        call = gate.hook(arguments, tool=tool, call_id=None)
        if call is None:
            return forward(**arguments)
        if not call.ask_and_start():
            return call.refusal()
        return call.finish(forward(**call.rewritten))

    return guarded
