"""make: operands are targets, or variables for the makefile.

Unsafe: `NAME=value` is expanded while the makefile is read, so `X=$(shell command)` runs, with -n
too. A plain value is for the makefile's own commands, but a few variables say what make itself runs
or reads. https://www.gnu.org/software/make/manual/make.html#Overriding
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.tool_variables import is_path, is_plain_setting, is_read_by_tools
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument
    from laconic.reading.call import Call


_PLAIN = pattern(r"(?!\.?SHELL|MAKE|GNUMAKE)[A-Za-z_]\w*[:?+]{0,2}=[\w./:,@%+-]*")


def judge(call: Call) -> None:
    for operand in call.parsed.operands if call.parsed is not None else ():
        if operand.is_static and _PLAIN.fullmatch(operand.text or "") and _is_own(call, operand):
            why = "sets a variable of the makefile, whose commands use it"
            call.does(Effect.PROJECT_CODE, "variable", why, operand)
        elif operand.text is None or operand.glob or "=" in operand.text:
            why = "sets a variable, which may run a command"
            call.does(Effect.UNCLEAR, "variable", why, operand)


def _is_own(call: Call, operand: Argument) -> bool:
    """Not a compiler or another program from elsewhere: `CC=/tmp/x`."""
    name, _, value = (operand.text or "").partition("=")
    name = name.rstrip(":?+")
    if not is_read_by_tools(name) or is_plain_setting(name, value):
        return True
    return is_path(value) and not call.is_outside(value)
