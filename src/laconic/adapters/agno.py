"""Agno: `Agent(…, tool_hooks=[guard(gate)])`, and `settle(gate, run, ask)` for a paused run."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.library.call import Call
    from laconic.library.gate import Gate

# The commands that a person has allowed, each for one call: hooks are not told the call's id.
_ALLOWED: WeakKeyDictionary[Gate, list[tuple[str, str, str]]] = WeakKeyDictionary()


def guard(gate: Gate) -> Callable[..., Any]:
    """Return a hook, which is not async because Agent.run skips those that are.

    Consent is what `settle` was told, or else what the gate's `ask` says.
    """

    def hook(function_name: str, function_call: Any, arguments: Any, run_context: Any) -> Any:
        call = gate.hook(dict(arguments), tool=function_name, call_id=None)
        if call is None:
            return function_call(**arguments)
        if not call.ask_and_start(_take(gate, _key(run_context.run_id, call))):
            return call.message
        arguments.update(call.rewritten)  # the call reads this dict, whatever it is given
        output = function_call(**arguments)
        if not inspect.isawaitable(output):
            return call.finish(output, remind=True)

        async def later() -> Any:
            return await call.afinish(await output, remind=True)

        return later()

    return hook


def _key(run_id: str, call: Call) -> tuple[str, str, str]:
    """A yes is for one command in one place."""
    return run_id, call.envelope.original_command, call.envelope.cwd


def _take(gate: Gate, key: tuple[str, str, str]) -> bool:
    try:
        _ALLOWED.get(gate, []).remove(key)
    except ValueError:
        return False
    return True


def settle(gate: Gate, run: Any, ask: Callable[[str, str], bool]) -> None:
    """Answer what a paused run needs: ask a person only where the gate does."""
    for need in run.active_requirements:
        tool = need.tool_execution
        call = gate.hook(tool.tool_args, tool=tool.tool_name, call_id=tool.tool_call_id)
        if call is None or not need.needs_confirmation:
            continue
        if call.verdict == "ask" and ask(call.command, call.message) is True:
            _ALLOWED.setdefault(gate, []).append(_key(run.run_id, call))
            need.confirm()
        elif call.verdict == "allow":
            need.confirm()
        else:
            call.start(approved=False)
            need.reject(call.message)
