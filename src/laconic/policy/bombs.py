"""Finds functions that start themselves without end."""

from __future__ import annotations

from laconic.shell.words import literal
from laconic.types import Decision, Effect, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import Function
    from laconic.shell.walk import Occurrence


def bombs(functions: list[Function], found: list[Occurrence]) -> list[Decision]:
    """Functions that start themselves in the background or behind a pipe multiply for ever."""
    names = {function.name for function in functions}
    calls: dict[str, set[str]] = {name: set() for name in names}
    multiplied: set[tuple[str, str]] = set()
    for occurrence in found if names else ():
        caller, context = occurrence.context.function, occurrence.context
        callee = literal(occurrence.command.words[0]) if occurrence.command.words else None
        if caller in names and callee in names and callee is not None:
            calls[caller].add(callee)
            if context.background or context.stages > 1:
                multiplied.add((caller, callee))
    return [
        Decision(
            Verdict.DENY,
            "fork-bomb",
            "functions that start each other again and again",
            function.start,
            function.end,
            effects=Effect.DESTROYS,
            firm=True,
        )
        for function in functions
        if any(
            caller == function.name and caller in _reached(callee, calls)
            for caller, callee in multiplied
        )
    ]


def _reached(start: str, calls: dict[str, set[str]]) -> set[str]:
    reached, todo = {start}, [start]
    while todo:
        for name in calls[todo.pop()] - reached:
            reached.add(name)
            todo.append(name)
    return reached
