"""Wraps the function of a tool, so that it keeps its name, its signature and its documentation."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from typing import TYPE_CHECKING, Any

from laconic.library.gate import Call, Gate, answer, async_answer
from laconic.library.modes import KEYS
from laconic.library.output import Shown
from laconic.library.when import RuleError

if TYPE_CHECKING:
    from collections.abc import Callable


def wrapped(gate: Gate, function: Any, key: str, *, is_async: bool | None) -> Any:
    """The guarded function, or a decorator if no function is given."""
    if function is None:
        return lambda found: wrapped(gate, found, key, is_async=is_async)
    signature = inspect.signature(function)
    name = key or _parameter(signature)
    if name not in signature.parameters:
        raise RuleError(f"{function!r} has no parameter {name!r} for the command")
    awaits = _is_async(function)

    def prepared(*args: Any, **more: Any) -> inspect.BoundArguments:
        bound = signature.bind(*args, **more)
        bound.apply_defaults()
        return bound

    @functools.wraps(function)
    def guarded(*args: Any, **more: Any) -> Any:
        bound = prepared(*args, **more)
        call = gate.hook(bound.arguments[name])
        if call is None:
            return function(*bound.args, **bound.kwargs)
        if not call.start(answer(gate.ask, call.envelope)):
            return call.message
        bound.arguments[name] = call.rewritten
        started = time.monotonic()
        return _finished(call, function(*bound.args, **bound.kwargs), started)

    @functools.wraps(function)
    async def guarded_async(*args: Any, **more: Any) -> Any:
        bound = prepared(*args, **more)
        call = await gate.ahook(bound.arguments[name])
        run = functools.partial(_run, function, awaits=awaits)
        if call is None:
            return await run(bound)
        if not call.start(await async_answer(gate.ask, call.envelope)):
            return call.message
        bound.arguments[name] = call.rewritten
        started = time.monotonic()
        output = await run(bound)
        return await asyncio.to_thread(_finished, call, output, started)

    return guarded_async if (awaits if is_async is None else is_async) else guarded


async def _run(function: Callable[..., Any], bound: inspect.BoundArguments, *, awaits: bool) -> Any:
    if awaits:
        return await function(*bound.args, **bound.kwargs)
    return await asyncio.to_thread(function, *bound.args, **bound.kwargs)


def _finished(call: Call, output: Any, started: float) -> Any:
    duration = round((time.monotonic() - started) * 1000)
    shown = Shown(text="")
    if isinstance(output, str | bytes):
        shown = call.gate.show(call.command, output)
        output = shown.text
        note = call.gate.take_reminders()
        output = f"{output}\n{note}" if note else output
    call.gate.finished(
        call.command, call_id=call.call_id, status=None, duration_ms=duration, shown=shown
    )
    return output


def _parameter(signature: inspect.Signature) -> str:
    """The parameter that holds the command: by its name, else the first."""
    names = list(signature.parameters)
    return next((key for key in KEYS if key in names), names[0] if names else "")


def _is_async(function: Any) -> bool:
    called = type(function).__call__ if not inspect.isroutine(function) else None
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
