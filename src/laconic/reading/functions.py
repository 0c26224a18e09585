"""The functions of a script: where their names are certain to mean them, and which never end.

A name means a program on the PATH before a function has it, and after it is removed: all of
`false && f() { :; }; f`, `f; f() { :; }`, `(f() { :; }); f` and `unset -f f; f` run the program f.
https://www.gnu.org/software/bash/manual/html_node/Command-Search-and-Execution.html
"""

from __future__ import annotations

from laconic.reading.flow import may_fail
from laconic.shell.ast import AndOr, Command, Function, Script
from laconic.shell.walk import Occurrence
from laconic.shell.words import literal
from laconic.types import Decision, Effect, Verdict

# Builtins that remove functions, or run code that may do so in this shell.
_REMOVERS = frozenset("unset unfunction disable autoload eval trap".split())


def defined_functions(script: Script, occurrences: list[Occurrence]) -> dict[str, int]:
    """Functions, each with the place from which on its name means the function.

    Only definitions that the script itself runs, in any case, count; none at all where something
    may take them away. An error in an expansion ends the line that it is in.
    """
    if any(_removes_functions(occurrence.command) for occurrence in occurrences):
        return {}
    defined: dict[str, int] = {}
    is_certain = True
    body = script.body
    for item, separator in zip(body.items, body.separators, strict=True):
        mark = "" if separator is None else separator.text
        function = _function(item)
        if function is None:
            is_certain = is_certain and not may_fail(item)
        elif is_certain and mark != "&" and "/" not in function.name:
            defined.setdefault(function.name, function.start)
        is_certain = is_certain or mark == "\n"
    return defined


def _function(item: AndOr) -> Function | None:
    """The function that an item of a list defines; `false && f() {..}` may not define it."""
    first = item.pipelines[0].commands[0]
    is_alone = len(item.pipelines) == len(item.pipelines[0].commands) == 1
    return first if is_alone and isinstance(first, Function) else None


def _removes_functions(command: Command) -> bool:
    return any(literal(word) in _REMOVERS for word in command.words)


# -- functions that never end ---------------------------------------------------------------------


def bombs(functions: list[Function], occurrences: list[Occurrence]) -> list[Decision]:
    """Find functions that start themselves in the background or in a pipe, and so multiply."""
    names = {function.name for function in functions}
    calls: dict[str, set[str]] = {name: set() for name in names}
    multiplied: set[tuple[str, str]] = set()
    for occurrence in occurrences if names else ():
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
            "starts functions that start each other again and again",
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
