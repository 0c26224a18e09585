"""make: operands are targets, or variables for the makefile.

Unsafe: `NAME=value` is expanded while the makefile is read, so `X=$(shell command)` runs, with -n
too; -p prints the environment. A plain value is for the makefile's own commands, but a few
variables say what make itself runs or reads. https://www.gnu.org/software/make/manual/make.html#Overriding
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.tool_variables import is_path, is_plain_setting, is_read_by_tools
from laconic.types import Effect, Kind

_PLAIN = pattern(r"(?!\.?SHELL|MAKE|GNUMAKE)[A-Za-z_]\w*[:?+]{0,2}=[\w./:,@%+-]*")


_FLAGS = pattern(r"(?:C|CXX|CPP|LD)FLAGS[:?+]{0,2}")
_EVAL = frozenset(("--eval", "-E"))
_FILES = frozenset(("-f", "--file", "--makefile"))
_FROM_INPUT = frozenset(("-f -", "--file -", "--makefile -", "-f-", "--file=-", "--makefile=-"))
# Recipes behind a tab or a `;`, `$(shell ..)` and `X != ..`.
_RECIPES = pattern(
    r"^\t[@+-]*(.+)$|^[^\t#\n=]*:[^=;\n]*;\s*[@+-]*(.+)$|\$[({]shell\s+([^)}]*)|^\s*\w+\s*!=(.+)$",
    re.MULTILINE,
)


def judge(call: Call) -> None:
    for rules in _given_rules(call):
        for found in _RECIPES.finditer(rules.text or ""):
            code = next(filter(None, found.groups()), "").replace("$$", "$")
            call.shell(Argument(code, rules.start, rules.end))
    if call.parsed.has("-p", "--print-data-base"):
        why = "prints all variables, secrets among them"
        call.does(Effect.SECRETS, Kind.SECRET, why)
    for operand in call.parsed.operands:
        is_plain = _PLAIN.fullmatch(operand.text or "") or _sets_flags(operand)
        if operand.is_static and is_plain and _is_own(call, operand):
            why = "sets a variable of the makefile, whose commands use it"
            call.does(Effect.PROJECT_CODE, "variable", why, operand)
        elif operand.text is None or operand.glob or "=" in operand.text:
            why = "sets a variable, which may run a command"
            about = Kind.VALUE if operand.text is None else "variable"
            call.does(Effect.UNCLEAR, about, why, operand)
            call.may_run(operand.behind(operand.leading.find("=") + 1))
            for found in _RECIPES.finditer(operand.text or ""):
                call.may_run(Argument(found[3] or "", operand.start, operand.end))


def _given_rules(call: Call) -> Iterator[Argument]:
    """Rules on the command line, or those that make reads from its input."""
    before = ""
    for argument in call.arguments:
        name, equals, _ = argument.leading.partition("=")
        if before in _EVAL or (name in _EVAL and equals):
            yield argument.behind(len(name) + 1) if equals else argument
        elif f"{before} {argument.text}" in _FROM_INPUT or argument.text in _FROM_INPUT:
            yield Argument(call.situation.input_text or "", *call.span)
        elif before in _FILES and argument.text is None:
            call.runs_file(argument)
        before = argument.leading


def _sets_flags(operand: Argument) -> bool:
    """Tell whether it sets options of a compiler that choose nothing else: `CFLAGS="-O0 -g"`."""
    name, _, value = (operand.text or "").partition("=")
    return _FLAGS.fullmatch(name) is not None and is_plain_setting(name.rstrip(":?+"), value)


def _is_own(call: Call, operand: Argument) -> bool:
    """Not a compiler or another program from elsewhere: `CC=/tmp/x`."""
    name, _, value = (operand.text or "").partition("=")
    name = name.rstrip(":?+")
    if not is_read_by_tools(name) or is_plain_setting(name, value):
        return True
    return is_path(value) and not call.is_outside(value)
