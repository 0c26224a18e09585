"""make: operands are targets, or variables for the makefile.

Unsafe: `NAME=value` is expanded while the makefile is read, so `X=$(shell command)` runs, with -n
too. A plain value is for the makefile's own commands, but a few variables say what make itself runs
or reads. https://www.gnu.org/software/make/manual/make.html#Overriding
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call


_PLAIN = pattern(r"(?!\.?SHELL|MAKE|GNUMAKE)[A-Za-z_]\w*[:?+]{0,2}=[\w./:,@%+-]*")


def judge(call: Call) -> None:
    for operand in call.parsed.operands if call.parsed is not None else ():
        if operand.is_static and _PLAIN.fullmatch(operand.text or ""):
            why = "sets a variable of the makefile, whose commands use it"
            call.does(Effect.PROJECT_CODE, "variable", why, operand)
        elif operand.text is None or operand.glob or "=" in operand.text:
            why = "sets a variable, which may run a command"
            call.does(Effect.UNCLEAR, "variable", why, operand)
