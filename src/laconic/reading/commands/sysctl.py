"""sysctl: shows settings of the kernel.

Unsafe: `name=value`, which sets one (also without `-w`).
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect, Kind


def judge(call: Call) -> None:
    for operand in call.parsed.operands:
        if operand.text is None or operand.glob or "=" in operand.text:
            call.does(Effect.SYSTEM, Kind.SET, "sets a value of the kernel", operand)
