"""Agno: `Agent(…, tool_hooks=[guard(gate)])`, and `settle(gate, run, ask)` for a paused run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from laconic.library.gate import Gate
from laconic.library.tool_call import Consents

# What a person has allowed in runs that paused: hooks are not told the call's id.
_ALLOWED: WeakKeyDictionary[Gate, Consents] = WeakKeyDictionary()


def guard(gate: Gate) -> Callable[..., Any]:
    """Return a hook, which is not async because Agent.run skips those that are.

    Consent is what `settle` was told, or else what the gate's `ask` says.
    """

    def hook(
        function_name: str, function_call: Any, arguments: Any, run_context: Any, agent: Any = None
    ) -> Any:
        call = gate.hook(dict(arguments), tool=function_name, call_id=None)
        if call is None:
            gate.look_at(_schemas(getattr(agent, "tools", None) or ()))
            return function_call(**arguments)
        allowed = _ALLOWED.get(gate, Consents())
        if not call.ask_and_start(allowed.take(call, run_context.run_id)):
            return call.refusal()
        arguments.update(call.rewritten)  # the call reads this dict, whatever it is given
        output = function_call(**arguments)
        if not inspect.isawaitable(output):
            return call.finish(output, remind=True)

        async def later() -> Any:
            return await call.afinish(await output, remind=True)

        return later()

    return hook


def _schemas(tools: Any) -> dict[str, object]:
    """The schemas of an agent's tools: functions, those of Agno, and sets of them."""
    found: dict[str, object] = {}
    for tool in tools:
        if functions := getattr(tool, "functions", None):
            found |= _schemas(functions.values())
        elif (inner := getattr(tool, "entrypoint", tool)) and callable(inner):
            name = getattr(tool, "name", None) or inner.__name__
            found[name] = {"properties": inspect.signature(inner).parameters}
    return found


def settle(gate: Gate, run: Any, ask: Callable[[str, str], bool]) -> None:
    """Answer what a paused run needs: ask a person only where the gate does."""
    for need in run.active_requirements:
        tool = need.tool_execution
        call = gate.hook(tool.tool_args, tool=tool.tool_name, call_id=tool.tool_call_id)
        if call is None or not need.needs_confirmation:
            continue
        if call.verdict == "ask" and ask(call.command, call.message) is True:
            _ALLOWED.setdefault(gate, Consents()).add(call, run.run_id)
            need.confirm()
        elif call.verdict == "allow":
            need.confirm()
        else:
            call.start(approved=False)
            need.reject(call.refusal(approved=False))
