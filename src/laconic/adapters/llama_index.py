"""LlamaIndex: `FunctionAgent(…, tools=[guard(gate, run_command)])`."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any

from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent

from laconic.library.conditions import RuleError
from laconic.library.gate import Gate
from laconic.library.tool_call import ToolCall


def guard(gate: Gate, function: Callable[..., Any]) -> Any:
    """A tool of a function, async or not; a command that needs consent sends InputRequiredEvent.

    HumanResponseEvent(command=event.command, response=True) is a yes.
    """

    @functools.wraps(function)
    async def guarded(ctx: Any, **arguments: Any) -> Any:
        call = await gate.ahook(arguments, tool=name, call_id=None, others=usual)
        if call is None:
            return await _run(function, arguments)
        approved = await _answer(ctx, call)
        if not await call.astart(approved):
            return call.refusal(approved)
        output = await _run(function, call.rewritten)
        return await call.afinish(output, remind=True)

    own, name = inspect.signature(function), function.__name__
    if not gate.guards(name, {"properties": own.parameters}):
        raise RuleError(f"{name} has no parameter for a command: name it in Gate(tools=…)")
    parameters = own.parameters.values()
    usual = {each.name: each.default for each in parameters if each.default is not each.empty}
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    seen = own.replace(parameters=[*own.parameters.values(), context])
    guarded.__signature__ = seen  # type: ignore[attr-defined] # what the model is told of
    return FunctionTool.from_defaults(async_fn=guarded)


async def _answer(ctx: Any, call: ToolCall) -> bool | None:
    """Wait for a person; the framework calls the tool again when the answer is there."""
    if call.verdict != "ask":
        return None
    event = InputRequiredEvent(command=call.command, reason=call.message)
    said = await ctx.wait_for_event(
        HumanResponseEvent,
        waiter_event=event,
        waiter_id=f"laconic: {call.command}",
        requirements={"command": call.command},
        timeout=None,
    )
    return said.response is True


async def _run(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(**arguments)
    return await asyncio.to_thread(function, **arguments)
