"""make with a mode that only prints: operands must be targets.

Unsafe: `NAME=value` among the operands is expanded while the makefile is read, so
`X=$(shell command)` runs.
"""

from __future__ import annotations

from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call


def judge(call: Call) -> None:
    for operand in call.parsed.operands if call.parsed is not None else ():
        if operand.text is None or operand.glob or "=" in operand.text:
            call.does(
                Effect.UNCLEAR, "variable", "sets a variable, which may run a command", operand
            )
