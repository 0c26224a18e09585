"""LlamaIndex: `FunctionAgent(…, tools=[guard(gate, run_command)])`."""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import TYPE_CHECKING, Any

from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent

from laconic.library.modes import KEYS
from laconic.library.when import RuleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.library.call import Call
    from laconic.library.gate import Gate


def guard(gate: Gate, function: Callable[..., Any]) -> Any:
    """A tool of a function, async or not; a command that needs consent sends InputRequiredEvent.

    HumanResponseEvent(command=event.command, response=True) is a yes.
    """

    @functools.wraps(function)
    async def guarded(ctx: Any, **arguments: Any) -> Any:
        call = await gate.ahook(arguments, call_id=None, others=usual)
        if call is None:
            return await _run(function, arguments)
        if not await call.astart(await _answer(ctx, call)):
            return call.message
        output = await _run(function, call.rewritten)
        return await call.afinish(output, remind=True)

    own = inspect.signature(function)
    if not set(KEYS) & set(own.parameters):
        raise RuleError(f"{function!r} has no parameter {', '.join(KEYS)} for the command")
    parameters = own.parameters.values()
    usual = {each.name: each.default for each in parameters if each.default is not each.empty}
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    seen = own.replace(parameters=[*own.parameters.values(), context])
    guarded.__signature__ = seen  # type: ignore[attr-defined] # what the model is told of
    return FunctionTool.from_defaults(async_fn=guarded)


async def _answer(ctx: Any, call: Call) -> bool | None:
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
