"""Wraps the function of a tool, so that it keeps its name, its signature and its documentation."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from laconic.library.arguments import KEYS
from laconic.library.conditions import RuleError
from laconic.library.run_in_thread import in_own_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.library.gate import Gate


def wrapped(gate: Gate, function: Any, key: str, *, is_async: bool | None) -> Any:
    """The guarded function, or a decorator if no function is given."""
    if function is None:
        return lambda found: wrapped(gate, found, key, is_async=is_async)
    signature = inspect.signature(function)
    name = key or _parameter(signature)
    if name not in signature.parameters:
        wanted = repr(name) if name else ", ".join(KEYS)
        hint = "" if key else "; name the one that holds the command, as key=…"
        raise RuleError(f"{function!r} has no parameter {wanted}{hint}")
    awaits = _is_async(function)

    def prepared(*args: Any, **more: Any) -> tuple[inspect.BoundArguments, dict[str, Any]]:
        """The arguments, and how a hook is asked about them."""
        bound = signature.bind(*args, **more)
        bound.apply_defaults()
        others = {
            word: value for word, value in {**bound.arguments, **more}.items() if word != name
        }
        return bound, {"call_id": None, "others": others}

    @functools.wraps(function)
    def guarded(*args: Any, **more: Any) -> Any:
        bound, asked = prepared(*args, **more)
        call = gate.hook(bound.arguments[name], **asked)
        if call is None:
            return function(*bound.args, **bound.kwargs)
        if not call.ask_and_start():
            return call.refusal()
        bound.arguments[name] = call.rewritten
        return call.finish(function(*bound.args, **bound.kwargs), remind=True)

    @functools.wraps(function)
    async def guarded_async(*args: Any, **more: Any) -> Any:
        bound, asked = prepared(*args, **more)
        call = await gate.ahook(bound.arguments[name], **asked)
        run = functools.partial(_run, function, awaits=awaits)
        if call is None:
            return await run(bound)
        if not await call.aask_and_start():
            return call.refusal()
        bound.arguments[name] = call.rewritten
        output = await run(bound)
        return await call.afinish(output, remind=True)

    return guarded_async if (awaits if is_async is None else is_async) else guarded


async def _run(function: Callable[..., Any], bound: inspect.BoundArguments, *, awaits: bool) -> Any:
    if awaits:
        return await function(*bound.args, **bound.kwargs)
    return await in_own_thread(functools.partial(function, *bound.args, **bound.kwargs))


def _parameter(signature: inspect.Signature) -> str:
    """The parameter that holds the command: by its name, else the only one there is."""
    names = list(signature.parameters)
    alone = names[0] if len(names) == 1 else ""
    return next((key for key in KEYS if key in names), alone)


def _is_async(function: Any) -> bool:
    called = type(function).__call__ if not inspect.isroutine(function) else None
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
