"""Which functions are certain to be defined where their names are called.

A name that no function has yet, or no longer, is a program on the PATH: `false && f() { :; }; f`
runs the program f, and so do `f; f() { :; }`, `(f() { :; }); f` and `unset -f f; f`.
"""

from __future__ import annotations

from laconic.policy.flow import may_fail
from laconic.shell.ast import Function
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import AndOr, Command, Script
    from laconic.shell.walk import Occurrence

# What takes functions away, or runs code that may do so in this shell.
_REMOVERS = frozenset("unset unfunction disable autoload eval trap".split())


def defined_functions(script: Script, occurrences: list[Occurrence]) -> dict[str, int]:
    """Functions, each with the place behind which its name means the function.

    Only definitions that the script itself runs, in any case, count; none at all where something
    may take them away. An error in an expansion ends the line that it is in.
    """
    if any(_removes_functions(occurrence.command) for occurrence in occurrences):
        return {}
    found: dict[str, int] = {}
    is_certain = True
    body = script.body
    for item, separator in zip(body.items, body.separators, strict=True):
        mark = "" if separator is None else separator.text
        function = _function(item)
        if function is None:
            is_certain = is_certain and not may_fail(item)
        elif is_certain and mark != "&" and "/" not in function.name:
            found.setdefault(function.name, function.start)
        is_certain = is_certain or mark == "\n"
    return found


def _function(item: AndOr) -> Function | None:
    """The function that an item of a list defines; `false && f() {..}` may not define it."""
    first = item.pipelines[0].commands[0]
    is_alone = len(item.pipelines) == len(item.pipelines[0].commands) == 1
    return first if is_alone and isinstance(first, Function) else None


def _removes_functions(command: Command) -> bool:
    return any(literal(word) in _REMOVERS for word in command.words)
